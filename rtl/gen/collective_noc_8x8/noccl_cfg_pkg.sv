// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the network collective_noc_8x8. Written by `noccl rtl`; do not edit.

package noccl_cfg_pkg;

  localparam int unsigned MESH_WIDTH = 9;
  localparam int unsigned MESH_HEIGHT = 8;
  localparam int unsigned X_BITS = 4;
  localparam int unsigned Y_BITS = 3;
  // South-west tile and size of the cluster region.
  localparam int unsigned REGION_X = 1;
  localparam int unsigned REGION_Y = 0;
  localparam int unsigned REGION_WIDTH = 8;
  localparam int unsigned REGION_HEIGHT = 8;
  localparam int unsigned REGION_X_BITS = 3;
  localparam int unsigned REGION_Y_BITS = 3;

  localparam int unsigned WIDE_BITS = 512;
  localparam int unsigned NARROW_BITS = 64;
  localparam int unsigned INPUT_FIFO_FLITS = 2;
  localparam int unsigned OUTPUT_FIFO_FLITS = 2;
  // Cycles of a link between two routers; each beyond the first is a register stage.
  localparam int unsigned REQ_LINK_CYCLES = 1;
  localparam int unsigned RSP_LINK_CYCLES = 1;
  localparam int unsigned WIDE_LINK_CYCLES = 1;

  // Names of transactions; lines of a beat and bytes of the largest memory; beats of a burst;
  // leaves of a join.
  localparam int unsigned TAG_BITS = 6;
  localparam int unsigned LINE_BITS = 14;
  localparam int unsigned OFFSET_BITS = 20;
  localparam int unsigned BURST_BITS = 6;
  localparam int unsigned COUNT_BITS = 7;

  // Address map: an address in a region is, from the top, base, bits of x, bits of y, offset.
  localparam int unsigned ADDR_BITS = 48;
  localparam int unsigned NUM_REGIONS = 2;
  localparam int unsigned CLUSTER_REGION = 1;
  localparam logic [ADDR_BITS-1:0] MAP_BASE[NUM_REGIONS] = '{48'h7000_0000, 48'h2000_0000};
  localparam int unsigned MAP_OFFSET_BITS[NUM_REGIONS] = '{20, 18};
  localparam int unsigned MAP_Y_BITS[NUM_REGIONS] = '{3, 3};
  localparam int unsigned MAP_X_BITS[NUM_REGIONS] = '{0, 3};
  localparam int unsigned MAP_X[NUM_REGIONS] = '{0, 1};
  localparam int unsigned MAP_Y[NUM_REGIONS] = '{0, 0};
  localparam int unsigned MAP_WIDTH[NUM_REGIONS] = '{1, 8};
  localparam int unsigned MAP_HEIGHT[NUM_REGIONS] = '{8, 8};
  localparam int unsigned MAP_MEMORY_BYTES[NUM_REGIONS] = '{1048576, 131072};

  localparam int unsigned MERGE_ENTRIES = 8;
  localparam int unsigned MERGE_CYCLES = 1;
  localparam int unsigned MERGE_TIMEOUT_CYCLES = 256;

  localparam int unsigned REDUCTION_FLOWS = 8;
  localparam int unsigned STORE_BEATS = 640;
  localparam int unsigned WINDOW_BEATS = 20;
  localparam int unsigned WINDOW_BEATS_PER_HOP = 4;
  localparam int unsigned MAX_WINDOW_BEATS = 32;
  localparam int unsigned CREDIT_BEATS = 4;
  localparam int unsigned REDUCTION_OPERANDS = 3;
  localparam int unsigned CUT_CYCLES = 2;
  localparam int unsigned ADD_CYCLES_64 = 3;
  localparam int unsigned ADD_CYCLES_32 = 2;
  localparam int unsigned ADD_CYCLES_16 = 1;
  localparam int unsigned ADD_CYCLES_8 = 1;

  // Write channels of the wide port; ids of one channel, and those of the read and the narrow port.
  localparam int unsigned WIDE_CHANNELS = 4;
  localparam int unsigned WIDE_ID_BITS = 3;
  localparam int unsigned READ_ID_BITS = 5;
  localparam int unsigned NARROW_ID_BITS = 3;
  localparam int unsigned MAX_WIDE_OUTSTANDING = 32;
  localparam int unsigned MAX_NARROW_OUTSTANDING = 8;
  localparam int unsigned MAX_OPEN_REDUCTIONS = 8;
  localparam int unsigned BURST_BOUNDARY_BYTES = 4096;
  localparam int unsigned DMA_BUFFER_BEATS = 128;

endpackage
