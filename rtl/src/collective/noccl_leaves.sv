// SPDX-License-Identifier: Apache-2.0
// How many contributors of a collective send through a router.
//
// A merge table knows from it when a subtree is complete, so it stores no count of expected
// contributions and needs no message that announces them.
// Latency: none, purely combinational.
// Source: S1, section 3.1.3; leaf counts: docs/design/0001, decision G.
// Mirror: `leaves_through` in crates/noccl-net/src/tree.rs; vectors in rtl/tb/noccl_tree.

module noccl_leaves
  import noccl_cfg_pkg::X_BITS, noccl_cfg_pkg::Y_BITS;
  import noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST, noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST;
  import noccl_cfg_pkg::REGION_WIDTH, noccl_cfg_pkg::REGION_HEIGHT;
(
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t        position_i,
    /// Contributors: region coordinates that agree with `base_i` in all bits outside `mask_i`.
    input  noccl_flit_pkg::region_coord_t base_i,
    /// See `base_i`.
    input  noccl_flit_pkg::region_coord_t mask_i,
    /// Output towards the root, to which contributions go (`noccl_flit_pkg::toward`).
    input  noccl_flit_pkg::port_set_t     toward_i,
    /// Contributors whose path to the root leads through this router; 0 if there are none.
    output noccl_flit_pkg::count_t        leaves_o
);

  import noccl_flit_pkg::count_t;

  localparam int unsigned REGION_X = noccl_cfg_pkg::REGION_X;
  localparam int unsigned REGION_Y = noccl_cfg_pkg::REGION_Y;
  localparam int unsigned ColumnBits = $clog2(REGION_WIDTH + 1);
  localparam int unsigned RowBits = $clog2(REGION_HEIGHT + 1);

  // Columns and rows with members on the far side of the router, and all of them.
  logic [ColumnBits-1:0] columns;
  logic [RowBits-1:0] rows;
  logic in_row, is_before_x, is_behind_x, is_before_y, is_behind_y;

  assign is_before_x = toward_i[EAST];
  assign is_behind_x = toward_i[WEST];
  assign is_before_y = toward_i[NORTH];
  assign is_behind_y = toward_i[SOUTH];

  always_comb begin : p_count
    logic has_x, has_y;
    columns = '0;
    rows = '0;
    in_row = 1'b0;
    for (int unsigned x = 0; x < REGION_WIDTH; x++) begin
      has_x = (noccl_cfg_pkg::REGION_X_BITS'(x) & ~mask_i.x) == base_i.x;
      has_x &= !is_before_x || X_BITS'(x + REGION_X) <= position_i.x;
      has_x &= !is_behind_x || X_BITS'(x + REGION_X) >= position_i.x;
      columns += ColumnBits'(has_x);
    end
    for (int unsigned y = 0; y < REGION_HEIGHT; y++) begin
      has_y = (noccl_cfg_pkg::REGION_Y_BITS'(y) & ~mask_i.y) == base_i.y;
      in_row |= has_y && Y_BITS'(y + REGION_Y) == position_i.y;
      has_y &= !is_before_y || Y_BITS'(y + REGION_Y) <= position_i.y;
      has_y &= !is_behind_y || Y_BITS'(y + REGION_Y) >= position_i.y;
      rows += RowBits'(has_y);
    end
  end

  // In the root's column each row stands for all its members, a power of two of them.
  always_comb begin : p_leaves
    leaves_o = '0;
    for (int unsigned b = 0; b <= noccl_cfg_pkg::REGION_X_BITS; b++) begin
      if (unsigned'($countones(mask_i.x)) == b) leaves_o |= count_t'(rows) << b;
    end
    if (is_before_x || is_behind_x) leaves_o = in_row ? count_t'(columns) : '0;
  end

endmodule
