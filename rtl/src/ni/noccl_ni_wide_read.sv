// SPDX-License-Identifier: Apache-2.0
//
// Initiator side of wide reads: AR becomes a request flit, read data flits become R.
//
// One read per id is open at a time, so data of one id are in order. The network's data are always
// taken: who asks has space for what comes (docs/design/0001). Reads that the network does not
// serve get their response here, beat by beat, behind data that come from the network.
// Combinational paths: AR to the request flit; data flit to R. Throughput: one beat per cycle.
// Mirror: `issue_read` in crates/noccl-sim/src/ni/axi/issue.rs, `deliver_read_data` in deliver.rs.

`include "noccl_assert.svh"

module noccl_ni_wide_read (
    /// Clock.
    input  logic                       clk_i,
    /// Asynchronous reset, active low.
    input  logic                       rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t     pos_i,
    /// AR of the subordinate port.
    input  logic                       ar_valid_i,
    output logic                       ar_ready_o,
    input  noccl_axi_pkg::wide_ar_t    ar_i,
    /// R of the subordinate port.
    output logic                       r_valid_o,
    input  logic                       r_ready_i,
    output noccl_axi_pkg::wide_r_t     r_o,
    /// Request towards the router.
    output logic                       req_valid_o,
    input  logic                       req_ready_i,
    output noccl_flit_pkg::req_flit_t  req_o,
    /// Read data from the router.
    input  logic                       flit_valid_i,
    output logic                       flit_ready_o,
    input  noccl_flit_pkg::wide_flit_t flit_i
);

  import noccl_ni_pkg::NUM_READ_IDS;
  import noccl_axi_pkg::read_id_t;

  logic hit, is_served;
  noccl_flit_pkg::coord_t  dst;
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

  assign is_served = hit && ar_i.burst == noccl_axi_pkg::BURST_INCR
      && ar_i.size == noccl_axi_pkg::SIZE_WIDE && (ar_i.len >> noccl_cfg_pkg::BURST_BITS) == '0;

  logic [NUM_READ_IDS-1:0] busy_q, busy_d;
  logic may_start, is_full, sends, takes_error, r_is_last, r_taken;

  if (NUM_READ_IDS > noccl_cfg_pkg::MAX_WIDE_OUTSTANDING) begin : gen_limit
    assign is_full = unsigned'($countones(busy_q)) >= noccl_cfg_pkg::MAX_WIDE_OUTSTANDING;
  end else begin : gen_ids_are_the_limit
    assign is_full = 1'b0;
  end

  assign may_start = !busy_q[ar_i.id];
  assign req_valid_o = ar_valid_i && is_served && may_start && !is_full;
  assign sends = req_valid_o && req_ready_i;
  assign ar_ready_o = sends || takes_error;

  always_comb begin
    req_o = '0;
    req_o.hdr.kind = noccl_flit_pkg::REQ_READ_WIDE;
    req_o.hdr.dst = dst;
    req_o.hdr.src = pos_i;
    req_o.hdr.base = base;
    req_o.hdr.mask = mask;
    req_o.hdr.tag = noccl_flit_pkg::tag_t'(ar_i.id);
    req_o.hdr.addr = offset;
    req_o.hdr.size = ar_i.size;
    req_o.hdr.len = noccl_flit_pkg::left_t'(ar_i.len);
  end

  // One refused read at a time.
  logic error_q, error_d;
  logic [7:0] error_left_q, error_left_d;
  read_id_t error_id_q;
  noccl_flit_pkg::resp_e error_resp_q;
  logic error_step, error_held_q, error_held_d, takes_flit;

  assign takes_error = ar_valid_i && !is_served && may_start && !error_q;
  // What R shows stays until it is taken.
  assign takes_flit = flit_valid_i && !error_held_q;
  assign error_held_d = error_q && !takes_flit && !r_ready_i;
  assign error_step = error_q && !takes_flit && r_ready_i;
  assign error_d = takes_error || (error_q && !(error_step && error_left_q == '0));
  assign error_left_d = takes_error ? ar_i.len : error_step ? error_left_q - 1'b1 : error_left_q;

  assign r_valid_o = flit_valid_i || error_q;
  assign flit_ready_o = r_ready_i && !error_held_q;
  assign r_is_last = takes_flit ? flit_i.hdr.left == '0 : error_left_q == '0;
  assign r_taken = r_valid_o && r_ready_i;

  always_comb begin
    r_o.id   = error_id_q;
    r_o.data = '0;
    r_o.resp = error_resp_q;
    r_o.last = r_is_last;
    if (takes_flit) begin
      r_o.id   = read_id_t'(flit_i.hdr.tag);
      r_o.data = flit_i.data;
      r_o.resp = flit_i.hdr.resp;
    end
  end

  always_comb begin
    busy_d = busy_q;
    if (r_taken && r_is_last) busy_d[r_o.id] = 1'b0;
    if (ar_valid_i && ar_ready_o) busy_d[ar_i.id] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      error_q <= 1'b0;
      error_held_q <= 1'b0;
    end else begin
      busy_q <= busy_d;
      error_q <= error_d;
      error_held_q <= error_held_d;
    end
  end

  always_ff @(posedge clk_i) begin
    error_left_q <= error_left_d;
    if (takes_error) begin
      error_id_q   <= ar_i.id;
      error_resp_q <= hit ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_DECERR;
    end
  end

  `NOCCL_ASSUME(DataAreExpected, !flit_valid_i || busy_q[read_id_t'(flit_i.hdr.tag)])
  `NOCCL_ASSUME(ArIsStable, !$past(ar_valid_i && !ar_ready_o) || (ar_valid_i && $stable(ar_i)))

endmodule
