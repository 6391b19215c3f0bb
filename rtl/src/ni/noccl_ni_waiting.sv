// SPDX-License-Identifier: Apache-2.0
//
// Responses of a memory that wait for the response plane: a FIFO that a response passes without
// delay while it is empty.
//
// A memory port responds beat by beat and in order; most of these responses end at the tile.
// Without this queue one response that has to wait would hold up all behind it, and each of them
// would cost a cycle afterwards.
// Latency: none while nothing waits. Throughput: one response per cycle. Ordering: first in, first
// out.
// Combinational paths: input to output; none from `ready_i` to `ready_o`.
// Mirror: `rsp` of `Ni` in crates/noccl-sim/src/ni/axi/state.rs, which has no end.

`include "noccl_assert.svh"

module noccl_ni_waiting #(
    /// Responses that can wait; at least 1.
    parameter int unsigned Depth = 4,
    /// A response.
    parameter type data_t = noccl_ni_pkg::response_t
) (
    /// Clock.
    input  logic  clk_i,
    /// Asynchronous reset, active low: nothing waits.
    input  logic  rst_ni,
    /// A response is offered.
    input  logic  valid_i,
    /// It is taken, at once or to wait.
    output logic  ready_o,
    /// The response; ignored without valid.
    input  data_t data_i,
    /// The oldest response that has not left.
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

  `NOCCL_ASSERT_INIT(DepthAtLeastOne, Depth >= 1)
  `NOCCL_ASSERT_KNOWN(ControlKnown, {valid_o, ready_o})

endmodule
