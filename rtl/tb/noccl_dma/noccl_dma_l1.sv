// SPDX-License-Identifier: Apache-2.0
//
// L1 behind a DMA engine and a network interface: one memory with a port for each. It responds in
// the next cycle unless held up.
//
// Lines may be marked as failing, for the network's writes, own copies of multicasts and the network's reads one by one: such a
// write leaves its line alone, such a read gives zeros, both with an error. The engine's own port never fails.
// With `+fault=10`, 11, 12 a failing write says that it has not failed, another one that it has, a failing read that it has not.

`include "noccl_assert.svh"

module noccl_dma_l1
  import noccl_flit_pkg::resp_e, noccl_flit_pkg::offset_t, noccl_flit_pkg::wide_data_t;
  import noccl_axi_pkg::wide_w_t;
(
    /// Clock.
    input  logic                                  clk_i,
    /// Asynchronous reset, active low: no line fails.
    input  logic                                  rst_ni,
    /// It stands still.
    input  logic                                  hold_i,
    /// The test's own access: a line is written, or read in the same cycle.
    input  logic                                  host_write_i,
    input  logic                          [ 10:0] host_line_i,
    input  logic                          [511:0] host_data_i,
    output logic                          [511:0] host_data_o,
    /// What fails at a line from now on: writes, own copies, reads.
    input  logic                                  mark_valid_i,
    input  logic                          [ 10:0] mark_line_i,
    input  logic                          [  2:0] mark_i,
    /// The network's port.
    input  logic                                  aw_valid_i,
    output logic                                  aw_ready_o,
    input  offset_t                               aw_addr_i,
    input  logic                                  w_valid_i,
    output logic                                  w_ready_o,
    input  wide_w_t                               w_i,
    output logic                                  b_valid_o,
    input  logic                                  b_ready_i,
    output resp_e                                 b_resp_o,
    input  logic                                  ar_valid_i,
    output logic                                  ar_ready_o,
    input  offset_t                               ar_addr_i,
    input  noccl_flit_pkg::left_t                 ar_len_i,
    output logic                                  r_valid_o,
    input  logic                                  r_ready_i,
    output noccl_axi_pkg::memory_wide_r_t         r_o,
    /// Own copies.
    input  logic                                  own_aw_valid_i,
    output logic                                  own_aw_ready_o,
    input  offset_t                               own_aw_addr_i,
    input  logic                                  own_w_valid_i,
    output logic                                  own_w_ready_o,
    input  wide_w_t                               own_w_i,
    output logic                                  own_b_valid_o,
    input  logic                                  own_b_ready_i,
    output resp_e                                 own_b_resp_o,
    /// Beats of both that it has taken.
    output logic                          [ 31:0] num_taken_o,
    /// The engine reads and writes.
    input  logic                                  ask_valid_i,
    output logic                                  ask_ready_o,
    input  offset_t                               ask_addr_i,
    output logic                                  data_valid_o,
    output wide_data_t                            data_o,
    input  logic                                  write_valid_i,
    output logic                                  write_ready_o,
    input  offset_t                               write_addr_i,
    input  wide_data_t                            write_data_i,
    input  noccl_flit_pkg::wide_strobe_t          write_strb_i
);

  localparam int unsigned LINES = 2048;
  // Of the writes that have not failed, the one that says that it has.
  localparam int unsigned FAULTY_WRITE = 1000;
  typedef logic [10:0] line_t;

  int unsigned fault, num_writes_q;
  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;

  logic [511:0] lines[LINES];
  logic [LINES-1:0] write_fails_q, own_fails_q, read_fails_q;

  // Writes are taken when address and data are both here and the one before has its response or is
  // about to get it.
  logic writes, own_writes, reads_q, fails, own_fails;
  line_t at, own_at, read_at, engine_at;
  offset_t read_addr_q;
  noccl_flit_pkg::left_t read_len_q, beat_q;

  assign writes = !hold_i && aw_valid_i && w_valid_i && (!b_valid_o || b_ready_i);
  assign own_writes = !hold_i && own_aw_valid_i && own_w_valid_i &&
      (!own_b_valid_o || own_b_ready_i);
  assign {aw_ready_o, w_ready_o} = {2{writes}};
  assign {own_aw_ready_o, own_w_ready_o} = {2{own_writes}};
  assign at = line_t'(aw_addr_i >> 6);
  assign own_at = line_t'(own_aw_addr_i >> 6);
  assign read_at = line_t'(read_addr_q >> 6) + line_t'(beat_q);
  assign engine_at = line_t'(write_addr_i >> 6);
  assign fails = write_fails_q[at];
  assign own_fails = own_fails_q[own_at];
  assign ar_ready_o = !reads_q;
  assign r_valid_o = reads_q;
  assign r_o.data = read_fails_q[read_at] ? '0 : lines[read_at];
  assign r_o.resp = resp_of(read_fails_q[read_at] && fault != 12);
  assign r_o.last = beat_q == read_len_q;
  assign ask_ready_o = !hold_i;
  assign write_ready_o = !hold_i;
  assign host_data_o = lines[host_line_i];

  function automatic resp_e resp_of(logic has_failed);
    return has_failed ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_OKAY;
  endfunction

  function automatic logic [511:0] merged(logic [511:0] old, wide_data_t data,
                                          noccl_flit_pkg::wide_strobe_t strobe);
    for (int i = 0; i < 64; i++) if (strobe[i]) old[8*i+:8] = data[8*i+:8];
    return old;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      b_valid_o <= 1'b0;
      own_b_valid_o <= 1'b0;
      reads_q <= 1'b0;
      beat_q <= '0;
      data_valid_o <= 1'b0;
      write_fails_q <= '0;
      own_fails_q <= '0;
      read_fails_q <= '0;
      num_writes_q <= 0;
      num_taken_o <= '0;
    end else begin
      b_valid_o <= writes || (b_valid_o && !b_ready_i);
      own_b_valid_o <= own_writes || (own_b_valid_o && !own_b_ready_i);
      data_valid_o <= ask_valid_i && ask_ready_o;
      if (ar_valid_i && ar_ready_o) reads_q <= 1'b1;
      if (r_valid_o && r_ready_i) begin
        beat_q <= r_o.last ? '0 : beat_q + 1'b1;
        if (r_o.last) reads_q <= 1'b0;
      end
      if (mark_valid_i) begin
        {read_fails_q[mark_line_i], own_fails_q[mark_line_i], write_fails_q[mark_line_i]} <= mark_i;
      end
      num_writes_q <= num_writes_q + 32'(writes && !fails);
      num_taken_o  <= num_taken_o + 32'(writes) + 32'(own_writes);
    end
  end

  always_ff @(posedge clk_i) begin
    if (ar_valid_i && ar_ready_o) begin
      read_addr_q <= ar_addr_i;
      read_len_q  <= ar_len_i;
    end
    data_o <= lines[line_t'(ask_addr_i>>6)];
    if (host_write_i) lines[host_line_i] <= host_data_i;
    if (writes && !fails) lines[at] <= merged(lines[at], w_i.data, w_i.strb);
    if (own_writes && !own_fails)
      lines[own_at] <= merged(lines[own_at], own_w_i.data, own_w_i.strb);
    if (write_valid_i && write_ready_o)
      lines[engine_at] <= merged(lines[engine_at], write_data_i, write_strb_i);
    if (writes) begin
      b_resp_o <= resp_of(fails ? fault != 10 : fault == 11 && num_writes_q == FAULTY_WRITE);
    end
    if (own_writes) own_b_resp_o <= resp_of(own_fails);
  end

  `NOCCL_ASSERT(BeatsAreAlone, (!w_valid_i || w_i.last) && (!own_w_valid_i || own_w_i.last))

endmodule
