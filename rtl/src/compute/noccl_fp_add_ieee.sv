// SPDX-License-Identifier: Apache-2.0
// Adder of one IEEE 754 format that fills its word: FP32, FP64. It reads and writes NaN and infinity around
// `noccl_fp_add`, which see for steps, latency and paths.
//
// NaN results are canonical: positive, quiet, nothing else.
// Mirror: noccl-workload, number/float.rs (`Fp32`, `Fp64`). Source: S1, section 3.2.1.
`include "noccl_assert.svh"

module noccl_fp_add_ieee #(
    /// Bits of the exponent, 8 or 11.
    parameter int unsigned ExpBits = 11,
    /// Bits of the mantissa without the hidden one, 23 or 52.
    parameter int unsigned ManBits = 52,
    /// Registers between align and add.
    parameter bit CutAlign = 1'b1,
    /// Registers between add and normalise.
    parameter bit CutSum = 1'b1
) (
    /// Clock; without function where there are no cuts.
    input logic clk_i,
    /// Operands are there and are aligned in this cycle.
    input logic align_i,
    /// The aligned operands are added in this cycle; equal to `align_i` without that cut.
    input logic sum_i,
    /// The sum is normalised and rounded in this cycle; equal to `sum_i` without that cut.
    input logic round_i,
    /// Operand; ignored without `align_i`.
    input logic [ExpBits+ManBits:0] a_i,
    /// The other operand.
    input logic [ExpBits+ManBits:0] b_i,
    /// Rounded sum; undefined without `round_i`.
    output logic [ExpBits+ManBits:0] sum_o
);

  localparam int unsigned MAG = ExpBits + ManBits;
  localparam logic [MAG-1:0] INFINITY = {{ExpBits{1'b1}}, {ManBits{1'b0}}};
  localparam logic [MAG-1:0] QUIET = INFINITY | (MAG'(1'b1) << (ManBits - 1));

  logic a_is_special, b_is_special, a_is_whole, b_is_whole;
  always_comb begin : p_read
    {a_is_special, b_is_special, a_is_whole, b_is_whole} = '0;
    if (`NOCCL_IS_READ(align_i)) begin
      a_is_special = &a_i[MAG-1:ManBits];
      b_is_special = &b_i[MAG-1:ManBits];
      a_is_whole   = ~|a_i[ManBits-1:0];
      b_is_whole   = ~|b_i[ManBits-1:0];
    end
  end

  logic sign, is_nan, has_inf;
  logic [MAG-1:0] magnitude;

  noccl_fp_add #(
      .ExpBits (ExpBits),
      .ManBits (ManBits),
      .CutAlign(CutAlign),
      .CutSum  (CutSum)
  ) u_add (
      .clk_i,
      .align_i,
      .sum_i,
      .round_i,
      .a_i,
      .b_i,
      .a_nan_i(a_is_special && !a_is_whole),
      .b_nan_i(b_is_special && !b_is_whole),
      .a_inf_i(a_is_special && a_is_whole),
      .b_inf_i(b_is_special && b_is_whole),
      .half_i((ManBits + 4)'(8)),
      .sign_o(sign),
      .magnitude_o(magnitude),
      .nan_o(is_nan),
      .has_inf_o(has_inf)
  );

  always_comb begin : p_pack
    sum_o = '0;
    if (`NOCCL_IS_READ(round_i)) begin
      // An overflow reads as infinity by itself.
      if (is_nan) sum_o = {1'b0, QUIET};
      else if (has_inf) sum_o = {sign, INFINITY};
      else sum_o = {sign, magnitude};
    end
  end

endmodule
