// SPDX-License-Identifier: Apache-2.0
// Counted reductions over a row of routers with bypass: no id is freed early, and the root's result has every operand once.
//
// Reductions of any sets and roots follow each other under one id; with the result of one at the root the next one may begin. Reduction tables,
// what combines in flight and global allocation are those of the hardware. Of a router's channels the one with the last contribution is left:
// it goes on in any cycle. Whether links are used by others and channels are free is anything.

`include "noccl_assert.svh"

module noccl_smart_counting_props
  import noccl_smart_pkg::*;
#(
    localparam int unsigned NumRouters = noccl_smart_cfg_pkg::MESH_WIDTH
) (
    /// Clock.
    input logic                  clk_i,
    /// Root and members of the next reduction.
    input x_t                    root_i,
    input x_t                    base_i,
    input x_t                    mask_i,
    /// The member whose operand is one, that of others is zero; constant.
    input x_t                    marked_i,
    /// Members send their contribution; the last contribution at a router goes on.
    input logic [NumRouters-1:0] sends_i,
    input logic [NumRouters-1:0] goes_on_i,
    /// The crossbar input on the path eastwards, westwards, is used by others; there is a free channel at the next router.
    input logic [NumRouters-1:0] is_used_i[2],
    input logic [NumRouters-1:0] is_open_i[2]
);

  typedef logic [NumRouters-1:0] routers_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // ------------------------------------------------------------------------------------------------- the reduction

  header_t header_q;
  logic is_legal;
  routers_t is_member, sent_q, sends;
  // Routers with the last contribution in a channel; what it brings.
  routers_t holds_q, starts, arrives_last;
  data_t held_q[NumRouters];
  logic is_over, is_over_q;
  x_t   root_q;
  logic is_marked_q;

  // Beyond the mesh is nobody.
  assign is_legal = 32'(root_i) < NumRouters && (base_i & mask_i) == '0 &&
      32'(base_i | mask_i) < NumRouters;
  assign is_over = starts[header_q.root.x];
  for (genvar r = 0; r < int'(NumRouters); r++) begin : gen_member
    assign is_member[r] = is_member_column(x_t'(r), header_q);
  end
  assign sends  = sends_i & is_member & ~sent_q;
  assign starts = goes_on_i & holds_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni || is_over) begin
      header_q <= '0;
      header_q.kind <= CONTRIBUTION;
      header_q.flits <= flit_count_t'(1);
      header_q.root.x <= is_legal ? root_i : '0;
      header_q.base.x <= is_legal ? base_i : '0;
      header_q.mask.x <= is_legal ? mask_i : '0;
      header_q.is_counted <= 1'b1;
      header_q.has_operand <= 1'b1;
      header_q.op <= noccl_number_pkg::OP_SUM;
      header_q.element <= noccl_number_pkg::ELEM_INT8;
    end
    sent_q <= !rst_ni || is_over ? '0 : sent_q | sends;
    holds_q <= !rst_ni ? '0 : (holds_q & ~starts) | arrives_last;
    is_over_q <= rst_ni && is_over;
    root_q <= header_q.root.x;
    is_marked_q <= is_member[marked_i];
  end

  // ---------------------------------------------------------------------------------------------------- the routers

  // Eastwards (0) and westwards (1): element r goes into router r, or r - 1.
  requests_t requests[2][NumRouters+1];
  crossing_t crossing[2][NumRouters+1];
  data_t link[2][NumRouters+1];
  routers_t is_reserved, is_unawaited, is_no_last, is_beside, is_latching;
  assign requests[0][0] = '0;
  assign crossing[0][0] = '0;
  assign link[0][0] = '0;
  assign requests[1][NumRouters] = '0;
  assign crossing[1][NumRouters] = '0;
  assign link[1][NumRouters] = '0;

  for (genvar r = 0; r < int'(NumRouters); r++) begin : gen_router
    localparam coord_t Position = '{x: x_t'(r), y: '0};
    request_t look[NUM_LINKS][1], coming[NUM_LINKS];
    logic is_last[NUM_LINKS][1];
    logic [NUM_LINKS-1:0] passes;
    latch_t latch[NUM_PORTS];
    logic [NUM_PORTS-1:0] is_dropped, is_combined, valid, goes_on;
    header_t latched_header[NUM_PORTS];
    data_t latched_data_q[NUM_PORTS], combined[NUM_PORTS];
    data_t data_in[NUM_LINKS], mask[NUM_LINKS], other[NUM_LINKS];

    noccl_smart_counting u_counting (
        .clk_i,
        .rst_ni,
        .position_i      (Position),
        .look_i          (look),
        .is_last_o       (is_last),
        .passes_i        (passes),
        .passing_i       (coming),
        .latch_i         (latch),
        .is_dropped_o    (is_dropped),
        .latched_header_i(latched_header),
        .latched_data_i  (latched_data_q),
        .combined_valid_o(is_combined),
        .combined_data_o (combined),
        .data_i          (data_in),
        .mask_o          (mask),
        .other_o         (other)
    );

    for (genvar l = 0; l < int'(NUM_LINKS); l++) begin : gen_link
      localparam int unsigned In = opposite(l);
      if (l == int'(EAST) || l == int'(WEST)) begin : gen_line
        localparam int D = l == int'(EAST) ? 0 : 1;
        localparam int From = r + D, To = r + 1 - D;
        request_t own;
        logic starts_q, passes_q;
        data_t  passed;
        latch_t latch_q;
        always_comb begin : p_own
          own = '0;
          if (starts[r] && toward(Position, header_q.root) [l]) begin
            own.valid  = 1'b1;
            own.header = header_q;
            own.limit  = least(hops_along(l, Position, header_q), most_hops(header_q));
          end
        end
        noccl_smart_line u_line (
            .clk_i,
            .rst_ni,
            .is_local_i      (1'b1),
            .requests_i      (requests[D][From]),
            .requests_o      (requests[D][To]),
            .crossing_i      (crossing[D][From]),
            .crossing_o      (crossing[D][To]),
            .own_i           (own),
            .own_is_granted_i(own.valid),
            .input_is_used_i (is_used_i[D][r]),
            .open_i          ({1'b0, is_open_i[D][r], 1'b0}),
            .look_o          (look[l]),
            .later_ends_i    ('{1'b0}),
            .is_last_i       (is_last[l]),
            .is_won_o        (),
            .coming_o        (coming[l]),
            .coming_look_o   (),
            .passes_o        (passes[l]),
            .goes_further_o  (),
            .seen_o          ()
        );
        // As in noccl_smart_router: what comes and does not pass is latched a cycle later.
        always_ff @(posedge clk_i) begin
          latch_q <= '0;
          latch_q.valid <= rst_ni && coming[l].valid && !passes[l];
          latch_q.is_counted <= 1'b1;
          latch_q.inputs <= num_inputs(Position, coming[l].header);
          starts_q <= rst_ni && own.valid;
          passes_q <= rst_ni && passes[l];
        end
        assign latch[In] = latch_q;
        assign data_in[In] = link[D][From];
        assign passed = (data_in[In] & mask[l]) | other[l];
        assign link[D][To] = starts_q ? held_q[r] : passes_q ? passed : '0;
      end else begin : gen_none
        assign look[l][0]  = '0;
        assign coming[l]   = '0;
        assign passes[l]   = 1'b0;
        assign latch[In]   = '0;
        assign data_in[In] = '0;
      end
    end

    assign latch[LOCAL] = '{
            valid: sends[r],
            is_counted: 1'b1,
            inputs: num_inputs(Position, header_q),
            default: '0
        };

    always_comb begin : p_latched
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        valid[p] = latch[p].valid;
        latched_header[p] = header_q;
      end
      goes_on = valid & ~is_dropped;
    end
    assign arrives_last[r] = goes_on != '0;
    always_ff @(posedge clk_i) begin
      for (int unsigned p = 0; p < NUM_LINKS; p++) latched_data_q[p] <= data_in[p];
      latched_data_q[LOCAL] <= data_t'(marked_i == x_t'(r));
      for (int unsigned p = 0; p < NUM_PORTS; p++) if (is_combined[p]) held_q[r] <= combined[p];
    end

    // What the table relies on.
    always_comb begin : p_obligations
      is_reserved[r] = u_counting.gen_table.u_table.count_q[0] != '0;
      is_no_last[r]  = passes != '0 && u_counting.gen_table.u_table.count_q[0] > 3'd1;
      is_beside[r]   = passes != '0 && (!$onehot(passes) || valid != '0);
      is_latching[r] = valid != '0;
    end
    logic [NUM_PORTS-1:0] awaited;
    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_awaited
      assign awaited[p] = u_counting.gen_table.u_table.gen_count[p].awaited inside {[3'd1 : 3'd5]};
    end
    assign is_unawaited[r] = (valid & ~awaited) != '0;
  end

  routers_t others;
  assign others = ~(routers_t'(1) << header_q.root.x);

  `NOCCL_ASSUME(MarksAMember, $stable(marked_i) && 32'(marked_i) < NumRouters)
  `NOCCL_ASSERT(NoIdIsFreeEarly, !is_over || is_reserved == '0)
  `NOCCL_ASSERT(NobodyIsLate,
                !is_over || (sent_q == is_member && is_latching == '0 && (holds_q & others) == '0))
  `NOCCL_ASSERT(TheResultHasEveryOperandOnce, !is_over_q || held_q[root_q] == data_t'(is_marked_q))
  `NOCCL_ASSERT(OneGoesOnFromARouter, (arrives_last & holds_q) == '0)
  `NOCCL_ASSERT(WhoComesIsAwaited, is_unawaited == '0)
  `NOCCL_ASSERT(WhoPassesIsTheLastOne, is_no_last == '0)
  `NOCCL_ASSERT(NobodyComesBesideTheLastOne, is_beside == '0)

endmodule
