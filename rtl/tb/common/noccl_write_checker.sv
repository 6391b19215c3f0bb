// SPDX-License-Identifier: Apache-2.0
//
// The protocol checker on a port that only writes, with its channels packed: {id, length, address}, {data}, {id, response}.

module noccl_write_checker #(
    parameter int unsigned IdBits   = 4,
    parameter int unsigned AddrBits = 48,
    parameter int unsigned WBits    = 64
) (
    /// Clock.
    input logic                         clk_i,
    /// Asynchronous reset, active low.
    input logic                         rst_ni,
    /// Write address.
    input logic                         aw_valid_i,
    input logic                         aw_ready_i,
    input logic [IdBits+8+AddrBits-1:0] aw_i,
    /// Write data.
    input logic                         w_valid_i,
    input logic                         w_ready_i,
    input logic                         w_last_i,
    input logic [            WBits-1:0] w_i,
    /// Write response.
    input logic                         b_valid_i,
    input logic                         b_ready_i,
    input logic [           IdBits+1:0] b_i
);

  noccl_axi_checker #(
      .WriteIdBits(IdBits),
      .AwBits(IdBits + 8 + AddrBits),
      .WBits(WBits + 1),
      .BBits(IdBits + 2)
  ) u_checker (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_i,
      .aw_id_i(aw_i[AddrBits+8+:IdBits]),
      .aw_len_i(aw_i[AddrBits+:8]),
      .aw_i,
      .w_valid_i,
      .w_ready_i,
      .w_last_i,
      .w_i({w_i, w_last_i}),
      .b_valid_i,
      .b_ready_i,
      .b_id_i(b_i[2+:IdBits]),
      .b_i
  );

endmodule
