// SPDX-License-Identifier: Apache-2.0
// What a bank of the operand store promises: a word is read as it was written last, and stays at the output.
//
// The solver picks one word; the bank never looks at addresses otherwise.

`include "noccl_assert.svh"

module noccl_store_bank_props #(
    /// Words.
    parameter int unsigned Words = 6,
    /// Bits of a word.
    parameter int unsigned Width = 2
) (
    /// Clock.
    input logic                     clk_i,
    /// A write; kept away from what is read in the same cycle.
    input logic                     we_i,
    input logic [$clog2(Words)-1:0] waddr_i,
    input logic [        Width-1:0] wdata_i,
    /// A read.
    input logic                     re_i,
    input logic [$clog2(Words)-1:0] raddr_i,
    /// The word that is tracked; constant.
    input logic [$clog2(Words)-1:0] word_i
);

  logic rst_ni = 1'b0;
  logic we, re;
  logic [Width-1:0] rdata, written_q;
  // It has been written; it has been read since, and nothing else.
  logic is_written_q, is_read_q;
  logic [Width-1:0] read_q;

  assign re = re_i && 32'(raddr_i) < Words;
  assign we = we_i && 32'(waddr_i) < Words && !(re && raddr_i == waddr_i);

  noccl_store_bank #(
      .Words(Words),
      .Width(Width)
  ) u_bank (
      .clk_i,
      .rst_ni,
      .we_i   (we),
      .waddr_i,
      .wdata_i,
      .re_i   (re),
      .raddr_i,
      .rdata_o(rdata)
  );

  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    is_written_q <= rst_ni && (is_written_q || (we && waddr_i == word_i));
    if (we && waddr_i == word_i) written_q <= wdata_i;
    is_read_q <= rst_ni && (re ? raddr_i == word_i && is_written_q : is_read_q);
    if (re) read_q <= written_q;
  end

  `NOCCL_ASSUME(TracksOneWord, $stable(word_i) && 32'(word_i) < Words)
  `NOCCL_ASSERT(ReadsWhatWasWrittenLast, !is_read_q || rdata == read_q)

endmodule
