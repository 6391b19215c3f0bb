// SPDX-License-Identifier: Apache-2.0
//
// Reads the beats of a pattern from the own memory, a few ahead.
//
// The eight words of a beat are asked for together, each granted when its bank is free; the next beat's follow when all have
// been granted, so words that share a bank cost a cycle each.
// Latency: a beat asked for in cycle c is offered in c + 2 if the banks are free. Throughput: one beat per cycle.
// Source: S3 section III-C. Mirror: crates/noccl-sim/src/endpoint/torrent.

`include "noccl_assert.svh"

module noccl_torrent_reader
  import noccl_torrent_pkg::NUM_CHANNELS, noccl_torrent_pkg::word_t, noccl_torrent_pkg::channels_t;
#(
    /// Beats asked for or here; at least 3 for one per cycle.
    parameter int unsigned Beats = 8
) (
    /// Clock.
    input  logic                          clk_i,
    /// Asynchronous reset, active low.
    input  logic                          rst_ni,
    /// Begins with a pattern; only when idle or when the last beat leaves.
    input  logic                          start_i,
    input  noccl_torrent_pkg::pattern_t   pattern_i,
    input  noccl_torrent_pkg::word_addr_t base_i,
    input  noccl_torrent_pkg::num_beats_t num_beats_i,
    /// All beats have left.
    output logic                          is_idle_o,
    /// Asks for words; responses come in order, at the earliest in the next cycle, and are taken.
    output channels_t                     ask_valid_o,
    input  channels_t                     ask_ready_i,
    output noccl_torrent_pkg::word_addr_t ask_addr_o  [NUM_CHANNELS],
    input  channels_t                     data_valid_i,
    input  word_t                         data_i      [NUM_CHANNELS],
    /// Beats in order; words that the pattern does not enable are zero.
    output logic                          beat_valid_o,
    input  logic                          beat_ready_i,
    output word_t                         beat_o      [NUM_CHANNELS]
);

  localparam int unsigned CountBits = $clog2(Beats + 1);

  logic asks, all_granted, steps, takes, pattern_valid;
  channels_t enable, word_valid, fifo_ready;
  logic [CountBits-1:0] num_kept_q, num_kept_d;
  word_t word[NUM_CHANNELS];

  noccl_torrent_pattern u_pattern (
      .clk_i,
      .rst_ni,
      .start_i,
      .pattern_i,
      .base_i,
      .num_beats_i,
      .valid_o(pattern_valid),
      .addr_o(ask_addr_o),
      .enable_o(enable),
      .byte_enable_o(),
      .last_o(),
      .step_i(steps)
  );

  // Space for a beat is kept from its first word on.
  assign asks  = pattern_valid && num_kept_q != CountBits'(Beats);
  assign steps = asks && all_granted;

  noccl_fork #(
      .NumOutputs(NUM_CHANNELS)
  ) u_words (
      .clk_i,
      .rst_ni,
      .valid_i (asks),
      .ready_o (all_granted),
      .select_i(enable),
      .valid_o (ask_valid_o),
      .ready_i (ask_ready_i)
  );

  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_channel
    noccl_fifo #(
        .Depth (Beats),
        .data_t(word_t)
    ) u_responses (
        .clk_i,
        .rst_ni,
        .valid_i(data_valid_i[c]),
        .ready_o(fifo_ready[c]),
        .data_i (data_i[c]),
        .valid_o(word_valid[c]),
        .ready_i(takes && enable[c]),
        .data_o (word[c])
    );
    assign beat_o[c] = enable[c] ? word[c] : '0;
  end

  assign beat_valid_o = num_kept_q != '0 && (word_valid & enable) == enable;
  assign takes = beat_valid_o && beat_ready_i;
  assign num_kept_d = num_kept_q + CountBits'(steps) - CountBits'(takes);
  assign is_idle_o = !pattern_valid && num_kept_q == '0;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) num_kept_q <= '0;
    else num_kept_q <= num_kept_d;
  end

  `NOCCL_ASSUME(OneAtATime, !start_i || is_idle_o || (!pattern_valid && num_kept_q == 'd1 && takes))
  `NOCCL_ASSERT(EveryWordHasItsPlace, (data_valid_i & ~fifo_ready) == '0)

endmodule
