// SPDX-License-Identifier: Apache-2.0
//
// What a chip puts behind the narrow ports of a tile: a PicoRV32 core, its memory, and a bridge from the core's loads and
// stores to AXI4.
//
// The core's addresses: 0x0000_0000 its memory; 0x1000_0000 registers (mask, kind, tile, result: `program.c`); from 0x2000_0000
// on the network's. A load or store into the network waits for its response; one that fails ends the program with result 3.

module pico_tile #(
    /// Bytes of the memory.
    parameter int unsigned MemoryBytes = 65536
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Number of the tile; constant.
    input logic [31:0] tile_i,
    /// Narrow port of the network interface.
    output noccl_endpoint_pkg::narrow_mgr_t narrow_o,
    input noccl_endpoint_pkg::narrow_sbr_t narrow_i,
    /// Ports at the memory; nothing wide comes.
    input noccl_endpoint_pkg::memory_mgr_t memory_i,
    output noccl_endpoint_pkg::memory_sbr_t memory_o,
    /// Result of the program; zero while it runs.
    output logic [31:0] result_o
);

  logic valid, ready, trap;
  logic [31:0] addr, wdata, rdata;
  logic [3:0] strobe;

  picorv32 #(
      .ENABLE_COUNTERS(0),
      .STACKADDR(MemoryBytes)
  ) u_core (
      .clk(clk_i),
      .resetn(rst_ni),
      .trap(trap),
      .mem_valid(valid),
      .mem_instr(),
      .mem_ready(ready),
      .mem_addr(addr),
      .mem_wdata(wdata),
      .mem_wstrb(strobe),
      .mem_rdata(rdata),
      .mem_la_read(),
      .mem_la_write(),
      .mem_la_addr(),
      .mem_la_wdata(),
      .mem_la_wstrb(),
      .pcpi_valid(),
      .pcpi_insn(),
      .pcpi_rs1(),
      .pcpi_rs2(),
      .pcpi_wr(1'b0),
      .pcpi_rd('0),
      .pcpi_wait(1'b0),
      .pcpi_ready(1'b0),
      .irq('0),
      .eoi(),
      .trace_valid(),
      .trace_data()
  );

  logic is_memory, is_register, is_network, is_write;
  assign is_memory = valid && addr[31:28] == 4'h0;
  assign is_register = valid && addr[31:28] == 4'h1;
  assign is_network = valid && addr[31:28] >= 4'h2;
  assign is_write = strobe != '0;

  // ------------------------------------------------------------------------------------------ registers

  logic [31:0] mask_q, kind_q, result_q, register;
  logic fails;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {mask_q, kind_q, result_q} <= '0;
    else begin
      if (is_register && is_write && addr[3:2] == 2'd0) mask_q <= wdata;
      if (is_register && is_write && addr[3:2] == 2'd1) kind_q <= wdata;
      if (is_register && is_write && addr[3:2] == 2'd3) result_q <= wdata;
      if (trap || fails) result_q <= 32'd3;
    end
  end
  always_comb begin
    unique case (addr[3:2])
      2'd0: register = mask_q;
      2'd1: register = kind_q;
      2'd2: register = tile_i;
      default: register = result_q;
    endcase
  end
  assign result_o = result_q;

  // -------------------------------------------------------------------------------------------- network

  // AW, W and AR that have been taken.
  logic aw_done_q, w_done_q, ar_done_q, is_over;
  assign is_over = (narrow_i.b_valid && is_write) || (narrow_i.r_valid && !is_write);
  assign fails = is_network && is_over &&
      (is_write ? narrow_i.b.resp : narrow_i.r.resp) != noccl_flit_pkg::RESP_OKAY;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {aw_done_q, w_done_q, ar_done_q} <= '0;
    else begin
      aw_done_q <= !is_over && (aw_done_q || (narrow_o.aw_valid && narrow_i.aw_ready));
      w_done_q  <= !is_over && (w_done_q || (narrow_o.w_valid && narrow_i.w_ready));
      ar_done_q <= !is_over && (ar_done_q || (narrow_o.ar_valid && narrow_i.ar_ready));
    end
  end

  always_comb begin : p_network
    narrow_o = '0;
    narrow_o.aw_valid = is_network && is_write && !aw_done_q;
    narrow_o.aw.addr = noccl_axi_pkg::addr_t'(addr);
    narrow_o.aw.size = 3'd2;
    narrow_o.aw.burst = noccl_axi_pkg::BURST_INCR;
    narrow_o.aw.user.opcode = noccl_axi_pkg::opcode_e'(kind_q[1:0]);
    narrow_o.aw.user.mask = noccl_axi_pkg::addr_t'(mask_q);
    narrow_o.aw.user.tag = noccl_flit_pkg::tag_t'(kind_q[31:8]);
    narrow_o.w_valid = is_network && is_write && !w_done_q;
    narrow_o.w.data = {2{wdata}};
    narrow_o.w.strb = addr[2] ? {strobe, 4'b0} : {4'b0, strobe};
    narrow_o.w.last = 1'b1;
    narrow_o.b_ready = 1'b1;
    narrow_o.ar_valid = is_network && !is_write && !ar_done_q;
    narrow_o.ar.addr = narrow_o.aw.addr;
    narrow_o.ar.size = 3'd2;
    narrow_o.ar.burst = noccl_axi_pkg::BURST_INCR;
    narrow_o.r_ready = 1'b1;
  end

  // --------------------------------------------------------------------------------------------- memory

  logic memory_done;
  logic [31:0] memory_data;

  pico_memory #(
      .Words(MemoryBytes / 8)
  ) u_memory (
      .clk_i,
      .rst_ni,
      .network_i(memory_i.narrow),
      .network_o(memory_o.narrow),
      .own_i(memory_i.own_narrow),
      .own_o(memory_o.own_narrow),
      .core_valid_i(is_memory),
      .core_strobe_i(strobe),
      .core_addr_i(addr),
      .core_data_i(wdata),
      .core_done_o(memory_done),
      .core_data_o(memory_data)
  );
  assign {memory_o.wide, memory_o.own_wide} = '0;

  assign ready = is_register || (is_memory && memory_done) || (is_network && is_over);
  always_comb begin
    rdata = memory_data;
    if (is_register) rdata = register;
    if (is_network) rdata = addr[2] ? narrow_i.r.data[63:32] : narrow_i.r.data[31:0];
  end

endmodule
