// SPDX-License-Identifier: Apache-2.0
// FIFO with registered ready: the buffer at every input and output of a router.
//
// Latency: an item is offered one cycle after it was accepted. Throughput: one item per cycle for
// Depth >= 2, one in two cycles for Depth = 1.
// Combinational paths: none from the input side to the output side or back. `ready_o` and `valid_o`
// come from registers, `data_o` through one multiplexer behind registers.
// Ordering: items leave in the order in which they came.
// Source: S1's routers have two of these per port and hop (section 3.1).
// Mirror: `in_any`, `in_full`, `in_head` and those of the outputs in
// crates/noccl-sim/src/router/collective/control/block.rs.

`include "noccl_assert.svh"

module noccl_fifo #(
    /// Items; at least 1. With 2, a full FIFO accepts again in the cycle after the next pop.
    parameter int unsigned Depth = 2,
    /// What is stored.
    parameter type data_t = logic
) (
    /// Clock.
    input  logic  clk_i,
    /// Asynchronous reset, active low: the FIFO is empty.
    input  logic  rst_ni,
    /// An item is offered; stays until `ready_o`.
    input  logic  valid_i,
    /// The FIFO was not full at the start of the cycle.
    output logic  ready_o,
    /// The offered item, stable while it waits; ignored without `valid_i`.
    input  data_t data_i,
    /// The FIFO was not empty at the start of the cycle.
    output logic  valid_o,
    /// The head is taken; ignored without `valid_o`.
    input  logic  ready_i,
    /// The head; undefined without `valid_o`.
    output data_t data_o
);

  localparam int unsigned PtrWidth = Depth > 1 ? $clog2(Depth) : 1;
  localparam logic [PtrWidth-1:0] LAST_SLOT = PtrWidth'(Depth - 1);

  data_t slots_q[Depth];
  logic [PtrWidth-1:0] head_q, head_d;
  logic [PtrWidth-1:0] tail_q, tail_d;
  logic any_q, any_d;
  logic full_q, full_d;
  logic push, pop;

  assign ready_o = !full_q;
  assign valid_o = any_q;
  assign data_o = slots_q[head_q];

  assign push = valid_i && !full_q;
  assign pop = any_q && ready_i;

  assign tail_d = !push ? tail_q : tail_q == LAST_SLOT ? '0 : tail_q + 1'b1;
  assign head_d = !pop ? head_q : head_q == LAST_SLOT ? '0 : head_q + 1'b1;
  // Equal pointers: full after a push, empty after a pop.
  assign full_d = push == pop ? full_q : push && tail_d == head_q;
  assign any_d = push == pop ? any_q : push || head_d != tail_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      any_q  <= 1'b0;
      full_q <= 1'b0;
    end else begin
      head_q <= head_d;
      tail_q <= tail_d;
      any_q  <= any_d;
      full_q <= full_d;
    end
  end

  // Storage has no reset: what was never written is never offered.
  always_ff @(posedge clk_i) begin
    if (push) slots_q[tail_q] <= data_i;
  end

  `NOCCL_ASSERT_INIT(DepthAtLeastOne, Depth >= 1)
  `NOCCL_ASSERT(FullIsNotEmpty, !full_q || any_q)
  `NOCCL_ASSERT(EqualPointersMeanFullOrEmpty, (head_q == tail_q) == (full_q || !any_q))
  `NOCCL_ASSERT_KNOWN(ControlKnown, {valid_o, ready_o})
  `NOCCL_COVER(Full, full_q)
  `NOCCL_COVER(PushAndPop, push && pop)

endmodule
