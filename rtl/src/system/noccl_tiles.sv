// SPDX-License-Identifier: Apache-2.0
//
// The mesh and, per tile, network interface and DMA engine: `noccl_system`, whose page describes the ports, with a port by which tests
// hold tiles up. Wiring only.
//
// Latency, throughput, ordering: those of the parts. Combinational paths: those of `noccl_ni`, which end at the
// FIFOs of the routers, and of `noccl_compute_slice`.
// Freedom from deadlock: docs/rtl/noccl_system.md.
// Mirror: `Machine` in crates/noccl-sim/src/machine, compared by `make cosim-endpoints`.

module noccl_tiles
  import noccl_endpoint_pkg::NUM_TILES;
#(
    /// Clusters have DMA engines; without, their wide ports come out, as memories' do.
    parameter bit HasDma = 1'b1,
    /// Multicasts, merged responses and barriers exist.
    parameter bit HasCollectives = 1'b1,
    /// Operands of wide reductions are reduced; without, tiles have neither operand store nor
    /// arithmetic. Zero by default, as in `noccl_mesh`: the arithmetic is most of what a tool reads.
    parameter bit HasReduction = 1'b0,
    /// Element types of the arithmetic, bit i for code i.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// Wide reads in service at a memory tile, and at a cluster's L1.
    parameter int unsigned MemoryReads = 4,
    parameter int unsigned ClusterReads = 4,
    /// Beats and narrow writes whose response from the memory is open, per tile.
    parameter int unsigned Responses = 4,
    /// What goes with a core's operation and comes back with its result.
    parameter type core_tag_t = logic,
    /// Lanes of arithmetic, one per core; follows from the package.
    localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Local ports that rest, flits waiting before them; zero in a chip, tests hold tiles up with it.
    input noccl_endpoint_pkg::hold_t hold_i[NUM_TILES],
    /// Registers of the engines; ignored without one.
    input noccl_endpoint_pkg::dma_access_t dma_i[NUM_TILES],
    /// The responses, in the cycle of the access.
    output logic [63:0] dma_o[NUM_TILES],
    /// Engines at their own L1; silent without one.
    output noccl_endpoint_pkg::l1_mgr_t l1_o[NUM_TILES],
    input noccl_endpoint_pkg::l1_sbr_t l1_i[NUM_TILES],
    /// Wide ports of tiles without an engine; memories tie them to zero.
    input noccl_endpoint_pkg::wide_mgr_t wide_i[NUM_TILES],
    output noccl_endpoint_pkg::wide_sbr_t wide_o[NUM_TILES],
    /// Narrow ports, face the cores; memories tie them to zero.
    input noccl_endpoint_pkg::narrow_mgr_t narrow_i[NUM_TILES],
    output noccl_endpoint_pkg::narrow_sbr_t narrow_o[NUM_TILES],
    /// Ports at the memories.
    output noccl_endpoint_pkg::memory_mgr_t memory_o[NUM_TILES],
    input noccl_endpoint_pkg::memory_sbr_t memory_i[NUM_TILES],
    /// Arithmetic, per tile and lane, as in `noccl_junction`; dead without `HasReduction`.
    input logic [NumLanes-1:0] core_valid_i[NUM_TILES],
    output logic [NumLanes-1:0] core_ready_o[NUM_TILES],
    input noccl_compute_pkg::core_request_t core_i[NUM_TILES][NumLanes],
    input core_tag_t core_tag_i[NUM_TILES][NumLanes],
    /// Results; taking them must not depend on the network.
    output logic [NumLanes-1:0] core_result_valid_o[NUM_TILES],
    input logic [NumLanes-1:0] core_result_ready_i[NUM_TILES],
    output noccl_compute_pkg::core_result_t core_result_o[NUM_TILES][NumLanes],
    output core_tag_t core_result_tag_o[NUM_TILES][NumLanes]
);

  // Local ports, all planes: what endpoints and mesh show, before and past those that rest.
  noccl_flit_pkg::links_t from_endpoint[NUM_TILES], to_endpoint[NUM_TILES];
  noccl_flit_pkg::links_t into_mesh[NUM_TILES], out_of_mesh[NUM_TILES];

  typedef logic [NUM_TILES-1:0] tiles_t;
  tiles_t credit_valid, credit_hit, credit_return_valid, credit_return_ready, own_valid;
  noccl_collective_pkg::name_t
      credit_name[NUM_TILES], credit_return_name[NUM_TILES], own_name[NUM_TILES];
  noccl_flit_pkg::coord_t credit_return_dst[NUM_TILES];

  noccl_mesh #(
      .HasMulticast(HasCollectives),
      .HasMerge    (HasCollectives),
      .HasReduction(HasReduction),
      .Elements    (Elements),
      .core_tag_t  (core_tag_t)
  ) u_mesh (
      .clk_i,
      .rst_ni,
      .local_i              (into_mesh),
      .local_o              (out_of_mesh),
      .credit_valid_i       (credit_valid),
      .credit_name_i        (credit_name),
      .credit_hit_o         (credit_hit),
      .credit_return_valid_o(credit_return_valid),
      .credit_return_dst_o  (credit_return_dst),
      .credit_return_name_o (credit_return_name),
      .credit_return_ready_i(credit_return_ready),
      .own_valid_o          (own_valid),
      .own_name_o           (own_name),
      .core_valid_i,
      .core_ready_o,
      .core_i,
      .core_tag_i,
      .core_result_valid_o,
      .core_result_ready_i,
      .core_result_o,
      .core_result_tag_o
  );

  for (genvar t = 0; t < int'(NUM_TILES); t++) begin : gen_tile
    localparam bit IsCluster = noccl_endpoint_pkg::is_cluster(t);

    assign into_mesh[t]   = noccl_endpoint_pkg::into_mesh(from_endpoint[t], hold_i[t]);
    assign to_endpoint[t] = noccl_endpoint_pkg::out_of_mesh(out_of_mesh[t], hold_i[t]);

    noccl_endpoint #(
        .HasDma        (HasDma && IsCluster),
        .WideReads     (IsCluster ? ClusterReads : MemoryReads),
        .Responses     (Responses),
        .HasCollectives(HasCollectives)
    ) u_endpoint (
        .clk_i,
        .rst_ni,
        .position_i           (noccl_endpoint_pkg::position_of(t)),
        .l1_base_i            (noccl_endpoint_pkg::l1_base_of(t)),
        .dma_i                (dma_i[t]),
        .dma_o                (dma_o[t]),
        .l1_o                 (l1_o[t]),
        .l1_i                 (l1_i[t]),
        .wide_i               (wide_i[t]),
        .wide_o               (wide_o[t]),
        .narrow_i             (narrow_i[t]),
        .narrow_o             (narrow_o[t]),
        .memory_o             (memory_o[t]),
        .memory_i             (memory_i[t]),
        .credit_return_valid_i(credit_return_valid[t]),
        .credit_return_ready_o(credit_return_ready[t]),
        .credit_return_dst_i  (credit_return_dst[t]),
        .credit_return_name_i (credit_return_name[t]),
        .own_valid_i          (own_valid[t]),
        .own_name_i           (own_name[t]),
        .credit_valid_o       (credit_valid[t]),
        .credit_name_o        (credit_name[t]),
        .credit_hit_i         (credit_hit[t]),
        .link_i               (to_endpoint[t]),
        .link_o               (from_endpoint[t])
    );
  end

endmodule
