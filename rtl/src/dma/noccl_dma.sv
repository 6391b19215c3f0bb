// SPDX-License-Identifier: Apache-2.0
//
// DMA engine of a cluster: copies rows of bytes between L1, other tiles and sets of tiles, and
// contributes to reductions.
//
// Transfers begin in order, each at a write channel of its own, and end in any order. Those with a
// remote source share one read side and its buffer and are read in order. Wiring, dispatch, and
// arbitration of writes to L1.
// Latency: a transfer started in cycle c offers its first beat in c + 3 (own source): queue, walk, L1.
// Throughput: one beat per cycle over all channels.
// Source: S1 section 2.2. Mirror: crates/noccl-sim/src/endpoint/dma.rs.

`include "noccl_assert.svh"

module noccl_dma
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// Lines of the buffer between read and write side.
    parameter int unsigned BufferLines = 128,
    /// Read ports of the own L1: 1, or one per channel.
    parameter int unsigned L1Reads = 1
) (
    /// Clock.
    input  logic                                     clk_i,
    /// Asynchronous reset, active low.
    input  logic                                     rst_ni,
    /// First address of the own L1.
    input  noccl_axi_pkg::addr_t                     l1_base_i,
    /// Registers; the response comes in the same cycle.
    input  logic                                     access_i,
    input  logic                                     is_write_i,
    input  noccl_dma_pkg::register_e                 register_i,
    input  logic                       [       63:0] write_i,
    output logic                       [       63:0] read_o,
    /// Wide port of the network interface.
    output logic                                     aw_valid_o      [WIDE_CHANNELS],
    input  logic                                     aw_ready_i      [WIDE_CHANNELS],
    output noccl_axi_pkg::wide_aw_t                  aw_o            [WIDE_CHANNELS],
    output logic                                     w_valid_o       [WIDE_CHANNELS],
    input  logic                                     w_ready_i       [WIDE_CHANNELS],
    output noccl_axi_pkg::wide_w_t                   w_o             [WIDE_CHANNELS],
    input  logic                                     b_valid_i       [WIDE_CHANNELS],
    output logic                                     b_ready_o       [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_b_t                   b_i             [WIDE_CHANNELS],
    output logic                                     ar_valid_o,
    input  logic                                     ar_ready_i,
    output noccl_axi_pkg::wide_ar_t                  ar_o,
    input  logic                                     r_valid_i,
    output logic                                     r_ready_o,
    input  noccl_axi_pkg::wide_r_t                   r_i,
    /// Own L1: a line is asked for; responses of a port come in order, at the earliest in the next
    /// cycle, and are taken.
    output logic                       [L1Reads-1:0] l1_ask_valid_o,
    input  logic                       [L1Reads-1:0] l1_ask_ready_i,
    output noccl_flit_pkg::offset_t    [L1Reads-1:0] l1_ask_addr_o,
    input  logic                       [L1Reads-1:0] l1_data_valid_i,
    input  noccl_flit_pkg::wide_data_t [L1Reads-1:0] l1_data_i,
    /// A line is written.
    output logic                                     l1_write_valid_o,
    input  logic                                     l1_write_ready_i,
    output noccl_flit_pkg::offset_t                  l1_write_addr_o,
    output noccl_axi_pkg::wide_w_t                   l1_write_o
);

  import noccl_dma_pkg::NUM_TRANSFER_IDS;

  localparam int unsigned ChannelBits = $clog2(WIDE_CHANNELS);
  typedef logic [ChannelBits-1:0] channel_t;
  typedef logic [WIDE_CHANNELS-1:0] channels_t;

  // -------------------------------------------------------------------------------------------- dispatch

  noccl_dma_pkg::transfer_t transfer;
  logic transfer_valid, transfer_ready, remote_ready, order_ready;
  channels_t is_free, starts, first_free;
  logic [NUM_TRANSFER_IDS-1:0] done, done_has_error;

  noccl_dma_registers u_registers (
      .clk_i,
      .rst_ni,
      .l1_base_i,
      .access_i,
      .is_write_i,
      .register_i,
      .write_i,
      .read_o,
      .transfer_valid_o(transfer_valid),
      .transfer_ready_i(transfer_ready),
      .transfer_o(transfer),
      .done_i(done),
      .done_has_error_i(done_has_error)
  );

  assign first_free = is_free & (~is_free + 1'b1);
  assign transfer_ready = |is_free && (transfer.src_is_own || (remote_ready && order_ready));
  assign starts = transfer_valid && transfer_ready ? first_free : '0;

  // -------------------------------------------------------------------------------------- remote sources

  logic remote_valid, remote_is_settled, remote_taken, remote_has_error, order_valid;
  noccl_dma_pkg::source_line_t remote_line;
  channel_t started_channel, remote_channel;

  always_comb begin
    started_channel = '0;
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++)
    if (first_free[c]) started_channel = channel_t'(c);
  end

  noccl_dma_remote_read #(
      .BufferLines(BufferLines)
  ) u_remote (
      .clk_i,
      .rst_ni,
      .start_valid_i(|starts && !transfer.src_is_own),
      .start_ready_o(remote_ready),
      .range_i(transfer.src),
      .ar_valid_o,
      .ar_ready_i,
      .ar_o,
      .r_valid_i,
      .r_ready_o,
      .r_i,
      .line_valid_o(remote_valid),
      .line_ready_i(remote_taken),
      .line_o(remote_line),
      .line_is_settled_o(remote_is_settled),
      .line_has_error_o(remote_has_error)
  );

  // Which channel the oldest remote lines belong to.
  noccl_fifo #(
      .Depth (WIDE_CHANNELS),
      .data_t(channel_t)
  ) u_order (
      .clk_i,
      .rst_ni,
      .valid_i(|starts && !transfer.src_is_own),
      .ready_o(order_ready),
      .data_i (started_channel),
      .valid_o(order_valid),
      .ready_i(remote_valid && remote_taken && remote_line.place.ends_range),
      .data_o (remote_channel)
  );

  // -------------------------------------------------------------------------------------------- channels

  channels_t is_remote, is_to_own, line_valid, line_ready, local_valid, local_ready;
  channels_t ask_valid, ask_ready, data_valid, l1_valid, l1_grant;
  noccl_flit_pkg::wide_data_t data[WIDE_CHANNELS];
  noccl_dma_pkg::source_line_t line[WIDE_CHANNELS];
  noccl_dma_pkg::source_line_t local_line[WIDE_CHANNELS];
  noccl_flit_pkg::offset_t ask_addr[WIDE_CHANNELS];
  noccl_flit_pkg::offset_t l1_addr[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t l1_w[WIDE_CHANNELS];
  channels_t is_done, has_error;
  noccl_dma_pkg::transfer_id_t done_id[WIDE_CHANNELS];

  for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
    logic takes_remote;

    assign takes_remote = is_remote[c] && order_valid && remote_channel == channel_t'(unsigned'(c));
    // Lines go to the own L1 at once, over the network when they have settled.
    assign line_valid[c] = !is_remote[c] ? local_valid[c]
        : takes_remote && remote_valid && (is_to_own[c] || remote_is_settled);
    assign line[c] = is_remote[c] ? remote_line : local_line[c];
    assign local_ready[c] = !is_remote[c] && line_ready[c];

    noccl_dma_local_read u_local (
        .clk_i,
        .rst_ni,
        .start_i(starts[c] && transfer.src_is_own),
        .range_i(transfer.src),
        .ask_valid_o(ask_valid[c]),
        .ask_ready_i(ask_ready[c]),
        .ask_addr_o(ask_addr[c]),
        .data_valid_i(data_valid[c]),
        .data_i(data[c]),
        .line_valid_o(local_valid[c]),
        .line_ready_i(local_ready[c]),
        .line_o(local_line[c])
    );

    noccl_dma_channel u_channel (
        .clk_i,
        .rst_ni,
        .start_i(starts[c]),
        .transfer_i(transfer),
        .is_free_o(is_free[c]),
        .done_o(is_done[c]),
        .done_id_o(done_id[c]),
        .done_has_error_o(has_error[c]),
        .is_remote_o(is_remote[c]),
        .is_to_own_o(is_to_own[c]),
        .source_valid_i(line_valid[c]),
        .source_ready_o(line_ready[c]),
        .source_i(line[c]),
        .source_has_error_i(takes_remote && remote_has_error),
        .aw_valid_o(aw_valid_o[c]),
        .aw_ready_i(aw_ready_i[c]),
        .aw_o(aw_o[c]),
        .w_valid_o(w_valid_o[c]),
        .w_ready_i(w_ready_i[c]),
        .w_o(w_o[c]),
        .b_valid_i(b_valid_i[c]),
        .b_ready_o(b_ready_o[c]),
        .b_i(b_i[c]),
        .l1_valid_o(l1_valid[c]),
        .l1_ready_i(l1_grant[c] && l1_write_ready_i),
        .l1_addr_o(l1_addr[c]),
        .l1_w_o(l1_w[c])
    );
  end

  always_comb begin
    remote_taken = 1'b0;
    done = '0;
    done_has_error = '0;
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      if (is_remote[c] && line_valid[c] && line_ready[c]) remote_taken = 1'b1;
      if (is_done[c]) done[done_id[c]] = 1'b1;
      if (is_done[c] && has_error[c]) done_has_error[done_id[c]] = 1'b1;
    end
  end

  // -------------------------------------------------------------------------------------------------- L1

  logic write_any;

  noccl_dma_local_arbiter #(
      .L1Reads(L1Reads)
  ) u_read_arbiter (
      .clk_i,
      .rst_ni,
      .starts_i(starts),
      .ask_valid_i(ask_valid),
      .ask_ready_o(ask_ready),
      .ask_addr_i(ask_addr),
      .data_valid_o(data_valid),
      .data_o(data),
      .l1_ask_valid_o,
      .l1_ask_ready_i,
      .l1_ask_addr_o,
      .l1_data_valid_i,
      .l1_data_i
  );

  noccl_rr_arbiter #(
      .NumRequesters(WIDE_CHANNELS)
  ) u_write_arbiter (
      .clk_i,
      .rst_ni,
      .request_i(l1_valid),
      .late_i('0),
      .late_valid_i(1'b0),
      .grant_o(l1_grant),
      .valid_o(write_any),
      .ready_i(l1_write_ready_i)
  );

  assign l1_write_valid_o = write_any;

  always_comb begin
    l1_write_addr_o = '0;
    l1_write_o = '0;
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      if (l1_grant[c]) begin
        l1_write_addr_o = l1_addr[c];
        l1_write_o = l1_w[c];
      end
    end
  end

endmodule
