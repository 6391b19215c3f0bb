// SPDX-License-Identifier: Apache-2.0
//
// What happens to a flit that comes in over a link: it takes a channel, or is latched in that of its
// packet, or leaves nothing behind.
//
// Latency: the flit is latched in the cycle after the one in which its path is set up.
// Mirror: crates/noccl-sim/src/router/smart/traverse.rs (`reach_first`, `reach_later`). Source: S2,
// sections II and III.

module noccl_smart_arrival
  import noccl_smart_pkg::*;
#(
    /// Output that lies opposite to the input.
    parameter int unsigned Out = NORTH,
    /// Contributions to reductions are counted.
    parameter bit HasTable = 1'b1,
    /// Requests that are looked at on the line in a cycle.
    parameter int unsigned NumLooks = 1
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Where the router lies; constant.
    input  coord_t       position_i,
    /// The flit that comes, which of the requests that are looked at it is, whether it goes on over
    /// the output, and whether it could.
    input  request_t     coming_i,
    input  logic         coming_look_i[NumLooks],
    input  logic         passes_i,
    input  logic         goes_further_i,
    /// What the input knows of packets of the requests.
    input  channel_set_t later_channel_i[NumLooks],
    input  logic         later_ends_i[NumLooks],
    /// A first flit takes a channel, of a packet with these outputs; the channel.
    output logic         take_o,
    output port_set_t    take_outputs_o,
    input  channel_set_t take_channel_i,
    /// The channel of a later flit's packet; from this flit on the packet goes on from here by
    /// itself.
    output channel_set_t later_channel_o,
    output logic         goes_alone_o,
    /// Routers count it.
    output logic         is_counted_o,
    /// In the next cycle.
    output latch_t     latching_o
);

  logic is_first, ends;
  latch_t latching_d;

  assign is_first = coming_i.index == '0;
  always_comb begin : p_channel
    later_channel_o = '0;
    ends = 1'b0;
    for (int unsigned n = 0; n < NumLooks; n++) begin
      if (coming_look_i[n]) begin
        later_channel_o |= later_channel_i[n];
        ends |= later_ends_i[n];
      end
    end
  end

  always_comb begin : p_outputs
    take_outputs_o = outputs_at(position_i, coming_i.header);
    if (passes_i) begin
      // A copy of a multicast has the other outputs; nothing else stays.
      if (is_multicast(coming_i.header)) take_outputs_o[Out] = 1'b0;
      else take_outputs_o = '0;
    end
  end
  assign take_o = coming_i.valid && is_first && (!passes_i || take_outputs_o != '0 ||
                                                 coming_i.header.flits != flit_count_t'(1));
  assign goes_alone_o = coming_i.valid && !is_first && !passes_i && !ends && goes_further_i;
  assign is_counted_o = HasTable && coming_i.header.kind == CONTRIBUTION &&
      coming_i.header.is_counted;

  assign latching_d = '{
          valid: take_o || (coming_i.valid && !is_first),
          channel: is_first ? take_channel_i : later_channel_o,
          index: coming_i.index,
          is_counted: is_counted_o,
          id: coming_i.header.id,
          inputs: num_inputs(position_i, coming_i.header)
      };
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) latching_o <= '0;
    else latching_o <= latching_d;
  end

endmodule
