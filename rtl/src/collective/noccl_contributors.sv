// SPDX-License-Identifier: Apache-2.0
// Who sends what enters a merge point of a wide reduction, and where its own sums meet the next
// contributions.
//
// Credits for the store go back to the sender of an operand: the nearest merge point on its path,
// else the member itself. Both follow from position, set and root; so neither flits nor tables
// carry them. A window is larger over a longer distance, so that one beat per cycle holds; it never
// exceeds what a flow has in a bank.
// Latency: none, purely combinational. Valid for inputs of the join set only.
// Source: docs/design/0001, decision I. Mirror: `contributor` in crates/noccl-net/src/tree.rs,
// `window_over` in deadlock/limits.rs, `window_ahead` in crates/noccl-sim/src/router/collective;
// vectors in rtl/tb/noccl_tree.

`include "noccl_assert.svh"

module noccl_contributors
  import noccl_cfg_pkg::X_BITS, noccl_cfg_pkg::Y_BITS;
  import noccl_cfg_pkg::REGION_WIDTH, noccl_cfg_pkg::REGION_HEIGHT;
  import noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST, noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST;
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t;
  import noccl_collective_pkg::window_t;
(
    /// Mesh coordinate of the router; constant.
    input  coord_t                        position_i,
    /// Members: region coordinates that agree with `base_i` in all bits outside `mask_i`.
    input  noccl_flit_pkg::region_coord_t base_i,
    /// See `base_i`.
    input  noccl_flit_pkg::region_coord_t mask_i,
    /// Root of the reduction.
    input  coord_t                        root_i,
    /// Per input: who sends; undefined outside the join set.
    output coord_t                        contributor_o[NUM_PORTS],
    /// Per input: beats that it may have in flight; undefined outside the join set.
    output window_t                       window_o     [NUM_PORTS],
    /// Sums of this router meet other contributions on their path to the root.
    output logic                          has_ahead_o,
    /// Beats that this router may have in flight to there; ignored without `has_ahead_o`.
    output window_t                       ahead_o
);

  localparam int unsigned REGION_X = noccl_cfg_pkg::REGION_X;
  localparam int unsigned REGION_Y = noccl_cfg_pkg::REGION_Y;
  localparam int unsigned HopBits = (X_BITS > Y_BITS ? X_BITS : Y_BITS) + 1;
  typedef logic [HopBits-1:0] hops_t;

  function automatic window_t window_over(hops_t hops);
    int unsigned window;
    window = noccl_cfg_pkg::WINDOW_BEATS;
    for (int unsigned h = 1; h < 2 ** HopBits; h++) begin
      if (32'(hops) >= h) window += noccl_collective_pkg::LINK_STAGES;
      if (32'(hops) >= h && h > 1) window += noccl_cfg_pkg::WINDOW_BEATS_PER_HOP;
      if (window > noccl_cfg_pkg::MAX_WINDOW_BEATS) window = noccl_cfg_pkg::MAX_WINDOW_BEATS;
    end
    return window_t'(window);
  endfunction

  // Nearest column or row with members on each side of the router, in mesh coordinates.
  logic [X_BITS-1:0] near_x[NUM_PORTS];
  logic [Y_BITS-1:0] near_y[NUM_PORTS];
  logic any_west, any_east, any_south, any_north, in_column;
  // The farthest member row is the nearest one on that side.
  logic is_end_south, is_end_north;

  always_comb begin : p_nearest
    logic has_member;
    logic [X_BITS-1:0] x;
    logic [Y_BITS-1:0] y;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      near_x[p] = position_i.x;
      near_y[p] = position_i.y;
    end
    any_west = 1'b0;
    any_east = 1'b0;
    any_south = 1'b0;
    any_north = 1'b0;
    is_end_south = 1'b0;
    is_end_north = 1'b0;
    in_column = 1'b0;
    for (int unsigned i = 0; i < REGION_WIDTH; i++) begin
      x = X_BITS'(i + REGION_X);
      has_member = (noccl_cfg_pkg::REGION_X_BITS'(i) & ~mask_i.x) == base_i.x;
      in_column |= has_member && x == position_i.x;
      if (has_member && x < position_i.x) begin
        near_x[WEST] = x;
        any_west = 1'b1;
      end
      if (has_member && x > position_i.x && !any_east) begin
        near_x[EAST] = x;
        any_east = 1'b1;
      end
    end
    for (int unsigned i = 0; i < REGION_HEIGHT; i++) begin
      y = Y_BITS'(i + REGION_Y);
      has_member = (noccl_cfg_pkg::REGION_Y_BITS'(i) & ~mask_i.y) == base_i.y;
      if (has_member && y < position_i.y) begin
        near_y[SOUTH] = y;
        is_end_south = !any_south;
        any_south = 1'b1;
      end
      if (has_member && y > position_i.y) begin
        is_end_north = !any_north;
        if (!any_north) near_y[NORTH] = y;
        any_north = 1'b1;
      end
    end
  end

  // The last row of the column's tree has its own inputs only: with a single one its router merges nothing.
  logic is_single;
  assign is_single = 2'(any_west) + 2'(any_east) + 2'(in_column) == 2'd1;

  function automatic hops_t apart(hops_t a, hops_t b);
    return a > b ? a - b : b - a;
  endfunction

  always_comb begin : p_contributors
    logic [X_BITS-1:0] end_x;
    hops_t dx, dy;
    end_x = any_west ? near_x[WEST] : any_east ? near_x[EAST] : position_i.x;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      contributor_o[p].x = near_x[p];
      contributor_o[p].y = near_y[p];
    end
    if (is_single && is_end_south) contributor_o[SOUTH].x = end_x;
    if (is_single && is_end_north) contributor_o[NORTH].x = end_x;
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      dx = apart(hops_t'(contributor_o[p].x), hops_t'(position_i.x));
      dy = apart(hops_t'(contributor_o[p].y), hops_t'(position_i.y));
      window_o[p] = window_over(dx + dy);
    end
  end

  // ----------------------------------------------------------------------------------- the path ahead

  always_comb begin : p_ahead
    hops_t to_root_x, to_root_y, near, dy_ahead;
    logic is_east, is_west, is_north, is_south, is_met_in_row, is_met_at_turn, is_met_in_column;
    is_east = root_i.x > position_i.x;
    is_west = root_i.x < position_i.x;
    is_north = root_i.y > position_i.y;
    is_south = root_i.y < position_i.y;
    to_root_x = apart(hops_t'(root_i.x), hops_t'(position_i.x));
    to_root_y = apart(hops_t'(root_i.y), hops_t'(position_i.y));
    // Members ahead in the row meet us at the nearest of them, at the root's column at the latest.
    is_met_in_row = (is_east && any_east) || (is_west && any_west);
    near = apart(is_east ? hops_t'(near_x[EAST]) : hops_t'(near_x[WEST]), hops_t'(position_i.x));
    if (!is_met_in_row || near > to_root_x) near = to_root_x;
    // Where the row ends in the root's column: rows that pass there.
    is_met_at_turn = (is_east || is_west) && ((!is_south && any_south) || (!is_north && any_north));
    // Rows further ahead.
    is_met_in_column = (is_north && any_north) || (is_south && any_south);
    if (!is_met_in_row && !is_met_at_turn) begin
      dy_ahead =
          apart(is_north ? hops_t'(near_y[NORTH]) : hops_t'(near_y[SOUTH]), hops_t'(position_i.y));
      near += dy_ahead > to_root_y ? to_root_y : dy_ahead;
    end else begin
      dy_ahead = '0;
    end
    has_ahead_o = is_met_in_row || is_met_at_turn || is_met_in_column;
    ahead_o = window_over(near);
  end

  `NOCCL_ASSERT_INIT(WindowFits, noccl_cfg_pkg::WINDOW_BEATS <= noccl_cfg_pkg::MAX_WINDOW_BEATS)

endmodule
