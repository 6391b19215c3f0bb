// SPDX-License-Identifier: Apache-2.0
// Types of the routers with bypass: headers of packets, requests for paths, and where packets go.
//
// A packet has one header. It goes ahead of the flits, with the requests that set up their paths;
// the wires of a link carry data alone. A set of tiles is a multi-address: a base, and a mask whose
// ones stand for both values of a bit.
// Mirror: crates/noccl-sim/src/router/smart (numbers.rs, packet.rs),
// crates/noccl-net/src/tree_table.rs. Source: S2, sections II to IV.

package noccl_smart_pkg;

  // Ports of a router; the order is that of arbitration. A flit that comes in by a mesh port goes
  // on by the port opposite to it.
  localparam int unsigned NUM_PORTS = 5;
  localparam int unsigned NUM_LINKS = 4;
  localparam int unsigned NORTH = 0;
  localparam int unsigned EAST = 1;
  localparam int unsigned SOUTH = 2;
  localparam int unsigned WEST = 3;
  localparam int unsigned LOCAL = 4;
  typedef logic [NUM_PORTS-1:0] port_set_t;

  function automatic int unsigned opposite(int unsigned port);
    return (port + 2) % NUM_LINKS;
  endfunction

  // Message classes; each has channels of its own.
  localparam int unsigned NUM_CLASSES = 3;
  typedef enum logic [1:0] {
    UNICAST      = 2'd0,
    CONTRIBUTION = 2'd1,
    MULTICAST    = 2'd2
  } kind_e;
  typedef logic [NUM_CLASSES-1:0] class_set_t;

  // Channels of an input: those of a class stand together.
  localparam int unsigned FIRST_CONTRIBUTION = noccl_smart_cfg_pkg::UNICAST_VCS;
  localparam int unsigned FIRST_MULTICAST = FIRST_CONTRIBUTION + noccl_smart_cfg_pkg::REDUCTION_VCS;
  localparam int unsigned NUM_CHANNELS = FIRST_MULTICAST + noccl_smart_cfg_pkg::MULTICAST_VCS;
  typedef logic [NUM_CHANNELS-1:0] channel_set_t;

  function automatic kind_e class_of(int unsigned channel);
    return channel < FIRST_CONTRIBUTION ? UNICAST :
        channel < FIRST_MULTICAST ? CONTRIBUTION : MULTICAST;
  endfunction

  function automatic channel_set_t channels_of(kind_e kind);
    channel_set_t channels;
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) channels[c] = class_of(c) == kind;
    return channels;
  endfunction

  function automatic channel_set_t lowest(channel_set_t channels);
    return channels & (~channels + 1'b1);
  endfunction

  // Flits of a packet, and the number of one of them.
  localparam int unsigned VC_FLITS = noccl_smart_cfg_pkg::VC_FLITS;
  localparam int unsigned FLIT_COUNT_BITS = $clog2(VC_FLITS + 1);
  typedef logic [FLIT_COUNT_BITS-1:0] flit_count_t;
  typedef logic [noccl_smart_cfg_pkg::FLIT_BITS-1:0] data_t;
  typedef logic [noccl_smart_cfg_pkg::TAG_BITS-1:0] tag_t;

  // Entries of the reduction table, and contributions to come at a tile.
  typedef logic [noccl_smart_cfg_pkg::ID_BITS-1:0] id_t;
  typedef logic [2:0] contributions_t;

  // Where a tile lies; a set of tiles has a base and a mask of this type.
  typedef logic [noccl_smart_cfg_pkg::X_BITS-1:0] x_t;
  typedef logic [noccl_smart_cfg_pkg::Y_BITS-1:0] y_t;
  typedef struct packed {
    x_t x;
    y_t y;
  } coord_t;

  typedef struct packed {
    kind_e                       kind;
    // Flits of the packet.
    flit_count_t                 flits;
    // Name of the packet, unique among those in flight.
    tag_t                        tag;
    // Destination of a unicast, root of a reduction, source of a multicast.
    coord_t                      root;
    // Members of a reduction or destinations of a multicast.
    coord_t                      base;
    coord_t                      mask;
    // Routers count the contribution, in entry `id`.
    logic                        is_counted;
    id_t                         id;
    logic                        has_operand;
    noccl_number_pkg::operator_e op;
    noccl_number_pkg::element_e  element;
  } header_t;

  // What interfaces exchange with a chip.
  typedef struct packed {
    header_t     header;
    flit_count_t index;
    data_t       data;
  } flit_t;

  // Hops of a path.
  localparam int unsigned HPC_MAX = noccl_smart_cfg_pkg::HPC_MAX;
  localparam int unsigned HOP_BITS = $clog2(HPC_MAX + 1);
  typedef logic [HOP_BITS-1:0] hops_t;
  // Bit i: from the router i + 1 hops away.
  typedef logic [HPC_MAX-1:0] distance_t;

  localparam hops_t BITWISE_HOPS = cut(noccl_smart_cfg_pkg::BITWISE_HPC_MAX);
  localparam hops_t ARITHMETIC_HOPS = cut(noccl_smart_cfg_pkg::ARITHMETIC_HPC_MAX);

  function automatic hops_t cut(int unsigned hops);
    return hops > HPC_MAX ? hops_t'(HPC_MAX) : hops_t'(hops);
  endfunction

  // A request for the links of a line, as every router on it sees it.
  typedef struct packed {
    logic        valid;
    header_t     header;
    flit_count_t index;
    // Most hops that the flit could go.
    hops_t       limit;
  } request_t;
  typedef request_t [HPC_MAX-1:0] requests_t;

  // Does the flit of a request cross this link, and from how far away does it come at the router
  // behind it?
  typedef struct packed {
    logic      valid;
    distance_t distance;
  } crossing_t;

  // Seen by a test: the flit on a link.
  typedef struct packed {
    logic        valid;
    tag_t        tag;
    flit_count_t index;
  } seen_t;

  // What an input chooses or has been granted: a channel (one-hot), the number of its flit, and
  // outputs.
  typedef struct packed {
    channel_set_t channel;
    flit_count_t  index;
    port_set_t    outputs;
  } choice_t;

  // A flit that is latched at the end of a cycle: in this channel (one-hot), as this one of its
  // packet.
  typedef struct packed {
    logic           valid;
    channel_set_t   channel;
    flit_count_t    index;
    // Of a contribution that routers count.
    logic           is_counted;
    id_t            id;
    contributions_t inputs;
  } latch_t;

  // ------------------------------------------------------------------------------ where packets go

  localparam x_t LAST_X = x_t'(noccl_smart_cfg_pkg::MESH_WIDTH - 1);
  localparam y_t LAST_Y = y_t'(noccl_smart_cfg_pkg::MESH_HEIGHT - 1);
  localparam bit HAS_MULTICAST = noccl_smart_cfg_pkg::HAS_MULTICAST != 0;
  localparam bit IS_PRUNED = noccl_smart_cfg_pkg::IS_PRUNED != 0;

  function automatic logic is_member_column(x_t x, header_t header);
    return (x & ~header.mask.x) == header.base.x;
  endfunction

  function automatic logic is_member_row(y_t y, header_t header);
    return (y & ~header.mask.y) == header.base.y;
  endfunction

  // First and last column and row of a tree: those of its members, or of the mesh.
  function automatic coord_t first_of(header_t header);
    return IS_PRUNED ? header.base : '0;
  endfunction

  function automatic coord_t last_of(header_t header);
    return IS_PRUNED ? header.base | header.mask : '{x: LAST_X, y: LAST_Y};
  endfunction

  function automatic logic is_tree(header_t header);
    return HAS_MULTICAST && header.kind == MULTICAST;
  endfunction

  // Output towards another tile, X first; Local at the tile itself.
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

  // Outputs of a multicast over the tree of XY routes from its source.
  function automatic port_set_t tree_outputs(coord_t here, header_t header);
    coord_t first, last;
    logic is_column;
    port_set_t outputs;
    first = first_of(header);
    last = last_of(header);
    is_column = !IS_PRUNED || is_member_column(here.x, header);
    outputs[EAST] = here.y == header.root.y && here.x >= header.root.x && here.x < last.x;
    outputs[WEST] = here.y == header.root.y && here.x <= header.root.x && here.x > first.x;
    outputs[NORTH] = is_column && here.y >= header.root.y && here.y < last.y;
    outputs[SOUTH] = is_column && here.y <= header.root.y && here.y > first.y;
    outputs[LOCAL] = is_member_column(here.x, header) && is_member_row(here.y, header);
    return outputs;
  endfunction

  // Outputs of a packet that is latched at a tile.
  function automatic port_set_t outputs_at(coord_t here, header_t header);
    return is_tree(header) ? tree_outputs(here, header) : toward(here, header.root);
  endfunction

  // A distance along a dimension as hops of a path, none backwards.
  function automatic hops_t hops_between(logic [31:0] from, logic [31:0] to);
    if (to <= from) return '0;
    return to - from > HPC_MAX ? hops_t'(HPC_MAX) : hops_t'(to - from);
  endfunction

  // Hops to where a packet leaves the line that it enters by an output: the corner of its route,
  // its destination, the last router of its tree.
  function automatic hops_t hops_along(int unsigned out, coord_t here, header_t header);
    coord_t first, last;
    first = is_tree(header) ? first_of(header) : header.root;
    last  = is_tree(header) ? last_of(header) : header.root;
    unique case (out)
      NORTH:   return hops_between(32'(here.y), 32'(last.y));
      EAST:    return hops_between(32'(here.x), 32'(last.x));
      SOUTH:   return hops_between(32'(first.y), 32'(here.y));
      default: return hops_between(32'(first.x), 32'(here.x));
    endcase
  endfunction

  // Contributions of a reduction that come to a tile, its own among them: one for each input over
  // which the routes of members lead.
  function automatic contributions_t num_inputs(coord_t here, header_t header);
    coord_t first, last;
    logic is_row, is_member, is_from_west, is_from_east, is_from_south, is_from_north;
    first = header.base;
    last = header.base | header.mask;
    is_row = is_member_row(here.y, header);
    is_from_west = is_row && here.x <= header.root.x && first.x < here.x;
    is_from_east = is_row && here.x >= header.root.x && last.x > here.x;
    is_from_south = here.x == header.root.x && here.y <= header.root.y && first.y < here.y;
    is_from_north = here.x == header.root.x && here.y >= header.root.y && last.y > here.y;
    is_member = is_row && is_member_column(here.x, header);
    return 3'(is_from_west) + 3'(is_from_east) + 3'(is_from_south) + 3'(is_from_north) +
        3'(is_member);
  endfunction

  // Most hops of a packet in a cycle. Where operands are combined in flight, adders lie on the
  // path.
  function automatic hops_t most_hops(header_t header);
    logic is_bitwise;
    is_bitwise = header.op == noccl_number_pkg::OP_AND || header.op == noccl_number_pkg::OP_OR;
    if (header.kind != CONTRIBUTION || !header.is_counted || !header.has_operand)
      return hops_t'(HPC_MAX);
    return is_bitwise ? BITWISE_HOPS : ARITHMETIC_HOPS;
  endfunction

  function automatic hops_t least(hops_t one, hops_t other);
    return one < other ? one : other;
  endfunction

endpackage
