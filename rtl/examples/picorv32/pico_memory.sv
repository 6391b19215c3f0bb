// SPDX-License-Identifier: Apache-2.0
//
// Memory of a tile: one port, served round robin to the network's writes, its reads, local copies of multicasts and the core.
//
// Latency: a word a cycle after its grant. One access of each of the four is open at a time.
// Ordering: by grant. Atomics are not served: the program uses none.

module pico_memory #(
    /// Words of 64 bits.
    parameter int unsigned Words = 8192
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Narrow ports of the network interface at the memory.
    input noccl_endpoint_pkg::memory_narrow_mgr_t network_i,
    output noccl_endpoint_pkg::memory_narrow_sbr_t network_o,
    /// Local copies of multicasts.
    input noccl_endpoint_pkg::word_write_mgr_t own_i,
    output noccl_endpoint_pkg::memory_write_sbr_t own_o,
    /// The core asks; stays until it is done.
    input logic core_valid_i,
    /// Bytes that it writes; none: a read.
    input logic [3:0] core_strobe_i,
    /// Address in this memory.
    input logic [31:0] core_addr_i,
    /// What it writes.
    input logic [31:0] core_data_i,
    /// The access is done in this cycle.
    output logic core_done_o,
    /// What was read; undefined unless done.
    output logic [31:0] core_data_o
);

  localparam int unsigned AddrBits = $clog2(Words);
  localparam int unsigned WRITE = 0;
  localparam int unsigned READ = 1;
  localparam int unsigned OWN = 2;
  localparam int unsigned CORE = 3;

  // Who asks, is served, and was served and has not taken its response.
  logic [3:0] request, grant, done_q, done_d;
  logic [AddrBits-1:0] word;
  logic [7:0] strobe;
  logic [63:0] data, words_q[Words], read_q, kept_q;
  logic reads_q;

  assign request[WRITE] = network_i.write.aw_valid && network_i.write.w_valid && !done_q[WRITE];
  assign request[READ]  = network_i.ar_valid && !done_q[READ];
  assign request[OWN]   = own_i.aw_valid && own_i.w_valid && !done_q[OWN];
  assign request[CORE]  = core_valid_i && !done_q[CORE];

  noccl_rr_arbiter #(
      .NumRequesters(4)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .late_i('0),
      .late_valid_i(1'b0),
      .grant_o(grant),
      .valid_o(),
      .ready_i(1'b1)
  );

  always_comb begin : p_port
    word   = core_addr_i[3+:AddrBits];
    strobe = core_addr_i[2] ? {core_strobe_i, 4'b0} : {4'b0, core_strobe_i};
    data   = {2{core_data_i}};
    if (grant[WRITE]) begin
      word   = network_i.write.aw.addr[3+:AddrBits];
      strobe = network_i.write.w.strb;
      data   = network_i.write.w.data;
    end else if (grant[OWN]) begin
      word   = own_i.aw.addr[3+:AddrBits];
      strobe = own_i.w.strb;
      data   = own_i.w.data;
    end else if (grant[READ]) begin
      word   = network_i.ar.addr[3+:AddrBits];
      strobe = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (grant != '0) begin
      for (int unsigned b = 0; b < 8; b++) if (strobe[b]) words_q[word][8*b+:8] <= data[8*b+:8];
      read_q <= words_q[word];
    end
    // The network may take its data later, when others have read.
    if (reads_q) kept_q <= read_q;
  end

  logic [3:0] taken;
  assign taken  = {1'b1, own_i.b_ready, network_i.r_ready, network_i.write.b_ready};
  assign done_d = grant | (done_q & ~taken);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {done_q, reads_q} <= '0;
    else {done_q, reads_q} <= {done_d, grant[READ]};
  end

  always_comb begin : p_responses
    network_o = '0;
    network_o.write.aw_ready = grant[WRITE];
    network_o.write.w_ready = grant[WRITE];
    network_o.write.b_valid = done_q[WRITE];
    network_o.ar_ready = grant[READ];
    network_o.r_valid = done_q[READ];
    network_o.r.data = reads_q ? read_q : kept_q;
    network_o.r.last = 1'b1;
    own_o = '0;
    own_o.aw_ready = grant[OWN];
    own_o.w_ready = grant[OWN];
    own_o.b_valid = done_q[OWN];
  end
  assign core_done_o = done_q[CORE];
  assign core_data_o = core_addr_i[2] ? read_q[63:32] : read_q[31:0];

  // The program, of every tile the same.
  string file;
  initial if ($value$plusargs("program=%s", file) != 0) $readmemh(file, words_q);

endmodule
