// SPDX-License-Identifier: Apache-2.0
// Who is who in a wide reduction: flows by name, slots, and the headers of their results.
//
// A flow is one reduction burst that passes a router where it meets other contributions. It takes a
// slot with its first operand and frees it when its last result leaves. Where no slot is free, new
// flows wait in their FIFO: the stated limit of docs/design/0001. From the operand on that has
// another operator or element than the flow's first one, enables a part of its line, or is marked
// already, all results of the flow are marked: nothing of them is written (docs/errors.md).
//
// Latency: a head is absorbed in the cycle in which it comes; one new flow per cycle, at the lowest port; others wait.
// Combinational paths: `join_valid_i`, `head_i`, `meets_i`, `blocked_i` to `absorb_o`, `forward_o`,
// `enters_o`, `new_left_o`.
// Ordering: beats of a flow keep their order per input. Source: S1, section 3.1.4; docs/design/0004, wide reduction.
// Mirror: crates/noccl-sim/src/router/collective/reduction.

`include "noccl_assert.svh"

module noccl_reduction_flows
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::wide_hdr_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS;
  import noccl_collective_pkg::slot_t, noccl_collective_pkg::slot_set_t;
  import noccl_collective_pkg::flow_t, noccl_collective_pkg::name_t;
(
    /// Clock.
    input  logic                   clk_i,
    /// Asynchronous reset, active low: no flow.
    input  logic                   rst_ni,
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t position_i,
    /// Inputs whose head is an operand; stays until absorbed or forwarded.
    input  port_set_t              join_valid_i,
    /// Headers of the heads; ignored without valid.
    input  wide_hdr_t              head_i        [      NUM_PORTS],
    /// The operand meets other contributions here (`noccl_join_set`); ignored without valid.
    input  port_set_t              meets_i,
    /// Its strobe enables its whole line; ignored without valid.
    input  port_set_t              is_whole_i,
    /// Inputs whose bank is written otherwise: their operands stay.
    input  port_set_t              blocked_i,
    /// The head enters the store.
    output port_set_t              absorb_o,
    /// The head meets no other contributions here and goes on as it is.
    output port_set_t              forward_o,
    /// Per input: slot of the flow that the absorbed head belongs to, none if it is not absorbed.
    output slot_set_t              enters_o      [      NUM_PORTS],
    /// Slot that is taken in this cycle.
    output slot_set_t              starts_o,
    /// Beats that follow its flow's first one; undefined without.
    output noccl_flit_pkg::left_t  new_left_o,
    /// Slots in use.
    output slot_set_t              valid_o,
    /// Per slot: inputs that carry operands; undefined for slots not in use.
    output port_set_t              join_o        [REDUCTION_FLOWS],
    /// Per slot: what its beats have in common; undefined for slots not in use.
    output flow_t                  flow_o        [REDUCTION_FLOWS],
    /// A result of slot `result_slot_i` leaves at the end of the cycle.
    input  logic                   result_taken_i,
    /// Slot of the oldest result.
    input  slot_t                  result_slot_i,
    /// Header of the oldest result.
    output wide_hdr_t              result_hdr_o
);

  slot_set_t valid_q, valid_d, free, ends;
  flow_t flow_q[REDUCTION_FLOWS];
  port_set_t join_q[REDUCTION_FLOWS];
  // Contributors did not agree on the burst.
  slot_set_t disagrees_q, disagrees_d;
  // Of the beat that leaves next: its line, and the beats that follow.
  noccl_flit_pkg::line_t line_q[REDUCTION_FLOWS];
  noccl_flit_pkg::left_t left_q[REDUCTION_FLOWS];

  // -------------------------------------------------------------------------------------- heads by name

  name_t name[NUM_PORTS];
  port_set_t join_set[NUM_PORTS];
  port_set_t is_known, is_new, chosen;
  // Slot of the flow whose arithmetic is not the head's.
  slot_set_t hits[NUM_PORTS], differs[NUM_PORTS];

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_input
    (* maybe_unused *) logic meets;

    noccl_join_set u_join_set (
        .position_i,
        .base_i (head_i[i].base),
        .mask_i (head_i[i].mask),
        .root_i (head_i[i].dst),
        .ports_o(join_set[i]),
        .meets_o(meets)
    );
    assign name[i].root = head_i[i].dst;
    assign name[i].tag  = head_i[i].tag;
    for (genvar s = 0; s < int'(REDUCTION_FLOWS); s++) begin : gen_slot
      assign hits[i][s] = join_valid_i[i] && valid_q[s] && flow_q[s].name == name[i];
    end
    assign is_known[i]  = hits[i] != '0 && !blocked_i[i];
    assign forward_o[i] = join_valid_i[i] && !meets_i[i];
    assign is_new[i]    = join_valid_i[i] && meets_i[i] && hits[i] == '0 && !blocked_i[i];
    assign enters_o[i]  = is_known[i] ? hits[i] : chosen[i] ? starts_o : '0;

    for (genvar s = 0; s < int'(REDUCTION_FLOWS); s++) begin : gen_differs
      assign differs[i][s] = hits[i][s] && (flow_q[s].op != head_i[i].op
                                            || flow_q[s].element != head_i[i].element);
    end

    `NOCCL_ASSERT(OneSlotPerName, (hits[i] & (hits[i] - slot_set_t'(1))) == '0)
    `NOCCL_ASSUME(CarriesContributions, !join_valid_i[i] || join_set[i][i])
    `NOCCL_ASSUME(MeetsAsItsSetSays, !join_valid_i[i] || meets_i[i] == meets)
  end

  assign free     = noccl_collective_pkg::lowest_slot(~valid_q);
  assign starts_o = is_new == '0 ? '0 : free;
  assign chosen   = starts_o == '0 ? '0 : noccl_collective_pkg::lowest_port(is_new);
  assign absorb_o = is_known | chosen;

  // What the first operand of a flow says.
  flow_t new_flow;
  noccl_flit_pkg::line_t new_line;
  always_comb begin : p_new_flow
    new_flow   = flow_t'(0);
    new_line   = '0;
    new_left_o = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (chosen[i]) begin
        new_flow.name |= name[i];
        new_flow.base |= head_i[i].base;
        new_flow.mask |= head_i[i].mask;
        new_flow.op = head_i[i].op;
        new_flow.element = head_i[i].element;
        new_line |= head_i[i].line;
        new_left_o |= head_i[i].left;
      end
    end
  end

  port_set_t new_join;
  always_comb begin : p_new_join
    new_join = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) if (chosen[i]) new_join |= join_set[i];
  end

  // -------------------------------------------------------------------------------------------- results

  flow_t leaving;
  noccl_flit_pkg::line_t leaving_line;
  noccl_flit_pkg::left_t leaving_left;

  assign leaving = flow_q[result_slot_i];
  assign leaving_line = line_q[result_slot_i];
  assign leaving_left = left_q[result_slot_i];

  always_comb begin : p_result
    result_hdr_o = '0;
    result_hdr_o.kind = noccl_flit_pkg::WIDE_REDUCE;
    result_hdr_o.dst = leaving.name.root;
    result_hdr_o.src = position_i;
    result_hdr_o.base = leaving.base;
    result_hdr_o.mask = leaving.mask;
    result_hdr_o.tag = leaving.name.tag;
    result_hdr_o.resp = disagrees_q[result_slot_i] ? noccl_flit_pkg::RESP_SLVERR
                                                   : noccl_flit_pkg::RESP_OKAY;
    result_hdr_o.line = leaving_line;
    result_hdr_o.left = leaving_left;
    result_hdr_o.op = leaving.op;
    result_hdr_o.element = leaving.element;
  end

  always_comb begin : p_ends
    ends = '0;
    ends[result_slot_i] = result_taken_i && leaving_left == '0;
  end

  // ---------------------------------------------------------------------------------------------- slots

  assign valid_d = (valid_q | starts_o) & ~ends;

  always_comb begin : p_disagrees
    disagrees_d = disagrees_q & ~starts_o;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (head_i[i].resp != noccl_flit_pkg::RESP_OKAY || !is_whole_i[i]) disagrees_d |= enters_o[i];
      disagrees_d |= enters_o[i] & differs[i];
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= valid_d;
  end

  always_ff @(posedge clk_i) begin
    disagrees_q <= disagrees_d;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      // The free one that is next takes what there is, until a flow starts: no write waits for the names.
      if (free[s]) begin
        flow_q[s] <= new_flow;
        join_q[s] <= new_join;
        line_q[s] <= new_line;
        left_q[s] <= new_left_o;
      end else if (result_taken_i && result_slot_i == slot_t'(s)) begin
        line_q[s] <= leaving_line + 1'b1;
        left_q[s] <= leaving_left - 1'b1;
      end
    end
  end

  assign valid_o = valid_q;
  assign join_o  = join_q;
  assign flow_o  = flow_q;

  `NOCCL_ASSUME(ResultsOfFlowsOnly, !result_taken_i || valid_q[result_slot_i])
  `NOCCL_ASSERT_KNOWN(ControlKnown, {absorb_o, forward_o, valid_o})
  `NOCCL_COVER(AllSlotsInUse, valid_q == '1 && is_new != '0)

endmodule
