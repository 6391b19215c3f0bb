// SPDX-License-Identifier: Apache-2.0
// Reduction table of a router with bypass: counts contributions by the id of their reduction and combines their operands.
//
// An entry holds how many contributions are still to come, and the operand of those that have come. The first one reserves
// it. One that is latched here is dropped and counted while others are to come; the last one goes on with the operands of
// all and frees the entry. A contribution whose path goes through the router is always the last one: its entry is free
// with the cycle that sets up the path, and what the entry holds is combined in flight, a cycle later.
//
// Cycles: contributions that are latched at the end of a cycle are counted at its end, after the paths that have been set
// up in it, in the order of ports. Their operands are read from the channels in the next cycle and are combined by its
// end, so a path that is set up one cycle after a latch finds the operand in the cycle in which it is crossed.
// Combinational paths: from ids and inputs to `look_is_last_o`, `arrive_is_last_o`; from operands to `operand_o`, through up
// to five combinations. `passed_data_o` comes from registers through one multiplexer over the entries.
// Source: S2, its table of reductions; docs/design/0010, complete reduction.
// Mirror: crates/noccl-sim/src/router/smart/table.rs, `contribute` and `is_last_at` in latch.rs.

`include "noccl_assert.svh"

module noccl_smart_table #(
    /// Reductions that are counted at a time, at least 1.
    parameter int unsigned Entries = 4,
    /// Bits of an id.
    parameter int unsigned IdBits = Entries > 1 ? $clog2(Entries) : 1,
    /// Bits of an operand.
    parameter int unsigned DataBits = 64,
    /// Paths that ask at a time whether they may go on.
    parameter int unsigned NumLooks = 4,
    /// Element types it is built for.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// Lines through the router, inputs: North, East, South, West, and Local. Derived, not to be set.
    localparam int unsigned NumLines = 4,
    localparam int unsigned NumPorts = 5
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: all entries are free.
    input logic rst_ni,

    /// Id of a contribution that may go on; any.
    input logic [IdBits-1:0] look_id_i[NumLooks],
    /// Contributions to its reduction that come to this tile at all, 1 to 5.
    input logic [2:0] look_inputs_i[NumLooks],
    /// Exactly one contribution is to come, before what this cycle brings.
    output logic [NumLooks-1:0] look_is_last_o,

    /// Per line: the path of a contribution through this router is set up in this cycle. It is the last one.
    input logic [NumLines-1:0] pass_valid_i,
    /// Its id; ignored without valid.
    input logic [IdBits-1:0] pass_id_i[NumLines],
    /// One cycle later: its entry held an operand.
    output logic [NumLines-1:0] passed_has_data_o,
    /// The operand; undefined without `passed_has_data_o`.
    output logic [DataBits-1:0] passed_data_o[NumLines],

    /// Per input: a contribution is latched at the end of this cycle.
    input logic [NumPorts-1:0] arrive_valid_i,
    /// Its id; ignored without valid, as what follows.
    input logic [IdBits-1:0] arrive_id_i[NumPorts],
    /// Contributions to its reduction that come to this tile at all.
    input logic [2:0] arrive_inputs_i[NumPorts],
    /// It is the last one and goes on, else it is dropped and counted; undefined without valid.
    output logic [NumPorts-1:0] arrive_is_last_o,

    /// One cycle later: what has been latched has an operand. All contributions to a reduction have one, or none has.
    input logic [NumPorts-1:0] has_operand_i,
    /// Its operand; ignored without, as what follows.
    input logic [DataBits-1:0] operand_i[NumPorts],
    /// Its operator.
    input noccl_number_pkg::operator_e operand_op_i[NumPorts],
    /// Its element type.
    input noccl_number_pkg::element_e operand_element_i[NumPorts],
    /// Operand of the last one, combined with all others that have come here; undefined for what was dropped, and
    /// without an operand.
    output logic [DataBits-1:0] operand_o[NumPorts]
);

  typedef logic [IdBits-1:0] id_t;
  typedef logic [2:0] count_t;
  typedef logic [DataBits-1:0] data_t;
  typedef logic [NumPorts-1:0] ports_t;
  typedef logic [Entries-1:0] entries_t;

  // Contributions to come; 0: the entry is free.
  count_t count_q[Entries], count_d[Entries];
  // Operands that have come.
  entries_t has_value_q, has_value_d;
  data_t value_q[Entries];

  // Contributions to come, before anything of this cycle.
  function automatic count_t missing(count_t count, count_t inputs);
    return count != '0 ? count : inputs;
  endfunction

  function automatic count_t number(ports_t ports);
    return count_t'($countones(ports));
  endfunction

  for (genvar l = 0; l < int'(NumLooks); l++) begin : gen_look
    assign look_is_last_o[l] = missing(count_q[look_id_i[l]], look_inputs_i[l]) == 3'd1;
  end

  // -------------------------------------------------------------------------------------------- counts

  // Per input: earlier inputs that bring a contribution of the same id, and the nearest of them.
  ports_t same[NumPorts], earlier[NumPorts];
  // Nobody after it brings one.
  ports_t is_final;
  // Contributions to come after it.
  count_t left[NumPorts];

  always_comb begin : p_order
    is_final = arrive_valid_i;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      same[p] = '0;
      earlier[p] = '0;
      for (int unsigned o = 0; o < p; o++) begin
        if (arrive_valid_i[p] && arrive_valid_i[o] && arrive_id_i[p] == arrive_id_i[o]) begin
          same[p][o]  = 1'b1;
          earlier[p]  = ports_t'(1) << o;
          is_final[o] = 1'b0;
        end
      end
    end
  end

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_count
    // Contributions to come before this input's.
    count_t awaited;
    assign awaited = missing(count_q[arrive_id_i[p]], arrive_inputs_i[p]) - number(same[p]);
    assign left[p] = awaited - 3'd1;
    assign arrive_is_last_o[p] = left[p] == '0;
    `NOCCL_ASSUME(HasAnEntry, !arrive_valid_i[p] || 32'(arrive_id_i[p]) < Entries)
    `NOCCL_ASSUME(HasInputs,
                  !arrive_valid_i[p] || (arrive_inputs_i[p] >= 3'd1 && arrive_inputs_i[p] <= 3'd5))
    // So no count falls below one.
    `NOCCL_ASSUME(WhoComesIsAwaited, !arrive_valid_i[p] || (awaited >= 3'd1 && awaited <= 3'd5))
  end

  for (genvar e = 0; e < int'(Entries); e++) begin : gen_next
    always_comb begin : p_next
      count_d[e] = count_q[e];
      for (int unsigned l = 0; l < NumLines; l++) begin
        if (pass_valid_i[l] && pass_id_i[l] == id_t'(e)) count_d[e] = '0;
      end
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (is_final[p] && arrive_id_i[p] == id_t'(e)) count_d[e] = left[p];
      end
    end
  end

  // ------------------------------------------------------------------------------ operands, one cycle later

  logic [NumLines-1:0] passed_q;
  id_t passed_id_q[NumLines];
  // What has been latched; those that were the last ones; those after which nobody came.
  ports_t come_q, is_last_q, is_final_q;
  ports_t earlier_q[NumPorts];
  id_t id_q[NumPorts];
  // Operands from the entry on, up to an input.
  ports_t has_sum;
  data_t sum[NumPorts];

  for (genvar l = 0; l < int'(NumLines); l++) begin : gen_passed
    assign passed_has_data_o[l] = passed_q[l] && has_value_q[passed_id_q[l]];
    assign passed_data_o[l] = value_q[passed_id_q[l]];
  end

  for (genvar p = 0; p < int'(NumPorts); p++) begin : gen_port
    // Operands before it: the nearest one's sum, or what the entry holds.
    logic [p:0] has_part;
    data_t part[p+1];
    data_t rest, total;
    logic is_sum;

    assign has_part[p] = earlier_q[p] == '0 && has_value_q[id_q[p]];
    assign part[p] = has_part[p] ? value_q[id_q[p]] : '0;
    for (genvar o = 0; o < p; o++) begin : gen_earlier
      assign has_part[o] = earlier_q[p][o] && gen_port[o].is_sum;
      assign part[o] = earlier_q[p][o] ? gen_port[o].total : '0;
    end
    always_comb begin : p_rest
      rest = '0;
      for (int unsigned o = 0; o <= p; o++) rest |= part[o];
    end
    assign is_sum = come_q[p] && has_operand_i[p];
    noccl_smart_combine #(
        .DataBits(DataBits),
        .Elements(Elements)
    ) u_combine (
        .valid_i  (is_sum && has_part != '0),
        .element_i(operand_element_i[p]),
        .op_i     (operand_op_i[p]),
        .a_i      (operand_i[p]),
        .b_i      (rest),
        .result_o (total)
    );
    assign has_sum[p] = is_sum;
    assign sum[p] = total;
    assign operand_o[p] = total;
    `NOCCL_ASSUME(AllHaveOperandsOrNone, !come_q[p] || has_operand_i[p] || has_part == '0)
  end

  entries_t written;
  data_t value_d[Entries];

  for (genvar e = 0; e < int'(Entries); e++) begin : gen_value
    always_comb begin : p_value
      has_value_d[e] = has_value_q[e];
      written[e] = 1'b0;
      value_d[e] = '0;
      for (int unsigned l = 0; l < NumLines; l++) begin
        if (passed_q[l] && passed_id_q[l] == id_t'(e)) has_value_d[e] = 1'b0;
      end
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (is_final_q[p] && id_q[p] == id_t'(e)) begin
          has_value_d[e] = has_sum[p] && !is_last_q[p];
          written[e] = has_sum[p] && !is_last_q[p];
          value_d[e] |= sum[p];
        end
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned e = 0; e < Entries; e++) count_q[e] <= '0;
      has_value_q <= '0;
      passed_q <= '0;
      come_q <= '0;
      is_final_q <= '0;
    end else begin
      for (int unsigned e = 0; e < Entries; e++) count_q[e] <= count_d[e];
      has_value_q <= has_value_d;
      passed_q <= pass_valid_i;
      come_q <= arrive_valid_i;
      is_final_q <= is_final;
    end
  end

  // What is looked at only beside a flag has no reset.
  always_ff @(posedge clk_i) begin
    is_last_q <= arrive_is_last_o;
    earlier_q <= earlier;
    id_q <= arrive_id_i;
    passed_id_q <= pass_id_i;
    for (int unsigned e = 0; e < Entries; e++) if (written[e]) value_q[e] <= value_d[e];
  end

  // ------------------------------------------------------------------------------------------ obligations, promises

  for (genvar l = 0; l < int'(NumLines); l++) begin : gen_line_rules
    logic meets;
    always_comb begin : p_meets
      meets = 1'b0;
      for (int o = 0; o < l; o++) meets |= pass_valid_i[o] && pass_id_i[o] == pass_id_i[l];
      for (int unsigned p = 0; p < NumPorts; p++) begin
        meets |= arrive_valid_i[p] && arrive_id_i[p] == pass_id_i[l];
      end
    end
    `NOCCL_ASSUME(WhoPassesIsTheLastOne, !pass_valid_i[l] || count_q[pass_id_i[l]] <= 3'd1)
    `NOCCL_ASSUME(NobodyComesBesideTheLastOne, !pass_valid_i[l] || !meets)
    `NOCCL_ASSUME(PassesAnEntry, !pass_valid_i[l] || 32'(pass_id_i[l]) < Entries)
  end

  for (genvar e = 0; e < int'(Entries); e++) begin : gen_entry_rules
    // Of a reduction that has used the entry before.
    logic is_leaving;
    always_comb begin : p_leaving
      is_leaving = 1'b0;
      for (int unsigned l = 0; l < NumLines; l++) begin
        is_leaving |= passed_q[l] && passed_id_q[l] == id_t'(e);
      end
      for (int unsigned p = 0; p < NumPorts; p++) begin
        is_leaving |= come_q[p] && is_last_q[p] && id_q[p] == id_t'(e);
      end
    end
    `NOCCL_ASSERT(FreeEntriesHoldNoOperand, count_q[e] != '0 || is_leaving || !has_value_q[e])
    `NOCCL_ASSERT(OneHasComeWhereOthersAreAwaited, count_q[e] <= 3'd4)
  end

  `NOCCL_ASSERT_INIT(IdsFit, Entries >= 1 && Entries <= 2 ** IdBits)
  `NOCCL_ASSERT_INIT(HasBits, DataBits >= 1 && NumLooks >= 1)
  `NOCCL_ASSERT_KNOWN(ControlKnown, {passed_has_data_o, come_q, has_value_q})
  `NOCCL_COVER(SeveralOfOneId, same[2] == ports_t'(3) && arrive_is_last_o[2])
  `NOCCL_COVER(PassesWithOperand, passed_has_data_o != '0)

endmodule
