// SPDX-License-Identifier: Apache-2.0
// Windows of wide reductions are the same at both ends: what a tile may have in flight is what the
// next merge point has space for.
//
// Any tile sends; its path to the root is walked until operands meet other contributions. The
// router there expects the tile, with the window that the tile believes in, and no other router
// does; so credits neither get lost nor go to somebody who waits for none. All of it is
// combinational.

`include "noccl_assert.svh"

module noccl_window_props
  import noccl_cfg_pkg::MESH_WIDTH, noccl_cfg_pkg::MESH_HEIGHT;
  import noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST, noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST;
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t;
  import noccl_collective_pkg::window_t;
(
    /// Clock.
    input logic          clk_i,
    /// The tile that sends; any tile.
    input coord_t        here_i,
    /// The router that is asked whom it expects; any router.
    input coord_t        there_i,
    /// Root of the reduction, any tile.
    input coord_t        root_i,
    /// Set of the reduction.
    input region_coord_t base_i,
    input region_coord_t mask_i
);

  localparam int unsigned MaxHops = MESH_WIDTH + MESH_HEIGHT - 2;
  localparam window_t WINDOW = window_t'(noccl_cfg_pkg::WINDOW_BEATS);

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  region_coord_t base;
  assign base = base_i & ~mask_i;

  function automatic logic is_several(port_set_t set);
    return (set & (set - port_set_t'(1))) != '0;
  endfunction

  // ---------------------------------------------------------------------------------- the path to the root

  // Routers on the path, from the tile's own on; where each is entered, no port for the first and
  // behind the root.
  coord_t [MaxHops:0] path;
  port_set_t [MaxHops:0] entered, inputs;
  // Sums meet other contributions at the router, first.
  logic meets;
  coord_t met_at;
  port_set_t met_by;

  always_comb begin
    coord_t next;
    next = here_i;
    path[0] = here_i;
    entered[0] = '0;
    for (int unsigned h = 1; h <= MaxHops; h++) begin
      entered[h] = '0;
      if (next.x != root_i.x) begin
        entered[h][next.x<root_i.x?WEST : EAST] = 1'b1;
        next.x = next.x < root_i.x ? next.x + 1'b1 : next.x - 1'b1;
      end else if (next.y != root_i.y) begin
        entered[h][next.y<root_i.y?SOUTH : NORTH] = 1'b1;
        next.y = next.y < root_i.y ? next.y + 1'b1 : next.y - 1'b1;
      end
      path[h] = next;
    end
  end

  for (genvar h = 0; h <= int'(MaxHops); h++) begin : gen_path
    noccl_join_set u_inputs (
        .position_i(path[h]),
        .base_i    (base),
        .mask_i,
        .root_i,
        .ports_o   (inputs[h]),
        .meets_o   ()
    );
  end

  always_comb begin
    meets  = 1'b0;
    met_at = here_i;
    met_by = '0;
    for (int unsigned h = 1; h <= MaxHops; h++) begin
      if (!meets && entered[h] != '0 && is_several(inputs[h])) begin
        meets  = 1'b1;
        met_at = path[h];
        met_by = entered[h];
      end
    end
  end

  // ------------------------------------------------------------------------------ what the tile itself knows

  logic merges, is_member, has_ahead, is_unlimited;
  window_t ahead, window;

  noccl_contributors u_here (
      .position_i   (here_i),
      .base_i       (base),
      .mask_i,
      .root_i,
      .contributor_o(),
      .window_o     (),
      .has_ahead_o  (has_ahead),
      .ahead_o      (ahead)
  );
  noccl_window u_window (
      .pos_i         (here_i),
      .root_i,
      .base_i        (base),
      .mask_i,
      .is_unlimited_o(is_unlimited),
      .window_o      (window)
  );
  assign merges = is_several(inputs[0]);
  assign is_member = inputs[0][LOCAL];

  // --------------------------------------------------------------------------- what a router expects of the tile

  coord_t contributor[NUM_PORTS];
  window_t windows[NUM_PORTS];
  port_set_t ports, expects, expected;
  logic differs;

  noccl_join_set u_ports (
      .position_i(there_i),
      .base_i    (base),
      .mask_i,
      .root_i,
      .ports_o   (ports),
      .meets_o   ()
  );
  noccl_contributors u_there (
      .position_i   (there_i),
      .base_i       (base),
      .mask_i,
      .root_i,
      .contributor_o(contributor),
      .window_o     (windows),
      .has_ahead_o  (),
      .ahead_o      ()
  );

  // Sums of a merge point and operands of a member go to the next one, operands of a member that is one stay.
  always_comb begin
    expected = '0;
    if (there_i == met_at && meets && (merges || is_member)) expected = met_by;
    if (there_i == here_i && merges) expected[LOCAL] = is_member;
    differs = 1'b0;
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      expects[i] = is_several(ports) && ports[i] && contributor[i] == here_i;
      if (expects[i] && windows[i] != (i == LOCAL ? WINDOW : ahead)) differs = 1'b1;
    end
  end

  function automatic logic is_inside(coord_t tile);
    return 32'(tile.x) < MESH_WIDTH && 32'(tile.y) < MESH_HEIGHT;
  endfunction

  logic knows_window, fits;
  assign knows_window = is_unlimited == (!merges && !meets) &&
      (is_unlimited || window == (merges ? WINDOW : ahead));
  assign fits = ahead >= WINDOW && 32'(ahead) <= noccl_cfg_pkg::MAX_WINDOW_BEATS;

  `NOCCL_ASSUME(InTheMesh, is_inside(here_i) && is_inside(there_i) && is_inside(root_i))
  `NOCCL_ASSERT(TheNextMergePointExpectsWhatIsSent, expects == expected)
  `NOCCL_ASSERT(BothEndsHaveTheSameWindow, !differs)
  `NOCCL_ASSERT(TilesKnowThatTheyMerge, !(merges || is_member) || has_ahead == meets)
  `NOCCL_ASSERT(NetworkInterfaceKnowsItsWindow, !is_member || knows_window)
  `NOCCL_ASSERT(WindowsFitTheStore, fits)

endmodule
