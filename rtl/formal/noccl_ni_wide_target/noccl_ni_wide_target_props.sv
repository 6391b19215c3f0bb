// SPDX-License-Identifier: Apache-2.0
// What the wide target promises of its queues: every beat that it hands to the memory has a place,
// every burst has one response, and a marked sum writes nothing.
//
// Beats of writes and sums come in any order and stay until they are taken; the memory responds to
// what it took.

`include "noccl_assert.svh"

module noccl_ni_wide_target_props #(
    /// Beats that are open at the memory.
    parameter int unsigned Responses = 2
) (
    /// Clock.
    input logic                       clk_i,
    /// A beat.
    input logic                       flit_valid_i,
    input noccl_flit_pkg::wide_flit_t flit_i,
    /// The memory takes AW, W, and responds if something is open there.
    input logic                       aw_ready_i,
    input logic                       w_ready_i,
    input logic                       b_i,
    input noccl_flit_pkg::resp_e      resp_i,
    /// The response plane takes a response.
    input logic                       response_ready_i
);

  localparam int unsigned CountBits = $clog2(2 * Responses + 2);
  typedef logic [CountBits-1:0] count_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic ready, aw_valid, w_valid, b_valid, b_ready, response_valid, delivers, is_last, is_marked;
  noccl_axi_pkg::wide_w_t w;

  noccl_ni_wide_target #(
      .Responses(Responses)
  ) u_target (
      .clk_i,
      .rst_ni,
      .pos_i           ('0),
      .flit_valid_i,
      .flit_ready_o    (ready),
      .flit_i,
      .aw_valid_o      (aw_valid),
      .aw_ready_i,
      .aw_o            (),
      .w_valid_o       (w_valid),
      .w_ready_i,
      .w_o             (w),
      .b_valid_i       (b_valid),
      .b_ready_o       (b_ready),
      .b_resp_i        (resp_i),
      .delivered_o     (),
      .response_valid_o(response_valid),
      .response_ready_i,
      .response_o      ()
  );

  count_t beats_q, bursts_q;
  assign is_last = flit_i.hdr.left == '0;
  assign is_marked = flit_i.hdr.kind == noccl_flit_pkg::WIDE_REDUCE
      && flit_i.hdr.resp != noccl_flit_pkg::RESP_OKAY;
  assign delivers = flit_valid_i && ready;
  assign b_valid = b_i && beats_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beats_q  <= '0;
      bursts_q <= '0;
    end else begin
      beats_q <= beats_q + count_t'(delivers) - count_t'(b_valid && b_ready);
      bursts_q <= bursts_q + count_t'(delivers && is_last)
          - count_t'(response_valid && response_ready_i);
    end
  end

  `NOCCL_ASSUME(BeatsStay, !$past(rst_ni && flit_valid_i && !ready) || (flit_valid_i && $stable
                (flit_i)))
  `NOCCL_ASSERT(BeatsHaveAPlace, beats_q <= count_t'(Responses))
  `NOCCL_ASSERT(EveryResponseHasItsBeat, (beats_q != '0) == u_target.oldest_valid)
  `NOCCL_ASSERT(NoBurstHasTwoResponses, !response_valid || bursts_q != '0)
  `NOCCL_ASSERT(NoResponseIsLost, bursts_q == '0 || beats_q != '0 || response_valid)
  `NOCCL_ASSERT(WhatWaitsIsNotOffered, !(aw_valid || w_valid) || beats_q < count_t'(Responses))
  `NOCCL_ASSERT(MarkedSumsWriteNothing, !(w_valid && is_marked) || w.strb == '0)

endmodule
