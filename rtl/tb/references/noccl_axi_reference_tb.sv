// SPDX-License-Identifier: Apache-2.0
// A network interface whose network leads back to it, between an AXI manager and a memory that nobody here wrote:
// the random manager of `axi_test` at the wide port, `axi_sim_mem` behind it, `axi_scoreboard`, which knows what a read may return. Unicast
// writes and reads, several open at a time. The narrow port is quiet: Verilator compiles the manager for one width only.
//
// `+transfers=N`: writes, and reads. `+flip=N`: one bit of every Nth line read from memory is wrong. `+fault=N`: as in
// `noccl_loop`.

`include "axi/typedef.svh"

module noccl_axi_reference_tb;

  import noccl_cfg_pkg::WIDE_CHANNELS;

  localparam time Apply = 1ns;
  localparam time Test = 8ns;
  localparam int unsigned MAX_CYCLES = 200_000;
  localparam int unsigned AddrBits = 48;
  localparam int unsigned UserBits = 64;
  localparam int unsigned IdBits = 3;
  // L1 of the south-west cluster: two pages.
  localparam logic [AddrBits-1:0] BASE = 48'h2000_0000;
  localparam int unsigned Bytes = 8192;
  localparam int unsigned LinesPerBurst = 32;

  logic clk, rst_n;
  initial begin
    clk   = 1'b0;
    rst_n = 1'b0;
  end
  always #5ns clk = !clk;
  initial #32ns rst_n = 1'b1;

  int unsigned num_transfers, flip, cycle, num_lines;
  initial if (!$value$plusargs("transfers=%d", num_transfers)) num_transfers = 100;
  initial if (!$value$plusargs("flip=%d", flip)) flip = 0;

  always @(posedge clk) begin
    cycle <= cycle + 1;
    if (cycle == MAX_CYCLES) $fatal(1, "not over after %0d cycles", cycle);
  end

  // -------------------------------------------------------------------------- manager and scoreboard

  AXI_BUS_DV #(
      .AXI_ADDR_WIDTH(AddrBits),
      .AXI_DATA_WIDTH(512),
      .AXI_ID_WIDTH  (IdBits),
      .AXI_USER_WIDTH(UserBits)
  ) wide (
      clk
  );

  typedef axi_test::axi_rand_master#(
      .AW(AddrBits),
      .DW(512),
      .IW(IdBits),
      .UW(UserBits),
      .TA(Apply),
      .TT(Test),
      .MAX_READ_TXNS(6),
      .MAX_WRITE_TXNS(6),
      .AX_MAX_WAIT_CYCLES(8),
      .AXI_MAX_BURST_LEN(16),
      .AXI_BURST_FIXED(1'b0)
  ) manager_t;

  manager_t manager;
  axi_test::axi_scoreboard #(
      .IW(IdBits),
      .AW(AddrBits),
      .DW(512),
      .UW(UserBits),
      .TT(Test)
  ) board;

  // Everything is written once, since in two states what was never written would look like a value.
  task automatic fill();
    manager_t::ax_beat_t head = new;
    manager_t::b_beat_t  response;
    for (int unsigned at = 0; at < Bytes; at += 64 * LinesPerBurst) begin
      head.ax_addr  = BASE + AddrBits'(at);
      head.ax_len   = 8'(LinesPerBurst - 1);
      head.ax_size  = 3'd6;
      head.ax_burst = axi_pkg::BURST_INCR;
      fork
        manager.drv.send_aw(head);
        for (int unsigned i = 0; i < LinesPerBurst; i++) begin
          automatic manager_t::w_beat_t beat = new;
          beat.w_data = 512'(at + i);
          beat.w_strb = '1;
          beat.w_last = i == LinesPerBurst - 1;
          manager.drv.send_w(beat);
        end
      join
      manager.drv.recv_b(response);
    end
  endtask

  initial begin
    manager = new(wide);
    board   = new(wide);
    manager.reset();
    manager.add_memory_region(BASE, BASE + AddrBits'(Bytes),
                              axi_pkg::NORMAL_NONCACHEABLE_BUFFERABLE);
    wait (rst_n);
    @(posedge clk);
    board.enable_all_checks();
    board.monitor();
    fill();
    manager.run(num_transfers, num_transfers);
    repeat (10) @(posedge clk);
    $display("over after %0d cycles, %0d lines read", cycle, num_lines);
    $finish;
  end

  // ------------------------------------------------------------------------------------------ memory

  typedef logic [AddrBits-1:0] addr_t;
  typedef logic id_t;
  typedef logic user_t;
  typedef logic [511:0] line_t;
  typedef logic [63:0] line_strobe_t;
  `AXI_TYPEDEF_ALL(lines, addr_t, id_t, line_t, line_strobe_t, user_t)

  lines_req_t  lines_req;
  lines_resp_t lines_resp;

  axi_sim_mem #(
      .AddrWidth(AddrBits),
      .DataWidth(512),
      .IdWidth  (1),
      .UserWidth(1),
      .req_t    (lines_req_t),
      .rsp_t    (lines_resp_t),
      .ApplDelay(Apply),
      .AcqDelay (Test)
  ) u_lines (
      .clk_i    (clk),
      .rst_ni   (rst_n),
      .axi_req_i(lines_req),
      .axi_rsp_o(lines_resp)
  );
  // --------------------------------------------------------------------------------- between the two

  logic aw_valid[WIDE_CHANNELS], aw_ready[WIDE_CHANNELS];
  logic w_valid[WIDE_CHANNELS], w_ready[WIDE_CHANNELS];
  logic b_valid[WIDE_CHANNELS], b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_aw_t aw[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t w[WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t b[WIDE_CHANNELS];
  noccl_axi_pkg::wide_r_t r;
  noccl_axi_pkg::memory_aw_t mem_aw;
  noccl_axi_pkg::memory_ar_t mem_ar;
  noccl_axi_pkg::wide_w_t mem_w;
  logic mem_aw_valid, mem_w_valid, mem_b_ready, mem_ar_valid, mem_r_ready;
  logic is_flipped;

  for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
    if (c == 0) begin : gen_first
      assign aw_valid[c] = wide.aw_valid;
      assign w_valid[c] = wide.w_valid;
      assign b_ready[c] = wide.b_ready;
      assign aw[c] = {
        wide.aw_id, wide.aw_addr, wide.aw_len, wide.aw_size, wide.aw_burst, wide.aw_user
      };
      assign w[c] = {wide.w_data, wide.w_strb, wide.w_last};
    end else begin : gen_other
      assign aw_valid[c] = 1'b0;
      assign w_valid[c] = 1'b0;
      assign b_ready[c] = 1'b1;
      assign aw[c] = '0;
      assign w[c] = '0;
    end
  end
  assign wide.aw_ready = aw_ready[0];
  assign wide.w_ready = w_ready[0];
  assign wide.b_valid = b_valid[0];
  assign {wide.b_id, wide.b_resp} = b[0];
  assign wide.b_user = '0;
  assign wide.r_id = r.id[IdBits-1:0];
  assign {wide.r_data, wide.r_resp, wide.r_last} = {r.data, r.resp, r.last};
  assign wide.r_user = '0;

  always_comb begin
    lines_req = '0;
    lines_req.aw.addr = AddrBits'(mem_aw.addr);
    lines_req.aw.size = 3'd6;
    lines_req.aw.burst = axi_pkg::BURST_INCR;
    lines_req.aw_valid = mem_aw_valid;
    lines_req.w.data = mem_w.data;
    lines_req.w.strb = mem_w.strb;
    lines_req.w.last = mem_w.last;
    lines_req.w_valid = mem_w_valid;
    lines_req.b_ready = mem_b_ready;
    lines_req.ar.addr = AddrBits'(mem_ar.addr);
    lines_req.ar.len = 8'(mem_ar.len);
    lines_req.ar.size = 3'd6;
    lines_req.ar.burst = axi_pkg::BURST_INCR;
    lines_req.ar_valid = mem_ar_valid;
    lines_req.r_ready = mem_r_ready;
  end

  assign is_flipped = flip != 0 && num_lines % flip == flip - 1;
  always @(posedge clk) if (lines_resp.r_valid && mem_r_ready) num_lines <= num_lines + 1;

  noccl_ni_loop u_tile (
      .clk_i(clk),
      .rst_ni(rst_n),
      .hold_i('0),
      .num_flits_o(),
      .wide_aw_valid_i(aw_valid),
      .wide_aw_ready_o(aw_ready),
      .wide_aw_i(aw),
      .wide_w_valid_i(w_valid),
      .wide_w_ready_o(w_ready),
      .wide_w_i(w),
      .wide_b_valid_o(b_valid),
      .wide_b_ready_i(b_ready),
      .wide_b_o(b),
      .wide_ar_valid_i(wide.ar_valid),
      .wide_ar_ready_o(wide.ar_ready),
      .wide_ar_i({5'(wide.ar_id), wide.ar_addr, wide.ar_len, wide.ar_size, wide.ar_burst}),
      .wide_r_valid_o(wide.r_valid),
      .wide_r_ready_i(wide.r_ready),
      .wide_r_o(r),
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
      .mem_aw_ready_i(lines_resp.aw_ready),
      .mem_aw_o(mem_aw),
      .mem_w_valid_o(mem_w_valid),
      .mem_w_ready_i(lines_resp.w_ready),
      .mem_w_o(mem_w),
      .mem_b_valid_i(lines_resp.b_valid),
      .mem_b_ready_o(mem_b_ready),
      .mem_b_resp_i(noccl_flit_pkg::resp_e'(lines_resp.b.resp)),
      .mem_ar_valid_o(mem_ar_valid),
      .mem_ar_ready_i(lines_resp.ar_ready),
      .mem_ar_o(mem_ar),
      .mem_r_valid_i(lines_resp.r_valid),
      .mem_r_ready_o(mem_r_ready),
      .mem_r_i({lines_resp.r.data ^ 512'(is_flipped), lines_resp.r.resp, lines_resp.r.last}),
      .own_aw_valid_o(),
      .own_aw_ready_i(1'b1),
      .own_aw_o(),
      .own_w_valid_o(),
      .own_w_ready_i(1'b1),
      .own_w_o(),
      .own_b_valid_i(1'b0),
      .own_b_ready_o(),
      .own_b_resp_i(noccl_flit_pkg::RESP_OKAY),
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
      .own_reg_b_resp_i(noccl_flit_pkg::RESP_OKAY)
  );

endmodule
