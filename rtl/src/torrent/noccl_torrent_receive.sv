// SPDX-License-Identifier: Apache-2.0
//
// The data window of a tile: whole bursts are stored in a buffer, whoever waits behind it.
//
// A burst gets its response when its last beat has left the buffer, so the tile before knows from
// its open bursts what is free, and with as many of them as the buffer holds no beat waits in the
// network.
// Latency: a beat accepted in cycle c is offered in c + 2. Throughput: one beat per cycle.
// Source: S3 section III-B; why whole bursts: docs/design/0005. Mirror:
// crates/noccl-sim/src/endpoint/torrent.

`include "noccl_assert.svh"

module noccl_torrent_receive #(
    /// Bursts that the buffer holds; a memory macro on a chip.
    parameter int unsigned BufferBursts = 2,
    /// Bits of an id.
    parameter int unsigned IdBits = 4
) (
    /// Clock.
    input  logic                                    clk_i,
    /// Asynchronous reset, active low.
    input  logic                                    rst_ni,
    /// Wide subordinate port: writes to the data window.
    input  logic                                    aw_valid_i,
    output logic                                    aw_ready_o,
    input  logic                       [IdBits-1:0] aw_id_i,
    input  logic                                    w_valid_i,
    output logic                                    w_ready_o,
    input  noccl_flit_pkg::wide_data_t              w_data_i,
    input  logic                                    w_last_i,
    output logic                                    b_valid_o,
    input  logic                                    b_ready_i,
    output logic                       [IdBits-1:0] b_id_o,
    /// Beats in order.
    output logic                                    beat_valid_o,
    input  logic                                    beat_ready_i,
    output noccl_flit_pkg::wide_data_t              beat_o
);

  import noccl_torrent_pkg::BURST_BEATS;

  localparam int unsigned Words = BufferBursts * BURST_BEATS;
  localparam int unsigned AddrBits = $clog2(Words);
  localparam int unsigned CountBits = $clog2(BufferBursts + 2);

  typedef struct packed {
    logic last;
    noccl_flit_pkg::wide_data_t data;
  } word_t;

  typedef logic [AddrBits-1:0] addr_t;

  addr_t tail_q, tail_d, head_q, head_d;
  logic [AddrBits:0] unread_q, unread_d;
  // The word read last is the head of the buffer.
  logic has_head_q, has_head_d;
  // Bursts that have left and have no response yet.
  logic [CountBits-1:0] gone_q, gone_d;
  logic accepts, reads, leaves, responds, id_valid;
  word_t head;

  function automatic addr_t after(addr_t slot);
    return slot == addr_t'(Words - 1) ? '0 : slot + 1'b1;
  endfunction

  assign w_ready_o = unread_q != (AddrBits + 1)'(Words);
  assign accepts = w_valid_i && w_ready_o;
  assign leaves = has_head_q && beat_ready_i;
  assign reads = unread_q != '0 && (!has_head_q || leaves);
  assign responds = b_valid_o && b_ready_i;
  assign beat_valid_o = has_head_q;
  assign beat_o = head.data;
  assign b_valid_o = gone_q != '0 && id_valid;

  always_comb begin
    tail_d = accepts ? after(tail_q) : tail_q;
    head_d = reads ? after(head_q) : head_q;
    unread_d = unread_q + (AddrBits + 1)'(accepts) - (AddrBits + 1)'(reads);
    has_head_d = reads || (has_head_q && !leaves);
    gone_d = gone_q + CountBits'(leaves && head.last) - CountBits'(responds);
  end

  noccl_store_bank #(
      .Words(Words),
      .Width($bits(word_t))
  ) u_words (
      .clk_i,
      .rst_ni,
      .we_i(accepts),
      .waddr_i(tail_q),
      .wdata_i({w_last_i, w_data_i}),
      .re_i(reads),
      .raddr_i(head_q),
      .rdata_o(head)
  );

  // A burst's id waits for its response; one more may have come whose first beat has no space yet.
  noccl_fifo #(
      .Depth (BufferBursts + 1),
      .data_t(logic [IdBits-1:0])
  ) u_ids (
      .clk_i,
      .rst_ni,
      .valid_i(aw_valid_i),
      .ready_o(aw_ready_o),
      .data_i (aw_id_i),
      .valid_o(id_valid),
      .ready_i(responds),
      .data_o (b_id_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tail_q <= '0;
      head_q <= '0;
      unread_q <= '0;
      has_head_q <= 1'b0;
      gone_q <= '0;
    end else begin
      tail_q <= tail_d;
      head_q <= head_d;
      unread_q <= unread_d;
      has_head_q <= has_head_d;
      gone_q <= gone_d;
    end
  end

  `NOCCL_ASSERT_INIT(BufferNotEmpty, BufferBursts >= 1)
  `NOCCL_ASSERT(ResponsesAreCounted, 32'(gone_q) <= BufferBursts + 1)

endmodule
