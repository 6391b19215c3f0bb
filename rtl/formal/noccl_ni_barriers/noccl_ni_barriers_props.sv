// SPDX-License-Identifier: Apache-2.0
// What the counters of barriers promise: a barrier is whole with its last contribution and not before, with the worst response of
// all; one that finds its name in use by another group gets an error; and with all counters in use a further one waits.
//
// Barriers of any groups and tags, different in one or the other, are chosen once; each may come again when it is whole. Their
// contributions come in any order, for any number of members, with any responses.

`include "noccl_assert.svh"

module noccl_ni_barriers_props
  import noccl_flit_pkg::resp_e, noccl_flit_pkg::count_t, noccl_flit_pkg::region_coord_t;
#(
    /// Counters, and barriers.
    parameter int unsigned Counters = 2,
    parameter int unsigned Barriers = 3
) (
    /// Clock.
    input logic                                        clk_i,
    /// The choice: tags and groups.
    input noccl_flit_pkg::tag_t                        tag_i   [Barriers],
    input region_coord_t                               base_i  [Barriers],
    input region_coord_t                               mask_i  [Barriers],
    /// A contribution: whose, for how many members, how; the memory would take a write.
    input logic                                        offers_i,
    input logic                 [$clog2(Barriers)-1:0] which_i,
    input count_t                                      count_i,
    input resp_e                                       resp_i,
    input logic                                        ready_i
);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  noccl_flit_pkg::tag_t tag_q[Barriers];
  region_coord_t base_q[Barriers], mask_q[Barriers];
  count_t [Barriers-1:0] come_q;
  resp_e  [Barriers-1:0] worst_q;
  logic   [Barriers-1:0] is_open;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      tag_q  <= tag_i;
      mask_q <= mask_i;
      for (int unsigned b = 0; b < Barriers; b++) base_q[b] <= base_i[b] & ~mask_i[b];
    end
  end

  // Different ones only.
  logic are_different;
  always_comb begin
    are_different = 1'b1;
    for (int unsigned a = 0; a < Barriers; a++) begin
      for (int unsigned b = 0; b < a; b++) begin
        if (tag_q[a] == tag_q[b] && base_q[a] == base_q[b] && mask_q[a] == mask_q[b])
          are_different = 1'b0;
      end
    end
    for (int unsigned b = 0; b < Barriers; b++) is_open[b] = are_different && come_q[b] != '0;
  end

  // What is offered, and what must become of it.
  noccl_flit_pkg::req_hdr_t hdr;
  logic valid, may_count, is_whole, taken, expects_whole, expects_counter, is_in_use;
  count_t members, come;
  resp_e resp, worst;

  always_comb begin
    hdr = '0;
    hdr.kind = noccl_flit_pkg::REQ_BARRIER;
    hdr.count = count_i;
    hdr.resp = resp_i;
    members = '0;
    come = '0;
    worst = noccl_flit_pkg::RESP_OKAY;
    is_in_use = 1'b0;
    for (int unsigned b = 0; b < Barriers; b++) begin
      if (32'(which_i) == b) begin
        hdr.tag = tag_q[b];
        hdr.base = base_q[b];
        hdr.mask = mask_q[b];
        members = noccl_ni_pkg::num_members(mask_q[b]);
        come = come_q[b];
        if (is_open[b]) worst = worst_q[b];
        for (int unsigned o = 0; o < Barriers; o++) begin
          if (o != b && is_open[o] && !is_open[b] && tag_q[o] == tag_q[b]) is_in_use = 1'b1;
        end
      end
    end
    if (is_in_use) worst = noccl_flit_pkg::RESP_SLVERR;
    worst = noccl_ni_pkg::worse(worst, resp_i);
  end

  assign valid = offers_i && are_different && 32'(which_i) < Barriers && count_i != '0
      && count_i <= members - come;
  assign expects_whole = count_i == members - come;
  assign expects_counter = come != '0 || unsigned'($countones(is_open)) < Counters;
  assign taken = valid && may_count && (!is_whole || ready_i);

  noccl_ni_barriers #(
      .Counters(Counters)
  ) u_barriers (
      .clk_i,
      .rst_ni,
      .valid_i    (valid),
      .hdr_i      (hdr),
      .may_count_o(may_count),
      .is_whole_o (is_whole),
      .resp_o     (resp),
      .taken_i    (taken)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      come_q  <= '0;
      worst_q <= '0;
    end else begin
      for (int unsigned b = 0; b < Barriers; b++) begin
        if (taken && 32'(which_i) == b) begin
          come_q[b]  <= expects_whole ? '0 : come + count_i;
          worst_q[b] <= expects_whole ? noccl_flit_pkg::RESP_OKAY : worst;
        end
      end
    end
  end

  // Why: an open barrier has a counter, and only such a one has, which holds what has come of it.
  logic [Barriers-1:0] has_none;
  logic [Counters-1:0] is_astray, is_double;
  always_comb begin
    for (int unsigned b = 0; b < Barriers; b++) begin
      has_none[b] = is_open[b];
      for (int unsigned i = 0; i < Counters; i++) begin
        if (u_barriers.open_q[i] && u_barriers.tag_q[i] == tag_q[b] &&
            u_barriers.base_q[i] == base_q[b] && u_barriers.mask_q[i] == mask_q[b])
          has_none[b] = 1'b0;
      end
      if (is_open[b] && come_q[b] >= noccl_ni_pkg::num_members(mask_q[b])) has_none[b] = 1'b1;
    end
    for (int unsigned i = 0; i < Counters; i++) begin
      is_astray[i] = u_barriers.open_q[i];
      for (int unsigned b = 0; b < Barriers; b++) begin
        if (is_open[b] && u_barriers.tag_q[i] == tag_q[b] && u_barriers.base_q[i] == base_q[b] &&
            u_barriers.mask_q[i] == mask_q[b] && count_t'(u_barriers.count_q[i]) == come_q[b] &&
            u_barriers.worst_q[i] == worst_q[b])
          is_astray[i] = 1'b0;
      end
      is_double[i] = 1'b0;
      for (int unsigned o = 0; o < i; o++) begin
        if (u_barriers.open_q[i] && u_barriers.open_q[o] &&
            u_barriers.tag_q[i] == u_barriers.tag_q[o] &&
            u_barriers.base_q[i] == u_barriers.base_q[o] &&
            u_barriers.mask_q[i] == u_barriers.mask_q[o])
          is_double[i] = 1'b1;
      end
    end
  end

  `NOCCL_ASSERT(OpenBarriersHaveACounter, has_none == '0)
  `NOCCL_ASSERT(CountersHoldWhatHasCome, is_astray == '0)
  `NOCCL_ASSERT(CountersDiffer, is_double == '0)
  `NOCCL_ASSERT(OneMoreThanCountersWaits, !valid || may_count == expects_counter)
  `NOCCL_ASSERT(WholeWithTheLastContribution, !valid || is_whole == expects_whole)
  `NOCCL_ASSERT(WorstResponseIsTold, !valid || resp == worst)

endmodule
