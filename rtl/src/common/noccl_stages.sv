// SPDX-License-Identifier: Apache-2.0
// Register stages between a sender and a receiver: a chain of FIFOs of two slots.
//
// Latency: a cycle per stage; without stages none. Throughput: one item per cycle.
// Combinational paths: with stages none; without, those of wires.
// Ordering: items leave in the order in which they came.
// Mirror: crates/noccl-sim/src/router/collective/fifo/link_stages.rs.

`include "noccl_assert.svh"

module noccl_stages #(
    /// Stages; with 0, wires.
    parameter int unsigned Stages = 1,
    /// What passes.
    parameter type data_t = logic
) (
    /// Clock.
    input  logic  clk_i,
    /// Asynchronous reset, active low: the stages are empty.
    input  logic  rst_ni,
    /// The sender offers an item; stays until `ready_o`.
    input  logic  valid_i,
    /// The first stage, or the receiver, takes it.
    output logic  ready_o,
    /// The offered item; ignored without `valid_i`.
    input  data_t data_i,
    /// The receiver is offered an item.
    output logic  valid_o,
    /// The receiver takes it; ignored without `valid_o`.
    input  logic  ready_i,
    /// The item; undefined without `valid_o`.
    output data_t data_o
);

  // Between stages: element s is the output of stage s - 1 and the input of stage s.
  logic [Stages:0] valid, ready;
  data_t data[Stages+1];

  assign valid[0] = valid_i;
  assign data[0] = data_i;
  assign ready_o = ready[0];
  assign valid_o = valid[Stages];
  assign data_o = data[Stages];
  assign ready[Stages] = ready_i;

  if (Stages == 0) begin : gen_wires
    (* maybe_unused *) logic unused_clock;
    assign unused_clock = clk_i ^ rst_ni;
  end

  for (genvar s = 0; s < int'(Stages); s++) begin : gen_stage
    noccl_fifo #(
        .data_t(data_t)
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .valid_i(valid[s]),
        .ready_o(ready[s]),
        .data_i (data[s]),
        .valid_o(valid[s+1]),
        .ready_i(ready[s+1]),
        .data_o (data[s+1])
    );
  end

endmodule
