// SPDX-License-Identifier: Apache-2.0
//
// The protocol checker on the port of the cores: words, with atomics.

module noccl_narrow_checker (
    /// Clock.
    input logic                      clk_i,
    /// Asynchronous reset, active low.
    input logic                      rst_ni,
    /// Write address.
    input logic                      aw_valid_i,
    input logic                      aw_ready_i,
    input noccl_axi_pkg::narrow_aw_t aw_i,
    /// Write data.
    input logic                      w_valid_i,
    input logic                      w_ready_i,
    input noccl_axi_pkg::narrow_w_t  w_i,
    /// Write response.
    input logic                      b_valid_i,
    input logic                      b_ready_i,
    input noccl_axi_pkg::narrow_b_t  b_i,
    /// Read address.
    input logic                      ar_valid_i,
    input logic                      ar_ready_i,
    input noccl_axi_pkg::narrow_ar_t ar_i,
    /// Read data.
    input logic                      r_valid_i,
    input logic                      r_ready_i,
    input noccl_axi_pkg::narrow_r_t  r_i
);

  noccl_axi_checker #(
      .WriteIdBits(noccl_cfg_pkg::NARROW_ID_BITS),
      .ReadIdBits(noccl_cfg_pkg::NARROW_ID_BITS),
      .AwBits($bits(noccl_axi_pkg::narrow_aw_t)),
      .WBits($bits(noccl_axi_pkg::narrow_w_t)),
      .BBits($bits(noccl_axi_pkg::narrow_b_t)),
      .ArBits($bits(noccl_axi_pkg::narrow_ar_t)),
      .RBits($bits(noccl_axi_pkg::narrow_r_t))
  ) u_checker (
      .clk_i,
      .rst_ni,
      .aw_valid_i,
      .aw_ready_i,
      .aw_id_i(aw_i.id),
      .aw_len_i(aw_i.len),
      .aw_atop_i(aw_i.atop),
      .aw_i,
      .w_valid_i,
      .w_ready_i,
      .w_last_i(w_i.last),
      .w_i,
      .b_valid_i,
      .b_ready_i,
      .b_id_i(b_i.id),
      .b_i,
      .ar_valid_i,
      .ar_ready_i,
      .ar_id_i(ar_i.id),
      .ar_len_i(ar_i.len),
      .ar_i,
      .r_valid_i,
      .r_ready_i,
      .r_id_i(r_i.id),
      .r_last_i(r_i.last),
      .r_i
  );

endmodule
