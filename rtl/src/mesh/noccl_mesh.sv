// SPDX-License-Identifier: Apache-2.0
// The mesh: the network's part of all tiles and the links between them. Wiring only.
//
// Tiles are numbered column by column: tile x * MESH_HEIGHT + y stands at (x, y). A link
// connects output and input of neighbours by wires, or by the register stages of `noccl_link` where it takes more than a
// cycle; at the edges nothing is offered and nothing is taken.
// Latency: 2 cycles per router, and one per register stage. Ordering: flits of one plane from one Local input to one Local
// output keep their order (one path, FIFOs).
// Freedom from deadlock: XY routing has no cycle of turns; a multicast holds no output while it
// waits for another one; joins never wait in a FIFO (docs/design/0001).
// Mirror: crates/noccl-sim/src/router/collective/{plane,phases/partition}.rs.

module noccl_mesh
  import noccl_cfg_pkg::MESH_WIDTH, noccl_cfg_pkg::MESH_HEIGHT;
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::links_t;
  import noccl_collective_pkg::name_t;
#(
    /// Multicasts exist.
    parameter bit HasMulticast = 1'b1,
    /// Responses of multicasts and contributions of barriers merge in the network.
    parameter bit HasMerge = 1'b1,
    /// Operands of wide reductions are reduced; without, tiles have neither operand store nor
    /// arithmetic here.
    parameter bit HasReduction = 1'b0,
    /// Element types of the arithmetic, bit i for code i.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// What goes with a core's operation and comes back with its result.
    parameter type core_tag_t = logic,
    /// Tiles, and lanes of the arithmetic of each; follow from the package.
    localparam int unsigned NumTiles = MESH_WIDTH * MESH_HEIGHT,
    localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input logic rst_ni,
    /// Local ports, per tile: what the tile shows, of all planes.
    input links_t local_i[NumTiles],
    /// What the mesh shows; `ready` is space in the FIFO at the start of the cycle.
    output links_t local_o[NumTiles],
    /// Per tile: credits of the next merge point have come for a flow of this name.
    input logic [NumTiles-1:0] credit_valid_i,
    /// Its name; ignored without valid.
    input name_t credit_name_i[NumTiles],
    /// A flow of the tile's router is meant; otherwise its NI is.
    output logic [NumTiles-1:0] credit_hit_o,
    /// Per tile: credits for a sender elsewhere; stay until ready.
    output logic [NumTiles-1:0] credit_return_valid_o,
    /// The sender.
    output coord_t credit_return_dst_o[NumTiles],
    /// Name of its flow.
    output name_t credit_return_name_o[NumTiles],
    /// The NI sends it.
    input logic [NumTiles-1:0] credit_return_ready_i,
    /// Per tile: credits for its own NI, taken at once.
    output logic [NumTiles-1:0] own_valid_o,
    /// Name of its flow.
    output name_t own_name_o[NumTiles],
    /// Per tile and lane: its core asks the arithmetic, as in `noccl_junction`; there is no
    /// response without `HasReduction`.
    input logic [NumLanes-1:0] core_valid_i[NumTiles],
    output logic [NumLanes-1:0] core_ready_o[NumTiles],
    input noccl_compute_pkg::core_request_t core_i[NumTiles][NumLanes],
    input core_tag_t core_tag_i[NumTiles][NumLanes],
    /// Results; taking them must not depend on the network.
    output logic [NumLanes-1:0] core_result_valid_o[NumTiles],
    input logic [NumLanes-1:0] core_result_ready_i[NumTiles],
    output noccl_compute_pkg::core_result_t core_result_o[NumTiles][NumLanes],
    output core_tag_t core_result_tag_o[NumTiles][NumLanes]
);

  // Per tile and port: what links and tiles show, and what they are shown.
  links_t link_in[NumTiles][NUM_PORTS];
  links_t link_out[NumTiles][NUM_PORTS];
  // The same at the routers, in front of the register stages.
  links_t router_in[NumTiles][NUM_PORTS];
  links_t router_out[NumTiles][NUM_PORTS];

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    localparam int X = t / int'(MESH_HEIGHT);
    localparam int Y = t % int'(MESH_HEIGHT);
    coord_t position;
    assign position.x = noccl_cfg_pkg::X_BITS'(X);
    assign position.y = noccl_cfg_pkg::Y_BITS'(Y);

    for (genvar p = 0; p < int'(LOCAL); p++) begin : gen_link
      localparam int NX = X + (p == 1 ? 1 : p == 3 ? -1 : 0);
      localparam int NY = Y + (p == 0 ? 1 : p == 2 ? -1 : 0);
      if (NX >= 0 && NX < int'(MESH_WIDTH) && NY >= 0 && NY < int'(MESH_HEIGHT)) begin : gen_wired
        localparam int Neighbour = NX * int'(MESH_HEIGHT) + NY;
        localparam int Facing = (p + 2) % 4;
        assign link_in[t][p] = link_out[Neighbour][Facing];
        noccl_link u_link (
            .clk_i,
            .rst_ni,
            .router_i(router_out[t][p]),
            .router_o(router_in[t][p]),
            .link_i  (link_in[t][p]),
            .link_o  (link_out[t][p])
        );
      end else begin : gen_edge
        assign link_in[t][p]   = '0;
        assign router_in[t][p] = '0;
        assign link_out[t][p]  = router_out[t][p];
      end
    end

    assign link_in[t][LOCAL] = local_i[t];
    assign router_in[t][LOCAL] = link_in[t][LOCAL];
    assign link_out[t][LOCAL] = router_out[t][LOCAL];
    assign local_o[t] = router_out[t][LOCAL];

    if (HasReduction) begin : gen_junction
      logic [63:0] a[NumLanes], b[NumLanes], result[NumLanes];
      noccl_compute_pkg::operation_t operation[NumLanes];
      noccl_compute_pkg::refusal_e   refusal  [NumLanes];
      for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_core
        assign operation[l] = core_i[t][l].operation;
        assign a[l] = core_i[t][l].a;
        assign b[l] = core_i[t][l].b;
        assign core_result_o[t][l] = '{data: result[l], refusal: refusal[l]};
      end

      noccl_junction #(
          .HasMulticast(HasMulticast),
          .HasMerge    (HasMerge),
          .HasReduction(HasReduction),
          .Elements    (Elements),
          .core_tag_t  (core_tag_t)
      ) u_junction (
          .clk_i,
          .rst_ni,
          .position_i           (position),
          .link_i               (router_in[t]),
          .link_o               (router_out[t]),
          .credit_valid_i       (credit_valid_i[t]),
          .credit_name_i        (credit_name_i[t]),
          .credit_hit_o         (credit_hit_o[t]),
          .credit_return_valid_o(credit_return_valid_o[t]),
          .credit_return_dst_o  (credit_return_dst_o[t]),
          .credit_return_name_o (credit_return_name_o[t]),
          .credit_return_ready_i(credit_return_ready_i[t]),
          .own_valid_o          (own_valid_o[t]),
          .own_name_o           (own_name_o[t]),
          .core_valid_i         (core_valid_i[t]),
          .core_ready_o         (core_ready_o[t]),
          .core_operation_i     (operation),
          .core_a_i             (a),
          .core_b_i             (b),
          .core_tag_i           (core_tag_i[t]),
          .core_result_valid_o  (core_result_valid_o[t]),
          .core_result_ready_i  (core_result_ready_i[t]),
          .core_result_o        (result),
          .core_refusal_o       (refusal),
          .core_result_tag_o    (core_result_tag_o[t])
      );
    end else begin : gen_routers
      noccl_flit_pkg::wide_data_t no_rdata[NUM_PORTS];
      for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_no_store
        assign no_rdata[p] = '0;
      end
      assign core_ready_o[t] = '0;
      assign core_result_valid_o[t] = '0;
      for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_no_result
        assign core_result_o[t][l] = '0;
        assign core_result_tag_o[t][l] = core_tag_t'('0);
      end

      noccl_routers #(
          .HasMulticast(HasMulticast),
          .HasMerge    (HasMerge),
          .HasReduction(1'b0)
      ) u_routers (
          .clk_i,
          .rst_ni,
          .position_i(position),
          .link_i(router_in[t]),
          .link_o(router_out[t]),
          .store_o(),
          .store_rdata_i(no_rdata),
          .dca_valid_o(),
          .dca_ready_i(1'b0),
          .dca_o(),
          .dca_result_valid_i(1'b0),
          .dca_result_ready_o(),
          .dca_result_i('0),
          .credit_valid_i(credit_valid_i[t]),
          .credit_name_i(credit_name_i[t]),
          .credit_hit_o(credit_hit_o[t]),
          .credit_return_valid_o(credit_return_valid_o[t]),
          .credit_return_dst_o(credit_return_dst_o[t]),
          .credit_return_name_o(credit_return_name_o[t]),
          .credit_return_ready_i(credit_return_ready_i[t]),
          .own_valid_o(own_valid_o[t]),
          .own_name_o(own_name_o[t])
      );
    end
  end

endmodule
