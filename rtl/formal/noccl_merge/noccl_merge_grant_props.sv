// SPDX-License-Identifier: Apache-2.0
// Grants at a merge table: why every head gets one, and what the registers hold of a group between
// its grant and its decision: heads of one transaction that still wait, and what they come to.

`include "noccl_assert.svh"

module noccl_merge_grant_props
  import noccl_flit_pkg::port_set_t, noccl_flit_pkg::count_t;
  import noccl_flit_pkg::RESP_OKAY;
  import noccl_props_pkg::hdr_t, noccl_props_pkg::index_t;
#(
    /// Transactions in flight.
    parameter int unsigned NumNames = 3,
    /// Inputs that contribute.
    parameter int unsigned NumInputs = 2,
    /// Cycles from a head to its request.
    parameter int unsigned MergeCycles = 1
) (
    /// Clock.
    input logic                      clk_i,
    /// Reset, active low.
    input logic                      rst_ni,
    /// Inputs above the one that led last.
    input port_set_t                 above_i,
    /// The group that is decided.
    input port_set_t                 group_i,
    /// Inputs with a head; those whose head goes on; how long each has waited for its decision.
    input logic      [NumInputs-1:0] valid_i,
    input logic      [NumInputs-1:0] forwarded_i,
    input logic      [          2:0] waits_i    [NumInputs],
    /// The heads, and whose they are.
    input hdr_t                      head_i     [NumInputs],
    input index_t                    name_i     [NumInputs],
    /// Per transaction: its header, with all of its leaves.
    input hdr_t                      whole_i    [ NumNames],
    /// What the registers hold: header of the group, its leaves, worst response, all leaves behind the router.
    input hdr_t                      lead_i,
    input count_t                    count_i,
    input logic      [          1:0] resp_i,
    input count_t                    leaves_i
);

  // With registers: heads that were granted in the cycle before, and are decided now.
  port_set_t grouped;
  assign grouped = MergeCycles == 1 ? '0 : group_i;

  // A head that waits for its grant: the inputs that go before it become fewer with each cycle.
  logic [NumInputs-1:0] is_out_of_order;
  always_comb begin
    for (int unsigned i = 0; i < NumInputs; i++) begin
      logic [3:0] in_front, limit;
      in_front = 4'(waits_i[i]);
      limit = 4'(NumInputs);
      if (grouped[i]) begin
        limit = 4'(NumInputs + 1);
      end else if (MergeCycles != 1 && forwarded_i[i]) begin
        limit = 4'(NumInputs + 2);
      end else begin
        for (int unsigned j = 0; j < NumInputs; j++) begin
          if (j != i) in_front += 4'(above_i[i] ? above_i[j] && j < i : above_i[j] || j < i);
        end
      end
      is_out_of_order[i] = valid_i[i] && in_front >= limit;
      if (i > 0 && above_i[i-1] && !above_i[i]) is_out_of_order[i] = 1'b1;
    end
  end

  function automatic hdr_t without_count(hdr_t header);
    header.count = '0;
    header.resp  = RESP_OKAY;
    return header;
  endfunction

  logic [NumInputs-1:0] waiting;
  assign waiting = valid_i & ~forwarded_i;

  logic is_mixed;
  always_comb begin
    count_t counted;
    logic [1:0] worst;
    counted  = '0;
    worst    = '0;
    is_mixed = (grouped & ~port_set_t'(waiting)) != '0;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      if (grouped[i]) begin
        counted += head_i[i].count;
        worst |= 2'(head_i[i].resp);
        for (int unsigned n = 0; n < NumNames; n++) begin
          is_mixed |= name_i[i] == index_t'(n) &&
              (leaves_i != whole_i[n].count || without_count(lead_i) != without_count(whole_i[n]));
        end
      end
    end
    if (grouped != '0) is_mixed |= counted != count_i || worst != resp_i;
  end

  `NOCCL_ASSERT(LeadersAreRoundRobin, is_out_of_order == '0)
  `NOCCL_ASSERT(GroupsAreOfOneName, !is_mixed)

endmodule
