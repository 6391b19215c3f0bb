// SPDX-License-Identifier: Apache-2.0
//
// Own copies of a multicast: from the initiator's NI to its own memory, by a port of their own.
//
// Through the router a copy would leave by the Local output, which in a memory-to-clusters multicast carries the read
// data at the same time: the own copy would halve the rate of all others (docs/design/0001, F).
// Combinational paths: copy to AW and W; B to the response. Throughput: one beat per cycle.
// Mirror: `copy_beat` and `copy_narrow` in crates/noccl-sim/src/ni/axi/inject.rs.

`include "noccl_assert.svh"

module noccl_ni_own #(
    /// W beat of the memory port: a structure with data, strb and last.
    parameter type w_t = noccl_axi_pkg::wide_w_t,
    /// Copies whose response from the memory is open; at least 2 for one copy per cycle.
    parameter int unsigned Responses = 4
) (
    /// Clock.
    input  logic                      clk_i,
    /// Asynchronous reset, active low.
    input  logic                      rst_ni,
    /// A copy: place, data, and whether its transaction ends with it.
    input  logic                      copy_valid_i,
    output logic                      copy_ready_o,
    input  noccl_flit_pkg::offset_t   copy_addr_i,
    input  w_t                        copy_w_i,
    input  logic                      copy_is_last_i,
    input  noccl_flit_pkg::tag_t      copy_tag_i,
    /// Towards the memory.
    output logic                      aw_valid_o,
    input  logic                      aw_ready_i,
    output noccl_axi_pkg::memory_aw_t aw_o,
    output logic                      w_valid_o,
    input  logic                      w_ready_i,
    output w_t                        w_o,
    input  logic                      b_valid_i,
    output logic                      b_ready_o,
    input  noccl_flit_pkg::resp_e     b_resp_i,
    /// The memory has responded for the last copy of a transaction.
    output logic                      response_valid_o,
    input  logic                      response_ready_i,
    output noccl_flit_pkg::tag_t      response_tag_o,
    output noccl_flit_pkg::resp_e     response_code_o
);

  typedef struct packed {
    logic                 is_last;
    noccl_flit_pkg::tag_t tag;
  } noted_t;

  noted_t noted, oldest;
  logic noted_ready, oldest_valid, oldest_taken, may_copy, both_done, copies;

  assign may_copy = copy_valid_i && noted_ready;
  assign copies = may_copy && both_done;
  assign copy_ready_o = noted_ready && both_done;

  noccl_fork #(
      .NumOutputs(2)
  ) u_both (
      .clk_i,
      .rst_ni,
      .valid_i (may_copy),
      .select_i(2'b11),
      .ready_o (both_done),
      .valid_o ({aw_valid_o, w_valid_o}),
      .ready_i ({aw_ready_i, w_ready_i})
  );

  assign aw_o  = '{addr: copy_addr_i, atop: noccl_axi_pkg::ATOP_NONE};
  assign w_o   = copy_w_i;
  assign noted = '{is_last: copy_is_last_i, tag: copy_tag_i};

  noccl_fifo #(
      .Depth (Responses),
      .data_t(noted_t)
  ) u_responses (
      .clk_i,
      .rst_ni,
      .valid_i(copies),
      .ready_o(noted_ready),
      .data_i (noted),
      .valid_o(oldest_valid),
      .ready_i(oldest_taken),
      .data_o (oldest)
  );

  typedef struct packed {
    noccl_flit_pkg::tag_t  tag;
    noccl_flit_pkg::resp_e resp;
  } told_t;

  told_t told, waiting;
  logic has_space;
  assign told.tag = oldest.tag;
  assign response_tag_o = waiting.tag;
  assign response_code_o = waiting.resp;

  noccl_ni_waiting #(
      .Depth (Responses),
      .data_t(told_t)
  ) u_waiting (
      .clk_i,
      .rst_ni,
      .valid_i(b_valid_i && oldest_valid && oldest.is_last),
      .ready_o(has_space),
      .data_i (told),
      .valid_o(response_valid_o),
      .ready_i(response_ready_i),
      .data_o (waiting)
  );

  // A write channel sends one burst at a time, and the memory responds in order: the worst response
  // so far, by channel.
  noccl_flit_pkg::resp_e worst_q[noccl_cfg_pkg::WIDE_CHANNELS];
  logic [noccl_ni_pkg::CHANNEL_BITS-1:0] channel;

  assign channel   = noccl_ni_pkg::CHANNEL_BITS'(oldest.tag >> noccl_cfg_pkg::WIDE_ID_BITS);
  assign told.resp = noccl_ni_pkg::worse(worst_q[channel], b_resp_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) worst_q <= '{default: noccl_flit_pkg::RESP_OKAY};
    else if (oldest_taken)
      worst_q[channel] <= oldest.is_last ? noccl_flit_pkg::RESP_OKAY : told.resp;
  end

  assign b_ready_o = oldest_valid && (!oldest.is_last || has_space);
  assign oldest_taken = b_valid_i && b_ready_o;

  `NOCCL_ASSUME(MemoryRespondsToWhatItTook, !b_valid_i || oldest_valid)

endmodule
