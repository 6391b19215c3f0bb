// SPDX-License-Identifier: Apache-2.0
//
// Addresses of the words of each beat: five nested loops around a row of eight words.
//
// Latency: the first beat's addresses stand in the cycle after `start_i`. Throughput: one beat per
// cycle. Every loop keeps the word where its present iteration began, so a step is one addition,
// whichever loop goes on: the innermost one that is not at its end starts its next iteration there,
// and all inside it start over from the same word.
// Source: S3 section III-C (N-dimensional affine access). Mirror: `Pattern` in
// crates/noccl-sim/src/endpoint/torrent.

`include "noccl_assert.svh"

module noccl_torrent_pattern
  import noccl_torrent_pkg::NUM_LOOPS, noccl_torrent_pkg::NUM_CHANNELS;
  import noccl_torrent_pkg::word_addr_t, noccl_torrent_pkg::stride_t;
(
    /// Clock.
    input  logic                          clk_i,
    /// Asynchronous reset, active low.
    input  logic                          rst_ni,
    /// Begins with a pattern; only when the last beat has been stepped over.
    input  logic                          start_i,
    input  noccl_torrent_pkg::pattern_t   pattern_i,
    /// First word.
    input  word_addr_t                    base_i,
    /// Beats in all; at least one.
    input  noccl_torrent_pkg::num_beats_t num_beats_i,
    /// A beat: one word per channel, of which `enable_o` are wanted.
    output logic                          valid_o,
    output word_addr_t                    addr_o       [NUM_CHANNELS],
    output noccl_torrent_pkg::channels_t  enable_o,
    output noccl_torrent_pkg::bytes_t     byte_enable_o,
    output logic                          last_o,
    /// On to the next beat.
    input  logic                          step_i
);

  noccl_torrent_pkg::pattern_t pattern_q;
  noccl_torrent_pkg::num_beats_t left_q, left_d;
  logic valid_q, valid_d;
  // Iterations left in each loop after this one, and the first word of the present one.
  stride_t    iterations_q[NUM_LOOPS];
  stride_t    iterations_d[NUM_LOOPS];
  word_addr_t first_q[NUM_LOOPS];
  word_addr_t first_d[NUM_LOOPS];
  // The loop that goes on, one bit; no bit where all are at their end.
  logic [NUM_LOOPS-1:0] goes_on, starts_over;
  word_addr_t next_first;
  stride_t next_stride;

  function automatic stride_t last_iteration(stride_t bound);
    return bound == '0 ? '0 : bound - 1'b1;
  endfunction

  assign valid_o = valid_q;
  assign last_o = left_q == 'd1;
  assign enable_o = pattern_q.channel_enable;
  assign byte_enable_o = pattern_q.byte_enable;

  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_channel
    assign addr_o[c] = first_q[0] + word_addr_t'(pattern_q.spatial_stride * stride_t'(c));
  end

  always_comb begin
    logic inner_done;
    inner_done = 1'b1;
    for (int unsigned i = 0; i < NUM_LOOPS; i++) begin
      goes_on[i] = inner_done && iterations_q[i] != '0;
      starts_over[i] = inner_done && iterations_q[i] == '0;
      inner_done = starts_over[i];
    end
  end

  always_comb begin
    next_first  = '0;
    next_stride = '0;
    for (int unsigned i = 0; i < NUM_LOOPS; i++) begin
      if (goes_on[i]) begin
        next_first  = first_q[i];
        next_stride = pattern_q.strides[i];
      end
    end
    next_first = next_first + next_stride;
  end

  always_comb begin
    valid_d = valid_q;
    left_d = left_q;
    iterations_d = iterations_q;
    first_d = first_q;
    if (start_i) begin
      valid_d = 1'b1;
      left_d  = num_beats_i;
      for (int unsigned i = 0; i < NUM_LOOPS; i++) begin
        iterations_d[i] = last_iteration(pattern_i.bounds[i]);
        first_d[i] = base_i;
      end
    end else if (step_i) begin
      valid_d = !last_o;
      left_d  = left_q - 1'b1;
      for (int unsigned i = 0; i < NUM_LOOPS; i++) begin
        if (goes_on[i]) iterations_d[i] = iterations_q[i] - 1'b1;
        else if (starts_over[i]) iterations_d[i] = last_iteration(pattern_q.bounds[i]);
        if (goes_on[i] || starts_over[i]) first_d[i] = next_first;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= valid_d;
  end

  always_ff @(posedge clk_i) begin
    if (start_i) pattern_q <= pattern_i;
    left_q <= left_d;
    iterations_q <= iterations_d;
    first_q <= first_d;
  end

  `NOCCL_ASSUME(OneAtATime, !start_i || !valid_q || (step_i && last_o))
  `NOCCL_ASSUME(SomeBeats, !start_i || num_beats_i != '0)
  `NOCCL_ASSUME(StepsOverABeat, !step_i || valid_q)

endmodule
