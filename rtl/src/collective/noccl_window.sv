// SPDX-License-Identifier: Apache-2.0
//
// How many beats of a reduction may be under way from here to the next merge point.
//
// The store there has a place for each of them (docs/design/0001, I); the farther it is, the more beats one beat per
// cycle needs. Where no merge point is ahead nothing waits for siblings, and nothing comes back: unlimited.
// Combinational. Mirror: `window_ahead` in crates/noccl-sim/src/join, `window_over` in noccl-net/src/deadlock/limits.rs.

`include "noccl_assert.svh"

module noccl_window #(
    /// Bits of a number of beats.
    localparam int unsigned WindowBits = $clog2(noccl_cfg_pkg::MAX_WINDOW_BEATS + 1)
) (
    /// Where the beats leave.
    input  noccl_flit_pkg::coord_t                         pos_i,
    /// Root of the reduction.
    input  noccl_flit_pkg::coord_t                         root_i,
    /// Its group.
    input  noccl_flit_pkg::region_coord_t                  base_i,
    /// Its group's mask.
    input  noccl_flit_pkg::region_coord_t                  mask_i,
    /// The router here may be the merge point: true for a NI, false for a merge unit's own sums.
    input  logic                                           counts_here_i,
    /// No merge point is ahead.
    output logic                                           is_unlimited_o,
    /// Beats; undefined without limit.
    output logic                          [WindowBits-1:0] window_o
);

  localparam int unsigned Width = noccl_cfg_pkg::MESH_WIDTH;
  localparam int unsigned Height = noccl_cfg_pkg::MESH_HEIGHT;
  localparam int unsigned HopBits = $clog2(Width + Height);

  // Merge points of this row up to the root's column, and of the root's column from this row on.
  logic [ Width-1:0] in_row;
  logic [Height-1:0] in_column;

  always_comb begin
    for (int unsigned x = 0; x < Width; x++) begin
      in_row[x] = noccl_join_pkg::is_merge_point(x, 32'(pos_i.y), root_i, base_i, mask_i) &&
          (32'(pos_i.x) == x ? counts_here_i && 32'(root_i.x) != x :
           32'(pos_i.x) < x ? x < 32'(root_i.x) : x > 32'(root_i.x));
    end
    for (int unsigned y = 0; y < Height; y++) begin
      in_column[y] = noccl_join_pkg::is_merge_point(32'(root_i.x), y, root_i, base_i, mask_i) &&
          (32'(pos_i.y) == y ? counts_here_i || root_i.x != pos_i.x :
           32'(pos_i.y) < y ? y <= 32'(root_i.y) : y >= 32'(root_i.y));
    end
  end

  function automatic logic [HopBits-1:0] apart(int unsigned a, int unsigned b);
    return HopBits'(a > b ? a - b : b - a);
  endfunction

  // The nearest one: all of the row come before those of the column.
  logic [HopBits-1:0] row_hops, column_hops, hops;

  always_comb begin
    row_hops = '1;
    column_hops = '1;
    for (int unsigned x = 0; x < Width; x++) begin
      if (in_row[x] && apart(x, 32'(pos_i.x)) < row_hops) row_hops = apart(x, 32'(pos_i.x));
    end
    for (int unsigned y = 0; y < Height; y++) begin
      if (in_column[y] && apart(y, 32'(pos_i.y)) < column_hops)
        column_hops = apart(y, 32'(pos_i.y));
    end
    hops = |in_row ? row_hops : column_hops + apart(32'(root_i.x), 32'(pos_i.x));
  end

  assign is_unlimited_o = in_row == '0 && in_column == '0;
  assign window_o = WindowBits'(noccl_cfg_pkg::WINDOW_BEATS) + (hops == '0 ? '0
      : WindowBits'(noccl_cfg_pkg::WINDOW_BEATS_PER_HOP) * (WindowBits'(hops) - 1'b1));

endmodule
