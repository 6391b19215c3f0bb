// SPDX-License-Identifier: Apache-2.0
// A row of lanes with their control: cores use them one by one, the network (DCA) all at once.
//
// A tag goes with each operation and comes back with its result, so that the result goes to its
// requester.
// Latency, throughput, order and combinational paths: those of `noccl_compute_control`; data only from registers
// through one multiplexer over the stages.
// Source: S1, section 3.2.1.

module noccl_compute_row #(
    /// 64-bit lanes, at least 1.
    parameter int unsigned NumLanes = 8,
    /// Element types it is built for.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// What goes with a core's operation.
    parameter type core_tag_t = logic,
    /// What goes with an operation of the network.
    parameter type dca_tag_t = logic
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: no operation is in flight.
    input logic rst_ni,
    /// Per lane: a core's operation starts; only with `core_free_o`, never beside the network's.
    input logic [NumLanes-1:0] core_start_i,
    /// Per lane: an operation may start.
    output logic [NumLanes-1:0] core_free_o,
    /// Per lane: what a core asks for.
    input noccl_compute_pkg::operation_t core_operation_i[NumLanes],
    /// Per lane: first operand.
    input logic [63:0] core_a_i[NumLanes],
    /// Per lane: second operand.
    input logic [63:0] core_b_i[NumLanes],
    /// Per lane: goes with the operation.
    input core_tag_t core_tag_i[NumLanes],
    /// Per lane: a result is there; stays until it is taken.
    output logic [NumLanes-1:0] core_valid_o,
    /// Per lane: the result is taken.
    input logic [NumLanes-1:0] core_ready_i,
    /// Per lane: the result, zero if refused.
    output logic [63:0] core_result_o[NumLanes],
    /// Per lane: what went with the operation.
    output core_tag_t core_tag_o[NumLanes],
    /// If anything starts in this cycle it is the network's.
    input logic dca_grant_i,
    /// An operation of the network starts; only with `dca_free_o` and `dca_grant_i`.
    input logic dca_start_i,
    /// An operation of the network may start.
    output logic dca_free_o,
    /// What the network asks for.
    input noccl_compute_pkg::operation_t dca_operation_i,
    /// First operand of all lanes, lane 0 at the lowest bits.
    input logic [64*NumLanes-1:0] dca_a_i,
    /// Second operand.
    input logic [64*NumLanes-1:0] dca_b_i,
    /// Goes with the operation.
    input dca_tag_t dca_tag_i,
    /// Operations of the network are in flight.
    output logic dca_any_o,
    /// A result is there; stays until it is taken.
    output logic dca_valid_o,
    /// The result is taken.
    input logic dca_ready_i,
    /// The result, zero if refused.
    output logic [64*NumLanes-1:0] dca_result_o,
    /// What went with the operation.
    output dca_tag_t dca_tag_o
);

  localparam int unsigned DEPTH = noccl_compute_pkg::depth_of(Elements);

  logic [DEPTH-1:0] dca_offer, dca_move;
  logic [DEPTH-1:0] core_offer[NumLanes], core_move[NumLanes];
  logic [1:0] core_cycles[NumLanes];

  noccl_compute_control #(
      .NumLanes(NumLanes),
      .Depth   (DEPTH)
  ) u_control (
      .clk_i,
      .rst_ni,
      .core_start_i,
      .core_cycles_i(core_cycles),
      .core_free_o,
      .core_offer_o(core_offer),
      .core_result_ready_i(core_ready_i),
      .core_move_o(core_move),
      .dca_start_i,
      .dca_cycles_i(noccl_compute_pkg::cycles_of(Elements, dca_operation_i)),
      .dca_free_o,
      .dca_offer_o(dca_offer),
      .dca_any_o,
      .dca_result_ready_i(dca_ready_i),
      .dca_move_o(dca_move)
  );

  // --------------------------------------------------------------------------------------------- lanes

  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    noccl_compute_pkg::operation_t operation;
    logic [63:0] result[DEPTH];

    assign core_cycles[l] = noccl_compute_pkg::cycles_of(Elements, core_operation_i[l]);
    assign operation = dca_grant_i ? dca_operation_i : core_operation_i[l];

    noccl_compute_lane #(
        .Elements(Elements)
    ) u_lane (
        .clk_i,
        .start_i(dca_start_i || core_start_i[l]),
        .operation_i(operation),
        .a_i(dca_grant_i ? dca_a_i[64*l+:64] : core_a_i[l]),
        .b_i(dca_grant_i ? dca_b_i[64*l+:64] : core_b_i[l]),
        .move_i(dca_move | core_move[l]),
        .result_o(result)
    );

    assign core_valid_o[l] = |core_offer[l];
    always_comb begin : p_results
      core_result_o[l] = '0;
      dca_result_o[64*l+:64] = '0;
      for (int s = 0; s < int'(DEPTH); s++) begin
        if (core_offer[l][s]) core_result_o[l] |= result[s];
        if (dca_offer[s]) dca_result_o[64*l+:64] |= result[s];
      end
    end
  end

  // ---------------------------------------------------------------------------------------------- tags

  core_tag_t core_tag_q[NumLanes][DEPTH];
  dca_tag_t dca_tag_q[DEPTH];

  always_ff @(posedge clk_i) begin
    if (dca_start_i) dca_tag_q[0] <= dca_tag_i;
    for (int s = 1; s < int'(DEPTH); s++) begin
      if (dca_move[s-1]) dca_tag_q[s] <= dca_tag_q[s-1];
    end
  end
  for (genvar l = 0; l < NumLanes; l++) begin : gen_core_tag
    always_ff @(posedge clk_i) begin
      if (core_start_i[l]) core_tag_q[l][0] <= core_tag_i[l];
      for (int s = 1; s < int'(DEPTH); s++) begin
        if (core_move[l][s-1]) core_tag_q[l][s] <= core_tag_q[l][s-1];
      end
    end
  end

  always_comb begin : p_tags
    dca_tag_o = dca_tag_q[0];
    for (int s = 1; s < int'(DEPTH); s++) if (dca_offer[s]) dca_tag_o = dca_tag_q[s];
    for (int l = 0; l < int'(NumLanes); l++) begin
      core_tag_o[l] = core_tag_q[l][0];
      for (int s = 1; s < int'(DEPTH); s++) if (core_offer[l][s]) core_tag_o[l] = core_tag_q[l][s];
    end
  end
  assign dca_valid_o = |dca_offer;

endmodule
