// SPDX-License-Identifier: Apache-2.0
//
// Narrow port of a tile of a chain, outward: configurations, grants and finishes, one at a time.
//
// Configurations go before grants, grants before finishes: a task that has begun is told of first.
// What is offered may change until it is taken. Every message has another id, since none waits for
// the response of another one: their order does not matter.
// Latency: a message taken in cycle c offers its address and first word in c + 1. Throughput: one word per cycle.
// Source: S3 section III-B. Mirror: crates/noccl-sim/src/endpoint/torrent/narrow.rs.

`include "noccl_assert.svh"

module noccl_torrent_messages
  import noccl_torrent_pkg::FRAME_WORDS, noccl_torrent_pkg::FRAME_WORD_BITS;
  import noccl_torrent_pkg::word_t, noccl_torrent_pkg::WORD_BITS;
#(
    /// Bits of an id.
    parameter int unsigned IdBits = 3
) (
    /// Clock.
    input  logic                                     clk_i,
    /// Asynchronous reset, active low.
    input  logic                                     rst_ni,
    /// This tile.
    input  noccl_torrent_pkg::tile_t                 own_i,
    /// Messages: configuration, grant, finish.
    input  logic                        [       2:0] valid_i,
    output logic                        [       2:0] ready_o,
    input  noccl_torrent_pkg::message_t              message_i [3],
    /// Narrow manager port; bursts of whole words, ids in sequence.
    output logic                        [IdBits-1:0] aw_id_o,
    output logic                                     aw_valid_o,
    input  logic                                     aw_ready_i,
    output noccl_torrent_pkg::pointer_t              aw_addr_o,
    output logic                        [       7:0] aw_len_o,
    output logic                                     w_valid_o,
    input  logic                                     w_ready_i,
    output word_t                                    w_data_o,
    output logic                                     w_last_o,
    input  logic                                     b_valid_i,
    output logic                                     b_ready_o,
    input  noccl_flit_pkg::resp_e                    b_resp_i,
    /// A response reported an error in this cycle.
    output logic                                     error_o
);

  import noccl_torrent_pkg::window_of;

  typedef logic [FRAME_WORD_BITS-1:0] index_t;

  noccl_torrent_pkg::message_t message_q;
  logic has_message_q, has_message_d, is_cfg;
  logic [IdBits-1:0] id_q, id_d;
  logic offers, sends, ends, takes;
  logic [2:0] granted;
  index_t word_q, word_d, last_word;
  noccl_torrent_pkg::slot_t slot;

  assign granted = valid_i & (~valid_i + 1'b1);
  assign takes = (!has_message_q || ends) && valid_i != '0;
  assign ready_o = takes ? granted : '0;

  assign is_cfg = message_q.window == noccl_torrent_pkg::WINDOW_CFG;
  assign last_word = is_cfg ? index_t'(FRAME_WORDS - 1) : '0;
  assign offers = has_message_q;
  assign ends = sends && offers && word_q == last_word;

  noccl_fork #(
      .NumOutputs(2)
  ) u_fork (
      .clk_i,
      .rst_ni,
      .valid_i (offers),
      .ready_o (sends),
      .select_i({word_q == '0, 1'b1}),
      .valid_o ({aw_valid_o, w_valid_o}),
      .ready_i ({aw_ready_i, w_ready_i})
  );

  // An initiator has a slot of its own in the window of configurations.
  assign slot = noccl_torrent_pkg::slot_of(own_i);
  always_comb begin
    aw_addr_o = window_of(message_q.to, message_q.window);
    if (is_cfg) aw_addr_o.offset[6+:noccl_torrent_pkg::SLOT_BITS] = slot;
  end
  assign aw_id_o   = id_q;
  assign aw_len_o  = 8'(last_word);
  assign w_data_o  = message_q.content[32'(word_q)*WORD_BITS+:WORD_BITS];
  assign w_last_o  = word_q == last_word;
  assign b_ready_o = 1'b1;
  assign error_o   = b_valid_i && b_resp_i != noccl_flit_pkg::RESP_OKAY;

  always_comb begin
    has_message_d = takes || (has_message_q && !ends);
    word_d = !(offers && sends) ? word_q : ends ? '0 : word_q + 1'b1;
    id_d = id_q + IdBits'(takes);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_message_q <= 1'b0;
      id_q <= '0;
      word_q <= '0;
    end else begin
      has_message_q <= has_message_d;
      id_q <= id_d;
      word_q <= word_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes) begin
      for (int unsigned i = 0; i < 3; i++) if (granted[i]) message_q <= message_i[i];
    end
  end

endmodule
