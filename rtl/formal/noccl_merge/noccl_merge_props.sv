// SPDX-License-Identifier: Apache-2.0
// What the merge table promises: per transaction a scoreboard of the leaves that it was given and
// of those that have left.
//
// Promises come first. Behind them stands why they hold: what is inside at any time, by name, and how long it can
// stay there. All of it together follows from itself, one cycle on, and so holds for all time.

`include "noccl_assert.svh"

module noccl_merge_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::count_t;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t, noccl_flit_pkg::RESP_OKAY;
  import noccl_props_pkg::hdr_t, noccl_props_pkg::index_t;
#(
    /// Transactions in flight; with more than `Entries` the table may be full.
    parameter int unsigned NumNames = 3,
    /// Inputs that contribute.
    parameter int unsigned NumInputs = 2,
    /// Entries of the table.
    parameter int unsigned Entries = 2,
    /// Its timeout.
    parameter int unsigned TimeoutCycles = 16,
    /// The result is taken at least once in so many cycles.
    parameter int unsigned ReadyEvery = 2,
    /// Cycles from a head to its request.
    parameter int unsigned MergeCycles = 1
) (
    /// Clock.
    input logic                          clk_i,
    /// What the network offers: see `noccl_merge_heads`.
    input coord_t                        position_i,
    input coord_t                        root_i,
    input region_coord_t                 base_i,
    input region_coord_t                 mask_i,
    input logic                          own_copy_i,
    input logic          [NumInputs-1:0] offer_i,
    input index_t                        name_i        [NumInputs],
    input count_t                        count_i       [NumInputs],
    input logic          [NumInputs-1:0] is_wrong_i,
    /// Inputs whose forwarded head would be taken.
    input logic          [NumInputs-1:0] taken_i,
    /// The result would be taken.
    input logic                          result_ready_i
);

  // From the last leaf on: seven ticks of an entry's timer, the result that is there, the one of another entry, its own.
  localparam int unsigned TICK = TimeoutCycles / 8;
  localparam int unsigned MaxInTable = 7 * TICK + ReadyEvery + (Entries - 1) * (ReadyEvery + 1);
  localparam int unsigned MaxCycles = MaxInTable + 1 + ReadyEvery;
  localparam int unsigned CycleBits = $clog2(MaxCycles + 2);
  localparam int unsigned PauseBits = $clog2(ReadyEvery + 1);
  typedef logic [CycleBits:0] cycles_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  coord_t position;
  hdr_t whole[NumNames], offered[NumInputs], head[NUM_PORTS], hdr[NUM_PORTS], result;
  count_t come[NumNames];
  logic [NumInputs-1:0] valid, leaves_head;
  index_t name[NumInputs];
  port_set_t join_valid, absorb, early, candidate, forward, taken;
  logic result_valid, goes_on;
  logic [NumNames-1:0] is_over;

  noccl_merge_heads #(
      .NumNames (NumNames),
      .NumInputs(NumInputs)
  ) u_heads (
      .clk_i,
      .rst_ni,
      .position_i,
      .root_i,
      .base_i,
      .mask_i,
      .own_copy_i,
      .offer_i,
      .name_i,
      .count_i,
      .is_wrong_i,
      .leaves_i  (leaves_head),
      .is_over_i (is_over),
      .position_o(position),
      .whole_o   (whole),
      .come_o    (come),
      .valid_o   (valid),
      .head_o    (offered),
      .name_o    (name)
  );

  always_comb begin
    for (int unsigned i = 0; i < NUM_PORTS; i++) head[i] = '0;
    for (int unsigned i = 0; i < NumInputs; i++) head[i] = offered[i];
  end
  assign join_valid = port_set_t'(valid);
  assign forward = early | (goes_on ? candidate : '0);
  assign taken = port_set_t'(taken_i) & forward;
  assign leaves_head = NumInputs'(absorb | taken);

  noccl_merge #(
      .hdr_t        (hdr_t),
      .Entries      (Entries),
      .TimeoutCycles(TimeoutCycles),
      .MergeCycles  (MergeCycles)
  ) u_merge (
      .clk_i,
      .rst_ni,
      .position_i    (position),
      .join_valid_i  (join_valid),
      .head_i        (head),
      .absorb_o      (absorb),
      .forward_o     (early),
      .candidate_o   (candidate),
      .goes_on_o     (goes_on),
      .hdr_o         (hdr),
      .taken_i       (taken),
      .result_valid_o(result_valid),
      .result_o      (result),
      .result_route_o(),
      .result_ready_i
  );

  // --------------------------------------------------------------------------------------------- scoreboard

  // Per name: leaves that the table was given; that have left it.
  count_t given_q[NumNames], given_d[NumNames];
  count_t left_q[NumNames], left_d[NumNames];
  logic [NumNames-1:0] wrong_given_q, wrong_given_d, wrong_left_q, wrong_left_d;
  // Flits that have left, 3 for more.
  logic [1:0] flits_q[NumNames], flits_d[NumNames];

  function automatic logic is_same_join(hdr_t a, hdr_t b);
    return a.dst == b.dst && a.tag == b.tag;
  endfunction

  function automatic logic agree(hdr_t a, hdr_t b);
    return a.base == b.base && a.mask == b.mask && a.own_copy == b.own_copy;
  endfunction

  always_comb begin
    for (int unsigned n = 0; n < NumNames; n++) begin
      given_d[n] = given_q[n];
      left_d[n] = left_q[n];
      flits_d[n] = flits_q[n];
      wrong_given_d[n] = wrong_given_q[n];
      wrong_left_d[n] = wrong_left_q[n];
      for (int unsigned i = 0; i < NumInputs; i++) begin
        if (leaves_head[i] && name[i] == index_t'(n)) begin
          given_d[n] += offered[i].count;
          wrong_given_d[n] |= offered[i].resp != RESP_OKAY;
        end
        if (taken[i] && is_same_join(hdr[i], whole[n])) begin
          left_d[n] += hdr[i].count;
          wrong_left_d[n] |= hdr[i].resp != RESP_OKAY;
          flits_d[n] += 2'(flits_d[n] != '1);
        end
      end
      if (result_valid && result_ready_i && is_same_join(result, whole[n])) begin
        left_d[n] += result.count;
        wrong_left_d[n] |= result.resp != RESP_OKAY;
        flits_d[n] += 2'(flits_d[n] != '1);
      end
      is_over[n] = left_q[n] == whole[n].count;
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < NumNames; n++) begin
      if (!rst_ni || is_over[n]) begin
        // The next transaction of the name.
        given_q[n] <= '0;
        left_q[n] <= '0;
        wrong_given_q[n] <= 1'b0;
        wrong_left_q[n] <= 1'b0;
        flits_q[n] <= '0;
      end else begin
        given_q[n] <= given_d[n];
        left_q[n] <= left_d[n];
        wrong_given_q[n] <= wrong_given_d[n];
        wrong_left_q[n] <= wrong_left_d[n];
        flits_q[n] <= flits_d[n];
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ promises

  // Cycles that a complete transaction has been inside; that a head has waited for its grant;
  // without ready.
  logic [CycleBits-1:0] inside_q[NumNames];
  logic [2:0] waits_q[NumInputs];
  logic [PauseBits-1:0] result_pause_q;
  logic [NumNames-1:0] doubles, is_late, forgets, is_whole, is_overdue;
  logic [NumInputs-1:0] starves;

  always_ff @(posedge clk_i) begin
    for (int unsigned n = 0; n < NumNames; n++) begin
      inside_q[n] <= rst_ni && is_whole[n] ? inside_q[n] + 1'b1 : '0;
    end
    for (int unsigned i = 0; i < NumInputs; i++) begin
      waits_q[i] <= rst_ni && valid[i] && !absorb[i] && !forward[i] ? waits_q[i] + 1'b1 : '0;
    end
    result_pause_q <= !rst_ni || result_ready_i ? '0 : result_pause_q + 1'b1;
  end

  always_comb begin
    for (int unsigned n = 0; n < NumNames; n++) begin
      doubles[n]  = left_q[n] > given_q[n];
      is_whole[n] = given_q[n] == whole[n].count && !is_over[n];
      is_late[n]  = int'(inside_q[n]) > int'(MaxCycles);
      forgets[n]  = is_over[n] && wrong_left_q[n] != wrong_given_q[n];
    end
    for (int unsigned i = 0; i < NumInputs; i++) begin
      starves[i] = int'(waits_q[i]) >= int'(NumInputs + MergeCycles - 1);
    end
  end

  `NOCCL_ASSUME(ResultReadyOftenEnough,
                result_ready_i || int'(result_pause_q) < int'(ReadyEvery) - 1)
  `NOCCL_ASSERT(NoLeafLeavesTwice, doubles == '0)
  `NOCCL_ASSERT(NoLeafIsLost, is_late == '0)
  `NOCCL_ASSERT(WorstResponseLeaves, forgets == '0)
  `NOCCL_ASSERT(EveryHeadIsGranted, starves == '0)
  `NOCCL_ASSERT(ForwardStays, ($past(rst_ni ? forward & ~taken : '0) & ~forward) == '0)
  `NOCCL_ASSERT(ResultStays, !$past(rst_ni && result_valid && !result_ready_i)
                || (result_valid && $stable(result)))

  // -------------------------------------------------------------------------- why: what is inside, by name

  // Leaves and responses that wait in an entry, in the result, and at inputs with the head that goes on for them.
  typedef logic [4:0] total_t;
  logic [NumNames-1:0] is_unbalanced, exceeds_window, is_unsound, is_untimed_apart, is_early;
  logic [Entries-1:0] is_foreign, is_double, is_result_slot;
  logic [NumInputs-1:0] is_stray;
  logic has_no_history;

  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) begin
      is_result_slot[e] = u_merge.result_valid_q && int'(u_merge.result_slot_q) == int'(e);
      is_foreign[e] = u_merge.valid_q[e] || is_result_slot[e];
      for (int unsigned n = 0; n < NumNames; n++) begin
        if (is_same_join(u_merge.entry_q[e], whole[n]) && agree(u_merge.entry_q[e], whole[n])) begin
          is_foreign[e] = 1'b0;
        end
      end
      if (u_merge.valid_q[e] && u_merge.entry_q[e].resp[0]) is_foreign[e] = 1'b1;
      if (u_merge.valid_q[e] && !u_merge.has_passed_q[e] && u_merge.entry_q[e].count == '0)
        is_foreign[e] = 1'b1;
      is_double[e] = 1'b0;
      for (int unsigned f = 0; f < e; f++) begin
        is_double[e] |= u_merge.valid_q[e] && u_merge.valid_q[f] &&
            u_merge.entry_q[e].dst == u_merge.entry_q[f].dst &&
            u_merge.entry_q[e].tag == u_merge.entry_q[f].tag;
      end
    end
    for (int unsigned i = 0; i < NumInputs; i++) begin
      is_stray[i] = valid[i] && (int'(name[i]) >= int'(NumNames) || offered[i].count == '0);
      is_stray[i] |= u_merge.forwarded_q[i] && (!valid[i] || u_merge.forwarded_resp_q[i][0] ||
          u_merge.forwarded_count_q[i] < offered[i].count);
    end
    for (int unsigned n = 0; n < NumNames; n++) begin
      total_t waiting, in_table, here, settled;
      logic wrong_inside, wrong_outside, has_untimed, has_part;
      waiting = '0;
      here = total_t'(given_q[n]);
      settled = '0;
      in_table = '0;
      wrong_inside = wrong_left_q[n];
      wrong_outside = wrong_given_q[n];
      has_untimed = 1'b0;
      has_part = 1'b0;
      for (int unsigned e = 0; e < Entries; e++) begin
        if (u_merge.valid_q[e] && !u_merge.has_passed_q[e] && is_same_join(
                u_merge.entry_q[e], whole[n]
            )) begin
          in_table += total_t'(u_merge.entry_q[e].count);
          wrong_inside |= u_merge.entry_q[e].resp != RESP_OKAY;
          has_untimed |= !u_merge.is_timed_q[e];
        end
      end
      if (result_valid && is_same_join(result, whole[n])) begin
        settled += total_t'(result.count);
        wrong_inside |= result.resp != RESP_OKAY;
      end
      for (int unsigned i = 0; i < NumInputs; i++) begin
        if (valid[i] && name[i] == index_t'(n)) begin
          if (u_merge.forwarded_q[i]) begin
            here += total_t'(offered[i].count);
            settled += total_t'(u_merge.forwarded_count_q[i]);
            has_part |= u_merge.forwarded_count_q[i] != whole[n].count;
            wrong_inside |= u_merge.forwarded_resp_q[i] != RESP_OKAY;
            wrong_outside |= offered[i].resp != RESP_OKAY;
          end
          waiting += total_t'(offered[i].count);
        end
      end
      is_unbalanced[n] = here != in_table + settled + total_t'(left_q[n]);
      exceeds_window[n] = total_t'(come[n]) != total_t'(given_q[n]) + waiting ||
          come[n] > whole[n].count;
      is_unsound[n] = wrong_inside != wrong_outside;
      // What an entry without timer holds is all that has come: nothing of its name has gone on before it.
      is_untimed_apart[n] = has_untimed && (settled != '0 || left_q[n] != '0 ||
          in_table >= total_t'(whole[n].count));
      // Before the table was full, nothing leaves before its transaction is whole.
      is_early[n] = !u_merge.has_overflowed_q && ((left_q[n] != '0 && !is_over[n]) ||
          has_part || flits_q[n] > 2'd1 ||
          (is_over[n] && whole[n].count != '0) != (flits_q[n] == 2'd1));
    end
  end

  always_comb begin
    has_no_history = (u_merge.valid_q & u_merge.has_passed_q & ~u_merge.is_timed_q) == '0;
    has_no_history &= !u_merge.kind_q || (u_merge.valid_q == '0 && !result_valid);
    if (!u_merge.has_overflowed_q) begin
      has_no_history &= (u_merge.valid_q & u_merge.is_timed_q) == '0 && !result_valid;
    end
  end

  // Cycles until the result is free; until an entry gives up once its timer has ended, which one before it may delay.
  cycles_t until_free, until_out[Entries];
  always_comb begin
    until_free = result_valid ? cycles_t'(ReadyEvery) - cycles_t'(result_pause_q) : '0;
    for (int unsigned e = 0; e < Entries; e++) begin
      until_out[e] = until_free;
      for (int unsigned f = 0; f < e; f++) begin
        if (u_merge.valid_q[f] && u_merge.is_timed_q[f] && !u_merge.has_passed_q[f] &&
            cycles_t'(TICK) * cycles_t'(7 - 32'(u_merge.timer_q[f])) <=
                until_free + cycles_t'(u_merge.tick_q)) begin
          until_out[e] += cycles_t'(ReadyEvery + 1);
        end
      end
    end
    for (int unsigned n = 0; n < NumNames; n++) begin
      is_overdue[n] = int'(result_pause_q) >= int'(ReadyEvery);
      for (int unsigned e = 0; e < Entries; e++) begin
        if (is_whole[n] && u_merge.valid_q[e] && !u_merge.has_passed_q[e] && is_same_join(
                u_merge.entry_q[e], whole[n]
            )) begin
          is_overdue[n] |= !u_merge.is_timed_q[e];
          if (u_merge.timer_q[e] != '1) begin
            is_overdue[n] |= cycles_t'(inside_q[n]) >
                cycles_t'(TICK) * cycles_t'(u_merge.timer_q[e]) + cycles_t'(u_merge.tick_q);
          end else begin
            is_overdue[n] |= cycles_t'(inside_q[n]) + until_out[e] > cycles_t'(MaxInTable);
          end
        end
      end
      if (is_whole[n] && result_valid && is_same_join(result, whole[n])) begin
        is_overdue[n] |= cycles_t'(inside_q[n]) + until_free > cycles_t'(MaxCycles);
      end
    end
  end

  noccl_merge_grant_props #(
      .NumNames   (NumNames),
      .NumInputs  (NumInputs),
      .MergeCycles(MergeCycles)
  ) u_grant (
      .clk_i,
      .rst_ni,
      .above_i    ({u_merge.u_grant.above_q, 1'b0}),
      .group_i    (u_merge.group),
      .valid_i    (valid),
      .forwarded_i(NumInputs'(u_merge.forwarded_q)),
      .waits_i    (waits_q),
      .head_i     (offered),
      .name_i     (name),
      .whole_i    (whole),
      .lead_i     (u_merge.lead),
      .count_i    (u_merge.group_count),
      .resp_i     (u_merge.group_resp),
      .leaves_i   (u_merge.leaves - noccl_flit_pkg::count_t'(u_merge.has_own))
  );

  `NOCCL_ASSERT(LeavesAreInsideOrHaveLeft, is_unbalanced == '0)
  `NOCCL_ASSERT(ResponsesAreInsideOrHaveLeft, is_unsound == '0)
  `NOCCL_ASSERT(EntriesAreOfOpenNames, is_foreign == '0)
  `NOCCL_ASSERT(EntriesDiffer, is_double == '0)
  `NOCCL_ASSERT(OnlyHeadsGoOn, is_stray == '0 && exceeds_window == '0)
  `NOCCL_ASSERT(EntriesWithoutTimerHoldAll, is_untimed_apart == '0)
  `NOCCL_ASSERT(NothingLeavesEarlyBeforeTheTableWasFull, is_early == '0)
  `NOCCL_ASSERT(OnlyFullTablesGiveUp, has_no_history)
  `NOCCL_ASSERT(ResultsHoldLeaves,
                !result_valid || (u_merge.result_count_q != '0 && !u_merge.result_resp_q[0]))
  `NOCCL_ASSERT(TimersBoundTheWait, is_overdue == '0)

  if (NumNames <= Entries) begin : gen_never_full
    `NOCCL_ASSERT(TableIsNeverFull, !u_merge.has_overflowed_q)
    logic [NumNames-1:0] is_split;
    for (genvar n = 0; n < int'(NumNames); n++) begin : gen_split
      assign is_split[n] = is_over[n] && whole[n].count != '0 && flits_q[n] != 2'd1;
    end
    `NOCCL_ASSERT(OneFlitPerSubtree, (is_whole | is_split) == '0)
  end

endmodule
