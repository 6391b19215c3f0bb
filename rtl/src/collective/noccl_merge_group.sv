// SPDX-License-Identifier: Apache-2.0
// Heads of one transaction at a merge table: who belongs to it, and what they come to.
//
// The grant is known late in the cycle, so what can be computed for all heads is computed in
// parallel: which of them belong to one transaction, in which direction their root lies, what two
// and three of them add up to.
//
// Latency: none, purely combinational. Source: S1, section 3.1.3. Mirror: `group` in
// router/collective/merge/table.rs.

`include "noccl_assert.svh"

module noccl_merge_group
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::count_t;
#(
    /// Header of the plane, as in `noccl_merge`.
    parameter type hdr_t = noccl_flit_pkg::rsp_hdr_t
) (
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t       position_i,
    /// Heads that nothing has been decided for.
    input  port_set_t                    pending_i,
    /// The one that is granted; none if none is pending.
    input  port_set_t                    leads_i,
    /// Headers of the heads; ignored where none is pending.
    input  hdr_t                         head_i    [NUM_PORTS],
    /// Its header. This and all that follows is undefined where none is pending, but the group: that is empty.
    output hdr_t                         lead_o,
    /// Pending heads of its transaction, itself among them.
    output port_set_t                    group_o,
    /// Leaves that they stand for.
    output count_t                       count_o,
    /// Their worst response.
    output logic                   [1:0] resp_o,
    /// Leaves behind this router; with `has_own_o` one less, whose response never leaves the initiator's NI.
    output count_t                       leaves_o,
    /// See `leaves_o`. Apart, so that the sum does not wait.
    output logic                         has_own_o
);

  port_set_t members[NUM_PORTS], toward[NUM_PORTS];

  always_comb begin : p_heads
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      members[i] = '0;
      toward[i]  = '0;
      if (pending_i != '0) begin
        toward[i] = noccl_flit_pkg::toward(position_i, head_i[i].dst);
        for (int unsigned j = 0; j < NUM_PORTS; j++) begin
          members[i][j] = head_i[i].dst == head_i[j].dst && head_i[i].tag == head_i[j].tag
              && head_i[i].base == head_i[j].base && head_i[i].mask == head_i[j].mask;
        end
      end
    end
  end

  port_set_t lead_toward;
  always_comb begin : p_lead
    lead_o = hdr_t'('0);
    lead_toward = '0;
    group_o = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (leads_i[i]) begin
        lead_o = hdr_t'(lead_o | head_i[i]);
        lead_toward = lead_toward | toward[i];
        group_o = group_o | (members[i] & pending_i);
      end
    end
  end

  // Sums of those that belong to the group, of sums that do not wait for it.
  function automatic count_t of_two(logic [1:0] who, count_t first, count_t second);
    count_t both;
    both = first + second;
    if (who[1]) return who[0] ? both : second;
    return who[0] ? first : '0;
  endfunction

  count_t first_three, last_two;

  always_comb begin : p_count
    first_three = of_two(group_o[1:0], head_i[0].count, head_i[1].count) +
        (group_o[2] ? head_i[2].count : '0);
    last_two = of_two(group_o[4:3], head_i[3].count, head_i[4].count);
    resp_o = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (group_o[i]) resp_o = resp_o | 2'(head_i[i].resp);
    end
  end
  assign count_o = first_three + last_two;

  noccl_leaves u_leaves (
      .position_i,
      .base_i  (lead_o.base),
      .mask_i  (lead_o.mask),
      .toward_i(lead_toward),
      .leaves_o
  );
  assign has_own_o = lead_o.own_copy && lead_toward[LOCAL];

  `NOCCL_ASSERT_INIT(FivePorts, NUM_PORTS == 5)

endmodule
