// SPDX-License-Identifier: Apache-2.0
//
// The channel of an input that asks for outputs: round robin over those that can use one.
//
// Combinational paths: usable outputs to the choice; grants to it with `IsLateChoice`. The order
// moves behind the channel whose flit is granted.
// Mirror: crates/noccl-sim/src/router/smart/allocate.rs (`choose`), channels.rs (`of_one_flit`).
// Source: S2, section II.

module noccl_smart_choice
  import noccl_smart_pkg::*;
#(
    /// The choice sees the grants of its own cycle.
    parameter bit IsLateChoice = 1'b0
) (
    /// Clock.
    input  logic        clk_i,
    /// Asynchronous reset, active low: the first channel goes first.
    input  logic        rst_ni,
    /// By channel: outputs that have a flit to send, outputs whose channels the packet owns, and
    /// the next flit of each output.
    input  port_set_t   wants_i       [NUM_CHANNELS],
    input  port_set_t   owned_i       [NUM_CHANNELS],
    input  flit_count_t next_i        [NUM_CHANNELS][NUM_PORTS],
    /// Outputs that may be used, and of those each class's with a free channel behind them.
    input  port_set_t   able_i,
    input  port_set_t   open_i        [ NUM_CLASSES],
    /// The channel that is chosen, its next flit and the outputs that this asks for; none without
    /// outputs. Those that the packet owns.
    output choice_t     choice_o,
    output port_set_t   choice_owned_o,
    /// What is granted.
    input  choice_t     grant_i
);

  // Channels behind the one that has been granted last, in order.
  channel_set_t from_q, from_d;
  assign from_d = grant_i.outputs != '0 ? ~(grant_i.channel | (grant_i.channel - 1'b1)) : from_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) from_q <= '1;
    else from_q <= from_d;
  end

  channel_set_t asks, in_order, chosen;
  port_set_t usable[NUM_CHANNELS];
  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_usable
    localparam kind_e Class = class_of(c);
    assign usable[c] = wants_i[c] & able_i & (open_i[Class] | owned_i[c]);
    assign asks[c]   = usable[c] != '0;
  end
  assign in_order = asks & (IsLateChoice ? from_d : from_q);
  assign chosen   = lowest(in_order != '0 ? in_order : asks);

  flit_count_t chosen_next[NUM_PORTS];
  port_set_t chosen_usable;
  always_comb begin : p_choice
    chosen_usable  = '0;
    choice_owned_o = '0;
    for (int unsigned o = 0; o < NUM_PORTS; o++) chosen_next[o] = '0;
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      if (chosen[c]) begin
        chosen_usable |= usable[c];
        choice_owned_o |= owned_i[c];
        for (int unsigned o = 0; o < NUM_PORTS; o++) chosen_next[o] |= next_i[c][o];
      end
    end
    // An input sends one flit per cycle: the earliest.
    choice_o.channel = chosen;
    choice_o.index   = '1;
    for (int unsigned o = 0; o < NUM_PORTS; o++) begin
      if (chosen_usable[o] && chosen_next[o] < choice_o.index) choice_o.index = chosen_next[o];
    end
    for (int unsigned o = 0; o < NUM_PORTS; o++) begin
      choice_o.outputs[o] = chosen_usable[o] && chosen_next[o] == choice_o.index;
    end
  end

endmodule
