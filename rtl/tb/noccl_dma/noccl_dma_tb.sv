// SPDX-License-Identifier: Apache-2.0
//
// A DMA engine behind a network interface whose network leads back to it. Whatever address another tile has, its bytes lie in
// this tile's L1, so that every kind of transfer can be seen in one memory. L1 answers in the next cycle unless held up.

module noccl_dma_tb (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Planes wide, req, rsp and L1 that stand still in this cycle.
    input  logic [  3:0] hold_i,
    /// Registers of the engine.
    input  logic         access_i,
    input  logic         is_write_i,
    input  logic [  3:0] register_i,
    input  logic [ 63:0] write_i,
    output logic [ 63:0] read_o,
    /// The test's own way into L1: a line is written, or read in the same cycle.
    input  logic         host_write_i,
    input  logic [ 10:0] host_line_i,
    input  logic [511:0] host_data_i,
    output logic [511:0] host_data_o,
    /// Beats that the engine has put on W so far.
    output logic [ 31:0] num_beats_o,
    /// Its bursts that have been answered.
    output logic [ 31:0] num_bursts_o
);

  import noccl_cfg_pkg::WIDE_CHANNELS;

  localparam noccl_flit_pkg::coord_t POSITION = '{
      x: noccl_cfg_pkg::X_BITS'(noccl_cfg_pkg::REGION_X),
      y: noccl_cfg_pkg::Y_BITS'(noccl_cfg_pkg::REGION_Y)
  };
  localparam int unsigned LINES = 2048;

  logic dma_aw_valid[WIDE_CHANNELS], dma_aw_ready[WIDE_CHANNELS];
  logic dma_w_valid[WIDE_CHANNELS], dma_w_ready[WIDE_CHANNELS];
  logic dma_b_valid[WIDE_CHANNELS], dma_b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_aw_t dma_aw[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t  dma_w [WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t  dma_b [WIDE_CHANNELS];
  logic dma_ar_valid, dma_ar_ready, dma_r_valid, dma_r_ready;
  noccl_axi_pkg::wide_ar_t dma_ar;
  noccl_axi_pkg::wide_r_t dma_r;

  // ------------------------------------------------------------------------------------------------- L1

  logic [511:0] lines[LINES];
  logic ask_valid, ask_ready, data_valid_q, write_valid, write_ready;
  noccl_flit_pkg::offset_t ask_addr, write_addr;
  noccl_flit_pkg::wide_data_t data_q;
  noccl_axi_pkg::wide_w_t write;

  logic mem_aw_valid, mem_aw_ready, mem_w_valid, mem_w_ready, mem_b_valid, mem_b_ready;
  logic mem_ar_valid, mem_ar_ready, mem_r_valid, mem_r_ready;
  logic own_aw_valid, own_aw_ready, own_w_valid, own_w_ready, own_b_valid, own_b_ready;
  noccl_axi_pkg::memory_aw_t mem_aw, own_aw;
  noccl_axi_pkg::memory_ar_t mem_ar;
  noccl_axi_pkg::wide_w_t mem_w, own_w;
  noccl_flit_pkg::resp_e mem_b_resp, own_b_resp;
  noccl_axi_pkg::memory_wide_r_t mem_r;

  // Writes are taken when address and data are both here and the one before is answered or about to be.
  logic mem_writes, own_writes, reads_q, l1_moves;
  noccl_axi_pkg::memory_ar_t read_q;
  noccl_flit_pkg::left_t beat_q;

  assign l1_moves = !hold_i[3];
  assign mem_writes = l1_moves && mem_aw_valid && mem_w_valid && (!mem_b_valid || mem_b_ready);
  assign own_writes = l1_moves && own_aw_valid && own_w_valid && (!own_b_valid || own_b_ready);
  assign {mem_aw_ready, mem_w_ready} = {2{mem_writes}};
  assign {own_aw_ready, own_w_ready} = {2{own_writes}};
  assign mem_b_resp = noccl_flit_pkg::RESP_OKAY;
  assign own_b_resp = noccl_flit_pkg::RESP_OKAY;
  assign mem_ar_ready = !reads_q;
  assign mem_r_valid = reads_q;
  assign mem_r.data = lines[11'(read_q.addr>>6)+11'(beat_q)];
  assign mem_r.resp = noccl_flit_pkg::RESP_OKAY;
  assign mem_r.last = beat_q == read_q.len;
  assign ask_ready = l1_moves;
  assign write_ready = l1_moves;
  assign host_data_o = lines[host_line_i];

  function automatic logic [511:0] merged(logic [511:0] old, noccl_axi_pkg::wide_w_t w);
    for (int i = 0; i < 64; i++) if (w.strb[i]) old[8*i+:8] = w.data[8*i+:8];
    return old;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      mem_b_valid <= 1'b0;
      own_b_valid <= 1'b0;
      reads_q <= 1'b0;
      beat_q <= '0;
      data_valid_q <= 1'b0;
      num_beats_o <= '0;
    end else begin
      mem_b_valid  <= mem_writes || (mem_b_valid && !mem_b_ready);
      own_b_valid  <= own_writes || (own_b_valid && !own_b_ready);
      data_valid_q <= ask_valid && ask_ready;
      if (mem_ar_valid && mem_ar_ready) reads_q <= 1'b1;
      if (mem_r_valid && mem_r_ready) begin
        beat_q <= mem_r.last ? '0 : beat_q + 1'b1;
        if (mem_r.last) reads_q <= 1'b0;
      end
      for (int c = 0; c < int'(WIDE_CHANNELS); c++)
      if (dma_w_valid[c] && dma_w_ready[c]) num_beats_o <= num_beats_o + 1;
    end
  end

  always_ff @(posedge clk_i) begin
    if (mem_ar_valid && mem_ar_ready) read_q <= mem_ar;
    data_q <= lines[11'(ask_addr>>6)];
    if (host_write_i) lines[host_line_i] <= host_data_i;
    if (mem_writes) lines[11'(mem_aw.addr>>6)] <= merged(lines[11'(mem_aw.addr>>6)], mem_w);
    if (own_writes) lines[11'(own_aw.addr>>6)] <= merged(lines[11'(own_aw.addr>>6)], own_w);
    if (write_valid && write_ready)
      lines[11'(write_addr>>6)] <= merged(lines[11'(write_addr>>6)], write);
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
      .l1_data_valid_i(data_valid_q),
      .l1_data_i(data_q),
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

  // ---------------------------------------------------------------------------------- looped-back planes

  logic wide_out_valid, wide_out_ready, wide_in_valid, wide_in_ready;
  logic req_out_valid, req_out_ready, req_in_valid, req_in_ready;
  logic rsp_out_valid, rsp_out_ready, rsp_in_valid, rsp_in_ready;
  noccl_flit_pkg::wide_flit_t wide_out, wide_in, wide_back;
  noccl_flit_pkg::req_flit_t req_out, req_in;
  noccl_flit_pkg::rsp_flit_t rsp_out, rsp_in;

  noccl_loop #(
      .flit_t(noccl_flit_pkg::wide_flit_t)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .hold_i (hold_i[0]),
      .valid_i(wide_out_valid),
      .ready_o(wide_out_ready),
      .flit_i (wide_out),
      .valid_o(wide_in_valid),
      .ready_i(wide_in_ready),
      .flit_o (wide_back)
  );
  noccl_loop #(
      .flit_t(noccl_flit_pkg::req_flit_t),
      .Plane (32'd1)
  ) u_req (
      .clk_i,
      .rst_ni,
      .hold_i (hold_i[1]),
      .valid_i(req_out_valid),
      .ready_o(req_out_ready),
      .flit_i (req_out),
      .valid_o(req_in_valid),
      .ready_i(req_in_ready),
      .flit_o (req_in)
  );
  noccl_loop #(
      .flit_t(noccl_flit_pkg::rsp_flit_t),
      .Plane (32'd2)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .hold_i (hold_i[2]),
      .valid_i(rsp_out_valid),
      .ready_o(rsp_out_ready),
      .flit_i (rsp_out),
      .valid_o(rsp_in_valid),
      .ready_i(rsp_in_ready),
      .flit_o (rsp_in)
  );

  // A beat for another tile comes back as one from another tile: this one's are counted until they have landed.
  always_comb begin
    wide_in = wide_back;
    if (!wide_in.hdr.multicast && wide_in.hdr.dst != POSITION) wide_in.hdr.src = wide_in.hdr.dst;
  end

  noccl_ni u_ni (
      .clk_i,
      .rst_ni,
      .pos_i(POSITION),
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
      .narrow_aw_valid_i(1'b0),
      .narrow_aw_ready_o(),
      .narrow_aw_i('0),
      .narrow_w_valid_i(1'b0),
      .narrow_w_ready_o(),
      .narrow_w_i('0),
      .narrow_b_valid_o(),
      .narrow_b_ready_i(1'b1),
      .narrow_b_o(),
      .narrow_ar_valid_i(1'b0),
      .narrow_ar_ready_o(),
      .narrow_ar_i('0),
      .narrow_r_valid_o(),
      .narrow_r_ready_i(1'b1),
      .narrow_r_o(),
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
      .reg_aw_valid_o(),
      .reg_aw_ready_i(1'b1),
      .reg_aw_o(),
      .reg_w_valid_o(),
      .reg_w_ready_i(1'b1),
      .reg_w_o(),
      .reg_b_valid_i(1'b0),
      .reg_b_ready_o(),
      .reg_b_resp_i(noccl_flit_pkg::RESP_OKAY),
      .reg_ar_valid_o(),
      .reg_ar_ready_i(1'b1),
      .reg_ar_o(),
      .reg_r_valid_i(1'b0),
      .reg_r_ready_o(),
      .reg_r_i('0),
      .own_reg_aw_valid_o(),
      .own_reg_aw_ready_i(1'b1),
      .own_reg_aw_o(),
      .own_reg_w_valid_o(),
      .own_reg_w_ready_i(1'b1),
      .own_reg_w_o(),
      .own_reg_b_valid_i(1'b0),
      .own_reg_b_ready_o(),
      .own_reg_b_resp_i(noccl_flit_pkg::RESP_OKAY),
      .unit_credit_valid_i(1'b0),
      .unit_credit_ready_o(),
      .unit_credit_to_i('0),
      .unit_credit_i('0),
      .own_credit_valid_i(1'b0),
      .own_credit_i('0),
      .credit_valid_o(),
      .credit_o(),
      .credit_is_for_unit_i(1'b0),
      .wide_out_valid_o(wide_out_valid),
      .wide_out_ready_i(wide_out_ready),
      .wide_out_o(wide_out),
      .wide_in_valid_i(wide_in_valid),
      .wide_in_ready_o(wide_in_ready),
      .wide_in_i(wide_in),
      .req_out_valid_o(req_out_valid),
      .req_out_ready_i(req_out_ready),
      .req_out_o(req_out),
      .req_in_valid_i(req_in_valid),
      .req_in_ready_o(req_in_ready),
      .req_in_i(req_in),
      .rsp_out_valid_o(rsp_out_valid),
      .rsp_out_ready_i(rsp_out_ready),
      .rsp_out_o(rsp_out),
      .rsp_in_valid_i(rsp_in_valid),
      .rsp_in_ready_o(rsp_in_ready),
      .rsp_in_i(rsp_in)
  );

endmodule
