// SPDX-License-Identifier: Apache-2.0
// The second row of lanes of a compute slice: combines the network's third operand with the result
// of the first two.
//
// A result of two operands goes past it where nothing older is in the row and the network takes it
// at once; else it passes through, so that order holds and blocked results have the stages of this
// row to wait in too.
//
// Latency: none past the row, one cycle through it without a third operand, that of the element with one. One
// result per cycle. Order: first in, first out. Combinational paths: from `valid_i`, `sum_i`, `note_i` to the outputs, from
// `ready_i` to `ready_o`.
// Source: none, S1's unit has two operands; docs/design/0001. Mirror:
// crates/noccl-sim/src/router/collective/reduction.

module noccl_compute_third #(
    /// 64-bit lanes, at least 1.
    parameter int unsigned NumLanes = 8,
    /// Element types it is built for.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// What goes with a result.
    parameter type note_t = logic
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: the row is empty.
    input logic rst_ni,
    /// A result of two operands is there; stays until `ready_o`.
    input logic valid_i,
    /// It is taken.
    output logic ready_o,
    /// There is a third operand.
    input logic has_third_i,
    /// Operator and element type; ignored without `has_third_i`.
    input noccl_compute_pkg::operation_t operation_i,
    /// Result of the first two operands.
    input logic [64*NumLanes-1:0] sum_i,
    /// Third operand; ignored without `has_third_i`.
    input logic [64*NumLanes-1:0] third_i,
    /// Goes with the result.
    input note_t note_i,
    /// A result is there; stays until `ready_i`.
    output logic valid_o,
    /// The result is taken.
    input logic ready_i,
    /// The result.
    output logic [64*NumLanes-1:0] result_o,
    /// What went with it.
    output note_t note_o
);

  // What does not add passes as a bitwise operation with itself, which takes one cycle.
  localparam noccl_compute_pkg::operation_t PASS = '{
      op: noccl_number_pkg::OP_OR,
      element: noccl_number_pkg::ELEM_INT8
  };
  localparam noccl_compute_pkg::element_set_t WITH_PASS =
      Elements | noccl_compute_pkg::element_set_t'(1 << noccl_number_pkg::ELEM_INT8);

  logic row_free, row_any, row_valid, goes_past;
  logic [64*NumLanes-1:0] row_result;
  note_t row_note;

  assign goes_past = !has_third_i && !row_any && ready_i;
  assign ready_o   = goes_past || row_free;

  logic [63:0] no_word[NumLanes];
  noccl_compute_pkg::operation_t no_operation[NumLanes];
  logic no_tag[NumLanes];
  for (genvar l = 0; l < NumLanes; l++) begin : gen_no_core
    assign no_word[l] = '0;
    assign no_operation[l] = PASS;
    assign no_tag[l] = 1'b0;
  end

  noccl_compute_row #(
      .NumLanes  (NumLanes),
      .Elements  (WITH_PASS),
      .core_tag_t(logic),
      .dca_tag_t (note_t)
  ) u_row (
      .clk_i,
      .rst_ni,
      .core_start_i('0),
      .core_free_o(),
      .core_operation_i(no_operation),
      .core_a_i(no_word),
      .core_b_i(no_word),
      .core_tag_i(no_tag),
      .core_valid_o(),
      .core_ready_i('0),
      .core_result_o(),
      .core_tag_o(),
      .dca_grant_i(1'b1),
      .dca_start_i(valid_i && row_free && !goes_past),
      .dca_free_o(row_free),
      .dca_operation_i(has_third_i ? operation_i : PASS),
      .dca_a_i(sum_i),
      .dca_b_i(has_third_i ? third_i : sum_i),
      .dca_tag_i(note_i),
      .dca_any_o(row_any),
      .dca_valid_o(row_valid),
      .dca_ready_i(ready_i),
      .dca_result_o(row_result),
      .dca_tag_o(row_note)
  );

  assign valid_o  = row_valid || (valid_i && !has_third_i && !row_any);
  assign result_o = row_valid ? row_result : sum_i;
  assign note_o   = row_valid ? row_note : note_i;

endmodule
