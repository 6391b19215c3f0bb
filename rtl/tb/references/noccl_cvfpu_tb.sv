// SPDX-License-Identifier: Apache-2.0
// Additions, minima and maxima of cvfpu, one adder per format, each with a clock of its own: a simulator works on one only.

module noccl_cvfpu_tb (
    /// Clock per format, in the order of cvfpu.
    input  logic [ 5:0] clk_i,
    /// The format whose results are shown.
    input  logic [ 2:0] format_i,
    /// Operand, in the lowest bits.
    input  logic [63:0] a_i,
    /// The other operand.
    input  logic [63:0] b_i,
    /// Sum, rounded to nearest even.
    output logic [63:0] sum_o,
    /// Minimum.
    output logic [63:0] min_o,
    /// Maximum.
    output logic [63:0] max_o
);

  logic [63:0] sum[6], least[6], most[6];

  for (genvar f = 0; f < 6; f++) begin : gen_format
    localparam fpnew_pkg::fp_format_e Format = fpnew_pkg::fp_format_e'(f);
    localparam int unsigned Width = fpnew_pkg::fp_width(Format);

    logic [Width-1:0] a_q, b_q, total;
    logic [Width-1:0] chosen[2];

    always_ff @(posedge clk_i[f]) begin
      a_q <= a_i[Width-1:0];
      b_q <= b_i[Width-1:0];
    end

    // Adds its second and third operand.
    fpnew_fma #(
        .FpFormat(Format)
    ) u_add (
        .clk_i          (clk_i[f]),
        .rst_ni         (1'b1),
        .operands_i     ({b_q, a_q, Width'(0)}),
        .is_boxed_i     ('1),
        .rnd_mode_i     (fpnew_pkg::RNE),
        .op_i           (fpnew_pkg::ADD),
        .op_mod_i       (1'b0),
        .tag_i          (1'b0),
        .aux_i          (1'b0),
        .in_valid_i     (1'b1),
        .in_ready_o     (),
        .flush_i        (1'b0),
        .result_o       (total),
        .status_o       (),
        .extension_bit_o(),
        .tag_o          (),
        .aux_o          (),
        .out_valid_o    (),
        .out_ready_i    (1'b1),
        .busy_o         ()
    );

    // The rounding mode says which of the two.
    for (genvar m = 0; m < 2; m++) begin : gen_choice
      fpnew_noncomp #(
          .FpFormat(Format)
      ) u_choose (
          .clk_i          (clk_i[f]),
          .rst_ni         (1'b1),
          .operands_i     ({b_q, a_q}),
          .is_boxed_i     ('1),
          .rnd_mode_i     (m == 0 ? fpnew_pkg::RNE : fpnew_pkg::RTZ),
          .op_i           (fpnew_pkg::MINMAX),
          .op_mod_i       (1'b0),
          .tag_i          (1'b0),
          .aux_i          (1'b0),
          .in_valid_i     (1'b1),
          .in_ready_o     (),
          .flush_i        (1'b0),
          .result_o       (chosen[m]),
          .status_o       (),
          .extension_bit_o(),
          .class_mask_o   (),
          .is_class_o     (),
          .tag_o          (),
          .aux_o          (),
          .out_valid_o    (),
          .out_ready_i    (1'b1),
          .busy_o         ()
      );
    end

    assign sum[f]   = 64'(total);
    assign least[f] = 64'(chosen[0]);
    assign most[f]  = 64'(chosen[1]);
  end

  assign sum_o = sum[format_i];
  assign min_o = least[format_i];
  assign max_o = most[format_i];

endmodule
