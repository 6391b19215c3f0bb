// SPDX-License-Identifier: Apache-2.0
// Adder of two floating-point numbers, rounded to nearest even, subnormals included.
//
// Numbers come as sign, biased exponent and mantissa; what stands for NaN and infinity, and how it is written, is
// the business of whoever instantiates it, so one adder serves several formats: a shorter mantissa stands at the
// upper end of the field, and `half_i` says where half a unit in the last place is.
//
// One path, three steps: align (order by magnitude, shift the smaller), add and count leading zeros, normalise and
// round. Only sums that are shifted by at most two places need rounding (after more cancellation they are exact), so
// long shifts and rounding happen side by side. A limit bit joins the search for the leading one, so that the shift
// never lets the exponent pass that of the subnormals.
//
// Latency: one cycle per cut, if the steps follow each other; one addition per cycle. Without cuts everything is
// combinational from the operands to the result. Who instantiates it says when each step happens; between two steps
// with a cut, what was computed waits. Order: first in, first out. The result is undefined while no one rounds: a
// simulator may skip an idle adder (`NOCCL_IS_READ`), and hardware has no gates for it.
// Source: S1, section 3.2.1 (what the units do; how is left open). Mirror: noccl-workload, number/float.rs.
`include "noccl_assert.svh"

module noccl_fp_add #(
    /// Bits of the exponent, 4 to 11.
    parameter int unsigned ExpBits = 11,
    /// Bits of the mantissa without the hidden one, 2 to 52.
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
    /// Operand: sign, exponent, mantissa; its value is ignored if it is NaN or infinite.
    input logic [ExpBits+ManBits:0] a_i,
    /// The other operand.
    input logic [ExpBits+ManBits:0] b_i,
    /// The operand is NaN.
    input logic a_nan_i,
    /// The other operand is NaN.
    input logic b_nan_i,
    /// The operand is infinite.
    input logic a_inf_i,
    /// The other operand is infinite.
    input logic b_inf_i,
    /// One-hot: half a unit in the last place of the result, in a mantissa that is longer by 4 bits; constant
    /// where there are cuts, and 8 where the mantissa is longer than 16 bits.
    input logic [ManBits+3:0] half_i,
    /// Sign of the result.
    output logic sign_o,
    /// Exponent and mantissa of the rounded sum; an exponent beyond the format's is an overflow, and where it has all
    /// bits set the mantissa is zero. Ignored if the result is NaN or infinite.
    output logic [ExpBits+ManBits-1:0] magnitude_o,
    /// The result is NaN.
    output logic nan_o,
    /// An operand was infinite, so the result is.
    output logic has_inf_o
);

  // Bits of a number, of its magnitude, of a mantissa with guard, round and sticky bit, with a carry too.
  localparam int unsigned MAG = ExpBits + ManBits;
  localparam int unsigned SIG = ManBits + 4;
  localparam int unsigned WIN = SIG + 1;
  localparam int unsigned SHIFT_BITS = $clog2(SIG);
  localparam int unsigned LZ_BITS = $clog2(WIN);
  localparam int unsigned PADDED = 1 << LZ_BITS;

  // Mantissas beyond this length round at their end.
  localparam int unsigned LONG = 16;

  typedef struct packed {
    logic is_nan;
    logic has_inf;
    logic sign;
    logic is_difference;
  } common_t;

  // ------------------------------------------------------------------------------------------- align

  // Larger and smaller operand with hidden bit, the latter shifted; exponent of the larger, at least 1.
  logic [ManBits:0] larger_d, larger;
  logic [SIG-1:0] smaller_d, smaller;
  logic [ExpBits-1:0] exponent_d, exponent, sum_exponent;
  common_t common_d, common, sum_common;

  // Orders the operands by magnitude and shifts the smaller one to the exponent of the larger.
  function automatic void align(
      input logic [MAG:0] a, input logic [MAG:0] b, output logic [ManBits:0] larger_operand,
      output logic [SIG-1:0] shifted, output logic [ExpBits-1:0] exponent_of_larger,
      output logic sign_of_larger);
    // verilator no_inline_task
    logic a_is_larger, a_hidden, b_hidden;
    logic [ExpBits-1:0] a_exponent, b_exponent, distance;
    logic [ManBits:0] a_smaller, b_smaller;
    logic [SIG-1:0] unshifted, is_lost;
    a_is_larger = a[MAG-1:0] >= b[MAG-1:0];
    a_exponent = a[MAG-1:ManBits];
    b_exponent = b[MAG-1:ManBits];
    a_hidden = |a_exponent;
    b_hidden = |b_exponent;
    distance = a_exponent >= b_exponent ? a_exponent - b_exponent : b_exponent - a_exponent;
    exponent_of_larger = a_is_larger ? a_exponent : b_exponent;
    // Subnormals have the smallest exponent, 1, and no hidden bit: beside a normal number they stand a place higher.
    exponent_of_larger[0] |= ~a_hidden & ~b_hidden;
    a_smaller = !a_hidden && b_hidden ? {a[ManBits-1:0], 1'b0} : {a_hidden, a[ManBits-1:0]};
    b_smaller = !b_hidden && a_hidden ? {b[ManBits-1:0], 1'b0} : {b_hidden, b[ManBits-1:0]};
    sign_of_larger = a_is_larger ? a[MAG] : b[MAG];
    larger_operand = a_is_larger ? {a_hidden, a[ManBits-1:0]} : {b_hidden, b[ManBits-1:0]};
    unshifted = {a_is_larger ? b_smaller : a_smaller, 3'b0};
    shifted = unshifted >> SHIFT_BITS'(distance);
    is_lost = ~({SIG{1'b1}} << SHIFT_BITS'(distance));
    if (|(distance >> SHIFT_BITS)) begin
      shifted = '0;
      is_lost = '1;
    end
    // What is shifted out stays as a one in the lowest bit.
    shifted[0] |= |(unshifted & is_lost);
  endfunction

  always_comb begin : p_align
    logic sign;
    larger_d = '0;
    smaller_d = '0;
    exponent_d = '0;
    common_d = '0;
    sign = 1'b0;
    if (`NOCCL_IS_READ(align_i)) begin
      align(a_i, b_i, larger_d, smaller_d, exponent_d, sign);
      common_d.is_difference = a_i[MAG] ^ b_i[MAG];
      common_d.has_inf = a_inf_i | b_inf_i;
      common_d.is_nan = a_nan_i | b_nan_i | (a_inf_i & b_inf_i & common_d.is_difference);
      common_d.sign = a_inf_i ? a_i[MAG] : b_inf_i ? b_i[MAG] : sign;
    end
  end

  if (CutAlign) begin : gen_cut_align
    logic [ManBits:0] larger_q;
    logic [SIG-1:0] smaller_q;
    logic [ExpBits-1:0] exponent_q;
    common_t common_q;
    always_ff @(posedge clk_i) begin
      if (align_i) begin
        larger_q   <= larger_d;
        smaller_q  <= smaller_d;
        exponent_q <= exponent_d;
        common_q   <= common_d;
      end
    end
    assign larger   = larger_q;
    assign smaller  = smaller_q;
    assign exponent = exponent_q;
    assign common   = common_q;
  end else begin : gen_no_cut_align
    assign larger   = larger_d;
    assign smaller  = smaller_d;
    assign exponent = exponent_d;
    assign common   = common_d;
  end

  // --------------------------------------------------------------------------------------------- add

  // With two cuts zeros are counted before the second one, else where they are needed.
  localparam bit CountEarly = CutAlign && CutSum;

  logic [WIN-1:0] sum_d, sum;
  logic [LZ_BITS-1:0] shift_d, shift_q;

  // Zeros before the leading one, at most as many as the exponent: further up no number is normal.
  function automatic logic [LZ_BITS-1:0] leading_zeros(logic [WIN-1:0] total,
                                                       logic [ExpBits-1:0] limit);
    // verilator no_inline_task
    logic [PADDED-1:0] any[LZ_BITS];
    logic [LZ_BITS-1:0] count;
    // any[l][i]: is there a one among the 2^l bits from i upwards?
    any[0] = {total | WIN'({1'b1, {(WIN - 1) {1'b0}}} >> limit), {(PADDED - WIN) {1'b1}}};
    for (int unsigned l = 1; l < LZ_BITS; l++) any[l] = any[l-1] | (any[l-1] >> (1 << (l - 1)));
    for (int l = int'(LZ_BITS) - 1; l >= 0; l--) begin
      count[l] = ~any[l][1<<l];
      for (int m = 0; m < l; m++) any[m] = count[l] ? any[m] : any[m] >> (1 << l);
    end
    return count;
  endfunction

  always_comb begin : p_add
    logic [WIN-1:0] addend;
    sum_d   = '0;
    shift_d = '0;
    addend  = '0;
    if (`NOCCL_IS_READ(sum_i)) begin
      addend = {1'b0, smaller} ^ {WIN{common.is_difference}};
      // One place below the sum brings the carry in.
      sum_d  = WIN'(({1'b0, larger, 3'b0, 1'b1} + {addend, common.is_difference}) >> 1);
      if (CountEarly) shift_d = leading_zeros(sum_d, exponent);
    end
  end

  if (CutSum) begin : gen_cut_sum
    logic [WIN-1:0] sum_q;
    logic [ExpBits-1:0] exponent_q;
    common_t common_q;
    always_ff @(posedge clk_i) begin
      if (sum_i) begin
        sum_q <= sum_d;
        shift_q <= shift_d;
        exponent_q <= exponent;
        common_q <= common;
      end
    end
    assign sum = sum_q;
    assign sum_exponent = exponent_q;
    assign sum_common = common_q;
  end else begin : gen_no_cut_sum
    assign sum = sum_d;
    assign shift_q = shift_d;
    assign sum_exponent = exponent;
    assign sum_common = common;
  end

  // ----------------------------------------------------------------------------------- normalise, round

  // A sum whose leading one is at most two places down, shifted and rounded.
  function automatic logic [MAG-1:0] rounded(logic [WIN-1:0] total, logic [1:0] shift,
                                             logic [ExpBits-1:0] exponent_of_larger,
                                             logic [ManBits+3:0] half);
    // verilator no_inline_task
    logic [SIG-1:0] normal;
    logic [ExpBits-1:0] before_carry, after_carry;
    logic [SIG:0] nearest;
    logic is_tie, rounds_up;
    // The leading one falls out.
    normal = SIG'(shift[1] ? total << 2 : shift[0] ? total << 1 : total);
    before_carry = exponent_of_larger + ExpBits'(shift == 2'd0) - ExpBits'(shift[1]);
    after_carry = exponent_of_larger + ExpBits'(shift == 2'd0) + ExpBits'(!shift[1]);
    if (ManBits > LONG) begin
      // The unit in the last place has one position only: whether to round up and what it gives are asked at once.
      rounds_up = normal[3] && (normal[4] || (|normal[2:0]));
      nearest   = {1'b0, normal[SIG-1:4], 4'b0};
      if (rounds_up) nearest = {(SIG - 3)'(normal[SIG-1:4]) + (SIG - 3)'(1'b1), 4'b0};
    end else begin
      // A carry out of the mantissa leaves zeros there.
      nearest = {1'b0, normal[SIG-1:0]} + {1'b0, half};
      // In the middle between two numbers the upper one has been chosen: take the even one.
      is_tie  = |(normal[ManBits+3:0] & half) & ~|(normal[ManBits+3:0] & (half - 1'b1));
      if (is_tie) nearest &= ~{half, 1'b0};
    end
    if (&before_carry) return {{ExpBits{1'b1}}, {ManBits{1'b0}}};
    return {nearest[ManBits+4] ? after_carry : before_carry, ManBits'(nearest >> 4)};
  endfunction

  // Shifted by three places or more, or as far as subnormal numbers go: exact.
  function automatic logic [MAG-1:0] shifted_far(logic [WIN-1:0] total, logic [LZ_BITS-1:0] shift,
                                                 logic [ExpBits-1:0] exponent_of_larger);
    // verilator no_inline_task
    logic [WIN-1:0] normal;
    logic [ExpBits-1:0] normal_exponent;
    normal = total << shift;
    normal_exponent = exponent_of_larger + ExpBits'(1'b1) - ExpBits'(shift);
    return {normal_exponent & {ExpBits{normal[WIN-1]}}, ManBits'(normal >> 4)};
  endfunction

  // Places 0, 1, 2 of the leading one: one bit, or none if it stands further down. An exponent of 1 has no third place:
  // what would be shifted there is subnormal.
  function automatic logic [2:0] first_places(logic [WIN-1:0] total, logic [ExpBits-1:0] limit);
    // verilator no_inline_task
    logic first, second;
    first  = total[WIN-1];
    second = total[WIN-2];
    return {total[WIN-3] & ~second & ~first & (limit != ExpBits'(1'b1)), second & ~first, first};
  endfunction

  always_comb begin : p_round
    logic [LZ_BITS-1:0] shift;
    logic [2:0] place;
    {sign_o, nan_o, has_inf_o} = '0;
    magnitude_o = '0;
    shift = '0;
    place = '0;
    if (`NOCCL_IS_READ(round_i)) begin
      shift = CountEarly ? shift_q : leading_zeros(sum, sum_exponent);
      // Rounding does not wait for the count of zeros.
      place = first_places(sum, sum_exponent);
      if (place != '0) magnitude_o = rounded(sum, place[2:1], sum_exponent, half_i);
      else magnitude_o = shifted_far(sum, shift, sum_exponent);
      sign_o = sum_common.sign & (~sum_common.is_difference | (|sum) | sum_common.has_inf);
      nan_o = sum_common.is_nan;
      has_inf_o = sum_common.has_inf;
    end
  end

  `NOCCL_ASSERT_INIT(ExponentInRange, ExpBits >= 4 && ExpBits <= 11)
  `NOCCL_ASSERT_INIT(MantissaInRange, ManBits >= 2 && ManBits <= 52)

endmodule
