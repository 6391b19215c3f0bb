// SPDX-License-Identifier: Apache-2.0
//
// As much of a header as routers and merge tables look at, for their proofs: two kinds, no data.

package noccl_props_pkg;

  localparam logic KIND_PLAIN = 1'b0;
  localparam logic KIND_JOIN = 1'b1;
  localparam logic [7:0] JOIN_KINDS = 8'b0000_0010;

  typedef struct packed {
    logic                          kind;
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

  // Number of a transaction among those in flight.
  typedef logic [1:0] index_t;

endpackage
