// SPDX-License-Identifier: Apache-2.0
//
// One of the four lines through a router with bypass: its own request for an output, global
// allocation of the link behind it, and what becomes of a flit that comes in opposite to it.
//
// Latency and combinational paths: see noccl_smart_request, noccl_smart_line, noccl_smart_arrival.
// Mirror: crates/noccl-sim/src/router/smart/traverse.rs. Source: S2, sections II and III.

module noccl_smart_link
  import noccl_smart_pkg::*;
#(
    /// The output.
    parameter int unsigned Out = NORTH,
    /// Requests from farther away win, but in cycles with the order of `local`.
    parameter bit IsBypassFirst = 1'b0,
    /// Requests begin at registers.
    parameter bit IsEarlyGrant = 1'b0,
    /// Contributions to reductions are counted.
    parameter bit HasTable = 1'b1,
    /// Requests that are looked at in a cycle. Derived, not to be set.
    localparam int unsigned NumLooks = IsBypassFirst ? HPC_MAX : 1
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// Where the router lies; constant.
    input  coord_t       position_i,
    /// The order of `local`.
    input  logic         is_local_i,
    /// By input: what it asks for, of which packet, and how far the last flit over each output has
    /// gone.
    input  choice_t      asking_i        [NUM_PORTS],
    input  header_t      header_i        [NUM_PORTS],
    input  hops_t        follow_i        [NUM_PORTS][NUM_LINKS],
    /// The router's own request is granted; it uses the input opposite to the output itself.
    input  logic         own_is_granted_i,
    input  logic         input_is_used_i,
    /// Requests and crossings of the line; classes with a free channel behind the output.
    input  requests_t    requests_i,
    output requests_t    requests_o,
    input  crossing_t    crossing_i,
    output crossing_t    crossing_o,
    input  class_set_t   open_i,
    /// Requests that are looked at, and what the input and the reduction table know of them.
    output request_t     look_o          [ NumLooks],
    input  channel_set_t later_channel_i [ NumLooks],
    input  logic         later_ends_i    [ NumLooks],
    input  logic         is_last_i       [ NumLooks],
    /// A request from farther away has won the output.
    output logic         is_won_o,
    /// The flit that comes in, and whether it passes.
    output request_t     coming_o,
    output logic         passes_o,
    /// It takes a channel, of a packet with these outputs; the channel.
    output logic         take_o,
    output port_set_t    take_outputs_o,
    input  channel_set_t take_channel_i,
    /// The channel of a later flit's packet; from this flit on the packet goes on by itself, so far.
    output channel_set_t later_channel_o,
    output logic         goes_alone_o,
    output hops_t        extend_hops_o,
    /// Routers count it; what is latched in the next cycle.
    output logic         is_counted_o,
    output latch_t       latching_o,
    /// The flit on the link, for tests.
    output seen_t        seen_o
);

  request_t own;
  logic goes_further;
  logic coming_look[NumLooks];

  noccl_smart_request #(
      .Out         (Out),
      .IsRegistered(IsEarlyGrant),
      .HasFollow   (IsBypassFirst)
  ) u_request (
      .clk_i,
      .rst_ni,
      .position_i,
      .asking_i,
      .header_i,
      .follow_i,
      .own_o(own)
  );

  noccl_smart_line #(
      .IsBypassFirst(IsBypassFirst)
  ) u_line (
      .clk_i,
      .rst_ni,
      .is_local_i,
      .requests_i,
      .requests_o,
      .crossing_i,
      .crossing_o,
      .own_i         (own),
      .own_is_granted_i,
      .input_is_used_i,
      .open_i,
      .look_o,
      .later_ends_i,
      .is_last_i,
      .is_won_o,
      .coming_o,
      .coming_look_o (coming_look),
      .passes_o,
      .goes_further_o(goes_further),
      .seen_o
  );

  noccl_smart_arrival #(
      .Out     (Out),
      .HasTable(HasTable),
      .NumLooks(NumLooks)
  ) u_arrival (
      .clk_i,
      .rst_ni,
      .position_i,
      .coming_i      (coming_o),
      .coming_look_i (coming_look),
      .passes_i      (passes_o),
      .goes_further_i(goes_further),
      .later_channel_i,
      .later_ends_i,
      .take_o,
      .take_outputs_o,
      .take_channel_i,
      .later_channel_o,
      .goes_alone_o,
      .follow_o      (extend_hops_o),
      .is_counted_o,
      .latching_o
  );

endmodule
