// SPDX-License-Identifier: Apache-2.0
//
// Flits of the three planes, made from the numbers of the generated package.
//
// Headers differ per plane, so that no FIFO slot holds bits that its plane never uses; fields
// that a router or a collective unit looks at have the same names in all of them. A flit is one
// packet: it routes itself and carries its own address (docs/design/0001, decision F;
// docs/design/0004, types).
// Mirror: crates/noccl-sim/src/transport.

package noccl_flit_pkg;

  // Ports of a router; the order is the order of arbitration and of reduction.
  localparam int unsigned NUM_PORTS = 5;
  localparam int unsigned NORTH = 0;
  localparam int unsigned EAST = 1;
  localparam int unsigned SOUTH = 2;
  localparam int unsigned WEST = 3;
  localparam int unsigned LOCAL = 4;
  // Sixth requester of the output arbiters: results of the collective unit.
  localparam int unsigned RESULT = 5;
  localparam int unsigned NUM_REQUESTERS = 6;

  typedef logic [NUM_PORTS-1:0] port_set_t;

  // Outputs that a flit may leave by after it came in by `port`: XY routing never turns back,
  // nor from Y to X.
  // Only the tile's own input leads to its own output and everywhere else.
  function automatic port_set_t outputs_from(int unsigned port);
    port_set_t outputs;
    outputs = '1;
    outputs[port] = port == LOCAL;
    if (port == NORTH || port == SOUTH) begin
      outputs[EAST] = 1'b0;
      outputs[WEST] = 1'b0;
    end
    return outputs;
  endfunction

  // Mesh coordinate.
  typedef struct packed {
    logic [noccl_cfg_pkg::X_BITS-1:0] x;
    logic [noccl_cfg_pkg::Y_BITS-1:0] y;
  } coord_t;

  // Output towards another tile, X first; one-hot, the tile's own output at the destination.
  function automatic port_set_t toward(coord_t from, coord_t to);
    port_set_t port;
    port = '0;
    if (to.x > from.x) port[EAST] = 1'b1;
    else if (to.x < from.x) port[WEST] = 1'b1;
    else if (to.y > from.y) port[NORTH] = 1'b1;
    else if (to.y < from.y) port[SOUTH] = 1'b1;
    else port[LOCAL] = 1'b1;
    return port;
  endfunction

  // Coordinate in the cluster region; masks too (1: both values of this bit are members).
  typedef struct packed {
    logic [noccl_cfg_pkg::REGION_X_BITS-1:0] x;
    logic [noccl_cfg_pkg::REGION_Y_BITS-1:0] y;
  } region_coord_t;

  typedef logic [noccl_cfg_pkg::TAG_BITS-1:0] tag_t;
  typedef logic [noccl_cfg_pkg::LINE_BITS-1:0] line_t;
  typedef logic [noccl_cfg_pkg::BURST_BITS-1:0] left_t;
  typedef logic [noccl_cfg_pkg::COUNT_BITS-1:0] count_t;
  typedef logic [noccl_cfg_pkg::OFFSET_BITS-1:0] offset_t;
  typedef logic [noccl_cfg_pkg::WIDE_BITS-1:0] wide_data_t;
  typedef logic [noccl_cfg_pkg::WIDE_BITS/8-1:0] wide_strobe_t;
  typedef logic [noccl_cfg_pkg::NARROW_BITS-1:0] narrow_data_t;
  typedef logic [noccl_cfg_pkg::NARROW_BITS/8-1:0] narrow_strobe_t;

  // AXI response codes; the larger one is the worse one.
  typedef enum logic [1:0] {
    RESP_OKAY   = 2'd0,
    RESP_EXOKAY = 2'd1,
    RESP_SLVERR = 2'd2,
    RESP_DECERR = 2'd3
  } resp_e;

  // Kinds that wait for other contributions at merge points, one bit per kind of a plane
  // (`JoinKinds` of its routers).
  localparam logic [7:0] WIDE_JOIN_KINDS = 8'b0000_0010;  // WIDE_REDUCE
  localparam logic [7:0] REQ_JOIN_KINDS = 8'b0000_1000;  // REQ_BARRIER
  localparam logic [7:0] RSP_JOIN_KINDS = 8'b0000_0100;  // RSP_COLLECT_B

  // ---------------------------------------------------------------------------------- plane `wide`

  typedef enum logic [1:0] {
    WIDE_WRITE     = 2'd0,
    WIDE_REDUCE    = 2'd1,
    WIDE_READ_DATA = 2'd2
  } wide_kind_e;

  typedef struct packed {
    wide_kind_e                  kind;
    logic                        multicast;
    coord_t                      dst;
    coord_t                      src;
    region_coord_t               base;
    region_coord_t               mask;
    tag_t                        tag;
    logic                        own_copy;
    resp_e                       resp;
    line_t                       line;
    left_t                       left;
    noccl_number_pkg::operator_e op;
    noccl_number_pkg::element_e  element;
  } wide_hdr_t;

  typedef struct packed {
    wide_hdr_t    hdr;
    wide_strobe_t strobe;
    wide_data_t   data;
  } wide_flit_t;

  // ----------------------------------------------------------------------------------- plane `req`

  typedef enum logic [2:0] {
    REQ_READ_NARROW = 3'd0,
    REQ_READ_WIDE   = 3'd1,
    REQ_WRITE       = 3'd2,
    REQ_BARRIER     = 3'd3,
    REQ_ATOMIC      = 3'd4
  } req_kind_e;

  typedef struct packed {
    req_kind_e     kind;
    logic          multicast;
    coord_t        dst;
    coord_t        src;
    region_coord_t base;
    region_coord_t mask;
    tag_t          tag;
    logic          own_copy;
    resp_e         resp;
    count_t        count;
    offset_t       addr;
    logic [2:0]    size;
    left_t         len;
  } req_hdr_t;

  typedef struct packed {
    req_hdr_t       hdr;
    narrow_strobe_t strobe;
    narrow_data_t   data;
  } req_flit_t;

  // ----------------------------------------------------------------------------------- plane `rsp`

  typedef enum logic [2:0] {
    RSP_B         = 3'd0,
    RSP_READ_DATA = 3'd1,
    RSP_COLLECT_B = 3'd2,
    RSP_GROUP_B   = 3'd3,
    RSP_CREDIT    = 3'd4,
    RSP_ATOMIC    = 3'd5
  } rsp_kind_e;

  typedef struct packed {
    rsp_kind_e     kind;
    logic          multicast;
    coord_t        dst;
    coord_t        src;
    region_coord_t base;
    region_coord_t mask;
    tag_t          tag;
    logic          is_wide;
    logic          own_copy;
    resp_e         resp;
    count_t        count;
  } rsp_hdr_t;

  typedef struct packed {
    rsp_hdr_t     hdr;
    narrow_data_t data;
  } rsp_flit_t;

  // ---------------------------------------------------------------------------------------- links

  // What one end of a plane's link in either direction shows the other: `ready`, it takes what the
  // other end offers at the end of this cycle; `valid`, it offers a flit, which stays until the
  // other end is ready; the flit, undefined without valid.
  typedef struct packed {
    logic       ready;
    logic       valid;
    wide_flit_t flit;
  } wide_link_t;

  typedef struct packed {
    logic      ready;
    logic      valid;
    req_flit_t flit;
  } req_link_t;

  typedef struct packed {
    logic      ready;
    logic      valid;
    rsp_flit_t flit;
  } rsp_link_t;

  // The same of all planes. The widest one has the lowest bits: simulators then copy it word by word.
  typedef struct packed {
    rsp_link_t  rsp;
    req_link_t  req;
    wide_link_t wide;
  } links_t;

endpackage
