// SPDX-License-Identifier: Apache-2.0
//
// A network interface whose network leads back to it: every plane is a FIFO from the router's side out to in, which the test may
// hold up. So the tile is initiator and target, and the other member of its groups. Plain AXI signals for the bus models.

module noccl_ni_tb (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Planes wide, req, rsp that stand still in this cycle.
    input logic [2:0] hold_i,
    /// Flits that have passed each plane.
    output logic [2:0][31:0] num_flits_o,
    input logic [3-1:0] s_wide_awid,
    input logic [48-1:0] s_wide_awaddr,
    input logic [8-1:0] s_wide_awlen,
    input logic [3-1:0] s_wide_awsize,
    input logic [2-1:0] s_wide_awburst,
    input logic s_wide_awvalid,
    output logic s_wide_awready,
    input logic [64-1:0] s_wide_awuser,
    input logic [512-1:0] s_wide_wdata,
    input logic [64-1:0] s_wide_wstrb,
    input logic s_wide_wlast,
    input logic s_wide_wvalid,
    output logic s_wide_wready,
    output logic [3-1:0] s_wide_bid,
    output logic [2-1:0] s_wide_bresp,
    output logic s_wide_bvalid,
    input logic s_wide_bready,
    input logic [5-1:0] s_wide_arid,
    input logic [48-1:0] s_wide_araddr,
    input logic [8-1:0] s_wide_arlen,
    input logic [3-1:0] s_wide_arsize,
    input logic [2-1:0] s_wide_arburst,
    input logic s_wide_arvalid,
    output logic s_wide_arready,
    output logic [5-1:0] s_wide_rid,
    output logic [512-1:0] s_wide_rdata,
    output logic [2-1:0] s_wide_rresp,
    output logic s_wide_rlast,
    output logic s_wide_rvalid,
    input logic s_wide_rready,
    input logic [3-1:0] s_narrow_awid,
    input logic [48-1:0] s_narrow_awaddr,
    input logic [8-1:0] s_narrow_awlen,
    input logic [3-1:0] s_narrow_awsize,
    input logic [2-1:0] s_narrow_awburst,
    input logic s_narrow_awvalid,
    output logic s_narrow_awready,
    input logic [63-1:0] s_narrow_awuser,
    input logic [6-1:0] s_narrow_awatop,
    input logic [64-1:0] s_narrow_wdata,
    input logic [8-1:0] s_narrow_wstrb,
    input logic s_narrow_wlast,
    input logic s_narrow_wvalid,
    output logic s_narrow_wready,
    output logic [3-1:0] s_narrow_bid,
    output logic [2-1:0] s_narrow_bresp,
    output logic s_narrow_bvalid,
    input logic s_narrow_bready,
    input logic [3-1:0] s_narrow_arid,
    input logic [48-1:0] s_narrow_araddr,
    input logic [8-1:0] s_narrow_arlen,
    input logic [3-1:0] s_narrow_arsize,
    input logic [2-1:0] s_narrow_arburst,
    input logic s_narrow_arvalid,
    output logic s_narrow_arready,
    output logic [3-1:0] s_narrow_rid,
    output logic [64-1:0] s_narrow_rdata,
    output logic [2-1:0] s_narrow_rresp,
    output logic s_narrow_rlast,
    output logic s_narrow_rvalid,
    input logic s_narrow_rready,
    output logic m_mem_awid,
    output logic [48-1:0] m_mem_awaddr,
    output logic [8-1:0] m_mem_awlen,
    output logic [3-1:0] m_mem_awsize,
    output logic [2-1:0] m_mem_awburst,
    output logic m_mem_awvalid,
    input logic m_mem_awready,
    output logic [512-1:0] m_mem_wdata,
    output logic [64-1:0] m_mem_wstrb,
    output logic m_mem_wlast,
    output logic m_mem_wvalid,
    input logic m_mem_wready,
    input logic m_mem_bid,
    input logic [2-1:0] m_mem_bresp,
    input logic m_mem_bvalid,
    output logic m_mem_bready,
    output logic m_mem_arid,
    output logic [48-1:0] m_mem_araddr,
    output logic [8-1:0] m_mem_arlen,
    output logic [3-1:0] m_mem_arsize,
    output logic [2-1:0] m_mem_arburst,
    output logic m_mem_arvalid,
    input logic m_mem_arready,
    input logic m_mem_rid,
    input logic [512-1:0] m_mem_rdata,
    input logic [2-1:0] m_mem_rresp,
    input logic m_mem_rlast,
    input logic m_mem_rvalid,
    output logic m_mem_rready,
    output logic m_own_awid,
    output logic [48-1:0] m_own_awaddr,
    output logic [8-1:0] m_own_awlen,
    output logic [3-1:0] m_own_awsize,
    output logic [2-1:0] m_own_awburst,
    output logic m_own_awvalid,
    input logic m_own_awready,
    output logic [512-1:0] m_own_wdata,
    output logic [64-1:0] m_own_wstrb,
    output logic m_own_wlast,
    output logic m_own_wvalid,
    input logic m_own_wready,
    input logic m_own_bid,
    input logic [2-1:0] m_own_bresp,
    input logic m_own_bvalid,
    output logic m_own_bready,
    output logic m_reg_awid,
    output logic [48-1:0] m_reg_awaddr,
    output logic [8-1:0] m_reg_awlen,
    output logic [3-1:0] m_reg_awsize,
    output logic [2-1:0] m_reg_awburst,
    output logic m_reg_awvalid,
    input logic m_reg_awready,
    output logic [6-1:0] m_reg_awatop,
    output logic [64-1:0] m_reg_wdata,
    output logic [8-1:0] m_reg_wstrb,
    output logic m_reg_wlast,
    output logic m_reg_wvalid,
    input logic m_reg_wready,
    input logic m_reg_bid,
    input logic [2-1:0] m_reg_bresp,
    input logic m_reg_bvalid,
    output logic m_reg_bready,
    output logic m_reg_arid,
    output logic [48-1:0] m_reg_araddr,
    output logic [8-1:0] m_reg_arlen,
    output logic [3-1:0] m_reg_arsize,
    output logic [2-1:0] m_reg_arburst,
    output logic m_reg_arvalid,
    input logic m_reg_arready,
    input logic m_reg_rid,
    input logic [64-1:0] m_reg_rdata,
    input logic [2-1:0] m_reg_rresp,
    input logic m_reg_rlast,
    input logic m_reg_rvalid,
    output logic m_reg_rready,
    output logic m_ownreg_awid,
    output logic [48-1:0] m_ownreg_awaddr,
    output logic [8-1:0] m_ownreg_awlen,
    output logic [3-1:0] m_ownreg_awsize,
    output logic [2-1:0] m_ownreg_awburst,
    output logic m_ownreg_awvalid,
    input logic m_ownreg_awready,
    output logic [64-1:0] m_ownreg_wdata,
    output logic [8-1:0] m_ownreg_wstrb,
    output logic m_ownreg_wlast,
    output logic m_ownreg_wvalid,
    input logic m_ownreg_wready,
    input logic m_ownreg_bid,
    input logic [2-1:0] m_ownreg_bresp,
    input logic m_ownreg_bvalid,
    output logic m_ownreg_bready
);

  import noccl_cfg_pkg::WIDE_CHANNELS;

  // ---------------------------------------------------------------------------------------- wide port

  logic wide_aw_valid[WIDE_CHANNELS], wide_aw_ready[WIDE_CHANNELS];
  logic wide_w_valid[WIDE_CHANNELS], wide_w_ready[WIDE_CHANNELS];
  logic wide_b_valid[WIDE_CHANNELS], wide_b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_aw_t wide_aw[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t wide_w[WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t wide_b[WIDE_CHANNELS];
  noccl_axi_pkg::wide_ar_t wide_ar;
  noccl_axi_pkg::wide_r_t wide_r;
  noccl_axi_pkg::narrow_aw_t narrow_aw;
  noccl_axi_pkg::narrow_w_t narrow_w;
  noccl_axi_pkg::narrow_b_t narrow_b;
  noccl_axi_pkg::narrow_ar_t narrow_ar;
  noccl_axi_pkg::narrow_r_t narrow_r;

  for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
    if (c == 0) begin : gen_first
      assign wide_aw_valid[c] = s_wide_awvalid;
      assign wide_w_valid[c] = s_wide_wvalid;
      assign wide_b_ready[c] = s_wide_bready;
      assign wide_aw[c] = {
        s_wide_awid, s_wide_awaddr, s_wide_awlen, s_wide_awsize, s_wide_awburst, s_wide_awuser
      };
      assign wide_w[c] = {s_wide_wdata, s_wide_wstrb, s_wide_wlast};
    end else begin : gen_other
      assign wide_aw_valid[c] = 1'b0;
      assign wide_w_valid[c] = 1'b0;
      assign wide_b_ready[c] = 1'b1;
      assign wide_aw[c] = '0;
      assign wide_w[c] = '0;
    end
  end
  assign s_wide_awready = wide_aw_ready[0];
  assign s_wide_wready = wide_w_ready[0];
  assign s_wide_bvalid = wide_b_valid[0];
  assign {s_wide_bid, s_wide_bresp} = wide_b[0];
  assign wide_ar = {s_wide_arid, s_wide_araddr, s_wide_arlen, s_wide_arsize, s_wide_arburst};
  assign {s_wide_rid, s_wide_rdata, s_wide_rresp, s_wide_rlast} = wide_r;
  assign narrow_aw = {
    s_narrow_awid,
    s_narrow_awaddr,
    s_narrow_awlen,
    s_narrow_awsize,
    s_narrow_awburst,
    s_narrow_awatop,
    s_narrow_awuser
  };
  assign narrow_w = {s_narrow_wdata, s_narrow_wstrb, s_narrow_wlast};
  assign {s_narrow_bid, s_narrow_bresp} = narrow_b;
  assign narrow_ar = {
    s_narrow_arid, s_narrow_araddr, s_narrow_arlen, s_narrow_arsize, s_narrow_arburst
  };
  assign {s_narrow_rid, s_narrow_rdata, s_narrow_rresp, s_narrow_rlast} = narrow_r;

  // ------------------------------------------------------------------------------------------ memories

  noccl_axi_pkg::memory_aw_t mem_aw, own_aw, reg_aw, own_reg_aw;
  noccl_axi_pkg::memory_ar_t mem_ar, reg_ar;
  noccl_axi_pkg::wide_w_t mem_w, own_w;
  noccl_axi_pkg::narrow_w_t reg_w, own_reg_w;
  noccl_axi_pkg::memory_wide_r_t   mem_r;
  noccl_axi_pkg::memory_narrow_r_t reg_r;

  assign {m_mem_wdata, m_mem_wstrb, m_mem_wlast} = mem_w;
  assign {m_own_wdata, m_own_wstrb, m_own_wlast} = own_w;
  assign {m_reg_wdata, m_reg_wstrb, m_reg_wlast} = reg_w;
  assign {m_ownreg_wdata, m_ownreg_wstrb, m_ownreg_wlast} = own_reg_w;
  assign m_mem_awaddr = 48'(mem_aw.addr);
  assign m_own_awaddr = 48'(own_aw.addr);
  assign m_reg_awaddr = 48'(reg_aw.addr);
  assign m_ownreg_awaddr = 48'(own_reg_aw.addr);
  assign m_reg_awatop = reg_aw.atop;
  assign {m_mem_awid, m_own_awid, m_reg_awid, m_ownreg_awid, m_mem_arid, m_reg_arid} = '0;
  assign {m_mem_awlen, m_own_awlen, m_reg_awlen, m_ownreg_awlen} = '0;
  assign {m_mem_awsize, m_own_awsize, m_mem_arsize} = {3{noccl_axi_pkg::SIZE_WIDE}};
  assign {m_reg_awsize, m_ownreg_awsize, m_reg_arsize} = {3{3'd3}};
  assign {m_mem_awburst, m_own_awburst, m_reg_awburst, m_ownreg_awburst} = {4{2'b01}};
  assign {m_mem_arburst, m_reg_arburst} = {2{2'b01}};
  assign m_mem_araddr = 48'(mem_ar.addr);
  assign m_mem_arlen = 8'(mem_ar.len);
  assign m_reg_araddr = 48'(reg_ar.addr);
  assign m_reg_arlen = 8'(reg_ar.len);
  // Requests to memories have no ids.
  (* maybe_unused *) logic unused_ids;
  assign unused_ids = ^{m_mem_bid, m_mem_rid, m_own_bid, m_reg_bid, m_reg_rid, m_ownreg_bid};
  assign mem_r = {m_mem_rdata, m_mem_rresp, m_mem_rlast};
  assign reg_r = {m_reg_rdata, m_reg_rresp, m_reg_rlast};

  // --------------------------------------------------------------------- the module and its observers

  noccl_ni_loop u_tile (
      .clk_i,
      .rst_ni,
      .hold_i(hold_i[2:0]),
      .num_flits_o,
      .wide_aw_valid_i(wide_aw_valid),
      .wide_aw_ready_o(wide_aw_ready),
      .wide_aw_i(wide_aw),
      .wide_w_valid_i(wide_w_valid),
      .wide_w_ready_o(wide_w_ready),
      .wide_w_i(wide_w),
      .wide_b_valid_o(wide_b_valid),
      .wide_b_ready_i(wide_b_ready),
      .wide_b_o(wide_b),
      .wide_ar_valid_i(s_wide_arvalid),
      .wide_ar_ready_o(s_wide_arready),
      .wide_ar_i(wide_ar),
      .wide_r_valid_o(s_wide_rvalid),
      .wide_r_ready_i(s_wide_rready),
      .wide_r_o(wide_r),
      .narrow_aw_valid_i(s_narrow_awvalid),
      .narrow_aw_ready_o(s_narrow_awready),
      .narrow_aw_i(narrow_aw),
      .narrow_w_valid_i(s_narrow_wvalid),
      .narrow_w_ready_o(s_narrow_wready),
      .narrow_w_i(narrow_w),
      .narrow_b_valid_o(s_narrow_bvalid),
      .narrow_b_ready_i(s_narrow_bready),
      .narrow_b_o(narrow_b),
      .narrow_ar_valid_i(s_narrow_arvalid),
      .narrow_ar_ready_o(s_narrow_arready),
      .narrow_ar_i(narrow_ar),
      .narrow_r_valid_o(s_narrow_rvalid),
      .narrow_r_ready_i(s_narrow_rready),
      .narrow_r_o(narrow_r),
      .mem_aw_valid_o(m_mem_awvalid),
      .mem_aw_ready_i(m_mem_awready),
      .mem_aw_o(mem_aw),
      .mem_w_valid_o(m_mem_wvalid),
      .mem_w_ready_i(m_mem_wready),
      .mem_w_o(mem_w),
      .mem_b_valid_i(m_mem_bvalid),
      .mem_b_ready_o(m_mem_bready),
      .mem_b_resp_i(noccl_flit_pkg::resp_e'(m_mem_bresp)),
      .mem_ar_valid_o(m_mem_arvalid),
      .mem_ar_ready_i(m_mem_arready),
      .mem_ar_o(mem_ar),
      .mem_r_valid_i(m_mem_rvalid),
      .mem_r_ready_o(m_mem_rready),
      .mem_r_i(mem_r),
      .own_aw_valid_o(m_own_awvalid),
      .own_aw_ready_i(m_own_awready),
      .own_aw_o(own_aw),
      .own_w_valid_o(m_own_wvalid),
      .own_w_ready_i(m_own_wready),
      .own_w_o(own_w),
      .own_b_valid_i(m_own_bvalid),
      .own_b_ready_o(m_own_bready),
      .own_b_resp_i(noccl_flit_pkg::resp_e'(m_own_bresp)),
      .reg_aw_valid_o(m_reg_awvalid),
      .reg_aw_ready_i(m_reg_awready),
      .reg_aw_o(reg_aw),
      .reg_w_valid_o(m_reg_wvalid),
      .reg_w_ready_i(m_reg_wready),
      .reg_w_o(reg_w),
      .reg_b_valid_i(m_reg_bvalid),
      .reg_b_ready_o(m_reg_bready),
      .reg_b_resp_i(noccl_flit_pkg::resp_e'(m_reg_bresp)),
      .reg_ar_valid_o(m_reg_arvalid),
      .reg_ar_ready_i(m_reg_arready),
      .reg_ar_o(reg_ar),
      .reg_r_valid_i(m_reg_rvalid),
      .reg_r_ready_o(m_reg_rready),
      .reg_r_i(reg_r),
      .own_reg_aw_valid_o(m_ownreg_awvalid),
      .own_reg_aw_ready_i(m_ownreg_awready),
      .own_reg_aw_o(own_reg_aw),
      .own_reg_w_valid_o(m_ownreg_wvalid),
      .own_reg_w_ready_i(m_ownreg_wready),
      .own_reg_w_o(own_reg_w),
      .own_reg_b_valid_i(m_ownreg_bvalid),
      .own_reg_b_ready_o(m_ownreg_bready),
      .own_reg_b_resp_i(noccl_flit_pkg::resp_e'(m_ownreg_bresp))
  );

  noccl_axi_checker #(
      .WriteIdBits(3),
      .ReadIdBits(5),
      .AwBits($bits({s_wide_awid, s_wide_awaddr, s_wide_awlen, s_wide_awuser})),
      .WBits($bits({s_wide_wdata, s_wide_wstrb, s_wide_wlast})),
      .BBits($bits({s_wide_bid, s_wide_bresp})),
      .ArBits($bits({s_wide_arid, s_wide_araddr, s_wide_arlen})),
      .RBits($bits({s_wide_rid, s_wide_rdata, s_wide_rresp, s_wide_rlast}))
  ) u_check_s_wide (
      .clk_i,
      .rst_ni,
      .aw_valid_i(s_wide_awvalid),
      .aw_ready_i(s_wide_awready),
      .aw_id_i(s_wide_awid),
      .aw_len_i(s_wide_awlen),
      .aw_i({s_wide_awid, s_wide_awaddr, s_wide_awlen, s_wide_awuser}),
      .w_valid_i(s_wide_wvalid),
      .w_ready_i(s_wide_wready),
      .w_last_i(s_wide_wlast),
      .w_i({s_wide_wdata, s_wide_wstrb, s_wide_wlast}),
      .b_valid_i(s_wide_bvalid),
      .b_ready_i(s_wide_bready),
      .b_id_i(s_wide_bid),
      .b_i({s_wide_bid, s_wide_bresp}),
      .ar_valid_i(s_wide_arvalid),
      .ar_ready_i(s_wide_arready),
      .ar_id_i(s_wide_arid),
      .ar_len_i(s_wide_arlen),
      .ar_i({s_wide_arid, s_wide_araddr, s_wide_arlen}),
      .r_valid_i(s_wide_rvalid),
      .r_ready_i(s_wide_rready),
      .r_id_i(s_wide_rid),
      .r_last_i(s_wide_rlast),
      .r_i({s_wide_rid, s_wide_rdata, s_wide_rresp, s_wide_rlast})
  );

  noccl_narrow_checker u_check_s_narrow (
      .clk_i,
      .rst_ni,
      .aw_valid_i(s_narrow_awvalid),
      .aw_ready_i(s_narrow_awready),
      .aw_i(narrow_aw),
      .w_valid_i(s_narrow_wvalid),
      .w_ready_i(s_narrow_wready),
      .w_i(narrow_w),
      .b_valid_i(s_narrow_bvalid),
      .b_ready_i(s_narrow_bready),
      .b_i(narrow_b),
      .ar_valid_i(s_narrow_arvalid),
      .ar_ready_i(s_narrow_arready),
      .ar_i(narrow_ar),
      .r_valid_i(s_narrow_rvalid),
      .r_ready_i(s_narrow_rready),
      .r_i(narrow_r)
  );

  noccl_memory_checker u_check_m_mem (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_mem_awvalid),
      .aw_ready_i(m_mem_awready),
      .aw_i(mem_aw),
      .w_valid_i(m_mem_wvalid),
      .w_ready_i(m_mem_wready),
      .w_i(mem_w),
      .b_valid_i(m_mem_bvalid),
      .b_ready_i(m_mem_bready),
      .b_resp_i(m_mem_bresp),
      .ar_valid_i(m_mem_arvalid),
      .ar_ready_i(m_mem_arready),
      .ar_i(mem_ar),
      .r_valid_i(m_mem_rvalid),
      .r_ready_i(m_mem_rready),
      .r_i(mem_r)
  );

  noccl_memory_checker u_check_m_own (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_own_awvalid),
      .aw_ready_i(m_own_awready),
      .aw_i(own_aw),
      .w_valid_i(m_own_wvalid),
      .w_ready_i(m_own_wready),
      .w_i(own_w),
      .b_valid_i(m_own_bvalid),
      .b_ready_i(m_own_bready),
      .b_resp_i(m_own_bresp)
  );

  noccl_memory_checker #(
      .w_t(noccl_axi_pkg::narrow_w_t),
      .r_t(noccl_axi_pkg::memory_narrow_r_t)
  ) u_check_m_reg (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_reg_awvalid),
      .aw_ready_i(m_reg_awready),
      .aw_i(reg_aw),
      .w_valid_i(m_reg_wvalid),
      .w_ready_i(m_reg_wready),
      .w_i(reg_w),
      .b_valid_i(m_reg_bvalid),
      .b_ready_i(m_reg_bready),
      .b_resp_i(m_reg_bresp),
      .ar_valid_i(m_reg_arvalid),
      .ar_ready_i(m_reg_arready),
      .ar_i(reg_ar),
      .r_valid_i(m_reg_rvalid),
      .r_ready_i(m_reg_rready),
      .r_i(reg_r)
  );

  noccl_memory_checker #(
      .w_t(noccl_axi_pkg::narrow_w_t)
  ) u_check_m_ownreg (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_ownreg_awvalid),
      .aw_ready_i(m_ownreg_awready),
      .aw_i(own_reg_aw),
      .w_valid_i(m_ownreg_wvalid),
      .w_ready_i(m_ownreg_wready),
      .w_i(own_reg_w),
      .b_valid_i(m_ownreg_bvalid),
      .b_ready_i(m_ownreg_bready),
      .b_resp_i(m_ownreg_bresp)
  );

endmodule
