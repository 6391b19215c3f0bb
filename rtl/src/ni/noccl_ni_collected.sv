// SPDX-License-Identifier: Apache-2.0
//
// Responses to the multicasts of a tile that are still missing, and the worst of those that came.
//
// Every other transaction has one response and needs nothing of this: whoever knows from a response
// that it is not a multicast's looks past it, and without multicasts nothing reads it. What misses
// is counted besides one, and so is for how many members a response stands: both are equal at the
// last one, which is known before the difference would be. The place of a free name is written with
// what would open under it, in every cycle: whether it opens is known late, and as soon as it is
// open it is not free.
// Combinational paths: from the response to whole and response. Throughput: one response per cycle.
// Mirror: `collect_responses` in crates/noccl-sim/src/ni/axi/deliver.rs.

`include "noccl_assert.svh"

module noccl_ni_collected #(
    /// Channels; each has transactions of its own.
    parameter  int unsigned Channels = 4,
    /// Bits of a transaction's id within its channel, at least 1. Its name is channel and id.
    parameter  int unsigned IdBits   = 3,
    /// Bits of a name.
    localparam int unsigned NameBits = unsigned'($clog2(Channels)) + IdBits
) (
    /// Clock.
    input  logic                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                         rst_ni,
    /// Per channel: no transaction is open under the id of the next one that may open, its id, and the mask of its set.
    input  logic                          [Channels-1:0] is_free_i,
    input  logic                          [  IdBits-1:0] next_id_i  [Channels],
    input  noccl_flit_pkg::region_coord_t                next_mask_i[Channels],
    /// Name of the multicast that the response is for, for how many members besides one, and how.
    input  logic                          [NameBits-1:0] name_i,
    input  noccl_ni_pkg::others_t                        others_i,
    input  noccl_flit_pkg::resp_e                        resp_i,
    /// That is so; the response is taken at the end of the cycle, if it does not make the multicast
    /// whole.
    input  logic                                         valid_i,
    /// With it all members have responded.
    output logic                                         is_whole_o,
    /// Worst response so far.
    output noccl_flit_pkg::resp_e                        resp_o
);

  import noccl_ni_pkg::others_t;

  localparam int unsigned NumIds = 1 << IdBits;
  localparam int unsigned NumNames = Channels * NumIds;

  // Written before a transaction opens, so without reset.
  others_t missing_q[NumNames];
  noccl_flit_pkg::resp_e worst_q[NumNames];

  others_t missing;

  assign missing = missing_q[name_i];
  assign is_whole_o = missing == others_i;
  assign resp_o = noccl_ni_pkg::worse(worst_q[name_i], resp_i);

  for (genvar n = 0; n < NumNames; n++) begin : gen_name
    localparam int unsigned CHANNEL = n / NumIds;
    localparam logic [NameBits-1:0] NAME = NameBits'(unsigned'(n));

    logic is_next, is_responded;
    assign is_next = is_free_i[CHANNEL] && next_id_i[CHANNEL] == NAME[IdBits-1:0];
    assign is_responded = valid_i && !is_whole_o && name_i == NAME;

    always_ff @(posedge clk_i) begin
      if (is_next) begin
        missing_q[n] <= noccl_ni_pkg::num_others(next_mask_i[CHANNEL]);
        worst_q[n]   <= noccl_flit_pkg::RESP_OKAY;
      end else if (is_responded) begin
        // Less the others, less one.
        missing_q[n] <= missing + ~others_i;
        worst_q[n]   <= resp_o;
      end
    end

    `NOCCL_ASSUME(FreeNamesHaveNoResponse, !(is_next && valid_i && name_i == NAME))
  end

  `NOCCL_ASSUME(NoMoreThanAllRespond, !valid_i || missing >= others_i)

endmodule
