// SPDX-License-Identifier: Apache-2.0
// A lane between registers, so that timing analysis sees the paths from its operands to its first
// stage and from its stages to a result. The registers count in the area: 143 flip-flops in front,
// 64 behind.

module noccl_compute_lane_tb #(
    /// Element types, bit i for code i.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS
) (
    /// Clock.
    input  logic        clk_i,
    /// As in the lane, a cycle earlier.
    input  logic        start_i,
    /// Operator above element, a cycle earlier.
    input  logic [ 6:0] operation_i,
    /// Operand, a cycle earlier.
    input  logic [63:0] a_i,
    /// Operand, a cycle earlier.
    input  logic [63:0] b_i,
    /// As in the lane, a cycle earlier.
    input  logic [ 2:0] move_i,
    /// One-hot: the stage whose result is taken, a cycle earlier.
    input  logic [ 2:0] offer_i,
    /// The result, a cycle later.
    output logic [63:0] result_o
);

  localparam int unsigned DEPTH = noccl_compute_pkg::depth_of(Elements);

  logic start_q;
  noccl_compute_pkg::operation_t operation_q;
  logic [63:0] a_q, b_q, result_d;
  logic [2:0] move_q, offer_q;
  logic [63:0] result[DEPTH];

  always_ff @(posedge clk_i) begin
    start_q <= start_i;
    operation_q <= noccl_compute_pkg::operation_t'(operation_i);
    a_q <= a_i;
    b_q <= b_i;
    move_q <= move_i;
    offer_q <= offer_i;
    result_o <= result_d;
  end

  noccl_compute_lane #(
      .Elements(Elements)
  ) u_lane (
      .clk_i,
      .start_i(start_q),
      .operation_i(operation_q),
      .a_i(a_q),
      .b_i(b_q),
      .move_i(move_q[DEPTH-1:0]),
      .result_o(result)
  );

  always_comb begin : p_result
    result_d = '0;
    for (int s = 0; s < int'(DEPTH); s++) if (offer_q[s]) result_d |= result[s];
  end

endmodule
