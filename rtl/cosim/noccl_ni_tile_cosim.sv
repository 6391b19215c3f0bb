// SPDX-License-Identifier: Apache-2.0
// One tile with its network interface, operand store and compute slice, as part of a library: the host joins as many as the mesh has.
//
// As `noccl_tile_cosim`. What the host drives is kept in registers, so the host gives it before the clock rises for the cycle that
// begins then: what depends on an input is evaluated twice per cycle, and nearly all of a network interface would.
// Mirror: `noccl_endpoints_cosim`; the host's part in noccl_tiles.h and noccl_ni_tile_cosim.cpp.

module noccl_ni_tile_cosim
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_cfg_pkg::WIDE_CHANNELS;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
#(
    localparam int unsigned WideBits = 32 * (($bits(wide_flit_t) + 31) / 32),
    localparam int unsigned ReqBits = 32 * (($bits(req_flit_t) + 31) / 32),
    localparam int unsigned RspBits = 32 * (($bits(rsp_flit_t) + 31) / 32),
    localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64,
    /// The tile has a DMA engine before its wide port.
    parameter bit HasDma = 1'b0,
    // Without engine, words of write channels after the fourth lie behind all others.
    localparam int unsigned More = WIDE_CHANNELS > 4 ? WIDE_CHANNELS - 4 : 0,
    localparam int unsigned InWords = HasDma ? 137 + 17 * WIDE_CHANNELS : 154 + 25 * More,
    localparam int unsigned OutWords = HasDma ? 86 + 2 * WIDE_CHANNELS : 86 + More,
    /// Element types of the arithmetic: those of the compared runs.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Its edge tells the tile where it stands.
    input logic place_i,
    /// Mesh coordinate.
    input logic [31:0] x_i,
    input logic [31:0] y_i,
    /// Size of the mesh, for the host.
    output logic [31:0] width_o,
    output logic [31:0] height_o,
    /// In the next cycle: what managers offer and memories respond.
    input logic [31:0] axi_i[InWords],
    /// What the network interface offers and takes.
    output logic [31:0] axi_o[OutWords],
    /// Plane `wide`, in the next cycle: the Local input takes nothing, the Local output gives nothing.
    input logic wide_hold_in_i,
    input logic wide_hold_out_i,
    /// Links: inputs and outputs; the Local output is looked at only.
    input logic [LOCAL-1:0] wide_in_valid_i,
    output port_set_t wide_in_ready_o,
    input logic [WideBits-1:0] wide_in_flit_i[LOCAL],
    output port_set_t wide_out_valid_o,
    input logic [LOCAL-1:0] wide_out_ready_i,
    output logic [WideBits-1:0] wide_out_flit_o[NUM_PORTS],
    /// A flit enters the Local input, and which is offered to it; a flit leaves by the Local output.
    output logic wide_enter_o,
    output logic [WideBits-1:0] wide_enter_flit_o,
    output logic wide_leave_o,
    /// Plane `req`, in the next cycle: the Local input takes nothing, the Local output gives nothing.
    input logic req_hold_in_i,
    input logic req_hold_out_i,
    /// Links: inputs and outputs; the Local output is looked at only.
    input logic [LOCAL-1:0] req_in_valid_i,
    output port_set_t req_in_ready_o,
    input logic [ReqBits-1:0] req_in_flit_i[LOCAL],
    output port_set_t req_out_valid_o,
    input logic [LOCAL-1:0] req_out_ready_i,
    output logic [ReqBits-1:0] req_out_flit_o[NUM_PORTS],
    /// A flit enters the Local input, and which is offered to it; a flit leaves by the Local output.
    output logic req_enter_o,
    output logic [ReqBits-1:0] req_enter_flit_o,
    output logic req_leave_o,
    /// Plane `rsp`, in the next cycle: the Local input takes nothing, the Local output gives nothing.
    input logic rsp_hold_in_i,
    input logic rsp_hold_out_i,
    /// Links: inputs and outputs; the Local output is looked at only.
    input logic [LOCAL-1:0] rsp_in_valid_i,
    output port_set_t rsp_in_ready_o,
    input logic [RspBits-1:0] rsp_in_flit_i[LOCAL],
    output port_set_t rsp_out_valid_o,
    input logic [LOCAL-1:0] rsp_out_ready_i,
    output logic [RspBits-1:0] rsp_out_flit_o[NUM_PORTS],
    /// A flit enters the Local input, and which is offered to it; a flit leaves by the Local output.
    output logic rsp_enter_o,
    output logic [RspBits-1:0] rsp_enter_flit_o,
    output logic rsp_leave_o
);

  noccl_flit_pkg::coord_t position_q, credit_return_dst;
  noccl_collective_pkg::name_t credit_name, credit_return_name, own_name;
  logic credit_valid, credit_hit, credit_return_valid, credit_return_ready, own_valid;
  logic [31:0] axi_q[InWords];

  noccl_endpoint_pkg::hold_t hold_q;
  noccl_flit_pkg::links_t link_in[NUM_PORTS], link_out[NUM_PORTS];
  noccl_flit_pkg::links_t router_in[NUM_PORTS], router_out[NUM_PORTS];

  always_ff @(posedge place_i) begin
    position_q.x <= noccl_cfg_pkg::X_BITS'(x_i);
    position_q.y <= noccl_cfg_pkg::Y_BITS'(y_i);
  end
  assign width_o  = noccl_cfg_pkg::MESH_WIDTH;
  assign height_o = noccl_cfg_pkg::MESH_HEIGHT;

  always_ff @(posedge clk_i) begin
    axi_q <= axi_i;
    hold_q <= '{
        wide_in: wide_hold_in_i,
        wide_out: wide_hold_out_i,
        req_in: req_hold_in_i,
        req_out: req_hold_out_i,
        rsp_in: rsp_hold_in_i,
        rsp_out: rsp_hold_out_i
    };
  end

  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_port
    assign wide_in_ready_o[p]  = link_out[p].wide.ready;
    assign wide_out_valid_o[p] = link_out[p].wide.valid;
    assign wide_out_flit_o[p]  = WideBits'(link_out[p].wide.flit);
    assign req_in_ready_o[p]   = link_out[p].req.ready;
    assign req_out_valid_o[p]  = link_out[p].req.valid;
    assign req_out_flit_o[p]   = ReqBits'(link_out[p].req.flit);
    assign rsp_in_ready_o[p]   = link_out[p].rsp.ready;
    assign rsp_out_valid_o[p]  = link_out[p].rsp.valid;
    assign rsp_out_flit_o[p]   = RspBits'(link_out[p].rsp.flit);
    if (p != int'(LOCAL)) begin : gen_link
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
    end
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
  assign link_out[LOCAL] = router_out[LOCAL];

  assign wide_enter_o = link_in[LOCAL].wide.valid && link_out[LOCAL].wide.ready;
  assign wide_enter_flit_o = WideBits'(link_in[LOCAL].wide.flit);
  assign wide_leave_o = link_out[LOCAL].wide.valid && link_in[LOCAL].wide.ready;
  assign req_enter_o = link_in[LOCAL].req.valid && link_out[LOCAL].req.ready;
  assign req_enter_flit_o = ReqBits'(link_in[LOCAL].req.flit);
  assign req_leave_o = link_out[LOCAL].req.valid && link_in[LOCAL].req.ready;
  assign rsp_enter_o = link_in[LOCAL].rsp.valid && link_out[LOCAL].rsp.ready;
  assign rsp_enter_flit_o = RspBits'(link_in[LOCAL].rsp.flit);
  assign rsp_leave_o = link_out[LOCAL].rsp.valid && link_in[LOCAL].rsp.ready;

  noccl_ni_cosim #(
      .HasDma(HasDma)
  ) u_ni (
      .clk_i,
      .rst_ni,
      .position_i(position_q),
      .axi_i(axi_q),
      .axi_o,
      .credit_return_valid_i(credit_return_valid),
      .credit_return_ready_o(credit_return_ready),
      .credit_return_dst_i(credit_return_dst),
      .credit_return_name_i(credit_return_name),
      .own_valid_i(own_valid),
      .own_name_i(own_name),
      .credit_valid_o(credit_valid),
      .credit_name_o(credit_name),
      .credit_hit_i(credit_hit),
      .hold_i(hold_q),
      .link_i(link_out[LOCAL]),
      .link_o(link_in[LOCAL])
  );

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
      .position_i(position_q),
      .link_i(router_in),
      .link_o(router_out),
      .credit_valid_i(credit_valid),
      .credit_name_i(credit_name),
      .credit_hit_o(credit_hit),
      .credit_return_valid_o(credit_return_valid),
      .credit_return_dst_o(credit_return_dst),
      .credit_return_name_o(credit_return_name),
      .credit_return_ready_i(credit_return_ready),
      .own_valid_o(own_valid),
      .own_name_o(own_name),
      .core_valid_i('0),
      .core_ready_o(),
      .core_operation_i(no_operation),
      .core_a_i(no_word),
      .core_b_i(no_word),
      .core_tag_i(no_tag),
      .core_result_valid_o(),
      .core_result_ready_i('1),
      .core_result_o(),
      .core_refusal_o(),
      .core_result_tag_o()
  );

endmodule
