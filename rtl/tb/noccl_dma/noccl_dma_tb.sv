// SPDX-License-Identifier: Apache-2.0
//
// A DMA engine behind a network interface whose network leads back to it. Whatever address another tile has, its bytes lie in
// this tile's L1, so that every kind of transfer can be seen in one memory. Cores use the narrow port meanwhile.

module noccl_dma_tb (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Planes wide, req, rsp, L1 and words that stand still in this cycle.
    input  logic [  4:0] hold_i,
    /// Registers of the engine.
    input  logic         access_i,
    input  logic         is_write_i,
    input  logic [  3:0] register_i,
    input  logic [ 63:0] write_i,
    output logic [ 63:0] read_o,
    /// The test's own access to L1: a line is written, or read in the same cycle.
    input  logic         host_write_i,
    input  logic [ 10:0] host_line_i,
    input  logic [511:0] host_data_i,
    output logic [511:0] host_data_o,
    /// What fails at a line of L1 from now on: writes, own copies, reads.
    input  logic         mark_valid_i,
    input  logic [ 10:0] mark_line_i,
    input  logic [  2:0] mark_i,
    /// Cores: single words, and atomics that add.
    input  logic         core_aw_valid_i,
    output logic         core_aw_ready_o,
    input  logic [  2:0] core_aw_id_i,
    input  logic [ 47:0] core_aw_addr_i,
    input  logic         core_aw_is_atomic_i,
    input  logic         core_w_valid_i,
    output logic         core_w_ready_o,
    input  logic [ 63:0] core_w_data_i,
    input  logic [  7:0] core_w_strb_i,
    output logic         core_b_valid_o,
    input  logic         core_b_ready_i,
    output logic [  2:0] core_b_id_o,
    output logic [  1:0] core_b_resp_o,
    input  logic         core_ar_valid_i,
    output logic         core_ar_ready_o,
    input  logic [  2:0] core_ar_id_i,
    input  logic [ 47:0] core_ar_addr_i,
    output logic         core_r_valid_o,
    input  logic         core_r_ready_i,
    output logic [  2:0] core_r_id_o,
    output logic [ 63:0] core_r_data_o,
    output logic [  1:0] core_r_resp_o,
    /// Beats that the engine has put on W so far.
    output logic [ 31:0] num_beats_o,
    /// Beats that the network has brought to L1, own copies too.
    output logic [ 31:0] num_taken_o,
    /// Its bursts that have their responses.
    output logic [ 31:0] num_bursts_o
);

  import noccl_cfg_pkg::WIDE_CHANNELS;

  logic dma_aw_valid[WIDE_CHANNELS], dma_aw_ready[WIDE_CHANNELS];
  logic dma_w_valid[WIDE_CHANNELS], dma_w_ready[WIDE_CHANNELS];
  logic dma_b_valid[WIDE_CHANNELS], dma_b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_aw_t dma_aw[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t  dma_w [WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t  dma_b [WIDE_CHANNELS];
  logic dma_ar_valid, dma_ar_ready, dma_r_valid, dma_r_ready;
  noccl_axi_pkg::wide_ar_t dma_ar;
  noccl_axi_pkg::wide_r_t  dma_r;

  // ------------------------------------------------------------------------------------- engine and L1

  logic ask_valid, ask_ready, data_valid, write_valid, write_ready;
  noccl_flit_pkg::offset_t ask_addr, write_addr;
  noccl_flit_pkg::wide_data_t data;
  noccl_axi_pkg::wide_w_t write;

  logic mem_aw_valid, mem_aw_ready, mem_w_valid, mem_w_ready, mem_b_valid, mem_b_ready;
  logic mem_ar_valid, mem_ar_ready, mem_r_valid, mem_r_ready;
  logic own_aw_valid, own_aw_ready, own_w_valid, own_w_ready, own_b_valid, own_b_ready;
  noccl_axi_pkg::memory_aw_t mem_aw, own_aw;
  noccl_axi_pkg::memory_ar_t mem_ar;
  noccl_axi_pkg::wide_w_t mem_w, own_w;
  noccl_flit_pkg::resp_e mem_b_resp, own_b_resp;
  noccl_axi_pkg::memory_wide_r_t mem_r;

  noccl_dma_l1 u_l1 (
      .clk_i,
      .rst_ni,
      .hold_i(hold_i[3]),
      .host_write_i,
      .host_line_i,
      .host_data_i,
      .host_data_o,
      .mark_valid_i,
      .mark_line_i,
      .mark_i,
      .aw_valid_i(mem_aw_valid),
      .aw_ready_o(mem_aw_ready),
      .aw_addr_i(mem_aw.addr),
      .w_valid_i(mem_w_valid),
      .w_ready_o(mem_w_ready),
      .w_i(mem_w),
      .b_valid_o(mem_b_valid),
      .b_ready_i(mem_b_ready),
      .b_resp_o(mem_b_resp),
      .ar_valid_i(mem_ar_valid),
      .ar_ready_o(mem_ar_ready),
      .ar_addr_i(mem_ar.addr),
      .ar_len_i(mem_ar.len),
      .r_valid_o(mem_r_valid),
      .r_ready_i(mem_r_ready),
      .r_o(mem_r),
      .own_aw_valid_i(own_aw_valid),
      .own_aw_ready_o(own_aw_ready),
      .own_aw_addr_i(own_aw.addr),
      .own_w_valid_i(own_w_valid),
      .own_w_ready_o(own_w_ready),
      .own_w_i(own_w),
      .own_b_valid_o(own_b_valid),
      .own_b_ready_i(own_b_ready),
      .own_b_resp_o(own_b_resp),
      .num_taken_o,
      .ask_valid_i(ask_valid),
      .ask_ready_o(ask_ready),
      .ask_addr_i(ask_addr),
      .data_valid_o(data_valid),
      .data_o(data),
      .write_valid_i(write_valid),
      .write_ready_o(write_ready),
      .write_addr_i(write_addr),
      .write_data_i(write.data),
      .write_strb_i(write.strb)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_beats_o <= '0;
    end else begin
      for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
        if (dma_w_valid[c] && dma_w_ready[c]) num_beats_o <= num_beats_o + 1;
      end
    end
  end

  noccl_dma u_dma (
      .clk_i,
      .rst_ni,
      .l1_base_i(noccl_cfg_pkg::MAP_BASE[noccl_cfg_pkg::CLUSTER_REGION]),
      .access_i,
      .is_write_i,
      .register_i(noccl_dma_pkg::register_e'(register_i)),
      .write_i,
      .read_o,
      .aw_valid_o(dma_aw_valid),
      .aw_ready_i(dma_aw_ready),
      .aw_o(dma_aw),
      .w_valid_o(dma_w_valid),
      .w_ready_i(dma_w_ready),
      .w_o(dma_w),
      .b_valid_i(dma_b_valid),
      .b_ready_o(dma_b_ready),
      .b_i(dma_b),
      .ar_valid_o(dma_ar_valid),
      .ar_ready_i(dma_ar_ready),
      .ar_o(dma_ar),
      .r_valid_i(dma_r_valid),
      .r_ready_o(dma_r_ready),
      .r_i(dma_r),
      .l1_ask_valid_o(ask_valid),
      .l1_ask_ready_i(ask_ready),
      .l1_ask_addr_o(ask_addr),
      .l1_data_valid_i(data_valid),
      .l1_data_i(data),
      .l1_write_valid_o(write_valid),
      .l1_write_ready_i(write_ready),
      .l1_write_addr_o(write_addr),
      .l1_write_o(write)
  );

  noccl_wide_port_checker u_check (
      .clk_i,
      .rst_ni,
      .aw_valid_i(dma_aw_valid),
      .aw_ready_i(dma_aw_ready),
      .aw_i      (dma_aw),
      .w_valid_i (dma_w_valid),
      .w_ready_i (dma_w_ready),
      .w_i       (dma_w),
      .b_valid_i (dma_b_valid),
      .b_ready_i (dma_b_ready),
      .b_i       (dma_b),
      .ar_valid_i(dma_ar_valid),
      .ar_ready_i(dma_ar_ready),
      .ar_i      (dma_ar),
      .r_valid_i (dma_r_valid),
      .r_ready_i (dma_r_ready),
      .r_i       (dma_r),
      .num_bursts_o
  );

  // ------------------------------------------------------------------------------------ cores and words

  logic reg_aw_valid, reg_aw_ready, reg_w_valid, reg_w_ready, reg_b_valid, reg_b_ready;
  logic reg_ar_valid, reg_ar_ready, reg_r_valid, reg_r_ready;
  noccl_axi_pkg::memory_aw_t reg_aw;
  noccl_axi_pkg::memory_ar_t reg_ar;
  noccl_axi_pkg::narrow_w_t core_w, reg_w;
  noccl_axi_pkg::narrow_aw_t core_aw;
  noccl_axi_pkg::narrow_ar_t core_ar;
  noccl_axi_pkg::narrow_b_t core_b;
  noccl_axi_pkg::narrow_r_t core_r;
  noccl_axi_pkg::memory_narrow_r_t reg_r;
  noccl_flit_pkg::resp_e reg_b_resp;

  always_comb begin
    core_aw = '0;
    core_aw.id = core_aw_id_i;
    core_aw.addr = core_aw_addr_i;
    core_aw.size = 3'd3;
    core_aw.burst = noccl_axi_pkg::BURST_INCR;
    core_aw.atop = core_aw_is_atomic_i ? noccl_axi_pkg::ATOP_LOAD_ADD : noccl_axi_pkg::ATOP_NONE;
    core_w = '{data: core_w_data_i, strb: core_w_strb_i, last: 1'b1};
    core_ar = '0;
    core_ar.id = core_ar_id_i;
    core_ar.addr = core_ar_addr_i;
    core_ar.size = 3'd3;
    core_ar.burst = noccl_axi_pkg::BURST_INCR;
  end
  assign {core_b_id_o, core_b_resp_o} = core_b;
  assign core_r_id_o = core_r.id;
  assign core_r_data_o = core_r.data;
  assign core_r_resp_o = core_r.resp;

  noccl_narrow_checker u_check_core (
      .clk_i,
      .rst_ni,
      .aw_valid_i(core_aw_valid_i),
      .aw_ready_i(core_aw_ready_o),
      .aw_i(core_aw),
      .w_valid_i(core_w_valid_i),
      .w_ready_i(core_w_ready_o),
      .w_i(core_w),
      .b_valid_i(core_b_valid_o),
      .b_ready_i(core_b_ready_i),
      .b_i(core_b),
      .ar_valid_i(core_ar_valid_i),
      .ar_ready_i(core_ar_ready_o),
      .ar_i(core_ar),
      .r_valid_i(core_r_valid_o),
      .r_ready_i(core_r_ready_i),
      .r_i(core_r)
  );

  noccl_dma_words u_words (
      .clk_i,
      .rst_ni,
      .hold_i(hold_i[4]),
      .aw_valid_i(reg_aw_valid),
      .aw_ready_o(reg_aw_ready),
      .aw_i(reg_aw),
      .w_valid_i(reg_w_valid),
      .w_ready_o(reg_w_ready),
      .w_i(reg_w),
      .b_valid_o(reg_b_valid),
      .b_ready_i(reg_b_ready),
      .b_resp_o(reg_b_resp),
      .ar_valid_i(reg_ar_valid),
      .ar_ready_o(reg_ar_ready),
      .ar_addr_i(reg_ar.addr),
      .r_valid_o(reg_r_valid),
      .r_ready_i(reg_r_ready),
      .r_o(reg_r)
  );

  noccl_ni_loop #(
      .PlaysOthers(1'b1)
  ) u_tile (
      .clk_i,
      .rst_ni,
      .hold_i(hold_i[2:0]),
      .num_flits_o(),
      .wide_aw_valid_i(dma_aw_valid),
      .wide_aw_ready_o(dma_aw_ready),
      .wide_aw_i(dma_aw),
      .wide_w_valid_i(dma_w_valid),
      .wide_w_ready_o(dma_w_ready),
      .wide_w_i(dma_w),
      .wide_b_valid_o(dma_b_valid),
      .wide_b_ready_i(dma_b_ready),
      .wide_b_o(dma_b),
      .wide_ar_valid_i(dma_ar_valid),
      .wide_ar_ready_o(dma_ar_ready),
      .wide_ar_i(dma_ar),
      .wide_r_valid_o(dma_r_valid),
      .wide_r_ready_i(dma_r_ready),
      .wide_r_o(dma_r),
      .narrow_aw_valid_i(core_aw_valid_i),
      .narrow_aw_ready_o(core_aw_ready_o),
      .narrow_aw_i(core_aw),
      .narrow_w_valid_i(core_w_valid_i),
      .narrow_w_ready_o(core_w_ready_o),
      .narrow_w_i(core_w),
      .narrow_b_valid_o(core_b_valid_o),
      .narrow_b_ready_i(core_b_ready_i),
      .narrow_b_o(core_b),
      .narrow_ar_valid_i(core_ar_valid_i),
      .narrow_ar_ready_o(core_ar_ready_o),
      .narrow_ar_i(core_ar),
      .narrow_r_valid_o(core_r_valid_o),
      .narrow_r_ready_i(core_r_ready_i),
      .narrow_r_o(core_r),
      .mem_aw_valid_o(mem_aw_valid),
      .mem_aw_ready_i(mem_aw_ready),
      .mem_aw_o(mem_aw),
      .mem_w_valid_o(mem_w_valid),
      .mem_w_ready_i(mem_w_ready),
      .mem_w_o(mem_w),
      .mem_b_valid_i(mem_b_valid),
      .mem_b_ready_o(mem_b_ready),
      .mem_b_resp_i(mem_b_resp),
      .mem_ar_valid_o(mem_ar_valid),
      .mem_ar_ready_i(mem_ar_ready),
      .mem_ar_o(mem_ar),
      .mem_r_valid_i(mem_r_valid),
      .mem_r_ready_o(mem_r_ready),
      .mem_r_i(mem_r),
      .own_aw_valid_o(own_aw_valid),
      .own_aw_ready_i(own_aw_ready),
      .own_aw_o(own_aw),
      .own_w_valid_o(own_w_valid),
      .own_w_ready_i(own_w_ready),
      .own_w_o(own_w),
      .own_b_valid_i(own_b_valid),
      .own_b_ready_o(own_b_ready),
      .own_b_resp_i(own_b_resp),
      .reg_aw_valid_o(reg_aw_valid),
      .reg_aw_ready_i(reg_aw_ready),
      .reg_aw_o(reg_aw),
      .reg_w_valid_o(reg_w_valid),
      .reg_w_ready_i(reg_w_ready),
      .reg_w_o(reg_w),
      .reg_b_valid_i(reg_b_valid),
      .reg_b_ready_o(reg_b_ready),
      .reg_b_resp_i(reg_b_resp),
      .reg_ar_valid_o(reg_ar_valid),
      .reg_ar_ready_i(reg_ar_ready),
      .reg_ar_o(reg_ar),
      .reg_r_valid_i(reg_r_valid),
      .reg_r_ready_o(reg_r_ready),
      .reg_r_i(reg_r),
      .own_reg_aw_valid_o(),
      .own_reg_aw_ready_i(1'b1),
      .own_reg_aw_o(),
      .own_reg_w_valid_o(),
      .own_reg_w_ready_i(1'b1),
      .own_reg_w_o(),
      .own_reg_b_valid_i(1'b0),
      .own_reg_b_ready_o(),
      .own_reg_b_resp_i(noccl_flit_pkg::RESP_OKAY)
  );

endmodule
