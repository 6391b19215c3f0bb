// SPDX-License-Identifier: Apache-2.0
//
// Arbitration of the write channels: the oldest transfer whose beat may leave is granted.
//
// Combinational paths: from what channels offer to the choice. Throughput: a choice per cycle, so one beat per cycle.
// Mirror: `ready_write` in crates/noccl-sim/src/ni/axi/ready.rs.

`include "noccl_assert.svh"

module noccl_ni_write_arbiter #(
    /// Channels; at least 1.
    parameter int unsigned Channels = 4
) (
    /// Clock.
    input  logic                clk_i,
    /// Asynchronous reset, active low: no choice stays.
    input  logic                rst_ni,
    /// Channels whose transfer begins in this cycle: younger than all others.
    input  logic [Channels-1:0] begins_i,
    /// Channels whose beat may leave, as far as they know.
    input  logic [Channels-1:0] may_send_i,
    /// Channels that wait for their own tile's earlier beats, and hold up everything younger.
    input  logic [Channels-1:0] waits_i,
    /// The channel that is granted, if there is one.
    output logic [Channels-1:0] chosen_o,
    /// It keeps its grant in the next cycle.
    input  logic                stays_i
);

  // older_q[a][b]: the transfer of a has begun before that of b, the last ones if they are over. Of those that begin in one
  // cycle the lower channel's is older.
  logic [Channels-1:0] older_q [Channels];
  logic [Channels-1:0] is_older[Channels];

  always_comb begin
    for (int unsigned a = 0; a < Channels; a++) begin
      for (int unsigned b = 0; b < Channels; b++) begin
        if (begins_i[a] && begins_i[b]) is_older[a][b] = a < b;
        else if (begins_i[a] || begins_i[b]) is_older[a][b] = begins_i[b];
        else is_older[a][b] = older_q[a][b];
      end
    end
  end

  logic [Channels-1:0] chosen_q;
  logic stays_q;

  // Whoever may send or waits holds up all that is younger.
  always_comb begin
    for (int unsigned c = 0; c < Channels; c++) begin
      chosen_o[c] = may_send_i[c] && !waits_i[c];
      for (int unsigned o = 0; o < Channels; o++) begin
        if (o != c && is_older[o][c] && (may_send_i[o] || waits_i[o])) chosen_o[c] = 1'b0;
      end
    end
    if (stays_q) chosen_o = chosen_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) stays_q <= 1'b0;
    else stays_q <= stays_i;
  end

  // Read only of channels whose transfer has begun, or while the choice stays: no reset.
  always_ff @(posedge clk_i) begin
    older_q  <= is_older;
    chosen_q <= chosen_o;
  end

  `NOCCL_ASSERT(OneGrantAtATime, $onehot0(chosen_o))
  `NOCCL_ASSUME(WhatStaysWasChosen, !stays_i || chosen_o != '0)

endmodule
