// SPDX-License-Identifier: Apache-2.0
// What the queues of the wide-reduction synchroniser promise: a beat goes when all its operands are there and no
// earlier, with the operands of its own number, each once.
//
// The solver starts and ends flows, lets operands enter as far as windows allow, and marks one of them at a time of its choice.

`include "noccl_assert.svh"

module noccl_reduction_queues_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS, noccl_cfg_pkg::MAX_WINDOW_BEATS;
  import noccl_collective_pkg::slot_set_t, noccl_collective_pkg::place_t;
  import noccl_collective_pkg::store_address_t;
#(
    /// Beats of a flow, at most.
    parameter int unsigned MaxBeats = 6
) (
    /// Clock.
    input logic                               clk_i,
    /// A flow starts in the lowest free slot, with operands from these inputs, and so many beats.
    input logic                               start_i,
    input port_set_t                          join_i,
    input logic      [$clog2(MaxBeats+1)-1:0] beats_i,
    /// Per input: an operand would enter this slot.
    input slot_set_t                          enters_i   [NUM_PORTS],
    /// Flows whose next beat may go; the chosen one goes.
    input slot_set_t                          allowed_i,
    input logic                               take_i,
    /// Flows that would end.
    input slot_set_t                          ends_i,
    /// The operand that enters there is the marked one.
    input logic                               mark_i,
    input port_set_t                          mark_port_i
);

  localparam int unsigned CountBits = $clog2(MAX_WINDOW_BEATS + 1);
  typedef logic [CountBits-1:0] count_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Flows, and operands that have entered and not gone.
  slot_set_t valid_q, starts, ends, enters[NUM_PORTS], chosen, goes;
  port_set_t join_q[REDUCTION_FLOWS], join_now[REDUCTION_FLOWS];
  count_t count_q[NUM_PORTS][REDUCTION_FLOWS], count_d[NUM_PORTS][REDUCTION_FLOWS];
  slot_set_t is_empty;
  // Beats of flows that have not gone.
  localparam int unsigned MaxWait = (REDUCTION_FLOWS - 1) * MaxBeats;
  typedef logic [$clog2(2*MaxWait+2)-1:0] wait_t;
  wait_t left_q[REDUCTION_FLOWS];
  store_address_t waddr[NUM_PORTS];
  place_t place;
  logic take;
  // older_q[a][b]: a has started before b.
  slot_set_t older_q[REDUCTION_FLOWS];

  logic may_start;
  assign may_start = beats_i != '0 && 32'(beats_i) <= MaxBeats &&
      (join_i & (join_i - port_set_t'(1))) != '0;
  assign starts = start_i && may_start ? noccl_collective_pkg::lowest_slot(~valid_q) : '0;
  assign take = take_i && chosen != '0;
  assign goes = take ? chosen : '0;
  assign ends = ends_i & valid_q & is_empty;

  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      join_now[s] = starts[s] ? join_i : join_q[s];
      is_empty[s] = 1'b1;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (count_q[i][s] != '0) is_empty[s] = 1'b0;
        enters[i][s] = enters_i[i] == slot_set_t'(1) << s && (starts[s] || (valid_q[s] && !ends[s]))
            && join_now[s][i] && (starts[s] || (32'(count_q[i][s]) < MAX_WINDOW_BEATS &&
                                                wait_t'(count_q[i][s]) < left_q[s]));
        // One operand takes the slot.
        for (int unsigned o = 0; o < i; o++) if (starts[s] && enters[o][s]) enters[i][s] = 1'b0;
        count_d[i][s] = count_q[i][s] + count_t'(enters[i][s]) - count_t'(goes[s] && join_q[s][i]);
      end
    end
  end

  noccl_reduction_queues u_queues (
      .clk_i,
      .rst_ni,
      .enters_i(enters),
      .starts_i(starts),
      .valid_i (valid_q),
      .join_i  (join_q),
      .waddr_o (waddr),
      .allowed_i,
      .chosen_o(chosen),
      .place_o (place),
      .begins_i(goes)
  );

  // The marked operand: where it lies, and the beats that go before it.
  logic marks, is_marked_q;
  port_set_t marked_port_q;
  slot_set_t marked_slot_q, marking_slot;
  place_t marked_place_q, marking_place;
  count_t ahead_q, marking_count;

  always_comb begin
    marking_slot  = '0;
    marking_place = '0;
    marking_count = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (mark_port_i[i]) begin
        marking_slot |= enters[i];
        marking_place |= waddr[i].place;
        for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
          if (enters[i][s]) marking_count |= count_q[i][s] - count_t'(goes[s]);
        end
      end
    end
  end
  assign marks = mark_i && !is_marked_q && $onehot(mark_port_i) && marking_slot != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= '0;
      is_marked_q <= 1'b0;
    end else begin
      valid_q <= (valid_q | starts) & ~ends;
      is_marked_q <= marks || (is_marked_q && !((goes & marked_slot_q) != '0 && ahead_q == '0));
    end
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (starts[s]) join_q[s] <= join_i;
      if (starts[s]) left_q[s] <= wait_t'(beats_i);
      else if (goes[s]) left_q[s] <= left_q[s] - 1'b1;
      for (int unsigned i = 0; i < NUM_PORTS; i++) count_q[i][s] <= rst_ni ? count_d[i][s] : '0;
      for (int unsigned o = 0; o < REDUCTION_FLOWS; o++) begin
        if (starts[s]) older_q[s][o] <= 1'b0;
        else if (starts[o]) older_q[s][o] <= 1'b1;
      end
    end
    if (marks) begin
      marked_port_q <= mark_port_i;
      marked_slot_q <= marking_slot;
      marked_place_q <= marking_place;
      ahead_q <= marking_count;
    end else if ((goes & marked_slot_q) != '0) begin
      ahead_q <= ahead_q - 1'b1;
    end
  end

  // ------------------------------------------------------------------------------------------------ promises

  slot_set_t complete, is_early, is_passed_over;
  logic is_out_of_order, is_overwritten;

  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      complete[s] = valid_q[s];
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (join_q[s][i] && count_q[i][s] == '0) complete[s] = 1'b0;
      end
      is_early[s] = chosen[s] && !(complete[s] && allowed_i[s]);
      is_passed_over[s] = 1'b0;
      for (int unsigned o = 0; o < REDUCTION_FLOWS; o++) begin
        if (complete[s] && allowed_i[s] && chosen[o] && o != s && older_q[s][o]) begin
          is_passed_over[s] = 1'b1;
        end
      end
    end
    is_out_of_order = is_marked_q && ahead_q == '0 && (goes & marked_slot_q) != '0 &&
        place != marked_place_q;
    is_overwritten = 1'b0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (is_marked_q && marked_port_q[i] && enters[i] == marked_slot_q &&
          waddr[i].place == marked_place_q) begin
        is_overwritten = 1'b1;
      end
    end
  end

  // Beats that have gone while a flow with a complete beat that may go waits.
  wait_t waited_q[REDUCTION_FLOWS];
  slot_set_t starves;
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (!rst_ni || !complete[s] || !allowed_i[s] || goes[s]) waited_q[s] <= '0;
      else waited_q[s] <= waited_q[s] + wait_t'(take);
    end
  end
  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) starves[s] = 32'(waited_q[s]) > MaxWait;
  end

  `NOCCL_ASSERT(ServedAfterTheBeatsOfOlderFlows, starves == '0)
  `NOCCL_ASSERT(BeatsGoWhenComplete, is_early == '0)
  `NOCCL_ASSERT(CompleteBeatsGo, ((complete & allowed_i) == '0) == (chosen == '0))
  `NOCCL_ASSERT(OldestFlowGoesFirst, is_passed_over == '0)
  `NOCCL_ASSERT(MarkedOperandIsUsedInOrder, !is_out_of_order)
  `NOCCL_ASSERT(MarkedOperandStays, !is_overwritten)

  // -------------------------------------------------------------------- why: what pointers and ages mean

  localparam int unsigned NumberBits = $clog2(4 * MAX_WINDOW_BEATS);
  typedef logic [NumberBits-1:0] number_t;
  localparam number_t WINDOW = number_t'(MAX_WINDOW_BEATS);
  slot_set_t is_misplaced, is_misaged, is_overdue;
  logic is_lost;

  function automatic number_t below(number_t value, number_t limit);
    return value >= limit ? value - limit : value;
  endfunction

  always_comb begin
    is_lost = 1'b0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      number_t head;
      head = number_t'(u_queues.head_q[s]);
      is_misplaced[s] = valid_q[s] && 32'(u_queues.head_q[s]) >= MAX_WINDOW_BEATS;
      is_misaged[s] = valid_q[s] && (join_q[s] & (join_q[s] - port_set_t'(1))) == '0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (valid_q[s] && (32'(u_queues.tail_q[i][s]) >= MAX_WINDOW_BEATS ||
            (join_q[s][i] && u_queues.any_q[i][s] != (count_q[i][s] != '0)) ||
            (join_q[s][i] && number_t'(u_queues.tail_q[i][s]) != below(
                head + number_t'(count_q[i][s]), WINDOW
            )))) begin
          is_misplaced[s] = 1'b1;
        end
        if (32'(count_q[i][s]) > MAX_WINDOW_BEATS) is_misplaced[s] = 1'b1;
        if (!(valid_q[s] && join_q[s][i]) && count_q[i][s] != '0) is_misplaced[s] = 1'b1;
        if (is_marked_q && marked_port_q[i] && marked_slot_q[s]) begin
          if (!valid_q[s] || !join_q[s][i] || ahead_q >= count_q[i][s] ||
              number_t'(marked_place_q) !=
              below(
                  head + number_t'(ahead_q), WINDOW
              )) begin
            is_lost = 1'b1;
          end
        end
      end
      for (int unsigned o = 0; o < REDUCTION_FLOWS; o++) begin
        if (o != s && valid_q[s] && valid_q[o]) begin
          is_misaged[s] |= u_queues.before_q[s][o] != older_q[s][o];
          is_misaged[s] |= older_q[s][o] == older_q[o][s];
          for (int unsigned p = 0; p < REDUCTION_FLOWS; p++) begin
            if (p != s && p != o && valid_q[p] && older_q[s][o] && older_q[o][p]) begin
              is_misaged[s] |= !older_q[s][p];
            end
          end
        end
      end
    end
    if (is_marked_q && !($onehot(marked_port_q) && $onehot(marked_slot_q))) is_lost = 1'b1;
  end

  // Whoever waits: beats that may go before it become fewer with each that does.
  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      wait_t ahead;
      ahead = waited_q[s];
      is_overdue[s] = valid_q[s] && 32'(left_q[s]) > MaxBeats;
      for (int unsigned o = 0; o < REDUCTION_FLOWS; o++) begin
        if (o != s && valid_q[o] && older_q[o][s]) ahead += left_q[o];
      end
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        is_overdue[s] |= valid_q[s] && join_q[s][i] && wait_t'(count_q[i][s]) > left_q[s];
      end
      if (32'(waited_q[s]) > MaxWait) is_overdue[s] = 1'b1;
      if (valid_q[s] && 32'(ahead) > MaxWait) is_overdue[s] = 1'b1;
      if (!valid_q[s] && waited_q[s] != '0) is_overdue[s] = 1'b1;
    end
  end

  `NOCCL_ASSERT(WaitsAreBeatsOfOlderFlows, is_overdue == '0)
  `NOCCL_ASSERT(PointersCountOperands, is_misplaced == '0)
  `NOCCL_ASSERT(AgesAreThoseOfTheStarts, is_misaged == '0)
  `NOCCL_ASSERT(MarkedOperandIsInside, !is_lost)

endmodule
