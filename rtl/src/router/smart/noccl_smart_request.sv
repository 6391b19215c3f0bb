// SPDX-License-Identifier: Apache-2.0
//
// A router's own request for an output: the packet of the input that asks for it, and how far it
// could go.
//
// Latency: none, or with `IsRegistered` a cycle, so that requests begin at registers.
// Mirror: crates/noccl-sim/src/router/smart/traverse.rs (`path`, `reach`). Source: S2, section II.

module noccl_smart_request
  import noccl_smart_pkg::*;
#(
    /// The output.
    parameter int unsigned Out = NORTH,
    /// It is asked for a cycle later.
    parameter bit IsRegistered = 1'b0,
    /// Later flits go as far as the one before at most: `follow_i`.
    parameter bit HasFollow = 1'b0
) (
    /// Clock.
    input  logic     clk_i,
    /// Asynchronous reset, active low: no request.
    input  logic     rst_ni,
    /// Where the router lies; constant.
    input  coord_t   position_i,
    /// By input: what it asks for, of which packet, and how far the last flit over each output has
    /// gone.
    input  choice_t  asking_i  [NUM_PORTS],
    input  header_t  header_i  [NUM_PORTS],
    input  hops_t    follow_i  [NUM_PORTS][NUM_LINKS],
    /// At most one input asks for the output.
    output request_t own_o
);

  request_t own_d;
  always_comb begin : p_own
    own_d = '0;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      if (asking_i[p].outputs[Out]) begin
        own_d.valid = 1'b1;
        own_d.header |= header_i[p];
        own_d.index |= asking_i[p].index;
        own_d.limit |= HasFollow && asking_i[p].index != '0 ? follow_i[p][Out] : least(
            hops_along(Out, position_i, header_i[p]), most_hops(header_i[p])
        );
      end
    end
  end

  if (IsRegistered) begin : gen_registered
    request_t own_q;
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) own_q <= '0;
      else own_q <= own_d;
    end
    assign own_o = own_q;
  end else begin : gen_at_once
    assign own_o = own_d;
  end

endmodule
