// SPDX-License-Identifier: Apache-2.0
// Bank of an operand store: one write and one read per cycle. A memory of its own beside the tile's L1; a chip puts a
// memory macro in its place.
//
// Latency: what is written in cycle c can be read from c + 1 on; read data are there one cycle after the read and stay
// until the next one. A word that is read in the cycle in which it is written is undefined; the unit never does that.
// Combinational paths: none. Source: docs/design/0001, decision I.

`include "noccl_assert.svh"

module noccl_store_bank #(
    /// Words, at least 2.
    parameter int unsigned Words = noccl_collective_pkg::STORE_WORDS,
    /// Bits of a word.
    parameter int unsigned Width = noccl_cfg_pkg::WIDE_BITS
) (
    /// Clock.
    input  logic                     clk_i,
    /// Asynchronous reset, active low; for assertions, contents have none.
    input  logic                     rst_ni,
    /// Write `wdata_i`.
    input  logic                     we_i,
    /// Its address; ignored without `we_i`.
    input  logic [$clog2(Words)-1:0] waddr_i,
    /// Ignored without `we_i`.
    input  logic [        Width-1:0] wdata_i,
    /// Read.
    input  logic                     re_i,
    /// Address; ignored without `re_i`.
    input  logic [$clog2(Words)-1:0] raddr_i,
    /// The word read last.
    output logic [        Width-1:0] rdata_o
);

  logic [Width-1:0] words_q[Words];

  always_ff @(posedge clk_i) begin
    if (we_i) words_q[waddr_i] <= wdata_i;
    if (re_i) rdata_o <= words_q[raddr_i];
  end

  `NOCCL_ASSERT_INIT(TwoWords, Words >= 2)
  `NOCCL_ASSUME(WriteInside, !we_i || 32'(waddr_i) < Words)
  `NOCCL_ASSUME(ReadInside, !re_i || 32'(raddr_i) < Words)
  `NOCCL_ASSUME(NeverBothAtOnePlace, !(we_i && re_i) || waddr_i != raddr_i)

endmodule
