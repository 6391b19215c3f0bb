// SPDX-License-Identifier: Apache-2.0
// Reduction table of a router of `noccl_smart_cfg_pkg` by itself, with operands or without, for the measurement of area.
//
// Latency, order, paths: those of `noccl_smart_table`.

module noccl_smart_table_synth
  import noccl_smart_pkg::*;
#(
    /// Contributions have operands.
    parameter bit HasOperands = 1'b1
) (
    /// Clock.
    input  logic                                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                                        rst_ni,
    /// As in `noccl_smart_table`, as what follows.
    input  id_t                                         look_id_i        [NUM_LINKS],
    input  contributions_t                              look_inputs_i    [NUM_LINKS],
    output logic                        [NUM_LINKS-1:0] look_is_last_o,
    input  logic                        [NUM_LINKS-1:0] pass_valid_i,
    input  id_t                                         pass_id_i        [NUM_LINKS],
    output logic                        [NUM_LINKS-1:0] passed_has_data_o,
    output data_t                                       passed_data_o    [NUM_LINKS],
    input  logic                        [NUM_PORTS-1:0] arrive_valid_i,
    input  id_t                                         arrive_id_i      [NUM_PORTS],
    input  contributions_t                              arrive_inputs_i  [NUM_PORTS],
    output logic                        [NUM_PORTS-1:0] arrive_is_last_o,
    input  logic                        [NUM_PORTS-1:0] has_operand_i,
    input  data_t                                       operand_i        [NUM_PORTS],
    input  noccl_number_pkg::operator_e                 operand_op_i     [NUM_PORTS],
    input  noccl_number_pkg::element_e                  operand_element_i[NUM_PORTS],
    output data_t                                       operand_o        [NUM_PORTS]
);

  data_t operands[NUM_PORTS], combined[NUM_PORTS], passed[NUM_LINKS];

  noccl_smart_table #(
      .Entries (noccl_smart_cfg_pkg::TABLE_ENTRIES),
      .IdBits  (noccl_smart_cfg_pkg::ID_BITS),
      .DataBits(noccl_smart_cfg_pkg::FLIT_BITS),
      .NumLooks(NUM_LINKS)
  ) u_table (
      .has_operand_i(HasOperands ? has_operand_i : '0),
      .operand_i    (operands),
      .operand_o    (combined),
      .passed_data_o(passed),
      .*
  );

  // Nothing depends on operands that there are none of.
  always_comb begin : p_operands
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      operands[p]  = HasOperands ? operand_i[p] : '0;
      operand_o[p] = HasOperands ? combined[p] : '0;
    end
    for (int unsigned o = 0; o < NUM_LINKS; o++) passed_data_o[o] = HasOperands ? passed[o] : '0;
  end

endmodule
