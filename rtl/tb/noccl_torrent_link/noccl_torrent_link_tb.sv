// SPDX-License-Identifier: Apache-2.0
//
// Sending and receiving side of a chain's data over a port that may stall, with a protocol checker.

module noccl_torrent_link_tb #(
    parameter int unsigned BufferBursts = 2,
    /// Bursts of buffer space that the sender assumes.
    parameter int unsigned SenderBursts = BufferBursts
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Channels AW, W, B that stand still in this cycle.
    input  logic [  2:0] hold_i,
    input  logic         start_i,
    input  logic [ 18:0] num_beats_i,
    output logic         is_idle_o,
    output logic         has_error_o,
    input  logic         fail_i,
    input  logic         in_valid_i,
    output logic         in_ready_o,
    input  logic [511:0] in_i,
    output logic         out_valid_o,
    input  logic         out_ready_i,
    output logic [511:0] out_o,
    /// What crosses the port: an address with its length; a beat; W stalls for lack of space.
    output logic         aw_step_o,
    output logic [  7:0] aw_len_o,
    output logic         w_step_o,
    output logic         is_full_o
);

  localparam int unsigned IdBits = 4;
  localparam noccl_torrent_pkg::pointer_t WINDOW = noccl_torrent_pkg::window_of(
      'd5, noccl_torrent_pkg::WINDOW_DATA
  );

  logic aw_valid, aw_ready, w_valid, w_ready, w_last, b_valid, b_ready;
  logic take_aw_valid, take_aw_ready, take_w_valid, take_w_ready, give_b_valid, give_b_ready;
  noccl_torrent_pkg::pointer_t aw_addr;
  noccl_flit_pkg::wide_data_t w_data;
  noccl_flit_pkg::resp_e b_resp;
  logic [IdBits-1:0] b_id;
  logic has_sent;
  // Bursts without a response.
  int unsigned num_open;

  assign is_idle_o = has_sent && num_open == 0;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) num_open <= 0;
    else num_open <= num_open + 32'(aw_step_o) - 32'(b_valid && b_ready);
  end

  assign take_aw_valid = aw_valid && !hold_i[0];
  assign aw_ready = take_aw_ready && !hold_i[0];
  assign take_w_valid = w_valid && !hold_i[1];
  assign w_ready = take_w_ready && !hold_i[1];
  assign b_valid = give_b_valid && !hold_i[2];
  assign give_b_ready = b_ready && !hold_i[2];
  assign b_resp = fail_i ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_OKAY;
  assign aw_step_o = aw_valid && aw_ready;
  assign w_step_o = w_valid && w_ready;
  assign is_full_o = w_valid && !take_w_ready;

  noccl_torrent_send #(
      .BufferBursts(SenderBursts)
  ) u_send (
      .clk_i,
      .rst_ni,
      .start_i,
      .window_i(WINDOW),
      .num_beats_i,
      .has_sent_o(has_sent),
      .has_error_o,
      .beat_valid_i(in_valid_i),
      .beat_ready_o(in_ready_o),
      .beat_i(in_i),
      .aw_valid_o(aw_valid),
      .aw_ready_i(aw_ready),
      .aw_addr_o(aw_addr),
      .aw_len_o,
      .w_valid_o(w_valid),
      .w_ready_i(w_ready),
      .w_data_o(w_data),
      .w_last_o(w_last),
      .b_valid_i(b_valid),
      .b_ready_o(b_ready),
      .b_resp_i(b_resp)
  );

  noccl_torrent_receive #(
      .BufferBursts(BufferBursts),
      .IdBits(IdBits)
  ) u_receive (
      .clk_i,
      .rst_ni,
      .aw_valid_i(take_aw_valid),
      .aw_ready_o(take_aw_ready),
      .aw_id_i(IdBits'(5)),
      .w_valid_i(take_w_valid),
      .w_ready_o(take_w_ready),
      .w_data_i(w_data),
      .w_last_i(w_last),
      .b_valid_o(give_b_valid),
      .b_ready_i(give_b_ready),
      .b_id_o(b_id),
      .beat_valid_o(out_valid_o),
      .beat_ready_i(out_ready_i),
      .beat_o(out_o)
  );

  noccl_axi_checker #(
      .WriteIdBits(IdBits),
      .AwBits(noccl_torrent_pkg::POINTER_BITS + 8),
      .WBits(513),
      .BBits(IdBits)
  ) u_checker (
      .clk_i,
      .rst_ni,
      .aw_valid_i(aw_valid),
      .aw_ready_i(aw_ready),
      .aw_id_i(IdBits'(5)),
      .aw_len_i(aw_len_o),
      .aw_i({aw_addr, aw_len_o}),
      .w_valid_i(w_valid),
      .w_ready_i(w_ready),
      .w_last_i(w_last),
      .w_i({w_data, w_last}),
      .b_valid_i(give_b_valid),
      .b_ready_i(give_b_ready),
      .b_id_i(b_id),
      .b_i(b_id)
  );

endmodule
