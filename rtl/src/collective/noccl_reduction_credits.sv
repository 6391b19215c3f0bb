// SPDX-License-Identifier: Apache-2.0
// Room in stores: how many beats a flow may have under way to its next merge point, and the room that this one gives back
// to the senders of its operands.
//
// A quad of `CREDIT_BEATS` folded beats is given back to every input whose sender still needs it; one response flit per
// input, the tile's own NI by wires. An owed quad is one bit; so a flow waits at the end of a quad until
// the one before has been sent (the response plane is later in the order of waits).
//
// Latency: a quad is owed two cycles after its last beat was chosen. Combinational paths: none from inputs to
// `allowed_o`; `own_*_o`, `owed_*_o` from registers.
// Ordering: slots take turns, each until it owes nothing; inputs of the column before those of the row, in port order. The
// sums of a column come from routers with three operands, whose round trip fills the whole window: a cycle later would cost rate.
// Promise: what is offered stays until it is taken, and a slot that owes waits for NUM_PORTS - 1 grants of every other one at most.
// Source: docs/design/0001, decision I. Mirror: crates/noccl-sim/src/join/debts.rs, flow.rs, machine.rs (`note_owed`, `owe`).

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
    /// Asynchronous reset, active low: nothing is owed.
    input  logic      rst_ni,
    /// Mesh coordinate of the router; constant.
    input  coord_t    position_i,
    /// Slot that is taken in this cycle.
    input  slot_set_t starts_i,
    /// Beats that follow its flow's first one; ignored without.
    input  left_t     newcomer_left_i,
    /// Slots in use.
    input  slot_set_t valid_i,
    /// Per slot: inputs with operands.
    input  port_set_t join_i         [REDUCTION_FLOWS],
    /// Per slot: what its beats have in common.
    input  flow_t     flow_i         [REDUCTION_FLOWS],
    /// Slots that may start a beat: room ahead, and no quad in the way.
    output slot_set_t allowed_o,
    /// Slots whose last pass of a beat may start: no quad in the way.
    output slot_set_t may_finish_o,
    /// Slot that starts a beat in this cycle.
    input  slot_set_t begins_i,
    /// Slot that starts the last pass of a beat in this cycle.
    input  slot_set_t finishes_i,
    /// Room at the next merge point has come for a flow of this name, `CREDIT_BEATS` of it.
    input  logic      credit_valid_i,
    /// Its name; ignored without valid.
    input  name_t     credit_name_i,
    /// A flow of this router is meant; otherwise the tile's NI is.
    output logic      credit_hit_o,
    /// Room for a sender elsewhere is offered; stays until ready.
    output logic      owed_valid_o,
    /// The sender.
    output coord_t    owed_dst_o,
    /// Name of its flow.
    output name_t     owed_name_o,
    /// The NI sends it.
    input  logic      owed_ready_i,
    /// Room for the tile's own NI, taken at once.
    output logic      own_valid_o,
    /// Name of its flow.
    output name_t     own_name_o
);

  localparam logic [1:0] LAST_OF_QUAD = 2'(CREDIT_BEATS - 1);
  localparam port_set_t ColumnPorts = port_set_t'((1 << NORTH) | (1 << SOUTH));

  // -------------------------------------------------------------------------------------- the way ahead

  window_t room_q[REDUCTION_FLOWS], room_d[REDUCTION_FLOWS];
  slot_set_t has_ahead_q, has_ahead_d, credited, has_room;
  // Asked of the slot, a cycle after it was taken: the flow's first beat is complete in the next one at the earliest.
  slot_set_t started_q;
  flow_t started;
  logic started_ahead;
  window_t started_room;

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
      .ahead_o      (started_room)
  );

  always_comb begin : p_room
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      credited[s] = credit_valid_i && valid_i[s] && flow_i[s].name == credit_name_i;
      has_room[s] = !has_ahead_q[s] || room_q[s] != '0;
      has_ahead_d[s] = started_q[s] ? started_ahead : has_ahead_q[s];
      room_d[s] = room_q[s];
      if (credited[s]) room_d[s] += window_t'(CREDIT_BEATS);
      if (begins_i[s]) room_d[s] -= window_t'(1);
      if (started_q[s]) room_d[s] = started_room;
    end
  end
  assign credit_hit_o = credited != '0;

  // ---------------------------------------------------------------------------------- quads and debts

  logic [1:0] quad_q[REDUCTION_FLOWS];
  // Beats that follow the one whose last pass starts next.
  left_t left_q[REDUCTION_FLOWS];
  port_set_t owed_q[REDUCTION_FLOWS], owed_d[REDUCTION_FLOWS];
  // Who needs the quad whose first beat has been folded.
  port_set_t needs_q[REDUCTION_FLOWS];
  slot_set_t owes, is_quad_end;

  always_comb begin : p_allowed
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      owes[s] = owed_q[s] != '0;
      is_quad_end[s] = quad_q[s] == LAST_OF_QUAD;
    end
  end
  assign may_finish_o = ~(owes & is_quad_end);
  assign allowed_o = has_room & may_finish_o;

  // Slot whose beat was folded a cycle ago. Whoever needs a quad is known with its first beat, so that nobody waits for the answer.
  slot_set_t folded_q, starts_quad, ends_quad;
  flow_t folded;
  left_t folded_left;
  port_set_t folded_join;
  window_t window[NUM_PORTS];
  port_set_t needs;

  always_comb begin : p_folded
    folded = '0;
    folded_left = '0;
    folded_join = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      // The count is that of the next beat.
      starts_quad[s] = folded_q[s] && quad_q[s] == 2'd1;
      ends_quad[s]   = folded_q[s] && quad_q[s] == 2'd0;
      if (folded_q[s]) begin
        folded |= flow_i[s];
        folded_left |= left_q[s];
        folded_join |= join_i[s];
      end
    end
  end

  noccl_contributors u_senders (
      .position_i,
      .base_i       (folded.base),
      .mask_i       (folded.mask),
      .root_i       (folded.name.root),
      .contributor_o(),
      .window_o     (window),
      .has_ahead_o  (),
      .ahead_o      ()
  );

  always_comb begin : p_needs
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      // So many follow the quad's first beat: its sender could not send that far ahead.
      needs[i] = folded_join[i] && 32'(folded_left) >= 32'(window[i]);
    end
  end

  // ------------------------------------------------------------------------------------------ who is next

  slot_set_t remote, local_debt, local_slot;
  port_set_t debts, column_debts, paid;
  flow_t  payee;
  coord_t contributor[NUM_PORTS];

  // The slot whose debts are paid, one bit: the last one if nobody owes.
  slot_set_t turn_q, turn_d, others, above, next;
  logic is_last;

  always_comb begin : p_debts
    debts = '0;
    payee = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      remote[s] = owed_q[s][LOCAL-1:0] != '0;
      local_debt[s] = owed_q[s][LOCAL];
      above[s] = s != 0 && (turn_q & ((slot_set_t'(1) << s) - slot_set_t'(1))) != '0;
      if (turn_q[s]) begin
        debts |= port_set_t'(owed_q[s][LOCAL-1:0]);
        payee |= flow_i[s];
      end
    end
  end
  assign local_slot = noccl_collective_pkg::lowest_slot(local_debt);
  assign column_debts = debts & ColumnPorts;
  assign paid = noccl_collective_pkg::lowest_port(column_debts != '0 ? column_debts : debts);
  assign is_last = debts == paid;
  assign others = remote & ~turn_q;
  assign next = (others & above) != '0 ? others & above : others;

  // Chosen a cycle ahead, so that no choice stands on the way to the NI: the next one in turn that owes. Where nobody else does
  // it is the one that may begin to owe now; whether it does is known too late to be asked.
  always_comb begin : p_turn
    turn_d = turn_q;
    if (is_last && (owed_ready_i || !owed_valid_o)) begin
      if (others != '0) begin
        turn_d = noccl_collective_pkg::lowest_slot(next);
      end else if (ends_quad != '0) begin
        turn_d = ends_quad;
      end
    end
  end

  noccl_contributors u_owed (
      .position_i,
      .base_i       (payee.base),
      .mask_i       (payee.mask),
      .root_i       (payee.name.root),
      .contributor_o(contributor),
      .window_o     (),
      .has_ahead_o  (),
      .ahead_o      ()
  );

  always_comb begin : p_owed
    owed_dst_o = '0;
    for (int unsigned i = 0; i < LOCAL; i++) if (paid[i]) owed_dst_o |= contributor[i];
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      owed_d[s] = owed_q[s];
      if (ends_quad[s]) owed_d[s] |= needs_q[s];
      if (turn_q[s] && owed_ready_i) owed_d[s] &= ~paid;
      if (local_slot[s]) owed_d[s][LOCAL] = 1'b0;
    end
  end
  assign owed_valid_o = remote != '0;
  assign owed_name_o  = payee.name;
  assign own_valid_o  = local_debt != '0;
  assign own_name_o   = flow_i[noccl_collective_pkg::slot_index(local_slot)].name;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      started_q <= '0;
      folded_q  <= '0;
      turn_q    <= slot_set_t'(1);
      for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) owed_q[s] <= '0;
    end else begin
      started_q <= starts_i;
      folded_q  <= finishes_i;
      turn_q    <= turn_d;
      owed_q    <= owed_d;
    end
  end

  always_ff @(posedge clk_i) begin
    has_ahead_q <= has_ahead_d;
    room_q <= room_d;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (starts_i[s]) quad_q[s] <= '0;
      else if (finishes_i[s]) quad_q[s] <= quad_q[s] + 1'b1;
      if (starts_i[s]) left_q[s] <= newcomer_left_i;
      else if (folded_q[s]) left_q[s] <= folded_left - 1'b1;
      if (starts_quad[s]) needs_q[s] <= needs;
    end
  end

  `ASSERT_INIT(QuadOfFour, CREDIT_BEATS == 4)
  `ASSERT_INIT(WindowsHoldAQuad, noccl_cfg_pkg::WINDOW_BEATS > CREDIT_BEATS)
  `ASSERT(NoDebtBehindADebt, (ends_quad & owes) == '0)
  `ASSERT(OneTurn, $onehot(turn_q))
  `ASSERT(WhoHasTheTurnOwes, owed_valid_o == (debts != '0))
  `ASSERT(OffersStay, !$past(rst_ni && owed_valid_o && !owed_ready_i) || (owed_valid_o && $stable
          (owed_dst_o) && $stable(owed_name_o)))
  `ASSERT(NoDebtAtTheStart, (starts_i & owes) == '0)
  `ASSUME(RoomToBegin, (begins_i & ~has_room) == '0)
  `ASSUME(FirstBeatsComeLater, (begins_i & started_q) == '0)
  `ASSUME(NoRoomBeforeTheFirstBeat, (credited & started_q) == '0)
  `ASSERT_KNOWN(ControlKnown, {owed_valid_o, own_valid_o})
  `COVER(WaitsForDebt, (owes & is_quad_end) != '0)
  `COVER(TwoDebts, (remote & (remote - slot_set_t'(1))) != '0)

endmodule
