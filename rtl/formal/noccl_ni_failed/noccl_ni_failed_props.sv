// SPDX-License-Identifier: Apache-2.0
// What is promised of bursts that fail: the worst response of a burst is told with its last beat, and where more bursts have failed
// at a time than there are entries, no failure is passed off as none.
//
// Beats of all bursts come in any order with any responses; the scoreboard keeps every burst's
// worst one.

`include "noccl_assert.svh"

module noccl_ni_failed_props
  import noccl_flit_pkg::resp_e;
#(
    /// Entries, and bits of a burst's name.
    parameter int unsigned Entries  = 2,
    parameter int unsigned NameBits = 2
) (
    /// Clock.
    input logic                 clk_i,
    /// A beat's response, as the module takes it.
    input logic                 taken_i,
    input logic                 is_last_i,
    input logic  [NameBits-1:0] name_i,
    input resp_e                resp_i
);

  localparam int unsigned NumNames = 1 << NameBits;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  resp_e resp;

  noccl_ni_failed #(
      .Entries (Entries),
      .NameBits(NameBits)
  ) u_failed (
      .clk_i,
      .rst_ni,
      .taken_i,
      .is_last_i,
      .name_i,
      .resp_i,
      .resp_o(resp)
  );

  // Worst response of each burst that is open, OKAY otherwise; more have failed at a time than are remembered.
  resp_e [NumNames-1:0] worst_q;
  logic has_overflowed_q;
  logic [NumNames-1:0] has_failed;
  resp_e worst, told;

  for (genvar n = 0; n < int'(NumNames); n++) begin : gen_name
    assign has_failed[n] = worst_q[n] != noccl_flit_pkg::RESP_OKAY;
  end
  assign worst = worst_q[name_i];
  assign told  = noccl_ni_pkg::worse(worst, resp_i);

  logic is_full;
  assign is_full = unsigned'($countones(has_failed)) >= Entries;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      worst_q <= '0;
      has_overflowed_q <= 1'b0;
    end else if (taken_i) begin
      worst_q[name_i] <= is_last_i ? noccl_flit_pkg::RESP_OKAY : told;
      if (!is_last_i && resp_i != noccl_flit_pkg::RESP_OKAY && !has_failed[name_i] && is_full)
        has_overflowed_q <= 1'b1;
    end
  end

  `NOCCL_ASSERT(WorstResponseIsTold, has_overflowed_q || resp == told)
  `NOCCL_ASSERT(NoFailureIsForgotten,
                told == noccl_flit_pkg::RESP_OKAY || resp != noccl_flit_pkg::RESP_OKAY)

endmodule
