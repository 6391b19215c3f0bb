// SPDX-License-Identifier: Apache-2.0
//
// Reader and writer of a tile back to back over one memory: a copy from one pattern to another.

module noccl_torrent_copy_tb (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Banks that stand still; beats that do not pass.
    input  logic [ 31:0] hold_banks_i,
    input  logic         hold_beats_i,
    /// Begins.
    input  logic         start_i,
    input  logic [ 18:0] num_beats_i,
    input  logic [ 18:0] src_i,
    input  logic [ 18:0] dst_i,
    /// As in `noccl_torrent_pkg::pattern_t`.
    input  logic [224:0] src_pattern_i,
    input  logic [224:0] dst_pattern_i,
    output logic         src_is_idle_o,
    output logic         dst_is_idle_o,
    /// The test's own access to the memory.
    input  logic         host_write_i,
    input  logic [ 18:0] host_addr_i,
    input  logic [ 63:0] host_data_i,
    output logic [ 63:0] host_data_o
);

  import noccl_torrent_pkg::channels_t;
  import noccl_torrent_pkg::word_t;
  import noccl_torrent_pkg::word_addr_t;

  channels_t ask_valid, ask_ready, data_valid, write_valid, write_ready;
  word_addr_t       ask_addr   [8];
  word_addr_t       write_addr [8];
  word_t            data       [8];
  word_t            write      [8];
  word_t            beat       [8];
  logic       [7:0] write_bytes[1];
  logic beat_valid, beat_ready;

  noccl_torrent_reader u_reader (
      .clk_i,
      .rst_ni,
      .start_i,
      .pattern_i(noccl_torrent_pkg::pattern_t'(src_pattern_i)),
      .base_i(src_i),
      .num_beats_i,
      .is_idle_o(src_is_idle_o),
      .ask_valid_o(ask_valid),
      .ask_ready_i(ask_ready),
      .ask_addr_o(ask_addr),
      .data_valid_i(data_valid),
      .data_i(data),
      .beat_valid_o(beat_valid),
      .beat_ready_i(beat_ready && !hold_beats_i),
      .beat_o(beat)
  );

  noccl_torrent_writer u_writer (
      .clk_i,
      .rst_ni,
      .start_i,
      .pattern_i(noccl_torrent_pkg::pattern_t'(dst_pattern_i)),
      .base_i(dst_i),
      .num_beats_i,
      .is_idle_o(dst_is_idle_o),
      .beat_valid_i(beat_valid && !hold_beats_i),
      .beat_ready_o(beat_ready),
      .beat_i(beat),
      .write_valid_o(write_valid),
      .write_ready_i(write_ready),
      .write_addr_o(write_addr),
      .write_bytes_o(write_bytes[0]),
      .write_o(write)
  );

  noccl_banks u_banks (
      .clk_i,
      .rst_ni,
      .hold_i(hold_banks_i),
      .ask_valid_i(ask_valid),
      .ask_ready_o(ask_ready),
      .ask_addr_i(ask_addr),
      .data_valid_o(data_valid),
      .data_o(data),
      .write_valid_i(write_valid),
      .write_ready_o(write_ready),
      .write_addr_i(write_addr),
      .write_bytes_i(write_bytes),
      .write_i(write),
      .host_write_i,
      .host_addr_i,
      .host_data_i,
      .host_data_o
  );

endmodule
