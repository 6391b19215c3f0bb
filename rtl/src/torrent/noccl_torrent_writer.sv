// SPDX-License-Identifier: Apache-2.0
//
// Writes beats into the own memory at the places of a pattern.
//
// The eight words of a beat are offered together, each written when its bank is free; the beat leaves its buffer with the last
// one, so words that share a bank cost a cycle each.
// Latency: a beat accepted in cycle c is offered to the banks in c + 1. Throughput: one beat per cycle.
// Source: S3 section III-C. Mirror: crates/noccl-sim/src/endpoint/torrent.

`include "noccl_assert.svh"

module noccl_torrent_writer
  import noccl_torrent_pkg::NUM_CHANNELS, noccl_torrent_pkg::word_t, noccl_torrent_pkg::channels_t;
#(
    /// Beats that wait for the banks; at least 2 for one per cycle.
    parameter int unsigned Beats = 8
) (
    /// Clock.
    input  logic                          clk_i,
    /// Asynchronous reset, active low.
    input  logic                          rst_ni,
    /// Begins with a pattern; only when idle.
    input  logic                          start_i,
    input  noccl_torrent_pkg::pattern_t   pattern_i,
    input  noccl_torrent_pkg::word_addr_t base_i,
    input  noccl_torrent_pkg::num_beats_t num_beats_i,
    /// All beats of the pattern are in the memory.
    output logic                          is_idle_o,
    /// Beats in order; those beyond the pattern's are not taken.
    input  logic                          beat_valid_i,
    output logic                          beat_ready_o,
    input  word_t                         beat_i       [NUM_CHANNELS],
    /// Words to write.
    output channels_t                     write_valid_o,
    input  channels_t                     write_ready_i,
    output noccl_torrent_pkg::word_addr_t write_addr_o [NUM_CHANNELS],
    output noccl_torrent_pkg::bytes_t     write_bytes_o,
    output word_t                         write_o      [NUM_CHANNELS]
);

  typedef logic [noccl_torrent_pkg::BEAT_BITS-1:0] beat_t;

  logic pattern_valid, waiting_valid, waiting_ready, all_written, steps, accepts, offers;
  channels_t enable;
  beat_t waiting, beat;
  // Beats that are still to be accepted.
  noccl_torrent_pkg::num_beats_t due_q, due_d;

  noccl_torrent_pattern u_pattern (
      .clk_i,
      .rst_ni,
      .start_i,
      .pattern_i,
      .base_i,
      .num_beats_i,
      .valid_o(pattern_valid),
      .addr_o(write_addr_o),
      .enable_o(enable),
      .byte_enable_o(write_bytes_o),
      .last_o(),
      .step_i(steps)
  );

  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_channel
    assign beat[c*noccl_torrent_pkg::WORD_BITS+:noccl_torrent_pkg::WORD_BITS] = beat_i[c];
    assign write_o[c] = waiting[c*noccl_torrent_pkg::WORD_BITS+:noccl_torrent_pkg::WORD_BITS];
  end

  noccl_fifo #(
      .Depth (Beats),
      .data_t(beat_t)
  ) u_beats (
      .clk_i,
      .rst_ni,
      .valid_i(accepts),
      .ready_o(waiting_ready),
      .data_i (beat),
      .valid_o(waiting_valid),
      .ready_i(steps),
      .data_o (waiting)
  );

  noccl_fork #(
      .NumOutputs(NUM_CHANNELS)
  ) u_words (
      .clk_i,
      .rst_ni,
      .valid_i (offers),
      .ready_o (all_written),
      .select_i(enable),
      .valid_o (write_valid_o),
      .ready_i (write_ready_i)
  );

  assign beat_ready_o = due_q != '0 && waiting_ready;
  assign accepts = beat_valid_i && beat_ready_o;
  assign offers = pattern_valid && waiting_valid;
  assign steps = offers && all_written;
  assign due_d = start_i ? num_beats_i : accepts ? due_q - 1'b1 : due_q;
  assign is_idle_o = !pattern_valid;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) due_q <= '0;
    else due_q <= due_d;
  end

  `NOCCL_ASSUME(OneAtATime, !start_i || is_idle_o)
  `NOCCL_ASSERT(BeatsMatchThePattern, pattern_valid || (!waiting_valid && due_q == '0))

endmodule
