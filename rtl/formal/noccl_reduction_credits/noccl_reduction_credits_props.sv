// SPDX-License-Identifier: Apache-2.0
// What the credits of wide reductions promise: no flow has more beats in flight than its window, no credit is lost, none is given
// for a beat that was not reduced or to a sender that needs none, and so no store overflows and no sender waits for ever.
//
// The solver starts flows of any set and root, begins and reduces their beats as far as their operands may have come, sends
// pending credits when it likes and gives credits ahead for what was begun. Beats and batches are counted outside.

`include "noccl_assert.svh"

module noccl_reduction_credits_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t, noccl_flit_pkg::left_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS, noccl_cfg_pkg::MAX_WINDOW_BEATS;
  import noccl_collective_pkg::slot_set_t, noccl_collective_pkg::flow_t;
  import noccl_collective_pkg::name_t, noccl_collective_pkg::window_t;
(
    /// Clock.
    input logic          clk_i,
    /// Position of the router; constant.
    input coord_t        position_i,
    /// A flow starts in the lowest free slot: its name, set, and beats that follow the first.
    input logic          start_i,
    input name_t         name_i,
    input region_coord_t base_i,
    input region_coord_t mask_i,
    input left_t         left_i,
    /// Slots that would begin a beat, start the last pass of one, end.
    input slot_set_t     begins_i,
    input slot_set_t     finishes_i,
    input slot_set_t     ends_i,
    /// Slots for which credits ahead would come; a credit of another name.
    input slot_set_t     credits_i,
    input logic          is_foreign_i,
    input name_t         foreign_i,
    /// A pending credit would be sent.
    input logic          credit_return_ready_i
);

  localparam int unsigned BeatBits = noccl_cfg_pkg::BURST_BITS + 2;
  typedef logic [BeatBits-1:0] beats_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Slots in use, and what the scoreboard knows of their flows.
  slot_set_t open_q, started_q, starts, ends, begins, finishes, credits;
  flow_t flow_q[REDUCTION_FLOWS];
  left_t last_q[REDUCTION_FLOWS];
  port_set_t join_set[REDUCTION_FLOWS];
  window_t window[REDUCTION_FLOWS][NUM_PORTS], ahead[REDUCTION_FLOWS];
  slot_set_t has_ahead;
  coord_t contributor[REDUCTION_FLOWS][NUM_PORTS];
  beats_t total[REDUCTION_FLOWS];
  // Beats begun, reduced, reduced a cycle ago; credits that came, in beats.
  beats_t begun_q[REDUCTION_FLOWS], finished_q[REDUCTION_FLOWS], seen_q[REDUCTION_FLOWS];
  beats_t came_q[REDUCTION_FLOWS];
  // Credits given to the senders of each input, in beats.
  beats_t given_q[REDUCTION_FLOWS][NUM_PORTS];

  region_coord_t new_base;
  logic is_known, meets;
  assign new_base = base_i & ~mask_i;
  noccl_join_set u_new_join (
      .position_i,
      .base_i (new_base),
      .mask_i,
      .root_i (name_i.root),
      .ports_o(),
      .meets_o(meets)
  );
  for (genvar s = 0; s < int'(REDUCTION_FLOWS); s++) begin : gen_slot
    noccl_join_set u_join_set (
        .position_i,
        .base_i (flow_q[s].base),
        .mask_i (flow_q[s].mask),
        .root_i (flow_q[s].name.root),
        .ports_o(join_set[s]),
        .meets_o()
    );
    noccl_contributors u_contributors (
        .position_i,
        .base_i       (flow_q[s].base),
        .mask_i       (flow_q[s].mask),
        .root_i       (flow_q[s].name.root),
        .contributor_o(contributor[s]),
        .window_o     (window[s]),
        .has_ahead_o  (has_ahead[s]),
        .ahead_o      (ahead[s])
    );
    assign total[s] = beats_t'(last_q[s]) + beats_t'(1);
  end

  slot_set_t allowed, may_finish;
  logic credit_valid, credit_hit, return_valid, own_valid;
  name_t credit_name, return_name, own_name;
  coord_t return_dst;

  // ------------------------------------------------------------------------------- what the solver may do

  slot_set_t can_begin, can_finish, can_come;
  always_comb begin
    is_known = 1'b0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      is_known |= open_q[s] && flow_q[s].name == name_i;
      // Operands of the next beat may be there: no sender has used more than its window and what it was given.
      // The first operand has come alone, so no beat is complete in the next cycle.
      can_begin[s] = open_q[s] && !started_q[s] && allowed[s] && begun_q[s] < total[s];
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (join_set[s][i] && begun_q[s] >= beats_t'(window[s][i]) + given_q[s][i]) begin
          can_begin[s] = 1'b0;
        end
      end
      // The next merge point has reduced four more beats, and the flow needs the credits.
      can_come[s] = open_q[s] && has_ahead[s] && begun_q[s] >= came_q[s] + beats_t'(4) &&
          beats_t'(ahead[s]) + came_q[s] < total[s];
      ends[s] = ends_i[s] && open_q[s] && finished_q[s] == total[s];
    end
    begins = $onehot(begins_i) ? begins_i & can_begin : '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      can_finish[s] = open_q[s] && may_finish[s] &&
          begun_q[s] + beats_t'(begins[s]) > finished_q[s];
    end
    finishes = $onehot(finishes_i) ? finishes_i & can_finish : '0;
    credits = $onehot(credits_i) ? credits_i & can_come : '0;
    credit_name = foreign_i;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (credits[s]) credit_name = flow_q[s].name;
    end
    credit_valid = credits != '0 || is_foreign_i;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (credits == '0 && open_q[s] && flow_q[s].name == foreign_i) credit_valid = 1'b0;
    end
  end
  assign starts = start_i && !is_known && meets ? noccl_collective_pkg::lowest_slot(~open_q) : '0;

  noccl_reduction_credits u_credits (
      .clk_i,
      .rst_ni,
      .position_i,
      .starts_i             (starts),
      .new_left_i           (left_i),
      .valid_i              (open_q),
      .join_i               (join_set),
      .flow_i               (flow_q),
      .allowed_o            (allowed),
      .may_finish_o         (may_finish),
      .begins_i             (begins),
      .finishes_i           (finishes),
      .credit_valid_i       (credit_valid),
      .credit_name_i        (credit_name),
      .credit_hit_o         (credit_hit),
      .credit_return_valid_o(return_valid),
      .credit_return_dst_o  (return_dst),
      .credit_return_name_o (return_name),
      .credit_return_ready_i,
      .own_valid_o          (own_valid),
      .own_name_o           (own_name)
  );

  // --------------------------------------------------------------------------------------------- scoreboard

  // Pending credits by count: whole batches that were reduced a cycle ago and are needed, less what was given; those returned now.
  port_set_t pending[REDUCTION_FLOWS], is_excess[REDUCTION_FLOWS];
  port_set_t offered[REDUCTION_FLOWS], returned[REDUCTION_FLOWS];

  function automatic beats_t batches(beats_t beats);
    return {beats[BeatBits-1:2], 2'b00};
  endfunction

  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        logic needs;
        needs = open_q[s] && join_set[s][i] && beats_t'(window[s][i]) + given_q[s][i] < total[s];
        pending[s][i] = needs && batches(seen_q[s]) > given_q[s][i];
        // Given without need: not reduced yet, or to a sender that had credits enough without the last batch.
        is_excess[s][i] = given_q[s][i] > batches(seen_q[s]) ||
            (given_q[s][i] != '0 &&
             beats_t'(window[s][i]) + given_q[s][i] >= total[s] + beats_t'(4));
        offered[s][i] = i == LOCAL ? own_valid && own_name == flow_q[s].name
            : return_valid && return_name == flow_q[s].name && return_dst == contributor[s][i];
        offered[s][i] &= open_q[s] && join_set[s][i];
        returned[s][i] = offered[s][i] && (credit_return_ready_i || i == LOCAL);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      open_q[s] <= rst_ni && (open_q[s] || starts[s]) && !ends[s];
      started_q[s] <= rst_ni && starts[s];
      if (starts[s]) begin
        flow_q[s] <= '{
            name: name_i,
            base: new_base,
            mask: mask_i,
            op: noccl_number_pkg::OP_SUM,
            element: noccl_number_pkg::ELEM_FP64
        };
        last_q[s] <= left_i;
        begun_q[s] <= '0;
        finished_q[s] <= '0;
        seen_q[s] <= '0;
        came_q[s] <= '0;
      end else begin
        begun_q[s] <= begun_q[s] + beats_t'(begins[s]);
        finished_q[s] <= finished_q[s] + beats_t'(finishes[s]);
        seen_q[s] <= finished_q[s];
        came_q[s] <= came_q[s] + (credits[s] ? beats_t'(4) : '0);
      end
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (starts[s]) given_q[s][i] <= '0;
        else if (returned[s][i]) given_q[s][i] <= given_q[s][i] + beats_t'(4);
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ promises

  slot_set_t exceeds_window, is_held_up, overflows, is_given_for_nothing, is_stuck;
  logic is_misdirected, is_lost;

  always_comb begin
    logic has_hit;
    port_set_t is_pending, is_offered;
    has_hit = 1'b0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      logic has_credit, is_clear;
      has_credit = !has_ahead[s] || begun_q[s] < beats_t'(ahead[s]) + came_q[s];
      exceeds_window[s] = open_q[s] && !started_q[s] && allowed[s] && !has_credit;
      // A flow waits for credits ahead, or at the end of a batch for its pending ones, and for nothing else.
      is_clear = pending[s] == '0 || finished_q[s][1:0] != 2'd3;
      is_held_up[s] = may_finish[s] != is_clear ||
          (!started_q[s] && allowed[s] != (has_credit && is_clear));
      is_held_up[s] &= open_q[s];
      overflows[s] = 1'b0;
      is_stuck[s]  = 1'b0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (open_q[s] && join_set[s][i]) begin
          overflows[s] |= 32'(window[s][i]) + 32'(given_q[s][i]) >
              32'(finished_q[s]) + MAX_WINDOW_BEATS;
          // All that came is reduced, no credit is offered, yet the sender has to wait.
          is_stuck[s] |= !return_valid && !own_valid && finished_q[s] == seen_q[s] &&
              finished_q[s] != total[s] && finished_q[s] >= beats_t'(window[s][i]) + given_q[s][i];
        end
      end
      is_given_for_nothing[s] = open_q[s] && (is_excess[s] & join_set[s]) != '0;
      has_hit |= credits[s];
    end
    // What is offered is the pending credit of one input; if there are any, one of them is offered.
    is_misdirected = credit_hit != has_hit;
    is_lost = 1'b0;
    is_pending = '0;
    is_offered = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      is_misdirected |= (offered[s] & ~pending[s]) != '0;
      is_pending |= pending[s];
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        is_misdirected |= is_offered[i] && offered[s][i];
        is_offered[i] |= offered[s][i];
      end
    end
    is_lost = (is_pending[LOCAL-1:0] != '0) != return_valid || is_pending[LOCAL] != own_valid;
    is_misdirected |= return_valid != $onehot(
        is_offered[LOCAL-1:0]
    ) || own_valid != is_offered[LOCAL];
  end

  `NOCCL_ASSUME(StaysHere, $stable(position_i))
  `NOCCL_ASSERT(NoFlowExceedsItsWindowAhead, exceeds_window == '0)
  `NOCCL_ASSERT(FlowsWaitForCreditsOnly, is_held_up == '0)
  `NOCCL_ASSERT(StoresNeverOverflow, overflows == '0)
  `NOCCL_ASSERT(NoCreditWithoutNeed, is_given_for_nothing == '0)
  `NOCCL_ASSERT(NoCreditIsLost, !is_lost)
  `NOCCL_ASSERT(CreditsGoToTheirSource, !is_misdirected)
  `NOCCL_ASSERT(NoSourceWaitsForEver, is_stuck == '0)

  // ----------------------------------------------------------------------------------------------- grants

  // Grants of others since a slot has pending credits for other tiles without a grant of its own; a slot takes one per neighbour at
  // most, which are two in a mesh of 2x2.
  localparam int unsigned SlotGrants = 2;
  localparam int unsigned MaxGrants = (REDUCTION_FLOWS - 1) * SlotGrants;
  typedef logic [$clog2(MaxGrants + 2)-1:0] grants_t;

  grants_t grants_q[REDUCTION_FLOWS];
  slot_set_t has_pending, is_returned, waits_too_long;
  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      has_pending[s] = pending[s][LOCAL-1:0] != '0;
      is_returned[s] = returned[s][LOCAL-1:0] != '0;
      waits_too_long[s] = 32'(grants_q[s]) +
          32'(has_pending[s] && !is_returned[s] && is_returned != '0) > MaxGrants;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (!rst_ni || !has_pending[s] || is_returned[s]) grants_q[s] <= '0;
      else if (is_returned != '0) grants_q[s] <= grants_q[s] + 1'b1;
    end
  end

  `NOCCL_ASSERT(WaitsForARoundOfGrants, waits_too_long == '0)

  // Why: the grants a slot has waited for, those left to the granted slot, and those of each slot between them are a round.
  slot_set_t is_late;
  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      int unsigned ahead_grants;
      ahead_grants = 32'(grants_q[s]);
      for (int unsigned t = 0; t < REDUCTION_FLOWS; t++) begin
        if (u_credits.grant_q[t]) begin
          ahead_grants += unsigned'($countones(pending[t][LOCAL-1:0]));
          // Slots behind t and before s, in round-robin order.
          ahead_grants += SlotGrants * ((s + REDUCTION_FLOWS - t - 1) % REDUCTION_FLOWS);
        end
      end
      is_late[s] = has_pending[s] && !u_credits.grant_q[s] && ahead_grants > MaxGrants;
      is_late[s] |= has_pending[s] && u_credits.grant_q[s] && 32'(grants_q[s]) > MaxGrants;
      is_late[s] |= !has_pending[s] && grants_q[s] != '0;
    end
  end

  `NOCCL_ASSERT(GrantsAreRoundRobin, is_late == '0)

  // ------------------------------------------------------------- why: what counters and pending bits inside mean

  slot_set_t is_miscounted, is_mispending, is_beyond;
  always_comb begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      beats_t credits_left;
      credits_left = beats_t'(ahead[s]) + came_q[s] - begun_q[s];
      is_miscounted[s] = open_q[s] &&
          (u_credits.batch_q[s] != finished_q[s][1:0] ||
           u_credits.started_q[s] != started_q[s] || (started_q[s] && begun_q[s] != '0) ||
           (!started_q[s] && u_credits.has_ahead_q[s] != has_ahead[s]) ||
           (!started_q[s] && has_ahead[s] && beats_t'(u_credits.credits_q[s]) != credits_left) ||
           (seen_q[s] != total[s] &&
            u_credits.left_q[s] != left_t'(beats_t'(last_q[s]) - seen_q[s])));
      is_mispending[s] = (u_credits.pending_q[s] & (open_q[s] ? ~pending[s] : '1)) != '0 ||
          (open_q[s] && (pending[s] & ~u_credits.pending_q[s]) != '0) ||
          u_credits.reduced_q[s] != (open_q[s] && finished_q[s] != seen_q[s]);
      // Behind the first beat of a batch it is known who needs its credits.
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        is_mispending[s] |= open_q[s] && seen_q[s][1:0] != 2'd0 && u_credits.needs_q[s][i] !=
            (join_set[s][i] && beats_t'(last_q[s]) >= batches(seen_q[s]) + beats_t'(window[s][i]));
      end
      is_beyond[s] = open_q[s] &&
          (begun_q[s] > total[s] || finished_q[s] > begun_q[s] ||
           !(finished_q[s] == seen_q[s] || finished_q[s] == seen_q[s] + beats_t'(1)) ||
           came_q[s] > begun_q[s] || came_q[s][1:0] != '0 ||
           (has_ahead[s] && begun_q[s] > beats_t'(ahead[s]) + came_q[s]) ||
           (join_set[s] & (join_set[s] - port_set_t'(1))) == '0);
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (open_q[s] && join_set[s][i]) begin
          is_beyond[s] |= given_q[s][i][1:0] != '0 ||
              begun_q[s] > beats_t'(window[s][i]) + given_q[s][i] ||
              (given_q[s][i] + beats_t'(8) <= batches(seen_q[s]) && pending[s][i]);
        end
      end
      for (int unsigned o = 0; o < s; o++) begin
        is_beyond[s] |= open_q[s] && open_q[o] && flow_q[s].name == flow_q[o].name;
      end
    end
  end

  `NOCCL_ASSERT(CountersCountBeats, is_miscounted == '0)
  `NOCCL_ASSERT(PendingCreditsAreReducedBatches, is_mispending == '0)
  `NOCCL_ASSERT(BeatsBeginBeforeTheyEnd, is_beyond == '0)

endmodule
