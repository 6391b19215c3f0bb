// SPDX-License-Identifier: Apache-2.0
//
// Which channels of the DMA engine ask the own L1 for a line, and whom its responses are for.
//
// With one read port the oldest transfer goes first, so that its beats leave without a gap, as the network interface serves
// them; a younger one that takes over has its lines up to three cycles later. With a port per channel, for an L1 of many banks
// that arbitrates by itself, every transfer has its lines whatever the others do, as in the simulator.
// Latency: none. Throughput: one line per port and cycle. Combinational paths: from asks to ports
// and back; from responses to channels.
// Mirror: none; the simulator's L1 gives any number of lines in a cycle.

`include "noccl_assert.svh"

module noccl_dma_local_arbiter
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// Read ports of L1: 1, or one per channel.
    parameter int unsigned L1Reads = 1
) (
    /// Clock.
    input  logic                                           clk_i,
    /// Asynchronous reset, active low.
    input  logic                                           rst_ni,
    /// A transfer begins.
    input  logic                       [WIDE_CHANNELS-1:0] starts_i,
    /// Channels that want a line, and which.
    input  logic                       [WIDE_CHANNELS-1:0] ask_valid_i,
    output logic                       [WIDE_CHANNELS-1:0] ask_ready_o,
    input  noccl_flit_pkg::offset_t                        ask_addr_i     [WIDE_CHANNELS],
    /// Its line, in the order of its asks.
    output logic                       [WIDE_CHANNELS-1:0] data_valid_o,
    output noccl_flit_pkg::wide_data_t                     data_o         [WIDE_CHANNELS],
    /// Own L1: a line is asked for; responses of a port come in order, at the earliest in the next
    /// cycle, and are taken.
    output logic                       [      L1Reads-1:0] l1_ask_valid_o,
    input  logic                       [      L1Reads-1:0] l1_ask_ready_i,
    output noccl_flit_pkg::offset_t    [      L1Reads-1:0] l1_ask_addr_o,
    input  logic                       [      L1Reads-1:0] l1_data_valid_i,
    input  noccl_flit_pkg::wide_data_t [      L1Reads-1:0] l1_data_i
);

  typedef logic [WIDE_CHANNELS-1:0] channels_t;

  if (L1Reads == WIDE_CHANNELS) begin : gen_own_port
    assign l1_ask_valid_o = ask_valid_i;
    assign ask_ready_o = l1_ask_ready_i;
    assign data_valid_o = l1_data_valid_i;
    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
      assign l1_ask_addr_o[c] = ask_addr_i[c];
      assign data_o[c] = l1_data_i[c];
    end
  end else begin : gen_arbiter
    channels_t grant, oldest_ask;
    logic ask_any, asks_ready, oldest_ask_valid;

    // older_q[a][b]: the transfer of channel a, over or not, has begun before that of b.
    channels_t older_q[WIDE_CHANNELS], older_d[WIDE_CHANNELS];

    always_comb begin
      older_d = older_q;
      grant   = ask_valid_i;
      for (int unsigned a = 0; a < WIDE_CHANNELS; a++) begin
        for (int unsigned b = 0; b < WIDE_CHANNELS; b++) begin
          if (starts_i[a]) older_d[a][b] = 1'b0;
          else if (starts_i[b]) older_d[a][b] = 1'b1;
          if (a != b && ask_valid_i[b] && older_q[b][a]) grant[a] = 1'b0;
        end
      end
    end

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) older_q <= '{default: '0};
      else older_q <= older_d;
    end

    // Who asked, for the responses: each channel keeps space for what it asks.
    noccl_fifo #(
        .Depth (4 * WIDE_CHANNELS),
        .data_t(channels_t)
    ) u_asked (
        .clk_i,
        .rst_ni,
        .valid_i(ask_any && l1_ask_ready_i[0]),
        .ready_o(asks_ready),
        .data_i (grant),
        .valid_o(oldest_ask_valid),
        .ready_i(l1_data_valid_i[0]),
        .data_o (oldest_ask)
    );

    assign ask_any = |ask_valid_i;
    assign ask_ready_o = l1_ask_ready_i[0] ? grant : '0;
    assign l1_ask_valid_o[0] = ask_any;
    assign data_valid_o = l1_data_valid_i[0] ? oldest_ask : '0;

    always_comb begin
      l1_ask_addr_o[0] = '0;
      for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
        if (grant[c]) l1_ask_addr_o[0] = ask_addr_i[c];
      end
    end

    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
      assign data_o[c] = l1_data_i[0];
    end

    `NOCCL_ASSERT(OneAskIsGranted, $onehot0(grant) && |grant == ask_any)
    `NOCCL_ASSERT(EveryAskHasItsPlace, asks_ready)
    `NOCCL_ASSUME(L1ReturnsWhatWasAsked, !l1_data_valid_i[0] || oldest_ask_valid)
  end

  `NOCCL_ASSERT_INIT(OneReadPortOrOnePerChannel, L1Reads == 1 || L1Reads == WIDE_CHANNELS)

endmodule
