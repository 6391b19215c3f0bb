// SPDX-License-Identifier: Apache-2.0
//
// Target side of wide writes: hands every beat to the memory as a burst of one beat and responds
// for the last.
//
// Beats of different bursts may come interleaved; each carries its address. A queue keeps what the
// response needs until the memory has responded; where it is full, beats wait in the router: the
// wide plane may wait for the response plane (docs/design/0001, order of places). Bursts never
// cross 4 KiB, so a memory refuses all beats of a burst or none, and the last beat's response
// stands for the burst.
// Combinational paths: flit to AW and W; B to the response. Throughput: one beat per cycle.
// Mirror: `deliver_write`, `deliver_reduced`, `take_write` in
// crates/noccl-sim/src/ni/axi/deliver.rs, `respond` in response.rs.

`include "noccl_assert.svh"

module noccl_ni_wide_target #(
    /// Beats whose response from the memory is open; at least 2 for one beat per cycle.
    parameter int unsigned Responses = 4
) (
    /// Clock.
    input  logic                       clk_i,
    /// Asynchronous reset, active low.
    input  logic                       rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t     pos_i,
    /// WRITE or REDUCE flit.
    input  logic                       flit_valid_i,
    output logic                       flit_ready_o,
    input  noccl_flit_pkg::wide_flit_t flit_i,
    /// Towards the memory.
    output logic                       aw_valid_o,
    input  logic                       aw_ready_i,
    output noccl_axi_pkg::memory_aw_t  aw_o,
    output logic                       w_valid_o,
    input  logic                       w_ready_i,
    output noccl_axi_pkg::wide_w_t     w_o,
    input  logic                       b_valid_i,
    output logic                       b_ready_o,
    input  noccl_flit_pkg::resp_e      b_resp_i,
    /// A unicast beat of this tile to itself has been delivered.
    output logic                       delivered_o,
    /// The response for a last beat.
    output logic                       response_valid_o,
    input  logic                       response_ready_i,
    output noccl_ni_pkg::response_t    response_o
);

  localparam int unsigned LINE_OFFSET_BITS = $clog2(noccl_cfg_pkg::WIDE_BITS / 8);

  noccl_flit_pkg::wide_hdr_t hdr;
  noccl_ni_pkg::response_t noted, oldest;
  logic noted_ready, oldest_valid, oldest_taken;
  logic both_done, delivers, may_deliver, is_dropped;

  assign hdr = flit_i.hdr;

  // A reduction whose members disagreed reaches the root marked: nothing of it is written.
  assign is_dropped = hdr.kind == noccl_flit_pkg::WIDE_REDUCE
      && hdr.resp != noccl_flit_pkg::RESP_OKAY;

  // AW and W are offered together, and taken in any order.
  assign may_deliver = flit_valid_i && noted_ready;
  assign delivers = may_deliver && both_done;
  assign flit_ready_o = noted_ready && both_done;

  noccl_fork #(
      .NumOutputs(2)
  ) u_both (
      .clk_i,
      .rst_ni,
      .valid_i (may_deliver),
      .select_i(2'b11),
      .ready_o (both_done),
      .valid_o ({aw_valid_o, w_valid_o}),
      .ready_i ({aw_ready_i, w_ready_i})
  );

  assign aw_o.addr = noccl_flit_pkg::offset_t'({hdr.line, LINE_OFFSET_BITS'(0)});
  assign aw_o.atop = noccl_axi_pkg::ATOP_NONE;
  assign w_o = '{data: flit_i.data, strb: is_dropped ? '0 : flit_i.strobe, last: 1'b1};

  assign delivered_o = delivers && hdr.kind == noccl_flit_pkg::WIDE_WRITE && !hdr.multicast
      && hdr.src == pos_i;

  assign noted.is_last = hdr.left == '0;
  assign noted.is_multicast = hdr.multicast;
  assign noted.is_join = hdr.kind == noccl_flit_pkg::WIDE_REDUCE;
  assign noted.src = noted.is_join ? noccl_ni_pkg::padded(hdr.base) : hdr.src;
  assign noted.mask = hdr.mask;
  assign noted.tag = hdr.tag;
  // A mark stays until the last beat, so it takes no place among the failures that must be remembered.
  assign noted.resp = noted.is_join && noted.is_last ? hdr.resp : noccl_flit_pkg::RESP_OKAY;

  noccl_fifo #(
      .Depth (Responses),
      .data_t(noccl_ni_pkg::response_t)
  ) u_responses (
      .clk_i,
      .rst_ni,
      .valid_i(delivers),
      .ready_o(noted_ready),
      .data_i (noted),
      .valid_o(oldest_valid),
      .ready_i(oldest_taken),
      .data_o (oldest)
  );

  // A source sends one burst under a tag at a time; sums of one root are told apart by their tag alone.
  noccl_flit_pkg::resp_e burst_resp;
  noccl_ni_failed #(
      .NameBits($bits({oldest.is_join, oldest.src, oldest.tag}))
  ) u_failed (
      .clk_i,
      .rst_ni,
      .taken_i  (oldest_taken),
      .is_last_i(oldest.is_last),
      .name_i   ({oldest.is_join, oldest.src, oldest.tag}),
      .resp_i   (noccl_ni_pkg::worse(oldest.resp, b_resp_i)),
      .resp_o   (burst_resp)
  );

  // Responses of beats before the last end here.
  noccl_ni_pkg::response_t burst_response;
  logic has_space;
  assign b_ready_o = oldest_valid && (!oldest.is_last || has_space);
  assign oldest_taken = b_valid_i && b_ready_o;
  always_comb begin
    burst_response = oldest;
    burst_response.resp = burst_resp;
  end

  noccl_ni_waiting #(
      .Depth(Responses)
  ) u_waiting (
      .clk_i,
      .rst_ni,
      .valid_i(b_valid_i && oldest_valid && oldest.is_last),
      .ready_o(has_space),
      .data_i (burst_response),
      .valid_o(response_valid_o),
      .ready_i(response_ready_i),
      .data_o (response_o)
  );

  `NOCCL_ASSERT_INIT(ResponsesAtLeastOne, Responses >= 1)
  `NOCCL_ASSUME(OnlyWritesAndSums, !flit_valid_i || hdr.kind != noccl_flit_pkg::WIDE_READ_DATA)
  `NOCCL_ASSUME(MemoryRespondsToWhatItTook, !b_valid_i || oldest_valid)

endmodule
