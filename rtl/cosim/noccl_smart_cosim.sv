// SPDX-License-Identifier: Apache-2.0
// A tile of routers with bypass for the simulator's host, which joins tiles to a mesh: flits in whole words.
//
// Verilated whole, a mesh of 4x4 is 645 MB of C++; a tile is a seventieth of that. But paths cross
// all routers of a line within a cycle, so the host evaluates tiles until the wires between them
// stand still (noccl_smart_cosim.cpp).
// Mirror: crates/noccl-cosim/src/messages.

module noccl_smart_cosim
  import noccl_smart_pkg::*;
#(
    localparam int unsigned RequestBits = 32 * (($bits(requests_t) + 31) / 32),
    localparam int unsigned DataBits = 32 * (($bits(data_t) + 31) / 32),
    localparam int unsigned FlitBits = 32 * (($bits(flit_t) + 31) / 32)
) (
    /// Clock.
    input  logic                   clk_i,
    /// Asynchronous reset, active low.
    input  logic                   rst_ni,
    /// Where the tile lies.
    input  logic [           31:0] x_i,
    input  logic [           31:0] y_i,
    /// Size of the mesh.
    output logic [           31:0] width_o,
    output logic [           31:0] height_o,
    /// Links N, E, S, W, as they stand at noccl_smart_tile.
    input  logic [RequestBits-1:0] requests_i [  NUM_LINKS],
    output logic [RequestBits-1:0] requests_o [  NUM_LINKS],
    input  logic [           31:0] crossing_i [  NUM_LINKS],
    output logic [           31:0] crossing_o [  NUM_LINKS],
    input  logic [   DataBits-1:0] data_i     [  NUM_LINKS],
    output logic [   DataBits-1:0] data_o     [  NUM_LINKS],
    input  logic [           31:0] beyond_i   [  NUM_LINKS],
    output logic [           31:0] beyond_o   [  NUM_LINKS],
    input  logic [           31:0] open_i     [  NUM_LINKS],
    output logic [           31:0] open_o     [  NUM_LINKS],
    /// Flits that the interface is offered by message class, and those taken.
    input  logic [           31:0] in_valid_i,
    input  logic [   FlitBits-1:0] in_flit_i  [NUM_CLASSES],
    output logic [           31:0] in_ready_o,
    /// The tile takes what is granted to it; a flit for it.
    input  logic                   out_ready_i,
    output logic                   out_valid_o,
    output logic [   FlitBits-1:0] out_flit_o,
    /// Flits on the links: bits 15:0 tag, 23:16 number; 31 valid.
    output logic [           31:0] seen_o     [  NUM_LINKS]
);

  coord_t position;
  assign position.x = x_i[$bits(x_t)-1:0];
  assign position.y = y_i[$bits(y_t)-1:0];

  requests_t requests_in[NUM_LINKS], requests_out[NUM_LINKS];
  crossing_t crossing_in[NUM_LINKS], crossing_out[NUM_LINKS];
  data_t data_in[NUM_LINKS], data_out[NUM_LINKS];
  distance_t beyond_in[NUM_LINKS], beyond_out[NUM_LINKS];
  class_set_t open_in[NUM_LINKS], open_out[NUM_LINKS];
  class_set_t after_in[NUM_LINKS], after_out[NUM_LINKS], in_ready;
  flit_t in_flit[NUM_CLASSES], out_flit;
  seen_t seen[NUM_LINKS];

  assign width_o  = noccl_smart_cfg_pkg::MESH_WIDTH;
  assign height_o = noccl_smart_cfg_pkg::MESH_HEIGHT;
  for (genvar p = 0; p < int'(NUM_LINKS); p++) begin : gen_link
    assign requests_in[p] = requests_t'(requests_i[p][$bits(requests_t)-1:0]);
    assign requests_o[p] = RequestBits'(requests_out[p]);
    assign crossing_in[p] = crossing_i[p][$bits(crossing_t)-1:0];
    assign crossing_o[p] = 32'(crossing_out[p]);
    assign data_in[p] = data_i[p][$bits(data_t)-1:0];
    assign data_o[p] = DataBits'(data_out[p]);
    assign beyond_in[p] = beyond_i[p][$bits(distance_t)-1:0];
    assign beyond_o[p] = 32'(beyond_out[p]);
    assign open_in[p] = open_i[p][NUM_CLASSES-1:0];
    assign after_in[p] = open_i[p][16+:NUM_CLASSES];
    assign open_o[p] = {16'(after_out[p]), 16'(open_out[p])};
    assign seen_o[p] = {seen[p].valid, 7'd0, 8'(seen[p].index), 16'(seen[p].tag)};
  end
  for (genvar kind = 0; kind < int'(NUM_CLASSES); kind++) begin : gen_class
    assign in_flit[kind] = in_flit_i[kind][$bits(flit_t)-1:0];
  end
  assign in_ready_o = 32'(in_ready);
  assign out_flit_o = FlitBits'(out_flit);

  noccl_smart_tile u_tile (
      .clk_i,
      .rst_ni,
      .position_i  (position),
      .requests_i  (requests_in),
      .requests_o  (requests_out),
      .crossing_i  (crossing_in),
      .crossing_o  (crossing_out),
      .data_i      (data_in),
      .data_o      (data_out),
      .beyond_i    (beyond_in),
      .beyond_o    (beyond_out),
      .open_i      (open_in),
      .open_after_i(after_in),
      .open_o      (open_out),
      .open_after_o(after_out),
      .in_valid_i  (in_valid_i[NUM_CLASSES-1:0]),
      .in_flit_i   (in_flit),
      .in_ready_o  (in_ready),
      .out_ready_i,
      .out_valid_o,
      .out_flit_o  (out_flit),
      .seen_o      (seen)
  );

endmodule
