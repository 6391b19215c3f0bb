// SPDX-License-Identifier: Apache-2.0
// Round-robin choice at a merge table: the transaction of one head, with all heads that belong to
// it.
//
// The next input behind the one that led last leads. With registers, a group is shown in the cycle
// after its grant; its heads stay where they are until then and get no other grant.
//
// Latency: none, or one cycle with registers. Throughput: one transaction per cycle.
// Source: S1, section 3.1.3. Mirror: crates/noccl-sim/src/router/collective/merge/table.rs.

`include "noccl_assert.svh"

module noccl_merge_grant
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::count_t;
#(
    /// Header of the plane, as in `noccl_merge`.
    parameter type hdr_t = noccl_flit_pkg::rsp_hdr_t,
    /// A register behind the grant.
    parameter bit HasRegisters = 1'b0
) (
    /// Clock.
    input  logic                         clk_i,
    /// Asynchronous reset, active low: no group is shown, any input may lead.
    input  logic                         rst_ni,
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t       position_i,
    /// Heads that nothing has been decided for. What is in the group leaves or is decided at the end of the cycle.
    input  port_set_t                    pending_i,
    /// Headers of the heads; ignored where none is pending.
    input  hdr_t                         head_i    [NUM_PORTS],
    /// Heads of the transaction that is served; empty if none is.
    output port_set_t                    group_o,
    /// The last of them.
    output port_set_t                    last_o,
    /// Header of the one that leads. This and all that follows is undefined without a group.
    output hdr_t                         lead_o,
    /// Leaves that they stand for.
    output count_t                       count_o,
    /// Their worst response.
    output logic                   [1:0] resp_o,
    /// Leaves behind this router, with `has_own_o` one less.
    output count_t                       leaves_o,
    output logic                         has_own_o
);

  port_set_t free, leads, group, upper;
  hdr_t lead;
  count_t count, leaves;
  logic [1:0] resp;
  logic has_own;

  // Inputs above the one that led last; input 0 is above nobody.
  logic [NUM_PORTS-1:1] above_q, above_d;
  assign upper = free & {above_q, 1'b0};
  assign leads = upper != '0 ? upper & (~upper + 5'd1) : free & (~free + 5'd1);
  for (genvar i = 1; i < int'(NUM_PORTS); i++) begin : gen_above
    assign above_d[i] = leads[i-1:0] != '0;
  end

  noccl_merge_group #(
      .hdr_t(hdr_t)
  ) u_group (
      .position_i,
      .pending_i(free),
      .leads_i  (leads),
      .head_i,
      .lead_o   (lead),
      .group_o  (group),
      .count_o  (count),
      .resp_o   (resp),
      .leaves_o (leaves),
      .has_own_o(has_own)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) above_q <= '1;
    else if (free != '0) above_q <= above_d;
  end

  if (HasRegisters) begin : gen_registers
    port_set_t group_q;
    hdr_t lead_q;
    count_t count_q, leaves_q;
    logic [1:0] resp_q;
    logic has_own_q;

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) group_q <= '0;
      else group_q <= group;
    end
    // What only counts with a group has no reset.
    always_ff @(posedge clk_i) begin
      if (free != '0) begin
        lead_q <= lead;
        count_q <= count;
        resp_q <= resp;
        leaves_q <= leaves;
        has_own_q <= has_own;
      end
    end
    assign free      = pending_i & ~group_q;
    assign group_o   = group_q;
    assign lead_o    = lead_q;
    assign count_o   = count_q;
    assign resp_o    = resp_q;
    assign leaves_o  = leaves_q;
    assign has_own_o = has_own_q;
    `NOCCL_ASSERT(GroupStays, (group_q & ~pending_i) == '0)
  end else begin : gen_wires
    assign free      = pending_i;
    assign group_o   = group;
    assign lead_o    = lead;
    assign count_o   = count;
    assign resp_o    = resp;
    assign leaves_o  = leaves;
    assign has_own_o = has_own;
  end

  always_comb begin : p_last
    last_o = '0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (group_o[i]) begin
        last_o = '0;
        last_o[i] = 1'b1;
      end
    end
  end

endmodule
