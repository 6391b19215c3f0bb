// SPDX-License-Identifier: Apache-2.0
// What the flows of a wide reduction promise: each operand enters the slot of its name, a slot serves one flow until its last
// result has left, and results carry what the first operand gave.
//
// Heads are whatever the solver likes in each cycle, as long as contributions may come by these
// inputs; so are the results of open flows. The scoreboard of slots is kept outside, from what was
// absorbed and what has left.

`include "noccl_assert.svh"

module noccl_reduction_flows_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::wide_hdr_t;
  import noccl_cfg_pkg::REDUCTION_FLOWS;
  import noccl_collective_pkg::slot_t, noccl_collective_pkg::slot_set_t;
  import noccl_collective_pkg::flow_t;
(
    /// Clock.
    input logic                   clk_i,
    /// Position of the router; constant.
    input noccl_flit_pkg::coord_t position_i,
    /// Heads of the inputs, those that enable whole lines, and those whose bank is written otherwise.
    input port_set_t              join_valid_i,
    input wide_hdr_t              head_i        [NUM_PORTS],
    input port_set_t              is_whole_i,
    input port_set_t              blocked_i,
    /// A result of that slot would leave.
    input logic                   result_taken_i,
    input slot_t                  result_slot_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  port_set_t absorb, forward, meets;
  slot_set_t enters[NUM_PORTS];
  slot_set_t starts, valid;
  noccl_flit_pkg::left_t new_left;
  port_set_t join_set[REDUCTION_FLOWS];
  flow_t flow[REDUCTION_FLOWS];
  wide_hdr_t result;
  logic result_taken;

  // Slots in use, by the scoreboard.
  slot_set_t open_q;

  always_comb begin
    result_taken = 1'b0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (result_slot_i == slot_t'(s)) result_taken = result_taken_i && open_q[s];
    end
  end

  noccl_reduction_flows u_flows (
      .clk_i,
      .rst_ni,
      .position_i,
      .join_valid_i,
      .head_i,
      .meets_i       (meets),
      .is_whole_i,
      .blocked_i,
      .absorb_o      (absorb),
      .forward_o     (forward),
      .enters_o      (enters),
      .starts_o      (starts),
      .new_left_o    (new_left),
      .valid_o       (valid),
      .join_o        (join_set),
      .flow_o        (flow),
      .result_taken_i(result_taken),
      .result_slot_i,
      .result_hdr_o  (result)
  );

  // --------------------------------------------------------------------------------------------- scoreboard

  // Per slot: header of the first operand, inputs of its flow, results that have left, an operand that disagrees.
  wide_hdr_t first_q[REDUCTION_FLOWS];
  port_set_t join_q[REDUCTION_FLOWS];
  noccl_flit_pkg::left_t left_q[REDUCTION_FLOWS];
  noccl_flit_pkg::line_t line_q[REDUCTION_FLOWS];
  slot_set_t wrong_q;

  // What must happen: where each head belongs, and who may bring a new flow.
  port_set_t ports[NUM_PORTS];
  slot_set_t home[NUM_PORTS];
  port_set_t is_new, starts_flow, expected_absorb;
  slot_set_t expected_start, expected_enters[NUM_PORTS];

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_input
    noccl_join_set u_join_set (
        .position_i,
        .base_i (head_i[i].base),
        .mask_i (head_i[i].mask),
        .root_i (head_i[i].dst),
        .ports_o(ports[i]),
        .meets_o(meets[i])
    );
    for (genvar s = 0; s < int'(REDUCTION_FLOWS); s++) begin : gen_slot
      assign home[i][s] = open_q[s] && join_valid_i[i] && first_q[s].dst == head_i[i].dst &&
          first_q[s].tag == head_i[i].tag;
    end
    assign is_new[i] = join_valid_i[i] && meets[i] && !blocked_i[i] && home[i] == '0;
  end

  always_comb begin
    starts_flow = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (is_new[i] && starts_flow == '0) starts_flow[i] = open_q != '1;
    end
    expected_start = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (!open_q[s] && expected_start == '0) expected_start[s] = starts_flow != '0;
    end
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      expected_enters[i] = starts_flow[i] ? expected_start : blocked_i[i] ? '0 : home[i];
      expected_absorb[i] = expected_enters[i] != '0;
    end
  end

  // Result that leaves, and what its flow's first operand said.
  wide_hdr_t expected;
  logic is_last;
  always_comb begin
    expected = '0;
    is_last  = 1'b0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (result_slot_i == slot_t'(s)) begin
        expected = first_q[s];
        expected.line = line_q[s];
        expected.left = left_q[s];
        expected.resp = wrong_q[s] ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_OKAY;
        is_last = left_q[s] == '0;
      end
    end
    expected.kind = noccl_flit_pkg::WIDE_REDUCE;
    expected.src = position_i;
    expected.multicast = 1'b0;
    expected.own_copy = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (!rst_ni) open_q[s] <= 1'b0;
      else if (expected_start[s]) open_q[s] <= 1'b1;
      else if (result_taken && result_slot_i == slot_t'(s) && is_last) open_q[s] <= 1'b0;
      if (expected_start[s]) wrong_q[s] <= 1'b0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (starts_flow[i] && expected_start[s]) begin
          first_q[s] <= head_i[i];
          join_q[s]  <= ports[i];
          left_q[s]  <= head_i[i].left;
          line_q[s]  <= head_i[i].line;
        end
        if (expected_enters[i][s] && (head_i[i].resp != noccl_flit_pkg::RESP_OKAY ||
            !is_whole_i[i] || (open_q[s] && (head_i[i].op != first_q[s].op ||
                                             head_i[i].element != first_q[s].element))))
          wrong_q[s] <= 1'b1;
      end
      if (result_taken && result_slot_i == slot_t'(s)) begin
        left_q[s] <= left_q[s] - 1'b1;
        line_q[s] <= line_q[s] + 1'b1;
      end
    end
  end

  // ------------------------------------------------------------------------------------------------ promises

  slot_set_t is_misplaced, is_mistaken, is_misnamed, is_miscounted;
  port_set_t is_lost, goes_on;
  logic is_mistold;

  always_comb begin
    is_misnamed = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      is_misplaced[s] = 1'b0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (enters[i][s] != expected_enters[i][s]) is_misplaced[s] = 1'b1;
      end
      is_mistaken[s] = open_q[s] &&
          (join_set[s] != join_q[s] || flow[s].name.root != first_q[s].dst ||
           flow[s].name.tag != first_q[s].tag || flow[s].base != first_q[s].base ||
           flow[s].mask != first_q[s].mask || flow[s].op != first_q[s].op ||
           flow[s].element != first_q[s].element);
      is_miscounted[s] = open_q[s] &&
          (u_flows.line_q[s] != line_q[s] || u_flows.left_q[s] != left_q[s] ||
           u_flows.disagrees_q[s] != wrong_q[s]);
      for (int unsigned o = 0; o < s; o++) begin
        is_misnamed[s] |= valid[s] && valid[o] && flow[s].name == flow[o].name;
      end
    end
    is_mistold = 1'b0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      is_lost[i] = absorb[i] != expected_absorb[i];
      goes_on[i] = join_valid_i[i] && !meets[i];
      if (starts_flow[i]) begin
        is_mistold |= new_left != head_i[i].left;
      end
    end
  end

  `NOCCL_ASSUME(StaysHere, $stable(position_i))
  `NOCCL_ASSERT(HeadsLeaveExactlyIntoASlot, is_lost == '0)
  `NOCCL_ASSERT(OperandsEnterTheSlotOfTheirName, is_misplaced == '0)
  `NOCCL_ASSERT(NewFlowsTakeTheLowestFreeSlot, starts == expected_start)
  `NOCCL_ASSERT(NewFlowsSayWhatTheirFirstOperandSays, !is_mistold)
  `NOCCL_ASSERT(LoneContributionsGoOn, forward == goes_on)
  `NOCCL_ASSERT(SlotsAreFreedWithTheLastResultOnce, valid == open_q)
  `NOCCL_ASSERT(FlowsKeepWhatTheirFirstOperandSaid, is_mistaken == '0)
  `NOCCL_ASSERT(ResultsCountLinesOfTheirFlow,
                !result_taken || (result.line == expected.line && result.left == expected.left))
  `NOCCL_ASSERT(ResultsBearTheHeaderOfTheirFlow, !result_taken || result == expected)
  // Why: no two slots of one name, and the counts inside are those of the scoreboard.
  `NOCCL_ASSERT(NamesOfSlotsDiffer, is_misnamed == '0)
  `NOCCL_ASSERT(SlotsCountResults, is_miscounted == '0)

endmodule
