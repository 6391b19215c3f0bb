// SPDX-License-Identifier: Apache-2.0
//
// One Torrent endpoint with its memory; its AXI ports lead outside, for models that others wrote. The protocol is checked at
// every port.

`include "noccl_assert.svh"

module noccl_torrent_axi_tb
  import noccl_torrent_pkg::pointer_t;
(
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Banks that stand still in this cycle.
    input logic [31:0] hold_banks_i,
    /// A chain to lead.
    input logic start_valid_i,
    output logic start_ready_o,
    input logic [18:0] frames_i,
    input logic [5:0] num_destinations_i,
    output logic done_o,
    output logic error_o,
    /// The test's own access to the memory.
    input logic host_write_i,
    input logic [18:0] host_addr_i,
    input logic [63:0] host_data_i,
    output logic [63:0] host_data_o,
    /// Narrow manager: messages.
    output logic [3:0] m_msg_awid,
    output logic [47:0] m_msg_awaddr,
    output logic [7:0] m_msg_awlen,
    output logic [2:0] m_msg_awsize,
    output logic [1:0] m_msg_awburst,
    output logic m_msg_awvalid,
    input logic m_msg_awready,
    output logic [63:0] m_msg_wdata,
    output logic [7:0] m_msg_wstrb,
    output logic m_msg_wlast,
    output logic m_msg_wvalid,
    input logic m_msg_wready,
    input logic [3:0] m_msg_bid,
    input logic [1:0] m_msg_bresp,
    input logic m_msg_bvalid,
    output logic m_msg_bready,
    /// Wide managers: own chains, what goes on.
    output logic [3:0] m_own_awid,
    output logic [47:0] m_own_awaddr,
    output logic [7:0] m_own_awlen,
    output logic [2:0] m_own_awsize,
    output logic [1:0] m_own_awburst,
    output logic m_own_awvalid,
    input logic m_own_awready,
    output logic [511:0] m_own_wdata,
    output logic [63:0] m_own_wstrb,
    output logic m_own_wlast,
    output logic m_own_wvalid,
    input logic m_own_wready,
    input logic [3:0] m_own_bid,
    input logic [1:0] m_own_bresp,
    input logic m_own_bvalid,
    output logic m_own_bready,
    output logic [3:0] m_pass_awid,
    output logic [47:0] m_pass_awaddr,
    output logic [7:0] m_pass_awlen,
    output logic [2:0] m_pass_awsize,
    output logic [1:0] m_pass_awburst,
    output logic m_pass_awvalid,
    input logic m_pass_awready,
    output logic [511:0] m_pass_wdata,
    output logic [63:0] m_pass_wstrb,
    output logic m_pass_wlast,
    output logic m_pass_wvalid,
    input logic m_pass_wready,
    input logic [3:0] m_pass_bid,
    input logic [1:0] m_pass_bresp,
    input logic m_pass_bvalid,
    output logic m_pass_bready,
    /// Narrow subordinate: windows of messages.
    input logic [3:0] s_box_awid,
    input logic [47:0] s_box_awaddr,
    input logic [7:0] s_box_awlen,
    input logic [2:0] s_box_awsize,
    input logic [1:0] s_box_awburst,
    input logic s_box_awvalid,
    output logic s_box_awready,
    input logic [63:0] s_box_wdata,
    input logic [7:0] s_box_wstrb,
    input logic s_box_wlast,
    input logic s_box_wvalid,
    output logic s_box_wready,
    output logic [3:0] s_box_bid,
    output logic [1:0] s_box_bresp,
    output logic s_box_bvalid,
    input logic s_box_bready,
    /// Wide subordinate: the data window.
    input logic [3:0] s_data_awid,
    input logic [47:0] s_data_awaddr,
    input logic [7:0] s_data_awlen,
    input logic [2:0] s_data_awsize,
    input logic [1:0] s_data_awburst,
    input logic s_data_awvalid,
    output logic s_data_awready,
    input logic [511:0] s_data_wdata,
    input logic [63:0] s_data_wstrb,
    input logic s_data_wlast,
    input logic s_data_wvalid,
    output logic s_data_wready,
    output logic [3:0] s_data_bid,
    output logic [1:0] s_data_bresp,
    output logic s_data_bvalid,
    input logic s_data_bready
);

  // The first tile's addresses begin behind zero, which is nobody's.
  localparam int unsigned FirstTile = 9;

  noccl_torrent_pkg::channels_t ask_valid, ask_ready, data_valid;
  noccl_torrent_pkg::channels_t write_valid[2], write_ready[2];
  logic [15:0] bank_ready;
  logic [ 7:0] write_bytes[2];
  noccl_torrent_pkg::word_addr_t ask_addr[8], write_addr[16];
  noccl_torrent_pkg::word_t data[8], write[16];
  pointer_t msg_addr, out_addr[2];
  logic [7:0] out_len[2];
  noccl_flit_pkg::wide_data_t out_data[2];
  noccl_flit_pkg::resp_e out_resp[2], box_resp;

  assign m_msg_awaddr = 48'(msg_addr);
  assign {m_own_awaddr, m_pass_awaddr} = {48'(out_addr[0]), 48'(out_addr[1])};
  assign {m_own_awlen, m_pass_awlen} = {out_len[0], out_len[1]};
  assign {m_own_wdata, m_pass_wdata} = {out_data[0], out_data[1]};
  assign {m_own_awid, m_pass_awid} = {4'd0, 4'd1};
  assign m_msg_awsize = 3'd3;
  assign {m_own_awsize, m_pass_awsize} = {3'd6, 3'd6};
  assign {m_msg_awburst, m_own_awburst, m_pass_awburst} = {3{2'b01}};
  assign m_msg_wstrb = '1;
  assign {m_own_wstrb, m_pass_wstrb} = '1;
  assign out_resp[0] = noccl_flit_pkg::resp_e'(m_own_bresp);
  assign out_resp[1] = noccl_flit_pkg::resp_e'(m_pass_bresp);
  assign s_box_bresp = box_resp;
  assign s_data_bresp = noccl_flit_pkg::RESP_OKAY;
  assign write_ready[0] = bank_ready[7:0];
  assign write_ready[1] = bank_ready[15:8];

  noccl_torrent #(
      .BufferBursts(2),
      .IdBits(4)
  ) u_torrent (
      .clk_i,
      .rst_ni,
      .own_i(noccl_torrent_pkg::tile_t'(FirstTile)),
      .start_valid_i,
      .start_ready_o,
      .frames_i,
      .num_destinations_i,
      .has_own_i(1'b0),
      .task_o(),
      .done_o,
      .error_o,
      .msg_aw_valid_o(m_msg_awvalid),
      .msg_aw_ready_i(m_msg_awready),
      .msg_aw_id_o(m_msg_awid),
      .msg_aw_addr_o(msg_addr),
      .msg_aw_len_o(m_msg_awlen),
      .msg_w_valid_o(m_msg_wvalid),
      .msg_w_ready_i(m_msg_wready),
      .msg_w_data_o(m_msg_wdata),
      .msg_w_last_o(m_msg_wlast),
      .msg_b_valid_i(m_msg_bvalid),
      .msg_b_ready_o(m_msg_bready),
      .msg_b_resp_i(noccl_flit_pkg::resp_e'(m_msg_bresp)),
      .box_aw_valid_i(s_box_awvalid),
      .box_aw_ready_o(s_box_awready),
      .box_aw_id_i(s_box_awid),
      .box_aw_addr_i(pointer_t'(s_box_awaddr)),
      .box_w_valid_i(s_box_wvalid),
      .box_w_ready_o(s_box_wready),
      .box_w_data_i(s_box_wdata),
      .box_w_last_i(s_box_wlast),
      .box_b_valid_o(s_box_bvalid),
      .box_b_ready_i(s_box_bready),
      .box_b_id_o(s_box_bid),
      .box_b_resp_o(box_resp),
      .out_aw_valid_o({m_pass_awvalid, m_own_awvalid}),
      .out_aw_ready_i({m_pass_awready, m_own_awready}),
      .out_aw_addr_o(out_addr),
      .out_aw_len_o(out_len),
      .out_w_valid_o({m_pass_wvalid, m_own_wvalid}),
      .out_w_ready_i({m_pass_wready, m_own_wready}),
      .out_w_data_o(out_data),
      .out_w_last_o({m_pass_wlast, m_own_wlast}),
      .out_b_valid_i({m_pass_bvalid, m_own_bvalid}),
      .out_b_ready_o({m_pass_bready, m_own_bready}),
      .out_b_resp_i(out_resp),
      .in_aw_valid_i(s_data_awvalid),
      .in_aw_ready_o(s_data_awready),
      .in_aw_id_i(s_data_awid),
      .in_w_valid_i(s_data_wvalid),
      .in_w_ready_o(s_data_wready),
      .in_w_data_i(s_data_wdata),
      .in_w_last_i(s_data_wlast),
      .in_b_valid_o(s_data_bvalid),
      .in_b_ready_i(s_data_bready),
      .in_b_id_o(s_data_bid),
      .ask_valid_o(ask_valid),
      .ask_ready_i(ask_ready),
      .ask_addr_o(ask_addr),
      .data_valid_i(data_valid),
      .data_i(data),
      .write_valid_o(write_valid),
      .write_ready_i(write_ready),
      .write_addr_o(write_addr),
      .write_bytes_o(write_bytes),
      .write_o(write)
  );

  noccl_banks #(
      .NumWrites(16),
      .Words(1024)
  ) u_banks (
      .clk_i,
      .rst_ni,
      .hold_i(hold_banks_i),
      .ask_valid_i(ask_valid),
      .ask_ready_o(ask_ready),
      .ask_addr_i(ask_addr),
      .data_valid_o(data_valid),
      .data_o(data),
      .write_valid_i({write_valid[1], write_valid[0]}),
      .write_ready_o(bank_ready),
      .write_addr_i(write_addr),
      .write_bytes_i(write_bytes),
      .write_i(write),
      .host_write_i,
      .host_addr_i,
      .host_data_i,
      .host_data_o
  );

  noccl_write_checker #(
      .WBits(64)
  ) u_check_m_msg (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_msg_awvalid),
      .aw_ready_i(m_msg_awready),
      .aw_i({m_msg_awid, m_msg_awlen, m_msg_awaddr}),
      .w_valid_i(m_msg_wvalid),
      .w_ready_i(m_msg_wready),
      .w_last_i(m_msg_wlast),
      .w_i(m_msg_wdata),
      .b_valid_i(m_msg_bvalid),
      .b_ready_i(m_msg_bready),
      .b_i({m_msg_bid, m_msg_bresp})
  );

  noccl_write_checker #(
      .WBits(512)
  ) u_check_m_own (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_own_awvalid),
      .aw_ready_i(m_own_awready),
      .aw_i({m_own_awid, m_own_awlen, m_own_awaddr}),
      .w_valid_i(m_own_wvalid),
      .w_ready_i(m_own_wready),
      .w_last_i(m_own_wlast),
      .w_i(m_own_wdata),
      .b_valid_i(m_own_bvalid),
      .b_ready_i(m_own_bready),
      .b_i({m_own_bid, m_own_bresp})
  );

  noccl_write_checker #(
      .WBits(512)
  ) u_check_m_pass (
      .clk_i,
      .rst_ni,
      .aw_valid_i(m_pass_awvalid),
      .aw_ready_i(m_pass_awready),
      .aw_i({m_pass_awid, m_pass_awlen, m_pass_awaddr}),
      .w_valid_i(m_pass_wvalid),
      .w_ready_i(m_pass_wready),
      .w_last_i(m_pass_wlast),
      .w_i(m_pass_wdata),
      .b_valid_i(m_pass_bvalid),
      .b_ready_i(m_pass_bready),
      .b_i({m_pass_bid, m_pass_bresp})
  );

  noccl_write_checker #(
      .WBits(64)
  ) u_check_s_box (
      .clk_i,
      .rst_ni,
      .aw_valid_i(s_box_awvalid),
      .aw_ready_i(s_box_awready),
      .aw_i({s_box_awid, s_box_awlen, s_box_awaddr}),
      .w_valid_i(s_box_wvalid),
      .w_ready_i(s_box_wready),
      .w_last_i(s_box_wlast),
      .w_i(s_box_wdata),
      .b_valid_i(s_box_bvalid),
      .b_ready_i(s_box_bready),
      .b_i({s_box_bid, s_box_bresp})
  );

  noccl_write_checker #(
      .WBits(512)
  ) u_check_s_data (
      .clk_i,
      .rst_ni,
      .aw_valid_i(s_data_awvalid),
      .aw_ready_i(s_data_awready),
      .aw_i({s_data_awid, s_data_awlen, s_data_awaddr}),
      .w_valid_i(s_data_wvalid),
      .w_ready_i(s_data_wready),
      .w_last_i(s_data_wlast),
      .w_i(s_data_wdata),
      .b_valid_i(s_data_bvalid),
      .b_ready_i(s_data_bready),
      .b_i({s_data_bid, s_data_bresp})
  );

  // The endpoint takes whole words for granted.
  `NOCCL_ASSERT(WholeMessages, !s_box_awvalid || {s_box_awsize, s_box_awburst} == {3'd3, 2'b01})
  `NOCCL_ASSERT(WholeWords, !s_box_wvalid || s_box_wstrb == '1)
  `NOCCL_ASSERT(WholeBursts, !s_data_awvalid || {s_data_awsize, s_data_awburst} == {3'd6, 2'b01})
  `NOCCL_ASSERT(WholeBeats, !s_data_wvalid || s_data_wstrb == '1)

endmodule
