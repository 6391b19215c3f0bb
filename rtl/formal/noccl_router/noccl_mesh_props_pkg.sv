// SPDX-License-Identifier: Apache-2.0
//
// Narrow flits for the proof of a mesh's progress: headers only, two kinds.

package noccl_mesh_props_pkg;

  localparam logic [1:0] KIND_PLAIN = 2'd0;
  localparam logic [1:0] KIND_JOIN = 2'd2;
  localparam logic [7:0] JOIN_KINDS = 8'b0000_0100;

  typedef struct packed {
    logic [1:0]                    kind;
    logic                          multicast;
    noccl_flit_pkg::coord_t        dst;
    noccl_flit_pkg::coord_t        src;
    noccl_flit_pkg::region_coord_t base;
    noccl_flit_pkg::region_coord_t mask;
    noccl_flit_pkg::tag_t          tag;
    logic                          own_copy;
    noccl_flit_pkg::resp_e         resp;
    noccl_flit_pkg::count_t        count;
  } hdr_t;

  typedef struct packed {hdr_t hdr;} flit_t;

endpackage
