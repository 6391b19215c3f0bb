// SPDX-License-Identifier: Apache-2.0
// The FIFO with plain bits as items, so that tools which cannot set types can choose the width.

module noccl_fifo_tb #(
    /// Items.
    parameter int unsigned Depth = 2,
    /// Bits per item.
    parameter int unsigned Width = 32
) (
    /// Clock.
    input  logic             clk_i,
    /// Asynchronous reset, active low.
    input  logic             rst_ni,
    /// Input side.
    input  logic             valid_i,
    /// Input side.
    output logic             ready_o,
    /// Input side.
    input  logic [Width-1:0] data_i,
    /// Output side.
    output logic             valid_o,
    /// Output side.
    input  logic             ready_i,
    /// Output side.
    output logic [Width-1:0] data_o
);

  noccl_fifo #(
      .Depth (Depth),
      .data_t(logic [Width-1:0])
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o,
      .data_i,
      .valid_o,
      .ready_i,
      .data_o
  );

endmodule
