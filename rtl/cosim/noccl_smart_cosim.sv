// SPDX-License-Identifier: Apache-2.0
// A mesh of routers with bypass as a library of the simulator's host: flits in whole words, handshakes as bit sets.
//
// Bit or element t of a port belongs to tile t; flits of class k to element k * NumTiles + t, crossings of output p to element
// p * NumTiles + t. The whole mesh is translated at once: paths cross all routers of a line within a cycle.
// Mirror: crates/noccl-cosim/src/messages; the C functions in noccl_smart_cosim.cpp.

module noccl_smart_cosim
  import noccl_smart_pkg::*;
#(
    localparam int unsigned NumTiles = noccl_smart_cfg_pkg::MESH_WIDTH * noccl_smart_cfg_pkg::MESH_HEIGHT,
    localparam int unsigned FlitBits = 32 * (($bits(flit_t) + 31) / 32)
) (
    /// Clock.
    input  logic                clk_i,
    /// Asynchronous reset, active low.
    input  logic                rst_ni,
    /// Per message class: tiles whose interface is offered a flit, and the flits.
    input  logic [63:0]         in_valid_i[NUM_CLASSES],
    input  logic [FlitBits-1:0] in_flit_i[NUM_CLASSES*NumTiles],
    /// Those taken.
    output logic [63:0]         in_ready_o[NUM_CLASSES],
    /// Tiles that take what is granted to them.
    input  logic [63:0]         out_ready_i,
    /// Tiles that get a flit, and the flits.
    output logic [63:0]         out_valid_o,
    output logic [FlitBits-1:0] out_flit_o[NumTiles],
    /// Per output N, E, S, W: tiles whose flit crosses the link; bits 15:0 its packet's tag, 23:16 its number.
    output logic [63:0]         crossing_o[NUM_LINKS],
    output logic [31:0]         crossing_flit_o[NUM_LINKS*NumTiles]
);

  class_set_t in_valid[NumTiles], in_ready[NumTiles];
  flit_t in_flit[NumTiles][NUM_CLASSES], out_flit[NumTiles];
  seen_t seen[NumTiles][NUM_LINKS];
  logic [NumTiles-1:0] out_valid;

  assign out_valid_o = 64'(out_valid);
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    for (genvar k = 0; k < int'(NUM_CLASSES); k++) begin : gen_class
      assign in_valid[t][k] = in_valid_i[k][t];
      assign in_flit[t][k] = in_flit_i[k*NumTiles+t][$bits(flit_t)-1:0];
    end
    assign out_flit_o[t] = FlitBits'(out_flit[t]);
    for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_link
      assign crossing_flit_o[o*NumTiles+t] = {8'd0, 8'(seen[t][o].index), 16'(seen[t][o].tag)};
    end
  end
  always_comb begin : p_sets
    for (int unsigned k = 0; k < NUM_CLASSES; k++) begin
      in_ready_o[k] = '0;
      for (int unsigned t = 0; t < NumTiles; t++) in_ready_o[k][t] = in_ready[t][k];
    end
    for (int unsigned o = 0; o < NUM_LINKS; o++) begin
      crossing_o[o] = '0;
      for (int unsigned t = 0; t < NumTiles; t++) crossing_o[o][t] = seen[t][o].valid;
    end
  end

  noccl_smart_mesh u_mesh (
      .clk_i,
      .rst_ni,
      .in_valid_i (in_valid),
      .in_flit_i  (in_flit),
      .in_ready_o (in_ready),
      .out_ready_i(out_ready_i[NumTiles-1:0]),
      .out_valid_o(out_valid),
      .out_flit_o (out_flit),
      .seen_o     (seen)
  );

endmodule
