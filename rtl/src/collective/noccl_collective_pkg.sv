// SPDX-License-Identifier: Apache-2.0
//
// Types that the collective units share.
// Mirror: crates/noccl-sim/src/router/collective/merge/point.rs.

package noccl_collective_pkg;

  import noccl_cfg_pkg::REDUCTION_FLOWS, noccl_cfg_pkg::MAX_WINDOW_BEATS;

  localparam int unsigned WINDOW_BITS = $clog2(MAX_WINDOW_BEATS + noccl_cfg_pkg::CREDIT_BEATS);
  // Beats that a sender may have in flight.
  typedef logic [WINDOW_BITS-1:0] window_t;

  // Register stages of a hop, of the beat and of its credit: as many more beats are in flight.
  localparam int unsigned LINK_STAGES =
      noccl_cfg_pkg::WIDE_LINK_CYCLES + noccl_cfg_pkg::RSP_LINK_CYCLES - 2;

  // A flow: one reduction burst that passes a merge point.
  localparam int unsigned SLOT_BITS = REDUCTION_FLOWS > 1 ? $clog2(REDUCTION_FLOWS) : 1;
  typedef logic [SLOT_BITS-1:0] slot_t;
  typedef logic [REDUCTION_FLOWS-1:0] slot_set_t;

  // Place of an operand in its flow's part of a bank.
  localparam int unsigned PLACE_BITS = $clog2(MAX_WINDOW_BEATS);
  typedef logic [PLACE_BITS-1:0] place_t;

  // Address of an operand in the bank of its input. Without logic, and without holes where the number of
  // flows is a power of two.
  typedef struct packed {
    place_t place;
    slot_t  slot;
  } store_address_t;
  localparam int unsigned STORE_WORDS = MAX_WINDOW_BEATS * 2 ** SLOT_BITS;

  // Beats of more operands than a pass combines take several, the later ones with the sum so far.
  // That waits in the place of the first input's operand, which it has combined if there was one.
  localparam noccl_flit_pkg::port_set_t PARTIALS_BANK = noccl_flit_pkg::port_set_t'(1);
  // Beats between their first pass and their last one.
  localparam int unsigned PARTIALS = 8;
  // Passes of a beat that are still to come: at most three of two operands, one of three.
  localparam int unsigned PASS_BITS = noccl_cfg_pkg::REDUCTION_OPERANDS == 2 ? 2 : 1;
  typedef logic [PASS_BITS-1:0] passes_t;

  // What a request to the arithmetic carries and its result brings back.
  typedef struct packed {
    slot_t   slot;
    place_t  place;
    // Passes that follow: unless none does, the result goes back into the store.
    passes_t passes_left;
  } dca_tag_t;

  // Accesses to the operand banks of a tile: one write per bank, reads of some banks at one address.
  typedef struct packed {
    noccl_flit_pkg::port_set_t                                          we;
    store_address_t [noccl_flit_pkg::NUM_PORTS-1:0]                     waddr;
    logic [noccl_flit_pkg::NUM_PORTS-1:0][noccl_cfg_pkg::WIDE_BITS-1:0] wdata;
    noccl_flit_pkg::port_set_t                                          re;
    store_address_t                                                     raddr;
  } store_request_t;

  // Two or three operands for the arithmetic, combined from the first; never three where a pass
  // combines two.
  typedef struct packed {
    noccl_number_pkg::operator_e op;
    noccl_number_pkg::element_e  element;
    logic                        has_third;
    noccl_flit_pkg::wide_data_t  third;
    noccl_flit_pkg::wide_data_t  second;
    noccl_flit_pkg::wide_data_t  first;
    dca_tag_t                    tag;
  } dca_request_t;

  // Its result.
  typedef struct packed {
    noccl_flit_pkg::wide_data_t data;
    dca_tag_t                   tag;
  } dca_result_t;

  // Name of a reduction or a barrier: its root, and what its members agreed on.
  typedef struct packed {
    noccl_flit_pkg::coord_t root;
    noccl_flit_pkg::tag_t   tag;
  } name_t;

  // What all beats of a flow have in common.
  typedef struct packed {
    name_t                         name;
    noccl_flit_pkg::region_coord_t base;
    noccl_flit_pkg::region_coord_t mask;
    noccl_number_pkg::operator_e   op;
    noccl_number_pkg::element_e    element;
  } flow_t;

  function automatic slot_set_t lowest_slot(slot_set_t set);
    return set & (~set + slot_set_t'(1));
  endfunction

  function automatic slot_t slot_index(slot_set_t one_hot);
    slot_t index;
    index = '0;
    for (int unsigned s = 0; s < REDUCTION_FLOWS; s++) begin
      if (one_hot[s]) index |= slot_t'(s);
    end
    return index;
  endfunction

  function automatic noccl_flit_pkg::port_set_t lowest_port(noccl_flit_pkg::port_set_t set);
    return set & (~set + noccl_flit_pkg::port_set_t'(1));
  endfunction

endpackage
