// SPDX-License-Identifier: Apache-2.0
//
// As much of a header as the merge table looks at, for its proof.

package noccl_merge_props_pkg;

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

  // Number of a transaction among those under way.
  typedef logic [1:0] index_t;

endpackage
