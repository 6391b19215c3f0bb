// SPDX-License-Identifier: Apache-2.0
// What the fork promises: a scoreboard of who took the item, kept outside.

`include "noccl_assert.svh"

module noccl_fork_props #(
    /// Outputs.
    parameter int unsigned NumOutputs = 5
) (
    /// Clock.
    input logic                  clk_i,
    /// An item waits.
    input logic                  valid_i,
    /// Its outputs.
    input logic [NumOutputs-1:0] select_i,
    /// The outputs that would take it.
    input logic [NumOutputs-1:0] ready_i
);

  logic rst_ni = 1'b0;
  logic ready;
  logic [NumOutputs-1:0] valid;
  // Outputs that have had the item.
  logic [NumOutputs-1:0] had_q;
  logic [NumOutputs-1:0] missing;

  noccl_fork #(
      .NumOutputs(NumOutputs)
  ) u_fork (
      .clk_i,
      .rst_ni,
      .valid_i,
      .select_i,
      .ready_o(ready),
      .valid_o(valid),
      .ready_i
  );

  // Once this cycle is over.
  assign missing = select_i & ~(had_q | (valid & ready_i));

  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni || (valid_i && ready)) begin
      had_q <= '0;
    end else begin
      had_q <= had_q | (valid & ready_i);
    end
  end

  `NOCCL_ASSERT(OffersOnlyToSelected, (valid & ~(valid_i ? select_i : '0)) == '0)
  `NOCCL_ASSERT(OffersNothingTwice, (valid & had_q) == '0)
  `NOCCL_ASSERT(OffersUntilTaken, !valid_i || (select_i & ~had_q & ~valid) == '0)
  `NOCCL_ASSERT(LeavesWhenAllHaveIt, !(valid_i && ready) || missing == '0)
  `NOCCL_ASSERT(LeavesAsSoonAsAllHaveIt, !valid_i || missing != '0 || ready)

endmodule
