// SPDX-License-Identifier: Apache-2.0
//
// Initiator side of wide writes, multicasts and reductions: picks the beat that leaves, and
// returns B.
//
// Every beat becomes a flit with its own address; the AW sends none. Flit and window are computed once, for the channel
// that is granted.
// Channels are served oldest transfer first; a channel that may not send (window closed, id in use, limit reached) is passed
// over, since its W data stand in a channel of their own. One transaction per id and channel is open at a time: responses of
// one id are then in order, whatever the network does, and the tag of a response is channel and id.
// A multicast's own copy leaves by a port of its own, in the same cycle, so that it never halves the rate of a memory's
// read data behind the router (docs/design/0001, F). It waits until this tile's earlier unicasts to itself have been delivered.
// Latency: none from a channel to the Local input. Throughput: one beat per cycle.
// Mirror: `ready_write`, `next_write_beat`, `own_copy`, `finish`, `collect_responses` and `deliver_group_response` in
// crates/noccl-sim/src/ni/axi.

`include "noccl_assert.svh"

module noccl_ni_wide_write
  import noccl_cfg_pkg::WIDE_CHANNELS;
(
    /// Clock.
    input  logic                       clk_i,
    /// Asynchronous reset, active low.
    input  logic                       rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t     pos_i,
    /// Write channels of the subordinate port.
    input  logic                       aw_valid_i    [WIDE_CHANNELS],
    output logic                       aw_ready_o    [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_aw_t    aw_i          [WIDE_CHANNELS],
    input  logic                       w_valid_i     [WIDE_CHANNELS],
    output logic                       w_ready_o     [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_w_t     w_i           [WIDE_CHANNELS],
    output logic                       b_valid_o     [WIDE_CHANNELS],
    input  logic                       b_ready_i     [WIDE_CHANNELS],
    output noccl_axi_pkg::wide_b_t     b_o           [WIDE_CHANNELS],
    /// Beat towards the router; until it is taken, an older burst's may come in its place.
    output logic                       flit_valid_o,
    input  logic                       flit_ready_i,
    output noccl_flit_pkg::wide_flit_t flit_o,
    /// Own copy of a multicast's beat, towards the own memory; leaves together with the flit, or alone if the
    /// multicast has no other member.
    output logic                       own_valid_o,
    input  logic                       own_ready_i,
    output noccl_flit_pkg::wide_flit_t own_o,
    output logic                       own_is_last_o,
    /// The own memory has responded for the last beat of an own copy.
    input  logic                       own_b_valid_i,
    output logic                       own_b_ready_o,
    input  noccl_flit_pkg::tag_t       own_b_tag_i,
    input  noccl_flit_pkg::resp_e      own_b_resp_i,
    /// A beat of this tile to itself has been delivered.
    input  logic                       delivered_i,
    /// Response from the router: of kinds B, COLLECT_B, GROUP_B, wide.
    input  logic                       rsp_valid_i,
    output logic                       rsp_ready_o,
    input  noccl_flit_pkg::rsp_hdr_t   rsp_i,
    /// Credits returned to a sender of this tile: from other tiles, and from its own merge point.
    input  logic                       credit_valid_i[            2],
    input  noccl_ni_pkg::credit_t      credit_i      [            2]
);

  import noccl_axi_pkg::OPCODE_JOIN;
  import noccl_axi_pkg::OPCODE_MULTICAST;
  import noccl_ni_pkg::wide_tag_t;

  localparam int unsigned InFlightBits = 6;
  localparam int unsigned ChannelBits = noccl_ni_pkg::CHANNEL_BITS;

  // ------------------------------------------------------------------------------------------ channels

  logic [WIDE_CHANNELS-1:0] burst_valid, begins, is_first, is_last, beat_valid, grant;
  logic [WIDE_CHANNELS-1:0] refused_valid, refused_ready, is_open_name;
  noccl_ni_pkg::burst_t burst[WIDE_CHANNELS];
  noccl_flit_pkg::left_t beat[WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t refused[WIDE_CHANNELS];

  // Of the channel that was granted in the cycle before.
  logic is_limited;
  noccl_collective_pkg::window_t sent_window;

  for (genvar c = 0; c < WIDE_CHANNELS; c++) begin : gen_channel
    noccl_ni_write_channel #(
        .Channel(c)
    ) u_channel (
        .clk_i,
        .rst_ni,
        .pos_i,
        .aw_valid_i(aw_valid_i[c]),
        .aw_ready_o(aw_ready_o[c]),
        .aw_i(aw_i[c]),
        .w_valid_i(w_valid_i[c]),
        .w_ready_o(w_ready_o[c]),
        .w_i(w_i[c]),
        .burst_valid_o(burst_valid[c]),
        .burst_o(burst[c]),
        .begins_o(begins[c]),
        .beat_o(beat[c]),
        .is_first_o(is_first[c]),
        .is_last_o(is_last[c]),
        .beat_valid_o(beat_valid[c]),
        .grant_i(grant[c]),
        .is_limited_i(is_limited),
        .window_i(sent_window),
        .credit_valid_i,
        .credit_i,
        .id_is_open_i(is_open_name[c]),
        .refused_valid_o(refused_valid[c]),
        .refused_ready_i(refused_ready[c]),
        .refused_o(refused[c])
    );
  end

  // ---------------------------------------------------------------------------------- who may send now

  // Unicast beats to this tile that have not been delivered; one that left in the cycle before is not counted yet.
  logic [InFlightBits-1:0] own_in_flight_q, own_in_flight_d;
  logic adds_own_q, adds_own_d;

  logic [WIDE_CHANNELS-1:0] may_start, waits_for_own, may_send, chosen;
  wide_tag_t name[WIDE_CHANNELS];

  always_comb begin
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      name[c] = wide_tag_t'({ChannelBits'(c), burst[c].id});
      waits_for_own[c] = burst_valid[c] && !burst[c].is_error && burst[c].has_own
          && (adds_own_q || own_in_flight_q != '0);
      may_send[c] = beat_valid[c] && (may_start[c] || !is_first[c]);
    end
  end

  // The choice is made anew in every cycle, until a beat with an own copy has been offered.
  logic stays, flit_gone_q, flit_gone_d, own_gone_q, own_gone_d;

  noccl_ni_write_arbiter #(
      .Channels(WIDE_CHANNELS)
  ) u_grant (
      .clk_i,
      .rst_ni,
      .begins_i(begins),
      .may_send_i(may_send),
      .waits_i(waits_for_own),
      .chosen_o(chosen),
      .stays_i(stays)
  );

  logic [ChannelBits-1:0] sent_channel;
  noccl_ni_pkg::burst_t sent_burst;
  noccl_flit_pkg::left_t sent_beat;
  noccl_axi_pkg::wide_w_t sent_w;
  wide_tag_t sent_name;

  // Facts of the burst by themselves, so that what follows from them does not wait for the many bits of the data.
  always_comb begin
    sent_channel = '0;
    sent_burst = '0;
    sent_beat = '0;
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      if (chosen[c]) sent_channel |= ChannelBits'(c);
      sent_burst |= noccl_ni_pkg::burst_t'(chosen[c] ? burst[c] : '0);
      sent_beat |= chosen[c] ? beat[c] : '0;
    end
  end
  assign sent_w = w_i[sent_channel];
  assign sent_name = wide_tag_t'({sent_channel, sent_burst.id});

  // ------------------------------------------------------------------------------------------ its flit

  logic is_join, is_multicast, is_to_itself;
  noccl_flit_pkg::region_coord_t base;

  assign is_join = sent_burst.opcode == OPCODE_JOIN;
  assign is_multicast = sent_burst.opcode == OPCODE_MULTICAST;
  assign is_to_itself = !is_join && !is_multicast && sent_burst.dst == pos_i;
  assign base = noccl_ni_pkg::base_around(is_join ? pos_i : sent_burst.dst, sent_burst.mask);

  always_comb begin
    flit_o = '0;
    flit_o.hdr.kind = is_join ? noccl_flit_pkg::WIDE_REDUCE : noccl_flit_pkg::WIDE_WRITE;
    flit_o.hdr.multicast = is_multicast;
    flit_o.hdr.dst = sent_burst.dst;
    flit_o.hdr.src = pos_i;
    if (is_join || is_multicast) flit_o.hdr.base = base;
    flit_o.hdr.mask = sent_burst.mask;
    flit_o.hdr.tag = sent_burst.tag;
    flit_o.hdr.own_copy = sent_burst.has_own;
    flit_o.hdr.line = sent_burst.line + noccl_flit_pkg::line_t'(sent_beat);
    flit_o.hdr.left = sent_burst.len - sent_beat;
    if (is_join) begin
      flit_o.hdr.op = sent_burst.op;
      flit_o.hdr.element = sent_burst.element;
    end
    flit_o.strobe = sent_w.strb;
    flit_o.data   = sent_w.data;
  end

  // ---------------------------------------------------------------------------------------- it leaves

  // Both copies leave in the same cycle, and neither valid looks at the other side's ready: what goes first is remembered
  // instead. What would happen is known of every channel before it is known which one is granted.
  logic [WIDE_CHANNELS-1:0] has_own, has_others, is_done, opens;
  logic flit_taken, own_taken;

  assign flit_taken = flit_gone_q || flit_ready_i;
  assign own_taken  = own_gone_q || own_ready_i;
  always_comb begin
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      has_own[c] = burst[c].has_own;
      has_others[c] = !has_own[c] || burst[c].mask != '0;
    end
  end
  // What has come back is apart from what is offered, for the simulator's sake.
  always_comb begin
    for (int unsigned c = 0; c < WIDE_CHANNELS; c++) begin
      is_done[c] = (!has_others[c] || flit_taken) && (!has_own[c] || own_taken);
      // A transaction is open from the moment at which half of its first beat has gone: the response to that half may be quick.
      opens[c] = chosen[c] && is_first[c] && !flit_gone_q && !own_gone_q
          && ((has_others[c] && flit_ready_i) || (has_own[c] && own_ready_i));
    end
  end

  assign flit_valid_o = |(chosen & has_others) && !flit_gone_q;
  assign own_valid_o = |(chosen & has_own) && !own_gone_q;
  assign own_o = flit_o;
  assign own_is_last_o = |(chosen & is_last);
  assign grant = chosen & is_done;
  assign stays = |(chosen & has_own & ~is_done);
  assign flit_gone_d = |(chosen & has_own & has_others) && flit_taken && !own_taken;
  assign own_gone_d = |(chosen & has_own & has_others) && own_taken && !flit_taken;

  // The window of a reduction is not needed before its third beat: computed a cycle late, from registers.
  logic was_join_q, is_unlimited;
  noccl_flit_pkg::coord_t root_q;
  noccl_flit_pkg::region_coord_t group_q;

  assign is_limited = was_join_q && !is_unlimited;
  noccl_window u_window (
      .pos_i,
      .root_i(root_q),
      .base_i(noccl_ni_pkg::base_around(pos_i, group_q)),
      .mask_i(group_q),
      .is_unlimited_o(is_unlimited),
      .window_o(sent_window)
  );

  assign adds_own_d = |grant && is_to_itself;
  assign own_in_flight_d = own_in_flight_q + InFlightBits'(adds_own_q) - InFlightBits'(delivered_i);

  noccl_ni_wide_b u_b (
      .clk_i,
      .rst_ni,
      .name_i(name),
      .burst_i(burst),
      .may_start_o(may_start),
      .is_open_o(is_open_name),
      .opens_i(opens),
      .sent_name_i(sent_name),
      .sent_i(sent_burst),
      .b_valid_o,
      .b_ready_i,
      .b_o,
      .refused_valid_i(refused_valid),
      .refused_ready_o(refused_ready),
      .refused_i(refused),
      .own_b_valid_i,
      .own_b_ready_o,
      .own_b_tag_i,
      .own_b_resp_i,
      .rsp_valid_i,
      .rsp_ready_o,
      .rsp_i
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      own_in_flight_q <= '0;
      adds_own_q <= 1'b0;
      flit_gone_q <= 1'b0;
      own_gone_q <= 1'b0;
    end else begin
      own_in_flight_q <= own_in_flight_d;
      adds_own_q <= adds_own_d;
      flit_gone_q <= flit_gone_d;
      own_gone_q <= own_gone_d;
    end
  end

  // Read only after a first beat: no reset.
  always_ff @(posedge clk_i) begin
    was_join_q <= is_join;
    root_q <= sent_burst.dst;
    group_q <= sent_burst.mask;
  end

  `NOCCL_ASSERT(OneBeatLeaves, $onehot0(grant))
  `NOCCL_ASSUME(DeliveredBeatsWereSent, !delivered_i || adds_own_q || own_in_flight_q != '0)

endmodule
