// SPDX-License-Identifier: Apache-2.0
//
// Local allocation of a router with bypass: outputs for what its inputs have chosen, round robin for each output.
//
// Combinational paths: choices to what they get. An output's order moves behind the input whose flit is granted, which may be a cycle later
// or never: requests of others may win.
// Mirror: crates/noccl-sim/src/router/smart/allocate.rs (`allocate_at`, `arbitrate`). Source: S2, section II.

module noccl_smart_outputs
  import noccl_smart_pkg::*;
#(
    /// The orders of round robin see the grants of their own cycle.
    parameter bit IsLateChoice = 1'b0
) (
    /// Clock.
    input  logic      clk_i,
    /// Asynchronous reset, active low: North goes first.
    input  logic      rst_ni,
    /// Outputs for which each input asks, and those it gets.
    input  port_set_t asked_i[NUM_PORTS],
    output port_set_t given_o[NUM_PORTS],
    /// Outputs over which a flit of each input goes.
    input  port_set_t granted_i[NUM_PORTS]
);

  for (genvar o = 0; o < int'(NUM_PORTS); o++) begin : gen_output
    port_set_t asks, granted, from_q, from_d, from, in_order, some, first;
    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_input
      assign asks[p] = asked_i[p][o];
      assign granted[p] = granted_i[p][o];
      assign given_o[p][o] = first[p];
    end
    // Inputs behind the one that has been granted last.
    assign from_d = granted != '0 ? ~(granted | (granted - 1'b1)) : from_q;
    assign from = IsLateChoice ? from_d : from_q;
    assign in_order = asks & from;
    assign some = in_order != '0 ? in_order : asks;
    assign first = some & (~some + 1'b1);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) from_q <= '1;
      else from_q <= from_d;
    end
  end

endmodule
