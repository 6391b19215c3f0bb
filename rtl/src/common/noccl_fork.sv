// SPDX-License-Identifier: Apache-2.0
// Offers one item to a set of outputs, each of which takes it in a cycle of its own.
//
// Latency: none. Throughput: one item per cycle if all its outputs take it at once.
// Combinational paths: `valid_i`, `select_i` to `valid_o`; those and `ready_i` to `ready_o`; none from
// `ready_i` to `valid_o`.
// Ordering: an output sees the items in order; an item leaves when its last output has taken it.
// The item itself is not wired through: whoever takes it reads it beside the fork.
// Source: S1 section 3.1.1 (multicast by a set of outputs with a bit vector).
// Mirror: `requests` and `popped` in crates/noccl-sim/src/router/collective/control/block.rs
// (`arbitrate`).

`include "noccl_assert.svh"

module noccl_fork #(
    /// Outputs; at least 1.
    parameter int unsigned NumOutputs = 5
) (
    /// Clock.
    input  logic                  clk_i,
    /// Asynchronous reset, active low: no output has taken anything.
    input  logic                  rst_ni,
    /// An item waits; stays until `ready_o`.
    input  logic                  valid_i,
    /// Its outputs, at least one; stable while it waits. Ignored without `valid_i`.
    input  logic [NumOutputs-1:0] select_i,
    /// The last outputs take the item in this cycle: it leaves.
    output logic                  ready_o,
    /// The item is offered to these outputs: selected, and not taken yet.
    output logic [NumOutputs-1:0] valid_o,
    /// The outputs that take the item; ignored where it is not offered.
    input  logic [NumOutputs-1:0] ready_i
);

  logic [NumOutputs-1:0] taken_q, taken_d;

  assign valid_o = valid_i ? select_i & ~taken_q : '0;
  assign ready_o = (select_i & ~taken_q & ~ready_i) == '0;
  assign taken_d = ready_o ? '0 : taken_q | (valid_o & ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      taken_q <= '0;
    end else if (valid_i) begin
      taken_q <= taken_d;
    end
  end

  `NOCCL_ASSERT_INIT(AtLeastOneOutput, NumOutputs >= 1)
  `NOCCL_ASSUME(SelectsSomething, !valid_i || select_i != '0)
  `NOCCL_ASSUME(ItemWaits, !$past(rst_ni && valid_i && !ready_o) || valid_i)
  `NOCCL_ASSUME(SelectionWaits, !$past(rst_ni && valid_i && !ready_o) || $stable(select_i))
  `NOCCL_ASSERT(TakenWereSelected, !valid_i || (taken_q & ~select_i) == '0)
  `NOCCL_ASSERT(NeverAllTaken, !valid_i || (select_i & ~taken_q) != '0)
  `NOCCL_ASSERT_KNOWN(ControlKnown, {valid_o, valid_i && ready_o})
  `NOCCL_COVER(TakenOneByOne, valid_i && ready_o && taken_q != '0)

endmodule
