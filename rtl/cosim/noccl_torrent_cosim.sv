// SPDX-License-Identifier: Apache-2.0
// Torrent endpoints between crossbars without latency as a library of the simulator's host: all that is driven, and all
// that their AXI ports do, as rows of numbers.
//
// The order of `seen_o` is that of `CHANNELS` and `CONTENTS` in crates/noccl-run/src/ports.rs, that of `drive_i` stands in
// crates/noccl-cosim/src/lockstep/ports.rs. Not synthesizable: it looks into the bench. C functions: noccl_torrent_cosim.cpp.

module noccl_torrent_cosim #(
    localparam int unsigned NumTiles = 9,
    localparam int unsigned NumDrives = 11,
    localparam int unsigned NumChannels = 25,
    localparam int unsigned NumContents = 4
) (
    /// Clock.
    input  logic        clk_i,
    /// Asynchronous reset, active low.
    input  logic        rst_ni,
    /// Inputs.
    input  logic [63:0] drive_i[                         NumDrives],
    /// Channels, contents of every endpoint, a word of a memory.
    output logic [63:0] seen_o [NumChannels+NumContents*NumTiles+1]
);

  localparam int unsigned LenLow = noccl_torrent_pkg::POINTER_BITS;

  logic [NumTiles-1:0] start_ready, done;
  logic [63:0] host_data;

  noccl_torrent_tb #(
      .NumTiles(NumTiles)
  ) u_tb (
      .clk_i,
      .rst_ni,
      .hold_narrow_i(drive_i[0][NumTiles-1:0]),
      .hold_wide_i(drive_i[1][NumTiles-1:0]),
      .hold_banks_i(drive_i[2][31:0]),
      .start_valid_i(drive_i[3][NumTiles-1:0]),
      .start_ready_o(start_ready),
      .frames_i(drive_i[4][18:0]),
      .num_destinations_i(drive_i[5][5:0]),
      .has_own_i(drive_i[6][0]),
      .done_o(done),
      .error_o(),
      .stray_valid_i(1'b0),
      .stray_ready_o(),
      .stray_addr_i('0),
      .stray_i('0),
      .host_write_i(drive_i[7][0]),
      .host_tile_i(drive_i[8][7:0]),
      .host_addr_i(drive_i[9][18:0]),
      .host_data_i(drive_i[10]),
      .host_data_o(host_data),
      .num_words_o(),
      .num_beats_o()
  );

  assign seen_o[0]  = 64'(u_tb.msg_aw_valid[NumTiles-1:0]);
  assign seen_o[1]  = 64'(u_tb.msg_aw_valid[NumTiles-1:0] & u_tb.msg_aw_ready[NumTiles-1:0]);
  assign seen_o[2]  = 64'(u_tb.msg_w_valid[NumTiles-1:0]);
  assign seen_o[3]  = 64'(u_tb.msg_w_valid[NumTiles-1:0] & u_tb.msg_w_ready[NumTiles-1:0]);
  assign seen_o[4]  = 64'(u_tb.msg_b_valid[NumTiles-1:0] & u_tb.msg_b_ready[NumTiles-1:0]);
  assign seen_o[5]  = 64'(u_tb.box_aw_valid);
  assign seen_o[6]  = 64'(u_tb.box_aw_valid & u_tb.box_aw_ready);
  assign seen_o[7]  = 64'(u_tb.box_w_valid);
  assign seen_o[8]  = 64'(u_tb.box_w_valid & u_tb.box_w_ready);
  assign seen_o[9]  = 64'(u_tb.box_b_valid);
  assign seen_o[10] = 64'(u_tb.box_b_valid & u_tb.box_b_ready);
  assign seen_o[11] = 64'(u_tb.out_aw_valid);
  assign seen_o[12] = 64'(u_tb.out_aw_valid & u_tb.out_aw_ready);
  assign seen_o[13] = 64'(u_tb.out_w_valid);
  assign seen_o[14] = 64'(u_tb.out_w_valid & u_tb.out_w_ready);
  assign seen_o[15] = 64'(u_tb.out_b_valid & u_tb.out_b_ready);
  assign seen_o[16] = 64'(u_tb.in_aw_valid);
  assign seen_o[17] = 64'(u_tb.in_aw_valid & u_tb.in_aw_ready);
  assign seen_o[18] = 64'(u_tb.in_w_valid);
  assign seen_o[19] = 64'(u_tb.in_w_valid & u_tb.in_w_ready);
  assign seen_o[20] = 64'(u_tb.in_b_valid);
  assign seen_o[21] = 64'(u_tb.in_b_valid & u_tb.in_b_ready);
  assign seen_o[22] = 64'(start_ready);
  assign seen_o[23] = 64'(start_ready & drive_i[3][NumTiles-1:0]);
  assign seen_o[24] = 64'(done);

  // Eight words of a beat as one number.
  function automatic logic [63:0] digest(noccl_flit_pkg::wide_data_t beat);
    logic [63:0] sum, word;
    sum = '0;
    for (int i = 0; i < 8; i++) begin
      word = beat[64*i+:64];
      sum ^= (word << i) | (word >> (64 - i));
    end
    return sum;
  endfunction

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    localparam int unsigned First = NumChannels + NumContents * t;
    logic has_address, has_word, has_length, has_beat;
    assign has_address = u_tb.box_aw_valid[t] && u_tb.box_aw_ready[t];
    assign has_word = u_tb.box_w_valid[t] && u_tb.box_w_ready[t];
    assign has_length = u_tb.in_aw_valid[t] && u_tb.in_aw_ready[t];
    assign has_beat = u_tb.in_w_valid[t] && u_tb.in_w_ready[t];
    assign seen_o[First] = has_address ? 64'(u_tb.box_aw[t][noccl_torrent_pkg::TILE_BITS-1:0]) : '0;
    assign seen_o[First+1] = has_word ? u_tb.box_w[t] : '0;
    assign seen_o[First+2] = has_length ? 64'(u_tb.in_aw[t][LenLow+:8]) : '0;
    assign seen_o[First+3] = has_beat ? digest(u_tb.in_w[t]) : '0;
  end

  assign seen_o[NumChannels+NumContents*NumTiles] = host_data;

endmodule
