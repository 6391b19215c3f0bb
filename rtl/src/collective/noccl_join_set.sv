// SPDX-License-Identifier: Apache-2.0
// Inputs of a router through which contributions to one reduction, barrier or collected response come.
//
// Without it a merge point would not know for whom to wait: nothing announces a collective, so position, set and
// root have to say it. Contributions travel X first: those of a row meet in that row, the rows in the root's column.
// Latency: none, purely combinational.
// Source: S1, section 3.1.3. Mirror: `join_set` in crates/noccl-net/src/tree.rs; vectors in rtl/tb/noccl_tree.

module noccl_join_set
  import noccl_cfg_pkg::X_BITS, noccl_cfg_pkg::Y_BITS;
  import noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST, noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST;
  import noccl_flit_pkg::LOCAL;
(
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t        position_i,
    /// Contributors: region coordinates that agree with `base_i` in all bits outside `mask_i`.
    input  noccl_flit_pkg::region_coord_t base_i,
    /// See `base_i`.
    input  noccl_flit_pkg::region_coord_t mask_i,
    /// Mesh coordinate to which contributions go.
    input  noccl_flit_pkg::coord_t        root_i,
    /// Inputs that carry contributions; empty at routers that none of them passes.
    output noccl_flit_pkg::port_set_t     ports_o,
    /// Contributions meet here: there are at least two of these inputs.
    output logic                          meets_o
);

  // Position in coordinates of the region, negative before it.
  logic signed [X_BITS:0] here_x, first_x, last_x, mask_x;
  logic signed [Y_BITS:0] here_y, first_y, last_y, mask_y;
  logic in_column, in_row;

  assign here_x = signed'({1'b0, position_i.x} - (X_BITS + 1)'(noccl_cfg_pkg::REGION_X));
  assign here_y = signed'({1'b0, position_i.y} - (Y_BITS + 1)'(noccl_cfg_pkg::REGION_Y));
  assign first_x = signed'((X_BITS + 1)'(base_i.x));
  assign first_y = signed'((Y_BITS + 1)'(base_i.y));
  assign mask_x = signed'((X_BITS + 1)'(mask_i.x));
  assign mask_y = signed'((Y_BITS + 1)'(mask_i.y));
  assign last_x = first_x | mask_x;
  assign last_y = first_y | mask_y;
  assign in_column = (here_x & ~mask_x) == first_x;
  assign in_row = (here_y & ~mask_y) == first_y;

  always_comb begin
    ports_o = '0;
    ports_o[WEST] = in_row && root_i.x >= position_i.x && first_x < here_x;
    ports_o[EAST] = in_row && root_i.x <= position_i.x && last_x > here_x;
    ports_o[LOCAL] = in_row && in_column;
    if (root_i.x == position_i.x) begin
      ports_o[SOUTH] = root_i.y >= position_i.y && first_y < here_y;
      ports_o[NORTH] = root_i.y <= position_i.y && last_y > here_y;
    end
  end

  assign meets_o = (ports_o & (ports_o - noccl_flit_pkg::port_set_t'(1))) != '0;

endmodule
