// SPDX-License-Identifier: Apache-2.0
// What is promised of the responses to multicasts: a multicast is whole with the response that
// makes all of its members and not before, and its response is the worst of all.
//
// Multicasts over any sets open under free names; responses for some members at a time come in any
// order with any responses. The scoreboard counts members, not those besides one.

`include "noccl_assert.svh"

module noccl_ni_collected_props
  import noccl_flit_pkg::resp_e, noccl_flit_pkg::count_t, noccl_flit_pkg::region_coord_t;
#(
    /// Channels, and bits of an id.
    parameter int unsigned Channels = 2,
    parameter int unsigned IdBits   = 1
) (
    /// Clock.
    input logic                                                   clk_i,
    /// Per channel: the next transaction, and whether it opens.
    input logic          [                            IdBits-1:0] next_id_i  [Channels],
    input region_coord_t                                          next_mask_i[Channels],
    input logic          [                          Channels-1:0] opens_i,
    /// A response: whose, for how many members, how; a last one may be taken.
    input logic                                                   offers_i,
    input logic          [unsigned'($clog2(Channels))+IdBits-1:0] name_i,
    input count_t                                                 count_i,
    input resp_e                                                  resp_i,
    input logic                                                   ready_i
);

  localparam int unsigned NumIds = 1 << IdBits;
  localparam int unsigned NumNames = Channels * NumIds;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Members whose response has not come, none of a name that is free; the worst response so far.
  count_t [NumNames-1:0] missing_q, missing_d;
  resp_e [NumNames-1:0] worst_q, worst_d;
  logic [Channels-1:0] is_free;
  logic valid, is_whole, is_last;
  resp_e resp;

  assign valid   = offers_i && count_i != '0 && count_i <= missing_q[name_i];
  assign is_last = count_i == missing_q[name_i];

  noccl_ni_collected #(
      .Channels(Channels),
      .IdBits  (IdBits)
  ) u_collected (
      .clk_i,
      .rst_ni,
      .is_free_i(is_free),
      .next_id_i,
      .next_mask_i,
      .name_i,
      .others_i (noccl_ni_pkg::others_t'(count_i - 1'b1)),
      .resp_i,
      .valid_i  (valid),
      .is_whole_o(is_whole),
      .resp_o   (resp)
  );

  always_comb begin
    missing_d = missing_q;
    worst_d   = worst_q;
    for (int unsigned n = 0; n < NumNames; n++) begin
      if (valid && 32'(name_i) == n && (!is_last || ready_i)) begin
        missing_d[n] = missing_q[n] - count_i;
        worst_d[n]   = noccl_ni_pkg::worse(worst_q[n], resp_i);
      end
    end
    for (int unsigned c = 0; c < Channels; c++) begin
      is_free[c] = 1'b0;
      for (int unsigned i = 0; i < NumIds; i++) begin
        if (32'(next_id_i[c]) == i && missing_q[c*NumIds+i] == '0) begin
          is_free[c] = 1'b1;
          if (opens_i[c]) begin
            missing_d[c*NumIds+i] = noccl_ni_pkg::num_members(next_mask_i[c]);
            worst_d[c*NumIds+i]   = noccl_flit_pkg::RESP_OKAY;
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    missing_q <= missing_d;
    worst_q   <= worst_d;
    if (!rst_ni) begin
      missing_q <= '0;
      worst_q   <= '0;
    end
  end

  `NOCCL_ASSERT(WholeWithTheLastResponse, !valid || is_whole == is_last)
  `NOCCL_ASSERT(WorstResponseIsTold, !valid || resp == noccl_ni_pkg::worse(worst_q[name_i], resp_i))

endmodule
