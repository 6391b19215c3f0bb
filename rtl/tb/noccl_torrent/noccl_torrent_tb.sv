// SPDX-License-Identifier: Apache-2.0
//
// Tiles with a Torrent endpoint and a memory each, and a crossbar without latency between them; the protocol is
// checked at every port.

module noccl_torrent_tb #(
    parameter int unsigned NumTiles = 9,
    parameter int unsigned BufferBursts = 2
) (
    /// Clock.
    input  logic                clk_i,
    /// Asynchronous reset, active low.
    input  logic                rst_ni,
    /// Ports that stand still in this cycle, by tile: narrow, wide; banks of all memories.
    input  logic [NumTiles-1:0] hold_narrow_i,
    input  logic [NumTiles-1:0] hold_wide_i,
    input  logic [        31:0] hold_banks_i,
    /// Chains to lead.
    input  logic [NumTiles-1:0] start_valid_i,
    output logic [NumTiles-1:0] start_ready_o,
    input  logic [        18:0] frames_i,
    input  logic [         5:0] num_destinations_i,
    input  logic                has_own_i,
    output logic [NumTiles-1:0] done_o,
    output logic                error_o,
    /// A notice from nowhere: one word to an address of the narrow plane.
    input  logic                stray_valid_i,
    output logic                stray_ready_o,
    input  logic [        47:0] stray_addr_i,
    input  logic [        63:0] stray_i,
    /// The test's own access to the memories.
    input  logic                host_write_i,
    input  logic [         7:0] host_tile_i,
    input  logic [        18:0] host_addr_i,
    input  logic [        63:0] host_data_i,
    output logic [        63:0] host_data_o,
    /// Narrow words and wide beats that have crossed so far, by tile that they came to.
    output logic [        31:0] num_words_o       [NumTiles],
    output logic [        31:0] num_beats_o       [NumTiles]
);

  import noccl_torrent_pkg::channels_t;
  import noccl_torrent_pkg::pointer_t;
  import noccl_torrent_pkg::word_addr_t;
  import noccl_torrent_pkg::word_t;

  localparam int unsigned IdBits = 4;
  localparam int unsigned AwBits = noccl_torrent_pkg::POINTER_BITS + IdBits + 8;
  localparam int unsigned BBits = IdBits + 2;

  // The first tile's addresses begin behind zero, which is nobody's.
  function automatic noccl_torrent_pkg::tile_t tile_at(int unsigned index);
    return noccl_torrent_pkg::tile_t'(index + NumTiles);
  endfunction

  function automatic logic [7:0] index_of(pointer_t address);
    return 8'(address.tile - noccl_torrent_pkg::tile_t'(NumTiles));
  endfunction

  // ---------------------------------------------------------------------------------------- crossbars

  logic [NumTiles:0] msg_aw_valid, msg_aw_ready, msg_w_valid, msg_w_ready, msg_w_last;
  logic [NumTiles:0] msg_b_valid, msg_b_ready;
  logic [NumTiles-1:0] box_aw_valid, box_aw_ready, box_w_valid, box_w_ready, box_w_last;
  logic [NumTiles-1:0] box_b_valid, box_b_ready;
  logic [AwBits-1:0] msg_aw[NumTiles+1];
  logic [AwBits-1:0] box_aw[NumTiles];
  logic [7:0] msg_to[NumTiles+1];
  word_t msg_w[NumTiles+1], box_w[NumTiles];
  logic [BBits-1:0] msg_b[NumTiles+1], box_b[NumTiles];

  noccl_crossbar #(
      .NumManagers(NumTiles + 1),
      .NumTargets(NumTiles),
      .AwBits(AwBits),
      .WBits(64),
      .BBits(BBits)
  ) u_narrow (
      .clk_i,
      .rst_ni,
      .hold_i(hold_narrow_i),
      .aw_valid_i(msg_aw_valid),
      .aw_ready_o(msg_aw_ready),
      .aw_to_i(msg_to),
      .aw_i(msg_aw),
      .w_valid_i(msg_w_valid),
      .w_ready_o(msg_w_ready),
      .w_i(msg_w),
      .w_last_i(msg_w_last),
      .b_valid_o(msg_b_valid),
      .b_ready_i(msg_b_ready),
      .b_o(msg_b),
      .aw_valid_o(box_aw_valid),
      .aw_ready_i(box_aw_ready),
      .aw_o(box_aw),
      .w_valid_o(box_w_valid),
      .w_ready_i(box_w_ready),
      .w_o(box_w),
      .w_last_o(box_w_last),
      .b_valid_i(box_b_valid),
      .b_ready_o(box_b_ready),
      .b_i(box_b)
  );

  pointer_t stray_addr;
  logic stray_taken;
  assign stray_addr = pointer_t'(stray_addr_i);
  assign msg_aw[NumTiles] = {IdBits'(0), 8'd0, stray_addr};
  assign msg_to[NumTiles] = index_of(stray_addr);
  assign msg_w[NumTiles] = stray_i;
  assign msg_w_last[NumTiles] = 1'b1;
  assign msg_b_ready[NumTiles] = 1'b1;
  assign stray_ready_o = stray_valid_i && stray_taken;

  noccl_fork #(
      .NumOutputs(2)
  ) u_stray (
      .clk_i,
      .rst_ni,
      .valid_i (stray_valid_i),
      .ready_o (stray_taken),
      .select_i(2'b11),
      .valid_o ({msg_aw_valid[NumTiles], msg_w_valid[NumTiles]}),
      .ready_i ({msg_aw_ready[NumTiles], msg_w_ready[NumTiles]})
  );

  // Manager 2 t sends tile t's own chains, 2 t + 1 what it passes on.
  logic [2*NumTiles-1:0] out_aw_valid, out_aw_ready, out_w_valid, out_w_ready, out_w_last;
  logic [2*NumTiles-1:0] out_b_valid, out_b_ready;
  logic [NumTiles-1:0] in_aw_valid, in_aw_ready, in_w_valid, in_w_ready, in_w_last;
  logic [NumTiles-1:0] in_b_valid, in_b_ready;
  logic [AwBits-1:0] out_aw[2*NumTiles], in_aw[NumTiles];
  logic [7:0] out_to[2*NumTiles];
  noccl_flit_pkg::wide_data_t out_w[2*NumTiles], in_w[NumTiles];
  logic [BBits-1:0] out_b[2*NumTiles], in_b[NumTiles];

  noccl_crossbar #(
      .NumManagers(2 * NumTiles),
      .NumTargets(NumTiles),
      .AwBits(AwBits),
      .WBits(512),
      .BBits(BBits)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .hold_i(hold_wide_i),
      .aw_valid_i(out_aw_valid),
      .aw_ready_o(out_aw_ready),
      .aw_to_i(out_to),
      .aw_i(out_aw),
      .w_valid_i(out_w_valid),
      .w_ready_o(out_w_ready),
      .w_i(out_w),
      .w_last_i(out_w_last),
      .b_valid_o(out_b_valid),
      .b_ready_i(out_b_ready),
      .b_o(out_b),
      .aw_valid_o(in_aw_valid),
      .aw_ready_i(in_aw_ready),
      .aw_o(in_aw),
      .w_valid_o(in_w_valid),
      .w_ready_i(in_w_ready),
      .w_o(in_w),
      .w_last_o(in_w_last),
      .b_valid_i(in_b_valid),
      .b_ready_o(in_b_ready),
      .b_i(in_b)
  );

  // ------------------------------------------------------------------------------------------------ checkers

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_checkers
    noccl_write_checker #(
        .WBits(64)
    ) u_msg (
        .clk_i,
        .rst_ni,
        .aw_valid_i(msg_aw_valid[t]),
        .aw_ready_i(msg_aw_ready[t]),
        .aw_i(msg_aw[t]),
        .w_valid_i(msg_w_valid[t]),
        .w_ready_i(msg_w_ready[t]),
        .w_last_i(msg_w_last[t]),
        .w_i(msg_w[t]),
        .b_valid_i(msg_b_valid[t]),
        .b_ready_i(msg_b_ready[t]),
        .b_i(msg_b[t])
    );
    noccl_write_checker #(
        .WBits(64)
    ) u_box (
        .clk_i,
        .rst_ni,
        .aw_valid_i(box_aw_valid[t]),
        .aw_ready_i(box_aw_ready[t]),
        .aw_i(box_aw[t]),
        .w_valid_i(box_w_valid[t]),
        .w_ready_i(box_w_ready[t]),
        .w_last_i(box_w_last[t]),
        .w_i(box_w[t]),
        .b_valid_i(box_b_valid[t]),
        .b_ready_i(box_b_ready[t]),
        .b_i(box_b[t])
    );
    noccl_write_checker #(
        .WBits(512)
    ) u_in (
        .clk_i,
        .rst_ni,
        .aw_valid_i(in_aw_valid[t]),
        .aw_ready_i(in_aw_ready[t]),
        .aw_i(in_aw[t]),
        .w_valid_i(in_w_valid[t]),
        .w_ready_i(in_w_ready[t]),
        .w_last_i(in_w_last[t]),
        .w_i(in_w[t]),
        .b_valid_i(in_b_valid[t]),
        .b_ready_i(in_b_ready[t]),
        .b_i(in_b[t])
    );
  end
  for (genvar m = 0; m < 2 * int'(NumTiles); m++) begin : gen_out_checkers
    noccl_write_checker #(
        .WBits(512)
    ) u_out (
        .clk_i,
        .rst_ni,
        .aw_valid_i(out_aw_valid[m]),
        .aw_ready_i(out_aw_ready[m]),
        .aw_i(out_aw[m]),
        .w_valid_i(out_w_valid[m]),
        .w_ready_i(out_w_ready[m]),
        .w_last_i(out_w_last[m]),
        .w_i(out_w[m]),
        .b_valid_i(out_b_valid[m]),
        .b_ready_i(out_b_ready[m]),
        .b_i(out_b[m])
    );
  end

  // ------------------------------------------------------------------------------------------------ tiles

  logic [NumTiles-1:0] error;
  word_t host_data[NumTiles];

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    channels_t ask_valid, ask_ready, data_valid;
    channels_t write_valid[2], write_ready[2];
    logic [15:0] bank_ready;
    logic [ 7:0] write_bytes[2];
    word_addr_t ask_addr[8], write_addr[16];
    word_t data[8], write[16];
    pointer_t msg_addr, out_addr[2];
    logic [7:0] msg_len, out_len[2];
    logic [IdBits-1:0] msg_id;
    noccl_flit_pkg::wide_data_t out_data[2];
    noccl_flit_pkg::resp_e out_resp[2];

    assign msg_aw[t] = {msg_id, msg_len, msg_addr};
    assign msg_to[t] = index_of(msg_addr);
    for (genvar i = 0; i < 2; i++) begin : gen_out
      assign out_aw[2*t+i] = {IdBits'(unsigned'(i)), out_len[i], out_addr[i]};
      assign out_to[2*t+i] = index_of(out_addr[i]);
      assign out_w[2*t+i]  = out_data[i];
      assign out_resp[i]   = noccl_flit_pkg::resp_e'(out_b[2*t+i][1:0]);
    end
    assign in_b[t][1:0]   = noccl_flit_pkg::RESP_OKAY;
    assign write_ready[0] = bank_ready[7:0];
    assign write_ready[1] = bank_ready[15:8];

    noccl_torrent #(
        .BufferBursts(BufferBursts),
        .IdBits(IdBits)
    ) u_torrent (
        .clk_i,
        .rst_ni,
        .own_i(tile_at(t)),
        .start_valid_i(start_valid_i[t]),
        .start_ready_o(start_ready_o[t]),
        .frames_i,
        .num_destinations_i,
        .has_own_i,
        .task_o(),
        .done_o(done_o[t]),
        .error_o(error[t]),
        .msg_aw_valid_o(msg_aw_valid[t]),
        .msg_aw_ready_i(msg_aw_ready[t]),
        .msg_aw_id_o(msg_id),
        .msg_aw_addr_o(msg_addr),
        .msg_aw_len_o(msg_len),
        .msg_w_valid_o(msg_w_valid[t]),
        .msg_w_ready_i(msg_w_ready[t]),
        .msg_w_data_o(msg_w[t]),
        .msg_w_last_o(msg_w_last[t]),
        .msg_b_valid_i(msg_b_valid[t]),
        .msg_b_ready_o(msg_b_ready[t]),
        .msg_b_resp_i(noccl_flit_pkg::resp_e'(msg_b[t][1:0])),
        .box_aw_valid_i(box_aw_valid[t]),
        .box_aw_ready_o(box_aw_ready[t]),
        .box_aw_id_i(box_aw[t][AwBits-1-:IdBits]),
        .box_aw_addr_i(pointer_t'(box_aw[t][noccl_torrent_pkg::POINTER_BITS-1:0])),
        .box_w_valid_i(box_w_valid[t]),
        .box_w_ready_o(box_w_ready[t]),
        .box_w_data_i(box_w[t]),
        .box_w_last_i(box_w_last[t]),
        .box_b_valid_o(box_b_valid[t]),
        .box_b_ready_i(box_b_ready[t]),
        .box_b_id_o(box_b[t][BBits-1-:IdBits]),
        .box_b_resp_o(box_b[t][1:0]),
        .out_aw_valid_o(out_aw_valid[2*t+:2]),
        .out_aw_ready_i(out_aw_ready[2*t+:2]),
        .out_aw_addr_o(out_addr),
        .out_aw_len_o(out_len),
        .out_w_valid_o(out_w_valid[2*t+:2]),
        .out_w_ready_i(out_w_ready[2*t+:2]),
        .out_w_data_o(out_data),
        .out_w_last_o(out_w_last[2*t+:2]),
        .out_b_valid_i(out_b_valid[2*t+:2]),
        .out_b_ready_o(out_b_ready[2*t+:2]),
        .out_b_resp_i(out_resp),
        .in_aw_valid_i(in_aw_valid[t]),
        .in_aw_ready_o(in_aw_ready[t]),
        .in_aw_id_i(in_aw[t][AwBits-1-:IdBits]),
        .in_w_valid_i(in_w_valid[t]),
        .in_w_ready_o(in_w_ready[t]),
        .in_w_data_i(in_w[t]),
        .in_w_last_i(in_w_last[t]),
        .in_b_valid_o(in_b_valid[t]),
        .in_b_ready_i(in_b_ready[t]),
        .in_b_id_o(in_b[t][BBits-1-:IdBits]),
        .ask_valid_o(ask_valid),
        .ask_ready_i(ask_ready),
        .ask_addr_o(ask_addr),
        .data_valid_i(data_valid),
        .data_i(data),
        .write_valid_o(write_valid),
        .write_ready_i(write_ready),
        .write_addr_o(write_addr),
        .write_bytes_o(write_bytes),
        .write_o(write)
    );

    noccl_banks #(
        .NumWrites(16),
        .Words(1024)
    ) u_banks (
        .clk_i,
        .rst_ni,
        .hold_i(hold_banks_i),
        .ask_valid_i(ask_valid),
        .ask_ready_o(ask_ready),
        .ask_addr_i(ask_addr),
        .data_valid_o(data_valid),
        .data_o(data),
        .write_valid_i({write_valid[1], write_valid[0]}),
        .write_ready_o(bank_ready),
        .write_addr_i(write_addr),
        .write_bytes_i(write_bytes),
        .write_i(write),
        .host_write_i(host_write_i && host_tile_i == 8'(unsigned'(t))),
        .host_addr_i,
        .host_data_i,
        .host_data_o(host_data[t])
    );

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        num_words_o[t] <= '0;
        num_beats_o[t] <= '0;
      end else begin
        num_words_o[t] <= num_words_o[t] + 32'(box_w_valid[t] && box_w_ready[t]);
        num_beats_o[t] <= num_beats_o[t] + 32'(in_w_valid[t] && in_w_ready[t]);
      end
    end
  end

  assign error_o = |error;
  assign host_data_o = host_data[$clog2(NumTiles)'(host_tile_i)];

endmodule
