// SPDX-License-Identifier: Apache-2.0
// Which operation is where in a row of lanes, and who may move: cores, one per lane, and the
// network, which uses all lanes of the row at once.
//
// Elastic: an operation moves on while the next stage is free or becomes free, and is offered to
// its requester from the stage of its latency on. A requester that does not take its result blocks
// what stands behind it in the same lanes, and nothing is lost: the stages are the buffer.
//
// Order: each requester gets its results in the order of its operations; there is no order between requesters.
// Latency: that of the element if results are taken; one cycle after its predecessor where that is slower.
// Combinational paths: from `*_result_ready_i` to `move_o`, `*_free_o`, through all stages; none to `*_offer_o`.
// Source: S1, section 3.2.1 (tags tell who gets the result). Mirror: `share_fpus` of the simulator.
`include "noccl_assert.svh"

module noccl_compute_control #(
    /// Lanes, at least 1.
    parameter int unsigned NumLanes = 8,
    /// Stages of a lane, 1 to 3.
    parameter int unsigned Depth = 3
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: all stages are empty.
    input logic rst_ni,
    /// Lane by lane: a core's operation enters stage 1; only where `core_free_o`, and never beside the network's.
    input logic [NumLanes-1:0] core_start_i,
    /// Its latency, 1 to `Depth`.
    input logic [1:0] core_cycles_i[NumLanes],
    /// Stage 1 of the lane takes an operation.
    output logic [NumLanes-1:0] core_free_o,
    /// Bit s-1: the core's oldest operation is in stage s and its result is offered.
    output logic [Depth-1:0] core_offer_o[NumLanes],
    /// The core takes its result.
    input logic [NumLanes-1:0] core_result_ready_i,
    /// An operation of the network enters stage 1 of all lanes; only with `dca_free_o`.
    input logic dca_start_i,
    /// Its latency, 1 to `Depth`.
    input logic [1:0] dca_cycles_i,
    /// Stage 1 of all lanes takes an operation.
    output logic dca_free_o,
    /// As `core_offer_o`.
    output logic [Depth-1:0] dca_offer_o,
    /// Any operation of the network is in the row.
    output logic dca_any_o,
    /// The network takes its result.
    input logic dca_result_ready_i,
    /// Bit s-1: the network's operation moves from stage s to stage s+1.
    output logic [Depth-1:0] dca_move_o,
    /// Lane by lane, bit s-1: the core's operation moves from stage s to stage s+1.
    output logic [Depth-1:0] core_move_o[NumLanes]
);

  // Per stage, lowest first: who is there and how many cycles it takes.
  logic [Depth-1:0] dca_d, dca_q;
  logic [Depth-1:0][1:0] dca_cycles_q;
  logic [Depth-1:0][NumLanes-1:0] core_d, core_q;
  logic [1:0] core_cycles_q[NumLanes][Depth];
  // Lanes whose next stage takes an operation, and those whose operation leaves the row or moves on.
  logic [Depth-1:0][NumLanes-1:0] core_exits, core_moves;
  logic [Depth-1:0] dca_exits, dca_moves;

  always_comb begin : p_offers
    logic found;
    found = 1'b0;
    dca_offer_o = '0;
    for (int s = int'(Depth) - 1; s >= 0; s--) begin
      dca_offer_o[s] = dca_q[s] && !found && dca_cycles_q[s] <= 2'(unsigned'(s + 1));
      found |= dca_q[s];
    end
    for (int l = 0; l < int'(NumLanes); l++) begin
      found = 1'b0;
      core_offer_o[l] = '0;
      for (int s = int'(Depth) - 1; s >= 0; s--) begin
        core_offer_o[l][s] = core_q[s][l] && !found && core_cycles_q[l][s] <= 2'(unsigned'(s + 1));
        found |= core_q[s][l];
      end
    end
  end

  logic [NumLanes-1:0] first_free;

  always_comb begin : p_moves
    logic [NumLanes-1:0] next_free;
    // Behind the last stage there is none.
    next_free = '0;
    for (int s = int'(Depth) - 1; s >= 0; s--) begin
      dca_exits[s] = dca_offer_o[s] && dca_result_ready_i;
      dca_moves[s] = dca_q[s] && !dca_exits[s] && (&next_free);
      for (int l = 0; l < int'(NumLanes); l++) begin
        core_exits[s][l] = core_offer_o[l][s] && core_result_ready_i[l];
      end
      core_moves[s] = core_q[s] & ~core_exits[s] & next_free;
      next_free = (~core_q[s] | core_exits[s] | core_moves[s]) &
          {NumLanes{!dca_q[s] || dca_exits[s] || dca_moves[s]}};
    end
    first_free = next_free;
  end

  assign core_free_o = first_free;
  assign dca_free_o  = &first_free;
  assign dca_any_o   = |dca_q;
  assign dca_move_o  = dca_moves;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_core_moves
    for (genvar s = 0; s < Depth; s++) begin : gen_stage
      assign core_move_o[l][s] = core_moves[s][l];
    end
  end

  for (genvar s = 0; s < Depth; s++) begin : gen_next
    if (s == 0) begin : gen_first
      assign dca_d[s]  = dca_start_i || (dca_q[s] && !dca_exits[s] && !dca_moves[s]);
      assign core_d[s] = core_start_i | (core_q[s] & ~core_exits[s] & ~core_moves[s]);
    end else begin : gen_later
      assign dca_d[s]  = dca_moves[s-1] || (dca_q[s] && !dca_exits[s] && !dca_moves[s]);
      assign core_d[s] = core_moves[s-1] | (core_q[s] & ~core_exits[s] & ~core_moves[s]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      dca_q  <= '0;
      core_q <= '0;
    end else begin
      dca_q  <= dca_d;
      core_q <= core_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (dca_start_i) dca_cycles_q[0] <= dca_cycles_i;
    for (int s = 1; s < int'(Depth); s++) begin
      if (dca_moves[s-1]) dca_cycles_q[s] <= dca_cycles_q[s-1];
    end
    for (int l = 0; l < int'(NumLanes); l++) begin
      if (core_start_i[l]) core_cycles_q[l][0] <= core_cycles_i[l];
      for (int s = 1; s < int'(Depth); s++) begin
        if (core_moves[s-1][l]) core_cycles_q[l][s] <= core_cycles_q[l][s-1];
      end
    end
  end

  `NOCCL_ASSERT_INIT(AnyLane, NumLanes >= 1)
  `NOCCL_ASSERT_INIT(DepthInRange, Depth >= 1 && Depth <= 3)
  `NOCCL_ASSUME(CoreStartsWhereFree, (core_start_i & ~core_free_o) == '0)
  `NOCCL_ASSUME(NetworkStartsWhereFree, !dca_start_i || dca_free_o)
  `NOCCL_ASSUME(OneStartsPerLane, !dca_start_i || core_start_i == '0)
  for (genvar s = 0; s < Depth; s++) begin : gen_assert
    `NOCCL_ASSERT(OneOperationPerStage, !dca_q[s] || core_q[s] == '0)
  end
  `NOCCL_ASSERT_KNOWN(OffersKnown, dca_offer_o)

endmodule
