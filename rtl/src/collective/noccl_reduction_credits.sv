// SPDX-License-Identifier: Apache-2.0
// Credits for operand stores: how many beats a flow may have in flight to its next merge point, and
// the credits that this one returns to the senders of its operands.
//
// A batch of credits, one for each of `CREDIT_BEATS` reduced beats, returns to every input whose
// sender still needs it: one response flit per input, the tile's own NI by wires. A pending batch
// is one bit; so a flow waits at the end of a batch until the one before has been sent (the
// response plane is later in the order of waits).
//
// Latency: a batch is pending two cycles after its last beat was chosen. Combinational paths: none
// from inputs to `allowed_o`; `own_*_o`, `credit_return_*_o` from registers.
// Ordering: round robin over the slots, each until nothing of it is pending; inputs of the column
// before those of the row, in port order. The sums of a column come from routers with three
// operands, whose round trip fills the whole window: a cycle later would cost rate.
// Promise: what is offered stays until it is taken, and a slot with pending credits waits for
// NUM_PORTS - 1 grants of every other one at most.
// Source: docs/design/0001, decision I. Mirror:
// crates/noccl-sim/src/router/collective/reduction/{credit_return,flow}.rs.

`include "noccl_assert.svh"

module noccl_reduction_credits
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::NORTH, noccl_flit_pkg::SOUTH;
  import noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::left_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS, noccl_cfg_pkg::CREDIT_BEATS;
  import noccl_collective_pkg::slot_set_t;
  import noccl_collective_pkg::flow_t, noccl_collective_pkg::name_t, noccl_collective_pkg::window_t;
(
    /// Clock.
    input  logic      clk_i,
    /// Asynchronous reset, active low: nothing is pending.
    input  logic      rst_ni,
    /// Mesh coordinate of the router; constant.
    input  coord_t    position_i,
    /// Slot that is taken in this cycle.
    input  slot_set_t starts_i,
    /// Beats that follow its flow's first one; ignored without.
    input  left_t     new_left_i,
    /// Slots in use.
    input  slot_set_t valid_i,
    /// Per slot: inputs with operands.
    input  port_set_t join_i               [REDUCTION_FLOWS],
    /// Per slot: what its beats have in common.
    input  flow_t     flow_i               [REDUCTION_FLOWS],
    /// Slots that may start a beat: a credit ahead, and no pending batch that forbids it.
    output slot_set_t allowed_o,
    /// Slots whose last pass of a beat may start: no pending batch that forbids it.
    output slot_set_t may_finish_o,
    /// Slot that starts a beat in this cycle.
    input  slot_set_t begins_i,
    /// Slot that starts the last pass of a beat in this cycle.
    input  slot_set_t finishes_i,
    /// Credits of the next merge point have come for a flow of this name, `CREDIT_BEATS` of them.
    input  logic      credit_valid_i,
    /// Its name; ignored without valid.
    input  name_t     credit_name_i,
    /// A flow of this router is meant; otherwise the tile's NI is.
    output logic      credit_hit_o,
    /// Credits for a sender elsewhere are offered; they stay until ready.
    output logic      credit_return_valid_o,
    /// The sender.
    output coord_t    credit_return_dst_o,
    /// Name of its flow.
    output name_t     credit_return_name_o,
    /// The NI sends it.
    input  logic      credit_return_ready_i,
    /// Credits for the tile's own NI, taken at once.
    output logic      own_valid_o,
    /// Name of its flow.
    output name_t     own_name_o
);

  localparam logic [1:0] LAST_OF_BATCH = 2'(CREDIT_BEATS - 1);
  localparam port_set_t ColumnPorts = port_set_t'((1 << NORTH) | (1 << SOUTH));

  // ------------------------------------------------------------------------------------- the path ahead

  window_t credits_q[REDUCTION_FLOWS], credits_d[REDUCTION_FLOWS];
  slot_set_t has_ahead_q, has_ahead_d, credited, has_credit;
  // Asked of the slot, a cycle after it was taken: the flow's first beat is complete in the next one at the earliest.
  slot_set_t started_q;
  flow_t started;
  logic started_ahead;
  window_t started_credits;

  always_comb begin : p_started
    started = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) if (started_q[s]) started |= flow_i[s];
  end

  noccl_contributors u_ahead (
      .position_i,
      .base_i       (started.base),
      .mask_i       (started.mask),
      .root_i       (started.name.root),
      .contributor_o(),
      .window_o     (),
      .has_ahead_o  (started_ahead),
      .ahead_o      (started_credits)
  );

  always_comb begin : p_credits
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      credited[s] = credit_valid_i && valid_i[s] && flow_i[s].name == credit_name_i;
      has_credit[s] = !has_ahead_q[s] || credits_q[s] != '0;
      has_ahead_d[s] = started_q[s] ? started_ahead : has_ahead_q[s];
      credits_d[s] = credits_q[s];
      if (credited[s]) credits_d[s] += window_t'(CREDIT_BEATS);
      if (begins_i[s]) credits_d[s] -= window_t'(1);
      if (started_q[s]) credits_d[s] = started_credits;
    end
  end
  assign credit_hit_o = credited != '0;

  // ------------------------------------------------------------------------ batches and pending credits

  logic [1:0] batch_q[REDUCTION_FLOWS];
  // Beats that follow the one whose last pass starts next.
  left_t left_q[REDUCTION_FLOWS];
  port_set_t pending_q[REDUCTION_FLOWS], pending_d[REDUCTION_FLOWS];
  // Who needs the batch whose first beat has been reduced.
  port_set_t needs_q[REDUCTION_FLOWS];
  slot_set_t has_pending, is_batch_end;

  always_comb begin : p_allowed
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      has_pending[s]  = pending_q[s] != '0;
      is_batch_end[s] = batch_q[s] == LAST_OF_BATCH;
    end
  end
  assign may_finish_o = ~(has_pending & is_batch_end);
  assign allowed_o = has_credit & may_finish_o;

  // Slot whose beat was reduced a cycle ago. Who needs a batch is computed with its first beat, off
  // the critical path.
  slot_set_t reduced_q, starts_batch, ends_batch;
  flow_t reduced;
  left_t reduced_left;
  port_set_t reduced_join;
  window_t window[NUM_PORTS];
  port_set_t needs;

  always_comb begin : p_reduced
    reduced = '0;
    reduced_left = '0;
    reduced_join = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      // The count is that of the next beat.
      starts_batch[s] = reduced_q[s] && batch_q[s] == 2'd1;
      ends_batch[s]   = reduced_q[s] && batch_q[s] == 2'd0;
      if (reduced_q[s]) begin
        reduced |= flow_i[s];
        reduced_left |= left_q[s];
        reduced_join |= join_i[s];
      end
    end
  end

  noccl_contributors u_senders (
      .position_i,
      .base_i       (reduced.base),
      .mask_i       (reduced.mask),
      .root_i       (reduced.name.root),
      .contributor_o(),
      .window_o     (window),
      .has_ahead_o  (),
      .ahead_o      ()
  );

  always_comb begin : p_needs
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      // So many follow the batch's first beat: its sender could not send that far ahead.
      needs[i] = reduced_join[i] && 32'(reduced_left) >= 32'(window[i]);
    end
  end

  // ------------------------------------------------------------------------------------------ who is next

  slot_set_t remote, local_pending, local_slot;
  port_set_t pending, column_pending, returned;
  flow_t  granted_flow;
  coord_t contributor  [NUM_PORTS];

  // The slot whose credits are returned, one bit: the last one if none are pending.
  slot_set_t grant_q, grant_d, others, above, next;
  logic is_last;

  always_comb begin : p_pending
    pending = '0;
    granted_flow = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      remote[s] = pending_q[s][LOCAL-1:0] != '0;
      local_pending[s] = pending_q[s][LOCAL];
      above[s] = s != 0 && (grant_q & ((slot_set_t'(1) << s) - slot_set_t'(1))) != '0;
      if (grant_q[s]) begin
        pending |= port_set_t'(pending_q[s][LOCAL-1:0]);
        granted_flow |= flow_i[s];
      end
    end
  end
  assign local_slot = noccl_collective_pkg::lowest_slot(local_pending);
  assign column_pending = pending & ColumnPorts;
  assign returned = noccl_collective_pkg::lowest_port(
      column_pending != '0 ? column_pending : pending
  );
  assign is_last = pending == returned;
  assign others = remote & ~grant_q;
  assign next = (others & above) != '0 ? others & above : others;

  // Chosen a cycle ahead, so that no choice is on the path to the NI: the next one in round-robin
  // order with pending credits. Where no other has any it is the one that may get some now; whether
  // it does is known too late to be used.
  always_comb begin : p_grant
    grant_d = grant_q;
    if (is_last && (credit_return_ready_i || !credit_return_valid_o)) begin
      if (others != '0) begin
        grant_d = noccl_collective_pkg::lowest_slot(next);
      end else if (ends_batch != '0) begin
        grant_d = ends_batch;
      end
    end
  end

  noccl_contributors u_return (
      .position_i,
      .base_i       (granted_flow.base),
      .mask_i       (granted_flow.mask),
      .root_i       (granted_flow.name.root),
      .contributor_o(contributor),
      .window_o     (),
      .has_ahead_o  (),
      .ahead_o      ()
  );

  always_comb begin : p_return
    credit_return_dst_o = '0;
    for (int unsigned i = 0; i < LOCAL; i++) if (returned[i]) credit_return_dst_o |= contributor[i];
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      pending_d[s] = pending_q[s];
      if (ends_batch[s]) pending_d[s] |= needs_q[s];
      if (grant_q[s] && credit_return_ready_i) pending_d[s] &= ~returned;
      if (local_slot[s]) pending_d[s][LOCAL] = 1'b0;
    end
  end
  assign credit_return_valid_o = remote != '0;
  assign credit_return_name_o = granted_flow.name;
  assign own_valid_o = local_pending != '0;
  assign own_name_o = flow_i[noccl_collective_pkg::slot_index(local_slot)].name;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= '0;
      reduced_q <= '0;
      grant_q   <= slot_set_t'(1);
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) pending_q[s] <= '0;
    end else begin
      started_q <= starts_i;
      reduced_q <= finishes_i;
      grant_q   <= grant_d;
      pending_q <= pending_d;
    end
  end

  always_ff @(posedge clk_i) begin
    has_ahead_q <= has_ahead_d;
    credits_q   <= credits_d;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (starts_i[s]) batch_q[s] <= '0;
      else if (finishes_i[s]) batch_q[s] <= batch_q[s] + 1'b1;
      if (starts_i[s]) left_q[s] <= new_left_i;
      else if (reduced_q[s]) left_q[s] <= reduced_left - 1'b1;
      if (starts_batch[s]) needs_q[s] <= needs;
    end
  end

  `NOCCL_ASSERT_INIT(BatchOfFour, CREDIT_BEATS == 4)
  `NOCCL_ASSERT_INIT(WindowsHoldABatch, noccl_cfg_pkg::WINDOW_BEATS > CREDIT_BEATS)
  `NOCCL_ASSERT(NoBatchBehindAPendingOne, (ends_batch & has_pending) == '0)
  `NOCCL_ASSERT(OneGrant, $onehot(grant_q))
  `NOCCL_ASSERT(GrantedSlotHasPendingCredits, credit_return_valid_o == (pending != '0))
  `NOCCL_ASSERT(OffersStay, !$past(rst_ni && credit_return_valid_o && !credit_return_ready_i)
                || (credit_return_valid_o && $stable(credit_return_dst_o) && $stable
                (credit_return_name_o)))
  `NOCCL_ASSERT(NoCreditPendingAtTheStart, (starts_i & has_pending) == '0)
  `NOCCL_ASSUME(CreditToBegin, (begins_i & ~has_credit) == '0)
  `NOCCL_ASSUME(FirstBeatsComeLater, (begins_i & started_q) == '0)
  `NOCCL_ASSUME(NoCreditBeforeTheFirstBeat, (credited & started_q) == '0)
  `NOCCL_ASSERT_KNOWN(ControlKnown, {credit_return_valid_o, own_valid_o})
  `NOCCL_COVER(WaitsForPendingCredit, (has_pending & is_batch_end) != '0)
  `NOCCL_COVER(TwoSlotsPending, (remote & (remote - slot_set_t'(1))) != '0)

endmodule
