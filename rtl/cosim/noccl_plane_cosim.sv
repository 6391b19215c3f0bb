// SPDX-License-Identifier: Apache-2.0
// One plane of a mesh for the simulator's host: flits in whole words, handshakes as bit sets.
//
// Bit or element t belongs to tile t, element t * 5 + p of the outgoing flits to output p of tile t.
// Mirror: crates/noccl-cosim/src/lockstep.

module noccl_plane_cosim
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL;
#(
    /// What an end of the plane's links shows.
    parameter type link_t = noccl_flit_pkg::wide_link_t,
    localparam int unsigned NumTiles = noccl_cfg_pkg::MESH_WIDTH * noccl_cfg_pkg::MESH_HEIGHT,
    localparam int unsigned Bits = 32 * (($bits(link_t) - 2 + 31) / 32)
) (
    /// What the routers' ports are shown, and what they show.
    input link_t in_i[NumTiles][NUM_PORTS],
    input link_t out_i[NumTiles][NUM_PORTS],
    /// Local inputs with buffer space; those that a flit enters in this cycle, and the flits that are offered.
    output logic [63:0] in_ready_o,
    output logic [63:0] enter_o,
    output logic [Bits-1:0] in_flit_o[NumTiles],
    /// Local outputs that a flit leaves in this cycle.
    output logic [63:0] leave_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link; Local: tiles that are offered a flit.
    output logic [63:0] crossing_o[NUM_PORTS],
    /// Flits at all outputs.
    output logic [Bits-1:0] out_flit_o[NumTiles*NUM_PORTS]
);

  logic [NumTiles-1:0] in_ready, enter, leave;
  assign in_ready_o = 64'(in_ready);
  assign enter_o = 64'(enter);
  assign leave_o = 64'(leave);
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    assign in_ready[t]  = out_i[t][LOCAL].ready;
    assign enter[t]     = in_i[t][LOCAL].valid && out_i[t][LOCAL].ready;
    assign leave[t]     = out_i[t][LOCAL].valid && in_i[t][LOCAL].ready;
    assign in_flit_o[t] = Bits'(in_i[t][LOCAL].flit);
    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_port
      assign out_flit_o[t*int'(NUM_PORTS)+p] = Bits'(out_i[t][p].flit);
      assign crossing_o[p][t] = out_i[t][p].valid && (p == int'(LOCAL) || in_i[t][p].ready);
    end
  end
  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_rest
    assign crossing_o[p][63:NumTiles] = '0;
  end

endmodule
