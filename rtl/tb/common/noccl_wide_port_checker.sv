// SPDX-License-Identifier: Apache-2.0
//
// The protocol checker on every channel between a DMA engine and its network interface, and a count of the bursts.

module noccl_wide_port_checker
  import noccl_cfg_pkg::WIDE_CHANNELS;
(
    /// Clock.
    input  logic                           clk_i,
    /// Asynchronous reset, active low.
    input  logic                           rst_ni,
    /// Write channels.
    input  logic                           aw_valid_i  [WIDE_CHANNELS],
    input  logic                           aw_ready_i  [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_aw_t        aw_i        [WIDE_CHANNELS],
    input  logic                           w_valid_i   [WIDE_CHANNELS],
    input  logic                           w_ready_i   [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_w_t         w_i         [WIDE_CHANNELS],
    input  logic                           b_valid_i   [WIDE_CHANNELS],
    input  logic                           b_ready_i   [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_b_t         b_i         [WIDE_CHANNELS],
    /// Read channel.
    input  logic                           ar_valid_i,
    input  logic                           ar_ready_i,
    input  noccl_axi_pkg::wide_ar_t        ar_i,
    input  logic                           r_valid_i,
    input  logic                           r_ready_i,
    input  noccl_axi_pkg::wide_r_t         r_i,
    /// Write bursts, read bursts that have their responses.
    output logic                    [31:0] num_bursts_o
);

  for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
    noccl_axi_checker #(
        .WriteIdBits(noccl_cfg_pkg::WIDE_ID_BITS),
        .AwBits($bits(noccl_axi_pkg::wide_aw_t)),
        .WBits($bits(noccl_axi_pkg::wide_w_t)),
        .BBits($bits(noccl_axi_pkg::wide_b_t))
    ) u_checker (
        .clk_i,
        .rst_ni,
        .aw_valid_i(aw_valid_i[c]),
        .aw_ready_i(aw_ready_i[c]),
        .aw_id_i(aw_i[c].id),
        .aw_len_i(aw_i[c].len),
        .aw_i(aw_i[c]),
        .w_valid_i(w_valid_i[c]),
        .w_ready_i(w_ready_i[c]),
        .w_last_i(w_i[c].last),
        .w_i(w_i[c]),
        .b_valid_i(b_valid_i[c]),
        .b_ready_i(b_ready_i[c]),
        .b_id_i(b_i[c].id),
        .b_i(b_i[c])
    );
  end

  noccl_axi_checker #(
      .ReadIdBits(noccl_cfg_pkg::READ_ID_BITS),
      .ArBits($bits(noccl_axi_pkg::wide_ar_t)),
      .RBits($bits(noccl_axi_pkg::wide_r_t))
  ) u_reads (
      .clk_i,
      .rst_ni,
      .ar_valid_i,
      .ar_ready_i,
      .ar_id_i (ar_i.id),
      .ar_len_i(ar_i.len),
      .ar_i,
      .r_valid_i,
      .r_ready_i,
      .r_id_i  (r_i.id),
      .r_last_i(r_i.last),
      .r_i
  );

  logic [31:0] num_responses;
  always_comb begin
    num_responses = 32'(r_valid_i && r_ready_i && r_i.last);
    for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
      num_responses += 32'(b_valid_i[c] && b_ready_i[c]);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) num_bursts_o <= '0;
    else num_bursts_o <= num_bursts_o + num_responses;
  end

endmodule
