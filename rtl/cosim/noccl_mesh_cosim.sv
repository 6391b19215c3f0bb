// SPDX-License-Identifier: Apache-2.0
// The mesh as a library of the simulator's host: flits in whole words, handshakes as bit sets.
//
// Bit or element t of a port belongs to tile t, element t * 5 + p of the outgoing flits to output p
// of tile t. Not synthesizable: it looks at the links inside the mesh.
// Mirror: crates/noccl-cosim/src/lockstep; the C functions in noccl_mesh_cosim.cpp.

module noccl_mesh_cosim
  import noccl_flit_pkg::NUM_PORTS;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
#(
    localparam int unsigned NumTiles = noccl_cfg_pkg::MESH_WIDTH * noccl_cfg_pkg::MESH_HEIGHT,
    localparam int unsigned WideBits = 32 * (($bits(wide_flit_t) + 31) / 32),
    localparam int unsigned ReqBits = 32 * (($bits(req_flit_t) + 31) / 32),
    localparam int unsigned RspBits = 32 * (($bits(rsp_flit_t) + 31) / 32),
    /// Operands of wide reductions are reduced.
    parameter bit HasReduction = 1'b0,
    /// Element types of the arithmetic: those of the compared runs.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Plane `wide`: tiles that offer a flit to their Local inputs, and the flits.
    input logic [63:0] wide_in_valid_i,
    input logic [WideBits-1:0] wide_in_flit_i[NumTiles],
    /// Local inputs with buffer space.
    output logic [63:0] wide_in_ready_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link in this cycle; Local: tiles that are
    /// offered a flit.
    output logic [63:0] wide_crossing_o[NUM_PORTS],
    /// Tiles that take what the Local output offers.
    input logic [63:0] wide_out_ready_i,
    /// Flits at all outputs.
    output logic [WideBits-1:0] wide_out_flit_o[NumTiles*NUM_PORTS],
    /// Plane `req`: tiles that offer a flit to their Local inputs, and the flits.
    input logic [63:0] req_in_valid_i,
    input logic [ReqBits-1:0] req_in_flit_i[NumTiles],
    /// Local inputs with buffer space.
    output logic [63:0] req_in_ready_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link in this cycle; Local: tiles that are
    /// offered a flit.
    output logic [63:0] req_crossing_o[NUM_PORTS],
    /// Tiles that take what the Local output offers.
    input logic [63:0] req_out_ready_i,
    /// Flits at all outputs.
    output logic [ReqBits-1:0] req_out_flit_o[NumTiles*NUM_PORTS],
    /// Plane `rsp`: tiles that offer a flit to their Local inputs, and the flits.
    input logic [63:0] rsp_in_valid_i,
    input logic [RspBits-1:0] rsp_in_flit_i[NumTiles],
    /// Local inputs with buffer space.
    output logic [63:0] rsp_in_ready_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link in this cycle; Local: tiles that are
    /// offered a flit.
    output logic [63:0] rsp_crossing_o[NUM_PORTS],
    /// Tiles that take what the Local output offers.
    input logic [63:0] rsp_out_ready_i,
    /// Flits at all outputs.
    output logic [RspBits-1:0] rsp_out_flit_o[NumTiles*NUM_PORTS],
    /// Tiles whose merge point returns credits to a sender elsewhere, and the flit that carries
    /// them.
    output logic [63:0] credit_return_valid_o,
    output logic [RspBits-1:0] credit_return_flit_o[NumTiles],
    /// Tiles whose NI sends it in this cycle.
    input logic [63:0] credit_return_ready_i,
    /// Tiles whose merge point returns credits to its own NI, and the flit that would carry them.
    output logic [63:0] own_valid_o,
    output logic [RspBits-1:0] own_flit_o[NumTiles]
);

  noccl_flit_pkg::links_t local_in[NumTiles], local_out[NumTiles];
  logic [NumTiles-1:0] credit_valid, credit_return_valid, own_valid;
  noccl_collective_pkg::name_t
      credit_name[NumTiles], credit_return_name[NumTiles], own_name[NumTiles];
  noccl_flit_pkg::coord_t credit_return_dst[NumTiles];

  // No cores use the arithmetic.
  localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64;
  logic [NumLanes-1:0] no_core[NumTiles];
  noccl_compute_pkg::core_request_t no_request[NumTiles][NumLanes];
  logic no_tag[NumTiles][NumLanes];
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_no_core
    assign no_core[t] = '0;
    for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_lane
      assign no_request[t][l] = '0;
      assign no_tag[t][l] = 1'b0;
    end
  end

  noccl_mesh #(
      .HasReduction(HasReduction),
      .Elements(Elements)
  ) u_mesh (
      .clk_i,
      .rst_ni,
      .local_i(local_in),
      .local_o(local_out),
      .credit_valid_i(credit_valid),
      .credit_name_i(credit_name),
      .credit_hit_o(),
      .credit_return_valid_o(credit_return_valid),
      .credit_return_dst_o(credit_return_dst),
      .credit_return_name_o(credit_return_name),
      .credit_return_ready_i(credit_return_ready_i[NumTiles-1:0]),
      .own_valid_o(own_valid),
      .own_name_o(own_name),
      .core_valid_i(no_core),
      .core_ready_o(),
      .core_i(no_request),
      .core_tag_i(no_tag),
      .core_result_valid_o(),
      .core_result_ready_i(no_core),
      .core_result_o(),
      .core_result_tag_o()
  );

  // The NI's part: credits that come go to the merge point, those that it returns are flits.
  function automatic logic [RspBits-1:0] credit(noccl_flit_pkg::coord_t dst,
                                                noccl_collective_pkg::name_t name);
    noccl_ni_pkg::credit_t given;
    given.root  = name.root;
    given.tag   = name.tag;
    given.beats = noccl_flit_pkg::count_t'(noccl_cfg_pkg::CREDIT_BEATS);
    return RspBits'(noccl_ni_pkg::credit_flit(dst, given));
  endfunction

  assign credit_return_valid_o = 64'(credit_return_valid);
  assign own_valid_o = 64'(own_valid);
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_credit
    localparam noccl_flit_pkg::coord_t Here = '{
        x: noccl_cfg_pkg::X_BITS'(t / int'(noccl_cfg_pkg::MESH_HEIGHT)),
        y: noccl_cfg_pkg::Y_BITS'(t % int'(noccl_cfg_pkg::MESH_HEIGHT))
    };
    assign credit_valid[t] = local_out[t].rsp.valid && rsp_out_ready_i[t]
        && local_out[t].rsp.flit.hdr.kind == noccl_flit_pkg::RSP_CREDIT;
    assign credit_name[t] = '{
            root: local_out[t].rsp.flit.hdr.src,
            tag: local_out[t].rsp.flit.hdr.tag
        };
    assign credit_return_flit_o[t] = credit(credit_return_dst[t], credit_return_name[t]);
    assign own_flit_o[t] = credit(Here, own_name[t]);
  end

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_local
    assign local_in[t] = '{
            wide: '{
                ready: wide_out_ready_i[t],
                valid: wide_in_valid_i[t],
                flit: wide_flit_t'(wide_in_flit_i[t][$bits(wide_flit_t)-1:0])
            },
            req: '{
                ready: req_out_ready_i[t],
                valid: req_in_valid_i[t],
                flit: req_flit_t'(req_in_flit_i[t][$bits(req_flit_t)-1:0])
            },
            rsp: '{
                ready: rsp_out_ready_i[t],
                valid: rsp_in_valid_i[t],
                flit: rsp_flit_t'(rsp_in_flit_i[t][$bits(rsp_flit_t)-1:0])
            }
        };
  end

  // Links of each plane, for the host.
  noccl_flit_pkg::wide_link_t wide_in[NumTiles][NUM_PORTS], wide_out[NumTiles][NUM_PORTS];
  noccl_flit_pkg::req_link_t req_in[NumTiles][NUM_PORTS], req_out[NumTiles][NUM_PORTS];
  noccl_flit_pkg::rsp_link_t rsp_in[NumTiles][NUM_PORTS], rsp_out[NumTiles][NUM_PORTS];
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_plane
    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_port
      assign wide_in[t][p]  = u_mesh.link_in[t][p].wide;
      assign wide_out[t][p] = u_mesh.link_out[t][p].wide;
      assign req_in[t][p]   = u_mesh.link_in[t][p].req;
      assign req_out[t][p]  = u_mesh.link_out[t][p].req;
      assign rsp_in[t][p]   = u_mesh.link_in[t][p].rsp;
      assign rsp_out[t][p]  = u_mesh.link_out[t][p].rsp;
    end
  end

  noccl_plane_cosim #(
      .link_t(noccl_flit_pkg::wide_link_t)
  ) u_wide (
      .in_i(wide_in),
      .out_i(wide_out),
      .in_ready_o(wide_in_ready_o),
      .enter_o(),
      .in_flit_o(),
      .leave_o(),
      .crossing_o(wide_crossing_o),
      .out_flit_o(wide_out_flit_o)
  );

  noccl_plane_cosim #(
      .link_t(noccl_flit_pkg::req_link_t)
  ) u_req (
      .in_i(req_in),
      .out_i(req_out),
      .in_ready_o(req_in_ready_o),
      .enter_o(),
      .in_flit_o(),
      .leave_o(),
      .crossing_o(req_crossing_o),
      .out_flit_o(req_out_flit_o)
  );

  noccl_plane_cosim #(
      .link_t(noccl_flit_pkg::rsp_link_t)
  ) u_rsp (
      .in_i(rsp_in),
      .out_i(rsp_out),
      .in_ready_o(rsp_in_ready_o),
      .enter_o(),
      .in_flit_o(),
      .leave_o(),
      .crossing_o(rsp_crossing_o),
      .out_flit_o(rsp_out_flit_o)
  );

endmodule
