// SPDX-License-Identifier: Apache-2.0
// What the narrow target promises of its queues: whatever it hands to the memory has a place, so
// every response of the memory finds who asked; no request has two responses or none; and a barrier
// with an error writes nothing.
//
// Requests of any kind come and stay until they are taken. The memory takes them when it likes and
// responds to what it took, in order. The scoreboard counts what is open at the memory and the
// responses that must come.

`include "noccl_assert.svh"

module noccl_ni_narrow_target_props #(
    /// Writes and atomics, and reads, that are open at the memory.
    parameter int unsigned Responses = 2,
    parameter int unsigned Reads = 2,
    /// Contributions to barriers are among the requests: queues are proved without, what barriers write with them.
    parameter bit HasBarriers = 1'b0
) (
    /// Clock.
    input logic                      clk_i,
    /// A request.
    input logic                      req_valid_i,
    input noccl_flit_pkg::req_flit_t req_i,
    /// The memory takes AW, W, AR, and responds if something is open there.
    input logic                      aw_ready_i,
    input logic                      w_ready_i,
    input logic                      ar_ready_i,
    input logic                      b_i,
    input logic                      r_i,
    input noccl_flit_pkg::resp_e     resp_i,
    /// The response plane takes a response, data.
    input logic                      response_ready_i,
    input logic                      data_ready_i
);

  localparam int unsigned CountBits = $clog2(2 * (Responses + Reads) + 2);
  typedef logic [CountBits-1:0] count_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic req_ready, aw_valid, w_valid, ar_valid, b_valid, b_ready, r_valid, r_ready;
  logic response_valid;
  noccl_axi_pkg::narrow_w_t w;
  noccl_axi_pkg::memory_narrow_r_t r;
  assign r = '{data: '0, resp: resp_i, last: 1'b1};

  noccl_ni_narrow_target #(
      .Responses(Responses),
      .Reads(Reads),
      .HasBarriers(HasBarriers)
  ) u_target (
      .clk_i,
      .rst_ni,
      .pos_i           ('0),
      .req_valid_i,
      .req_ready_o     (req_ready),
      .req_i,
      .aw_valid_o      (aw_valid),
      .aw_ready_i,
      .aw_o            (),
      .w_valid_o       (w_valid),
      .w_ready_i,
      .w_o             (w),
      .b_valid_i       (b_valid),
      .b_ready_o       (b_ready),
      .b_resp_i        (resp_i),
      .ar_valid_o      (ar_valid),
      .ar_ready_i,
      .ar_o            (),
      .r_valid_i       (r_valid),
      .r_ready_o       (r_ready),
      .r_i             (r),
      .delivered_o     (),
      .response_valid_o(response_valid),
      .response_ready_i,
      .response_o      (),
      .data_valid_o    (),
      .data_ready_i,
      .data_o          ()
  );

  // AW and W that the memory has taken, writes that it has to respond to; data that it has to give;
  // responses that must come.
  count_t writes_q, data_q, responses_q;
  logic is_atomic, asks, delivers, half_q, is_dropped;
  // A request reaches the memory as a whole in this cycle: at least one half of it now.
  assign is_atomic = req_i.hdr.kind == noccl_flit_pkg::REQ_ATOMIC;
  assign delivers = req_valid_i && req_ready && (aw_valid || w_valid || half_q);
  assign asks = (ar_valid && ar_ready_i) || (delivers && is_atomic);
  assign b_valid = b_i && writes_q != '0;
  assign r_valid = r_i && data_q != '0;
  assign is_dropped = u_target.is_barrier && u_target.barrier_resp != noccl_flit_pkg::RESP_OKAY;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      writes_q <= '0;
      data_q <= '0;
      responses_q <= '0;
      half_q <= 1'b0;
    end else begin
      half_q <= (half_q || (aw_valid && aw_ready_i) || (w_valid && w_ready_i)) && !req_ready;
      writes_q <= writes_q + count_t'(delivers) - count_t'(b_valid && b_ready);
      data_q <= data_q + count_t'(asks) - count_t'(r_valid && r_ready);
      responses_q <= responses_q + count_t'(delivers && !is_atomic)
          - count_t'(response_valid && response_ready_i);
    end
  end

  `NOCCL_ASSUME(RequestsStay, !$past(rst_ni && req_valid_i && !req_ready)
                || (req_valid_i && $stable(req_i)))
  `NOCCL_ASSUME(WideReadsGoElsewhere, req_i.hdr.kind != noccl_flit_pkg::REQ_READ_WIDE)
  `NOCCL_ASSUME(NoBarriers, HasBarriers || req_i.hdr.kind != noccl_flit_pkg::REQ_BARRIER)
  `NOCCL_ASSERT(WritesHaveAPlace, HasBarriers || writes_q <= count_t'(Responses))
  `NOCCL_ASSERT(DataHaveAPlace, HasBarriers || data_q <= count_t'(Reads))
  `NOCCL_ASSERT(EveryResponseHasItsRequest,
                HasBarriers || (writes_q != '0) == u_target.oldest_valid)
  `NOCCL_ASSERT(AllDataFindWhoAsked, HasBarriers || (data_q != '0) == u_target.asker_valid)
  `NOCCL_ASSERT(NoRequestHasTwoResponses, HasBarriers || !response_valid || responses_q != '0)
  `NOCCL_ASSERT(NoResponseIsLost,
                HasBarriers || responses_q == '0 || writes_q != '0 || response_valid)
  `NOCCL_ASSERT(PartsOfBarriersDoNotWrite, !(aw_valid || w_valid) || !u_target.barrier_ends_here)
  `NOCCL_ASSERT(DroppedBarriersWriteNothing, !(w_valid && is_dropped) || w.strb == '0)

endmodule
