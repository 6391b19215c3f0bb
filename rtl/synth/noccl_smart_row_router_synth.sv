// SPDX-License-Identifier: Apache-2.0
// One router of a row of `noccl_smart_router`, from West to East, with its links by name for `tools/smart_timing.py`. Everything else is left
// free; the router lies in the middle of the mesh, so that its routes are as long as any.
//
// Latency, order, paths: those of `noccl_smart_router`.

module noccl_smart_row_router_synth
  import noccl_smart_pkg::*;
#(
    /// As in `noccl_smart_router`.
    parameter bit HasTable = noccl_smart_cfg_pkg::HAS_TABLE != 0
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// From the West to the East, and what the East tells the West.
    input  requests_t    requests_i,
    output requests_t    requests_o,
    input  crossing_t    crossing_i,
    output crossing_t    crossing_o,
    input  data_t        data_i,
    output data_t        data_o,
    input  distance_t    beyond_i,
    output distance_t    beyond_o,
    input  class_set_t   open_i,
    input  class_set_t   open_after_i,
    output class_set_t   open_o,
    output class_set_t   open_after_o,
    /// The other links.
    input  requests_t    other_requests_i     [3],
    output requests_t    other_requests_o     [3],
    input  crossing_t    other_crossing_i     [3],
    output crossing_t    other_crossing_o     [3],
    input  data_t        other_data_i         [3],
    output data_t        other_data_o         [3],
    input  distance_t    other_beyond_i       [3],
    output distance_t    other_beyond_o       [3],
    input  class_set_t   other_open_i         [3],
    input  class_set_t   other_open_after_i   [3],
    output class_set_t   other_open_o         [3],
    output class_set_t   other_open_after_o   [3],
    /// The interface.
    input  logic         local_take_i,
    input  header_t      local_header_i,
    output class_set_t   local_open_o,
    output channel_set_t local_channel_o,
    input  logic         local_latch_i,
    input  channel_set_t local_latch_channel_i,
    input  flit_count_t  local_latch_index_i,
    input  data_t        local_latch_data_i,
    input  logic         eject_ready_i,
    output logic         eject_valid_o,
    output flit_t        eject_o
);

  localparam coord_t Middle = '{
      x: x_t'(noccl_smart_cfg_pkg::MESH_WIDTH / 2),
      y: y_t'(noccl_smart_cfg_pkg::MESH_HEIGHT / 2)
  };

  requests_t requests_in[NUM_LINKS], requests_out[NUM_LINKS];
  crossing_t crossing_in[NUM_LINKS], crossing_out[NUM_LINKS];
  data_t data_in[NUM_LINKS], data_out[NUM_LINKS];
  distance_t beyond_in[NUM_LINKS], beyond_out[NUM_LINKS];
  class_set_t open_in[NUM_LINKS], open_out[NUM_LINKS];
  class_set_t open_after_in[NUM_LINKS], open_after_out[NUM_LINKS];

  // What comes from the West goes on to the East: flits by input, free channels by output.
  for (genvar p = 0; p < int'(NUM_LINKS); p++) begin : gen_link
    if (p == int'(WEST)) begin : gen_west
      assign requests_in[p] = requests_i;
      assign crossing_in[p] = crossing_i;
      assign data_in[p] = data_i;
      assign beyond_o = beyond_out[p];
      assign open_o = open_out[p];
      assign open_after_o = open_after_out[p];
    end else begin : gen_in
      assign requests_in[p] = other_requests_i[p];
      assign crossing_in[p] = other_crossing_i[p];
      assign data_in[p] = other_data_i[p];
      assign other_beyond_o[p] = beyond_out[p];
      assign other_open_o[p] = open_out[p];
      assign other_open_after_o[p] = open_after_out[p];
    end
    if (p == int'(EAST)) begin : gen_east
      assign requests_o = requests_out[p];
      assign crossing_o = crossing_out[p];
      assign data_o = data_out[p];
      assign beyond_in[p] = beyond_i;
      assign open_in[p] = open_i;
      assign open_after_in[p] = open_after_i;
    end else begin : gen_out
      localparam int unsigned Place = p == int'(WEST) ? EAST : p;
      assign other_requests_o[Place] = requests_out[p];
      assign other_crossing_o[Place] = crossing_out[p];
      assign other_data_o[Place] = data_out[p];
      assign beyond_in[p] = other_beyond_i[Place];
      assign open_in[p] = other_open_i[Place];
      assign open_after_in[p] = other_open_after_i[Place];
    end
  end


  noccl_smart_router #(
      .HasTable(HasTable)
  ) u_router (
      .clk_i,
      .rst_ni,
      .position_i  (Middle),
      .requests_i  (requests_in),
      .requests_o  (requests_out),
      .crossing_i  (crossing_in),
      .crossing_o  (crossing_out),
      .data_i      (data_in),
      .data_o      (data_out),
      .beyond_i    (beyond_in),
      .beyond_o    (beyond_out),
      .open_i      (open_in),
      .open_after_i(open_after_in),
      .open_o      (open_out),
      .open_after_o(open_after_out),
      .local_take_i,
      .local_header_i,
      .local_open_o,
      .local_channel_o,
      .local_latch_i,
      .local_latch_channel_i,
      .local_latch_index_i,
      .local_latch_data_i,
      .eject_ready_i,
      .eject_valid_o,
      .eject_o,
      .seen_o      ()
  );

endmodule
