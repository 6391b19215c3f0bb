// SPDX-License-Identifier: Apache-2.0
// Adder for one pair of 16-bit or 8-bit floats: FP16, BF16, FP8 E4M3, FP8 E5M2, or some of them.
//
// All formats go through one adder with the longest exponent and the longest mantissa among them. Biased exponents
// need no conversion, since an addition only looks at their difference; only the ends of the range differ.
//
// Combinational: result in the same cycle, undefined without `valid_i`. Every sum is correctly rounded; NaN is canonical;
// E4M3, which has no infinity, overflows to NaN, the others to infinity.
// Mirror: noccl-workload, number/float.rs and number/float8.rs. Source: S1, section 3.2.1.
`include "noccl_assert.svh"

module noccl_fp_add_small #(
    /// Formats it is built for; those beyond the small floats are ignored, at least one must remain.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::SMALL_FLOATS
) (
    /// An addition is asked for; the element must be in the set.
    input logic valid_i,
    /// Format; ignored without `valid_i`.
    input noccl_compute_pkg::element_e element_i,
    /// Operand; 8-bit formats stand in the lower half, the upper one is ignored.
    input logic [15:0] a_i,
    /// The other operand.
    input logic [15:0] b_i,
    /// Rounded sum; 8-bit formats stand in the lower half, the upper one is zero. Undefined without `valid_i`.
    output logic [15:0] sum_o
);

  localparam int unsigned EXP = noccl_compute_pkg::exponent_bits(Elements);
  localparam int unsigned MAN = noccl_compute_pkg::mantissa_bits(Elements);

  // Half a unit in the last place of each format: one bit below its mantissa. Without the format, anything.
  localparam int unsigned HALF_FP16 = MAN >= 10 ? MAN - 10 + 3 : 0;
  localparam int unsigned HALF_BF16 = MAN >= 7 ? MAN - 7 + 3 : 0;
  localparam int unsigned HALF_E4M3 = MAN >= 3 ? MAN - 3 + 3 : 0;
  localparam int unsigned HALF_E5M2 = MAN - 2 + 3;

  typedef struct packed {
    logic sign;
    logic [EXP-1:0] exponent;
    logic [MAN-1:0] mantissa;
  } number_t;

  typedef struct packed {
    logic is_nan;
    logic is_inf;
    number_t number;
  } operand_t;

  // Two bits of their codes tell the small floats apart; others are never asked for. The whole path
  // waits for this.
  function automatic logic is_format(noccl_compute_pkg::element_e which);
    return noccl_compute_pkg::holds(Elements, which) &&
        {element_i[2], element_i[0]} == {which[2], which[0]};
  endfunction

  // Which format it is; constants where there is no choice.
  logic is_fp16, is_bf16, is_e4m3, is_e5m2;
  assign is_fp16 = is_format(noccl_number_pkg::ELEM_FP16);
  assign is_bf16 = is_format(noccl_number_pkg::ELEM_BF16);
  assign is_e4m3 = is_format(noccl_number_pkg::ELEM_FP8_E4M3);
  assign is_e5m2 = is_format(noccl_number_pkg::ELEM_FP8_E5M2);

  // Mantissas stand at the upper end of the field, exponents at the lower one.
  function automatic operand_t unpack(logic [15:0] bits, logic fp16, logic bf16, logic e4m3,
                                      logic e5m2);
    // verilator no_inline_task
    operand_t operand;
    operand = '0;
    operand.number.sign = (fp16 | bf16) ? bits[15] : bits[7];
    operand.number.exponent =
        EXP'(bits[14:10] & {5{fp16}}) | EXP'(bits[14:7] & {8{bf16}}) |
        EXP'(bits[6:3] & {4{e4m3}}) | EXP'(bits[6:2] & {5{e5m2}});
    operand.number.mantissa =
        MAN'({bits[9:0] & {10{fp16}}} >> (10 - MAN)) |
        MAN'({bits[6:0] & {7{bf16}}, 3'b0} >> (10 - MAN)) |
        MAN'({bits[2:0] & {3{e4m3}}, 7'b0} >> (10 - MAN)) |
        MAN'({bits[1:0] & {2{e5m2}}, 8'b0} >> (10 - MAN));
    operand.is_nan = (fp16 & (&bits[14:10]) & (|bits[9:0])) |
        (bf16 & (&bits[14:7]) & (|bits[6:0])) |
        (e4m3 & (&bits[6:0])) | (e5m2 & (&bits[6:2]) & (|bits[1:0]));
    operand.is_inf = (fp16 & (&bits[14:10]) & ~(|bits[9:0])) |
        (bf16 & (&bits[14:7]) & ~(|bits[6:0])) | (e5m2 & (&bits[6:2]) & ~(|bits[1:0]));
    return operand;
  endfunction

  operand_t a, b;
  logic [MAN+3:0] half;

  always_comb begin : p_unpack
    a = '0;
    b = '0;
    half = '0;
    if (`NOCCL_IS_READ(valid_i)) begin
      a = unpack(a_i, is_fp16, is_bf16, is_e4m3, is_e5m2);
      b = unpack(b_i, is_fp16, is_bf16, is_e4m3, is_e5m2);
      half[HALF_FP16] |= is_fp16;
      half[HALF_BF16] |= is_bf16;
      half[HALF_E4M3] |= is_e4m3;
      half[HALF_E5M2] |= is_e5m2;
    end
  end

  logic sign, is_nan, has_inf;
  logic [EXP+MAN-1:0] magnitude;

  noccl_fp_add #(
      .ExpBits (EXP),
      .ManBits (MAN),
      .CutAlign(1'b0),
      .CutSum  (1'b0)
  ) u_add (
      .clk_i(1'b0),
      .align_i(valid_i),
      .sum_i(valid_i),
      .round_i(valid_i),
      .a_i(a.number),
      .b_i(b.number),
      .a_nan_i(a.is_nan),
      .b_nan_i(b.is_nan),
      .a_inf_i(a.is_inf),
      .b_inf_i(b.is_inf),
      .half_i(half),
      .sign_o(sign),
      .magnitude_o(magnitude),
      .nan_o(is_nan),
      .has_inf_o(has_inf)
  );

  // The mantissa's upper end again, for each format.
  logic [EXP-1:0] exponent;
  logic [9:0] mantissa;
  assign exponent = magnitude[MAN+:EXP];
  assign mantissa = 10'(magnitude[MAN-1:0]) << (10 - MAN);

  function automatic logic [15:0] packed_sum(logic negative, logic nan, logic infinite,
                                             logic [EXP-1:0] narrow_exponent, logic [9:0] fraction,
                                             logic fp16, logic bf16, logic e4m3, logic e5m2);
    // verilator no_inline_task
    logic [ 7:0] full_exponent;
    logic [15:0] bits;
    full_exponent = 8'(narrow_exponent);
    bits = '0;
    if (fp16) begin
      if (nan) bits = 16'h7e00;
      else if (infinite || (&full_exponent[4:0])) bits = {negative, 15'h7c00};
      else bits = {negative, full_exponent[4:0], fraction};
    end
    if (bf16) begin
      if (nan) bits = 16'h7fc0;
      else if (infinite || (&full_exponent)) bits = {negative, 15'h7f80};
      else bits = {negative, full_exponent, fraction[9:3]};
    end
    if (e4m3) begin
      if (nan || full_exponent[4] || (&{full_exponent[3:0], fraction[9:7]})) bits = 16'h007f;
      else bits = {8'b0, negative, full_exponent[3:0], fraction[9:7]};
    end
    if (e5m2) begin
      if (nan) bits = 16'h007e;
      else if (infinite || (&full_exponent[4:0])) bits = {8'b0, negative, 7'h7c};
      else bits = {8'b0, negative, full_exponent[4:0], fraction[9:8]};
    end
    return bits;
  endfunction

  always_comb begin : p_pack
    sum_o = '0;
    if (`NOCCL_IS_READ(valid_i))
      sum_o = packed_sum(
        sign, is_nan, has_inf, exponent, mantissa, is_fp16, is_bf16, is_e4m3, is_e5m2
      );
  end

  `NOCCL_ASSERT_INIT(AnyFormat, |(Elements & noccl_compute_pkg::SMALL_FLOATS))

endmodule
