// SPDX-License-Identifier: Apache-2.0
// Paths along a row of routers with bypass, for everything that the routers may ask for and know: one flit per link, each flight ends once within its
// limit, and what a router is told to expect is the flit that comes.
//
// Router r's own flit bears the tag r. The row is longer than a path, so what is at both sides of a path is in it. All of it is combinational.

`include "noccl_assert.svh"

module noccl_smart_line_props
  import noccl_smart_pkg::*;
#(
    /// Requests from farther away win, but in cycles with the order of `local`.
    parameter bit IsBypassFirst = 1'b0,
    /// Routers of the row.
    parameter int unsigned NumRouters = HPC_MAX + 2,
    localparam int unsigned NumLooks = IsBypassFirst ? HPC_MAX : 1
) (
    /// Clock.
    input logic                         clk_i,
    /// The order of `local`.
    input logic                         is_local_i,
    /// By router: a flit asks; class, whether routers count it, its number, and how far it could go.
    input logic        [NumRouters-1:0] asks_i,
    input kind_e                        kind_i         [NumRouters],
    input logic        [NumRouters-1:0] is_counted_i,
    input flit_count_t                  index_i        [NumRouters],
    input hops_t                        limit_i        [NumRouters],
    /// In the order of `bypass`: its crossbar input is not taken by a request of another line.
    input logic        [NumRouters-1:0] has_input_i,
    /// What routers know.
    input logic        [NumRouters-1:0] input_is_used_i,
    input class_set_t                   open_i         [NumRouters],
    input logic        [  NumLooks-1:0] later_ends_i   [NumRouters],
    input logic        [  NumLooks-1:0] is_last_i      [NumRouters]
);

  typedef logic [NumRouters-1:0] routers_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Between routers: element r goes into router r.
  requests_t requests[NumRouters+1];
  crossing_t crossing[NumRouters+1];
  request_t own[NumRouters], coming[NumRouters];
  logic is_local;
  routers_t granted, is_won, passes, goes_further;
  // Of what comes: its look, and what the router knows of it.
  logic [NumLooks-1:0] coming_look[NumRouters];
  routers_t comes_by_its_look, ends, is_last;

  assign is_local = !IsBypassFirst || is_local_i;
  assign requests[0] = '0;
  assign crossing[0] = '0;

  for (genvar r = 0; r < int'(NumRouters); r++) begin : gen_router
    request_t look[NumLooks];
    logic later_ends[NumLooks], last[NumLooks], chosen[NumLooks];
    always_comb begin : p_own
      own[r] = '0;
      if (asks_i[r]) begin
        own[r].valid = 1'b1;
        own[r].header.kind = kind_i[r];
        own[r].header.is_counted = is_counted_i[r];
        own[r].header.tag = tag_t'(r);
        own[r].index = index_i[r];
        own[r].limit = limit_i[r];
      end
      comes_by_its_look[r] = 1'b0;
      ends[r] = 1'b0;
      is_last[r] = 1'b0;
      for (int unsigned n = 0; n < NumLooks; n++) begin
        coming_look[r][n] = chosen[n];
        if (chosen[n]) begin
          comes_by_its_look[r] = look[n].valid && look[n].header.tag == coming[r].header.tag;
          ends[r] = later_ends_i[r][n];
          is_last[r] = is_last_i[r][n];
        end
      end
    end
    // As in noccl_smart_router.
    assign granted[r] = own[r].valid && !is_won[r] && (is_local || has_input_i[r]);
    for (genvar n = 0; n < int'(NumLooks); n++) begin : gen_look
      assign later_ends[n] = later_ends_i[r][n];
      assign last[n] = is_last_i[r][n];
    end

    noccl_smart_line #(
        .IsBypassFirst(IsBypassFirst)
    ) u_line (
        .clk_i,
        .rst_ni,
        .is_local_i      (is_local),
        .requests_i      (requests[r]),
        .requests_o      (requests[r+1]),
        .crossing_i      (crossing[r]),
        .crossing_o      (crossing[r+1]),
        .own_i           (own[r]),
        .own_is_granted_i(granted[r]),
        .input_is_used_i (input_is_used_i[r]),
        .open_i          (open_i[r]),
        .look_o          (look),
        .later_ends_i    (later_ends),
        .is_last_i       (last),
        .is_won_o        (is_won[r]),
        .coming_o        (coming[r]),
        .coming_look_o   (chosen),
        .passes_o        (passes[r]),
        .goes_further_o  (goes_further[r]),
        .seen_o          ()
    );

    `NOCCL_ASSUME(GoesOneHopAtLeast, limit_i[r] >= hops_t'(1) && limit_i[r] <= hops_t'(HPC_MAX))
    `NOCCL_ASSUME(StaysInTheRow, !asks_i[r] || r + int'(limit_i[r]) < int'(NumRouters))
    `NOCCL_ASSUME(KnownKind, kind_i[r] <= MULTICAST)
  end

  // ---------------------------------------------------------------------------------------------------- flights

  // By router at which a flight begins: links that it crosses, by the router before each, and routers where it is latched.
  routers_t crosses[NumRouters], latched[NumRouters];
  always_comb begin
    for (int unsigned s = 0; s < NumRouters; s++) begin
      crosses[s] = '0;
      latched[s] = '0;
      crosses[s][s] = granted[s];
      for (int unsigned r = s + 1; r < NumRouters; r++) begin
        logic comes;
        comes = crosses[s][r-1] && coming[r].valid && coming[r].header.tag == tag_t'(s);
        crosses[s][r] = comes && passes[r];
        latched[s][r] = comes && !passes[r];
      end
    end
  end

  function automatic logic [31:0] number(routers_t routers);
    number = '0;
    for (int unsigned r = 0; r < NumRouters; r++) number += 32'(routers[r]);
  endfunction

  routers_t is_shared, is_mistaken, is_unsure, is_endless, is_too_long, is_pushed, is_misled;
  routers_t is_deceived;
  always_comb begin
    for (int unsigned r = 0; r < NumRouters; r++) begin
      routers_t flights, expected, could_go_on;
      logic is_first;
      is_first = coming[r].index == '0;
      for (int unsigned s = 0; s < NumRouters; s++) begin
        flights[s] = crosses[s][r];
        expected[s] = r > 0 && crosses[s][r-(r>0?1 : 0)] && coming[r].header.tag == tag_t'(s);
        could_go_on[s] = expected[s] && s + 32'(limit_i[s]) > r;
      end
      // What crosses a link is one flight, of which both ends know.
      is_shared[r] = !$onehot0(flights) || crossing[r+1].valid != (flights != '0);
      // What is expected is what crosses the link before.
      is_mistaken[r] = coming[r].valid && !$onehot(expected);
      is_unsure[r] = coming[r].valid && (!$onehot(coming_look[r]) || !comes_by_its_look[r]);
      is_endless[r] = granted[r] && !$onehot(latched[r]);
      is_too_long[r] = number(crosses[r]) > 32'(limit_i[r]);
      // It could be latched at the next router, and no contribution leaves those behind that are awaited. Later flits follow the one before, in
      // the order of `bypass` by their limit.
      is_pushed[r] = passes[r] && (is_first ? !open_i[r][coming[r].header.kind] ||
          (coming[r].header.is_counted && !is_last[r]) : !IsBypassFirst && ends[r]);
      // It uses what the router uses itself.
      is_misled[r] = passes[r] && (is_local ? own[r].valid || input_is_used_i[r] : !is_won[r]);
      is_deceived[r] = coming[r].valid && goes_further[r] != (could_go_on != '0);
    end
  end

  `NOCCL_ASSERT(OneFlightCrossesALink, is_shared == '0)
  `NOCCL_ASSERT(WhatIsExpectedIsWhatComes, is_mistaken == '0)
  `NOCCL_ASSERT(RoutersLookAtWhatComes, is_unsure == '0)
  `NOCCL_ASSERT(FlightsEndInOneLatch, is_endless == '0)
  `NOCCL_ASSERT(FlightsEndWithinTheirLimit, is_too_long == '0)
  `NOCCL_ASSERT(FlitsPassWhereTheyCouldBeLatched, is_pushed == '0)
  `NOCCL_ASSERT(FlitsPassWhereNothingIsUsed, is_misled == '0)
  `NOCCL_ASSERT(RoutersKnowWhoCouldGoFurther, is_deceived == '0)

endmodule
