// SPDX-License-Identifier: Apache-2.0
// Textbook arithmetic between registers: what the flow of synthesis makes of steps that everybody
// knows, as a reference for the timing paths of the other modules.
//
// Latency: two cycles.

module noccl_timing_reference #(
    /// 0: sum, 1: right shift, 2: leading zeros, 3: product.
    parameter int unsigned Kind = 0
) (
    /// Clock.
    input  logic        clk_i,
    /// Operand, a cycle earlier.
    input  logic [63:0] a_i,
    /// Operand, a cycle earlier.
    input  logic [63:0] b_i,
    /// Result, a cycle later.
    output logic [63:0] result_o
);

  logic [63:0] a_q, b_q, result;

  always_comb begin : p_result
    result = '0;
    unique case (Kind)
      0: result = a_q + b_q;
      1: result = a_q >> b_q[5:0];
      2: begin
        // The highest one wins.
        for (int unsigned i = 0; i < 64; i++) if (a_q[i]) result = 64'(63 - i);
      end
      default: result = 64'(a_q[31:0]) * 64'(b_q[31:0]);
    endcase
  end

  always_ff @(posedge clk_i) begin
    a_q <= a_i;
    b_q <= b_i;
    result_o <= result;
  end

endmodule
