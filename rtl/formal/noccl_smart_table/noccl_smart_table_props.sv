// SPDX-License-Identifier: Apache-2.0
// What the reduction table promises: the solver picks an id, and contributions to it are counted and added up outside.
//
// Reductions follow each other under the id, each with inputs of its own, with operands or without. The operator is the sum: what were missing or
// were there twice would change it. What other ids do is free.

`include "noccl_assert.svh"

module noccl_smart_table_props #(
    /// Entries of the table.
    parameter  int unsigned Entries  = 2,
    /// Bits of an operand; a sum of so many bits tells one operand from two.
    parameter  int unsigned DataBits = 3,
    localparam int unsigned IdBits   = $clog2(Entries),
    localparam int unsigned NumLines = 4,
    localparam int unsigned NumPorts = 5
) (
    /// Clock.
    input logic                clk_i,
    /// The id that is tracked; constant.
    input logic [  IdBits-1:0] id_i,
    /// Contributions of the next reduction under it; has it operands?
    input logic [         2:0] inputs_i,
    input logic                has_operands_i,
    /// What the router does.
    input logic [         2:0] look_inputs_i,
    input logic [NumLines-1:0] pass_valid_i,
    input logic [  IdBits-1:0] pass_id_i      [NumLines],
    input logic [NumPorts-1:0] arrive_valid_i,
    input logic [  IdBits-1:0] arrive_id_i    [NumPorts],
    input logic [         2:0] arrive_inputs_i[NumPorts],
    input logic [NumPorts-1:0] has_operand_i,
    input logic [DataBits-1:0] operand_i      [NumPorts]
);

  typedef logic [DataBits-1:0] data_t;
  typedef logic [2:0] count_t;
  typedef logic [3:0] total_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  logic [IdBits-1:0] look_id[1];
  logic [2:0] look_inputs[1];
  logic [0:0] look_is_last;
  logic [NumLines-1:0] passed_has_data;
  data_t passed_data[NumLines], survivor[NumPorts];
  logic [NumPorts-1:0] arrive_is_last;
  noccl_number_pkg::operator_e op[NumPorts];
  noccl_number_pkg::element_e element[NumPorts];

  assign look_id[0] = id_i;
  assign look_inputs[0] = look_inputs_i;
  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_operation
    assign op[p] = noccl_number_pkg::OP_SUM;
    assign element[p] = noccl_number_pkg::ELEM_INT8;
  end

  noccl_smart_table #(
      .Entries (Entries),
      .DataBits(DataBits),
      .NumLooks(1)
  ) u_table (
      .clk_i,
      .rst_ni,
      .look_id_i        (look_id),
      .look_inputs_i    (look_inputs),
      .look_is_last_o   (look_is_last),
      .pass_valid_i,
      .pass_id_i,
      .passed_has_data_o(passed_has_data),
      .passed_data_o    (passed_data),
      .arrive_valid_i,
      .arrive_id_i,
      .arrive_inputs_i,
      .arrive_is_last_o (arrive_is_last),
      .has_operand_i,
      .operand_i,
      .operand_op_i     (op),
      .operand_element_i(element),
      .operand_o        (survivor)
  );

  // ---------------------------------------------------------------------------------------------- scoreboard

  // Of the reduction under the id: contributions that have come, and how many it has; it has operands.
  logic [2:0] came_q, inputs_q, inputs;
  logic has_operands_q, has_operands;
  // What comes in this cycle, and has come with it up to each input.
  logic [NumLines-1:0] passes;
  logic [NumPorts-1:0] arrives, is_last;
  logic [3:0] came[NumPorts+1];
  logic is_complete;

  assign inputs = came_q == '0 ? inputs_i : inputs_q;
  assign has_operands = came_q == '0 ? has_operands_i : has_operands_q;
  assign came[0] = 4'(came_q);
  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_arrival
    assign arrives[p] = arrive_valid_i[p] && arrive_id_i[p] == id_i;
    assign came[p+1]  = came[p] + 4'(arrives[p]);
    assign is_last[p] = arrives[p] && came[p+1] == 4'(inputs);
  end
  for (genvar l = 0; l < int'(NumLines); l++) begin : gen_pass
    assign passes[l] = pass_valid_i[l] && pass_id_i[l] == id_i;
  end
  assign is_complete = is_last != '0 || passes != '0;

  // A cycle later: what has come, the survivor among it; operands before it and with it up to each input.
  logic [NumPorts-1:0] arrived_q, is_last_q;
  logic [NumLines-1:0] passed_q;
  logic is_over_q, had_come_q;
  data_t sum_q, sum[NumPorts+1];
  assign sum[0] = sum_q;
  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_sum
    assign sum[p+1] = sum[p] + (arrived_q[p] && has_operands_q ? operand_i[p] : '0);
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      came_q <= '0;
      arrived_q <= '0;
      is_last_q <= '0;
      passed_q <= '0;
      is_over_q <= 1'b0;
      had_come_q <= 1'b0;
      sum_q <= '0;
    end else begin
      came_q <= is_complete ? '0 : 3'(came[NumPorts]);
      arrived_q <= arrives;
      is_last_q <= is_last;
      passed_q <= passes;
      is_over_q <= is_complete;
      had_come_q <= came_q != '0;
      sum_q <= is_over_q ? '0 : sum[NumPorts];
    end
    inputs_q <= inputs;
    has_operands_q <= has_operands;
  end

  // ----------------------------------------------------------------------------------- obligations of the router

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_arrival_rule
    `NOCCL_ASSUME(InputsAreThoseOfTheReduction, !arrives[p] || arrive_inputs_i[p] == inputs)
    `NOCCL_ASSUME(OperandsAreThoseOfTheReduction,
                  !arrived_q[p] || has_operand_i[p] == has_operands_q)
  end
  `NOCCL_ASSUME(TracksOneId, $stable(id_i) && 32'(id_i) < Entries)
  `NOCCL_ASSUME(LegalInputs, inputs_i >= 3'd1 && inputs_i <= 3'd5)
  `NOCCL_ASSUME(NoMoreThanInputs, came[NumPorts] + total_t'($countones(passes)) <= 4'(inputs))
  `NOCCL_ASSUME(OnlyTheLastOnePasses, passes == '0 || came[0] + 4'd1 == 4'(inputs))

  // -------------------------------------------------------------------------------------------------- promises

  logic is_early, is_wrong_value, is_wrong_passed;
  logic [2:0] num_sent;
  data_t held;

  always_comb begin
    is_early = 1'b0;
    num_sent = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (arrives[p]) begin
        is_early |= arrive_is_last[p] && !is_last[p];
        num_sent += 3'(arrive_is_last[p]);
      end
    end
    num_sent += count_t'($countones(passes));
    is_wrong_value = 1'b0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (is_last_q[p] && has_operands_q && survivor[p] != sum[NumPorts]) is_wrong_value = 1'b1;
    end
    is_wrong_passed = 1'b0;
    for (int unsigned l = 0; l < NumLines; l++) begin
      if (passed_q[l] && passed_has_data[l] && passed_data[l] != sum_q) is_wrong_passed = 1'b1;
    end
    held = u_table.value_q[id_i];
  end

  logic [NumLines-1:0] expected_has_data;
  assign expected_has_data = had_come_q && has_operands_q ? passed_q : '0;
  logic holds;
  assign holds = u_table.has_value_q[id_i];

  `NOCCL_ASSERT(ContributionsAreConserved,
                u_table.count_q[id_i] == (came_q == '0 ? 3'd0 : inputs_q - came_q))
  `NOCCL_ASSERT(NoEntryIsFreeBeforeTheLastOne, came_q == '0 || u_table.count_q[id_i] != '0)
  `NOCCL_ASSERT(TheLastOneIsKnown,
                look_is_last[0] == ((came_q == '0 ? look_inputs_i : inputs_q - came_q) == 3'd1))
  `NOCCL_ASSERT(NobodyGoesOnBeforeTheLastOne, !is_early)
  `NOCCL_ASSERT(OneGoesOnForAll, num_sent == 3'(is_complete))
  `NOCCL_ASSERT(AllOperandsAreInTheSurvivorOnce, !is_wrong_value)
  `NOCCL_ASSERT(AllOperandsGoWithWhoPasses, !is_wrong_passed)
  `NOCCL_ASSERT(WhoPassesIsToldOfOperands, (passed_has_data & passed_q) == expected_has_data)
  // Why: the entry holds the sum, as long as the reduction goes on, and nothing else.
  `NOCCL_ASSERT(EntriesHoldTheSum, sum_q == (holds ? held : '0))
  `NOCCL_ASSERT(EntriesHoldASumWhileOthersAreAwaited, holds == (had_come_q && has_operands_q))

endmodule
