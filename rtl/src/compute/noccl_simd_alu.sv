// SPDX-License-Identifier: Apache-2.0
// What needs no rounding, on 64 bits of elements of 8 to 64 bits: integer sums, minimum and maximum of integers and
// floats, bitwise and, or.
//
// One adder of 64 bits with a gap bit above each byte serves all widths: the gap passes the carry on inside an
// element and replaces it between elements. Comparing is subtracting; floats are compared as integers after their
// order has been made that of unsigned numbers, -0 below +0.
//
// Combinational: result in the same cycle, undefined without `valid_i`. Integers wrap; minimum and maximum are
// IEEE 754-2019 minimumNumber and maximumNumber: NaN loses against numbers, two NaN give the canonical one.
// Mirror: noccl-workload, number/fold.rs and number/float.rs. Source: S1, section 3.2.1.
`include "noccl_assert.svh"

module noccl_simd_alu #(
    /// Element types it is built for.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS
) (
    /// An operation is asked for; never a sum of floats, and never of an element outside the set.
    input logic valid_i,
    /// Element type; ignored without `valid_i`.
    input noccl_compute_pkg::element_e element_i,
    /// Operator; ignored without `valid_i`.
    input noccl_compute_pkg::operator_e operator_i,
    /// Operand, elements from the lowest bits upwards.
    input logic [63:0] a_i,
    /// The other operand.
    input logic [63:0] b_i,
    /// Result; undefined without `valid_i`.
    output logic [63:0] result_o
);

  always_comb begin : p_result
    result_o = '0;
    if (`NOCCL_IS_READ(valid_i))
      result_o = noccl_simd_pkg::operate(
        noccl_simd_pkg::float_set_t'(Elements),
        a_i,
        b_i,
        element_i,
        noccl_compute_pkg::log2_bytes(
          element_i
        ),
        noccl_compute_pkg::is_float(
          element_i
        ),
        operator_i
      );
  end

endmodule
