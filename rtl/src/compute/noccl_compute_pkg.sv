// SPDX-License-Identifier: Apache-2.0
// What the compute slice can be built for, how long an operation takes and which operations are refused.
//
// Element types and operators are those of the flits. Codes without a meaning never do harm: they are refused.
// Mirror: noccl-workload, number/mod.rs; latencies: `cluster.fpu` of the presets. Source: S1, section 3.2.1.
package noccl_compute_pkg;

  typedef noccl_number_pkg::element_e element_e;
  typedef noccl_number_pkg::operator_e operator_e;

  /// What is asked for.
  typedef struct packed {
    operator_e op;
    element_e  element;
  } operation_t;

  /// Why a result holds nothing.
  typedef enum logic [1:0] {
    REFUSAL_NONE     = 2'd0,  // it holds the result
    REFUSAL_ELEMENT  = 2'd1,  // the element type has no code or was not built
    REFUSAL_OPERATOR = 2'd2   // the operator has no code or is not for this element type
  } refusal_e;

  /// A core's operation with its operands, elements from the lowest bits upwards.
  typedef struct packed {
    operation_t  operation;
    logic [63:0] a;
    logic [63:0] b;
  } core_request_t;

  /// Its result, zero if refused.
  typedef struct packed {
    logic [63:0] data;
    refusal_e    refusal;
  } core_result_t;

  /// Set of element types: bit i stands for the type of code i.
  typedef logic [9:0] element_set_t;

  localparam element_set_t ALL_ELEMENTS = 10'h3ff;
  localparam element_set_t ELEMENTS_64 = 10'h201;
  localparam element_set_t ELEMENTS_32 = 10'h102;
  /// Floats that are added within one cycle, by the same adders.
  localparam element_set_t SMALL_FLOATS = 10'h03c;
  /// Those of 8 bits.
  localparam element_set_t TINY_FLOATS = 10'h030;

  /// Cycles from the acceptance of operands to the result.
  localparam int unsigned CYCLES_64 = 3;
  localparam int unsigned CYCLES_32 = 2;
  localparam int unsigned CYCLES_16 = 1;

  /// Is the type in the set? Codes that stand for nothing never are.
  function automatic logic holds(element_set_t set, element_e element);
    return 1'({6'b0, set} >> element);
  endfunction

  /// Is it this type, and is the type in the set? A constant if it is not.
  function automatic logic is_one(element_set_t set, element_e element, element_e which);
    return holds(set, which) && element == which;
  endfunction

  /// Is it one of the floating-point types?
  function automatic logic is_float(element_e element);
    return element < noccl_number_pkg::ELEM_INT8;
  endfunction

  /// Binary logarithm of the bytes of an element.
  function automatic logic [1:0] log2_bytes(element_e element);
    unique case (element)
      noccl_number_pkg::ELEM_FP64, noccl_number_pkg::ELEM_INT64: return 2'd3;
      noccl_number_pkg::ELEM_FP32, noccl_number_pkg::ELEM_INT32: return 2'd2;
      noccl_number_pkg::ELEM_FP16, noccl_number_pkg::ELEM_BF16, noccl_number_pkg::ELEM_INT16:
      return 2'd1;
      noccl_number_pkg::ELEM_FP8_E4M3, noccl_number_pkg::ELEM_FP8_E5M2, noccl_number_pkg::ELEM_INT8:
      return 2'd0;
      default: return 2'd0;
    endcase
  endfunction

  /// What is wrong with an operation, for a unit that was built for `set`.
  function automatic refusal_e refusal_of(element_set_t set, operation_t operation);
    operator_e last;
    last = is_float(operation.element) ? noccl_number_pkg::OP_MAX : noccl_number_pkg::OP_OR;
    return !holds(
        set, operation.element
    ) ? REFUSAL_ELEMENT : operation.op > last ? REFUSAL_OPERATOR : REFUSAL_NONE;
  endfunction

  /// Cycles to the result of an operation; to a refusal it is one.
  function automatic logic [1:0] cycles_of(element_set_t set, operation_t operation);
    if (refusal_of(set, operation) != REFUSAL_NONE) return 2'(CYCLES_16);
    if (holds(ELEMENTS_64, operation.element)) return 2'(CYCLES_64);
    if (holds(ELEMENTS_32, operation.element)) return 2'(CYCLES_32);
    return 2'(CYCLES_16);
  endfunction

  /// Is any of these types in the set?
  function automatic logic meets(element_set_t set, element_set_t some);
    return (set & some) != '0;
  endfunction

  /// Longest latency of any type in the set: the depth of a pipeline for it.
  function automatic int unsigned depth_of(element_set_t set);
    if (meets(set, ELEMENTS_64)) return CYCLES_64;
    if (meets(set, ELEMENTS_32)) return CYCLES_32;
    return CYCLES_16;
  endfunction

  /// Exponent bits of an adder for all small floats of the set.
  function automatic int unsigned exponent_bits(element_set_t set);
    // E4M3 counts with all exponents of its four bits; the sum of its largest numbers takes a fifth.
    return holds(set, noccl_number_pkg::ELEM_BF16) ? 8 : 5;
  endfunction

  /// Mantissa bits, without the hidden one, of an adder for all small floats of the set.
  function automatic int unsigned mantissa_bits(element_set_t set);
    if (holds(set, noccl_number_pkg::ELEM_FP16)) return 10;
    if (holds(set, noccl_number_pkg::ELEM_BF16)) return 7;
    return holds(set, noccl_number_pkg::ELEM_FP8_E4M3) ? 3 : 2;
  endfunction

endpackage
