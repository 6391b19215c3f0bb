// SPDX-License-Identifier: Apache-2.0
//
// Reads the sources of transfers over the network into the engine's buffer, ahead of the write
// side.
//
// A burst is asked for only when the buffer has space for all of it, so read data are always taken
// from the network, whatever the write side waits for (docs/design/0001). Transfers are read in the
// order in which they start. Data of bursts at one tile come in order; a read from another tile
// waits until earlier ones have come.
// Latency: AR in the cycle after the start. Throughput: one line per cycle.
// Mirror: `read_ahead`, `on_read_beat` in crates/noccl-sim/src/endpoint/dma.rs.

`include "noccl_assert.svh"

module noccl_dma_remote_read #(
    /// Lines of the buffer; at least a burst.
    parameter int unsigned BufferLines = 128,
    /// Bursts asked for whose data have not all been written; at least 2.
    parameter int unsigned Bursts = 8
) (
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                        rst_ni,
    /// A transfer's source; taken while none is being asked for.
    input  logic                        start_valid_i,
    output logic                        start_ready_o,
    input  noccl_dma_pkg::range_t       range_i,
    /// Read channel of the network interface.
    output logic                        ar_valid_o,
    input  logic                        ar_ready_i,
    output noccl_axi_pkg::wide_ar_t     ar_o,
    input  logic                        r_valid_i,
    output logic                        r_ready_o,
    input  noccl_axi_pkg::wide_r_t      r_i,
    /// Lines, in order, over all transfers.
    output logic                        line_valid_o,
    input  logic                        line_ready_i,
    output noccl_dma_pkg::source_line_t line_o,
    /// It has been here for a cycle: the path to the network is as long as the cluster's paths in
    /// the simulator.
    output logic                        line_is_settled_o,
    /// The line could not be read.
    output logic                        line_has_error_o
);

  import noccl_dma_pkg::LINE_OFFSET_BITS;
  import noccl_axi_pkg::addr_t;
  import noccl_axi_pkg::read_id_t;

  localparam int unsigned LinesBits = $clog2(BufferLines + 1);
  // Tiles lie at least this far apart in the address map.
  localparam int unsigned TILE_BITS = noccl_cfg_pkg::MAP_OFFSET_BITS[noccl_cfg_pkg::CLUSTER_REGION];

  typedef struct packed {
    noccl_flit_pkg::left_t len;
    logic                  begins_row;
    logic                  ends_row;
    logic                  ends_range;
    noccl_dma_pkg::lane_t  lane;
  } burst_t;

  typedef struct packed {
    logic                       has_error;
    noccl_flit_pkg::wide_data_t data;
  } line_t;

  // ---------------------------------------------------------------------------------------------- asking

  logic walks, begins_row, ends_row, ends_range, asks;
  addr_t address;
  burst_t asked, oldest;
  noccl_flit_pkg::left_t len;
  noccl_dma_pkg::lane_t row_lane_q, row_lane;
  logic bursts_ready, has_space, same_tile;
  logic [LinesBits-1:0] num_kept_q, num_kept_d, num_coming_q, num_coming_d, size;
  addr_t tile_q;
  read_id_t id_q;

  noccl_dma_rows u_rows (
      .clk_i,
      .rst_ni,
      .start_i(start_valid_i && start_ready_o),
      .range_i,
      .burst_valid_o(walks),
      .address_o(address),
      .last_lane_o(),
      .len_o(len),
      .begins_row_o(begins_row),
      .ends_row_o(ends_row),
      .ends_range_o(ends_range),
      .step_i(asks)
  );

  assign start_ready_o = !walks;
  assign size = LinesBits'(len) + 1'b1;
  assign has_space = num_kept_q + size <= LinesBits'(BufferLines);
  assign same_tile = num_coming_q == '0 || tile_q == address >> TILE_BITS;
  assign ar_valid_o = walks && has_space && same_tile && bursts_ready;
  assign asks = ar_valid_o && ar_ready_i;

  always_comb begin
    ar_o.id = id_q;
    ar_o.addr = address;
    ar_o.len = 8'(len);
    ar_o.size = noccl_axi_pkg::SIZE_WIDE;
    ar_o.burst = noccl_axi_pkg::BURST_INCR;
  end

  assign row_lane = begins_row ? address[LINE_OFFSET_BITS-1:0] : row_lane_q;
  assign asked = '{
          len: len,
          begins_row: begins_row,
          ends_row: ends_row,
          ends_range: ends_range,
          lane: row_lane
      };

  // -------------------------------------------------------------------------------------------- receiving

  logic line_taken, burst_taken, oldest_valid, buffer_ready;
  line_t entering, leaving;
  noccl_flit_pkg::left_t beat_q, beat_d;

  assign entering  = '{has_error: r_i.resp != noccl_flit_pkg::RESP_OKAY, data: r_i.data};
  assign r_ready_o = buffer_ready;

  noccl_fifo #(
      .Depth (BufferLines),
      .data_t(line_t)
  ) u_buffer (
      .clk_i,
      .rst_ni,
      .valid_i(r_valid_i),
      .ready_o(buffer_ready),
      .data_i (entering),
      .valid_o(line_valid_o),
      .ready_i(line_taken),
      .data_o (leaving)
  );

  noccl_fifo #(
      .Depth (Bursts),
      .data_t(burst_t)
  ) u_bursts (
      .clk_i,
      .rst_ni,
      .valid_i(asks),
      .ready_o(bursts_ready),
      .data_i (asked),
      .valid_o(oldest_valid),
      .ready_i(burst_taken),
      .data_o (oldest)
  );

  // Lines that were here a cycle ago.
  logic [LinesBits-1:0] num_settled_q, num_settled_d;
  logic has_come_q;
  assign line_is_settled_o = num_settled_q != '0;
  // A line that is taken before it has settled never does.
  assign num_settled_d = num_settled_q + LinesBits'(has_come_q) - LinesBits'(line_taken);
  assign line_taken = line_valid_o && line_ready_i;
  assign burst_taken = line_taken && beat_q == oldest.len;
  assign beat_d = !line_taken ? beat_q : burst_taken ? '0 : beat_q + 1'b1;

  assign line_o.data = leaving.data;
  assign line_o.place.begins_row = oldest.begins_row && beat_q == '0;
  assign line_o.place.ends_row = oldest.ends_row && beat_q == oldest.len;
  assign line_o.place.ends_range = oldest.ends_range && beat_q == oldest.len;
  assign line_o.place.lane = oldest.lane;
  assign line_has_error_o = line_valid_o && leaving.has_error;

  assign num_kept_d = num_kept_q + (asks ? size : '0) - LinesBits'(line_taken);
  assign num_coming_d = num_coming_q + (asks ? size : '0) - LinesBits'(r_valid_i && r_ready_o);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_kept_q <= '0;
      num_coming_q <= '0;
      beat_q <= '0;
      id_q <= '0;
      num_settled_q <= '0;
      has_come_q <= 1'b0;
    end else begin
      num_kept_q <= num_kept_d;
      num_coming_q <= num_coming_d;
      beat_q <= beat_d;
      num_settled_q <= num_settled_d;
      has_come_q <= r_valid_i && r_ready_o;
      if (asks) id_q <= id_q + 1'b1;
    end
  end

  always_ff @(posedge clk_i) begin
    row_lane_q <= row_lane;
    if (asks) tile_q <= address >> TILE_BITS;
  end

  `NOCCL_ASSERT_INIT(BufferHoldsABurst, BufferLines >= 1 << noccl_cfg_pkg::BURST_BITS)
  `NOCCL_ASSERT(DataAlwaysTaken, !r_valid_i || r_ready_o)
  `NOCCL_ASSERT(EveryLineHasItsBurst, !line_valid_o || oldest_valid)

endmodule
