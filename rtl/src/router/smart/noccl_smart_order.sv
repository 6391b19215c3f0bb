// SPDX-License-Identifier: Apache-2.0
//
// Whose requests go first in a cycle: with priority `bypass` those from farther away, but in every
// 16th cycle nearer ones, so that nobody waits for ever. All routers count alike from reset on.
//
// Mirror: `LOCAL_EVERY` in crates/noccl-sim/src/router/smart/contend.rs. S2 names no such bound.

module noccl_smart_order #(
    /// Requests from farther away go first.
    parameter bit IsBypassFirst = 1'b0
) (
    /// Clock.
    input  logic clk_i,
    /// Asynchronous reset, active low: cycle 0, which has the order of `local`.
    input  logic rst_ni,
    /// The order of `local`.
    output logic is_local_o
);

  localparam int unsigned LocalEvery = 16;

  if (IsBypassFirst) begin : gen_bypass
    logic [$clog2(LocalEvery)-1:0] cycle_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) cycle_q <= '0;
      else cycle_q <= cycle_q + 1'b1;
    end
    assign is_local_o = cycle_q == '0;
  end else begin : gen_local
    assign is_local_o = 1'b1;
  end

endmodule
