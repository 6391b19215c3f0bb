// SPDX-License-Identifier: Apache-2.0
//
// The banks of a cluster's memory, each serving one word per cycle: the lowest writing channel first, then the lowest reading
// one. A word read in a cycle is there in the next.

module noccl_banks #(
    /// Banks and words of each.
    parameter int unsigned NumBanks = 32,
    /// Writing channels, eight per writer; the lower ones go first.
    parameter int unsigned NumWrites = 8,
    parameter int unsigned Words = 2048
) (
    /// Clock.
    input  logic                                          clk_i,
    /// Asynchronous reset, active low.
    input  logic                                          rst_ni,
    /// Banks that stand still in this cycle.
    input  logic                          [ NumBanks-1:0] hold_i,
    /// Reads.
    input  logic                          [          7:0] ask_valid_i,
    output logic                          [          7:0] ask_ready_o,
    input  noccl_torrent_pkg::word_addr_t                 ask_addr_i   [          8],
    output logic                          [          7:0] data_valid_o,
    output logic                          [         63:0] data_o       [          8],
    /// Writes.
    input  logic                          [NumWrites-1:0] write_valid_i,
    output logic                          [NumWrites-1:0] write_ready_o,
    input  noccl_torrent_pkg::word_addr_t                 write_addr_i [  NumWrites],
    input  logic                          [          7:0] write_bytes_i[NumWrites/8],
    input  logic                          [         63:0] write_i      [  NumWrites],
    /// The test's own access: a word is written, or read in the same cycle.
    input  logic                                          host_write_i,
    input  noccl_torrent_pkg::word_addr_t                 host_addr_i,
    input  logic                          [         63:0] host_data_i,
    output logic                          [         63:0] host_data_o
);

  localparam int unsigned BankBits = $clog2(NumBanks);
  localparam int unsigned Size = NumBanks * Words;
  localparam int unsigned AddrBits = $clog2(Size);

  logic [63:0] words[Size];
  logic [NumBanks-1:0] busy;

  always_comb begin
    busy = hold_i;
    write_ready_o = '0;
    ask_ready_o = '0;
    for (int c = 0; c < int'(NumWrites); c++) begin
      write_ready_o[c] = !busy[write_addr_i[c][BankBits-1:0]];
      if (write_valid_i[c]) busy[write_addr_i[c][BankBits-1:0]] = 1'b1;
    end
    for (int c = 0; c < 8; c++) begin
      ask_ready_o[c] = !busy[ask_addr_i[c][BankBits-1:0]];
      if (ask_valid_i[c]) busy[ask_addr_i[c][BankBits-1:0]] = 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int c = 0; c < 8; c++) begin
      data_valid_o[c] <= rst_ni && ask_valid_i[c] && ask_ready_o[c];
      data_o[c] <= words[AddrBits'(ask_addr_i[c])];
    end
    for (int c = 0; c < int'(NumWrites); c++) begin
      for (int b = 0; b < 8; b++) begin
        if (write_valid_i[c] && write_ready_o[c] && write_bytes_i[c/8][b])
          words[AddrBits'(write_addr_i[c])][8*b+:8] <= write_i[c][8*b+:8];
      end
    end
    if (host_write_i) words[AddrBits'(host_addr_i)] <= host_data_i;
  end

  assign host_data_o = words[AddrBits'(host_addr_i)];

endmodule
