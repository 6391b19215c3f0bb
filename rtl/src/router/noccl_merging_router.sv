// SPDX-License-Identifier: Apache-2.0
// Router of a narrow plane with its merge table. Wiring only.
//
// Latency, throughput, paths, ordering: those of `noccl_router` and `noccl_merge`. Without
// `HasMerge` contributions are unicast flits and nothing of the table remains.
// Source: S1, section 3.1.3; docs/design/0004. Mirror: a `PlaneState` of
// crates/noccl-sim/src/machine at one tile.

module noccl_merging_router
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::port_set_t;
#(
    /// Flit of the plane, its header, and what an end of a link shows.
    parameter type flit_t = noccl_flit_pkg::req_flit_t,
    parameter type hdr_t = noccl_flit_pkg::req_hdr_t,
    parameter type link_t = noccl_flit_pkg::req_link_t,
    /// Multicasts exist on this plane.
    parameter bit HasMulticast = 1'b1,
    /// Contributions merge here.
    parameter bit HasMerge = 1'b1,
    /// Kinds of contributions, one bit per kind.
    parameter logic [7:0] JoinKinds = noccl_flit_pkg::REQ_JOIN_KINDS
) (
    /// Clock.
    input  logic   clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input  logic   rst_ni,
    /// Mesh coordinate of the tile; constant.
    input  coord_t position_i,
    /// Per port N, E, S, W, Local: what the other end shows.
    input  link_t  link_i    [NUM_PORTS],
    /// What this end shows; `ready` is space in the input FIFO at the start of the cycle.
    output link_t  link_o    [NUM_PORTS]
);

  port_set_t in_valid, in_ready, out_valid, out_ready;
  flit_t in_flit[NUM_PORTS], out_flit[NUM_PORTS];
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_link
    assign in_valid[i]  = link_i[i].valid;
    assign in_flit[i]   = link_i[i].flit;
    assign out_ready[i] = link_i[i].ready;
    assign link_o[i]    = '{ready: in_ready[i], valid: out_valid[i], flit: out_flit[i]};
  end

  port_set_t join_valid, absorb, forward, candidate, taken;
  logic goes_on, result_valid, result_ready;
  flit_t head[NUM_PORTS], result;
  port_set_t result_route;
  hdr_t merged[NUM_PORTS];

  noccl_router #(
      .flit_t      (flit_t),
      .hdr_t       (hdr_t),
      .HasMulticast(HasMulticast),
      .JoinKinds   (HasMerge ? JoinKinds : '0)
  ) u_router (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i      (in_valid),
      .in_ready_o      (in_ready),
      .in_flit_i       (in_flit),
      .in_note_i       ('0),
      .out_valid_o     (out_valid),
      .out_ready_i     (out_ready),
      .out_flit_o      (out_flit),
      .join_valid_o    (join_valid),
      .head_o          (head),
      .head_note_o     (),
      .join_absorb_i   (absorb),
      .join_forward_i  (forward),
      .join_candidate_i(candidate),
      .join_goes_on_i  (goes_on),
      .join_hdr_i      (merged),
      .join_taken_o    (taken),
      .result_valid_i  (result_valid),
      .result_i        (result),
      .result_route_i  (result_route),
      .result_ready_o  (result_ready)
  );

  if (HasMerge) begin : gen_merge
    hdr_t head_hdr[NUM_PORTS];
    hdr_t result_hdr;
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign head_hdr[i] = head[i].hdr;
    end
    always_comb begin
      result = '0;
      result.hdr = result_hdr;
    end

    noccl_merge #(
        .hdr_t(hdr_t)
    ) u_merge (
        .clk_i,
        .rst_ni,
        .position_i,
        .join_valid_i  (join_valid),
        .head_i        (head_hdr),
        .absorb_o      (absorb),
        .forward_o     (forward),
        .candidate_o   (candidate),
        .goes_on_o     (goes_on),
        .hdr_o         (merged),
        .taken_i       (taken),
        .result_valid_o(result_valid),
        .result_o      (result_hdr),
        .result_route_o(result_route),
        .result_ready_i(result_ready)
    );
  end else begin : gen_no_merge
    assign absorb = '0;
    assign forward = '0;
    assign candidate = '0;
    assign goes_on = 1'b0;
    assign result_valid = 1'b0;
    assign result = '0;
    assign result_route = '0;
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign merged[i] = '0;
    end
  end

endmodule
