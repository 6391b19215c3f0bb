// SPDX-License-Identifier: Apache-2.0
//
// How far a flit has gone, told backwards along its line in the cycle in which it crosses (priority
// `bypass`): with that order a request
// must not cover links behind the router where the flit before has been latched.
//
// Combinational paths: what the router behind tells to the router before: a gate for each hop.
// Mirror: `follow` in crates/noccl-sim/src/router/smart/traverse.rs. Source: S2, section II (later
// flits end where the head has ended).

module noccl_smart_beyond
  import noccl_smart_pkg::*;
(
    /// Clock.
    input  logic      clk_i,
    /// Asynchronous reset, active low.
    input  logic      rst_ni,
    /// What comes in opposite to the output goes on over it, in the next cycle.
    input  logic      passes_i,
    /// A bit for each hop that the flit on the output's link goes on behind the next router; the
    /// same of the flit that comes in.
    input  distance_t beyond_i,
    output distance_t beyond_o,
    /// Hops that a flit of this router has gone over the output.
    output hops_t     went_o
);

  logic passes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) passes_q <= 1'b0;
    else passes_q <= passes_i;
  end
  assign beyond_o = passes_q ? distance_t'({beyond_i, 1'b1}) : '0;
  always_comb begin : p_went
    went_o = hops_t'(1);
    for (int unsigned d = 0; d < HPC_MAX; d++) went_o += hops_t'(beyond_i[d]);
  end

endmodule
