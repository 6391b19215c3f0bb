// SPDX-License-Identifier: Apache-2.0
// Presets along a row of routers with bypass: what a router latches or lets pass, a cycle after its path has been set up, is the flit of that path.
//
// Every router may send a flit of any packet eastwards, from any input, and data are anything. Global allocation, arrivals and crossbars are those of the
// hardware; which channels are free, and what inputs and reduction tables know, is anything.

`include "noccl_assert.svh"

module noccl_smart_preset_props
  import noccl_smart_pkg::*;
#(
    /// Requests from farther away win, but in cycles with the order of `local`.
    parameter bit IsBypassFirst = 1'b0,
    localparam int unsigned NumRouters = noccl_smart_cfg_pkg::MESH_WIDTH,
    localparam int unsigned NumLooks = IsBypassFirst ? HPC_MAX : 1
) (
    /// Clock.
    input logic                          clk_i,
    /// The order of `local`.
    input logic                          is_local_i,
    /// By router: a flit asks, its packet and number, its input.
    input logic         [NumRouters-1:0] asks_i,
    input header_t                       header_i       [NumRouters],
    input flit_count_t                   index_i        [NumRouters],
    input logic         [           2:0] port_i         [NumRouters],
    /// In the order of `bypass`: how far the flit before has gone.
    input hops_t                         follow_i       [NumRouters],
    /// In the order of `bypass`: its crossbar input is not taken by a request of another line.
    input logic         [NumRouters-1:0] has_input_i,
    /// What routers know.
    input logic         [NumRouters-1:0] input_is_used_i,
    input class_set_t                    open_i         [NumRouters],
    input logic         [  NumLooks-1:0] later_ends_i   [NumRouters],
    input logic         [  NumLooks-1:0] is_last_i      [NumRouters],
    input channel_set_t                  take_channel_i [NumRouters],
    /// What crosses from each input in this cycle.
    input data_t                         data_i         [NumRouters][NUM_PORTS]
);

  typedef logic [NumRouters-1:0] routers_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // Between routers: element r goes into router r.
  requests_t requests[NumRouters+1];
  crossing_t crossing[NumRouters+1];
  data_t link[NumRouters+1];
  request_t own[NumRouters], coming[NumRouters];
  latch_t latching [NumRouters];
  logic   is_local;
  routers_t granted, is_won, passes;

  assign is_local = !IsBypassFirst || is_local_i;
  assign requests[0] = '0;
  assign crossing[0] = '0;
  assign link[0] = '0;

  for (genvar r = 0; r < int'(NumRouters); r++) begin : gen_router
    localparam coord_t Position = '{x: x_t'(r), y: '0};
    logic later_ends[NumLooks], last[NumLooks], chosen[NumLooks], goes_further;
    channel_set_t later_channel[NumLooks];
    choice_t asked[NUM_PORTS];
    data_t data_in[NUM_LINKS], data_out[NUM_LINKS], mask[NUM_LINKS], other[NUM_LINKS];
    header_t none[NUM_PORTS];
    logic [NUM_LINKS-1:0] passing;

    always_comb begin : p_own
      own[r] = '0;
      if (asks_i[r] && outputs_at(Position, header_i[r]) [EAST]) begin
        own[r].valid = 1'b1;
        own[r].header = header_i[r];
        own[r].header.tag = tag_t'(r);
        own[r].index = index_i[r];
        own[r].limit = least(hops_along(EAST, Position, header_i[r]), most_hops(header_i[r]));
        if (IsBypassFirst && index_i[r] != '0) own[r].limit = least(own[r].limit, follow_i[r]);
      end
    end
    // As in noccl_smart_router.
    assign granted[r] = own[r].valid && !is_won[r] && (is_local || has_input_i[r]);
    for (genvar n = 0; n < int'(NumLooks); n++) begin : gen_look
      assign later_ends[n] = later_ends_i[r][n];
      assign last[n] = is_last_i[r][n];
      assign later_channel[n] = '0;
    end
    always_comb begin : p_asked
      for (int unsigned p = 0; p < NUM_PORTS; p++) begin
        asked[p] = '0;
        none[p] = '0;
        asked[p].outputs[EAST] = granted[r] && 32'(port_i[r]) == p;
      end
      for (int unsigned l = 0; l < NUM_LINKS; l++) begin
        data_in[l] = l == WEST ? link[r] : '0;
        mask[l] = '1;
        other[l] = '0;
      end
      passing = '0;
      passing[EAST] = passes[r];
    end
    assign link[r+1] = data_out[EAST];

    noccl_smart_line #(
        .IsBypassFirst(IsBypassFirst)
    ) u_line (
        .clk_i,
        .rst_ni,
        .is_local_i      (is_local),
        .requests_i      (requests[r]),
        .requests_o      (requests[r+1]),
        .crossing_i      (crossing[r]),
        .crossing_o      (crossing[r+1]),
        .own_i           (own[r]),
        .own_is_granted_i(granted[r]),
        .input_is_used_i (input_is_used_i[r]),
        .open_i          (open_i[r]),
        .look_o          (),
        .later_ends_i    (later_ends),
        .is_last_i       (last),
        .is_won_o        (is_won[r]),
        .coming_o        (coming[r]),
        .coming_look_o   (chosen),
        .passes_o        (passes[r]),
        .goes_further_o  (goes_further),
        .seen_o          ()
    );

    noccl_smart_arrival #(
        .Out     (EAST),
        .NumLooks(NumLooks)
    ) u_arrival (
        .clk_i,
        .rst_ni,
        .position_i     (Position),
        .coming_i       (coming[r]),
        .coming_look_i  (chosen),
        .passes_i       (passes[r]),
        .goes_further_i (goes_further),
        .later_channel_i(later_channel),
        .later_ends_i   (later_ends),
        .take_o         (),
        .take_outputs_o (),
        .take_channel_i (take_channel_i[r]),
        .later_channel_o(),
        .goes_alone_o   (),
        .follow_o       (),
        .is_counted_o   (),
        .latching_o     (latching[r])
    );

    noccl_smart_crossbar u_crossbar (
        .clk_i,
        .rst_ni,
        .asked_i      (asked),
        .passes_i     (passing),
        .read_o       (),
        .header_i     (none),
        .read_data_i  (data_i[r]),
        .data_i       (data_in),
        .mask_i       (mask),
        .other_i      (other),
        .data_o       (data_out),
        .eject_valid_o(),
        .eject_o      ()
    );
  end

  // ---------------------------------------------------------------------------------------------------- flights

  // By router at which a flight begins: routers to which it comes, and the one that it does not pass.
  routers_t comes[NumRouters], ends[NumRouters], came_q[NumRouters], ended_q[NumRouters];
  flit_count_t index_q[NumRouters];
  logic [2:0] port_q[NumRouters];
  routers_t is_stray;
  always_comb begin
    for (int unsigned s = 0; s < NumRouters; s++) begin
      logic flies;
      flies = granted[s];
      comes[s] = '0;
      ends[s] = '0;
      is_stray[s] = 1'b0;
      for (int unsigned r = s + 1; r < NumRouters; r++) begin
        comes[s][r] = flies;
        ends[s][r]  = flies && !passes[r];
        is_stray[s] |= flies && own[s].header.kind != MULTICAST && 32'(own[s].header.root.x) < r;
        flies &= passes[r];
      end
      is_stray[s] |= flies;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned s = 0; s < NumRouters; s++) begin
      came_q[s]  <= rst_ni ? comes[s] : '0;
      ended_q[s] <= rst_ni ? ends[s] : '0;
      index_q[s] <= index_i[s];
      port_q[s]  <= port_i[s];
    end
  end

  // A cycle later.
  routers_t is_wrong_flit, is_unlatched, is_latched_for_nothing;
  always_comb begin
    for (int unsigned r = 0; r < NumRouters; r++) begin
      logic came;
      came = 1'b0;
      is_wrong_flit[r] = 1'b0;
      is_unlatched[r] = 1'b0;
      for (int unsigned s = 0; s < NumRouters; s++) begin
        came |= came_q[s][r];
        for (int unsigned p = 0; p < NUM_PORTS; p++) begin
          is_wrong_flit[r] |= came_q[s][r] && 32'(port_q[s]) == p && link[r] != data_i[s][p];
        end
        is_wrong_flit[r] |= came_q[s][r] && latching[r].valid && latching[r].index != index_q[s];
        is_unlatched[r] |= ended_q[s][r] && !latching[r].valid;
      end
      is_latched_for_nothing[r] = latching[r].valid && !came;
    end
  end

  // Packets of the row, as interfaces send them.
  routers_t is_legal;
  always_comb begin
    for (int unsigned r = 0; r < NumRouters; r++) begin
      coord_t both, last;
      both = header_i[r].base & header_i[r].mask;
      last = header_i[r].base | header_i[r].mask;
      is_legal[r] = 32'(port_i[r]) < NUM_PORTS && follow_i[r] != '0 &&
          index_i[r] < header_i[r].flits &&
          header_i[r].kind <= MULTICAST && both == '0 && last.y == '0 &&
          32'(last.x) < NumRouters && 32'(header_i[r].root.x) < NumRouters &&
          header_i[r].root.y == '0;
    end
  end

  `NOCCL_ASSUME(SendsLegalPackets, is_legal == '1)
  `NOCCL_ASSERT(PresetsServeTheirFlit, is_wrong_flit == '0)
  `NOCCL_ASSERT(WhatDoesNotPassIsLatched, is_unlatched == '0)
  `NOCCL_ASSERT(OnlyWhatComesIsLatched, is_latched_for_nothing == '0)
  `NOCCL_ASSERT(FlightsEndOnTheirRoute, is_stray == '0)

endmodule
