// SPDX-License-Identifier: Apache-2.0
// What the narrow initiator promises of identifiers: none is sent under which a transaction is open, and nobody gets a B that he does not
// wait for.
//
// Writes, multicasts, contributions and atomics come with any ids, served or not; responses come to
// what is open, in any order.

`include "noccl_assert.svh"

module noccl_ni_narrow_write_props (
    /// Clock.
    input logic                      clk_i,
    /// AW and W of the manager.
    input logic                      aw_valid_i,
    input noccl_axi_pkg::narrow_aw_t aw_i,
    input logic                      w_valid_i,
    input noccl_axi_pkg::narrow_w_t  w_i,
    /// It takes B, R.
    input logic                      b_ready_i,
    input logic                      r_ready_i,
    /// Router and own memory take a request.
    input logic                      req_ready_i,
    input logic                      own_ready_i,
    input logic                      may_open_i,
    /// A response from the network, from the own memory.
    input logic                      rsp_valid_i,
    input noccl_flit_pkg::rsp_flit_t rsp_i,
    input logic                      own_b_valid_i,
    input noccl_flit_pkg::tag_t      own_b_tag_i,
    input noccl_flit_pkg::resp_e     own_b_resp_i
);

  import noccl_axi_pkg::narrow_id_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic aw_ready, w_ready, b_valid, req_valid, own_valid, rsp_ready, own_b_ready;
  noccl_axi_pkg::narrow_b_t b;

  noccl_ni_narrow_write u_write (
      .clk_i,
      .rst_ni,
      .pos_i        ('0),
      .aw_valid_i,
      .aw_ready_o   (aw_ready),
      .aw_i,
      .w_valid_i,
      .w_ready_o    (w_ready),
      .w_i,
      .b_valid_o    (b_valid),
      .b_ready_i,
      .b_o          (b),
      .r_valid_o    (),
      .r_ready_i,
      .r_o          (),
      .req_valid_o  (req_valid),
      .req_ready_i,
      .req_o        (),
      .own_valid_o  (own_valid),
      .own_ready_i,
      .own_o        (),
      .own_b_valid_i,
      .own_b_ready_o(own_b_ready),
      .own_b_tag_i,
      .own_b_resp_i,
      .delivered_i  (1'b0),
      .may_open_i,
      .busy_o       (),
      .rsp_valid_i,
      .rsp_ready_o  (rsp_ready),
      .rsp_i
  );

  // Ids under which something has left and has no B yet; half of a multicast has left.
  logic [noccl_ni_pkg::NUM_NARROW_IDS-1:0] out_q, out_d;
  logic half_q, begins;
  narrow_id_t id;

  assign id = u_write.write.refusal.id;
  assign begins = !half_q && ((req_valid && req_ready_i) || (own_valid && own_ready_i));

  always_comb begin
    out_d = out_q;
    if (b_valid && b_ready_i) out_d[b.id] = 1'b0;
    if (begins) out_d[id] = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    out_q  <= rst_ni ? out_d : '0;
    half_q <= rst_ni && (half_q || begins) && !(w_valid_i && w_ready);
  end

  `NOCCL_ASSUME(AwStays, !$past(rst_ni && aw_valid_i && !aw_ready) || (aw_valid_i && $stable(aw_i)))
  `NOCCL_ASSUME(WStays, !$past(rst_ni && w_valid_i && !w_ready) || (w_valid_i && $stable(w_i)))
  `NOCCL_ASSUME(ResponsesStay, !$past(rst_ni && rsp_valid_i && !rsp_ready)
                || (rsp_valid_i && $stable(rsp_i)))
  `NOCCL_ASSUME(OwnResponsesStay, !$past(rst_ni && own_b_valid_i && !own_b_ready)
                || (own_b_valid_i && $stable(own_b_tag_i)))
  // A response is one to what is open: by its id, or a group's by root, tag and mask.
  logic is_expected;
  assign is_expected = rsp_i.hdr.kind == noccl_flit_pkg::RSP_GROUP_B
      ? u_write.group_hit != '0 : u_write.busy_q[narrow_id_t'(rsp_i.hdr.tag)];
  `NOCCL_ASSUME(ResponsesAreExpected, !rsp_valid_i || is_expected)
  `NOCCL_ASSUME(OwnResponsesAreExpected,
                !own_b_valid_i || u_write.busy_q[narrow_id_t'(own_b_tag_i)])
  `NOCCL_ASSERT(IdsAreUnique, !begins || !out_q[id])
  `NOCCL_ASSERT(NobodyGetsABTwice,
                !b_valid || out_q[b.id] || (u_write.refused && u_write.refusal.id == b.id))

endmodule
