// SPDX-License-Identifier: Apache-2.0
//
// What a tile has behind its routers: network interface and, in a cluster, the DMA engine before
// its wide port. Wiring only.
//
// Latency, throughput, ordering: those of `noccl_ni` and `noccl_dma`.
// Combinational paths: those of the two; none from an AXI port of the tile to another.
// Freedom from deadlock: docs/rtl/noccl_system.md.
// Mirror: a tile's `Ni` and `Dma` in crates/noccl-sim/src/machine; docs/design/0004.

module noccl_endpoint
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// A DMA engine drives the wide port; without, the wide port comes out.
    parameter bit HasDma = 1'b1,
    /// Wide reads in service at the memory.
    parameter int unsigned WideReads = 4,
    /// Beats and narrow writes whose response from the memory is open.
    parameter int unsigned Responses = 4,
    /// Collectives exist; without, AWUSER is ignored and nothing of them remains.
    parameter bit HasCollectives = 1'b1
) (
    /// Clock.
    input  logic                                   clk_i,
    /// Asynchronous reset, active low.
    input  logic                                   rst_ni,
    /// Coordinate of this tile; constant.
    input  noccl_flit_pkg::coord_t                 position_i,
    /// First address of the own L1; constant; ignored without an engine.
    input  noccl_axi_pkg::addr_t                   l1_base_i,
    /// Registers of the engine; ignored without one.
    input  noccl_endpoint_pkg::dma_access_t        dma_i,
    /// The response, in the cycle of the access.
    output logic                            [63:0] dma_o,
    /// The engine at the own L1.
    output noccl_endpoint_pkg::l1_mgr_t            l1_o,
    input  noccl_endpoint_pkg::l1_sbr_t            l1_i,
    /// Wide port for a manager of the chip's own; ignored and silent with an engine.
    input  noccl_endpoint_pkg::wide_mgr_t          wide_i,
    output noccl_endpoint_pkg::wide_sbr_t          wide_o,
    /// Narrow port, faces the cores.
    input  noccl_endpoint_pkg::narrow_mgr_t        narrow_i,
    output noccl_endpoint_pkg::narrow_sbr_t        narrow_o,
    /// Ports at the memory.
    output noccl_endpoint_pkg::memory_mgr_t        memory_o,
    input  noccl_endpoint_pkg::memory_sbr_t        memory_i,
    /// Credits of the tile's merge point for a sender elsewhere; stay until ready.
    input  logic                                   credit_return_valid_i,
    output logic                                   credit_return_ready_o,
    input  noccl_flit_pkg::coord_t                 credit_return_dst_i,
    input  noccl_collective_pkg::name_t            credit_return_name_i,
    /// Credits for this tile.
    input  logic                                   own_valid_i,
    input  noccl_collective_pkg::name_t            own_name_i,
    /// Credits from others for it, or, without a hit, to this tile.
    output logic                                   credit_valid_o,
    output noccl_collective_pkg::name_t            credit_name_o,
    input  logic                                   credit_hit_i,
    /// Local ports of the tile's routers, all planes: what they show, and what the endpoint shows.
    input  noccl_flit_pkg::links_t                 link_i,
    output noccl_flit_pkg::links_t                 link_o
);

  // ----------------------------------------------------------------------------------------- wide port

  logic aw_valid[WIDE_CHANNELS], aw_ready[WIDE_CHANNELS], w_valid[WIDE_CHANNELS];
  logic w_ready[WIDE_CHANNELS], b_valid[WIDE_CHANNELS], b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_aw_t aw[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t  w [WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t  b [WIDE_CHANNELS];
  logic ar_valid, ar_ready, r_valid, r_ready;
  noccl_axi_pkg::wide_ar_t ar;
  noccl_axi_pkg::wide_r_t  r;

  if (HasDma) begin : gen_dma
    noccl_dma #(
        .BufferLines(noccl_cfg_pkg::DMA_BUFFER_BEATS)
    ) u_dma (
        .clk_i,
        .rst_ni,
        .l1_base_i,
        .access_i        (dma_i.valid),
        .is_write_i      (dma_i.is_write),
        .register_i      (dma_i.register_idx),
        .write_i         (dma_i.data),
        .read_o          (dma_o),
        .aw_valid_o      (aw_valid),
        .aw_ready_i      (aw_ready),
        .aw_o            (aw),
        .w_valid_o       (w_valid),
        .w_ready_i       (w_ready),
        .w_o             (w),
        .b_valid_i       (b_valid),
        .b_ready_o       (b_ready),
        .b_i             (b),
        .ar_valid_o      (ar_valid),
        .ar_ready_i      (ar_ready),
        .ar_o            (ar),
        .r_valid_i       (r_valid),
        .r_ready_o       (r_ready),
        .r_i             (r),
        .l1_ask_valid_o  (l1_o.ask_valid),
        .l1_ask_ready_i  (l1_i.ask_ready),
        .l1_ask_addr_o   (l1_o.ask_addr),
        .l1_data_valid_i (l1_i.data_valid),
        .l1_data_i       (l1_i.data),
        .l1_write_valid_o(l1_o.write_valid),
        .l1_write_ready_i(l1_i.write_ready),
        .l1_write_addr_o (l1_o.write_addr),
        .l1_write_o      (l1_o.write)
    );
    assign wide_o = '0;
  end else begin : gen_wide
    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
      assign aw_valid[c] = wide_i.write[c].aw_valid;
      assign aw[c] = wide_i.write[c].aw;
      assign w_valid[c] = wide_i.write[c].w_valid;
      assign w[c] = wide_i.write[c].w;
      assign b_ready[c] = wide_i.write[c].b_ready;
      assign wide_o.write[c].aw_ready = aw_ready[c];
      assign wide_o.write[c].w_ready = w_ready[c];
      assign wide_o.write[c].b_valid = b_valid[c];
      assign wide_o.write[c].b = b[c];
    end
    assign ar_valid = wide_i.ar_valid;
    assign ar = wide_i.ar;
    assign r_ready = wide_i.r_ready;
    assign wide_o.ar_ready = ar_ready;
    assign wide_o.r_valid = r_valid;
    assign wide_o.r = r;
    assign dma_o = '0;
    assign l1_o = '0;
  end

  // --------------------------------------------------------------------------------- network interface

  localparam noccl_flit_pkg::count_t Batch = noccl_flit_pkg::count_t'(noccl_cfg_pkg::CREDIT_BEATS);
  noccl_ni_pkg::credit_t returned, own, given;

  assign returned = '{
          root: credit_return_name_i.root,
          tag: credit_return_name_i.tag,
          beats: Batch
      };
  assign own = '{root: own_name_i.root, tag: own_name_i.tag, beats: Batch};
  assign credit_name_o = '{root: given.root, tag: given.tag};

  noccl_ni #(
      .WideReads     (WideReads),
      .Responses     (Responses),
      .HasCollectives(HasCollectives)
  ) u_ni (
      .clk_i,
      .rst_ni,
      .pos_i               (position_i),
      .wide_aw_valid_i     (aw_valid),
      .wide_aw_ready_o     (aw_ready),
      .wide_aw_i           (aw),
      .wide_w_valid_i      (w_valid),
      .wide_w_ready_o      (w_ready),
      .wide_w_i            (w),
      .wide_b_valid_o      (b_valid),
      .wide_b_ready_i      (b_ready),
      .wide_b_o            (b),
      .wide_ar_valid_i     (ar_valid),
      .wide_ar_ready_o     (ar_ready),
      .wide_ar_i           (ar),
      .wide_r_valid_o      (r_valid),
      .wide_r_ready_i      (r_ready),
      .wide_r_o            (r),
      .narrow_aw_valid_i   (narrow_i.aw_valid),
      .narrow_aw_ready_o   (narrow_o.aw_ready),
      .narrow_aw_i         (narrow_i.aw),
      .narrow_w_valid_i    (narrow_i.w_valid),
      .narrow_w_ready_o    (narrow_o.w_ready),
      .narrow_w_i          (narrow_i.w),
      .narrow_b_valid_o    (narrow_o.b_valid),
      .narrow_b_ready_i    (narrow_i.b_ready),
      .narrow_b_o          (narrow_o.b),
      .narrow_ar_valid_i   (narrow_i.ar_valid),
      .narrow_ar_ready_o   (narrow_o.ar_ready),
      .narrow_ar_i         (narrow_i.ar),
      .narrow_r_valid_o    (narrow_o.r_valid),
      .narrow_r_ready_i    (narrow_i.r_ready),
      .narrow_r_o          (narrow_o.r),
      .mem_aw_valid_o      (memory_o.wide.write.aw_valid),
      .mem_aw_ready_i      (memory_i.wide.write.aw_ready),
      .mem_aw_o            (memory_o.wide.write.aw),
      .mem_w_valid_o       (memory_o.wide.write.w_valid),
      .mem_w_ready_i       (memory_i.wide.write.w_ready),
      .mem_w_o             (memory_o.wide.write.w),
      .mem_b_valid_i       (memory_i.wide.write.b_valid),
      .mem_b_ready_o       (memory_o.wide.write.b_ready),
      .mem_b_resp_i        (memory_i.wide.write.b_resp),
      .mem_ar_valid_o      (memory_o.wide.ar_valid),
      .mem_ar_ready_i      (memory_i.wide.ar_ready),
      .mem_ar_o            (memory_o.wide.ar),
      .mem_r_valid_i       (memory_i.wide.r_valid),
      .mem_r_ready_o       (memory_o.wide.r_ready),
      .mem_r_i             (memory_i.wide.r),
      .own_aw_valid_o      (memory_o.own_wide.aw_valid),
      .own_aw_ready_i      (memory_i.own_wide.aw_ready),
      .own_aw_o            (memory_o.own_wide.aw),
      .own_w_valid_o       (memory_o.own_wide.w_valid),
      .own_w_ready_i       (memory_i.own_wide.w_ready),
      .own_w_o             (memory_o.own_wide.w),
      .own_b_valid_i       (memory_i.own_wide.b_valid),
      .own_b_ready_o       (memory_o.own_wide.b_ready),
      .own_b_resp_i        (memory_i.own_wide.b_resp),
      .reg_aw_valid_o      (memory_o.narrow.write.aw_valid),
      .reg_aw_ready_i      (memory_i.narrow.write.aw_ready),
      .reg_aw_o            (memory_o.narrow.write.aw),
      .reg_w_valid_o       (memory_o.narrow.write.w_valid),
      .reg_w_ready_i       (memory_i.narrow.write.w_ready),
      .reg_w_o             (memory_o.narrow.write.w),
      .reg_b_valid_i       (memory_i.narrow.write.b_valid),
      .reg_b_ready_o       (memory_o.narrow.write.b_ready),
      .reg_b_resp_i        (memory_i.narrow.write.b_resp),
      .reg_ar_valid_o      (memory_o.narrow.ar_valid),
      .reg_ar_ready_i      (memory_i.narrow.ar_ready),
      .reg_ar_o            (memory_o.narrow.ar),
      .reg_r_valid_i       (memory_i.narrow.r_valid),
      .reg_r_ready_o       (memory_o.narrow.r_ready),
      .reg_r_i             (memory_i.narrow.r),
      .own_reg_aw_valid_o  (memory_o.own_narrow.aw_valid),
      .own_reg_aw_ready_i  (memory_i.own_narrow.aw_ready),
      .own_reg_aw_o        (memory_o.own_narrow.aw),
      .own_reg_w_valid_o   (memory_o.own_narrow.w_valid),
      .own_reg_w_ready_i   (memory_i.own_narrow.w_ready),
      .own_reg_w_o         (memory_o.own_narrow.w),
      .own_reg_b_valid_i   (memory_i.own_narrow.b_valid),
      .own_reg_b_ready_o   (memory_o.own_narrow.b_ready),
      .own_reg_b_resp_i    (memory_i.own_narrow.b_resp),
      .unit_credit_valid_i (credit_return_valid_i),
      .unit_credit_ready_o (credit_return_ready_o),
      .unit_credit_to_i    (credit_return_dst_i),
      .unit_credit_i       (returned),
      .own_credit_valid_i  (own_valid_i),
      .own_credit_i        (own),
      .credit_valid_o,
      .credit_o            (given),
      .credit_is_for_unit_i(credit_hit_i),
      .wide_out_valid_o    (link_o.wide.valid),
      .wide_out_ready_i    (link_i.wide.ready),
      .wide_out_o          (link_o.wide.flit),
      .wide_in_valid_i     (link_i.wide.valid),
      .wide_in_ready_o     (link_o.wide.ready),
      .wide_in_i           (link_i.wide.flit),
      .req_out_valid_o     (link_o.req.valid),
      .req_out_ready_i     (link_i.req.ready),
      .req_out_o           (link_o.req.flit),
      .req_in_valid_i      (link_i.req.valid),
      .req_in_ready_o      (link_o.req.ready),
      .req_in_i            (link_i.req.flit),
      .rsp_out_valid_o     (link_o.rsp.valid),
      .rsp_out_ready_i     (link_i.rsp.ready),
      .rsp_out_o           (link_o.rsp.flit),
      .rsp_in_valid_i      (link_i.rsp.valid),
      .rsp_in_ready_o      (link_o.rsp.ready),
      .rsp_in_i            (link_i.rsp.flit)
  );

endmodule
