// SPDX-License-Identifier: Apache-2.0
//
// Counts the contributions of barriers whose root this tile is.
//
// A contribution says for how many leaves it stands. The one that makes its barrier whole passes,
// as one write to the memory for all; the others end here. Counters are taken by first
// contributions; with all in use a further barrier waits in the router (limit of docs/design/0001).
// A barrier is known by its tag and its group. One that begins under a tag which another group's
// open barrier has is counted too, and gets an error response: the name is in use (docs/errors.md).
// Combinational paths: contribution to whole. Throughput: one contribution per cycle.
// Source: S1 section 3.1.3 (LsbAnd). Mirror: `deliver_barrier` and `accepts` in
// crates/noccl-sim/src/ni/axi.

`include "noccl_assert.svh"

module noccl_ni_barriers #(
    /// Barriers that may be open; at least 1.
    parameter int unsigned Counters = noccl_cfg_pkg::MAX_OPEN_REDUCTIONS
) (
    /// Clock.
    input  logic                     clk_i,
    /// Asynchronous reset, active low.
    input  logic                     rst_ni,
    /// A contribution is offered.
    input  logic                     valid_i,
    input  noccl_flit_pkg::req_hdr_t hdr_i,
    /// It has a counter or can take one.
    output logic                     may_count_o,
    /// With it, its barrier is whole.
    output logic                     is_whole_o,
    /// Worst response of all contributions, valid with `is_whole_o`.
    output noccl_flit_pkg::resp_e    resp_o,
    /// The contribution is taken.
    input  logic                     taken_i
);

  import noccl_flit_pkg::count_t;

  logic [Counters-1:0] open_q, open_d, hit, free_slot, slot;
  noccl_flit_pkg::tag_t tag_q[Counters];
  noccl_flit_pkg::region_coord_t base_q[Counters], mask_q[Counters];
  // A whole barrier has none.
  noccl_ni_pkg::others_t count_q[Counters];
  noccl_flit_pkg::resp_e worst_q[Counters];

  // Before the contribution, with it, and what a barrier has that it makes whole: asked beside the sum.
  count_t so_far, total, missing;
  noccl_flit_pkg::resp_e worst, first_resp;
  logic is_known, is_in_use, completes;

  always_comb begin
    hit = '0;
    so_far = '0;
    worst = noccl_flit_pkg::RESP_OKAY;
    is_in_use = 1'b0;
    completes = 1'b0;
    missing = noccl_ni_pkg::num_members(hdr_i.mask) - hdr_i.count;
    for (int unsigned i = 0; i < Counters; i++) begin
      logic has_tag;
      has_tag = open_q[i] && tag_q[i] == hdr_i.tag;
      hit[i]  = has_tag && base_q[i] == hdr_i.base && mask_q[i] == hdr_i.mask;
      if (hit[i]) begin
        so_far = count_t'(count_q[i]);
        worst  = worst_q[i];
        if (count_t'(count_q[i]) == missing) completes = 1'b1;
      end else if (has_tag) is_in_use = 1'b1;
    end
  end

  assign is_known = |hit;
  assign free_slot = ~open_q & (open_q + 1'b1);
  assign slot = is_known ? hit : free_slot;
  assign total = so_far + hdr_i.count;
  assign may_count_o = is_known || !(&open_q);
  assign is_whole_o = completes || (!is_known && missing == '0);
  // Asked of the first contribution: whose name it is does not change while the barrier is open.
  assign first_resp = !is_known && is_in_use ? noccl_flit_pkg::RESP_SLVERR : worst;
  assign resp_o = noccl_ni_pkg::worse(first_resp, hdr_i.resp);

  always_comb begin
    open_d = open_q;
    if (taken_i) open_d = is_whole_o ? open_q & ~hit : open_q | slot;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) open_q <= '0;
    else open_q <= open_d;
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < Counters; i++) begin
      if (taken_i && slot[i]) begin
        tag_q[i]   <= hdr_i.tag;
        base_q[i]  <= hdr_i.base;
        mask_q[i]  <= hdr_i.mask;
        count_q[i] <= noccl_ni_pkg::others_t'(total);
        worst_q[i] <= resp_o;
      end
    end
  end

  `NOCCL_ASSERT_INIT(AtLeastOneCounter, Counters >= 1)
  `NOCCL_ASSUME(TakenIsOfferedAndMayCount, !taken_i || (valid_i && may_count_o))
  `NOCCL_ASSERT(OneCounterPerBarrier, (hit & (hit - 1'b1)) == '0)
  `NOCCL_ASSUME(NoMoreThanAllContribute, !taken_i || total <= noccl_ni_pkg::num_members(hdr_i.mask))

endmodule
