// SPDX-License-Identifier: Apache-2.0
//
// Sends a stream of beats to the data window of the next tile of a chain, burst by burst.
//
// A burst is begun when its first beat is here and the next tile is sure to have space for all of
// it: no more bursts are without an response than it can hold, and it responds when a burst has
// left its buffer. So no burst ever waits inside the network.
// Latency: none from a beat to AW and W. Throughput: one beat per cycle while responses come in
// time.
// Source: S3 section III-B; bursts: AXI4 (64 beats of 64 bytes are a page). Mirror:
// crates/noccl-sim/src/endpoint/torrent.

`include "noccl_assert.svh"

module noccl_torrent_send #(
    /// Bursts that the next tile's buffer holds.
    parameter int unsigned BufferBursts = 2
) (
    /// Clock.
    input  logic                                clk_i,
    /// Asynchronous reset, active low.
    input  logic                                rst_ni,
    /// Begins a stream; only when all beats of the one before have been sent.
    input  logic                                start_i,
    /// First byte of the next tile's data window; a page.
    input  noccl_torrent_pkg::pointer_t         window_i,
    /// Beats; at least one.
    input  noccl_torrent_pkg::num_beats_t       num_beats_i,
    /// All beats have been sent.
    output logic                                has_sent_o,
    /// A response reported an error; until the next start.
    output logic                                has_error_o,
    /// Beats in order; those beyond the stream's are not taken.
    input  logic                                beat_valid_i,
    output logic                                beat_ready_o,
    input  noccl_flit_pkg::wide_data_t          beat_i,
    /// Wide manager port; one id.
    output logic                                aw_valid_o,
    input  logic                                aw_ready_i,
    output noccl_torrent_pkg::pointer_t         aw_addr_o,
    output logic                          [7:0] aw_len_o,
    output logic                                w_valid_o,
    input  logic                                w_ready_i,
    output noccl_flit_pkg::wide_data_t          w_data_o,
    output logic                                w_last_o,
    input  logic                                b_valid_i,
    output logic                                b_ready_o,
    input  noccl_flit_pkg::resp_e               b_resp_i
);

  import noccl_torrent_pkg::num_beats_t;
  import noccl_torrent_pkg::BURST_BEATS;

  localparam int unsigned CountBits = $clog2(BufferBursts + 1);
  localparam int unsigned BeatBits = $clog2(BURST_BEATS);

  noccl_torrent_pkg::pointer_t window_q;
  num_beats_t left_q, left_d;
  logic [BeatBits-1:0] beat_q, beat_d;
  logic [CountBits-1:0] open_q, open_d;
  logic has_error_q, has_error_d;
  logic begins, offers, sends, ends, responded;

  assign begins = beat_q == '0;
  assign offers = beat_valid_i && left_q != '0 && (!begins || open_q != CountBits'(BufferBursts));
  assign ends = left_q == 'd1 || beat_q == BeatBits'(BURST_BEATS - 1);
  assign responded = b_valid_i && b_ready_o;

  // The first beat of a burst leaves with its address, each when it is taken.
  noccl_fork #(
      .NumOutputs(2)
  ) u_fork (
      .clk_i,
      .rst_ni,
      .valid_i (offers),
      .ready_o (sends),
      .select_i({begins, 1'b1}),
      .valid_o ({aw_valid_o, w_valid_o}),
      .ready_i ({aw_ready_i, w_ready_i})
  );

  assign beat_ready_o = offers && sends;
  assign aw_addr_o = window_q;
  assign aw_len_o = left_q > num_beats_t'(BURST_BEATS) ? 8'(BURST_BEATS - 1) : 8'(left_q - 1'b1);
  assign w_data_o = beat_i;
  assign w_last_o = ends;
  assign b_ready_o = 1'b1;
  assign has_sent_o = left_q == '0;
  assign has_error_o = has_error_q;

  always_comb begin
    left_d = start_i ? num_beats_i : left_q - num_beats_t'(beat_ready_o);
    beat_d = !beat_ready_o ? beat_q : ends ? '0 : beat_q + 1'b1;
    open_d = open_q + CountBits'(beat_ready_o && begins) - CountBits'(responded);
    has_error_d = !start_i && (has_error_q || (responded && b_resp_i != noccl_flit_pkg::RESP_OKAY));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q <= '0;
      beat_q <= '0;
      open_q <= '0;
      has_error_q <= 1'b0;
    end else begin
      left_q <= left_d;
      beat_q <= beat_d;
      open_q <= open_d;
      has_error_q <= has_error_d;
    end
  end

  always_ff @(posedge clk_i) if (start_i) window_q <= window_i;

  `NOCCL_ASSERT_INIT(BufferNotEmpty, BufferBursts >= 1)
  `NOCCL_ASSUME(OneAtATime, !start_i || has_sent_o)
  `NOCCL_ASSUME(StartsAtAPage, !start_i || window_i.offset[noccl_torrent_pkg::PAGE_BITS-1:0] == '0)
  `NOCCL_ASSUME(ResponsesWereRequested, !b_valid_i || open_q != '0)

endmodule
