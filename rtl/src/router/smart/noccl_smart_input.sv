// SPDX-License-Identifier: Apache-2.0
//
// An input of a router with bypass: its channels, and the choice of one of them.
//
// A channel holds one packet, all of its flits. It is taken by the request of the first flit, in
// the cycle that sets up the path; the flits are latched from the next cycle on. Each output has a next
// flit of its own, so that a branch of a multicast never waits for another one. A packet of several
// flits takes a channel of each router that it passes; a later flit that has to end there goes on
// from there.
//
// Latency: a flit that is latched at the end of a cycle asks for its outputs in the next one. A channel
// whose packet has left with a grant of cycle t can be taken again in t + 2 + `GrantedCycles`; what
// is dropped on arrival, one cycle after it has been latched.
// Combinational paths: usable outputs to the choice; requests to channels that are taken and to
// `free_after_o`; grants to the choice if `IsLateChoice`.
// Mirror: crates/noccl-sim/src/router/smart (channels.rs, allocate.rs `choose`, latch.rs). Source:
// S2, section II.

`include "noccl_assert.svh"

module noccl_smart_input
  import noccl_smart_pkg::*;
#(
    /// Cycles from a grant to its traversal.
    parameter int unsigned GrantedCycles = 1,
    /// The choice sees the grants of its own cycle.
    parameter bit IsLateChoice = 1'b0,
    /// Requests on the line of the input that are looked at in a cycle.
    parameter int unsigned NumLooks = 1,
    /// Later flits are told how far the one before has gone: priority `bypass`.
    parameter bit HasFollow = 1'b0
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low: all channels are free.
    input  logic         rst_ni,
    /// The output opposite to the input, to which flits pass; none for Local. Constant: an input of
    /// one module serves all ports.
    input  port_set_t    straight_i,
    /// Outputs that may be used, and of those each class's with a free channel behind them; Local
    /// always has one.
    input  port_set_t    able_i,
    input  port_set_t    open_i            [NUM_CLASSES],
    /// The channel that is chosen, its next flit and the outputs that this asks for; none without
    /// outputs.
    output choice_t      choice_o,
    /// Outputs of the chosen channel that own a channel behind them.
    output port_set_t    choice_owned_o,
    /// A flit has been granted: it goes over these outputs. Of a channel that holds it.
    input  choice_t      grant_i,
    /// The packet of a channel, for requests.
    input  channel_set_t ask_channel_i,
    output header_t      ask_header_o,
    /// By output: hops that its last flit has gone. Of the flit that has crossed in this cycle they
    /// are told now: its channel, outputs, hops.
    output hops_t        ask_follow_o      [  NUM_LINKS],
    input  choice_t      sent_i,
    input  hops_t        went_i            [  NUM_LINKS],
    /// A first flit takes a free channel of its class; with the outputs that it asks for here.
    input  logic         take_valid_i,
    input  header_t      take_header_i,
    input  port_set_t    take_outputs_i,
    /// The channel that it would take; meaningful for any valid header.
    output channel_set_t take_channel_o,
    /// Packets of later flits that may pass: the channel of each, and whether its flits go on from
    /// there by themselves.
    input  request_t     later_i           [   NumLooks],
    output channel_set_t later_channel_o   [   NumLooks],
    output logic         later_ends_o      [   NumLooks],
    /// A later flit ends in this channel, others before it have passed: from this flit on the
    /// packet goes on by itself.
    input  logic         extend_valid_i,
    input  channel_set_t extend_channel_i,
    input  flit_count_t  extend_index_i,
    input  hops_t        extend_hops_i,
    /// Classes with a free channel, at the beginning of the cycle and after what it takes.
    output class_set_t   free_o,
    output class_set_t   free_after_o,
    /// A flit is latched at the end of the cycle. A contribution that is dropped only counts.
    input  latch_t       latch_i,
    input  data_t        latch_data_i,
    input  logic         latch_is_dropped_i,
    /// What has been latched a cycle ago, and what takes its place: contributions whose operands have
    /// been combined.
    output data_t        latched_data_o,
    output header_t      latched_header_o,
    input  logic         combined_valid_i,
    input  data_t        combined_data_i,
    /// The flit that crosses the router in this cycle, and its packet.
    input  channel_set_t read_channel_i,
    input  flit_count_t  read_index_i,
    output header_t      read_header_o,
    output data_t        read_data_o
);

  // Cycles until a channel that has been left is free.
  localparam int unsigned LeaveBits = $clog2(GrantedCycles + 2);
  typedef logic [LeaveBits-1:0] leave_t;

  // Who is in a channel.
  channel_set_t busy_q, busy_d;
  header_t header_q[NUM_CHANNELS];
  // Flits that have come; outputs of the packet, and those that own a channel behind them; next
  // flit of each output.
  flit_count_t come_q[NUM_CHANNELS], come_d[NUM_CHANNELS];
  port_set_t outputs_q[NUM_CHANNELS], outputs_d[NUM_CHANNELS];
  port_set_t owned_q[NUM_CHANNELS], owned_d[NUM_CHANNELS];
  flit_count_t next_q[NUM_CHANNELS][NUM_PORTS], next_d[NUM_CHANNELS][NUM_PORTS];
  // Outputs that have a flit to send: kept as a register, so that no comparison stands before the
  // choice.
  port_set_t wants_q[NUM_CHANNELS], wants_d[NUM_CHANNELS];
  leave_t leave_q[NUM_CHANNELS], leave_d[NUM_CHANNELS];

  // ----------------------------------------------------------------------------- what grants leave

  flit_count_t next_granted [NUM_CHANNELS] [NUM_PORTS];
  port_set_t   wants_granted[NUM_CHANNELS];
  port_set_t   owned_granted[NUM_CHANNELS];
  always_comb begin : p_granted
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      owned_granted[c] = owned_q[c];
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        logic is_granted;
        is_granted = grant_i.channel[c] && grant_i.outputs[o];
        next_granted[c][o] = is_granted ? grant_i.index + 1'b1 : next_q[c][o];
        wants_granted[c][o] = is_granted ? grant_i.index + 1'b1 < come_q[c] : wants_q[c][o];
        if (is_granted && o != LOCAL && header_q[c].flits != flit_count_t'(1))
          owned_granted[c][o] = 1'b1;
      end
    end
  end

  // ---------------------------------------------------------------------------------------- choice

  port_set_t seen_wants[NUM_CHANNELS], seen_owned[NUM_CHANNELS];
  flit_count_t seen_next[NUM_CHANNELS][NUM_PORTS];
  assign seen_wants = IsLateChoice ? wants_granted : wants_q;
  assign seen_owned = IsLateChoice ? owned_granted : owned_q;
  assign seen_next  = IsLateChoice ? next_granted : next_q;

  noccl_smart_choice #(
      .IsLateChoice(IsLateChoice)
  ) u_choice (
      .clk_i,
      .rst_ni,
      .wants_i(seen_wants),
      .owned_i(seen_owned),
      .next_i (seen_next),
      .able_i,
      .open_i,
      .choice_o,
      .choice_owned_o,
      .grant_i
  );

  // -------------------------------------------------------------------------------------- requests

  channel_set_t taken;
  always_comb begin : p_take
    take_channel_o = lowest(~busy_q & channels_of(take_header_i.kind));
    taken = take_valid_i ? take_channel_o : '0;
    for (int unsigned kind = 0; kind < NUM_CLASSES; kind++) begin
      free_o[kind] = (~busy_q & channels_of(kind_e'(kind))) != '0;
      free_after_o[kind] = (~busy_q & ~taken & channels_of(kind_e'(kind))) != '0;
    end
  end

  for (genvar n = 0; n < int'(NumLooks); n++) begin : gen_later
    always_comb begin : p_later
      later_ends_o[n] = 1'b0;
      for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
        later_channel_o[n][c] = busy_q[c] && class_of(c) == later_i[n].header.kind &&
            header_q[c].tag == later_i[n].header.tag;
        later_ends_o[n] |= later_channel_o[n][c] && (outputs_q[c] & straight_i) != '0;
      end
    end
  end

  always_comb begin : p_ask
    ask_header_o = '0;
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      if (ask_channel_i[c]) ask_header_o |= header_q[c];
    end
  end

  noccl_smart_follow #(
      .HasFollow(HasFollow)
  ) u_follow (
      .clk_i,
      .ask_channel_i,
      .ask_follow_o,
      .sent_i,
      .went_i,
      .straight_i,
      .extend_valid_i,
      .extend_channel_i,
      .extend_hops_i
  );

  // ----------------------------------------------------------------------------------- next values

  always_comb begin : p_next
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      logic is_extended, latches, is_left;
      is_extended = extend_valid_i && extend_channel_i[c];
      // A packet may be latched in the cycle that takes its channel: at the Local input.
      latches = latch_i.valid && latch_i.channel[c] && !latch_is_dropped_i;
      outputs_d[c] = taken[c] ? take_outputs_i : outputs_q[c];
      owned_d[c] = taken[c] ? '0 : owned_granted[c];
      come_d[c] = latches ? latch_i.index + 1'b1 : taken[c] ? '0 : come_q[c];
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        next_d[c][o] = taken[c] ? '0 : next_granted[c][o];
      end
      if (is_extended) begin
        outputs_d[c] |= straight_i;
        owned_d[c] |= straight_i;
        for (int unsigned o = 0; o < NUM_PORTS; o++) begin
          if (straight_i[o]) next_d[c][o] = extend_index_i;
        end
      end
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        wants_d[c][o] = outputs_d[c][o] && next_d[c][o] < come_d[c];
      end
      is_left = busy_q[c] && leave_q[c] == '0 && !taken[c] && wants_d[c] == '0 &&
          come_d[c] == header_q[c].flits;
      leave_d[c] = leave_q[c] == '0 ? '0 : leave_q[c] - 1'b1;
      if (is_left) leave_d[c] = latches ? leave_t'(1) : leave_t'(GrantedCycles + 1);
      if (latch_i.valid && latch_i.channel[c] && latch_is_dropped_i) leave_d[c] = leave_t'(1);
      busy_d[c] = taken[c] || (busy_q[c] && leave_q[c] != leave_t'(1));
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
        wants_q[c]   <= '0;
        // What a free channel holds is nothing to send.
        outputs_q[c] <= '0;
        leave_q[c]   <= '0;
      end
    end else begin
      busy_q <= busy_d;
      for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
        wants_q[c]   <= wants_d[c];
        outputs_q[c] <= outputs_d[c];
        leave_q[c]   <= leave_d[c];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      if (taken[c]) header_q[c] <= take_header_i;
      come_q[c]  <= come_d[c];
      owned_q[c] <= owned_d[c];
      for (int unsigned o = 0; o < NUM_PORTS; o++) next_q[c][o] <= next_d[c][o];
    end
  end

  // ----------------------------------------------------------------------------------------- flits

  channel_set_t latched;
  noccl_smart_flits u_flits (
      .clk_i,
      .latch_i,
      .latch_data_i,
      .latched_o(latched),
      .latched_data_o,
      .combined_valid_i,
      .combined_data_i,
      .read_channel_i,
      .read_index_i,
      .read_data_o
  );

  always_comb begin : p_read
    read_header_o = '0;
    latched_header_o = '0;
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      if (read_channel_i[c]) read_header_o |= header_q[c];
      if (class_of(c) == CONTRIBUTION && latched[c]) latched_header_o |= header_q[c];
    end
  end

  `NOCCL_ASSERT(TakesAFreeChannel, !take_valid_i || take_channel_o != '0)
  `NOCCL_ASSERT(GrantsWhatWaits, grant_i.outputs == '0 || ($onehot(grant_i.channel)
                && (grant_i.channel & busy_q) != '0))
  `NOCCL_ASSERT(LatchesInATakenChannel, !latch_i.valid || ($onehot(latch_i.channel)
                && (latch_i.channel & (busy_q | taken)) != '0))

endmodule
