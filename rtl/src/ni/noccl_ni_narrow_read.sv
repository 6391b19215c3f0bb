// SPDX-License-Identifier: Apache-2.0
//
// Initiator side of narrow reads: AR becomes a request flit, a data flit becomes R. Single beats.
//
// One read per id is open at a time. Refused reads get their response here, behind the network's
// data, with as many beats as they asked for.
// Combinational paths: AR to the request flit; data flit to R. Throughput: one read per cycle.
// Mirror: `issue_narrow_read` in crates/noccl-sim/src/ni/axi/issue.rs.

`include "noccl_assert.svh"

module noccl_ni_narrow_read (
    /// Clock.
    input  logic                                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                                         rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t                                       pos_i,
    /// AR and R of the subordinate port.
    input  logic                                                         ar_valid_i,
    output logic                                                         ar_ready_o,
    input  noccl_axi_pkg::narrow_ar_t                                    ar_i,
    output logic                                                         r_valid_o,
    input  logic                                                         r_ready_i,
    output noccl_axi_pkg::narrow_r_t                                     r_o,
    /// Request towards the router.
    output logic                                                         req_valid_o,
    input  logic                                                         req_ready_i,
    output noccl_flit_pkg::req_flit_t                                    req_o,
    /// Fewer transactions without a response are open than may be.
    input  logic                                                         may_open_i,
    /// Ids with an open transaction.
    output logic                      [noccl_ni_pkg::NUM_NARROW_IDS-1:0] busy_o,
    /// Data from the router.
    input  logic                                                         rsp_valid_i,
    output logic                                                         rsp_ready_o,
    input  noccl_flit_pkg::rsp_flit_t                                    rsp_i
);

  import noccl_axi_pkg::narrow_id_t;
  import noccl_ni_pkg::NUM_NARROW_IDS;

  logic hit, is_served, may_start, sends, refuses, refused_q, refused_d;
  logic [NUM_NARROW_IDS-1:0] busy_q, busy_d;
  noccl_axi_pkg::narrow_id_t refusal_id_q;
  noccl_flit_pkg::resp_e refusal_resp_q;
  // Beats of the refusal after the next one.
  logic [7:0] refusal_left_q;
  noccl_flit_pkg::coord_t dst;
  noccl_flit_pkg::offset_t offset;
  noccl_flit_pkg::region_coord_t base, mask;

  noccl_ni_decode u_decode (
      .pos_i,
      .addr_i(ar_i.addr),
      .mask_i('0),
      .opcode_i(noccl_axi_pkg::OPCODE_UNICAST),
      .hit_o(hit),
      .dst_o(dst),
      .base_o(base),
      .mask_o(mask),
      .offset_o(offset)
  );

  assign busy_o = busy_q;
  assign is_served = hit && ar_i.len == '0;
  assign may_start = !busy_q[ar_i.id];
  assign req_valid_o = ar_valid_i && is_served && may_start && may_open_i;
  assign sends = req_valid_o && req_ready_i;
  assign refuses = ar_valid_i && !is_served && may_start && !refused_q;
  assign ar_ready_o = sends || refuses;

  always_comb begin
    req_o = '0;
    req_o.hdr.kind = noccl_flit_pkg::REQ_READ_NARROW;
    req_o.hdr.dst = dst;
    req_o.hdr.src = pos_i;
    req_o.hdr.base = base;
    req_o.hdr.mask = mask;
    req_o.hdr.tag = noccl_flit_pkg::tag_t'(ar_i.id);
    req_o.hdr.addr = offset;
    req_o.hdr.size = ar_i.size;
  end

  // What R shows stays until it is taken.
  logic takes_rsp, refused_held_q, refused_held_d;

  assign takes_rsp = rsp_valid_i && !refused_held_q;
  assign r_valid_o = rsp_valid_i || refused_q;
  assign rsp_ready_o = r_ready_i && takes_rsp;
  assign refused_d = refuses || (refused_q && (takes_rsp || !r_ready_i || refusal_left_q != '0));
  assign refused_held_d = refused_q && !takes_rsp && !r_ready_i;
  always_comb begin
    r_o.id   = takes_rsp ? narrow_id_t'(rsp_i.hdr.tag) : refusal_id_q;
    r_o.data = takes_rsp ? rsp_i.data : '0;
    r_o.resp = takes_rsp ? rsp_i.hdr.resp : refusal_resp_q;
    r_o.last = takes_rsp || refusal_left_q == '0;
  end

  always_comb begin
    busy_d = busy_q;
    if (r_valid_o && r_ready_i && r_o.last) busy_d[r_o.id] = 1'b0;
    if (ar_valid_i && ar_ready_o) busy_d[ar_i.id] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      refused_q <= 1'b0;
      refused_held_q <= 1'b0;
    end else begin
      busy_q <= busy_d;
      refused_q <= refused_d;
      refused_held_q <= refused_held_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (refuses) begin
      refusal_id_q   <= ar_i.id;
      refusal_resp_q <= hit ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_DECERR;
      refusal_left_q <= ar_i.len;
    end else if (refused_q && !takes_rsp && r_ready_i) begin
      refusal_left_q <= refusal_left_q - 1'b1;
    end
  end

  `NOCCL_ASSUME(DataAreExpected, !rsp_valid_i || busy_q[narrow_id_t'(rsp_i.hdr.tag)])
  `NOCCL_ASSUME(ArIsStable, !$past(ar_valid_i && !ar_ready_o) || (ar_valid_i && $stable(ar_i)))

endmodule
