// SPDX-License-Identifier: Apache-2.0
// One of the eight units of a compute slice: arithmetic on 64 bits of elements, in a pipeline of up to three stages.
//
// Stage s holds what was accepted at least s cycles ago. Results of 8- and 16-bit elements, and all that needs no
// rounding, are known at stage 1, sums of FP32 at stage 2, sums of FP64 at stage 3; a result that is known early rides
// along behind slower ones. Each width has its own adders, since S1's latencies differ: one adder for all widths would
// be needed by an FP64 sum in its third cycle and by an FP16 sum in its first at once.
//
// Latency: the result of an operation shows at stage s (`result_o[s-1]`) once it has come there and s is at least the
// latency of its element. One operation per cycle. Combinational paths: none from inputs to `result_o`.
// When an operation moves is decided outside (`noccl_compute_control`), for all lanes of a row alike or apart.
// Source: S1, section 3.2.1. Mirror: noccl-workload, number/fold.rs.
`include "noccl_assert.svh"

module noccl_compute_lane #(
    /// Element types it is built for.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// Stages; derived, not to be set.
    localparam int unsigned Depth = noccl_compute_pkg::depth_of(Elements)
) (
    /// Clock. The data path has no reset.
    input logic clk_i,
    /// An operation enters stage 1 at the end of this cycle.
    input logic start_i,
    /// Operator and element type; ignored without `start_i`. What it is not built for gives zero.
    input noccl_compute_pkg::operation_t operation_i,
    /// Operand, elements from the lowest bits upwards; ignored without `start_i`.
    input logic [63:0] a_i,
    /// The other operand.
    input logic [63:0] b_i,
    /// Bit s-1: what is in stage s moves to stage s+1 at the end of this cycle; never for the last stage.
    input logic [Depth-1:0] move_i,
    /// Results at the stages, lowest stage first.
    output logic [63:0] result_o[Depth]
);

  localparam bit HAS_FP64 = Elements[noccl_number_pkg::ELEM_FP64];
  localparam bit HAS_FP32 = Elements[noccl_number_pkg::ELEM_FP32];
  localparam noccl_compute_pkg::element_set_t SMALL = Elements & noccl_compute_pkg::SMALL_FLOATS;
  // Formats of 8 bits, two of which share 16 bits of the operands.
  localparam noccl_compute_pkg::element_set_t TINY = Elements & noccl_compute_pkg::TINY_FLOATS;

  // What is asked for, if anything: `start_i` comes late and decides only what is kept.
  logic is_legal, is_float_sum, is_sum64, is_sum32, is_small, is_tiny, is_alu;
  noccl_compute_pkg::element_e element;
  assign element = operation_i.element;
  assign is_legal = noccl_compute_pkg::refusal_of(
      Elements, operation_i
  ) == noccl_compute_pkg::REFUSAL_NONE;
  assign is_float_sum = is_legal && operation_i.op == noccl_number_pkg::OP_SUM &&
      noccl_compute_pkg::is_float(
      element
  );
  assign is_sum64 = is_float_sum && HAS_FP64 && element == noccl_number_pkg::ELEM_FP64;
  assign is_sum32 = is_float_sum && HAS_FP32 && element == noccl_number_pkg::ELEM_FP32;
  assign is_small = is_float_sum && noccl_compute_pkg::holds(SMALL, element);
  assign is_tiny = is_float_sum && noccl_compute_pkg::holds(TINY, element);
  assign is_alu = is_legal && !is_float_sum;

  // ----------------------------------------------------------------------------------- known at stage 1

  logic [63:0] alu_result, small_sum;

  noccl_simd_alu #(
      .Elements(Elements)
  ) u_alu (
      .valid_i(start_i && is_alu),
      .element_i(element),
      .operator_i(operation_i.op),
      .a_i,
      .b_i,
      .result_o(alu_result)
  );

  if (SMALL != '0) begin : gen_small
    for (genvar i = 0; i < 4; i++) begin : gen_half_word
      logic [15:0] low_sum, high_sum;
      noccl_fp_add_small #(
          .Elements(SMALL)
      ) u_low (
          .valid_i(start_i && is_small),
          .element_i(element),
          .a_i(a_i[16*i+:16]),
          .b_i(b_i[16*i+:16]),
          .sum_o(low_sum)
      );
      if (TINY != '0) begin : gen_high
        noccl_fp_add_small #(
            .Elements(TINY)
        ) u_high (
            .valid_i(start_i && is_tiny),
            .element_i(element),
            .a_i({8'b0, a_i[16*i+8+:8]}),
            .b_i({8'b0, b_i[16*i+8+:8]}),
            .sum_o(high_sum)
        );
      end else begin : gen_no_high
        assign high_sum = '0;
      end
      assign small_sum[16*i+:16] = low_sum | (is_tiny ? high_sum << 8 : 16'b0);
    end
  end else begin : gen_no_small
    assign small_sum = '0;
  end

  // What is refused gives zero.
  logic [63:0] stage1_d, stage1_q;
  assign stage1_d = is_small ? small_sum : is_alu ? alu_result : '0;
  always_ff @(posedge clk_i) begin
    if (start_i && !is_sum64 && !is_sum32) stage1_q <= stage1_d;
  end
  assign result_o[0] = stage1_q;

  // ----------------------------------------------------------------------------------- known at stage 2

  if (Depth >= 2) begin : gen_stage2
    logic is_sum32_q, is_sum64_q;
    logic [63:0] sum32, stage2_d, stage2_q;

    always_ff @(posedge clk_i) begin
      if (start_i) begin
        is_sum32_q <= is_sum32;
        is_sum64_q <= is_sum64;
      end
    end

    if (HAS_FP32) begin : gen_fp32
      for (genvar i = 0; i < 2; i++) begin : gen_word
        noccl_fp_add_ieee #(
            .ExpBits (8),
            .ManBits (23),
            .CutAlign(1'b0),
            .CutSum  (1'b1)
        ) u_add (
            .clk_i,
            .align_i(start_i && is_sum32),
            .sum_i(start_i && is_sum32),
            .round_i(move_i[0] && is_sum32_q),
            .a_i(a_i[32*i+:32]),
            .b_i(b_i[32*i+:32]),
            .sum_o(sum32[32*i+:32])
        );
      end
    end else begin : gen_no_fp32
      assign sum32 = '0;
    end

    assign stage2_d = is_sum32_q ? sum32 : stage1_q;
    always_ff @(posedge clk_i) begin
      if (move_i[0] && !is_sum64_q) stage2_q <= stage2_d;
    end
    assign result_o[1] = stage2_q;

    // --------------------------------------------------------------------------------- known at stage 3

    if (Depth >= 3) begin : gen_stage3
      logic is_late_q;
      logic [63:0] sum64, stage3_d, stage3_q;

      always_ff @(posedge clk_i) begin
        if (move_i[0]) is_late_q <= is_sum64_q;
      end

      if (HAS_FP64) begin : gen_fp64
        noccl_fp_add_ieee #(
            .ExpBits (11),
            .ManBits (52),
            .CutAlign(1'b1),
            .CutSum  (1'b1)
        ) u_add (
            .clk_i,
            .align_i(start_i && is_sum64),
            .sum_i  (move_i[0] && is_sum64_q),
            .round_i(move_i[1] && is_late_q),
            .a_i,
            .b_i,
            .sum_o  (sum64)
        );
      end else begin : gen_no_fp64
        assign sum64 = '0;
      end

      assign stage3_d = is_late_q ? sum64 : stage2_q;
      always_ff @(posedge clk_i) begin
        if (move_i[1]) stage3_q <= stage3_d;
      end
      assign result_o[2] = stage3_q;
    end
  end

  `NOCCL_ASSERT_INIT(AnyElement, Elements != '0)

endmodule
