// SPDX-License-Identifier: Apache-2.0
// Who may start an operation in a compute slice: the network (DCA), which needs all lanes, or the
// cores, one per lane.
//
// The network goes first, unless a core lost against it when it started last: then that core goes
// first, once. So both together alternate, and each alone has every cycle. While the network waits
// for lanes that are not free, no core starts, so that the lanes become free.
//
// Combinational paths: from `*_free_i` to `*_ready_o`, from `dca_valid_i` to `core_ready_o`; ready never needs the own valid.
// Bound: with free lanes a request waits at most one cycle.
// Source: S1, section 3.2.1. Mirror: `share_fpus` in
// crates/noccl-sim/src/router/collective/reduction.
`include "noccl_assert.svh"

module noccl_compute_arbiter #(
    /// Lanes, at least 1.
    parameter int unsigned NumLanes = 8
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: no core has lost.
    input logic rst_ni,
    /// Per lane: the core asks; stays until `core_ready_o`.
    input logic [NumLanes-1:0] core_valid_i,
    /// Per lane: the core may start.
    output logic [NumLanes-1:0] core_ready_o,
    /// Per lane: stage 1 takes an operation.
    input logic [NumLanes-1:0] core_free_i,
    /// The network asks; stays until `dca_ready_o`.
    input logic dca_valid_i,
    /// The network may start.
    output logic dca_ready_o,
    /// Stage 1 of all lanes takes an operation.
    input logic dca_free_i,
    /// If anything starts in this cycle it is the network's: selects operands, long before it is known what starts.
    output logic dca_grant_o
);

  // Lanes whose core has lost since it started last.
  logic [NumLanes-1:0] lost_d, lost_q;
  logic is_dca_grant, dca_starts;

  assign is_dca_grant = lost_q == '0;
  assign dca_grant_o = dca_valid_i && is_dca_grant;
  assign dca_ready_o = is_dca_grant && dca_free_i;
  assign dca_starts = dca_valid_i && dca_ready_o;
  assign core_ready_o = core_free_i & ~{NumLanes{dca_grant_o}};
  assign lost_d = (core_valid_i & {NumLanes{dca_starts}}) | (lost_q & ~core_ready_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) lost_q <= '0;
    else lost_q <= lost_d;
  end

  `NOCCL_ASSERT_INIT(AnyLane, NumLanes >= 1)
  `NOCCL_ASSERT(LostCoresStillAsk, (lost_q & ~core_valid_i) == '0)
  `NOCCL_ASSERT(NeverBoth, !dca_starts || (core_valid_i & core_ready_o) == '0)
  `NOCCL_ASSERT_KNOWN(ReadyKnown, {core_ready_o, dca_ready_o})
  for (genvar l = 0; l < NumLanes; l++) begin : gen_assume
    `NOCCL_ASSUME(CoreKeepsAsking, !$past(rst_ni && core_valid_i[l] && !core_ready_o[l]
                  ) || core_valid_i[l])
  end
  `NOCCL_ASSUME(NetworkKeepsAsking, !$past(rst_ni && dca_valid_i && !dca_ready_o) || dca_valid_i)
  `NOCCL_COVER(AlternatingGrants, dca_valid_i && lost_q != '0)

endmodule
