// SPDX-License-Identifier: Apache-2.0
//
// AXI4 channels of the network interface, and what their user bits mean.
//
// Subordinate ports face the cluster (its DMA engine: wide; its cores: narrow), manager ports face the memory.
// Source: S1 sections 3.1.1 and 3.2.2 (mask and opcode in AWUSER).

package noccl_axi_pkg;

  typedef logic [noccl_cfg_pkg::ADDR_BITS-1:0] addr_t;
  typedef logic [noccl_cfg_pkg::WIDE_ID_BITS-1:0] wide_id_t;
  typedef logic [noccl_cfg_pkg::READ_ID_BITS-1:0] read_id_t;
  typedef logic [noccl_cfg_pkg::NARROW_ID_BITS-1:0] narrow_id_t;

  localparam logic [1:0] BURST_INCR = 2'b01;
  localparam logic [2:0] SIZE_WIDE = 3'd6;

  // What a write is.
  typedef enum logic [1:0] {
    // To one tile; the mask is zero.
    OPCODE_UNICAST   = 2'd0,
    // To all tiles of (address, mask).
    OPCODE_MULTICAST = 2'd1,
    // Contribution to a reduction (wide) or barrier (narrow): the address names place and root, the mask
    // the group around the contributor's own coordinate.
    OPCODE_JOIN      = 2'd2
  } opcode_e;

  typedef struct packed {
    opcode_e                     opcode;
    addr_t                       mask;
    noccl_flit_pkg::tag_t        tag;
    noccl_number_pkg::operator_e op;
    noccl_number_pkg::element_e  element;
  } user_t;

  typedef struct packed {
    wide_id_t   id;
    addr_t      addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
    // Highest bit of AWUSER: belongs to the transfer of the burst before it on this channel, and keeps its place among the
    // channels.
    logic       continues;
    user_t      user;
  } wide_aw_t;

  typedef struct packed {
    noccl_flit_pkg::wide_data_t   data;
    noccl_flit_pkg::wide_strobe_t strb;
    logic                         last;
  } wide_w_t;

  typedef struct packed {
    wide_id_t              id;
    noccl_flit_pkg::resp_e resp;
  } wide_b_t;

  typedef struct packed {
    read_id_t   id;
    addr_t      addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
  } wide_ar_t;

  typedef struct packed {
    read_id_t                   id;
    noccl_flit_pkg::wide_data_t data;
    noccl_flit_pkg::resp_e      resp;
    logic                       last;
  } wide_r_t;

  typedef struct packed {
    narrow_id_t id;
    addr_t      addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
    // AXI5 atomics: only AtomicLoad with addition is served; zero is a plain write.
    logic [5:0] atop;
    user_t      user;
  } narrow_aw_t;

  localparam logic [5:0] ATOP_NONE = 6'b000000;
  localparam logic [5:0] ATOP_LOAD_ADD = 6'b100000;
  localparam logic [5:0] ATOP_COMPARE = 6'b110001;

  // Loads, swaps and compares get R besides B.
  function automatic logic has_read_data(logic [5:0] atop);
    return atop[5];
  endfunction

  typedef struct packed {
    noccl_flit_pkg::narrow_data_t   data;
    noccl_flit_pkg::narrow_strobe_t strb;
    logic                           last;
  } narrow_w_t;

  typedef struct packed {
    narrow_id_t            id;
    noccl_flit_pkg::resp_e resp;
  } narrow_b_t;

  typedef struct packed {
    narrow_id_t id;
    addr_t      addr;
    logic [7:0] len;
    logic [2:0] size;
    logic [1:0] burst;
  } narrow_ar_t;

  typedef struct packed {
    narrow_id_t                   id;
    noccl_flit_pkg::narrow_data_t data;
    noccl_flit_pkg::resp_e        resp;
    logic                         last;
  } narrow_r_t;

  // Towards memories: addresses are offsets into the tile's memory, responses come in order, no
  // ids.
  typedef struct packed {
    noccl_flit_pkg::offset_t addr;
    logic [5:0]              atop;
  } memory_aw_t;

  typedef struct packed {
    noccl_flit_pkg::offset_t addr;
    noccl_flit_pkg::left_t   len;
    logic [2:0]              size;
  } memory_ar_t;

  typedef struct packed {
    noccl_flit_pkg::wide_data_t data;
    noccl_flit_pkg::resp_e      resp;
    logic                       last;
  } memory_wide_r_t;

  typedef struct packed {
    noccl_flit_pkg::narrow_data_t data;
    noccl_flit_pkg::resp_e        resp;
    logic                         last;
  } memory_narrow_r_t;

endpackage
