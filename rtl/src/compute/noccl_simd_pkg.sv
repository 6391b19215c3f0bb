// SPDX-License-Identifier: Apache-2.0
// The functions of `noccl_simd_alu`: 64 bits of elements of 8 to 64 bits, without rounding.
//
// In a package, since a Verilated simulator has one copy of a package's function, but one of a
// module's per instance, and a mesh has hundreds of lanes. `set`, the floats that are built for, is
// constant wherever they are called.
// Mirror: noccl-workload, number/fold.rs and number/float.rs. Source: S1, section 3.2.1.

package noccl_simd_pkg;

  // The floats of an `element_set_t`: bit i for code i.
  typedef logic [5:0] float_set_t;

  // Per byte: does the highest byte of its element have this bit?
  function automatic logic [7:0] spread(logic [7:0] bits, logic [1:0] width);
    // verilator no_inline_task
    unique case (width)
      2'd3: return {8{bits[7]}};
      2'd2: return {{4{bits[7]}}, {4{bits[3]}}};
      2'd1: return {{2{bits[7]}}, {2{bits[5]}}, {2{bits[3]}}, {2{bits[1]}}};
      default: return bits;
    endcase
  endfunction

  // Per byte: is its element NaN?
  function automatic logic [7:0] nans(float_set_t set, logic [63:0] x,
                                      noccl_compute_pkg::element_e of);
    // verilator no_inline_task
    logic [7:0] nan;
    nan = '0;
    unique case (of)
      noccl_number_pkg::ELEM_FP64:
      nan = {8{set[3'(noccl_number_pkg::ELEM_FP64)] && (&x[62:52]) && (|x[51:0])}};
      noccl_number_pkg::ELEM_FP32:
      for (int i = 0; i < 2; i++)
      nan[4*i+:4] = {4{set[3'(noccl_number_pkg::ELEM_FP32)] && (&x[32*i+23+:8]) && (|x[32*i+:23])}};
      noccl_number_pkg::ELEM_FP16:
      for (int i = 0; i < 4; i++)
      nan[2*i+:2] = {2{set[3'(noccl_number_pkg::ELEM_FP16)] && (&x[16*i+10+:5]) && (|x[16*i+:10])}};
      noccl_number_pkg::ELEM_BF16:
      for (int i = 0; i < 4; i++)
      nan[2*i+:2] = {2{set[3'(noccl_number_pkg::ELEM_BF16)] && (&x[16*i+7+:8]) && (|x[16*i+:7])}};
      noccl_number_pkg::ELEM_FP8_E4M3:
      for (int i = 0; i < 8; i++) nan[i] = set[3'(noccl_number_pkg::ELEM_FP8_E4M3)] && (&x[8*i+:7]);
      noccl_number_pkg::ELEM_FP8_E5M2:
      for (int i = 0; i < 8; i++)
      nan[i] = set[3'(noccl_number_pkg::ELEM_FP8_E5M2)] && (&x[8*i+2+:5]) && (|x[8*i+:2]);
      noccl_number_pkg::ELEM_INT8, noccl_number_pkg::ELEM_INT16, noccl_number_pkg::ELEM_INT32,
      noccl_number_pkg::ELEM_INT64:
      nan = '0;
      default: nan = '0;
    endcase
    return nan;
  endfunction

  function automatic logic [63:0] canonical_nan(noccl_compute_pkg::element_e of);
    // verilator no_inline_task
    unique case (of)
      noccl_number_pkg::ELEM_FP64: return 64'h7ff8_0000_0000_0000;
      noccl_number_pkg::ELEM_FP32: return {2{32'h7fc0_0000}};
      noccl_number_pkg::ELEM_FP16: return {4{16'h7e00}};
      noccl_number_pkg::ELEM_BF16: return {4{16'h7fc0}};
      noccl_number_pkg::ELEM_FP8_E4M3: return {8{8'h7f}};
      noccl_number_pkg::ELEM_FP8_E5M2: return {8{8'h7e}};
      noccl_number_pkg::ELEM_INT8, noccl_number_pkg::ELEM_INT16, noccl_number_pkg::ELEM_INT32,
      noccl_number_pkg::ELEM_INT64:
      return '0;
      default: return '0;
    endcase
  endfunction

  function automatic logic [63:0] operate(float_set_t set, logic [63:0] a, logic [63:0] b,
                                          noccl_compute_pkg::element_e of, logic [1:0] width,
                                          logic signs_matter, noccl_compute_pkg::operator_e how);
    // verilator no_inline_task
    logic is_compare;
    // Per byte: highest of its element; sign of its element; a is at least b; NaN; a is the result.
    logic [7:0] top, a_sign, b_sign, at_least, a_nan, b_nan, takes_a;
    // Operands of the adder with gaps, in two halves, and its results with carry.
    logic [35:0] x[2], y[2], total[2];
    logic [36:0] low;
    logic [7:0] a_flip, b_flip;
    logic [63:0] canonical, result;
    is_compare = how == noccl_number_pkg::OP_MIN || how == noccl_number_pkg::OP_MAX;
    unique case (width)
      2'd3: top = 8'h80;
      2'd2: top = 8'h88;
      2'd1: top = 8'haa;
      default: top = 8'hff;
    endcase
    for (int i = 0; i < 8; i++) a_sign[i] = a[8*i+7];
    for (int i = 0; i < 8; i++) b_sign[i] = b[8*i+7];
    a_sign = spread(a_sign, width) & {8{signs_matter}};
    b_sign = spread(b_sign, width) & {8{signs_matter}};
    for (int i = 0; i < 8; i++) begin
      a_flip = {8{is_compare}} & ({8{a_sign[i]}} | {top[i], 7'b0});
      b_flip = {8{is_compare}} & ~({8{b_sign[i]}} |{top[i], 7'b0});
      x[i/4][9*(i%4)+:9] = {~top[i] | is_compare, a[8*i+:8] ^ a_flip};
      y[i/4][9*(i%4)+:9] = {top[i] & is_compare, b[8*i+:8] ^ b_flip};
    end
    low = {1'b0, x[0]} + {1'b0, y[0]} + 37'(is_compare);
    total[0] = low[35:0];
    total[1] = x[1] + y[1] + 36'(low[36]);
    for (int i = 0; i < 8; i++) at_least[i] = total[i/4][9*(i%4)+8];
    at_least = spread(at_least, width);
    a_nan = nans(set, a, of);
    b_nan = nans(set, b, of);
    takes_a = b_nan | (~a_nan & (at_least ^ {8{how == noccl_number_pkg::OP_MIN}}));
    canonical = canonical_nan(of);
    for (int i = 0; i < 8; i++) begin
      unique case (how)
        noccl_number_pkg::OP_SUM: result[8*i+:8] = total[i/4][9*(i%4)+:8];
        noccl_number_pkg::OP_AND: result[8*i+:8] = a[8*i+:8] & b[8*i+:8];
        noccl_number_pkg::OP_OR: result[8*i+:8] = a[8*i+:8] | b[8*i+:8];
        noccl_number_pkg::OP_MIN, noccl_number_pkg::OP_MAX:
        if (a_nan[i] && b_nan[i]) result[8*i+:8] = canonical[8*i+:8];
        else result[8*i+:8] = takes_a[i] ? a[8*i+:8] : b[8*i+:8];
        default: result[8*i+:8] = '0;
      endcase
    end
    return result;
  endfunction

endpackage
