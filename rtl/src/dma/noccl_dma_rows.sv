// SPDX-License-Identifier: Apache-2.0
//
// Walks over the rows of a range in bursts: whole lines, never across 4 KiB.
//
// A burst of 4 KiB has 64 beats, so that the page is the only limit. Latency: the first burst is offered in the cycle after the
// range was taken, the next in the cycle after a step. Combinational paths: none from inputs to the burst.
// Mirror: crates/noccl-sim/src/transport/burst.rs.

`include "noccl_assert.svh"

module noccl_dma_rows (
    /// Clock.
    input  logic                  clk_i,
    /// Asynchronous reset, active low.
    input  logic                  rst_ni,
    /// Begins a walk; only while none is going on.
    input  logic                  start_i,
    /// The range; at least one row of at least one byte.
    input  noccl_dma_pkg::range_t range_i,
    /// A burst is offered.
    output logic                  burst_valid_o,
    /// Its first byte.
    output noccl_axi_pkg::addr_t  address_o,
    /// Its last byte, as lane of the last line.
    output noccl_dma_pkg::lane_t  last_lane_o,
    /// Beats that follow the first.
    output noccl_flit_pkg::left_t len_o,
    /// It begins a row, ends one, ends the range.
    output logic                  begins_row_o,
    output logic                  ends_row_o,
    output logic                  ends_range_o,
    /// The burst is done with.
    input  logic                  step_i
);

  import noccl_axi_pkg::addr_t;
  import noccl_dma_pkg::PAGE_BITS;
  import noccl_dma_pkg::LINE_OFFSET_BITS;

  logic active_q, active_d, begins_q, begins_d;
  addr_t row_q, row_d, address_q, address_d;
  noccl_dma_pkg::bytes_t left_q, left_d;
  noccl_dma_pkg::rows_t rows_q, rows_d;
  noccl_dma_pkg::range_t range_q;

  // Bytes up to the end of the page, and of the burst.
  logic [PAGE_BITS:0] to_page, size;
  addr_t last;

  assign to_page = {1'b1, PAGE_BITS'(0)} - {1'b0, address_q[PAGE_BITS-1:0]};
  assign ends_row_o = left_q <= noccl_dma_pkg::bytes_t'(to_page);
  assign size = ends_row_o ? (PAGE_BITS + 1)'(left_q) : to_page;
  assign last = address_q + addr_t'(size) - 1'b1;

  assign burst_valid_o = active_q;
  assign address_o = address_q;
  assign last_lane_o = last[LINE_OFFSET_BITS-1:0];
  assign len_o = noccl_flit_pkg::left_t'((last >> LINE_OFFSET_BITS)
                                         - (address_q >> LINE_OFFSET_BITS));
  assign begins_row_o = begins_q;
  assign ends_range_o = ends_row_o && rows_q == '0;

  always_comb begin
    active_d = active_q;
    begins_d = begins_q;
    row_d = row_q;
    address_d = address_q;
    left_d = left_q;
    rows_d = rows_q;
    if (start_i) begin
      active_d = 1'b1;
      begins_d = 1'b1;
      row_d = range_i.base;
      address_d = range_i.base;
      left_d = range_i.bytes;
      rows_d = range_i.rows - 1'b1;
    end else if (step_i) begin
      active_d = !ends_range_o;
      begins_d = ends_row_o;
      address_d = address_q + addr_t'(size);
      left_d = left_q - noccl_dma_pkg::bytes_t'(size);
      if (ends_row_o) begin
        row_d = row_q + range_q.stride;
        address_d = row_d;
        left_d = range_q.bytes;
        rows_d = rows_q - 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) active_q <= 1'b0;
    else active_q <= active_d;
  end

  always_ff @(posedge clk_i) begin
    begins_q <= begins_d;
    row_q <= row_d;
    address_q <= address_d;
    left_q <= left_d;
    rows_q <= rows_d;
    if (start_i) range_q <= range_i;
  end

  `NOCCL_ASSUME(StartsWhenIdle, !start_i || !active_q)
  `NOCCL_ASSUME(StepsThroughBursts, !step_i || active_q)
  `NOCCL_ASSUME(RangeHasBytes, !start_i || (range_i.bytes != '0 && range_i.rows != '0))
  `NOCCL_ASSERT(NoBurstCrossesAPage, !active_q || address_q >> PAGE_BITS == last >> PAGE_BITS)

endmodule
