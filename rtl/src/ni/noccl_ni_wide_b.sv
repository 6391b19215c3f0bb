// SPDX-License-Identifier: Apache-2.0
//
// Which wide transactions of a tile are open, and B for those that are over.
//
// One transaction per channel and id. Its name is channel and id; reductions travel under the tag
// that their members agreed on, so a table leads from (root, tag) back to the name. Responses of a
// multicast are collected until all members have responded: merging in the network saves flits and
// decides nothing here.
// Combinational paths: from the router's and the own memory's response to B. Throughput: one
// response per cycle.
// Mirror: `finish` and `deliver_group_response` in crates/noccl-sim/src/ni/axi.

`include "noccl_assert.svh"

module noccl_ni_wide_b
  import noccl_cfg_pkg::WIDE_CHANNELS;
(
    /// Clock.
    input  logic                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                         rst_ni,
    /// Name and facts of each channel's burst.
    input  noccl_ni_pkg::wide_tag_t                      name_i         [WIDE_CHANNELS],
    input  noccl_ni_pkg::burst_t                         burst_i        [WIDE_CHANNELS],
    /// Its id is free and, for a reduction, fewer than the limit are open and none by its name.
    output logic                     [WIDE_CHANNELS-1:0] may_start_o,
    /// A transaction of that name has no response yet.
    output logic                     [WIDE_CHANNELS-1:0] is_open_o,
    /// The first beat of the channel's burst leaves; of one channel at most.
    input  logic                     [WIDE_CHANNELS-1:0] opens_i,
    /// Name and facts of the burst that may leave.
    input  noccl_ni_pkg::wide_tag_t                      sent_name_i,
    input  noccl_ni_pkg::burst_t                         sent_i,
    /// B of the subordinate port.
    output logic                                         b_valid_o      [WIDE_CHANNELS],
    input  logic                                         b_ready_i      [WIDE_CHANNELS],
    output noccl_axi_pkg::wide_b_t                       b_o            [WIDE_CHANNELS],
    /// Responses to bursts that channels have refused.
    input  logic                     [WIDE_CHANNELS-1:0] refused_valid_i,
    output logic                     [WIDE_CHANNELS-1:0] refused_ready_o,
    input  noccl_axi_pkg::wide_b_t                       refused_i      [WIDE_CHANNELS],
    /// The own memory has responded for the last beat of an own copy.
    input  logic                                         own_b_valid_i,
    output logic                                         own_b_ready_o,
    input  noccl_flit_pkg::tag_t                         own_b_tag_i,
    input  noccl_flit_pkg::resp_e                        own_b_resp_i,
    /// Response from the router: B, COLLECT_B or GROUP_B.
    input  logic                                         rsp_valid_i,
    output logic                                         rsp_ready_o,
    input  noccl_flit_pkg::rsp_hdr_t                     rsp_i
);

  import noccl_axi_pkg::OPCODE_JOIN;
  import noccl_ni_pkg::NUM_WIDE_TAGS;
  import noccl_ni_pkg::wide_tag_t;

  localparam int unsigned MaxOpen = noccl_cfg_pkg::MAX_OPEN_REDUCTIONS;
  localparam int unsigned ChannelBits = noccl_ni_pkg::CHANNEL_BITS;
  localparam int unsigned IdBits = noccl_cfg_pkg::WIDE_ID_BITS;

  logic [NUM_WIDE_TAGS-1:0] busy_q, busy_d;
  logic is_full;

  if (NUM_WIDE_TAGS > noccl_cfg_pkg::MAX_WIDE_OUTSTANDING) begin : gen_limit
    assign is_full = unsigned'($countones(busy_q)) >= noccl_cfg_pkg::MAX_WIDE_OUTSTANDING;
  end else begin : gen_names_are_the_limit
    assign is_full = 1'b0;
  end

  // ---------------------------------------------------------------------------------- open reductions

  logic [MaxOpen-1:0] joins_valid_q, joins_valid_d, joins_hit, join_slot;
  noccl_flit_pkg::coord_t joins_root_q[MaxOpen];
  noccl_flit_pkg::tag_t joins_tag_q[MaxOpen];
  wide_tag_t joins_name_q[MaxOpen];
  wide_tag_t joins_name;
  logic [WIDE_CHANNELS-1:0] is_join;

  assign join_slot = ~joins_valid_q & (joins_valid_q + 1'b1);

  always_comb begin
    joins_hit  = '0;
    joins_name = '0;
    for (int unsigned j = 0; j < MaxOpen; j++) begin
      joins_hit[j] = joins_valid_q[j] && joins_root_q[j] == rsp_i.src
          && joins_tag_q[j] == rsp_i.tag;
      if (joins_hit[j]) joins_name = joins_name_q[j];
    end
  end

  always_comb begin
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      is_open_o[c] = busy_q[name_i[c]];
      is_join[c] = burst_i[c].opcode == OPCODE_JOIN;
      // A refused burst of the same id gets its response first.
      may_start_o[c] = !is_full && !is_open_o[c] &&
          !(refused_valid_i[c] && refused_i[c].id == burst_i[c].id);
      if (is_join[c]) begin
        if (&joins_valid_q) may_start_o[c] = 1'b0;
        for (int unsigned j = 0; j < MaxOpen; j++) begin
          if (joins_valid_q[j] && joins_root_q[j] == burst_i[c].dst
              && joins_tag_q[j] == burst_i[c].tag)
            may_start_o[c] = 1'b0;
        end
      end
    end
  end

  // ----------------------------------------------------------------------------------------- responses

  // The network's response goes first; the own memory's waits, and stands here where the network
  // has none.
  logic
      response_valid, response_is_own, response_taken, is_group, is_collected, is_whole, completes;
  logic all_collected;
  wide_tag_t response_name, collected_name;
  noccl_ni_pkg::others_t response_others;
  noccl_flit_pkg::resp_e response_code, collected_resp, total_resp;
  logic [ChannelBits-1:0] response_channel, own_channel;
  logic [WIDE_CHANNELS-1:0] is_ready;

  assign response_valid = rsp_valid_i || own_b_valid_i;
  // What B shows stays until it is taken.
  logic own_held_q, own_held_d;
  logic [WIDE_CHANNELS-1:0] refused_held_q, refused_held_d, shows_response;

  assign response_is_own = !rsp_valid_i || own_held_q;
  assign own_held_d = response_valid && response_is_own && is_whole && !response_taken;
  assign is_group = !response_is_own && rsp_i.kind == noccl_flit_pkg::RSP_GROUP_B;
  assign is_collected = response_is_own ? own_b_valid_i
      : rsp_i.kind == noccl_flit_pkg::RSP_COLLECT_B;

  always_comb begin
    response_code   = response_is_own ? own_b_resp_i : rsp_i.resp;
    response_others = response_is_own ? '0 : noccl_ni_pkg::others_t'(rsp_i.count - 1'b1);
    // The table of missing responses does not wait for that of reductions.
    collected_name  = wide_tag_t'(response_is_own ? own_b_tag_i : rsp_i.tag);
    response_name   = is_group ? joins_name : collected_name;
  end

  noccl_axi_pkg::wide_id_t burst_id[WIDE_CHANNELS];
  noccl_flit_pkg::region_coord_t burst_mask[WIDE_CHANNELS];
  for (genvar c = 0; c < WIDE_CHANNELS; c++) begin : gen_burst
    assign burst_id[c]   = burst_i[c].id;
    assign burst_mask[c] = burst_i[c].mask;
  end

  noccl_ni_collected #(
      .Channels(WIDE_CHANNELS),
      .IdBits  (IdBits)
  ) u_collected (
      .clk_i,
      .rst_ni,
      .is_free_i(~is_open_o),
      .next_id_i(burst_id),
      .next_mask_i(burst_mask),
      .name_i(collected_name),
      .others_i(response_others),
      .resp_i(response_code),
      .valid_i(response_valid && is_collected),
      .is_whole_o(all_collected),
      .resp_o(collected_resp)
  );

  assign is_whole = !is_collected || all_collected;
  assign total_resp = is_collected ? collected_resp : response_code;
  assign response_channel = ChannelBits'(response_name >> IdBits);
  assign own_channel = ChannelBits'(own_b_tag_i >> IdBits);
  assign response_taken = completes || (response_valid && !is_whole);
  assign completes = response_valid && is_whole && is_ready[response_channel];
  assign rsp_ready_o = response_taken && !response_is_own;
  assign own_b_ready_o = response_is_own && (!all_collected || is_ready[own_channel]);

  // A refused burst's response waits for the network's.
  always_comb begin
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      is_ready[c] = b_ready_i[c] && !refused_held_q[c];
      shows_response[c] = response_valid && is_whole && response_channel == ChannelBits'(c)
          && !refused_held_q[c];
      b_valid_o[c] = shows_response[c] || refused_valid_i[c];
      b_o[c] = refused_i[c];
      if (shows_response[c]) b_o[c] = '{id: response_name[IdBits-1:0], resp: total_resp};
      refused_ready_o[c] = b_ready_i[c] && !shows_response[c];
      refused_held_d[c]  = refused_valid_i[c] && !shows_response[c] && !b_ready_i[c];
    end
  end

  // ------------------------------------------------------------------------------------------- registers

  always_comb begin
    busy_d = busy_q;
    if (completes) busy_d[response_name] = 1'b0;
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      if (opens_i[c]) busy_d[name_i[c]] = 1'b1;
    end
    joins_valid_d = joins_valid_q;
    if (rsp_valid_i && is_group && is_ready[response_channel]) joins_valid_d &= ~joins_hit;
    if (|(opens_i & is_join)) joins_valid_d |= join_slot;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      own_held_q <= 1'b0;
      refused_held_q <= '0;
      joins_valid_q <= '0;
    end else begin
      busy_q <= busy_d;
      own_held_q <= own_held_d;
      refused_held_q <= refused_held_d;
      joins_valid_q <= joins_valid_d;
    end
  end

  // Read only where valid, so without reset. The free one that is next takes what may leave, until it does and is a reduction.
  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < MaxOpen; j++) begin
      if (join_slot[j]) begin
        joins_root_q[j] <= sent_i.dst;
        joins_tag_q[j]  <= sent_i.tag;
        joins_name_q[j] <= sent_name_i;
      end
    end
  end

  `NOCCL_ASSERT_INIT(ChannelsFillTheirBits, WIDE_CHANNELS == 1 << ChannelBits)
  `NOCCL_ASSERT_INIT(TagsHoldTheirNames, noccl_cfg_pkg::TAG_BITS >= noccl_ni_pkg::WIDE_TAG_BITS)
  `NOCCL_ASSUME(ResponsesAreExpected, !rsp_valid_i || busy_q[response_name])
  `NOCCL_ASSUME(GroupResponsesNameAnOpenReduction, !(rsp_valid_i && is_group) || $onehot(joins_hit))
  `NOCCL_ASSERT(OpenNamesAreFree, (opens_i & is_open_o) == '0)
  `NOCCL_ASSUME(OneOpensAtATime, $onehot0(opens_i))
  for (genvar c = 0; c < WIDE_CHANNELS; c++) begin : gen_opens
    `NOCCL_ASSUME(WhatOpensIsWhatLeaves, !opens_i[c] || sent_name_i == name_i[c])
  end

endmodule
