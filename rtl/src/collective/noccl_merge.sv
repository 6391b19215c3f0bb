// SPDX-License-Identifier: Apache-2.0
// Merge table of a plane: contributions of one transaction (responses of a multicast, arrivals at
// a barrier) become one flit per subtree, and none of them ever blocks a FIFO.
//
// A contribution says for how many leaves it stands. One that comes before the others of its transaction leaves its FIFO and
// waits in the table; the one that makes the subtree complete goes on for all. Per cycle the unit serves one transaction, round
// robin over the inputs, and all heads that belong to it. Where the table is full, contributions of new transactions go on
// without it; since later ones would then wait for ever, entries made from then on give up after 3/4 to 7/8 of `TimeoutCycles`
// without a contribution, and what they have leaves by the result port. Merging saves flits; the home adds up leaves in any case.
//
// Latency: a head that completes its subtree goes on in the cycle in which it comes (`MergeCycles` = 1), or two cycles
// later (3), with registers behind its grant and behind the decision. Throughput: one transaction per cycle.
// Combinational paths: with 1 from `join_valid_i`, `head_i` to `absorb_o`, `candidate_o`, `goes_on_o`, `hdr_o`; with 3 from
// `head_i` to `hdr_o`, of what the unit does not change. None from `taken_i`, `result_ready_i`.
// Ordering: none between transactions. Source: S1, section 3.1.3; docs/design/0001, decision G.
// Mirror: crates/noccl-sim/src/router/collective/merge/table.rs.

`include "noccl_assert.svh"

module noccl_merge
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::coord_t;
  import noccl_flit_pkg::count_t, noccl_flit_pkg::resp_e;
#(
    /// Header of the plane, with the fields of a join: dst, base, mask, tag, own_copy, resp, count.
    parameter type hdr_t = noccl_flit_pkg::rsp_hdr_t,
    /// Transactions that may wait, at least 2.
    parameter int unsigned Entries = noccl_cfg_pkg::MERGE_ENTRIES,
    /// Cycles without a contribution after which an entry has given up for certain; a multiple of 8.
    parameter int unsigned TimeoutCycles = noccl_cfg_pkg::MERGE_TIMEOUT_CYCLES,
    /// Cycles from a head to its request: 1, or 3 for a short critical path.
    parameter int unsigned MergeCycles = noccl_cfg_pkg::MERGE_CYCLES
) (
    /// Clock.
    input  logic      clk_i,
    /// Asynchronous reset, active low: nothing waits, the table was never full.
    input  logic      rst_ni,
    /// Mesh coordinate of the router; constant.
    input  coord_t    position_i,
    /// Inputs whose head is a contribution; stays until absorbed or taken.
    input  port_set_t join_valid_i,
    /// Headers of the heads; ignored without valid.
    input  hdr_t      head_i        [NUM_PORTS],
    /// The head leaves into the unit at the end of the cycle.
    output port_set_t absorb_o,
    /// The head asks for its output since an earlier cycle; stays until taken.
    output port_set_t forward_o,
    /// At most one more head that asks for its output from this cycle on, if `goes_on_o`.
    output port_set_t candidate_o,
    /// It does; the latest of all outputs. Ignored without a candidate.
    output logic      goes_on_o,
    /// Header with which it leaves; undefined without forward.
    output hdr_t      hdr_o         [NUM_PORTS],
    /// The forwarded head leaves at the end of the cycle.
    input  port_set_t taken_i,
    /// A result is offered; stays until ready.
    output logic      result_valid_o,
    /// Its header; undefined without valid.
    output hdr_t      result_o,
    /// Output towards its destination, a register; undefined without valid.
    output port_set_t result_route_o,
    /// The result is taken.
    input  logic      result_ready_i
);

  localparam int unsigned SlotBits = $clog2(Entries);
  localparam int unsigned TickCycles = TimeoutCycles / 8;
  localparam int unsigned TickBits = $clog2(TickCycles);
  typedef logic [Entries-1:0] slots_t;

  function automatic slots_t lowest(slots_t set);
    return set & (~set + slots_t'(1));
  endfunction

  // Per entry: in use; may have missed contributions; has left, so that later contributions follow at once.
  slots_t valid_q, valid_d, is_timed_q, is_timed_d, has_passed_q, has_passed_d;
  hdr_t entry_q[Entries];
  // The kind of all contributions.
  var type (result_o.kind) kind_q;
  logic [2:0] timer_q[Entries], timer_d[Entries];
  // The table has been full: from now on entries give up.
  logic has_overflowed_q, has_overflowed_d;

  // ------------------------------------------------------------------- which transaction is served

  // Heads that go on and whose count and response are settled.
  port_set_t forwarded_q, forwarded_d;
  count_t forwarded_count_q[NUM_PORTS];
  resp_e  forwarded_resp_q [NUM_PORTS];

  port_set_t group, last;
  logic any, has_own;
  hdr_t lead;
  count_t group_count, leaves;
  logic [1:0] group_resp;

  noccl_merge_grant #(
      .hdr_t(hdr_t),
      .HasRegisters(MergeCycles != 1)
  ) u_grant (
      .clk_i,
      .rst_ni,
      .position_i,
      .pending_i(join_valid_i & ~forwarded_q),
      .head_i,
      .group_o  (group),
      .last_o   (last),
      .lead_o   (lead),
      .count_o  (group_count),
      .resp_o   (group_resp),
      .leaves_o (leaves),
      .has_own_o(has_own)
  );
  assign any = group != '0;

  // ----------------------------------------------------------------------- what it has come to so far

  // Entries of the transaction: names alone, as the group is known later.
  slots_t hits, completes, frees, reusable, free_slot, starts, target;
  // Leaves that the group leaves open: an entry that has them is complete, which is asked beside the sum.
  count_t sum, open_leaves;
  logic [1:0] resp;
  // Another group's contributions lie here under the same name.
  logic is_in_use;
  logic has_hit, is_hit_passed, is_complete, goes_on, is_full;

  always_comb begin : p_sum
    count_t hit_count;
    logic [1:0] hit_resp;
    slots_t has_name;
    hits = '0;
    completes = '0;
    has_name = '0;
    hit_count = '0;
    hit_resp = '0;
    open_leaves = leaves - group_count - count_t'(has_own);
    for (int unsigned e = 0; e < Entries; e++) begin
      has_name[e] = valid_q[e] && entry_q[e].dst == lead.dst && entry_q[e].tag == lead.tag;
      hits[e] = has_name[e] && entry_q[e].base == lead.base && entry_q[e].mask == lead.mask;
      completes[e] = hits[e] && entry_q[e].count == open_leaves;
      if (hits[e]) hit_count |= entry_q[e].count;
      if (hits[e]) hit_resp = hit_resp | 2'(entry_q[e].resp);
    end
    // What has passed may be over: its name is free.
    is_in_use = (has_name & ~hits & ~has_passed_q) != '0;
    sum = hit_count + group_count;
    resp = hit_resp | group_resp;
    // Asked of what begins here; a whole subtree too.
    if (is_in_use && hits == '0) resp = resp | 2'(noccl_flit_pkg::RESP_SLVERR);
  end

  // ------------------------------------------------------------------------------------- what happens

  logic result_valid_q, result_valid_d;
  logic [SlotBits-1:0] result_slot_q, result_slot_d;
  count_t result_count_q, result_count_d;
  logic [1:0] result_resp_q, result_resp_d;
  port_set_t result_route_q, result_route_d;
  slots_t result_slot, due, gives_up;

  assign has_hit = |hits;
  assign is_hit_passed = |(hits & has_passed_q);
  assign is_complete = completes != '0 || (!has_hit && open_leaves == '0);
  // The entry of a result is still needed.
  assign frees = ~(valid_q | result_slot);
  assign reusable = valid_q & has_passed_q & ~result_slot;
  assign free_slot = frees != '0 ? lowest(frees) : lowest(reusable);
  assign is_full = any && !has_hit && !is_complete && frees == '0;
  assign goes_on = is_complete || is_hit_passed || (!has_hit && free_slot == '0);
  // Entry that takes the contributions.
  assign starts = any && !has_hit && open_leaves != '0 ? free_slot : '0;
  assign target = starts | (any ? hits : '0);
  assign has_overflowed_d = has_overflowed_q || is_full;

  // The last of the group goes on for all, with these.
  count_t leaving_count;
  resp_e  leaving_resp;
  assign leaving_count = is_hit_passed ? group_count : sum;
  assign leaving_resp = resp_e'(is_hit_passed ? group_resp : resp);

  assign absorb_o = !any ? '0 : goes_on ? group & ~last : group;
  assign forward_o = forwarded_q;
  assign forwarded_d = (forwarded_q | (goes_on ? last : '0)) & ~taken_i;

  if (MergeCycles == 1) begin : gen_same_cycle
    assign candidate_o = last;
    assign goes_on_o   = goes_on;
  end else begin : gen_next_cycle
    assign candidate_o = '0;
    assign goes_on_o   = 1'b0;
  end

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_hdr
    always_comb begin
      hdr_o[i] = head_i[i];
      hdr_o[i].count = forwarded_count_q[i];
      hdr_o[i].resp = forwarded_resp_q[i];
      if (MergeCycles == 1 && !forwarded_q[i]) begin
        hdr_o[i].count = leaving_count;
        hdr_o[i].resp  = leaving_resp;
      end
    end
  end

  // --------------------------------------------------------------------------------------- the entries

  logic [TickBits-1:0] tick_q;
  logic is_tick;
  assign is_tick = tick_q == TickBits'(TickCycles - 1);

  always_comb begin : p_entries
    valid_d = (valid_q | target) & ~(any && is_complete ? hits : '0);
    is_timed_d = is_timed_q;
    has_passed_d = has_passed_q | gives_up;
    for (int unsigned e = 0; e < Entries; e++) begin
      timer_d[e] = timer_q[e];
      if (is_tick && timer_q[e] != '1) timer_d[e] = timer_q[e] + 3'd1;
      if (target[e]) timer_d[e] = '0;
      if (starts[e]) begin
        is_timed_d[e]   = has_overflowed_d;
        has_passed_d[e] = 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      has_overflowed_q <= 1'b0;
      forwarded_q <= '0;
      result_valid_q <= 1'b0;
      tick_q <= '0;
    end else begin
      valid_q <= valid_d;
      has_overflowed_q <= has_overflowed_d;
      forwarded_q <= forwarded_d;
      result_valid_q <= result_valid_d;
      tick_q <= is_tick ? '0 : tick_q + 1'b1;
    end
  end

  // What only counts in entries in use has no reset.
  always_ff @(posedge clk_i) begin
    is_timed_q <= is_timed_d;
    has_passed_q <= has_passed_d;
    timer_q <= timer_d;
    {result_slot_q, result_count_q} <= {result_slot_d, result_count_d};
    {result_resp_q, result_route_q} <= {result_resp_d, result_route_d};
    if (any) kind_q <= lead.kind;
    for (int unsigned e = 0; e < Entries; e++) begin
      if (starts[e]) entry_q[e] <= lead;
      if (target[e]) entry_q[e].count <= sum;
      if (target[e]) entry_q[e].resp <= resp_e'(resp);
    end
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (last[i] && !forwarded_q[i]) begin
        forwarded_count_q[i] <= leaving_count;
        forwarded_resp_q[i]  <= leaving_resp;
      end
    end
  end

  // ------------------------------------------------------------------------- what has waited too long

  always_comb begin : p_due
    for (int unsigned e = 0; e < Entries; e++) begin
      due[e] = valid_q[e] && is_timed_q[e] && !has_passed_q[e] && timer_q[e] == '1;
      if (any && hits[e]) due[e] = 1'b0;
      result_slot[e] = result_valid_q && result_slot_q == SlotBits'(e);
    end
    gives_up = result_valid_q ? '0 : lowest(due);
    result_valid_d = result_valid_q ? !result_ready_i : due != '0;
    {result_slot_d, result_count_d} = {result_slot_q, result_count_q};
    {result_resp_d, result_route_d} = {result_resp_q, result_route_q};
    for (int unsigned e = 0; e < Entries; e++) begin
      if (gives_up[e]) begin
        result_slot_d  = SlotBits'(e);
        result_count_d = entry_q[e].count;
        result_resp_d  = entry_q[e].resp;
        result_route_d = noccl_flit_pkg::toward(position_i, entry_q[e].dst);
      end
    end
  end

  assign {result_valid_o, result_route_o} = {result_valid_q, result_route_q};
  always_comb begin : p_result
    result_o = entry_q[result_slot_q];
    // What all contributions have in common is not kept per entry.
    result_o.kind = kind_q;
    result_o.multicast = 1'b0;
    result_o.src = result_o.dst;
    result_o.count = result_count_q;
    result_o.resp = resp_e'(result_resp_q);
  end

  `NOCCL_ASSERT_INIT(TwoEntries, Entries >= 2)
  `NOCCL_ASSERT_INIT(TimeoutTicks, TimeoutCycles >= 16 && 8 * TickCycles == TimeoutCycles)
  `NOCCL_ASSERT(OneEntryPerTransaction, (hits & (hits - slots_t'(1))) == '0)
  `NOCCL_ASSERT(NeverMoreThanAllLeaves,
                !any || has_hit || group_count <= leaves - count_t'(has_own))
  `NOCCL_ASSERT_INIT(OneOrThreeCycles, MergeCycles == 1 || MergeCycles == 3)
  `NOCCL_ASSERT(AbsorbOrForward, (absorb_o & (forward_o | (goes_on ? last : '0))) == '0)
  `NOCCL_ASSERT(ServedHeadsDecide, (group & ~(absorb_o | (goes_on ? last : '0))) == '0)
  `NOCCL_ASSERT_KNOWN(ControlKnown, {absorb_o, forward_o, candidate_o, goes_on_o, result_valid_o})
  `NOCCL_ASSUME(TakenOnlyForwarded, (taken_i & ~(forward_o | (goes_on_o ? candidate_o : '0))) == '0)
  `NOCCL_COVER(Overflow, has_overflowed_q)
  `NOCCL_COVER(GivesUp, gives_up != '0)
  `NOCCL_COVER(MergesFive, $countones(group) > 1)

endmodule
