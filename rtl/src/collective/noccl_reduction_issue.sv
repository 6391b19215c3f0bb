// SPDX-License-Identifier: Apache-2.0
// Brings the operands of a beat to the arithmetic and its result to the router.
//
// The banks' read registers hold the operands while the arithmetic is busy: no other register is in front of it, and the
// arithmetic's last register is the one behind it. A pass combines two operands, or up to three (`REDUCTION_OPERANDS`). Beats of
// more take several passes: in between the sum goes back into the store. A further pass goes before a new beat.
//
// Latency: chosen in c, offered to the arithmetic in c + 1, its result to the router when it comes out. Throughput: one pass
// per cycle.
// Freedom from deadlock: a partial sum is taken as soon as it comes out, so it never holds the arithmetic up.
// Combinational paths: `dca_ready_i` to `begins_o`, `store_re_o`; `dca_result_valid_i` to
// `result_valid_o`, `partial_o`; `result_ready_i` to `dca_result_ready_o`. Ordering: that of the
// choice. Operands are combined in the order of the inputs.
// Source: S1, sections 3.1.4 and 3.2.1; docs/design/0004. Mirror:
// crates/noccl-sim/src/router/collective/reduction/unit.rs.

`include "noccl_assert.svh"

module noccl_reduction_issue
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::wide_data_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS;
  import noccl_collective_pkg::slot_t, noccl_collective_pkg::slot_set_t;
  import noccl_collective_pkg::place_t, noccl_collective_pkg::flow_t;
  import noccl_collective_pkg::dca_tag_t, noccl_collective_pkg::store_address_t;
  import noccl_collective_pkg::passes_t;
#(
    /// Beats between their first pass and their last one; at least 2.
    parameter int unsigned Partials = noccl_collective_pkg::PARTIALS
) (
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low: nothing is in flight.
    input  logic                        rst_ni,
    /// Per slot: inputs with operands.
    input  port_set_t                   join_i            [REDUCTION_FLOWS],
    /// Per slot: what its beats have in common.
    input  flow_t                       flow_i            [REDUCTION_FLOWS],
    /// Flow whose next beat is complete and may go, none if there is none.
    input  slot_set_t                   chosen_i,
    /// Place of that beat.
    input  place_t                      place_i,
    /// That flow if the beat goes in this cycle.
    output slot_set_t                   begins_o,
    /// Slots whose last pass may start.
    input  slot_set_t                   may_finish_i,
    /// Slot that starts the last pass of a beat.
    output slot_set_t                   finishes_o,
    /// Read these banks.
    output port_set_t                   store_re_o,
    /// At this address, common to all.
    output store_address_t              store_raddr_o,
    /// What they read last.
    input  wide_data_t                  store_rdata_i     [      NUM_PORTS],
    /// A request to the arithmetic; stays until ready.
    output logic                        dca_valid_o,
    /// The arithmetic takes it.
    input  logic                        dca_ready_i,
    /// Operator of the request.
    output noccl_number_pkg::operator_e dca_operator_o,
    /// Type of the elements.
    output noccl_number_pkg::element_e  dca_element_o,
    /// Operands, combined from the first.
    output wide_data_t                  dca_operand_o     [              3],
    /// The third operand counts.
    output logic                        dca_has_third_o,
    /// Comes back with the result.
    output dca_tag_t                    dca_tag_o,
    /// The oldest result; stays until ready.
    input  logic                        dca_result_valid_i,
    /// It is taken.
    output logic                        dca_result_ready_o,
    /// What came with the request; ignored without valid.
    input  dca_tag_t                    dca_result_tag_i,
    /// The oldest result is a partial sum and goes into the store.
    output logic                        partial_o,
    /// Where.
    output store_address_t              partial_address_o,
    /// A beat's sum is offered; stays until ready.
    output logic                        result_valid_o,
    /// Its slot.
    output slot_t                       result_slot_o,
    /// The router takes it.
    input  logic                        result_ready_i
);

  localparam int unsigned PartialBits = $clog2(Partials + 1);
  typedef logic [PartialBits-1:0] partials_t;
  typedef logic [$clog2(Partials)-1:0] index_t;

  function automatic port_set_t without_lowest(port_set_t set);
    return set & (set - port_set_t'(1));
  endfunction

  // ------------------------------------------------------------------------------------- what goes next

  // The register in front of the arithmetic: which pass its banks have been read for.
  logic request_valid_q, request_valid_d;
  passes_t request_left_q;
  slot_t request_slot_q;
  place_t request_place_q;
  port_set_t request_ports_q;

  // Partial sums in the store that wait for their next pass, in order; and all beats between their passes.
  store_address_t waiting_q[Partials];
  index_t first_q, last_q;
  partials_t num_waiting_q, num_waiting_d, partials_q, partials_d;

  logic can_take, may_take, takes, wants_second, may_start, starts_second, ends_partial;
  store_address_t second;
  slot_t chosen_slot, slot;
  port_set_t chosen_join, ports;
  // Flows whose beats take several passes; the chosen one does.
  slot_set_t long_flows;
  logic is_long;
  // Passes that follow the first one of the chosen beat, and the next one of the oldest partial sum.
  passes_t first_left, second_left;
  // Of the request: the inputs behind its first operand, and those behind its second.
  port_set_t second_ports, third_ports;

  assign can_take = !request_valid_q || dca_ready_i;
  assign wants_second = num_waiting_q != '0;
  assign second = waiting_q[first_q];
  assign may_start = second_left != '0 || may_finish_i[second.slot];
  assign starts_second = can_take && wants_second && may_start;
  assign ends_partial = starts_second && second_left == '0;

  assign chosen_slot = noccl_collective_pkg::slot_index(chosen_i);
  // What does not depend on the choice stands beside it, not behind it.
  assign may_take = can_take && !wants_second;
  always_comb begin : p_chosen
    chosen_join = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      port_set_t behind;
      behind = join_i[s];
      for (int unsigned i = 0; i < noccl_cfg_pkg::REDUCTION_OPERANDS; i++) begin
        behind = without_lowest(behind);
      end
      long_flows[s] = behind != '0;
      begins_o[s] = chosen_i[s] && may_take &&
          (!long_flows[s] || partials_q != partials_t'(Partials));
      if (chosen_i[s]) chosen_join |= join_i[s];
    end
  end
  assign is_long = (chosen_i & long_flows) != '0;
  assign takes = begins_o != '0;

  assign slot = wants_second ? second.slot : chosen_slot;
  if (noccl_cfg_pkg::REDUCTION_OPERANDS == 2) begin : gen_two
    passes_t waiting_left_q[Partials];
    port_set_t behind_two, rest, by_left[4];

    function automatic port_set_t highest(port_set_t set);
      port_set_t last;
      for (int unsigned i = 0; i < NUM_PORTS; i++) last[i] = set[i] && (set >> (i + 1)) == '0;
      return last;
    endfunction

    always_ff @(posedge clk_i) begin
      if (partial_o) waiting_left_q[last_q] <= dca_result_tag_i.passes_left - 1'b1;
    end
    assign second_left = waiting_left_q[first_q];

    assign behind_two  = without_lowest(without_lowest(chosen_join));
    always_comb begin : p_left
      first_left = '0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) first_left += passes_t'(behind_two[i]);
    end

    always_comb begin : p_ports
      // Inputs in order from the last one: with so many passes to come, a pass combines the operand
      // of this one.
      rest = join_i[second.slot];
      for (int unsigned left = 0; left < 4; left++) begin
        by_left[left] = highest(rest);
        rest &= ~by_left[left];
      end
      ports = chosen_join & ~behind_two;
      if (wants_second) ports = by_left[second_left] | noccl_collective_pkg::PARTIALS_BANK;
    end

    assign third_ports = '0;
  end else begin : gen_three
    // The two last ports in order.
    function automatic port_set_t last_two(port_set_t set);
      port_set_t last, rest;
      last = '0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        rest = set >> (i + 1);
        last[i] = set[i] && without_lowest(rest) == '0;
      end
      return last;
    endfunction

    assign first_left  = is_long;
    assign second_left = '0;

    always_comb begin : p_ports
      ports = chosen_join;
      if (is_long) ports = chosen_join & ~last_two(chosen_join);
      if (wants_second) begin
        ports = last_two(join_i[second.slot]) | noccl_collective_pkg::PARTIALS_BANK;
      end
    end

    assign third_ports = without_lowest(second_ports);
  end

  always_comb begin : p_finishes
    finishes_o = begins_o & ~long_flows;
    if (ends_partial) finishes_o[second.slot] = 1'b1;
  end

  assign store_re_o = takes || starts_second ? ports : '0;
  assign store_raddr_o.place = wants_second ? second.place : place_i;
  assign store_raddr_o.slot = slot;

  // -------------------------------------------------------------------------------------------- request

  assign second_ports = without_lowest(request_ports_q);
  assign dca_valid_o = request_valid_q;
  assign dca_operator_o = flow_i[request_slot_q].op;
  assign dca_element_o = flow_i[request_slot_q].element;
  assign dca_has_third_o = third_ports != '0;
  assign dca_tag_o = '{
          slot: request_slot_q,
          place: request_place_q,
          passes_left: request_left_q
      };

  // Operand that each input's bank is.
  port_set_t selects[3];
  always_comb begin : p_selects
    selects[0] = request_ports_q & ~second_ports;
    selects[1] = second_ports & ~third_ports;
    selects[2] = third_ports;
    for (int unsigned o = 0; o < 3; o++) dca_operand_o[o] = '0;
    // The first operand is never the last port, the second never the first, the third neither of the first two.
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (i < 4 && selects[0][i]) dca_operand_o[0] |= store_rdata_i[i];
      if (i > 0 && selects[1][i]) dca_operand_o[1] |= store_rdata_i[i];
      if (i > 1 && selects[2][i]) dca_operand_o[2] |= store_rdata_i[i];
    end
  end

  // --------------------------------------------------------------------------------------------- result

  logic is_partial;

  assign is_partial = dca_result_tag_i.passes_left != '0;
  assign partial_o = dca_result_valid_i && is_partial;
  assign partial_address_o = '{place: dca_result_tag_i.place, slot: dca_result_tag_i.slot};
  assign result_valid_o = dca_result_valid_i && !is_partial;
  assign result_slot_o = dca_result_tag_i.slot;
  assign dca_result_ready_o = is_partial || result_ready_i;

  assign request_valid_d = takes || starts_second || (request_valid_q && !dca_ready_i);
  assign num_waiting_d = num_waiting_q + partials_t'(partial_o) - partials_t'(starts_second);
  assign partials_d = partials_q + partials_t'(takes && is_long) - partials_t'(ends_partial);

  function automatic index_t next(index_t index);
    return 32'(index) == Partials - 1 ? '0 : index + 1'b1;
  endfunction

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      request_valid_q <= 1'b0;
      first_q <= '0;
      last_q <= '0;
      num_waiting_q <= '0;
      partials_q <= '0;
    end else begin
      request_valid_q <= request_valid_d;
      if (starts_second) first_q <= next(first_q);
      if (partial_o) last_q <= next(last_q);
      num_waiting_q <= num_waiting_d;
      partials_q <= partials_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (takes || starts_second) begin
      request_left_q  <= wants_second ? second_left : first_left;
      request_slot_q  <= slot;
      request_place_q <= store_raddr_o.place;
      request_ports_q <= ports;
    end
    if (partial_o) waiting_q[last_q] <= partial_address_o;
  end

  `NOCCL_ASSERT_INIT(
      TwoOrThreeOperands,
      noccl_cfg_pkg::REDUCTION_OPERANDS == 2 || noccl_cfg_pkg::REDUCTION_OPERANDS == 3)
  `NOCCL_ASSERT_INIT(TwoPartials, Partials >= 2)
  `NOCCL_ASSERT(PartialsAreKnown, num_waiting_q <= partials_q)
  `NOCCL_ASSERT(SpaceForPartials, partials_q <= partials_t'(Partials))
  `NOCCL_ASSERT_KNOWN(ControlKnown, {takes, dca_valid_o, result_valid_o, partial_o, store_re_o})
  `NOCCL_COVER(SecondPass, starts_second)
  `NOCCL_COVER(AllPartials, partials_q == partials_t'(Partials))

endmodule
