// SPDX-License-Identifier: Apache-2.0
//
// A stream of beats to the next tile of a chain, to the own memory, or to both at once.
//
// A beat passes when all who need it take it, as published: the slowest sets the pace. Sending comes first, since what is offered outside
// must not depend on its being taken. Latency: none to the port, one cycle to the banks. Throughput: one beat per cycle.
// Source: S3 section III-B (data switch). Mirror: crates/noccl-sim/src/endpoint/torrent/published.

module noccl_torrent_stream
  import noccl_torrent_pkg::NUM_CHANNELS, noccl_torrent_pkg::word_t;
#(
    /// Bursts that the next tile's buffer holds.
    parameter int unsigned BufferBursts = 2
) (
    /// Clock.
    input  logic                                clk_i,
    /// Asynchronous reset, active low.
    input  logic                                rst_ni,
    /// Beats that go to the next tile; only when those before have been sent.
    input  logic                                start_send_i,
    input  noccl_torrent_pkg::tile_t            to_i,
    input  noccl_torrent_pkg::num_beats_t       num_beats_i,
    /// Beats that are written where a frame says; only when those before have been.
    input  logic                                start_write_i,
    input  noccl_torrent_pkg::frame_t           frame_i,
    output logic                                has_sent_o,
    output logic                                has_written_o,
    /// A response reported an error; until the next start.
    output logic                                error_o,
    /// Beats may pass; to the next tile; to the own memory.
    input  logic                                passes_i,
    input  logic                                sends_i,
    input  logic                                keeps_i,
    input  logic                                beat_valid_i,
    output logic                                beat_ready_o,
    input  noccl_flit_pkg::wide_data_t          beat_i,
    /// Wide manager port.
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
    input  noccl_flit_pkg::resp_e               b_resp_i,
    /// Own memory.
    output noccl_torrent_pkg::channels_t        write_valid_o,
    input  noccl_torrent_pkg::channels_t        write_ready_i,
    output noccl_torrent_pkg::word_addr_t       write_addr_o [NUM_CHANNELS],
    output noccl_torrent_pkg::bytes_t           write_bytes_o,
    output word_t                               write_o      [NUM_CHANNELS]
);

  logic send_valid, send_ready, write_valid, write_ready;
  word_t words[NUM_CHANNELS];

  assign send_valid   = beat_valid_i && passes_i && sends_i && (!keeps_i || write_ready);
  assign write_valid  = beat_valid_i && passes_i && keeps_i && (!sends_i || send_ready);
  assign beat_ready_o = passes_i && (!sends_i || send_ready) && (!keeps_i || write_ready);

  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_word
    assign words[c] = beat_i[c*noccl_torrent_pkg::WORD_BITS+:noccl_torrent_pkg::WORD_BITS];
  end

  noccl_torrent_send #(
      .BufferBursts(BufferBursts)
  ) u_send (
      .clk_i,
      .rst_ni,
      .start_i(start_send_i),
      .window_i(noccl_torrent_pkg::window_of(to_i, noccl_torrent_pkg::WINDOW_DATA)),
      .num_beats_i,
      .has_sent_o,
      .has_error_o(error_o),
      .beat_valid_i(send_valid),
      .beat_ready_o(send_ready),
      .beat_i,
      .aw_valid_o,
      .aw_ready_i,
      .aw_addr_o,
      .aw_len_o,
      .w_valid_o,
      .w_ready_i,
      .w_data_o,
      .w_last_o,
      .b_valid_i,
      .b_ready_o,
      .b_resp_i
  );

  noccl_torrent_writer u_writer (
      .clk_i,
      .rst_ni,
      .start_i(start_write_i),
      .pattern_i(frame_i.pattern),
      .base_i(noccl_torrent_pkg::word_of(frame_i.destination)),
      .num_beats_i(frame_i.num_beats),
      .is_idle_o(has_written_o),
      .beat_valid_i(write_valid),
      .beat_ready_o(write_ready),
      .beat_i(words),
      .write_valid_o,
      .write_ready_i,
      .write_addr_o,
      .write_bytes_o,
      .write_o
  );

endmodule
