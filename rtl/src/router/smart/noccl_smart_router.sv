// SPDX-License-Identifier: Apache-2.0
//
// A router that flits pass without being latched, up to `HPC_MAX` of them in a cycle, with
// multicasts and counted reductions.
//
// Cycle t: local allocation chooses a channel for each input and an input for each output. Cycle t
// + SetupCycles - 1: requests of all granted flits are seen along their lines, global allocation
// decides how far each goes, and channels are taken where it is latched or leaves a copy. Cycle t +
// SetupCycles: the flit crosses up to `HPC_MAX` routers and is latched.
//
// With two cycles of setup and priority `local` the choice does not wait for what global allocation
// decides in the same cycle: a grant to an output whose last channel has just been taken is
// dropped.
//
// Combinational paths: requests, crossings and data of a line to those of the next router; free
// channels of the next router to the requests.
// Mirror: crates/noccl-sim/src/router/smart. Source: S2, sections II to IV.

`include "noccl_assert.svh"

module noccl_smart_router
  import noccl_smart_pkg::*;
#(
    /// Cycles in which a path is set up: 1 or 2.
    parameter int unsigned SetupCycles = noccl_smart_cfg_pkg::SETUP_CYCLES,
    /// Requests from farther away win, but in every 16th cycle.
    parameter bit IsBypassFirst = noccl_smart_cfg_pkg::IS_BYPASS_FIRST != 0,
    /// Contributions to reductions are counted.
    parameter bit HasTable = noccl_smart_cfg_pkg::HAS_TABLE != 0
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Where the router lies; constant.
    input  coord_t       position_i,
    /// Links N, E, S, W. Requests on the line of each input and behind each output.
    input  requests_t    requests_i           [NUM_LINKS],
    output requests_t    requests_o           [NUM_LINKS],
    /// Flits that cross in the next cycle.
    input  crossing_t    crossing_i           [NUM_LINKS],
    output crossing_t    crossing_o           [NUM_LINKS],
    /// Flits that cross in this cycle.
    input  data_t        data_i               [NUM_LINKS],
    output data_t        data_o               [NUM_LINKS],
    /// How far the flit behind each output goes on in this cycle, a bit for each hop, told backwards; of flits that come in the same. With
    /// priority `bypass` only.
    input  distance_t    beyond_i             [NUM_LINKS],
    output distance_t    beyond_o             [NUM_LINKS],
    /// Classes with a free channel at the input of the neighbour behind each output, at the
    /// beginning of the cycle and after what it takes; the same of this router's inputs.
    input  class_set_t   open_i               [NUM_LINKS],
    input  class_set_t   open_after_i         [NUM_LINKS],
    output class_set_t   open_o               [NUM_LINKS],
    output class_set_t   open_after_o         [NUM_LINKS],
    /// The interface's packet takes a channel of the Local input: a flit is latched in each cycle from
    /// this one on.
    input  logic         local_take_i,
    /// Header of the packet whose flit is latched.
    input  header_t      local_header_i,
    output class_set_t   local_open_o,
    output channel_set_t local_channel_o,
    /// A flit is latched at the Local input.
    input  logic         local_latch_i,
    input  channel_set_t local_latch_channel_i,
    input  flit_count_t  local_latch_index_i,
    input  data_t        local_latch_data_i,
    /// The interface takes what is granted to it in this cycle, SetupCycles later.
    input  logic         eject_ready_i,
    /// A flit goes to the interface.
    output logic         eject_valid_o,
    output flit_t        eject_o,
    /// Flits on the links, for tests.
    output seen_t        seen_o               [NUM_LINKS]
);

  // What has been chosen is granted by global allocation.
  localparam bit IsLateChoice = IsBypassFirst && SetupCycles == 2;
  // What has been chosen is granted at once, and its path is found in the next cycle.
  localparam bit IsEarlyGrant = !IsBypassFirst && SetupCycles == 2;
  localparam int unsigned GrantedCycles = IsEarlyGrant ? 2 : 1;
  localparam int unsigned NumLooks = IsBypassFirst ? HPC_MAX : 1;
  logic is_local;
  noccl_smart_order #(
      .IsBypassFirst(IsBypassFirst)
  ) u_order (
      .clk_i,
      .rst_ni,
      .is_local_o(is_local)
  );

  // ------------------------------------------------------------------------------ local allocation

  choice_t choice[NUM_PORTS], chosen[NUM_PORTS], ask[NUM_PORTS], asked[NUM_PORTS];
  choice_t grant[NUM_PORTS];
  port_set_t owned[NUM_PORTS], granted[NUM_PORTS], able, open[NUM_CLASSES];
  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_granted
    assign granted[p] = grant[p].outputs;
  end

  noccl_smart_local_allocation #(
      .IsEarlyGrant(IsEarlyGrant),
      .IsLateChoice(IsLateChoice)
  ) u_local_allocation (
      .clk_i,
      .rst_ni,
      .open_i,
      .open_after_i,
      .eject_ready_i,
      .able_o   (able),
      .open_o   (open),
      .choice_i (choice),
      .owned_i  (owned),
      .chosen_o (chosen),
      .ask_o    (ask),
      .granted_i(granted)
  );

  // ----------------------------------------------------------------------------- global allocation

  header_t ask_header[NUM_PORTS];
  hops_t ask_follow[NUM_PORTS][NUM_LINKS], went[NUM_LINKS], extend_hops[NUM_LINKS];
  logic [NUM_LINKS-1:0] is_won, own_is_granted, passes;
  request_t look[NUM_LINKS][NumLooks], coming[NUM_LINKS];
  channel_set_t later_channel[NUM_LINKS][NumLooks];
  logic later_ends[NUM_LINKS][NumLooks], is_last[NUM_LINKS][NumLooks];

  // Whose requests are made up in this cycle.
  choice_t asking[NUM_PORTS];
  assign asking = IsEarlyGrant ? chosen : ask;

  // What each input may send of what it asks for: a flit that passes takes its crossbar input, or
  // the output.
  always_comb begin : p_asked
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      asked[p] = ask[p];
      for (int unsigned o = 0; o < NUM_LINKS; o++) begin
        if (is_won[o]) asked[p].outputs[o] = 1'b0;
      end
      if (p != LOCAL && is_won[opposite(p)]) asked[p].outputs = '0;
    end
  end
  // With an early grant it has been granted a cycle before.
  assign grant = IsEarlyGrant ? chosen : asked;

  // By line: what comes in takes a channel, or is latched in that of its packet.
  logic [NUM_LINKS-1:0] takes, goes_alone, counts;
  port_set_t take_outputs[NUM_LINKS];
  channel_set_t take_channel[NUM_PORTS], coming_channel[NUM_LINKS];
  latch_t latching[NUM_LINKS];

  for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_link
    localparam int unsigned In = opposite(o);
    always_comb begin : p_granted
      own_is_granted[o] = 1'b0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) own_is_granted[o] |= asked[p].outputs[o];
    end

    noccl_smart_link #(
        .Out          (o),
        .IsBypassFirst(IsBypassFirst),
        .IsEarlyGrant (IsEarlyGrant),
        .HasTable     (HasTable)
    ) u_link (
        .clk_i,
        .rst_ni,
        .position_i,
        .is_local_i      (is_local),
        .asking_i        (asking),
        .header_i        (ask_header),
        .follow_i        (ask_follow),
        .own_is_granted_i(own_is_granted[o]),
        .input_is_used_i (ask[In].outputs != '0),
        .requests_i      (requests_i[In]),
        .requests_o      (requests_o[o]),
        .crossing_i      (crossing_i[In]),
        .crossing_o      (crossing_o[o]),
        .open_i          (open_i[o]),
        .look_o          (look[o]),
        .later_channel_i (later_channel[o]),
        .later_ends_i    (later_ends[o]),
        .is_last_i       (is_last[o]),
        .is_won_o        (is_won[o]),
        .coming_o        (coming[o]),
        .passes_o        (passes[o]),
        .take_o          (takes[o]),
        .take_outputs_o  (take_outputs[o]),
        .take_channel_i  (take_channel[In]),
        .later_channel_o (coming_channel[o]),
        .goes_alone_o    (goes_alone[o]),
        .extend_hops_o   (extend_hops[o]),
        .is_counted_o    (counts[o]),
        .latching_o      (latching[o]),
        .seen_o          (seen_o[o])
    );
  end

  // ------------------------------------------------------------------------------ inputs and table

  latch_t latch[NUM_PORTS];
  data_t latch_data[NUM_PORTS];
  logic [NUM_PORTS-1:0] is_dropped, is_combined;
  data_t latched_data[NUM_PORTS], combined_data[NUM_PORTS], read_data[NUM_PORTS];
  header_t latched_header[NUM_PORTS], read_header[NUM_PORTS];
  choice_t read[NUM_PORTS];
  data_t pass_mask[NUM_LINKS], pass_other[NUM_LINKS];

  assign latch[LOCAL] = '{
          valid: local_latch_i,
          channel: local_latch_channel_i,
          index: local_latch_index_i,
          is_counted: HasTable && local_header_i.kind == CONTRIBUTION && local_header_i.is_counted,
          id: local_header_i.id,
          inputs: num_inputs(position_i, local_header_i)
      };
  assign latch_data[LOCAL] = local_latch_data_i;
  assign local_channel_o = take_channel[LOCAL];

  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_input
    localparam int unsigned Line = opposite(p);
    localparam bit IsLocal = p == int'(LOCAL);
    request_t later[NumLooks];
    channel_set_t channels[NumLooks], extended;
    logic ends[NumLooks];
    class_set_t free, free_after;
    logic take_valid, extend_valid;
    header_t take_header;
    port_set_t outputs;
    flit_count_t extend_index;
    hops_t hops;
    if (IsLocal) begin : gen_local_port
      for (genvar n = 0; n < int'(NumLooks); n++) begin : gen_no_look
        assign later[n] = '0;
      end
      assign take_valid = local_take_i;
      assign take_header = local_header_i;
      assign outputs = outputs_at(position_i, local_header_i);
      assign extend_valid = 1'b0;
      assign extended = '0;
      assign extend_index = '0;
      assign hops = '0;
      assign local_open_o = free;
    end else begin : gen_mesh_port
      assign later = look[Line];
      assign later_channel[Line] = channels;
      assign later_ends[Line] = ends;
      assign take_valid = takes[Line];
      assign take_header = coming[Line].header;
      assign outputs = take_outputs[Line];
      assign extend_valid = goes_alone[Line];
      assign extended = coming_channel[Line];
      assign extend_index = coming[Line].index;
      assign hops = extend_hops[Line];
      assign open_o[p] = free;
      assign open_after_o[p] = free_after;
      assign latch[p] = latching[Line];
      assign latch_data[p] = data_i[p];
    end

    noccl_smart_input #(
        .GrantedCycles(GrantedCycles),
        .IsLateChoice (IsLateChoice),
        .NumLooks     (NumLooks),
        .HasFollow    (IsBypassFirst)
    ) u_input (
        .clk_i,
        .rst_ni,
        .straight_i        (IsLocal ? '0 : port_set_t'(1) << Line),
        .able_i            (able),
        .open_i            (open),
        .choice_o          (choice[p]),
        .choice_owned_o    (owned[p]),
        .grant_i           (grant[p]),
        .ask_channel_i     (asking[p].channel),
        .ask_header_o      (ask_header[p]),
        .ask_follow_o      (ask_follow[p]),
        .sent_i            (read[p]),
        .went_i            (went),
        .take_valid_i      (take_valid),
        .take_header_i     (take_header),
        .take_outputs_i    (outputs),
        .take_channel_o    (take_channel[p]),
        .later_i           (later),
        .later_channel_o   (channels),
        .later_ends_o      (ends),
        .extend_valid_i    (extend_valid),
        .extend_channel_i  (extended),
        .extend_index_i    (extend_index),
        .extend_hops_i     (hops),
        .free_o            (free),
        .free_after_o      (free_after),
        .latch_i           (latch[p]),
        .latch_data_i      (latch_data[p]),
        .latch_is_dropped_i(is_dropped[p]),
        .latched_data_o    (latched_data[p]),
        .latched_header_o  (latched_header[p]),
        .combined_valid_i  (is_combined[p]),
        .combined_data_i   (combined_data[p]),
        .read_channel_i    (read[p].channel),
        .read_index_i      (read[p].index),
        .read_header_o     (read_header[p]),
        .read_data_o       (read_data[p])
    );
  end

  noccl_smart_counting #(
      .HasTable(HasTable),
      .NumLooks(NumLooks)
  ) u_counting (
      .clk_i,
      .rst_ni,
      .position_i,
      .look_i          (look),
      .is_last_o       (is_last),
      .passes_i        (passes & counts),
      .passing_i       (coming),
      .latch_i         (latch),
      .is_dropped_o    (is_dropped),
      .latched_header_i(latched_header),
      .latched_data_i  (latched_data),
      .combined_valid_o(is_combined),
      .combined_data_o (combined_data),
      .data_i          (data_i),
      .mask_o          (pass_mask),
      .other_o         (pass_other)
  );

  // -------------------------------------------------------------------------------------- crossbar

  for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_beyond
    if (IsBypassFirst) begin : gen_told
      noccl_smart_beyond u_beyond (
          .clk_i,
          .rst_ni,
          .passes_i(passes[o]),
          .beyond_i(beyond_i[o]),
          .beyond_o(beyond_o[opposite(o)]),
          .went_o  (went[o])
      );
    end else begin : gen_none
      assign beyond_o[opposite(o)] = '0;
      assign went[o] = '0;
    end
  end

  noccl_smart_crossbar u_crossbar (
      .clk_i,
      .rst_ni,
      .asked_i    (asked),
      .passes_i   (passes),
      .read_o     (read),
      .header_i   (read_header),
      .read_data_i(read_data),
      .data_i,
      .mask_i     (pass_mask),
      .other_i    (pass_other),
      .data_o,
      .eject_valid_o,
      .eject_o
  );

  `NOCCL_ASSERT_INIT(OneOrTwoSetupCycles, SetupCycles == 1 || SetupCycles == 2)

endmodule
