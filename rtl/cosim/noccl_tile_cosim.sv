// SPDX-License-Identifier: Apache-2.0
// One tile of the mesh, with operand store and compute slice, as part of a library: the host joins as many as the mesh has.
//
// Verilated as a whole, a mesh has a copy of the code per tile, which takes minutes to compile and
// leaves the caches; so here the code is there once. No path leads through a tile from one link to
// another within a cycle, so the host stands for the links: between two cycles it copies what tiles
// offer to their neighbours. Position comes with an edge of `place_i`, not as an input: what
// depends on an input is evaluated twice per cycle.
// Mirror: `noccl_mesh_cosim`; the host's part in noccl_tiles.h and noccl_tile_cosim.cpp.

module noccl_tile_cosim
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
#(
    localparam int unsigned WideBits = 32 * (($bits(wide_flit_t) + 31) / 32),
    localparam int unsigned ReqBits = 32 * (($bits(req_flit_t) + 31) / 32),
    localparam int unsigned RspBits = 32 * (($bits(rsp_flit_t) + 31) / 32),
    localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64,
    /// Element types of the arithmetic: those of the compared runs.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS
) (
    /// Clock.
    input  logic                     clk_i,
    /// Asynchronous reset, active low.
    input  logic                     rst_ni,
    /// Its edge tells the tile where it stands.
    input  logic                     place_i,
    /// Mesh coordinate.
    input  logic      [        31:0] x_i,
    input  logic      [        31:0] y_i,
    /// Size of the mesh, for the host.
    output logic      [        31:0] width_o,
    output logic      [        31:0] height_o,
    /// Plane `wide`: ports of `noccl_junction`, flits in whole words.
    input  port_set_t                wide_in_valid_i,
    output port_set_t                wide_in_ready_o,
    input  logic      [WideBits-1:0] wide_in_flit_i       [NUM_PORTS],
    output port_set_t                wide_out_valid_o,
    input  port_set_t                wide_out_ready_i,
    output logic      [WideBits-1:0] wide_out_flit_o      [NUM_PORTS],
    /// Plane `req`.
    input  port_set_t                req_in_valid_i,
    output port_set_t                req_in_ready_o,
    input  logic      [ ReqBits-1:0] req_in_flit_i        [NUM_PORTS],
    output port_set_t                req_out_valid_o,
    input  port_set_t                req_out_ready_i,
    output logic      [ ReqBits-1:0] req_out_flit_o       [NUM_PORTS],
    /// Plane `rsp`.
    input  port_set_t                rsp_in_valid_i,
    output port_set_t                rsp_in_ready_o,
    input  logic      [ RspBits-1:0] rsp_in_flit_i        [NUM_PORTS],
    output port_set_t                rsp_out_valid_o,
    input  port_set_t                rsp_out_ready_i,
    output logic      [ RspBits-1:0] rsp_out_flit_o       [NUM_PORTS],
    /// The merge point returns credits to a sender elsewhere, and the flit that carries them.
    output logic                     credit_return_valid_o,
    output logic      [ RspBits-1:0] credit_return_flit_o,
    /// The NI sends it in this cycle.
    input  logic                     credit_return_ready_i,
    /// The merge point returns credits to its own NI, and the flit that would carry them.
    output logic                     own_valid_o,
    output logic      [ RspBits-1:0] own_flit_o
);

  noccl_flit_pkg::coord_t position_q, credit_return_dst;
  noccl_collective_pkg::name_t credit_name, credit_return_name, own_name;
  logic credit_valid;
  noccl_flit_pkg::links_t link_in[NUM_PORTS], link_out[NUM_PORTS];
  noccl_flit_pkg::links_t router_in[NUM_PORTS], router_out[NUM_PORTS];

  always_ff @(posedge place_i) begin
    position_q.x <= noccl_cfg_pkg::X_BITS'(x_i);
    position_q.y <= noccl_cfg_pkg::Y_BITS'(y_i);
  end
  assign width_o  = noccl_cfg_pkg::MESH_WIDTH;
  assign height_o = noccl_cfg_pkg::MESH_HEIGHT;

  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_port
    assign link_in[p] = '{
            wide: '{
                ready: wide_out_ready_i[p],
                valid: wide_in_valid_i[p],
                flit: wide_flit_t'(wide_in_flit_i[p][$bits(wide_flit_t)-1:0])
            },
            req: '{
                ready: req_out_ready_i[p],
                valid: req_in_valid_i[p],
                flit: req_flit_t'(req_in_flit_i[p][$bits(req_flit_t)-1:0])
            },
            rsp: '{
                ready: rsp_out_ready_i[p],
                valid: rsp_in_valid_i[p],
                flit: rsp_flit_t'(rsp_in_flit_i[p][$bits(rsp_flit_t)-1:0])
            }
        };
    assign wide_in_ready_o[p] = link_out[p].wide.ready;
    assign wide_out_valid_o[p] = link_out[p].wide.valid;
    assign wide_out_flit_o[p] = WideBits'(link_out[p].wide.flit);
    assign req_in_ready_o[p] = link_out[p].req.ready;
    assign req_out_valid_o[p] = link_out[p].req.valid;
    assign req_out_flit_o[p] = ReqBits'(link_out[p].req.flit);
    assign rsp_in_ready_o[p] = link_out[p].rsp.ready;
    assign rsp_out_valid_o[p] = link_out[p].rsp.valid;
    assign rsp_out_flit_o[p] = RspBits'(link_out[p].rsp.flit);
  end

  // The register stages of the links that begin here; the host joins the ends.
  for (genvar p = 0; p < int'(LOCAL); p++) begin : gen_stages
    noccl_link u_link (
        .clk_i,
        .rst_ni,
        .router_i(router_out[p]),
        .router_o(router_in[p]),
        .link_i  (link_in[p]),
        .link_o  (link_out[p])
    );
  end
  assign router_in[LOCAL] = link_in[LOCAL];
  assign link_out[LOCAL]  = router_out[LOCAL];

  logic [63:0] no_word[NumLanes];
  noccl_compute_pkg::operation_t no_operation[NumLanes];
  logic no_tag[NumLanes];
  for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_no_core
    assign no_word[l] = '0;
    assign no_operation[l] = noccl_compute_pkg::operation_t'(0);
    assign no_tag[l] = 1'b0;
  end

  noccl_junction #(
      .Elements(Elements)
  ) u_junction (
      .clk_i,
      .rst_ni,
      .position_i          (position_q),
      .link_i              (router_in),
      .link_o              (router_out),
      .credit_valid_i      (credit_valid),
      .credit_name_i       (credit_name),
      .credit_hit_o        (),
      .credit_return_valid_o,
      .credit_return_dst_o (credit_return_dst),
      .credit_return_name_o(credit_return_name),
      .credit_return_ready_i,
      .own_valid_o,
      .own_name_o          (own_name),
      .core_valid_i        ('0),
      .core_ready_o        (),
      .core_operation_i    (no_operation),
      .core_a_i            (no_word),
      .core_b_i            (no_word),
      .core_tag_i          (no_tag),
      .core_result_valid_o (),
      .core_result_ready_i ('1),
      .core_result_o       (),
      .core_refusal_o      (),
      .core_result_tag_o   ()
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

  assign credit_valid = rsp_out_valid_o[LOCAL] && rsp_out_ready_i[LOCAL]
      && link_out[LOCAL].rsp.flit.hdr.kind == noccl_flit_pkg::RSP_CREDIT;
  assign credit_name = '{
          root: link_out[LOCAL].rsp.flit.hdr.src,
          tag: link_out[LOCAL].rsp.flit.hdr.tag
      };
  assign credit_return_flit_o = credit(credit_return_dst, credit_return_name);
  assign own_flit_o = credit(position_q, own_name);

endmodule
