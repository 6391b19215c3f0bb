// SPDX-License-Identifier: Apache-2.0
//
// A chip of PicoRV32 tiles around the network: `noccl_system` without DMA engines and arithmetic, a core and a memory per tile.

module pico_chip
  import noccl_endpoint_pkg::NUM_TILES;
(
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Results of the tiles' programs; zero while they run.
    output logic [NUM_TILES-1:0][31:0] result_o
);

  noccl_endpoint_pkg::narrow_mgr_t from_core[NUM_TILES];
  noccl_endpoint_pkg::narrow_sbr_t to_core[NUM_TILES];
  noccl_endpoint_pkg::memory_mgr_t to_memory[NUM_TILES];
  noccl_endpoint_pkg::memory_sbr_t from_memory[NUM_TILES];

  noccl_system #(
      .HasDma      (1'b0),
      .HasReduction(1'b0)
  ) u_system (
      .clk_i,
      .rst_ni,
      .dma_i              ('{default: '0}),
      .dma_o              (),
      .l1_o               (),
      .l1_i               ('{default: '0}),
      .wide_i             ('{default: '0}),
      .wide_o             (),
      .narrow_i           (from_core),
      .narrow_o           (to_core),
      .memory_o           (to_memory),
      .memory_i           (from_memory),
      .core_valid_i       ('{default: '0}),
      .core_ready_o       (),
      .core_i             ('{default: '{default: '0}}),
      .core_tag_i         ('{default: '{default: '0}}),
      .core_result_valid_o(),
      .core_result_ready_i('{default: '0}),
      .core_result_o      (),
      .core_result_tag_o  ()
  );

  for (genvar t = 0; t < int'(NUM_TILES); t++) begin : gen_tile
    pico_tile u_tile (
        .clk_i,
        .rst_ni,
        .tile_i  (t),
        .narrow_o(from_core[t]),
        .narrow_i(to_core[t]),
        .memory_i(to_memory[t]),
        .memory_o(from_memory[t]),
        .result_o(result_o[t])
    );
  end

endmodule
