// SPDX-License-Identifier: Apache-2.0
//
// How far the last flit of each channel of an input has gone over each output (priority `bypass`):
// the next one goes as far at most. Without `HasFollow` nothing is kept.
//
// Latency: none; what is told in a cycle is seen in it.
// Mirror: `follow` in crates/noccl-sim/src/router/smart (channels.rs, traverse.rs).
// Source: S2, section II (later flits end where the head has ended).

module noccl_smart_follow
  import noccl_smart_pkg::*;
#(
    /// It is kept.
    parameter bit HasFollow = 1'b0
) (
    /// Clock.
    input  logic         clk_i,
    /// A channel (one-hot), and by output hops of its last flit.
    input  channel_set_t ask_channel_i,
    output hops_t        ask_follow_o    [NUM_LINKS],
    /// The flit that crosses in this cycle, and how far it goes over each output.
    input  choice_t      sent_i,
    input  hops_t        went_i          [NUM_LINKS],
    /// From a flit on a packet goes on from here by itself: over this output, of this channel, as
    /// far as those before at most.
    input  port_set_t    straight_i,
    input  logic         extend_valid_i,
    input  channel_set_t extend_channel_i,
    input  hops_t        extend_hops_i
);

  if (HasFollow) begin : gen_follow
    hops_t follow_q[NUM_CHANNELS][NUM_LINKS];
    for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_channel
      for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_link
        always_ff @(posedge clk_i) begin
          if (extend_valid_i && extend_channel_i[c] && straight_i[o])
            follow_q[c][o] <= extend_hops_i;
          else if (sent_i.channel[c] && sent_i.outputs[o]) follow_q[c][o] <= went_i[o];
        end
      end
    end
    always_comb begin : p_follow
      for (int unsigned o = 0; o < NUM_LINKS; o++) begin
        ask_follow_o[o] = '0;
        for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
          if (ask_channel_i[c])
            ask_follow_o[o] |= sent_i.channel[c] && sent_i.outputs[o] ? went_i[o] : follow_q[c][o];
        end
      end
    end
  end else begin : gen_none
    for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_link
      assign ask_follow_o[o] = '0;
    end
  end

endmodule
