// SPDX-License-Identifier: Apache-2.0
//
// What a tile sends into the response plane: credits, responses of memories, data of narrow reads.
//
// Credits go first, since senders elsewhere wait for them and they come once in four beats; round
// robin among the others. A response to a contribution is a multicast to its group; responses to
// one multicast merge in the network.
// Combinational paths: from each source to the flit. Throughput: one flit per cycle.
// Mirror: crates/noccl-sim/src/ni/axi/response.rs, machine/cycle.rs.

`include "noccl_assert.svh"

module noccl_ni_responses (
    /// Clock.
    input  logic                      clk_i,
    /// Asynchronous reset, active low.
    input  logic                      rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t    pos_i,
    /// Credits that this tile's merge point returns to another tile.
    input  logic                      credit_valid_i,
    output logic                      credit_ready_o,
    input  noccl_flit_pkg::coord_t    credit_to_i,
    input  noccl_ni_pkg::credit_t     credit_i,
    /// Response of the wide memory port.
    input  logic                      wide_valid_i,
    output logic                      wide_ready_o,
    input  noccl_ni_pkg::response_t   wide_i,
    /// Response of the narrow memory port.
    input  logic                      narrow_valid_i,
    output logic                      narrow_ready_o,
    input  noccl_ni_pkg::response_t   narrow_i,
    /// Data of a narrow read or an atomic.
    input  logic                      data_valid_i,
    output logic                      data_ready_o,
    input  noccl_flit_pkg::rsp_flit_t data_i,
    /// Towards the router; until it is taken, a credit may come in its place.
    output logic                      flit_valid_o,
    input  logic                      flit_ready_i,
    output noccl_flit_pkg::rsp_flit_t flit_o
);

  localparam int unsigned WIDE = 0;
  localparam int unsigned NARROW = 1;
  localparam int unsigned DATA = 2;
  localparam int unsigned NUM_SOURCES = 3;

  function automatic noccl_flit_pkg::rsp_flit_t response_flit(
      noccl_flit_pkg::coord_t pos, noccl_ni_pkg::response_t response, logic is_wide);
    noccl_flit_pkg::rsp_flit_t flit;
    flit = '0;
    flit.hdr.kind = noccl_flit_pkg::RSP_B;
    flit.hdr.dst = response.src;
    flit.hdr.src = pos;
    if (response.is_join) begin
      flit.hdr.kind = noccl_flit_pkg::RSP_GROUP_B;
      flit.hdr.multicast = 1'b1;
      flit.hdr.dst = '0;
      flit.hdr.base.x = noccl_cfg_pkg::REGION_X_BITS'(response.src.x);
      flit.hdr.base.y = noccl_cfg_pkg::REGION_Y_BITS'(response.src.y);
    end else if (response.is_multicast) begin
      // This tile is a member of the set.
      flit.hdr.kind = noccl_flit_pkg::RSP_COLLECT_B;
      flit.hdr.src = response.src;
      flit.hdr.count = noccl_flit_pkg::count_t'(1);
      flit.hdr.base = noccl_ni_pkg::base_around(pos, response.mask);
      flit.hdr.own_copy = noccl_ni_pkg::is_member(response.src, flit.hdr.base, response.mask);
    end
    flit.hdr.mask = response.mask;
    flit.hdr.tag = response.tag;
    flit.hdr.is_wide = is_wide;
    flit.hdr.resp = response.resp;
    return flit;
  endfunction

  logic [NUM_SOURCES-1:0] request, grant;
  logic slot_valid, slot_taken;

  assign request[WIDE]   = wide_valid_i;
  assign request[NARROW] = narrow_valid_i;
  assign request[DATA]   = data_valid_i;

  noccl_rr_arbiter #(
      .NumRequesters(NUM_SOURCES)
  ) u_grant (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .late_i('0),
      .late_valid_i(1'b0),
      .grant_o(grant),
      .valid_o(slot_valid),
      .ready_i(slot_taken)
  );

  assign flit_valid_o = credit_valid_i || slot_valid;
  assign credit_ready_o = flit_ready_i;
  assign slot_taken = flit_ready_i && !credit_valid_i;
  assign wide_ready_o = slot_taken && grant[WIDE];
  assign narrow_ready_o = slot_taken && grant[NARROW];
  assign data_ready_o = slot_taken && grant[DATA];

  always_comb begin
    flit_o = data_i;
    if (credit_valid_i) flit_o = noccl_ni_pkg::credit_flit(credit_to_i, credit_i);
    else if (!grant[DATA])
      flit_o = response_flit(pos_i, grant[WIDE] ? wide_i : narrow_i, grant[WIDE]);
  end

endmodule
