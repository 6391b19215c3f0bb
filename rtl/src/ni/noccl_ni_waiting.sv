// SPDX-License-Identifier: Apache-2.0
//
// Answers of a memory that wait for the response plane: a FIFO that an answer passes without delay
// while it is empty.
//
// A memory port answers beat by beat and in order; most of these answers end at the tile. Without
// this queue one answer that has to wait would hold up all behind it, and each of them would cost
// a cycle afterwards. Latency: none while nothing waits. Throughput: one answer per cycle.
// Ordering: first in, first out. Combinational paths: input to output; none from `ready_i` to
// `ready_o`. Mirror: `rsp` of `Ni` in crates/noccl-sim/src/ni/axi/state.rs, which has no end.

`include "noccl_assert.svh"

module noccl_ni_waiting #(
    /// Answers that can wait; at least 1.
    parameter int unsigned Depth = 4,
    /// An answer.
    parameter type data_t = noccl_ni_pkg::answer_t
) (
    /// Clock.
    input  logic  clk_i,
    /// Asynchronous reset, active low: nothing waits.
    input  logic  rst_ni,
    /// An answer is offered.
    input  logic  valid_i,
    /// It is taken, at once or to wait.
    output logic  ready_o,
    /// The answer; ignored without valid.
    input  data_t data_i,
    /// The oldest answer that has not left.
    output logic  valid_o,
    /// It leaves.
    input  logic  ready_i,
    output data_t data_o
);

  logic  waits;
  data_t oldest;

  noccl_fifo #(
      .Depth (Depth),
      .data_t(data_t)
  ) u_waiting (
      .clk_i,
      .rst_ni,
      .valid_i(valid_i && (waits || !ready_i)),
      .ready_o,
      .data_i,
      .valid_o(waits),
      .ready_i,
      .data_o (oldest)
  );

  assign valid_o = waits || (valid_i && ready_o);
  assign data_o  = waits ? oldest : data_i;

  `ASSERT_INIT(DepthAtLeastOne, Depth >= 1)
  `ASSERT_KNOWN(ControlKnown, {valid_o, ready_o})

endmodule
