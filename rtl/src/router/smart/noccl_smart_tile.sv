// SPDX-License-Identifier: Apache-2.0
//
// A router with bypass and its network interface: what a mesh is made of.
//
// Latency and combinational paths: see noccl_smart_router and noccl_smart_ni.
// Mirror: crates/noccl-sim/src/router/smart. Source: S2.

module noccl_smart_tile
  import noccl_smart_pkg::*;
(
    /// Clock.
    input  logic       clk_i,
    /// Asynchronous reset, active low.
    input  logic       rst_ni,
    /// Where the tile lies; constant.
    input  coord_t     position_i,
    /// Links N, E, S, W; zeros where there is no neighbour.
    input  requests_t  requests_i  [  NUM_LINKS],
    output requests_t  requests_o  [  NUM_LINKS],
    input  crossing_t  crossing_i  [  NUM_LINKS],
    output crossing_t  crossing_o  [  NUM_LINKS],
    input  data_t      data_i      [  NUM_LINKS],
    output data_t      data_o      [  NUM_LINKS],
    input  distance_t  beyond_i    [  NUM_LINKS],
    output distance_t  beyond_o    [  NUM_LINKS],
    input  class_set_t open_i      [  NUM_LINKS],
    input  class_set_t open_after_i[  NUM_LINKS],
    output class_set_t open_o      [  NUM_LINKS],
    output class_set_t open_after_o[  NUM_LINKS],
    /// By message class: a flit waits; the flits of a packet one after the other.
    input  class_set_t in_valid_i,
    input  flit_t      in_flit_i   [NUM_CLASSES],
    /// It is taken.
    output class_set_t in_ready_o,
    /// The tile takes what is granted to it in this cycle.
    input  logic       out_ready_i,
    /// A flit for the tile.
    output logic       out_valid_o,
    output flit_t      out_flit_o,
    /// Flits that cross the links behind outputs N, E, S, W, for tests.
    output seen_t      seen_o      [  NUM_LINKS]
);

  class_set_t local_open;
  channel_set_t local_channel, latch_channel;
  logic take, latch, eject_valid;
  header_t header;
  flit_count_t latch_index;
  data_t latch_data;
  flit_t eject;

  noccl_smart_router u_router (
      .clk_i,
      .rst_ni,
      .position_i,
      .requests_i,
      .requests_o,
      .crossing_i,
      .crossing_o,
      .data_i,
      .data_o,
      .beyond_i,
      .beyond_o,
      .open_i,
      .open_after_i,
      .open_o,
      .open_after_o,
      .local_take_i         (take),
      .local_header_i       (header),
      .local_open_o         (local_open),
      .local_channel_o      (local_channel),
      .local_latch_i        (latch),
      .local_latch_channel_i(latch_channel),
      .local_latch_index_i  (latch_index),
      .local_latch_data_i   (latch_data),
      .eject_ready_i        (out_ready_i),
      .eject_valid_o        (eject_valid),
      .eject_o              (eject),
      .seen_o
  );

  noccl_smart_ni u_ni (
      .clk_i,
      .rst_ni,
      .in_valid_i,
      .in_flit_i,
      .in_ready_o,
      .open_i         (local_open),
      .take_o         (take),
      .header_o       (header),
      .channel_i      (local_channel),
      .latch_o        (latch),
      .latch_channel_o(latch_channel),
      .latch_index_o  (latch_index),
      .latch_data_o   (latch_data),
      .eject_valid_i  (eject_valid),
      .eject_i        (eject),
      .out_valid_o,
      .out_flit_o
  );

endmodule
