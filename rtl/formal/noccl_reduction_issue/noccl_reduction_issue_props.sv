// SPDX-License-Identifier: Apache-2.0
// What the issue of wide reductions promises: every beat is reduced once, from all its operands, each once and in the order of
// the inputs; none is lost or doubled, and sums of a flow leave in the order in which its beats were chosen.
//
// Around it stand a store and an arithmetic of any latency. One place of one slot is tracked: its operands are digits and
// combining writes them one behind the other, so that a sum shows what was combined and in which order. A beat there may be marked.

`include "noccl_assert.svh"

module noccl_reduction_issue_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::wide_data_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS;
  import noccl_collective_pkg::slot_t, noccl_collective_pkg::slot_set_t;
  import noccl_collective_pkg::place_t, noccl_collective_pkg::flow_t;
  import noccl_collective_pkg::dca_tag_t, noccl_collective_pkg::store_address_t;
  import noccl_collective_pkg::PARTIALS_BANK, noccl_collective_pkg::passes_t;
#(
    /// Beats between their first pass and their last one; a power of two.
    parameter int unsigned Partials = 2,
    /// Requests that the arithmetic holds.
    parameter int unsigned Stages   = 2
) (
    /// Clock.
    input logic                                 clk_i,
    /// Inputs of each slot's flow; constant.
    input port_set_t      [REDUCTION_FLOWS-1:0] join_i,
    /// Slot and place that are tracked; constant.
    input store_address_t                       tracked_i,
    /// The next beat: its slot, none, and its place; it is to be marked.
    input slot_set_t                            chosen_i,
    input place_t                               place_i,
    input logic                                 mark_i,
    /// Slots whose last pass may start.
    input slot_set_t                            may_finish_i,
    /// The arithmetic would take a request, would have a result; the router would take it.
    input logic                                 ready_i,
    input logic                                 comes_i,
    input logic                                 result_ready_i
);

  localparam int unsigned MARK = noccl_cfg_pkg::WIDE_BITS - 1;
  localparam int unsigned CountBits = $clog2(Stages + Partials + 2);
  typedef logic [CountBits-1:0] count_t;
  typedef logic [MARK-1:0] digits_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  function automatic port_set_t without_lowest(port_set_t set);
    return set & (set - port_set_t'(1));
  endfunction

  // Additions of a pass that is not the first.
  localparam int unsigned Adds = noccl_cfg_pkg::REDUCTION_OPERANDS - 1;

  // What has been combined once only so many passes are left.
  function automatic port_set_t combined_of(port_set_t set, passes_t left);
    port_set_t done;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      done[i] = set[i] && unsigned'($countones(set >> (i + 1))) >= Adds * 32'(left);
    end
    return done;
  endfunction

  // Passes that follow the first one.
  function automatic passes_t left_of(port_set_t set);
    return passes_t'((unsigned'($countones(set)) - 2) / Adds);
  endfunction

  // ------------------------------------------------------------------------------------- the unit's surroundings

  logic takes, dca_valid, dca_ready, has_third, result_valid, result_ready, partial, sum_valid;
  slot_set_t chosen, begins, finishes;
  port_set_t re;
  store_address_t raddr, partial_address;
  wide_data_t rdata_q[NUM_PORTS], word[NUM_PORTS], operand[3], combined;
  dca_tag_t tag;
  slot_t sum_slot;
  flow_t flow[REDUCTION_FLOWS];
  port_set_t join_set[REDUCTION_FLOWS];
  // Tracked place: a beat is between choice and last pass, of which so many follow; its partial sum lies in the store.
  logic is_busy_q, has_partial_q;
  passes_t left_q;
  wide_data_t partial_q;
  logic marks, is_second;
  // What the arithmetic holds, the oldest first.
  dca_tag_t held_tag[Stages];
  wide_data_t held_data[Stages];
  logic [$clog2(Stages+1)-1:0] num_held;
  slot_set_t tracked_slot;
  port_set_t tracked_join;

  always_comb begin
    tracked_slot = '0;
    tracked_join = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      flow[s] = '0;
      join_set[s] = join_i[s];
      if (tracked_i.slot == slot_t'(s)) begin
        tracked_slot[s] = 1'b1;
        tracked_join = join_i[s];
      end
    end
  end

  // A place is used again once its beat has been reduced.
  assign chosen = $onehot(
      chosen_i
  ) && !(is_busy_q && chosen_i == tracked_slot && place_i == tracked_i.place) ? chosen_i : '0;
  assign {takes, is_second} = {begins != '0, re != '0 && begins == '0};

  noccl_reduction_issue #(
      .Partials(Partials)
  ) u_issue (
      .clk_i,
      .rst_ni,
      .join_i            (join_set),
      .flow_i            (flow),
      .chosen_i          (chosen),
      .place_i,
      .begins_o          (begins),
      .may_finish_i,
      .finishes_o        (finishes),
      .store_re_o        (re),
      .store_raddr_o     (raddr),
      .store_rdata_i     (rdata_q),
      .dca_valid_o       (dca_valid),
      .dca_ready_i       (dca_ready),
      .dca_operator_o    (),
      .dca_element_o     (),
      .dca_operand_o     (operand),
      .dca_has_third_o   (has_third),
      .dca_tag_o         (tag),
      .dca_result_valid_i(result_valid),
      .dca_result_ready_o(result_ready),
      .dca_result_tag_i  (held_tag[0]),
      .partial_o         (partial),
      .partial_address_o (partial_address),
      .result_valid_o    (sum_valid),
      .result_slot_o     (sum_slot),
      .result_ready_i
  );

  noccl_any_arithmetic #(
      .Stages(Stages)
  ) u_arithmetic (
      .clk_i,
      .rst_ni,
      .would_take_i(ready_i),
      .would_give_i(comes_i),
      .valid_i     (dca_valid),
      .ready_o     (dca_ready),
      .tag_i       (tag),
      .combined_i  (combined),
      .valid_o     (result_valid),
      .ready_i     (result_ready),
      .num_held_o  (num_held),
      .tag_o       (held_tag),
      .data_o      (held_data)
  );

  function automatic wide_data_t combine(wide_data_t a, wide_data_t b);
    return {a[MARK] | b[MARK], digits_t'(a[MARK-1:0] << 3) | b[MARK-1:0]};
  endfunction

  function automatic digits_t digits_of(port_set_t set);
    digits_t digits;
    digits = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (set[i]) digits = {digits[MARK-4:0], 3'(i + 1)};
    end
    return digits;
  endfunction

  always_comb begin
    combined = combine(operand[0], operand[1]);
    if (has_third) combined = combine(combined, operand[2]);
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      word[i] = '0;
      if (raddr == tracked_i) begin
        word[i] = wide_data_t'(unsigned'(i + 1));
        if (PARTIALS_BANK[i] && has_partial_q) word[i] = partial_q;
        if (marks) word[i][MARK] = 1'b1;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NUM_PORTS; i++) if (re[i]) rdata_q[i] <= word[i];
    if (!rst_ni) begin
      is_busy_q <= 1'b0;
      has_partial_q <= 1'b0;
    end else begin
      if (takes && chosen == tracked_slot && place_i == tracked_i.place) begin
        is_busy_q <= left_of(tracked_join) != '0;
      end else if (is_second && raddr == tracked_i) begin
        is_busy_q <= finishes == '0;
      end
      if (partial && partial_address == tracked_i) has_partial_q <= 1'b1;
      else if (is_second && raddr == tracked_i) has_partial_q <= 1'b0;
    end
    if (partial && partial_address == tracked_i) partial_q <= held_data[0];
    if (takes && chosen == tracked_slot && place_i == tracked_i.place) begin
      left_q <= left_of(tracked_join);
    end else if (is_second && raddr == tracked_i) begin
      left_q <= left_q - 1'b1;
    end
  end

  // --------------------------------------------------------------------------------------------- scoreboard

  // Beats of the tracked slot: chosen and not gone; before their last pass. The marked beat, and those that go before it.
  count_t inside_q, between_q, ahead_q;
  logic is_marked_q, was_marked_q, takes_tracked, leaves_tracked;
  // Beats of all slots between choice and last pass, and partial sums that have come back.
  count_t open_q, waiting_q;
  port_set_t read_q;

  assign takes_tracked = takes && chosen == tracked_slot;
  assign leaves_tracked = sum_valid && result_ready_i && sum_slot == tracked_i.slot;
  assign marks = takes_tracked && place_i == tracked_i.place && mark_i && !was_marked_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      inside_q <= '0;
      between_q <= '0;
      is_marked_q <= 1'b0;
      was_marked_q <= 1'b0;
      open_q <= '0;
      waiting_q <= '0;
    end else begin
      inside_q <= inside_q + count_t'(takes_tracked) - count_t'(leaves_tracked);
      between_q <= between_q + count_t'(takes_tracked) - count_t'((finishes & tracked_slot) != '0);
      open_q <= open_q + count_t'(takes) - count_t'(finishes != '0);
      waiting_q <= waiting_q + count_t'(partial) - count_t'(is_second);
      is_marked_q <= marks || (is_marked_q && !(leaves_tracked && ahead_q == '0));
      was_marked_q <= was_marked_q || marks;
    end
    if (marks) ahead_q <= inside_q - count_t'(leaves_tracked);
    else if (leaves_tracked) ahead_q <= ahead_q - 1'b1;
    if (takes_tracked && place_i == tracked_i.place) read_q <= re;
    else if (is_second && raddr == tracked_i) read_q <= read_q | (re & tracked_join);
  end

  // ------------------------------------------------------------------------------------------------ promises

  logic is_misread, is_miscombined, is_out_of_order, is_idle;

  always_comb begin
    is_misread = 1'b0;
    if (takes_tracked && place_i == tracked_i.place) begin
      is_misread = raddr != tracked_i || re != combined_of(tracked_join, left_of(tracked_join));
    end else if (is_second && raddr == tracked_i) begin
      is_misread = re != ((combined_of(tracked_join, left_q - 1'b1) & ~read_q) | PARTIALS_BANK);
    end else if (re != '0) begin
      is_misread = raddr == tracked_i;
    end
    is_miscombined = sum_valid && held_tag[0].slot == tracked_i.slot &&
        held_tag[0].place == tracked_i.place && held_data[0][MARK-1:0] != digits_of(tracked_join);
    is_out_of_order = sum_valid && sum_slot == tracked_i.slot &&
        held_data[0][MARK] != (is_marked_q && ahead_q == '0);
    // Space for a request, and a pass that may start.
    is_idle = 1'b0;
    if (!dca_valid || dca_ready) begin
      if (waiting_q != '0) is_idle = re == '0 && may_finish_i == '1;
      else if (open_q < count_t'(Partials)) is_idle = chosen != '0 && !takes;
    end
  end

  logic [REDUCTION_FLOWS-1:0] is_alone;
  for (genvar s = 0; s < int'(REDUCTION_FLOWS); s++) begin : gen_slot
    assign is_alone[s] = without_lowest(join_i[s]) == '0;
  end

  `NOCCL_ASSUME(FlowsStay, $stable(join_i) && is_alone == '0)
  `NOCCL_ASSUME(TracksOnePlace, $stable(tracked_i) && tracked_slot != '0)
  `NOCCL_ASSERT(EachOperandIsReadOnce, !is_misread)
  `NOCCL_ASSERT(SumsAreReducedInOrder, !is_miscombined)
  `NOCCL_ASSERT(SumsLeaveInOrder, !is_out_of_order)
  `NOCCL_ASSERT(SumsAreOfChosenBeats, !leaves_tracked || inside_q != '0)
  `NOCCL_ASSERT(BeatsFinishOnce,
                (finishes & tracked_slot) == '0 || takes_tracked || between_q != '0)
  `NOCCL_ASSERT(PartialSumsAreTakenAtOnce,
                !(result_valid && held_tag[0].passes_left != '0) || result_ready)
  `NOCCL_ASSERT(PassesStartWhenTheyCan, !is_idle)
  `NOCCL_ASSERT(RequestsStay, !$past(rst_ni && dca_valid && !dca_ready) || (dca_valid && $stable
                ({tag, has_third, operand[0], operand[1], operand[2]})))

  // ----------------------------------------------------------------- why: where beats are at any time

  // Places of beats: those that wait, the oldest first; the arithmetic; the request in front of it.
  typedef logic [$clog2(Partials)-1:0] index_t;
  localparam int unsigned Places = Partials + Stages + 1;
  typedef struct packed {
    logic           is_there;
    // Passes that are still to come.
    passes_t        left;
    store_address_t address;
    wide_data_t     data;
  } place_of_beat_t;
  place_of_beat_t beat[Places];
  port_set_t request_ports;
  logic is_miscounted, is_misplaced, is_mistaken, is_mismarked;

  // Of partial sums in the store, the oldest first.
  passes_t waiting_left[Partials];
  for (genvar w = 0; w < int'(Partials); w++) begin : gen_waiting
    if (noccl_cfg_pkg::REDUCTION_OPERANDS == 2) begin : gen_two
      assign waiting_left[w] =
          u_issue.gen_two.waiting_left_q[index_t'(32'(u_issue.first_q)+w)] + 1'b1;
    end else begin : gen_three
      assign waiting_left[w] = 1'b1;
    end
  end

  always_comb begin
    for (int unsigned w = 0; w < Partials; w++) begin
      beat[w].is_there = w < 32'(u_issue.num_waiting_q);
      beat[w].left = waiting_left[w];
      beat[w].address = u_issue.waiting_q[index_t'(32'(u_issue.first_q)+w)];
      beat[w].data = partial_q;
    end
    for (int unsigned e = 0; e < Stages; e++) begin
      beat[Partials+e].is_there = e < 32'(num_held);
      beat[Partials+e].left = held_tag[e].passes_left;
      beat[Partials+e].address = '{place: held_tag[e].place, slot: held_tag[e].slot};
      beat[Partials+e].data = held_data[e];
    end
    beat[Places-1].is_there = dca_valid;
    beat[Places-1].left = tag.passes_left;
    beat[Places-1].address = '{place: tag.place, slot: tag.slot};
    beat[Places-1].data = combined;
  end

  always_comb begin
    count_t partials, waiting, of_tracked, of_tracked_partial, at_tracked_partial, marked, rank;
    count_t older;
    logic is_waiting, is_tracked;
    is_tracked = 1'b0;
    partials = '0;
    waiting = '0;
    of_tracked = '0;
    of_tracked_partial = '0;
    at_tracked_partial = '0;
    marked = '0;
    rank = '0;
    is_waiting = 1'b0;
    is_mistaken = 1'b0;
    is_mismarked = 1'b0;
    // Of a slot, a beat with fewer passes to come goes before the others.
    older = '0;
    for (int unsigned left = 0; left < 2 ** $bits(passes_t); left++) begin
      for (int unsigned b = 0; b < Places; b++) begin
        is_tracked = beat[b].address.slot == tracked_i.slot;
        if (beat[b].is_there && 32'(beat[b].left) == left && is_tracked) begin
          if (beat[b].data[MARK] && (left == 0 || beat[b].address == tracked_i)) rank = older;
          older += count_t'(1);
        end
      end
    end
    for (int unsigned b = 0; b < Places; b++) begin
      if (beat[b].is_there) begin
        is_tracked = beat[b].address == tracked_i;
        partials += count_t'(beat[b].left != '0);
        is_mistaken |= beat[b].left > left_of(
            join_i[beat[b].address.slot]
        ) || (b < Partials && beat[b].left == '0);
        waiting += count_t'(b < Partials);
        if (beat[b].address.slot == tracked_i.slot) begin
          of_tracked += count_t'(1);
          of_tracked_partial += count_t'(beat[b].left != '0);
        end
        if (is_tracked) begin
          at_tracked_partial += count_t'(beat[b].left != '0);
          is_waiting |= b < Partials;
          is_mistaken |= beat[b].data[MARK-1:0] != digits_of(
              combined_of(tracked_join, beat[b].left)
          ) || (beat[b].left != '0 && beat[b].left != left_q);
        end
        if (b >= Partials || is_tracked) marked += count_t'(beat[b].data[MARK]);
        if (b >= Partials && !is_tracked) is_mismarked |= beat[b].data[MARK];
      end
    end
    is_miscounted = open_q != partials || waiting_q != waiting || inside_q != of_tracked ||
        between_q != of_tracked_partial || count_t'(u_issue.partials_q) != open_q ||
        u_issue.last_q != index_t'(32'(u_issue.first_q) + 32'(u_issue.num_waiting_q)) ||
        32'(u_issue.num_waiting_q) > Partials || 32'(num_held) > Stages;
    is_misplaced = at_tracked_partial != count_t'(is_busy_q) || has_partial_q != is_waiting ||
        (is_busy_q && (read_q != combined_of(tracked_join, left_q) || left_q == '0));
    is_mismarked |= marked != count_t'(is_marked_q) || (is_marked_q && !was_marked_q) ||
        (is_marked_q && (rank != ahead_q || ahead_q >= inside_q));
  end
  assign request_ports = u_issue.request_ports_q;

  `NOCCL_ASSERT(BeatsAreInFlight, !is_miscounted)
  `NOCCL_ASSERT(PartialSumsLieInTheirPlace, !is_misplaced)
  `NOCCL_ASSERT(PartialSumsAreInOrder, !is_mistaken)
  `NOCCL_ASSERT(MarkedBeatIsInFlight, !is_mismarked)
  `NOCCL_ASSERT(RequestsHaveOperands, !dca_valid || without_lowest(request_ports) != '0)

endmodule
