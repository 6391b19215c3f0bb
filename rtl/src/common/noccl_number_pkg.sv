// SPDX-License-Identifier: Apache-2.0
//
// Operators and element types of reductions, for all networks.
//
// Numbers as in noccl-workload/src/number: the order is part of the contract with software.

package noccl_number_pkg;

  typedef enum logic [2:0] {
    OP_SUM = 3'd0,
    OP_MIN = 3'd1,
    OP_MAX = 3'd2,
    OP_AND = 3'd3,
    OP_OR  = 3'd4
  } operator_e;

  typedef enum logic [3:0] {
    ELEM_FP64     = 4'd0,
    ELEM_FP32     = 4'd1,
    ELEM_FP16     = 4'd2,
    ELEM_BF16     = 4'd3,
    ELEM_FP8_E4M3 = 4'd4,
    ELEM_FP8_E5M2 = 4'd5,
    ELEM_INT8     = 4'd6,
    ELEM_INT16    = 4'd7,
    ELEM_INT32    = 4'd8,
    ELEM_INT64    = 4'd9
  } element_e;

endpackage
