// SPDX-License-Identifier: Apache-2.0
//
// Numbers of the network smart_8x8. Written by `noccl rtl`; do not edit.

package noccl_smart_cfg_pkg;

  localparam int unsigned MESH_WIDTH = 8;
  localparam int unsigned MESH_HEIGHT = 8;
  localparam int unsigned X_BITS = 3;
  localparam int unsigned Y_BITS = 3;

  // Most hops in a cycle: of a flit, of a contribution to a bitwise reduction, of one to another reduction.
  localparam int unsigned HPC_MAX = 7;
  localparam int unsigned BITWISE_HPC_MAX = 7;
  localparam int unsigned ARITHMETIC_HPC_MAX = 2;
  localparam int unsigned SETUP_CYCLES = 1;
  localparam int unsigned IS_BYPASS_FIRST = 0;

  // Virtual channels of an input by message class, flits of a channel, bits of a flit's data.
  localparam int unsigned UNICAST_VCS = 4;
  localparam int unsigned REDUCTION_VCS = 4;
  localparam int unsigned MULTICAST_VCS = 4;
  localparam int unsigned VC_FLITS = 5;
  localparam int unsigned FLIT_BITS = 128;

  localparam int unsigned HAS_MULTICAST = 1;
  localparam int unsigned IS_PRUNED = 0;

  // Reduction table, and names of its reductions.
  localparam int unsigned HAS_TABLE = 1;
  localparam int unsigned TABLE_ENTRIES = 64;
  localparam int unsigned ID_BITS = 6;

  // Names of packets.
  localparam int unsigned TAG_BITS = 14;

endpackage
