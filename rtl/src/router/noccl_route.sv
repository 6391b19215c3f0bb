// SPDX-License-Identifier: Apache-2.0
// Outputs that a flit asks for at a router: one port towards a destination, or the branches of a
// multicast.
//
// Latency: none, purely combinational from the header fields to `ports_o`. X first, then Y. A
// multicast runs in both directions along the row of its source as far as members reach, and turns
// into every column that has members; so nothing but the position, the input and the set is needed.
// Source: S1 section 3.1.2. A set is a power of two of tiles (base, mask) in the coordinates of
// the region.
// Mirror: `fork_set` in crates/noccl-net/src/tree.rs, `xy_port` in
// crates/noccl-sim/src/router/collective/fork/route.rs.

`include "noccl_assert.svh"

module noccl_route
  import noccl_cfg_pkg::X_BITS, noccl_cfg_pkg::Y_BITS;
  import noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST, noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST;
  import noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t, noccl_flit_pkg::outputs_from;
#(
    /// Input of the router at which the flit stands; 0 to 4 (N, E, S, W, Local).
    parameter int unsigned InputPort = LOCAL,
    /// Multicasts exist; without them only `dst_i` counts.
    parameter bit HasMulticast = 1'b1
) (
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t        position_i,
    /// The flit goes to a set instead of to `dst_i`.
    input  logic                          multicast_i,
    /// Destination; ignored for a multicast.
    input  noccl_flit_pkg::coord_t        dst_i,
    /// Members of the multicast: coordinates that agree with `base_i` in all bits outside `mask_i`.
    input  noccl_flit_pkg::region_coord_t base_i,
    input  noccl_flit_pkg::region_coord_t mask_i,
    /// The initiator has its own copy already; counts at the Local input only.
    input  logic                          own_copy_i,
    /// Outputs; exactly one unless a multicast.
    output port_set_t                     ports_o
);

  port_set_t unicast;

  assign unicast = noccl_flit_pkg::toward(position_i, dst_i);

  // Position in the coordinates of the region, negative outside; one bit more for the sign.
  logic signed [X_BITS:0] here_x, first_x, last_x, mask_x;
  logic signed [Y_BITS:0] here_y, first_y, last_y, mask_y;
  logic in_column, in_row;
  port_set_t fork_set;

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
    fork_set = '0;
    fork_set[EAST] = last_x > here_x;
    fork_set[WEST] = first_x < here_x;
    fork_set[NORTH] = in_column && last_y > here_y;
    fork_set[SOUTH] = in_column && first_y < here_y;
    fork_set[LOCAL] = in_column && in_row && !(InputPort == LOCAL && own_copy_i);
  end

  assign ports_o = HasMulticast && multicast_i ? fork_set & outputs_from(InputPort) : unicast;

  `NOCCL_ASSERT_INIT(InputExists, InputPort < noccl_flit_pkg::NUM_PORTS)

endmodule
