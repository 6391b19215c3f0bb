// SPDX-License-Identifier: Apache-2.0
//
// Which wide transactions of a tile are open, and B for those that are over.
//
// One transaction per channel and id. Its name is channel and id; reductions travel under the tag that their members agreed
// on, so a table leads from (root, tag) back to the name. Answers of a multicast are collected until all members have
// answered: merging in the network saves flits and decides nothing here.
// Combinational paths: from the router's and the own memory's answer to B. Throughput: one answer per cycle.
// Mirror: `finish` and `deliver_group_response` in crates/noccl-sim/src/deliver.rs.

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
    /// A transaction of that name has not been answered.
    output logic                     [WIDE_CHANNELS-1:0] is_open_o,
    /// The first beat of a burst leaves.
    input  logic                                         opens_i,
    input  noccl_ni_pkg::wide_tag_t                      opened_name_i,
    input  noccl_ni_pkg::burst_t                         opened_i,
    /// B of the subordinate port.
    output logic                                         b_valid_o      [WIDE_CHANNELS],
    input  logic                                         b_ready_i      [WIDE_CHANNELS],
    output noccl_axi_pkg::wide_b_t                       b_o            [WIDE_CHANNELS],
    /// Answers to bursts that channels have refused.
    input  logic                     [WIDE_CHANNELS-1:0] refused_valid_i,
    output logic                     [WIDE_CHANNELS-1:0] refused_ready_o,
    input  noccl_axi_pkg::wide_b_t                       refused_i      [WIDE_CHANNELS],
    /// The own memory has answered for the last beat of an own copy.
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

  // ---------------------------------------------------------------------------------- open reductions

  logic [MaxOpen-1:0] joins_valid_q, joins_valid_d, joins_hit, join_slot;
  noccl_flit_pkg::coord_t joins_root_q[MaxOpen];
  noccl_flit_pkg::tag_t joins_tag_q[MaxOpen];
  wide_tag_t joins_name_q[MaxOpen];
  wide_tag_t joins_name;
  logic opens_join;

  assign opens_join = opens_i && opened_i.opcode == OPCODE_JOIN;
  assign join_slot  = ~joins_valid_q & (joins_valid_q + 1'b1);

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
      is_open_o[c]   = busy_q[name_i[c]];
      // A refused burst of the same id is answered first.
      may_start_o[c] = !is_open_o[c] && !(refused_valid_i[c] && refused_i[c].id == burst_i[c].id);
      if (burst_i[c].opcode == OPCODE_JOIN) begin
        if (&joins_valid_q) may_start_o[c] = 1'b0;
        for (int unsigned j = 0; j < MaxOpen; j++) begin
          if (joins_valid_q[j] && joins_root_q[j] == burst_i[c].dst
              && joins_tag_q[j] == burst_i[c].tag)
            may_start_o[c] = 1'b0;
        end
      end
    end
  end

  // ------------------------------------------------------------------------------------------- answers

  // The network's answer goes first; the own memory's waits.
  logic answer_valid, answer_is_own, answer_taken, is_group, is_collected, is_whole, completes;
  logic all_collected;
  wide_tag_t answer_name;
  noccl_flit_pkg::count_t answer_leaves;
  noccl_flit_pkg::resp_e answer_resp, collected_resp, total_resp;
  logic [ChannelBits-1:0] answer_channel;

  assign answer_valid = rsp_valid_i || own_b_valid_i;
  // What B shows stays until it is taken.
  logic own_held_q, own_held_d;
  logic [WIDE_CHANNELS-1:0] refused_held_q, refused_held_d, shows_answer;

  assign answer_is_own = own_b_valid_i && (!rsp_valid_i || own_held_q);
  assign own_held_d = answer_valid && answer_is_own && is_whole && !answer_taken;
  assign is_group = !answer_is_own && rsp_i.kind == noccl_flit_pkg::RSP_GROUP_B;
  assign is_collected = answer_is_own || rsp_i.kind == noccl_flit_pkg::RSP_COLLECT_B;

  always_comb begin
    answer_resp = answer_is_own ? own_b_resp_i : rsp_i.resp;
    if (answer_is_own) answer_name = wide_tag_t'(own_b_tag_i);
    else if (is_group) answer_name = joins_name;
    else answer_name = wide_tag_t'(rsp_i.tag);
    answer_leaves = answer_is_own ? noccl_flit_pkg::count_t'(1) : rsp_i.count;
  end

  noccl_ni_collected #(
      .NameBits(noccl_ni_pkg::WIDE_TAG_BITS)
  ) u_collected (
      .clk_i,
      .rst_ni,
      .opens_i,
      .opened_name_i,
      .opened_mask_i(opened_i.mask),
      .name_i(answer_name),
      .leaves_i(answer_leaves),
      .resp_i(answer_resp),
      .taken_i(answer_taken && is_collected),
      .is_whole_o(all_collected),
      .resp_o(collected_resp)
  );

  assign is_whole = !is_collected || all_collected;
  assign total_resp = is_collected ? collected_resp : answer_resp;
  assign answer_channel = ChannelBits'(answer_name >> IdBits);
  assign answer_taken = answer_valid
      && (!is_whole || (b_ready_i[answer_channel] && !refused_held_q[answer_channel]));
  assign completes = answer_taken && is_whole;
  assign rsp_ready_o = answer_taken && !answer_is_own;
  assign own_b_ready_o = answer_taken && answer_is_own;

  // A refused burst's answer waits for the network's.
  always_comb begin
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      shows_answer[c] = answer_valid && is_whole && answer_channel == ChannelBits'(c)
          && !refused_held_q[c];
      b_valid_o[c] = shows_answer[c] || refused_valid_i[c];
      b_o[c] = refused_i[c];
      if (shows_answer[c]) b_o[c] = '{id: answer_name[IdBits-1:0], resp: total_resp};
      refused_ready_o[c] = b_ready_i[c] && !shows_answer[c];
      refused_held_d[c]  = refused_valid_i[c] && !shows_answer[c] && !b_ready_i[c];
    end
  end

  // ------------------------------------------------------------------------------------------- registers

  always_comb begin
    busy_d = busy_q;
    if (completes) busy_d[answer_name] = 1'b0;
    if (opens_i) busy_d[opened_name_i] = 1'b1;
    joins_valid_d = joins_valid_q;
    if (completes && is_group) joins_valid_d &= ~joins_hit;
    if (opens_join) joins_valid_d |= join_slot;
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

  // Written when a transaction opens, so without reset.
  always_ff @(posedge clk_i) begin
    for (int unsigned j = 0; j < MaxOpen; j++) begin
      if (opens_join && join_slot[j]) begin
        joins_root_q[j] <= opened_i.dst;
        joins_tag_q[j]  <= opened_i.tag;
        joins_name_q[j] <= opened_name_i;
      end
    end
  end

  `ASSERT_INIT(ChannelsFillTheirBits, WIDE_CHANNELS == 1 << ChannelBits)
  `ASSERT_INIT(TagsHaveRoomForTheirNames, noccl_cfg_pkg::TAG_BITS >= noccl_ni_pkg::WIDE_TAG_BITS)
  `ASSUME(AnswersAreExpected, !rsp_valid_i || busy_q[answer_name])
  `ASSUME(GroupAnswersNameAnOpenReduction, !(rsp_valid_i && is_group) || $onehot(joins_hit))
  `ASSERT(OpenNamesAreFree, !opens_i || !busy_q[opened_name_i])

endmodule
