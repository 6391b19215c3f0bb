// SPDX-License-Identifier: Apache-2.0
//
// What the parts of the network interface tell each other.

package noccl_ni_pkg;

  // Tag of a wide write: channel and id, so that a response is routed without a table.
  localparam int unsigned CHANNEL_BITS = $clog2(noccl_cfg_pkg::WIDE_CHANNELS);
  localparam int unsigned WIDE_TAG_BITS = CHANNEL_BITS + noccl_cfg_pkg::WIDE_ID_BITS;
  localparam int unsigned NUM_WIDE_TAGS = 1 << WIDE_TAG_BITS;
  localparam int unsigned NUM_NARROW_IDS = 1 << noccl_cfg_pkg::NARROW_ID_BITS;
  localparam int unsigned NUM_READ_IDS = 1 << noccl_cfg_pkg::READ_ID_BITS;

  typedef logic [WIDE_TAG_BITS-1:0] wide_tag_t;

  // Facts of an open or offered write burst.
  typedef struct packed {
    // The NI responds itself: the address or the request is not served.
    logic                          is_error;
    noccl_flit_pkg::resp_e         resp;
    noccl_axi_pkg::opcode_e        opcode;
    // A multicast whose initiator is a member.
    logic                          has_own;
    noccl_flit_pkg::coord_t        dst;
    noccl_flit_pkg::region_coord_t mask;
    noccl_flit_pkg::tag_t          tag;
    noccl_axi_pkg::wide_id_t       id;
    noccl_flit_pkg::line_t         line;
    noccl_flit_pkg::left_t         len;
    noccl_number_pkg::operator_e   op;
    noccl_number_pkg::element_e    element;
  } burst_t;

  // The response to a refused narrow write: with data if it is an atomic that asks for them, beats
  // of them after the first.
  typedef struct packed {
    noccl_axi_pkg::narrow_id_t id;
    noccl_flit_pkg::resp_e     resp;
    logic                      has_data;
    logic [7:0]                beats_left;
  } refusal_t;

  // A narrow write, as its address asks for it.
  typedef struct packed {
    logic                          is_error;
    logic                          is_atomic;
    noccl_axi_pkg::opcode_e        opcode;
    noccl_flit_pkg::coord_t        dst;
    noccl_flit_pkg::region_coord_t base;
    noccl_flit_pkg::region_coord_t mask;
    noccl_flit_pkg::tag_t          tag;
    noccl_flit_pkg::offset_t       addr;
    logic [2:0]                    size;
    // Its id, and the response if it is refused.
    refusal_t                      refusal;
  } narrow_write_t;

  // Credits of the next merge point, returned to a sender.
  typedef struct packed {
    noccl_flit_pkg::coord_t root;
    noccl_flit_pkg::tag_t   tag;
    noccl_flit_pkg::count_t beats;
  } credit_t;

  // What a memory's response to a write is good for.
  typedef struct packed {
    // Last beat of its burst: others have no response.
    logic                          is_last;
    logic                          is_multicast;
    logic                          is_join;
    // Who asked; of a join the base of its group.
    noccl_flit_pkg::coord_t        src;
    noccl_flit_pkg::region_coord_t mask;
    noccl_flit_pkg::tag_t          tag;
    noccl_flit_pkg::resp_e         resp;
  } response_t;

  // Is the tile a member of the set?
  function automatic logic is_member(noccl_flit_pkg::coord_t at,
                                     noccl_flit_pkg::region_coord_t base,
                                     noccl_flit_pkg::region_coord_t mask);
    int unsigned x, y;
    // Coordinates west or south of the region wrap to large numbers, which no set has.
    x = 32'(at.x) - noccl_cfg_pkg::REGION_X;
    y = 32'(at.y) - noccl_cfg_pkg::REGION_Y;
    return (x & ~32'(mask.x)) == 32'(base.x) && (y & ~32'(mask.y)) == 32'(base.y);
  endfunction

  // Base of the set with that mask to which a tile belongs.
  function automatic noccl_flit_pkg::region_coord_t base_around(
      noccl_flit_pkg::coord_t at, noccl_flit_pkg::region_coord_t mask);
    noccl_flit_pkg::region_coord_t base;
    base.x = noccl_cfg_pkg::REGION_X_BITS'(32'(at.x) - noccl_cfg_pkg::REGION_X) & ~mask.x;
    base.y = noccl_cfg_pkg::REGION_Y_BITS'(32'(at.y) - noccl_cfg_pkg::REGION_Y) & ~mask.y;
    return base;
  endfunction

  // A base in the place of a coordinate, which is no narrower.
  function automatic noccl_flit_pkg::coord_t padded(noccl_flit_pkg::region_coord_t base);
    noccl_flit_pkg::coord_t place;
    place.x = noccl_cfg_pkg::X_BITS'(base.x);
    place.y = noccl_cfg_pkg::Y_BITS'(base.y);
    return place;
  endfunction

  // Members of a set: two for every masked bit.
  function automatic noccl_flit_pkg::count_t num_members(noccl_flit_pkg::region_coord_t mask);
    return noccl_flit_pkg::count_t'(1) << $countones(mask);
  endfunction

  // Members of a set but one.
  typedef logic [$bits(noccl_flit_pkg::region_coord_t)-1:0] others_t;
  function automatic others_t num_others(noccl_flit_pkg::region_coord_t mask);
    return others_t'(num_members(mask) - 1'b1);
  endfunction

  // The worse of two responses.
  function automatic noccl_flit_pkg::resp_e worse(noccl_flit_pkg::resp_e a,
                                                  noccl_flit_pkg::resp_e b);
    return a > b ? a : b;
  endfunction

  // Credits that a merge point returns, in flight to a sender.
  function automatic noccl_flit_pkg::rsp_flit_t credit_flit(noccl_flit_pkg::coord_t to,
                                                            credit_t credit);
    noccl_flit_pkg::rsp_flit_t flit;
    flit = '0;
    flit.hdr.kind = noccl_flit_pkg::RSP_CREDIT;
    flit.hdr.dst = to;
    flit.hdr.src = credit.root;
    flit.hdr.tag = credit.tag;
    flit.hdr.is_wide = 1'b1;
    flit.hdr.count = credit.beats;
    return flit;
  endfunction

endpackage
