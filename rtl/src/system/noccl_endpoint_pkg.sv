// SPDX-License-Identifier: Apache-2.0
//
// Ports of a tile's endpoint as bundles: what the manager of a port drives (`_mgr_t`) and what its subordinate drives (`_sbr_t`).

package noccl_endpoint_pkg;

  // ------------------------------------------------------------------------------------------ wide port

  typedef struct packed {
    logic                    aw_valid;
    noccl_axi_pkg::wide_aw_t aw;
    logic                    w_valid;
    noccl_axi_pkg::wide_w_t  w;
    logic                    b_ready;
  } wide_write_mgr_t;

  typedef struct packed {
    logic                   aw_ready;
    logic                   w_ready;
    logic                   b_valid;
    noccl_axi_pkg::wide_b_t b;
  } wide_write_sbr_t;

  // Write channels and one read channel.
  typedef struct packed {
    wide_write_mgr_t [noccl_cfg_pkg::WIDE_CHANNELS-1:0] write;
    logic                                               ar_valid;
    noccl_axi_pkg::wide_ar_t                            ar;
    logic                                               r_ready;
  } wide_mgr_t;

  typedef struct packed {
    wide_write_sbr_t [noccl_cfg_pkg::WIDE_CHANNELS-1:0] write;
    logic                                               ar_ready;
    logic                                               r_valid;
    noccl_axi_pkg::wide_r_t                             r;
  } wide_sbr_t;

  // ---------------------------------------------------------------------------------------- narrow port

  typedef struct packed {
    logic                      aw_valid;
    noccl_axi_pkg::narrow_aw_t aw;
    logic                      w_valid;
    noccl_axi_pkg::narrow_w_t  w;
    logic                      b_ready;
    logic                      ar_valid;
    noccl_axi_pkg::narrow_ar_t ar;
    logic                      r_ready;
  } narrow_mgr_t;

  typedef struct packed {
    logic                     aw_ready;
    logic                     w_ready;
    logic                     b_valid;
    noccl_axi_pkg::narrow_b_t b;
    logic                     ar_ready;
    logic                     r_valid;
    noccl_axi_pkg::narrow_r_t r;
  } narrow_sbr_t;

  // -------------------------------------------------------------------------------------- memory's ports

  // Writes of beats as bursts of one.
  typedef struct packed {
    logic                      aw_valid;
    noccl_axi_pkg::memory_aw_t aw;
    logic                      w_valid;
    noccl_axi_pkg::wide_w_t    w;
    logic                      b_ready;
  } line_write_mgr_t;

  typedef struct packed {
    logic                      aw_valid;
    noccl_axi_pkg::memory_aw_t aw;
    logic                      w_valid;
    noccl_axi_pkg::narrow_w_t  w;
    logic                      b_ready;
  } word_write_mgr_t;

  typedef struct packed {
    logic                  aw_ready;
    logic                  w_ready;
    logic                  b_valid;
    noccl_flit_pkg::resp_e b_resp;
  } memory_write_sbr_t;

  typedef struct packed {
    line_write_mgr_t           write;
    logic                      ar_valid;
    noccl_axi_pkg::memory_ar_t ar;
    logic                      r_ready;
  } memory_wide_mgr_t;

  typedef struct packed {
    word_write_mgr_t           write;
    logic                      ar_valid;
    noccl_axi_pkg::memory_ar_t ar;
    logic                      r_ready;
  } memory_narrow_mgr_t;

  typedef struct packed {
    memory_write_sbr_t             write;
    logic                          ar_ready;
    logic                          r_valid;
    noccl_axi_pkg::memory_wide_r_t r;
  } memory_wide_sbr_t;

  typedef struct packed {
    memory_write_sbr_t               write;
    logic                            ar_ready;
    logic                            r_valid;
    noccl_axi_pkg::memory_narrow_r_t r;
  } memory_narrow_sbr_t;

  // All ports at a tile's memory: `wide` and `narrow` from the network, the others from the tile itself.
  typedef struct packed {
    memory_wide_mgr_t   wide;
    line_write_mgr_t    own_wide;
    memory_narrow_mgr_t narrow;
    word_write_mgr_t    own_narrow;
  } memory_mgr_t;

  typedef struct packed {
    memory_wide_sbr_t   wide;
    memory_write_sbr_t  own_wide;
    memory_narrow_sbr_t narrow;
    memory_write_sbr_t  own_narrow;
  } memory_sbr_t;

  // ----------------------------------------------------------------------------------------- DMA engine

  // Access to a register; the response, 64 bits, comes in the same cycle.
  typedef struct packed {
    logic                     valid;
    logic                     is_write;
    noccl_dma_pkg::register_e register_idx;
    logic [63:0]              data;
  } dma_access_t;

  // The engine at the tile's own L1. Lines that were asked for come in order, at the earliest in the next cycle, and are taken.
  typedef struct packed {
    logic                    ask_valid;
    noccl_flit_pkg::offset_t ask_addr;
    logic                    write_valid;
    noccl_flit_pkg::offset_t write_addr;
    noccl_axi_pkg::wide_w_t  write;
  } l1_mgr_t;

  typedef struct packed {
    logic                       ask_ready;
    logic                       data_valid;
    noccl_flit_pkg::wide_data_t data;
    logic                       write_ready;
  } l1_sbr_t;

  // ----------------------------------------------------------------------------------------- Local ports

  // Local ports of a tile's routers that rest: nothing enters, nothing leaves.
  typedef struct packed {
    logic wide_in;
    logic wide_out;
    logic req_in;
    logic req_out;
    logic rsp_in;
    logic rsp_out;
  } hold_t;

  // What an endpoint shows the mesh, past ports that rest.
  function automatic noccl_flit_pkg::links_t into_mesh(noccl_flit_pkg::links_t link, hold_t hold);
    into_mesh = link;
    into_mesh.wide.valid = link.wide.valid && !hold.wide_in;
    into_mesh.wide.ready = link.wide.ready && !hold.wide_out;
    into_mesh.req.valid = link.req.valid && !hold.req_in;
    into_mesh.req.ready = link.req.ready && !hold.req_out;
    into_mesh.rsp.valid = link.rsp.valid && !hold.rsp_in;
    into_mesh.rsp.ready = link.rsp.ready && !hold.rsp_out;
  endfunction

  // What the mesh shows an endpoint, past the same ports.
  function automatic noccl_flit_pkg::links_t out_of_mesh(noccl_flit_pkg::links_t link, hold_t hold);
    out_of_mesh = into_mesh(
        link,
        '{
            wide_in: hold.wide_out,
            wide_out: hold.wide_in,
            req_in: hold.req_out,
            req_out: hold.req_in,
            rsp_in: hold.rsp_out,
            rsp_out: hold.rsp_in
        }
    );
  endfunction

  // ---------------------------------------------------------------------------------------------- tiles

  localparam int unsigned NUM_TILES = noccl_cfg_pkg::MESH_WIDTH * noccl_cfg_pkg::MESH_HEIGHT;

  function automatic noccl_flit_pkg::coord_t position_of(int unsigned tile);
    noccl_flit_pkg::coord_t position;
    position.x = noccl_cfg_pkg::X_BITS'(tile / noccl_cfg_pkg::MESH_HEIGHT);
    position.y = noccl_cfg_pkg::Y_BITS'(tile % noccl_cfg_pkg::MESH_HEIGHT);
    return position;
  endfunction

  // Has it cores and an L1? Others are memories.
  function automatic bit is_cluster(int unsigned tile);
    int unsigned x, y;
    x = tile / noccl_cfg_pkg::MESH_HEIGHT;
    y = tile % noccl_cfg_pkg::MESH_HEIGHT;
    // Unsigned: what lies before the region's corner is far behind its end.
    return x - noccl_cfg_pkg::REGION_X < noccl_cfg_pkg::REGION_WIDTH
        && y - noccl_cfg_pkg::REGION_Y < noccl_cfg_pkg::REGION_HEIGHT;
  endfunction

  // First address of a cluster's L1.
  function automatic noccl_axi_pkg::addr_t l1_base_of(int unsigned tile);
    int unsigned x, y, stride_bits;
    x = tile / noccl_cfg_pkg::MESH_HEIGHT - noccl_cfg_pkg::REGION_X;
    y = tile % noccl_cfg_pkg::MESH_HEIGHT - noccl_cfg_pkg::REGION_Y;
    y += x << noccl_cfg_pkg::MAP_Y_BITS[noccl_cfg_pkg::CLUSTER_REGION];
    stride_bits = noccl_cfg_pkg::MAP_OFFSET_BITS[noccl_cfg_pkg::CLUSTER_REGION];
    return noccl_cfg_pkg::MAP_BASE[noccl_cfg_pkg::CLUSTER_REGION]
        + (noccl_axi_pkg::addr_t'(y) << stride_bits);
  endfunction

endpackage
