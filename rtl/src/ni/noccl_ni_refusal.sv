// SPDX-License-Identifier: Apache-2.0
//
// Responds to a refused narrow write: B, and for an atomic that asks for data as many beats of R as
// it would have had.
//
// One at a time. The network's responses go first, but never in the place of what is shown already.
// Throughput: one refusal per two cycles.

`include "noccl_assert.svh"

module noccl_ni_refusal (
    /// Clock.
    input  logic                   clk_i,
    /// Asynchronous reset, active low.
    input  logic                   rst_ni,
    /// A write is refused; only while none is pending.
    input  logic                   refuses_i,
    /// Its response.
    input  noccl_ni_pkg::refusal_t refusal_i,
    /// A refused write waits for its response, and that response.
    output logic                   pending_o,
    output noccl_ni_pkg::refusal_t refusal_o,
    /// It is shown and not yet taken: other responses wait.
    output logic                   held_o,
    /// Another response stands at B and R.
    input  logic                   yields_i,
    /// B and R are offered.
    output logic                   b_valid_o,
    input  logic                   b_ready_i,
    output logic                   r_valid_o,
    input  logic                   r_ready_i
);

  logic pending_q, pending_d, held_q, held_d, is_told, is_last_taken;
  noccl_ni_pkg::refusal_t refusal_q;

  noccl_fork #(
      .NumOutputs(2)
  ) u_both (
      .clk_i,
      .rst_ni,
      .valid_i (pending_q && !yields_i),
      .select_i({refusal_q.has_data, 1'b1}),
      .ready_o (is_told),
      .valid_o ({r_valid_o, b_valid_o}),
      .ready_i ({is_last_taken, b_ready_i})
  );

  assign is_last_taken = r_ready_i && refusal_q.beats_left == '0;
  assign pending_d = refuses_i || (pending_q && (yields_i || !is_told));
  assign held_d = pending_q && !yields_i && !is_told;
  assign pending_o = pending_q;
  assign held_o = held_q;
  assign refusal_o = refusal_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {pending_q, held_q} <= '0;
    else {pending_q, held_q} <= {pending_d, held_d};
  end

  // Written when a write is refused, so without reset.
  always_ff @(posedge clk_i) begin
    if (refuses_i) refusal_q <= refusal_i;
    else if (r_valid_o && r_ready_i && refusal_q.beats_left != '0) begin
      refusal_q.beats_left <= refusal_q.beats_left - 1'b1;
    end
  end

  `NOCCL_ASSUME(OneAtATime, !(refuses_i && pending_q))

endmodule
