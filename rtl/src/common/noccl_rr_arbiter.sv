// SPDX-License-Identifier: Apache-2.0
// Round-robin choice of one requester per cycle: the next one after the last that was served.
//
// Latency: the grant follows the requests in the same cycle. Throughput: one grant per cycle.
// Combinational paths: `request_i` to `grant_o` and `valid_o`; none from `ready_i` to any output.
// Promise: with requesters that wait, each is served within NumRequesters grants. The round-robin
// position is kept as the set of requesters behind the last one served: who goes before whom follows from
// it alone, so that a request passes one look at all others.
// Source: S1 uses round robin at its output ports and gives no start; ours is requester 0 as served.
// Mirror: crates/noccl-sim/src/router/collective/control/block.rs.

`include "noccl_assert.svh"

module noccl_rr_arbiter #(
    /// Requesters; at least 2.
    parameter int unsigned NumRequesters = 6
) (
    /// Clock.
    input  logic                     clk_i,
    /// Asynchronous reset, active low: requester 0 counts as served last.
    input  logic                     rst_ni,
    /// Who asks; each asks until it is served.
    input  logic [NumRequesters-1:0] request_i,
    /// At most one more requester, none of those in `request_i`.
    input  logic [NumRequesters-1:0] late_i,
    /// It asks. May come late in the cycle: only the last choice depends on it. Ignored without `late_i`.
    input  logic                     late_valid_i,
    /// Who is chosen: one of those who ask, none if nobody does.
    output logic [NumRequesters-1:0] grant_o,
    /// Somebody is chosen.
    output logic                     valid_o,
    /// The chosen one is served in this cycle; the position moves on. Ignored without `valid_o`.
    input  logic                     ready_i
);

  // Requesters above the last served one; requester 0 is above nobody.
  logic [NumRequesters-1:1] above_q, above_d;
  logic [NumRequesters-1:0] above, is_first, served;
  assign above = {above_q, 1'b0};

  // No other that asks goes before this one.
  for (genvar i = 0; i < int'(NumRequesters); i++) begin : gen_first
    logic [NumRequesters-1:0] ahead;
    for (genvar j = 0; j < int'(NumRequesters); j++) begin : gen_ahead
      // Of those on one side of the last served one the lower goes first; the upper side goes first.
      assign ahead[j] = j < i ? !above[i] || above[j] : j > i && above[j] && !above[i];
    end
    assign is_first[i] = (request_i & ahead) == '0;
  end

  // Without the late one, and whether that one goes before all others.
  logic [NumRequesters-1:0] early_grant, is_late_first;
  assign early_grant = request_i & is_first;
  assign is_late_first = late_i & is_first;

  assign grant_o = late_valid_i && is_late_first != '0 ? late_i : early_grant;
  assign valid_o = request_i != '0 || (late_valid_i && late_i != '0);
  assign served = ready_i ? grant_o : '0;

  for (genvar i = 1; i < int'(NumRequesters); i++) begin : gen_above
    assign above_d[i] = grant_o[i-1:0] != '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      above_q <= '1;
    end else if (served != '0) begin
      above_q <= above_d;
    end
  end

  // All who ask.
  logic [NumRequesters-1:0] asks;
  assign asks = request_i | (late_valid_i ? late_i : '0);

  `NOCCL_ASSERT_INIT(AtLeastTwoRequesters, NumRequesters >= 2)
  `NOCCL_ASSERT(AtMostOneGrant, $onehot0(grant_o))
  `NOCCL_ASSERT(GrantsOnlyRequesters, (grant_o & ~asks) == '0)
  `NOCCL_ASSERT(SomebodyIsChosen, (grant_o != '0) == valid_o)
  `NOCCL_ASSUME(OneLateRequester, $onehot0(late_i) && (late_i & request_i) == '0)
  `NOCCL_ASSUME(RequesterWaits, ($past(rst_ni ? asks & ~served : '0) & ~asks) == '0)
  `NOCCL_ASSERT_KNOWN(GrantKnown, grant_o)
  `NOCCL_COVER(AllAsk, asks == '1)

endmodule
