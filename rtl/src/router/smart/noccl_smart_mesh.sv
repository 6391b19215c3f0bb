// SPDX-License-Identifier: Apache-2.0
//
// A mesh of routers with bypass, and their network interfaces.
//
// Element x * MESH_HEIGHT + y of a port belongs to tile (x, y). Requests, crossings and data of a
// line go through all routers of the line within a cycle: a clock has to leave time for `HPC_MAX`
// hops (docs/rtl/smart_timing.md).
// Mirror: crates/noccl-sim/src/router/smart/plane.rs. Source: S2.

module noccl_smart_mesh
  import noccl_smart_pkg::*;
#(
    localparam int unsigned Width = noccl_smart_cfg_pkg::MESH_WIDTH,
    localparam int unsigned Height = noccl_smart_cfg_pkg::MESH_HEIGHT,
    localparam int unsigned NumTiles = Width * Height
) (
    /// Clock.
    input  logic                      clk_i,
    /// Asynchronous reset, active low.
    input  logic                      rst_ni,
    /// Per tile and message class: a flit waits; the flits of a packet one after the other.
    input  class_set_t                in_valid_i [NumTiles],
    input  flit_t                     in_flit_i  [NumTiles][NUM_CLASSES],
    /// It is taken.
    output class_set_t                in_ready_o [NumTiles],
    /// Tiles that take what is granted to them in this cycle; it comes out SETUP_CYCLES + 1 later.
    input  logic       [NumTiles-1:0] out_ready_i,
    /// A flit for a tile.
    output logic       [NumTiles-1:0] out_valid_o,
    output flit_t                     out_flit_o [NumTiles],
    /// Flits that cross the links behind outputs N, E, S, W, for tests.
    output seen_t                     seen_o     [NumTiles][  NUM_LINKS]
);

  // The tile behind a port of another one; -1 at the edge.
  function automatic int neighbour(int port, int x, int y);
    int to_x, to_y;
    to_x = port == int'(EAST) ? x + 1 : (port == int'(WEST) ? x - 1 : x);
    to_y = port == int'(NORTH) ? y + 1 : (port == int'(SOUTH) ? y - 1 : y);
    if (to_x < 0 || to_x >= int'(Width) || to_y < 0 || to_y >= int'(Height)) return -1;
    return to_x * int'(Height) + to_y;
  endfunction

  // By tile and output.
  requests_t requests[NumTiles][NUM_LINKS];
  crossing_t crossing[NumTiles][NUM_LINKS];
  data_t data[NumTiles][NUM_LINKS];
  distance_t beyond[NumTiles][NUM_LINKS];
  // By tile and input.
  class_set_t open[NumTiles][NUM_LINKS], open_after[NumTiles][NUM_LINKS];

  for (genvar x = 0; x < int'(Width); x++) begin : gen_column
    for (genvar y = 0; y < int'(Height); y++) begin : gen_tile
      localparam int unsigned Tile = x * Height + y;
      // What the neighbours show.
      requests_t requests_in[NUM_LINKS];
      crossing_t crossing_in[NUM_LINKS];
      data_t data_in[NUM_LINKS];
      distance_t beyond_in[NUM_LINKS];
      class_set_t open_in[NUM_LINKS], open_after_in[NUM_LINKS];

      for (genvar p = 0; p < int'(NUM_LINKS); p++) begin : gen_link
        localparam int Neighbour = neighbour(int'(p), x, y);
        if (Neighbour >= 0) begin : gen_neighbour
          assign requests_in[p] = requests[Neighbour][opposite(p)];
          assign crossing_in[p] = crossing[Neighbour][opposite(p)];
          assign data_in[p] = data[Neighbour][opposite(p)];
          assign beyond_in[p] = beyond[Neighbour][opposite(p)];
          assign open_in[p] = open[Neighbour][opposite(p)];
          assign open_after_in[p] = open_after[Neighbour][opposite(p)];
        end else begin : gen_edge
          assign requests_in[p] = '0;
          assign crossing_in[p] = '0;
          assign data_in[p] = '0;
          assign beyond_in[p] = '0;
          assign open_in[p] = '0;
          assign open_after_in[p] = '0;
        end
      end

      noccl_smart_tile u_tile (
          .clk_i,
          .rst_ni,
          .position_i  ('{x: x_t'(x), y: y_t'(y)}),
          .requests_i  (requests_in),
          .requests_o  (requests[Tile]),
          .crossing_i  (crossing_in),
          .crossing_o  (crossing[Tile]),
          .data_i      (data_in),
          .data_o      (data[Tile]),
          .beyond_i    (beyond_in),
          .beyond_o    (beyond[Tile]),
          .open_i      (open_in),
          .open_after_i(open_after_in),
          .open_o      (open[Tile]),
          .open_after_o(open_after[Tile]),
          .in_valid_i  (in_valid_i[Tile]),
          .in_flit_i   (in_flit_i[Tile]),
          .in_ready_o  (in_ready_o[Tile]),
          .out_ready_i (out_ready_i[Tile]),
          .out_valid_o (out_valid_o[Tile]),
          .out_flit_o  (out_flit_o[Tile]),
          .seen_o      (seen_o[Tile])
      );
    end
  end

endmodule
