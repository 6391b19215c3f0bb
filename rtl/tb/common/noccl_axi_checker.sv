// SPDX-License-Identifier: Apache-2.0
//
// Checks an AXI4 port and ends the simulation where the protocol is broken.
//
// Stability of every channel, last beats where they belong, no response without a request, no more
// responses than requests per id. Data may come before their address. An atomic that asks for data
// counts as a read of its id too. Channels that a port has not, and atomics, are left open. Nothing
// here drives anything.

`include "noccl_assert.svh"

module noccl_axi_checker #(
    /// Ids of the write and the read side.
    parameter int unsigned WriteIdBits = 1,
    parameter int unsigned ReadIdBits = 1,
    /// Bits that have to be stable per channel.
    parameter int unsigned AwBits = 1,
    parameter int unsigned WBits = 1,
    parameter int unsigned BBits = 1,
    parameter int unsigned ArBits = 1,
    parameter int unsigned RBits = 1
) (
    /// Clock.
    input logic                   clk_i,
    /// Asynchronous reset, active low.
    input logic                   rst_ni,
    /// Write address.
    input logic                   aw_valid_i = 1'b0,
    input logic                   aw_ready_i = 1'b0,
    input logic [WriteIdBits-1:0] aw_id_i = '0,
    input logic [            7:0] aw_len_i = '0,
    input logic [            5:0] aw_atop_i = noccl_axi_pkg::ATOP_NONE,
    input logic [     AwBits-1:0] aw_i = '0,
    /// Write data.
    input logic                   w_valid_i = 1'b0,
    input logic                   w_ready_i = 1'b0,
    input logic                   w_last_i = 1'b0,
    input logic [      WBits-1:0] w_i = '0,
    /// Write response.
    input logic                   b_valid_i = 1'b0,
    input logic                   b_ready_i = 1'b0,
    input logic [WriteIdBits-1:0] b_id_i = '0,
    input logic [      BBits-1:0] b_i = '0,
    /// Read address.
    input logic                   ar_valid_i = 1'b0,
    input logic                   ar_ready_i = 1'b0,
    input logic [ ReadIdBits-1:0] ar_id_i = '0,
    input logic [            7:0] ar_len_i = '0,
    input logic [     ArBits-1:0] ar_i = '0,
    /// Read data.
    input logic                   r_valid_i = 1'b0,
    input logic                   r_ready_i = 1'b0,
    input logic [ ReadIdBits-1:0] r_id_i = '0,
    input logic                   r_last_i = 1'b0,
    input logic [      RBits-1:0] r_i = '0
);

  localparam int unsigned DEPTH = 64;

  // Lengths of bursts whose data are not whole, beats of whole data whose address has not come, oldest first;
  // beats of the open data; bursts with address and data and no response.
  logic [7:0] lengths[DEPTH];
  logic [7:0] datas  [DEPTH];
  int unsigned num_lengths, num_datas, beat, num_whole;

  logic aw_step, w_step, b_step, ar_step, r_step;
  assign aw_step = aw_valid_i && aw_ready_i;
  assign w_step  = w_valid_i && w_ready_i;
  assign b_step  = b_valid_i && b_ready_i;
  assign ar_step = ar_valid_i && ar_ready_i;
  assign r_step  = r_valid_i && r_ready_i;

  // An address and its data meet: one pair per cycle is as fast as they can come.
  logic ends_data, meets;
  logic [7:0] oldest_length, oldest_data;

  assign ends_data = w_step && w_last_i;
  assign meets = num_lengths + 32'(aw_step) > 0 && num_datas + 32'(ends_data) > 0;
  assign oldest_length = num_lengths > 0 ? lengths[0] : aw_len_i;
  assign oldest_data = num_datas > 0 ? datas[0] : 8'(beat);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_lengths <= 0;
      num_datas <= 0;
      beat <= 0;
      num_whole <= 0;
    end else begin
      num_lengths <= num_lengths + 32'(aw_step) - 32'(meets);
      num_datas <= num_datas + 32'(ends_data) - 32'(meets);
      beat <= ends_data ? 0 : beat + 32'(w_step);
      num_whole <= num_whole + 32'(meets) - 32'(b_step);
      if (meets) begin
        for (int i = 0; i + 1 < int'(DEPTH); i++) lengths[i] <= lengths[i+1];
        for (int i = 0; i + 1 < int'(DEPTH); i++) datas[i] <= datas[i+1];
      end
      if (aw_step) lengths[num_lengths-32'(meets)] <= aw_len_i;
      if (ends_data) datas[num_datas-32'(meets)] <= 8'(beat);
    end
  end

  `NOCCL_ASSERT(WlastEndsTheBurst, !meets || oldest_length == oldest_data)
  `NOCCL_ASSERT(DataNoLongerThanTheirBurst,
                !w_step || num_lengths == 0 || num_datas > 0 || beat <= 32'(lengths[0]))
  `NOCCL_ASSERT(BAfterAddressAndLastBeat, !b_step || num_whole + 32'(meets) > 0)

  for (genvar i = 0; i < 1 << WriteIdBits; i++) begin : gen_write_id
    int unsigned num_open;
    logic asks, gets;

    assign asks = aw_step && aw_id_i == WriteIdBits'(unsigned'(i));
    assign gets = b_step && b_id_i == WriteIdBits'(unsigned'(i));

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) num_open <= 0;
      else num_open <= num_open + 32'(asks) - 32'(gets);
    end

    `NOCCL_ASSERT(BHasItsWrite, !gets || num_open + 32'(asks) > 0)
  end

  for (genvar i = 0; i < 1 << ReadIdBits; i++) begin : gen_read_id
    // Lengths of the reads of this id that are open, oldest first; beats of the oldest so far.
    logic [7:0] read_lengths[DEPTH];
    int unsigned num_open, num_beats;
    logic asks, asks_by_write, gets, ends;

    // One of both at a time: an atomic's id is unique among what is open.
    assign asks_by_write = aw_step && noccl_axi_pkg::has_read_data(
        aw_atop_i
    ) && 32'(aw_id_i) == unsigned'(i);
    assign asks = asks_by_write || (ar_step && ar_id_i == ReadIdBits'(unsigned'(i)));
    assign gets = r_step && r_id_i == ReadIdBits'(unsigned'(i));
    assign ends = gets && r_last_i;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        num_open  <= 0;
        num_beats <= 0;
      end else begin
        num_open  <= num_open + 32'(asks) - 32'(ends);
        num_beats <= ends ? 0 : num_beats + 32'(gets);
        if (ends) for (int j = 0; j + 1 < int'(DEPTH); j++) read_lengths[j] <= read_lengths[j+1];
        if (asks) begin
          read_lengths[num_open-32'(ends)] <= !asks_by_write ? ar_len_i
              : aw_atop_i == noccl_axi_pkg::ATOP_COMPARE ? aw_len_i >> 1 : aw_len_i;
        end
      end
    end

    `NOCCL_ASSERT(RHasItsRead, !gets || num_open > 0)
    `NOCCL_ASSERT(RlastEndsTheBurst, !gets || r_last_i == (num_beats == 32'(read_lengths[0])))
  end

  `NOCCL_ASSERT(AwStable, !$past(aw_valid_i && !aw_ready_i) || (aw_valid_i && $stable(aw_i)))
  `NOCCL_ASSERT(WStable, !$past(w_valid_i && !w_ready_i) || (w_valid_i && $stable(w_i)))
  `NOCCL_ASSERT(BStable, !$past(b_valid_i && !b_ready_i) || (b_valid_i && $stable(b_i)))
  `NOCCL_ASSERT(ArStable, !$past(ar_valid_i && !ar_ready_i) || (ar_valid_i && $stable(ar_i)))
  `NOCCL_ASSERT(RStable, !$past(r_valid_i && !r_ready_i) || (r_valid_i && $stable(r_i)))

endmodule
