// SPDX-License-Identifier: Apache-2.0
//
// Target side of wide reads: asks the memory and sends the data back, one flit per beat.
//
// The memory responds in order, so a queue of who asked is enough. Where it is full, requests wait
// in the router: the request plane may wait for the wide plane (docs/design/0001).
// Combinational paths: request to AR; R to the flit. Throughput: one beat per cycle.
// Mirror: `start_read` in crates/noccl-sim/src/ni/axi/response.rs, `next_read_beat` in inject.rs.

`include "noccl_assert.svh"

module noccl_ni_wide_serve #(
    /// Reads in service at the memory.
    parameter int unsigned Reads = 4
) (
    /// Clock.
    input  logic                          clk_i,
    /// Asynchronous reset, active low.
    input  logic                          rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t        pos_i,
    /// READ_WIDE request.
    input  logic                          req_valid_i,
    output logic                          req_ready_o,
    input  noccl_flit_pkg::req_hdr_t      req_i,
    /// Towards the memory.
    output logic                          ar_valid_o,
    input  logic                          ar_ready_i,
    output noccl_axi_pkg::memory_ar_t     ar_o,
    input  logic                          r_valid_i,
    output logic                          r_ready_o,
    input  noccl_axi_pkg::memory_wide_r_t r_i,
    /// Data towards the router.
    output logic                          flit_valid_o,
    input  logic                          flit_ready_i,
    output noccl_flit_pkg::wide_flit_t    flit_o
);

  typedef struct packed {
    noccl_flit_pkg::coord_t src;
    noccl_flit_pkg::tag_t   tag;
    noccl_flit_pkg::left_t  len;
  } asked_t;

  asked_t asked, oldest;
  logic asked_ready, oldest_valid, beat_taken;
  noccl_flit_pkg::left_t beat_q, beat_d;

  assign ar_valid_o = req_valid_i && asked_ready;
  assign req_ready_o = asked_ready && ar_ready_i;
  assign ar_o = '{addr: req_i.addr, len: req_i.len, size: req_i.size};
  assign asked = '{src: req_i.src, tag: req_i.tag, len: req_i.len};

  noccl_fifo #(
      .Depth (Reads),
      .data_t(asked_t)
  ) u_asked (
      .clk_i,
      .rst_ni,
      .valid_i(req_valid_i && req_ready_o),
      .ready_o(asked_ready),
      .data_i (asked),
      .valid_o(oldest_valid),
      .ready_i(beat_taken && flit_o.hdr.left == '0),
      .data_o (oldest)
  );

  assign flit_valid_o = r_valid_i && oldest_valid;
  assign r_ready_o = oldest_valid && flit_ready_i;
  assign beat_taken = flit_valid_o && flit_ready_i;
  assign beat_d = !beat_taken ? beat_q : flit_o.hdr.left == '0 ? '0 : beat_q + 1'b1;

  always_comb begin
    flit_o = '0;
    flit_o.hdr.kind = noccl_flit_pkg::WIDE_READ_DATA;
    flit_o.hdr.dst = oldest.src;
    flit_o.hdr.src = pos_i;
    flit_o.hdr.tag = oldest.tag;
    flit_o.hdr.resp = r_i.resp;
    flit_o.hdr.left = oldest.len - beat_q;
    flit_o.data = r_i.data;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) beat_q <= '0;
    else beat_q <= beat_d;
  end

  `NOCCL_ASSUME(MemoryReturnsWhatWasAsked, !r_valid_i || oldest_valid)
  `NOCCL_ASSUME(MemoryMarksTheLastBeat, !beat_taken || r_i.last == (flit_o.hdr.left == '0))

endmodule
