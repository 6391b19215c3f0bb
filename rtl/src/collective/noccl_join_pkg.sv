// SPDX-License-Identifier: Apache-2.0
//
// Which inputs of a router carry contributions of a group towards a root: the masked form of S1 section 3.1.3.
//
// A group is base and mask in coordinates of the cluster region; routers and roots may stand anywhere in the mesh.
// X first: in a row contributions come from the side away from the root, and from Local where the tile is a member;
// in the root's column the rows meet. Mirror: crates/noccl-net/src/tree.rs.

package noccl_join_pkg;

  import noccl_flit_pkg::coord_t;
  import noccl_flit_pkg::region_coord_t;
  import noccl_flit_pkg::port_set_t;

  // Some member stands in this column.
  function automatic logic has_x(int unsigned x, region_coord_t base, region_coord_t mask);
    return x >= noccl_cfg_pkg::REGION_X
        && ((x - noccl_cfg_pkg::REGION_X) & ~32'(mask.x)) == 32'(base.x);
  endfunction

  // Some member stands in this row.
  function automatic logic has_y(int unsigned y, region_coord_t base, region_coord_t mask);
    return y >= noccl_cfg_pkg::REGION_Y
        && ((y - noccl_cfg_pkg::REGION_Y) & ~32'(mask.y)) == 32'(base.y);
  endfunction

  // Inputs of the router at (x, y).
  function automatic port_set_t join_set(int unsigned x, int unsigned y, coord_t root,
                                         region_coord_t base, region_coord_t mask);
    int unsigned min_x, max_x, min_y, max_y;
    logic in_row;
    port_set_t ports;
    min_x = 32'(base.x) + noccl_cfg_pkg::REGION_X;
    max_x = 32'(base.x | mask.x) + noccl_cfg_pkg::REGION_X;
    min_y = 32'(base.y) + noccl_cfg_pkg::REGION_Y;
    max_y = 32'(base.y | mask.y) + noccl_cfg_pkg::REGION_Y;
    in_row = has_y(y, base, mask);
    ports = '0;
    ports[noccl_flit_pkg::WEST] = in_row && 32'(root.x) >= x && min_x < x;
    ports[noccl_flit_pkg::EAST] = in_row && 32'(root.x) <= x && max_x > x;
    ports[noccl_flit_pkg::LOCAL] = in_row && has_x(x, base, mask);
    ports[noccl_flit_pkg::SOUTH] = 32'(root.x) == x && 32'(root.y) >= y && min_y < y;
    ports[noccl_flit_pkg::NORTH] = 32'(root.x) == x && 32'(root.y) <= y && max_y > y;
    return ports;
  endfunction

  // More than one input: contributions wait for each other here.
  function automatic logic is_merge_point(int unsigned x, int unsigned y, coord_t root,
                                          region_coord_t base, region_coord_t mask);
    port_set_t ports;
    ports = join_set(x, y, root, base, mask);
    return (ports & (ports - 1'b1)) != '0;
  endfunction

endpackage
