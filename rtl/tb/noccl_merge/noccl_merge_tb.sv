// SPDX-License-Identifier: Apache-2.0
// The merge table with headers as plain bits.

module noccl_merge_tb
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::rsp_hdr_t;
#(
    /// Transactions that may wait.
    parameter int unsigned Entries = 8,
    /// Cycles without a contribution after which an entry has given up for certain.
    parameter int unsigned TimeoutCycles = 256,
    /// Cycles from a head to its request.
    parameter int unsigned MergeCycles = 1
) (
    /// Clock.
    input  logic                                           clk_i,
    /// Asynchronous reset, active low.
    input  logic                                           rst_ni,
    /// Position of the router.
    input  logic      [$bits(noccl_flit_pkg::coord_t)-1:0] position_i,
    /// Inputs with a contribution at their head.
    input  port_set_t                                      join_valid_i,
    /// The heads.
    input  logic      [              $bits(rsp_hdr_t)-1:0] head_i        [NUM_PORTS],
    /// Heads that leave into the unit.
    output port_set_t                                      absorb_o,
    /// Heads that go on.
    output port_set_t                                      forward_o,
    /// Headers with which they go on.
    output logic      [              $bits(rsp_hdr_t)-1:0] hdr_o         [NUM_PORTS],
    /// Heads whose output takes them.
    input  port_set_t                                      taken_i,
    /// A result is offered.
    output logic                                           result_valid_o,
    /// Its header.
    output logic      [              $bits(rsp_hdr_t)-1:0] result_o,
    /// The result is taken.
    input  logic                                           result_ready_i
);

  rsp_hdr_t head[NUM_PORTS], hdr[NUM_PORTS];
  port_set_t forward, candidate;
  logic goes_on;
  assign forward_o = forward | (goes_on ? candidate : '0);
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_port
    assign head[i]  = head_i[i];
    assign hdr_o[i] = hdr[i];
  end

  noccl_merge #(
      .hdr_t        (rsp_hdr_t),
      .Entries      (Entries),
      .TimeoutCycles(TimeoutCycles),
      .MergeCycles  (MergeCycles)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .position_i,
      .join_valid_i,
      .head_i(head),
      .absorb_o,
      .forward_o(forward),
      .candidate_o(candidate),
      .goes_on_o(goes_on),
      .hdr_o(hdr),
      .taken_i,
      .result_valid_o,
      .result_o,
      .result_route_o(),
      .result_ready_i
  );

endmodule
