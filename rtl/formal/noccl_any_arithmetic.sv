// SPDX-License-Identifier: Apache-2.0
//
// Stands for the arithmetic of wide reductions in their proofs: takes requests and gives their results in order, after any time.

module noccl_any_arithmetic
  import noccl_collective_pkg::dca_tag_t, noccl_flit_pkg::wide_data_t;
#(
    /// Requests that it holds.
    parameter int unsigned Stages = 2
) (
    /// Clock.
    input  logic                              clk_i,
    /// Reset, active low.
    input  logic                              rst_ni,
    /// It would take a request, would have a result; anything.
    input  logic                              would_take_i,
    input  logic                              would_give_i,
    /// Requests, combined already.
    input  logic                              valid_i,
    output logic                              ready_o,
    input  dca_tag_t                          tag_i,
    input  wide_data_t                        combined_i,
    /// Results: the first of what it holds.
    output logic                              valid_o,
    input  logic                              ready_i,
    /// What it holds, the oldest first.
    output logic       [$clog2(Stages+1)-1:0] num_held_o,
    output dca_tag_t                          tag_o       [Stages],
    output wide_data_t                        data_o      [Stages]
);

  logic [$clog2(Stages+1)-1:0] after_exit;
  logic is_offered_q, exits, accepts;

  // A result that has been offered stays.
  assign valid_o = num_held_o != '0 && (would_give_i || is_offered_q);
  assign exits = valid_o && ready_i;
  assign ready_o = would_take_i && 32'(num_held_o) < Stages;
  assign accepts = valid_i && ready_o;
  assign after_exit = num_held_o - $bits(num_held_o)'(exits);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      num_held_o   <= '0;
      is_offered_q <= 1'b0;
    end else begin
      num_held_o   <= after_exit + $bits(num_held_o)'(accepts);
      is_offered_q <= valid_o && !exits;
    end
    for (int unsigned e = 0; e < Stages; e++) begin
      if (exits && e + 1 < Stages) begin
        tag_o[e]  <= tag_o[(e+1)%Stages];
        data_o[e] <= data_o[(e+1)%Stages];
      end
      if (accepts && 32'(after_exit) == e) begin
        tag_o[e]  <= tag_i;
        data_o[e] <= combined_i;
      end
    end
  end

endmodule
