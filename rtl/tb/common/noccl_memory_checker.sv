// SPDX-License-Identifier: Apache-2.0
//
// The protocol checker on a port that leads to a memory: single beats without ids, bursts of reads. Reads are left open where a
// port has none.

module noccl_memory_checker #(
    /// Beats of write and read data.
    parameter type w_t = noccl_axi_pkg::wide_w_t,
    parameter type r_t = noccl_axi_pkg::memory_wide_r_t
) (
    /// Clock.
    input logic                            clk_i,
    /// Asynchronous reset, active low.
    input logic                            rst_ni,
    /// Write address.
    input logic                            aw_valid_i,
    input logic                            aw_ready_i,
    input noccl_axi_pkg::memory_aw_t       aw_i,
    /// Write data.
    input logic                            w_valid_i,
    input logic                            w_ready_i,
    input w_t                              w_i,
    /// Write response.
    input logic                            b_valid_i,
    input logic                            b_ready_i,
    input logic                      [1:0] b_resp_i,
    /// Read address.
    input logic                            ar_valid_i = 1'b0,
    input logic                            ar_ready_i = 1'b0,
    input noccl_axi_pkg::memory_ar_t       ar_i = '0,
    /// Read data.
    input logic                            r_valid_i = 1'b0,
    input logic                            r_ready_i = 1'b0,
    input r_t                              r_i = '0
);

  noccl_axi_checker #(
      .AwBits($bits(noccl_axi_pkg::memory_aw_t)),
      .WBits ($bits(w_t)),
      .BBits (2),
      .ArBits($bits(noccl_axi_pkg::memory_ar_t)),
      .RBits ($bits(r_t))
  ) u_checker (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_i,
      .aw_atop_i(aw_i.atop),
      .aw_i,
      .w_valid_i,
      .w_ready_i,
      .w_last_i(w_i.last),
      .w_i,
      .b_valid_i,
      .b_ready_i,
      .b_i(b_resp_i),
      .ar_valid_i,
      .ar_ready_i,
      .ar_len_i(8'(ar_i.len)),
      .ar_i,
      .r_valid_i,
      .r_ready_i,
      .r_last_i(r_i.last),
      .r_i
  );

endmodule
