// SPDX-License-Identifier: Apache-2.0
// What the arbiter promises: the solver picks one requester and tries to make it wait too long.

`include "noccl_assert.svh"

module noccl_rr_arbiter_props #(
    /// Requesters.
    parameter int unsigned NumRequesters = 6,
    /// Whoever is served after the arbiter is ready at least once in so many cycles.
    parameter int unsigned ReadyEvery = 4
) (
    /// Clock.
    input logic                             clk_i,
    /// Who asks.
    input logic [        NumRequesters-1:0] request_i,
    /// One more, that may come late in the cycle.
    input logic [        NumRequesters-1:0] late_i,
    /// It asks.
    input logic                             late_valid_i,
    /// The chosen one is served.
    input logic                             ready_i,
    /// The requester that is tracked.
    input logic [$clog2(NumRequesters)-1:0] who_i
);

  localparam int unsigned MaxCycles = NumRequesters * ReadyEvery;
  localparam int unsigned CycleWidth = $clog2(MaxCycles + 1);
  localparam int unsigned PauseWidth = $clog2(ReadyEvery + 1);

  logic rst_ni = 1'b0;
  logic [NumRequesters-1:0] grant;
  logic valid;
  // Grants and cycles that have passed since the requester waits; cycles without ready.
  logic [CycleWidth-1:0] grants_q, cycles_q;
  logic [PauseWidth-1:0] pause_q;
  logic is_served;

  noccl_rr_arbiter #(
      .NumRequesters(NumRequesters)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i,
      .late_i,
      .late_valid_i,
      .grant_o(grant),
      .valid_o(valid),
      .ready_i
  );

  assign is_served = grant[who_i] && ready_i;

  // The requests, and the choice that round robin demands, late or not.
  logic [NumRequesters-1:0] asks, asks_above, round_robin;
  assign asks = request_i | (late_valid_i ? late_i : '0);
  assign asks_above = asks & {u_arbiter.above_q, 1'b0};
  assign round_robin = asks_above != '0 ? asks_above & (~asks_above + 1'b1) : asks & (~asks + 1'b1);

  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni || is_served || !asks[who_i]) begin
      grants_q <= '0;
      cycles_q <= '0;
    end else begin
      grants_q <= grants_q + CycleWidth'(valid && ready_i);
      cycles_q <= cycles_q + 1'b1;
    end
    pause_q <= !rst_ni || ready_i ? '0 : pause_q + 1'b1;
  end

  `NOCCL_ASSUME(TracksOneRequester, $stable(who_i) && int'(who_i) < int'(NumRequesters))
  `NOCCL_ASSUME(ReadyOftenEnough, ready_i || int'(pause_q) < int'(ReadyEvery) - 1)
  `NOCCL_ASSERT(ServedWithinARound, int'(grants_q) < int'(NumRequesters))
  `NOCCL_ASSERT(ServedInTime, int'(cycles_q) < int'(MaxCycles))
  `NOCCL_ASSERT(ChoiceDoesNotWaitForReady, valid == (asks != '0))
  `NOCCL_ASSERT(ChoiceIsRoundRobin, grant == round_robin)

endmodule
