// SPDX-License-Identifier: Apache-2.0
//
// Global allocation of a router on one line: which flit crosses the link behind an output, and what
// comes in by the input opposite to it.
//
// Every router of a line sees the requests of those up to `HPC_MAX` hops before it. In the order of
// priority `local` a path ends at the first router that uses the output or the crossbar input
// itself, so the nearest request is the only one whose flit can come. In the order of priority
// `bypass` the request from farthest away that could go on wins the output, and with it the
// crossbar input, though nobody here knows whether its flit has been stopped before. Whether it
// comes is told from router to router.
//
// Latency: none; what crosses is registered by the router. Combinational paths: requests and
// crossing of the router before to those of the next one: a gate for each hop behind the choice of
// the request.
// Mirror: crates/noccl-sim/src/router/smart (traverse.rs `passes`, contend.rs `share_line`).
// Source: S2, section II.

`include "noccl_assert.svh"

module noccl_smart_line
  import noccl_smart_pkg::*;
#(
    /// Requests from farther away win, but in cycles with the order of `local`.
    parameter bit IsBypassFirst = 1'b0,
    /// Requests that are looked at in a cycle: all of the line, or the nearest.
    parameter int unsigned NumLooks = IsBypassFirst ? HPC_MAX : 1
) (
    /// Clock.
    input  logic       clk_i,
    /// Asynchronous reset, active low.
    input  logic       rst_ni,
    /// The order of `local`; always so without `IsBypassFirst`.
    input  logic       is_local_i,
    /// Requests of the routers before this one: element i of that i + 1 hops away.
    input  requests_t  requests_i,
    output requests_t  requests_o,
    /// A flit crosses the link into this router, or out of it.
    input  crossing_t  crossing_i,
    output crossing_t  crossing_o,
    /// This router's own request, and whether it is granted.
    input  request_t   own_i,
    input  logic       own_is_granted_i,
    /// In the order of `local`: the router uses the crossbar input itself.
    input  logic       input_is_used_i,
    /// Classes with a free channel at the next router.
    input  class_set_t open_i,
    /// Requests that are looked at, and what the input and the reduction table know of them: the
    /// packet's flits go on from here by themselves, exactly one contribution is to come.
    output request_t   look_o          [NumLooks],
    input  logic       later_ends_i    [NumLooks],
    input  logic       is_last_i       [NumLooks],
    /// A request from farther away has won the output, and the crossbar input (order of `bypass`).
    output logic       is_won_o,
    /// The flit that comes in, which of the requests that are looked at it is, and whether it goes
    /// on over the output.
    output request_t   coming_o,
    output logic       coming_look_o   [NumLooks],
    output logic       passes_o,
    /// It could go on by its own limit.
    output logic       goes_further_o,
    /// The flit on the link behind the output, a cycle later, for tests.
    output seen_t      seen_o
);

  // Requests that go on by their own limit.
  distance_t valid, reaches;
  for (genvar d = 0; d < int'(HPC_MAX); d++) begin : gen_lane
    assign valid[d] = requests_i[d].valid;
    // From the farthest one nothing goes on.
    if (d + 1 < int'(HPC_MAX)) begin : gen_reaches
      assign reaches[d] = requests_i[d].valid && requests_i[d].limit > hops_t'(d + 1);
    end else begin : gen_ends
      assign reaches[d] = 1'b0;
    end
    if (d == 0) begin : gen_own
      assign requests_o[d] = own_i;
    end else begin : gen_other
      assign requests_o[d] = requests_i[d-1];
    end
  end

  distance_t nearest;
  assign nearest = valid & (~valid + 1'b1);

  function automatic request_t select(requests_t requests, distance_t which);
    request_t selected;
    selected = '0;
    for (int unsigned d = 0; d < HPC_MAX; d++) if (which[d]) selected |= requests[d];
    return selected;
  endfunction

  // A first flit needs a free channel where it could be latched next; a contribution that routers
  // count has to be the last one.
  function automatic logic can_pass(request_t request, class_set_t open, logic ends, logic is_last);
    // Later flits follow the one before: to where the packet goes on by itself, or as far as they have been told by their limit.
    if (request.index != '0) return IsBypassFirst || !ends;
    return open[request.header.kind] && (!request.header.is_counted || is_last);
  endfunction

  logic is_comer_passing;
  distance_t comes_from;

  if (IsBypassFirst) begin : gen_bypass
    distance_t eligible, winner, passing;
    assign comes_from = crossing_i.distance;
    for (genvar d = 0; d < int'(HPC_MAX); d++) begin : gen_look
      assign look_o[d] = requests_i[d];
      assign eligible[d] = reaches[d] && can_pass(
          requests_i[d], open_i, later_ends_i[d], is_last_i[d]
      );
      // The highest one wins.
      assign winner[d] = eligible[d] && (eligible >> (d + 1)) == '0;
      assign passing[d] = is_local_i
          ? nearest[d] && eligible[d] && !own_i.valid && !input_is_used_i : winner[d];
      assign coming_look_o[d] = comes_from[d];
    end
    assign is_won_o = !is_local_i && eligible != '0;
    assign is_comer_passing = (comes_from & passing) != '0;
  end else begin : gen_local
    request_t near;
    assign near = select(requests_i, nearest);
    assign comes_from = nearest;
    assign look_o[0] = near;
    assign coming_look_o[0] = 1'b1;
    assign is_won_o = 1'b0;
    assign is_comer_passing = (reaches & nearest) != '0 && !own_i.valid && !input_is_used_i &&
        can_pass(
        near, open_i, later_ends_i[0], is_last_i[0]
    );
  end

  assign passes_o = crossing_i.valid && is_comer_passing;
  assign goes_further_o = (comes_from & reaches) != '0;
  always_comb begin : p_coming
    coming_o = IsBypassFirst ? select(requests_i, comes_from) : look_o[0];
    coming_o.valid = crossing_i.valid;
  end

  assign crossing_o.valid = own_is_granted_i || passes_o;
  // Only priority `bypass` needs it.
  assign crossing_o.distance = !IsBypassFirst ? '0
      : own_is_granted_i ? distance_t'(1) : distance_t'(comes_from << 1);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      seen_o <= '0;
    end else begin
      seen_o.valid <= crossing_o.valid;
      seen_o.tag   <= passes_o ? coming_o.header.tag : own_i.header.tag;
      seen_o.index <= passes_o ? coming_o.index : own_i.index;
    end
  end

  `NOCCL_ASSERT(ComesByARequest, !crossing_i.valid || (comes_from & valid) != '0)
  `NOCCL_ASSERT(OneFlitOnALink, !(own_is_granted_i && passes_o))

endmodule
