// SPDX-License-Identifier: Apache-2.0
//
// Remembers that a beat of a burst has failed at the memory until the burst's last beat has its
// response.
//
// Beats of different bursts alternate at a target, and a burst has one response, so a failure
// before the last beat would be forgotten. Failures are rare: a few entries, by name. If more
// bursts than entries have failed at a time, every later response is an error until reset: none is
// forgotten.
// Combinational paths: `resp_i` and `name_i` to `resp_o`. Throughput: one response per cycle.
// Source: docs/errors.md, memory of a target.

`include "noccl_assert.svh"

module noccl_ni_failed
  import noccl_flit_pkg::resp_e;
#(
    /// Bursts that have failed and are not over; at least 2.
    parameter int unsigned Entries  = 4,
    /// Bits of a burst's name.
    parameter int unsigned NameBits = 8
) (
    /// Clock.
    input  logic                 clk_i,
    /// Asynchronous reset, active low: nothing has failed.
    input  logic                 rst_ni,
    /// The memory's response to a beat is taken at the end of the cycle.
    input  logic                 taken_i,
    /// It is the last beat of its burst.
    input  logic                 is_last_i,
    /// Name of the burst: of all that are open only it has this one.
    input  logic  [NameBits-1:0] name_i,
    /// Response to the beat.
    input  resp_e                resp_i,
    /// Worst response of the burst so far.
    output resp_e                resp_o
);

  logic [Entries-1:0] valid_q, valid_d, hits, free_slot;
  logic [NameBits-1:0] name_q[Entries];
  resp_e resp_q[Entries];
  logic has_overflowed_q, has_overflowed_d, fails;

  always_comb begin
    resp_o = has_overflowed_q ? noccl_ni_pkg::worse(resp_i, noccl_flit_pkg::RESP_SLVERR) : resp_i;
    for (int unsigned e = 0; e < Entries; e++) begin
      hits[e] = valid_q[e] && name_q[e] == name_i;
      if (hits[e]) resp_o = noccl_ni_pkg::worse(resp_o, resp_q[e]);
    end
  end

  assign fails = taken_i && !is_last_i && resp_i != noccl_flit_pkg::RESP_OKAY;
  assign free_slot = hits != '0 ? hits : ~valid_q & (valid_q + 1'b1);

  always_comb begin
    valid_d = valid_q;
    has_overflowed_d = has_overflowed_q;
    if (taken_i && is_last_i) valid_d &= ~hits;
    if (fails) valid_d |= free_slot;
    if (fails && free_slot == '0) has_overflowed_d = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= '0;
      has_overflowed_q <= 1'b0;
    end else begin
      valid_q <= valid_d;
      has_overflowed_q <= has_overflowed_d;
    end
  end

  // Read only where valid.
  always_ff @(posedge clk_i) begin
    for (int unsigned e = 0; e < Entries; e++) begin
      if (fails && free_slot[e]) begin
        name_q[e] <= name_i;
        resp_q[e] <= resp_o;
      end
    end
  end

  `NOCCL_ASSERT_INIT(TwoEntries, Entries >= 2)
  `NOCCL_ASSERT(OneEntryPerName, (hits & (hits - 1'b1)) == '0)
  `NOCCL_COVER(Overflow, fails && free_slot == '0)

endmodule
