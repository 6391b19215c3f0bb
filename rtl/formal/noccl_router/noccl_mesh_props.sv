// SPDX-License-Identifier: Apache-2.0
// A 2x2 mesh with forks and joins makes progress: whatever the tiles send in the first cycles has arrived after `MaxCycles`,
// each flit once at each of its tiles, and four contributions at the root.
//
// Every tile sends one contribution to a common root, and, as the solver likes, unicasts and
// multicasts; tiles take what comes at least once in so many cycles. The scoreboard is kept for one
// pair of tiles, which the solver chooses: by tiles, not by routes, so that it tells what routes,
// forks and switches do together. Checked for every order in which this can happen, to that depth.

`include "noccl_assert.svh"

module noccl_mesh_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST;
  import noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST, noccl_flit_pkg::LOCAL;
  import noccl_flit_pkg::port_set_t, noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t;
  import noccl_flit_pkg::tag_t, noccl_flit_pkg::count_t;
  import noccl_props_pkg::flit_t, noccl_props_pkg::hdr_t;
#(
    /// Cycles in which tiles may send.
    parameter int unsigned SendCycles = 2,
    /// By then all has arrived.
    parameter int unsigned MaxCycles  = 16,
    /// A tile takes what comes for it at least once in so many cycles.
    parameter int unsigned ReadyEvery = 1
) (
    /// Clock.
    input logic                clk_i,
    /// Root of the join; constant.
    input coord_t              root_i,
    /// The pair with a scoreboard, initiator and target; constant.
    input logic          [1:0] initiator_i,
    input logic          [1:0] target_i,
    /// Per tile: it sends something else; a multicast to this set or a unicast to this tile.
    input logic                sends_i    [4],
    input logic                multicast_i[4],
    input coord_t              dst_i      [4],
    input region_coord_t       base_i     [4],
    input region_coord_t       mask_i     [4],
    /// Per tile: it sends its contribution.
    input logic                joins_i    [4],
    /// Per tile: it would take what comes for it.
    input logic          [3:0] takes_i
);

  logic rst_ni = 1'b0;
  logic [5:0] cycle_q;
  coord_t root_q;
  logic [1:0] initiator_q, target_q;
  logic may_send;

  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni) begin
      cycle_q <= '0;
      root_q <= root_i;
      initiator_q <= initiator_i;
      target_q <= target_i;
    end else begin
      cycle_q <= cycle_q + 6'(cycle_q != '1);
    end
  end
  assign may_send = 32'(cycle_q) < SendCycles;

  port_set_t in_valid[4], in_ready[4], out_valid[4], out_ready[4];
  flit_t in_flit[4][NUM_PORTS], out_flit[4][NUM_PORTS];
  logic [3:0] has_joined_q, joins;
  // Flits that are no contributions have numbers, by initiator: their tags.
  tag_t [3:0] number_q;
  // Cycles without taking anything.
  logic [2:0] pause_q  [4];
  // Something is in a FIFO, or waits for other contributions.
  logic [3:0] is_busy;

  for (genvar t = 0; t < 4; t++) begin : gen_tile
    localparam int unsigned TILE = unsigned'(t);
    localparam int unsigned X = TILE % 2;
    localparam int unsigned Y = TILE / 2;
    localparam int unsigned ACROSS_X = TILE - X + (1 - X);
    localparam int unsigned ACROSS_Y = X + 2 * (1 - Y);
    localparam int unsigned TO_X = X == 0 ? EAST : WEST;
    localparam int unsigned TO_Y = Y == 0 ? NORTH : SOUTH;

    coord_t position;
    port_set_t join_valid, absorb, forward, candidate, taken;
    logic goes_on;
    flit_t head[NUM_PORTS], result;
    hdr_t head_hdr[NUM_PORTS], merged[NUM_PORTS], result_hdr;
    port_set_t result_route;
    logic result_valid, result_ready;

    assign position.x = noccl_cfg_pkg::X_BITS'(X);
    assign position.y = noccl_cfg_pkg::Y_BITS'(Y);

    // What the tile sends: its contribution first.
    always_comb begin
      joins[t] = joins_i[t] && !has_joined_q[t];
      in_valid[t] = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) in_flit[t][p] = '0;
      in_valid[t][TO_X] = out_valid[ACROSS_X][X==0?WEST : EAST];
      in_flit[t][TO_X] = out_flit[ACROSS_X][X==0?WEST : EAST];
      in_valid[t][TO_Y] = out_valid[ACROSS_Y][Y==0?SOUTH : NORTH];
      in_flit[t][TO_Y] = out_flit[ACROSS_Y][Y==0?SOUTH : NORTH];
      in_valid[t][LOCAL] = (may_send && sends_i[t]) || joins[t];
      in_flit[t][LOCAL].hdr.src = position;
      if (joins[t]) begin
        in_flit[t][LOCAL].hdr.kind  = noccl_props_pkg::KIND_JOIN;
        in_flit[t][LOCAL].hdr.dst   = root_q;
        in_flit[t][LOCAL].hdr.src   = root_q;
        in_flit[t][LOCAL].hdr.mask  = '1;
        in_flit[t][LOCAL].hdr.count = 1;
      end else begin
        in_flit[t][LOCAL].hdr.tag = number_q[t];
        in_flit[t][LOCAL].hdr.multicast = multicast_i[t];
        in_flit[t][LOCAL].hdr.dst = dst_i[t];
        in_flit[t][LOCAL].hdr.base = base_i[t] & ~mask_i[t];
        in_flit[t][LOCAL].hdr.mask = mask_i[t];
      end
      out_ready[t] = '0;
      out_ready[t][LOCAL] = ReadyEvery == 1 || takes_i[t] || 32'(pause_q[t]) + 1 >= ReadyEvery;
      out_ready[t][TO_X] = in_ready[ACROSS_X][X==0?WEST : EAST];
      out_ready[t][TO_Y] = in_ready[ACROSS_Y][Y==0?SOUTH : NORTH];
    end

    noccl_router #(
        .flit_t   (flit_t),
        .hdr_t    (hdr_t),
        .JoinKinds(noccl_props_pkg::JOIN_KINDS)
    ) u_router (
        .clk_i,
        .rst_ni,
        .position_i      (position),
        .in_valid_i      (in_valid[t]),
        .in_ready_o      (in_ready[t]),
        .in_flit_i       (in_flit[t]),
        .in_note_i       ('0),
        .out_valid_o     (out_valid[t]),
        .out_ready_i     (out_ready[t]),
        .out_flit_o      (out_flit[t]),
        .join_valid_o    (join_valid),
        .head_o          (head),
        .head_note_o     (),
        .join_absorb_i   (absorb),
        .join_forward_i  (forward),
        .join_candidate_i(candidate),
        .join_goes_on_i  (goes_on),
        .join_hdr_i      (merged),
        .join_taken_o    (taken),
        .result_valid_i  (result_valid),
        .result_i        (result),
        .result_route_i  (result_route),
        .result_ready_o  (result_ready)
    );

    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign head_hdr[i] = head[i].hdr;
    end
    assign result.hdr = result_hdr;

    noccl_merge #(
        .hdr_t        (hdr_t),
        .Entries      (2),
        .TimeoutCycles(16)
    ) u_merge (
        .clk_i,
        .rst_ni,
        .position_i    (position),
        .join_valid_i  (join_valid),
        .head_i        (head_hdr),
        .absorb_o      (absorb),
        .forward_o     (forward),
        .candidate_o   (candidate),
        .goes_on_o     (goes_on),
        .hdr_o         (merged),
        .taken_i       (taken),
        .result_valid_o(result_valid),
        .result_o      (result_hdr),
        .result_route_o(result_route),
        .result_ready_i(result_ready)
    );

    assign is_busy[t] = u_router.head_valid != '0 || out_valid[t] != '0 || u_merge.valid_q != '0;

    always_ff @(posedge clk_i) begin
      pause_q[t] <= !rst_ni || out_ready[t][LOCAL] ? '0 : pause_q[t] + 1'b1;
      if (!rst_ni) number_q[t] <= '0;
      else if (in_valid[t][LOCAL] && in_ready[t][LOCAL] && !joins[t])
        number_q[t] <= number_q[t] + 1'b1;
      has_joined_q[t] <= rst_ni && (has_joined_q[t] || (joins[t] && in_ready[t][LOCAL]));
    end
  end

  // Contributions are sent in time; else the others rightly wait.
  `NOCCL_ASSUME(AllJoin, 32'(cycle_q) < SendCycles || has_joined_q == '1)
  `NOCCL_ASSERT(AllArrives, 32'(cycle_q) != MaxCycles || is_busy == '0)

  // --------------------------------------------------------------------------------------- the scoreboard

  localparam int unsigned NUM_NUMBERS = 2 ** noccl_cfg_pkg::TAG_BITS;
  `NOCCL_ASSERT_INIT(NumbersDoNotReturn, NUM_NUMBERS >= SendCycles)

  // Flits of the initiator to the target, and those that it has got; contributions in all sums.
  logic [NUM_NUMBERS-1:0] sent_q, got_q;
  count_t joined_q;
  tag_t sending, coming;
  count_t coming_count;
  logic sends, arrives, comes, comes_sum, is_meant;
  coord_t initiator, target;
  region_coord_t target_in_region;

  assign initiator.x = noccl_cfg_pkg::X_BITS'(initiator_q[0]);
  assign initiator.y = noccl_cfg_pkg::Y_BITS'(initiator_q[1]);
  assign target.x = noccl_cfg_pkg::X_BITS'(target_q[0]);
  assign target.y = noccl_cfg_pkg::Y_BITS'(target_q[1]);
  assign target_in_region.x = noccl_cfg_pkg::REGION_X_BITS'(target_q[0]);
  assign target_in_region.y = noccl_cfg_pkg::REGION_Y_BITS'(target_q[1]);

  assign sending = in_flit[initiator_q][LOCAL].hdr.tag;
  assign is_meant = multicast_i[initiator_q]
      ? (target_in_region & ~mask_i[initiator_q]) == (base_i[initiator_q] & ~mask_i[initiator_q])
      : dst_i[initiator_q] == target;
  assign sends = in_valid[initiator_q][LOCAL] && in_ready[initiator_q][LOCAL] && !joins[initiator_q]
      && is_meant;
  assign coming = out_flit[target_q][LOCAL].hdr.tag;
  assign coming_count = out_flit[target_q][LOCAL].hdr.count;
  assign arrives = out_valid[target_q][LOCAL] && out_ready[target_q][LOCAL];
  assign comes_sum = arrives && out_flit[target_q][LOCAL].hdr.kind == noccl_props_pkg::KIND_JOIN;
  assign comes = arrives && out_flit[target_q][LOCAL].hdr.kind == noccl_props_pkg::KIND_PLAIN
      && out_flit[target_q][LOCAL].hdr.src == initiator;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sent_q   <= '0;
      got_q    <= '0;
      joined_q <= '0;
    end else begin
      if (sends) sent_q[sending] <= 1'b1;
      if (comes) got_q[coming] <= 1'b1;
      if (comes_sum) joined_q <= joined_q + coming_count;
    end
  end

  // What comes was sent and has not come yet.
  `NOCCL_ASSERT(ComesOnce, !comes || (sent_q[coming] && !got_q[coming]))
  `NOCCL_ASSERT(
      NothingIsLost,
      32'(cycle_q) != MaxCycles || (got_q == sent_q && (target != root_q || joined_q == 4)))

endmodule
