// SPDX-License-Identifier: Apache-2.0
// Two operands of a reduction become one, in a router with bypass: lanes of 64 bits, as many as a flit needs.
//
// What needs no rounding: sums of integers, minimum and maximum, bitwise and, or. So the order of contributions does
// not matter; sums of floats are refused before a reduction begins.
//
// Combinational: from `valid_i`, operands and operation to the result. Elements never cross the border of a lane; a
// last lane that a flit does not fill is filled with zeros, and its elements fit into the flit.
// Mirror: `Combining` in crates/noccl-sim/src/router/smart/packet.rs.
// Source: S2, reductions; docs/design/0010, complete reduction.

`include "noccl_assert.svh"

module noccl_smart_combine #(
    /// Bits of an operand, at least 1.
    parameter int unsigned DataBits = 64,
    /// Element types it is built for.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS
) (
    /// Both operands exist; without it the result is the first one.
    input  logic                                       valid_i,
    /// Element type; ignored without `valid_i`.
    input  noccl_number_pkg::element_e                 element_i,
    /// Operator; never the sum of floats. Ignored without `valid_i`.
    input  noccl_number_pkg::operator_e                op_i,
    /// An operand, elements from the lowest bits upwards.
    input  logic                        [DataBits-1:0] a_i,
    /// The other one.
    input  logic                        [DataBits-1:0] b_i,
    /// Result.
    output logic                        [DataBits-1:0] result_o
);

  localparam int unsigned NumLanes = (DataBits + 63) / 64;

  logic [64*NumLanes-1:0] a, b, combined;
  assign a = (64 * NumLanes)'(a_i);
  assign b = (64 * NumLanes)'(b_i);

  for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_lane
    noccl_simd_alu #(
        .Elements(Elements)
    ) u_alu (
        .valid_i,
        .element_i,
        .operator_i(op_i),
        .a_i       (a[64*l+:64]),
        .b_i       (b[64*l+:64]),
        .result_o  (combined[64*l+:64])
    );
  end

  assign result_o = valid_i ? combined[DataBits-1:0] : a_i;

  `NOCCL_ASSERT_INIT(HasBits, DataBits >= 1)

endmodule
