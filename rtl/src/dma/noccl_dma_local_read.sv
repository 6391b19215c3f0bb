// SPDX-License-Identifier: Apache-2.0
//
// Reads the lines of a transfer's source from the own L1, a few ahead.
//
// Latency: a line asked for in a cycle is there in the next one at the earliest. Throughput: one line per cycle if L1 gives
// one. Responses come in order and are always taken: a slot of the queue is kept for each.
// Mirror: `Source::Memory` in crates/noccl-sim/src/ni/axi.

`include "noccl_assert.svh"

module noccl_dma_local_read #(
    /// Lines asked for or here; at least 3 for one line per cycle.
    parameter int unsigned Lines = 4
) (
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                        rst_ni,
    /// Begins with a range; only when the last one is read.
    input  logic                        start_i,
    input  noccl_dma_pkg::range_t       range_i,
    /// Asks L1 for a line.
    output logic                        ask_valid_o,
    input  logic                        ask_ready_i,
    output noccl_flit_pkg::offset_t     ask_addr_o,
    /// L1's response, in order.
    input  logic                        data_valid_i,
    input  noccl_flit_pkg::wide_data_t  data_i,
    /// Lines, in order.
    output logic                        line_valid_o,
    input  logic                        line_ready_i,
    output noccl_dma_pkg::source_line_t line_o
);

  import noccl_dma_pkg::LINE_OFFSET_BITS;
  import noccl_axi_pkg::addr_t;

  localparam int unsigned CountBits = $clog2(Lines + 1);

  logic burst_valid, begins_row, ends_row, ends_range, asks, takes;
  addr_t address;
  noccl_flit_pkg::left_t len, beat_q, beat_d;
  noccl_dma_pkg::place_t place, oldest_place;
  noccl_dma_pkg::lane_t row_lane_q, row_lane;
  logic [CountBits-1:0] num_kept_q, num_kept_d;
  logic place_ready, place_valid, data_ready;

  noccl_dma_rows u_rows (
      .clk_i,
      .rst_ni,
      .start_i,
      .range_i,
      .burst_valid_o(burst_valid),
      .address_o(address),
      .last_lane_o(),
      .len_o(len),
      .begins_row_o(begins_row),
      .ends_row_o(ends_row),
      .ends_range_o(ends_range),
      .step_i(asks && beat_q == len)
  );

  assign ask_valid_o = burst_valid && num_kept_q != CountBits'(Lines);
  assign asks = ask_valid_o && ask_ready_i;
  assign ask_addr_o = noccl_flit_pkg::offset_t'({
    (address >> LINE_OFFSET_BITS) + addr_t'(beat_q), LINE_OFFSET_BITS'(0)
  });
  assign beat_d = !asks ? beat_q : beat_q == len ? '0 : beat_q + 1'b1;

  assign row_lane = begins_row && beat_q == '0 ? address[LINE_OFFSET_BITS-1:0] : row_lane_q;
  assign place.begins_row = begins_row && beat_q == '0;
  assign place.ends_row = ends_row && beat_q == len;
  assign place.ends_range = ends_range && beat_q == len;
  assign place.lane = row_lane;

  assign takes = line_valid_o && line_ready_i;
  assign num_kept_d = num_kept_q + CountBits'(asks) - CountBits'(takes);

  noccl_fifo #(
      .Depth (Lines),
      .data_t(noccl_dma_pkg::place_t)
  ) u_places (
      .clk_i,
      .rst_ni,
      .valid_i(asks),
      .ready_o(place_ready),
      .data_i (place),
      .valid_o(place_valid),
      .ready_i(takes),
      .data_o (oldest_place)
  );

  noccl_fifo #(
      .Depth (Lines),
      .data_t(noccl_flit_pkg::wide_data_t)
  ) u_lines (
      .clk_i,
      .rst_ni,
      .valid_i(data_valid_i),
      .ready_o(data_ready),
      .data_i,
      .valid_o(line_valid_o),
      .ready_i(takes),
      .data_o (line_o.data)
  );

  assign line_o.place = oldest_place;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      beat_q <= '0;
      num_kept_q <= '0;
    end else begin
      beat_q <= beat_d;
      num_kept_q <= num_kept_d;
    end
  end

  always_ff @(posedge clk_i) row_lane_q <= row_lane;

  `NOCCL_ASSERT(EveryLineHasItsPlace, !line_valid_o || place_valid)
  `NOCCL_ASSERT(SlotsAreKept, (!asks || place_ready) && (!data_valid_i || data_ready))

endmodule
