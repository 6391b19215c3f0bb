// SPDX-License-Identifier: Apache-2.0
//
// Initiator side of narrow writes, interrupts (multicasts), barrier contributions and atomics.
//
// All are single beats. AW is taken as soon as none is open, the flit leaves when W is here. One transaction per id is open
// at a time; the table by id knows what its response looks like: a barrier's response names root and tag, an atomic's
// comes with data and gives R and B. What is refused is taken to its last beat; a refused atomic that asks for data gives R and B too.
// Combinational paths: AW, W to the flit; response to B and R. Throughput: one transaction per cycle.
// Mirror: `issue_narrow_write`, `arrive_at_barrier`, `issue_atomic` in crates/noccl-sim/src/ni/axi/issue.rs;
// `copy_narrow` in inject.rs.

`include "noccl_assert.svh"

module noccl_ni_narrow_write (
    /// Clock.
    input  logic                                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                                         rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t                                       pos_i,
    /// AW, W and B of the subordinate port.
    input  logic                                                         aw_valid_i,
    output logic                                                         aw_ready_o,
    input  noccl_axi_pkg::narrow_aw_t                                    aw_i,
    input  logic                                                         w_valid_i,
    output logic                                                         w_ready_o,
    input  noccl_axi_pkg::narrow_w_t                                     w_i,
    output logic                                                         b_valid_o,
    input  logic                                                         b_ready_i,
    output noccl_axi_pkg::narrow_b_t                                     b_o,
    /// R of an atomic.
    output logic                                                         r_valid_o,
    input  logic                                                         r_ready_i,
    output noccl_axi_pkg::narrow_r_t                                     r_o,
    /// Request towards the router.
    output logic                                                         req_valid_o,
    input  logic                                                         req_ready_i,
    output noccl_flit_pkg::req_flit_t                                    req_o,
    /// Own copy of a multicast, towards the own memory.
    output logic                                                         own_valid_o,
    input  logic                                                         own_ready_i,
    output noccl_flit_pkg::req_flit_t                                    own_o,
    /// The own memory has responded for an own copy.
    input  logic                                                         own_b_valid_i,
    output logic                                                         own_b_ready_o,
    input  noccl_flit_pkg::tag_t                                         own_b_tag_i,
    input  noccl_flit_pkg::resp_e                                        own_b_resp_i,
    /// A unicast write of this tile to itself has been delivered.
    input  logic                                                         delivered_i,
    /// Fewer transactions without a response are open than may be.
    input  logic                                                         may_open_i,
    /// Ids with an open transaction.
    output logic                      [noccl_ni_pkg::NUM_NARROW_IDS-1:0] busy_o,
    /// Response from the router to something that began with AW.
    input  logic                                                         rsp_valid_i,
    output logic                                                         rsp_ready_o,
    input  noccl_flit_pkg::rsp_flit_t                                    rsp_i
);

  import noccl_axi_pkg::OPCODE_UNICAST;
  import noccl_axi_pkg::OPCODE_MULTICAST;
  import noccl_axi_pkg::OPCODE_JOIN;
  import noccl_axi_pkg::narrow_id_t;
  import noccl_ni_pkg::NUM_NARROW_IDS;
  import noccl_flit_pkg::count_t;

  localparam int unsigned InFlightBits = 4;

  // ------------------------------------------------------------------------------------- the open write

  noccl_ni_pkg::narrow_write_t offered, write, write_q;
  logic open_q, open_d;

  noccl_ni_narrow_decode u_decode (
      .pos_i,
      .aw_i,
      .write_o(offered)
  );

  assign write = open_q ? write_q : offered;
  assign aw_ready_o = !open_q;

  // ---------------------------------------------------------------------------------- it leaves, or not

  logic [NUM_NARROW_IDS-1:0] busy_q, busy_d;
  logic [InFlightBits-1:0] own_in_flight_q, own_in_flight_d;
  logic begun_q, begun_d;
  logic has_write, id_is_free, is_ready, has_own, has_others, both_done, sends;
  logic refuses, swallows, refused, refused_held;
  noccl_ni_pkg::refusal_t refusal;

  assign busy_o = busy_q;
  assign has_write = (open_q || aw_valid_i) && w_valid_i;
  assign has_own = write.opcode == OPCODE_MULTICAST && noccl_ni_pkg::is_member(
      pos_i, write.base, write.mask
  );
  assign has_others = !has_own || write.mask != '0;
  // A refused write of the same id gets its response first.
  assign id_is_free = !busy_q[write.refusal.id] && !(refused && refusal.id == write.refusal.id);
  assign is_ready = has_write && !write.is_error
      && (begun_q || (id_is_free && may_open_i && !(has_own && own_in_flight_q != '0)));

  noccl_fork #(
      .NumOutputs(2)
  ) u_copies (
      .clk_i,
      .rst_ni,
      .valid_i (is_ready),
      .select_i({has_own, has_others}),
      .ready_o (both_done),
      .valid_o ({own_valid_o, req_valid_o}),
      .ready_i ({own_ready_i, req_ready_i})
  );
  assign sends = is_ready && both_done;

  // Open from the moment at which half of it has gone: the response to that half may be quick.
  logic opens;
  assign opens = is_ready && !begun_q
      && ((req_valid_o && req_ready_i) || (own_valid_o && own_ready_i));

  assign begun_d = (begun_q || opens) && !sends;

  assign refuses = has_write && write.is_error && w_i.last && !refused && !busy_q[write.refusal.id];
  assign swallows = has_write && write.is_error && !w_i.last;
  assign w_ready_o = sends || refuses || swallows;
  assign open_d = (open_q || aw_valid_i) && !(sends || refuses);

  assign own_in_flight_d = own_in_flight_q - InFlightBits'(delivered_i)
      + InFlightBits'(sends && write.opcode == OPCODE_UNICAST && !write.is_atomic
                      && write.dst == pos_i);

  always_comb begin
    req_o = '0;
    if (write.is_atomic) req_o.hdr.kind = noccl_flit_pkg::REQ_ATOMIC;
    else if (write.opcode == OPCODE_JOIN) req_o.hdr.kind = noccl_flit_pkg::REQ_BARRIER;
    else req_o.hdr.kind = noccl_flit_pkg::REQ_WRITE;
    req_o.hdr.multicast = write.opcode == OPCODE_MULTICAST;
    req_o.hdr.dst = write.dst;
    // Contributions to one barrier differ in their count only, so that they merge.
    req_o.hdr.src = write.opcode == OPCODE_JOIN ? write.dst : pos_i;
    req_o.hdr.base = write.base;
    req_o.hdr.mask = write.mask;
    req_o.hdr.tag = write.tag;
    req_o.hdr.own_copy = has_own;
    req_o.hdr.count = count_t'(write.opcode == OPCODE_JOIN);
    req_o.hdr.addr = write.addr;
    req_o.hdr.size = write.size;
    req_o.strobe = w_i.strb;
    req_o.data = w_i.data;
  end
  assign own_o = req_o;

  // ----------------------------------------------------------------------------------------- responses

  logic [NUM_NARROW_IDS-1:0] is_join_q, group_hit;
  noccl_flit_pkg::coord_t root_q[NUM_NARROW_IDS];
  noccl_flit_pkg::tag_t tag_q[NUM_NARROW_IDS];
  noccl_flit_pkg::region_coord_t mask_q[NUM_NARROW_IDS];

  logic response_valid, response_is_own, response_taken, is_whole, has_data;
  logic shows_b, shows_data, told;
  narrow_id_t response_id, collected_id, group_id;
  logic is_collected, all_collected;
  noccl_ni_pkg::others_t response_others;
  noccl_flit_pkg::resp_e response_code, collected_resp, total_resp;

  always_comb begin
    group_hit = '0;
    group_id  = '0;
    for (int unsigned i = 0; i < NUM_NARROW_IDS; i++) begin
      // Of groups with this tile in them the mask tells which one the response is for.
      group_hit[i] = busy_q[i] && is_join_q[i] && root_q[i] == rsp_i.hdr.src
          && tag_q[i] == rsp_i.hdr.tag && mask_q[i] == rsp_i.hdr.mask;
      if (group_hit[i]) group_id = narrow_id_t'(i);
    end
  end

  // The network's response goes first, then the own memory's, then that to a refused write. The own memory's stands here where
  // the network has none.
  assign response_valid = rsp_valid_i || own_b_valid_i;
  // What B shows stays until it is taken.
  logic own_held_q, own_held_d, has_response;

  assign has_response = response_valid && !refused_held;
  assign response_is_own = !rsp_valid_i || own_held_q;
  assign own_held_d = has_response && response_is_own && !response_taken;
  assign has_data = has_response && !response_is_own
      && rsp_i.hdr.kind == noccl_flit_pkg::RSP_ATOMIC;

  always_comb begin
    response_code = response_is_own ? own_b_resp_i : rsp_i.hdr.resp;
    response_others = response_is_own ? '0 : noccl_ni_pkg::others_t'(rsp_i.hdr.count - 1'b1);
    // The table of missing responses does not wait for that of barriers.
    collected_id = narrow_id_t'(response_is_own ? own_b_tag_i : rsp_i.hdr.tag);
    response_id = !response_is_own && rsp_i.hdr.kind == noccl_flit_pkg::RSP_GROUP_B ? group_id
        : collected_id;
  end

  noccl_ni_collected #(
      .Channels(1),
      .IdBits  (noccl_cfg_pkg::NARROW_ID_BITS)
  ) u_collected (
      .clk_i,
      .rst_ni,
      .is_free_i(!busy_q[write.refusal.id]),
      .next_id_i('{write.refusal.id}),
      .next_mask_i('{write.mask}),
      .name_i(collected_id),
      .others_i(response_others),
      .resp_i(response_code),
      .valid_i(has_response && is_collected),
      .is_whole_o(all_collected),
      .resp_o(collected_resp)
  );

  assign is_collected = response_is_own ? own_b_valid_i
      : rsp_i.hdr.kind == noccl_flit_pkg::RSP_COLLECT_B;
  assign is_whole = !is_collected || all_collected;
  assign total_resp = is_collected ? collected_resp : response_code;

  noccl_fork #(
      .NumOutputs(2)
  ) u_told (
      .clk_i,
      .rst_ni,
      .valid_i (has_response && is_whole),
      .select_i({has_data, 1'b1}),
      .ready_o (told),
      .valid_o ({shows_data, shows_b}),
      .ready_i ({r_ready_i, b_ready_i})
  );

  logic refused_b, refused_r;

  noccl_ni_refusal u_refusal (
      .clk_i,
      .rst_ni,
      .refuses_i(refuses),
      .refusal_i(write.refusal),
      .pending_o(refused),
      .refusal_o(refusal),
      .held_o(refused_held),
      .yields_i(has_response),
      .b_valid_o(refused_b),
      .b_ready_i,
      .r_valid_o(refused_r),
      .r_ready_i
  );

  assign b_valid_o = shows_b || refused_b;
  assign b_o.id = has_response ? response_id : refusal.id;
  assign b_o.resp = has_response ? total_resp : refusal.resp;
  assign r_valid_o = shows_data || refused_r;
  assign r_o.id = has_response ? response_id : refusal.id;
  assign r_o.data = has_response ? rsp_i.data : '0;
  assign r_o.resp = has_response ? rsp_i.hdr.resp : refusal.resp;
  assign r_o.last = has_response || refusal.beats_left == '0;
  assign response_taken = has_response && (!is_whole || told);
  assign rsp_ready_o = response_taken && !response_is_own;
  assign own_b_ready_o = response_taken && response_is_own;

  always_comb begin
    busy_d = busy_q;
    if (response_taken && is_whole) busy_d[response_id] = 1'b0;
    if (opens) busy_d[write.refusal.id] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      busy_q <= '0;
      own_in_flight_q <= '0;
      begun_q <= 1'b0;
      own_held_q <= 1'b0;
    end else begin
      open_q <= open_d;
      busy_q <= busy_d;
      own_in_flight_q <= own_in_flight_d;
      begun_q <= begun_d;
      own_held_q <= own_held_d;
    end
  end

  // Without reset: of a free id it is written with what would open under it, since it is known late whether it does.
  always_ff @(posedge clk_i) begin
    if (aw_valid_i && aw_ready_o) write_q <= offered;
    if (!busy_q[write.refusal.id]) begin
      is_join_q[write.refusal.id] <= write.opcode == OPCODE_JOIN;
      root_q[write.refusal.id] <= write.dst;
      tag_q[write.refusal.id] <= write.tag;
      mask_q[write.refusal.id] <= write.mask;
    end
  end

  `NOCCL_ASSERT_INIT(TagsTellNarrowFromWide, noccl_cfg_pkg::TAG_BITS > noccl_ni_pkg::WIDE_TAG_BITS)
  `NOCCL_ASSUME(ResponsesAreExpected, !rsp_valid_i || busy_q[response_id])
  `NOCCL_ASSUME(DeliveredWritesWereSent, !delivered_i || own_in_flight_q != '0)
  `NOCCL_ASSUME(AwIsStable, !$past(aw_valid_i && !aw_ready_o) || (aw_valid_i && $stable(aw_i)))

endmodule
