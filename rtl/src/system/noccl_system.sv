// SPDX-License-Identifier: Apache-2.0
//
// A chip's network with all that belongs to it: the mesh and, per tile, network interface and DMA
// engine. Wiring only.
//
// Tile x * MESH_HEIGHT + y stands at (x, y). Outside are cores, memories and clocks: per tile the registers of its engine, its
// narrow port for the cores, the ports at its memory, the engine's port at its L1, and its lanes of arithmetic.
// Everything is in `noccl_tiles`; here its port for tests is tied off.
// Freedom from deadlock: docs/rtl/noccl_system.md.

module noccl_system
  import noccl_endpoint_pkg::NUM_TILES;
#(
    /// Clusters have DMA engines; without, their wide ports come out, as memories' do.
    parameter bit HasDma = 1'b1,
    /// Multicasts, merged responses and barriers exist.
    parameter bit HasCollectives = 1'b1,
    /// Operands of wide reductions are reduced; without, tiles have neither operand store nor
    /// arithmetic.
    parameter bit HasReduction = 1'b1,
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

  // No Local port rests.
  noccl_endpoint_pkg::hold_t no_hold[NUM_TILES];
  for (genvar t = 0; t < int'(NUM_TILES); t++) begin : gen_no_hold
    assign no_hold[t] = '0;
  end

  noccl_tiles #(
      .HasDma        (HasDma),
      .HasCollectives(HasCollectives),
      .HasReduction  (HasReduction),
      .Elements      (Elements),
      .MemoryReads   (MemoryReads),
      .ClusterReads  (ClusterReads),
      .Responses     (Responses),
      .core_tag_t    (core_tag_t)
  ) u_tiles (
      .hold_i(no_hold),
      .clk_i,
      .rst_ni,
      .dma_i,
      .dma_o,
      .l1_o,
      .l1_i,
      .wide_i,
      .wide_o,
      .narrow_i,
      .narrow_o,
      .memory_o,
      .memory_i,
      .core_valid_i,
      .core_ready_o,
      .core_i,
      .core_tag_i,
      .core_result_valid_o,
      .core_result_ready_i,
      .core_result_o,
      .core_result_tag_o
  );

endmodule
