// SPDX-License-Identifier: Apache-2.0
//
// Local allocation of a router with bypass: outputs for what its inputs have chosen, round robin
// for each output.
//
// With two cycles of setup global allocation works on what was chosen a cycle before. With priority
// `local` the choice does not wait for what that decides: an output whose last channel it takes is
// dropped at the end.
//
// Combinational paths: choices to what they get; `open_after_i` to the end of that alone, or with
// `IsLateChoice` to the choices. An output's order moves behind the input whose flit is granted,
// which may be a cycle later or never: requests of others may win.
// Mirror: crates/noccl-sim/src/router/smart/allocate.rs (`allocate_at`, `arbitrate`).
// Source: S2, section II.

module noccl_smart_local_allocation
  import noccl_smart_pkg::*;
#(
    /// Two cycles of setup: choices are granted in their own cycle, unless global allocation takes
    /// the last channel.
    parameter bit IsEarlyGrant = 1'b0,
    /// Two cycles of setup: choices see what global allocation decides in their own cycle, and are
    /// granted by it in the next one.
    parameter bit IsLateChoice = 1'b0
) (
    /// Clock.
    input  logic       clk_i,
    /// Asynchronous reset, active low: North goes first.
    input  logic       rst_ni,
    /// By mesh output: classes with a free channel behind it, at the beginning of the cycle and
    /// after what global allocation takes.
    input  class_set_t open_i       [  NUM_LINKS],
    input  class_set_t open_after_i [  NUM_LINKS],
    /// The interface takes a flit.
    input  logic       eject_ready_i,
    /// Outputs that inputs may choose, and by class those with a free channel.
    output port_set_t  able_o,
    output port_set_t  open_o       [NUM_CLASSES],
    /// What each input chooses, and the outputs whose channels the packet owns already.
    input  choice_t    choice_i     [  NUM_PORTS],
    input  port_set_t  owned_i      [  NUM_PORTS],
    /// The same with the outputs that it gets, and what global allocation works on in this cycle.
    output choice_t    chosen_o     [  NUM_PORTS],
    output choice_t    ask_o        [  NUM_PORTS],
    /// Outputs over which a flit of each input is granted.
    input  port_set_t  granted_i    [  NUM_PORTS]
);

  port_set_t given[NUM_PORTS], open_after[NUM_CLASSES];
  always_comb begin : p_open
    able_o = '1;
    able_o[LOCAL] = eject_ready_i;
    for (int unsigned kind = 0; kind < NUM_CLASSES; kind++) begin
      open_o[kind] = '1;
      open_after[kind] = '1;
      for (int unsigned o = 0; o < NUM_LINKS; o++) begin
        open_after[kind][o] = open_after_i[o][kind];
        open_o[kind][o] = IsLateChoice ? open_after_i[o][kind] : open_i[o][kind];
      end
    end
  end

  for (genvar o = 0; o < int'(NUM_PORTS); o++) begin : gen_output
    port_set_t asks, granted, from_q, from_d, from, in_order, some, first;
    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_input
      assign asks[p] = choice_i[p].outputs[o];
      assign granted[p] = granted_i[p][o];
      assign given[p][o] = first[p];
    end
    // Inputs behind the one that has been granted last.
    assign from_d = granted != '0 ? ~(granted | (granted - 1'b1)) : from_q;
    assign from = IsLateChoice ? from_d : from_q;
    assign in_order = asks & from;
    assign some = in_order != '0 ? in_order : asks;
    assign first = some & (~some + 1'b1);

    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) from_q <= '1;
      else from_q <= from_d;
    end
  end

  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_chosen
    port_set_t left;
    always_comb begin : p_chosen
      left = owned_i[p];
      for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
        if (choice_i[p].channel[c]) left |= open_after[class_of(c)];
      end
      chosen_o[p] = choice_i[p];
      chosen_o[p].outputs = IsEarlyGrant ? given[p] & left : given[p];
    end
  end

  if (IsEarlyGrant || IsLateChoice) begin : gen_two
    choice_t chosen_q[NUM_PORTS];
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) for (int unsigned p = 0; p < NUM_PORTS; p++) chosen_q[p] <= '0;
      else for (int unsigned p = 0; p < NUM_PORTS; p++) chosen_q[p] <= chosen_o[p];
    end
    assign ask_o = chosen_q;
  end else begin : gen_one
    assign ask_o = chosen_o;
  end

endmodule
