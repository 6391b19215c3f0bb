// SPDX-License-Identifier: Apache-2.0
//
// Words of a tile behind the narrow port of its network interface: they add when asked, and the highest ones fail.
//
// What fails leaves its word alone and gives zero. With `+fault=13`, 14, 15 an atomic does not add, a write is lost, a read gives
// another bit.

`include "noccl_assert.svh"

module noccl_dma_words
  import noccl_flit_pkg::resp_e;
(
    /// Clock.
    input  logic                            clk_i,
    /// Asynchronous reset, active low: all words are zero.
    input  logic                            rst_ni,
    /// It takes nothing.
    input  logic                            hold_i,
    /// Writes and atomics.
    input  logic                            aw_valid_i,
    output logic                            aw_ready_o,
    input  noccl_axi_pkg::memory_aw_t       aw_i,
    input  logic                            w_valid_i,
    output logic                            w_ready_o,
    input  noccl_axi_pkg::narrow_w_t        w_i,
    output logic                            b_valid_o,
    input  logic                            b_ready_i,
    output resp_e                           b_resp_o,
    /// Reads; what an atomic finds comes here too.
    input  logic                            ar_valid_i,
    output logic                            ar_ready_o,
    input  noccl_flit_pkg::offset_t         ar_addr_i,
    output logic                            r_valid_o,
    input  logic                            r_ready_i,
    output noccl_axi_pkg::memory_narrow_r_t r_o
);

  localparam int unsigned WORDS = 1024;
  localparam int unsigned FIRST_FAILING = 960;
  // Of each kind, the one that errs.
  localparam int unsigned FAULTY_ACCESS = 100;
  typedef logic [$clog2(WORDS)-1:0] word_t;

  int unsigned fault, num_atomics_q, num_writes_q, num_reads_q;
  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;

  logic [63:0] words[WORDS];
  logic b_space, r_space, is_atomic, writes, reads, fails;
  word_t at;
  resp_e resp;
  logic [63:0] found, written;
  noccl_axi_pkg::memory_narrow_r_t given;

  assign is_atomic = noccl_axi_pkg::has_read_data(aw_i.atop);
  assign writes = !hold_i && aw_valid_i && w_valid_i && b_space && (!is_atomic || r_space);
  assign reads = !hold_i && ar_valid_i && r_space && !writes;
  assign {aw_ready_o, w_ready_o} = {2{writes}};
  assign ar_ready_o = reads;
  assign at = writes ? word_t'(aw_i.addr >> 3) : word_t'(ar_addr_i >> 3);
  assign fails = 32'(at) >= FIRST_FAILING;
  assign resp = fails ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_OKAY;
  assign found = fails ? '0 : words[at];

  always_comb begin
    written = found + w_i.data;
    if (!is_atomic) begin
      for (int i = 0; i < 8; i++) written[8*i+:8] = w_i.strb[i] ? w_i.data[8*i+:8] : found[8*i+:8];
    end
    if (fault == (is_atomic ? 13 : 14) &&
        (is_atomic ? num_atomics_q : num_writes_q) == FAULTY_ACCESS) begin
      written = found;
    end
    given = '{data: found, resp: resp, last: 1'b1};
    if (fault == 15 && reads && num_reads_q == FAULTY_ACCESS) given.data[0] = !found[0];
  end

  noccl_fifo #(
      .Depth (4),
      .data_t(resp_e)
  ) u_b (
      .clk_i,
      .rst_ni,
      .valid_i(writes),
      .ready_o(b_space),
      .data_i (resp),
      .valid_o(b_valid_o),
      .ready_i(b_ready_i),
      .data_o (b_resp_o)
  );

  noccl_fifo #(
      .Depth (4),
      .data_t(noccl_axi_pkg::memory_narrow_r_t)
  ) u_r (
      .clk_i,
      .rst_ni,
      .valid_i(reads || (writes && is_atomic)),
      .ready_o(r_space),
      .data_i (given),
      .valid_o(r_valid_o),
      .ready_i(r_ready_i),
      .data_o (r_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int i = 0; i < int'(WORDS); i++) words[i] <= '0;
      {num_atomics_q, num_writes_q, num_reads_q} <= '0;
    end else begin
      if (writes && !fails) words[at] <= written;
      num_atomics_q <= num_atomics_q + 32'(writes && is_atomic && !fails);
      num_writes_q  <= num_writes_q + 32'(writes && !is_atomic && !fails);
      num_reads_q   <= num_reads_q + 32'(reads && !fails);
    end
  end

  `NOCCL_ASSERT(BeatsAreAlone, !w_valid_i || w_i.last)

endmodule
