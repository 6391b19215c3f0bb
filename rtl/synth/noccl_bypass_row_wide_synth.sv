// SPDX-License-Identifier: Apache-2.0
// One router of a row on the plane `wide` with bypass, from West to East: a timing model of docs/design/0012-bypass.md and no router. It has
// what a flit's path crosses: the input's FIFO, route and fork, the output's arbiter, crossbar and FIFO, and behind it the bypass
// multiplexer, with the conditions for which a flit that crosses a link goes on in the same cycle. `tools/smart_timing.py` lays many of
// them in a row.
//
// The multiplexer is set by what the output's FIFO holds, a register: so flits run ahead of the decision whether they go on, and only
// `link_valid` follows from router to router. What it knows late is written into an input FIFO, or not.
// Left out: merging of operands (they end at every router here), the note that the arbiter takes of a flit that has passed (a register).
//
// Combinational paths: `link_*_i` to `link_*_o`, and `space_i` to `link_valid_o`; `space_o` is a register.
// Mirror: crates/noccl-sim/src/router/collective/bypass (`is_clear`, `passes`).

module noccl_bypass_row_wide_synth
  import noccl_flit_pkg::WEST, noccl_flit_pkg::EAST;
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::NUM_REQUESTERS;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::port_set_t, noccl_flit_pkg::coord_t;
#(
    /// Most links that a flit crosses in a cycle; at least 2.
    parameter int unsigned HpcMax = 8
) (
    /// Clock.
    input  logic                    clk_i,
    /// Asynchronous reset, active low.
    input  logic                    rst_ni,
    /// Mesh coordinate; constant.
    input  coord_t                  position_i,
    /// A flit crosses the link from the router before, and how many more it may cross, in unary.
    input  logic                    link_valid_i,
    input  wide_flit_t              link_flit_i,
    input  logic       [HpcMax-2:0] link_left_i,
    /// The same for the link to the next router.
    output logic                    link_valid_o,
    output wide_flit_t              link_flit_o,
    output logic       [HpcMax-2:0] link_left_o,
    /// The input was not full at the beginning of the cycle: to the router before, and from the next one.
    output logic                    space_o,
    input  logic                    space_i,
    /// Local input and result of a reduction, a cycle earlier: they ask for East.
    input  logic       [       1:0] other_asks_i,
    input  wide_flit_t              other_flit_i   [2],
    /// Other outputs that take the head of the input, a cycle earlier.
    input  port_set_t               other_granted_i,
    /// A flit has passed.
    output logic                    passed_o
);

  typedef logic [NUM_REQUESTERS-1:0] requesters_t;
  // What stands in an input, and whether its East branch has gone on in flight.
  typedef struct packed {
    logic       has_passed;
    wide_flit_t flit;
  } stored_t;

  logic is_clear, goes_straight, goes_on;
  logic [1:0] other_asks_q;
  wide_flit_t other_flit_q[2];
  port_set_t other_granted_q;
  logic passed_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      other_asks_q <= '0;
      other_granted_q <= '0;
      passed_q <= 1'b0;
    end else begin
      other_asks_q <= other_asks_i;
      other_granted_q <= other_granted_i;
      passed_q <= goes_on;
    end
  end
  always_ff @(posedge clk_i) other_flit_q <= other_flit_i;
  assign passed_o = passed_q;

  // --------------------------------------------------------------------------------------------------- ordinary moves

  stored_t arriving, head;
  logic enters, has_head, head_leaves, all_taken;
  port_set_t route, wants, granted;

  noccl_fifo #(
      .Depth (noccl_cfg_pkg::INPUT_FIFO_FLITS),
      .data_t(stored_t)
  ) u_input (
      .clk_i,
      .rst_ni,
      .valid_i(enters),
      .ready_o(space_o),
      .data_i (arriving),
      .valid_o(has_head),
      .ready_i(head_leaves),
      .data_o (head)
  );

  noccl_route #(
      .InputPort(WEST)
  ) u_route_head (
      .position_i,
      .multicast_i(head.flit.hdr.multicast),
      .dst_i      (head.flit.hdr.dst),
      .base_i     (head.flit.hdr.base),
      .mask_i     (head.flit.hdr.mask),
      .own_copy_i (head.flit.hdr.own_copy),
      .ports_o    (route)
  );

  noccl_fork #(
      .NumOutputs(NUM_PORTS)
  ) u_fork (
      .clk_i,
      .rst_ni,
      .valid_i (has_head),
      .select_i(head.has_passed ? route & ~(port_set_t'(1) << EAST) : route),
      .ready_o (all_taken),
      .valid_o (wants),
      .ready_i (granted)
  );
  assign head_leaves = has_head && all_taken;

  requesters_t requests, grants;
  logic is_asked, has_out_space, has_out;
  wide_flit_t switched, out_flit;
  always_comb begin : p_requests
    requests = '0;
    requests[WEST] = wants[EAST];
    requests[NUM_REQUESTERS-1-:2] = other_asks_q;
    granted = other_granted_q;
    granted[EAST] = grants[WEST] && has_out_space;
    unique case (1'b1)
      grants[WEST]: switched = head.flit;
      grants[NUM_REQUESTERS-2]: switched = other_flit_q[0];
      default: switched = other_flit_q[1];
    endcase
  end

  noccl_rr_arbiter #(
      .NumRequesters(NUM_REQUESTERS)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i   (requests),
      .late_i      ('0),
      .late_valid_i(1'b0),
      .grant_o     (grants),
      .valid_o     (is_asked),
      .ready_i     (has_out_space)
  );

  noccl_fifo #(
      .Depth (noccl_cfg_pkg::OUTPUT_FIFO_FLITS),
      .data_t(wide_flit_t)
  ) u_output (
      .clk_i,
      .rst_ni,
      .valid_i(is_asked),
      .ready_o(has_out_space),
      .data_i (switched),
      .valid_o(has_out),
      .ready_i(space_i),
      .data_o (out_flit)
  );

  // -------------------------------------------------------------------------------------------------------- in flight

  port_set_t link_route, others;
  noccl_route #(
      .InputPort(WEST)
  ) u_route_link (
      .position_i,
      .multicast_i(link_flit_i.hdr.multicast),
      .dst_i      (link_flit_i.hdr.dst),
      .base_i     (link_flit_i.hdr.base),
      .mask_i     (link_flit_i.hdr.mask),
      .own_copy_i (link_flit_i.hdr.own_copy),
      .ports_o    (link_route)
  );

  // 1: the input holds nothing, or the one flit that it holds leaves. 2: the output holds nothing and is granted to nobody. 3: the
  // next input is not full. Nothing of it depends on the link.
  assign is_clear = (!has_head || (space_o && head_leaves)) && !has_out && !is_asked && space_i;
  // 4 and 5: it may cross one more link, and wants to.
  assign goes_straight = link_route[EAST] && link_left_i[0] &&
      link_flit_i.hdr.kind != noccl_flit_pkg::WIDE_REDUCE;
  assign goes_on = link_valid_i && is_clear && goes_straight;

  assign others = link_route & ~(port_set_t'(1) << EAST);
  assign enters = link_valid_i && (!(is_clear && goes_straight) || others != '0);
  assign arriving = '{has_passed: goes_on, flit: link_flit_i};

  assign link_valid_o = has_out ? space_i : goes_on;
  assign link_flit_o = has_out ? out_flit : link_flit_i;
  assign link_left_o = has_out ? '1 : link_left_i >> 1;

endmodule
