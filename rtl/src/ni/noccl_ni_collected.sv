// SPDX-License-Identifier: Apache-2.0
//
// Answers to the multicasts of a tile that are still missing, and the worst of those that came.
//
// Every other transaction has one answer and needs nothing of this. So the table is written when a multicast opens and by its
// answers alone; whoever knows from an answer that it is not a multicast's looks past it, and without multicasts nothing
// reads it. It counts what misses besides one answer: the last one then needs no comparison, its count turns negative.
// Combinational paths: from the answer to whole and response. Throughput: one answer per cycle.
// Mirror: `collect_responses` in crates/noccl-sim/src/deliver.rs.

`include "noccl_assert.svh"

module noccl_ni_collected #(
    /// Bits of a transaction's name.
    parameter int unsigned NameBits = 5
) (
    /// Clock.
    input  logic                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                         rst_ni,
    /// A transaction opens, its name, and the mask of its set; both are ignored without it.
    input  logic                                         opens_i,
    input  logic                          [NameBits-1:0] opened_name_i,
    input  noccl_flit_pkg::region_coord_t                opened_mask_i,
    /// Name of the multicast that is answered, for how many members, and how.
    input  logic                          [NameBits-1:0] name_i,
    input  noccl_flit_pkg::count_t                       leaves_i,
    input  noccl_flit_pkg::resp_e                        resp_i,
    /// That is so, and the answer is taken at the end of the cycle.
    input  logic                                         taken_i,
    /// With it all members have answered.
    output logic                                         is_whole_o,
    /// Worst response so far.
    output noccl_flit_pkg::resp_e                        resp_o
);

  import noccl_ni_pkg::others_t;

  // Written when a transaction opens, so without reset.
  others_t missing_q[2**NameBits];
  noccl_flit_pkg::resp_e worst_q[2**NameBits];

  // One bit more, for the sign.
  typedef logic [$bits(others_t):0] missing_t;
  missing_t missing;

  assign missing = missing_t'(missing_q[name_i]) - missing_t'(leaves_i);
  assign is_whole_o = missing[$bits(others_t)];
  assign resp_o = noccl_ni_pkg::worse(worst_q[name_i], resp_i);

  always_ff @(posedge clk_i) begin
    if (taken_i && !is_whole_o) begin
      missing_q[name_i] <= others_t'(missing);
      worst_q[name_i]   <= resp_o;
    end
    if (opens_i) begin
      missing_q[opened_name_i] <= noccl_ni_pkg::num_others(opened_mask_i);
      worst_q[opened_name_i]   <= noccl_flit_pkg::RESP_OKAY;
    end
  end

  `ASSUME(NoMoreThanAllAnswer, !taken_i || !is_whole_o || missing == '1)

endmodule
