// SPDX-License-Identifier: Apache-2.0
// Where operands of flows lie in the store, and which flow's next beat is reduced.
//
// Beats of a flow come in order by each input, so its part of an input's bank is a queue, and a
// beat is complete when all queues of its inputs hold something. The oldest flow with a complete
// beat that may go is chosen; flows end, so the youngest is served after boundedly many beats.
//
// Latency: an operand that comes in cycle c counts from c + 1 on, when its bank can be read.
// Combinational paths: `enters_i` to the write port; `allowed_i` to the choice. Ordering: beats of a flow in order.
// Source: docs/design/0004, wide reduction. Mirror:
// crates/noccl-sim/src/router/collective/reduction.

`include "noccl_assert.svh"

module noccl_reduction_queues
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS, noccl_cfg_pkg::MAX_WINDOW_BEATS;
  import noccl_collective_pkg::slot_set_t, noccl_collective_pkg::place_t;
  import noccl_collective_pkg::store_address_t;
(
    /// Clock.
    input  logic           clk_i,
    /// Asynchronous reset, active low.
    input  logic           rst_ni,
    /// Per input: slot that an operand enters in this cycle, if any.
    input  slot_set_t      enters_i [      NUM_PORTS],
    /// Slot that is taken in this cycle: its queues start empty.
    input  slot_set_t      starts_i,
    /// Slots in use.
    input  slot_set_t      valid_i,
    /// Per slot: inputs with operands.
    input  port_set_t      join_i   [REDUCTION_FLOWS],
    /// Per input: where its operand goes; undefined if none enters.
    output store_address_t waddr_o  [      NUM_PORTS],
    /// Flows whose next beat may go if it is complete.
    input  slot_set_t      allowed_i,
    /// The chosen flow, none if there is none.
    output slot_set_t      chosen_o,
    /// Place of its next beat.
    output place_t         place_o,
    /// That flow if its beat goes.
    input  slot_set_t      begins_i
);

  function automatic place_t next(place_t place);
    return 32'(place) == MAX_WINDOW_BEATS - 1 ? '0 : place + 1'b1;
  endfunction

  place_t tail_q[NUM_PORTS][REDUCTION_FLOWS], tail_d[NUM_PORTS][REDUCTION_FLOWS];
  place_t head_q[REDUCTION_FLOWS], head_d[REDUCTION_FLOWS];
  // The queue holds something: what the choice asks first is a register, no comparison.
  slot_set_t any_q[NUM_PORTS], any_d[NUM_PORTS];
  slot_set_t complete, ready;
  // Bit j of row i: flow i started before flow j.
  slot_set_t before_q[REDUCTION_FLOWS], before_d[REDUCTION_FLOWS];

  // ------------------------------------------------------------------------------------------- operands

  // Inputs with the first operand of a flow, for the promise below only.
  port_set_t starting;
  always_comb begin
    for (int unsigned i = 0; i < NUM_PORTS; i++) starting[i] = (enters_i[i] & starts_i) != '0;
  end

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_input
    place_t tail, next_tail;
    always_comb begin
      tail = '0;
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
        if (enters_i[i][s] && !starts_i[s]) tail |= tail_q[i][s];
      end
      next_tail = next(tail);
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
        tail_d[i][s] = enters_i[i][s] ? next_tail : starts_i[s] ? '0 : tail_q[i][s];
        any_d[i][s]  = any_q[i][s] && !starts_i[s];
        // The last one goes.
        if (begins_i[s] && tail_q[i][s] == next(head_q[s])) any_d[i][s] = 1'b0;
        if (enters_i[i][s]) any_d[i][s] = 1'b1;
      end
    end
    assign waddr_o[i].place = tail;
    assign waddr_o[i].slot  = noccl_collective_pkg::slot_index(enters_i[i]);

    `NOCCL_ASSUME(OneOperandStarts,
                  (enters_i[i] & starts_i) == '0 || starting == port_set_t'(1) << i)
    for (genvar s = 0; s < int'(REDUCTION_FLOWS); s++) begin : gen_slot
      `NOCCL_ASSUME(WindowHolds,
                    !(enters_i[i][s] && valid_i[s]) || !(any_q[i][s] && tail_q[i][s] == head_q[s]))
    end
  end

  // ---------------------------------------------------------------------------------------------- beats

  always_comb begin : p_complete
    // Zero anyway where no flow is: a simulator skips the loop.
    complete = '0;
    if (valid_i != '0)
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
        complete[s] = valid_i[s];
        for (int unsigned i = 0; i < NUM_PORTS; i++) begin
          if (join_i[s][i] && !any_q[i][s]) complete[s] = 1'b0;
        end
      end
    ready = complete & allowed_i;
  end

  always_comb begin : p_choice
    chosen_o = '0;
    if (ready != '0)
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
        chosen_o[s] = ready[s];
        for (int unsigned other = 0; other < REDUCTION_FLOWS; other++) begin
          if (other != s && ready[other] && before_q[other][s]) chosen_o[s] = 1'b0;
        end
      end
  end

  place_t head, next_head;
  always_comb begin : p_head
    head = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) if (chosen_o[s]) head |= head_q[s];
    next_head = next(head);
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      head_d[s] = starts_i[s] ? '0 : begins_i[s] ? next_head : head_q[s];
    end
  end
  assign place_o = head;

  // ------------------------------------------------------------------------------------------------ age

  always_comb begin : p_age
    // Kept otherwise.
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) before_d[s] = '0;
    if (`NOCCL_IS_READ(starts_i != '0))
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
        for (int unsigned other = 0; other < REDUCTION_FLOWS; other++) begin
          before_d[s][other] = starts_i[s] ? 1'b0 : starts_i[other] ? 1'b1 : before_q[s][other];
          // One bit per pair.
          if (other <= s) before_d[s][other] = other == s ? 1'b0 : !before_d[other][s];
        end
      end
  end

  // Upper half only; the lower one is its complement.
  slot_set_t upper_q[REDUCTION_FLOWS];
  always_comb begin : p_mirror
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      for (int unsigned other = 0; other < REDUCTION_FLOWS; other++) begin
        before_q[s][other] = other > s ? upper_q[s][other] : other < s && !upper_q[other][s];
      end
    end
  end

  // No reset: only flows in use count.
  always_ff @(posedge clk_i) begin
    if (starts_i != '0) upper_q <= before_d;
    tail_q <= tail_d;
    any_q  <= any_d;
    head_q <= head_d;
  end

  // So what is asked of a new flow may be known a cycle after its start.
  `NOCCL_ASSERT(FirstBeatsComeLater, (chosen_o & $past(rst_ni ? starts_i : '0)) == '0)
  `NOCCL_ASSERT(AtMostOneChosen, (chosen_o & (chosen_o - slot_set_t'(1))) == '0)
  `NOCCL_ASSERT(SomebodyChosen, (chosen_o != '0) == (ready != '0))
  `NOCCL_ASSERT_KNOWN(ChosenKnown, chosen_o)
  `NOCCL_COVER(TwoReady, (ready & (ready - slot_set_t'(1))) != '0)

endmodule
