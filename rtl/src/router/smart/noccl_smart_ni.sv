// SPDX-License-Identifier: Apache-2.0
//
// Network interface of a router with bypass: three queues of packets take turns at the Local input,
// flits from the router come out.
//
// A packet enters with its first flit, when a channel of its class is free at the Local input; its
// other flits follow into the same channel. The header stands beside every flit.
//
// Latency: a flit that is taken is latched at the end of the cycle; a flit from the router comes out a
// cycle after it has crossed it.
// Throughput: one flit per cycle in and out. Combinational paths: `in_valid_i`, the packets and
// free channels to `in_ready_o`.
// Mirror: crates/noccl-sim/src/router/smart/inject.rs. Source: S2, section II; its text leaves the
// order of classes open: round robin.

`include "noccl_assert.svh"

module noccl_smart_ni
  import noccl_smart_pkg::*;
(
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// By message class: a flit waits; the flits of a packet one after the other.
    input  class_set_t   in_valid_i,
    input  flit_t        in_flit_i      [NUM_CLASSES],
    /// It is taken.
    output class_set_t   in_ready_o,
    /// The Local input of the router: classes with a free channel, and the one that a packet would
    /// take.
    input  class_set_t   open_i,
    output logic         take_o,
    output header_t      header_o,
    input  channel_set_t channel_i,
    output logic         latch_o,
    output channel_set_t latch_channel_o,
    output flit_count_t  latch_index_o,
    output data_t        latch_data_o,
    /// Its Local output.
    input  logic         eject_valid_i,
    input  flit_t        eject_i,
    /// A flit for the tile.
    output logic         out_valid_o,
    output flit_t        out_flit_o
);

  // Classes behind the one that has sent last.
  class_set_t from_q, can, in_order, some, chosen;
  // Packets of which a flit has been sent, and their channels.
  class_set_t is_open_q;
  channel_set_t channel_q[NUM_CLASSES];
  flit_t flit;
  logic is_first, is_tail;

  assign can = in_valid_i & (is_open_q | open_i);
  assign in_order = can & from_q;
  assign some = in_order != '0 ? in_order : can;
  assign chosen = some & (~some + 1'b1);
  assign in_ready_o = chosen;

  always_comb begin : p_flit
    flit = '0;
    latch_channel_o = '0;
    is_first = 1'b0;
    for (int unsigned kind = 0; kind < NUM_CLASSES; kind++) begin
      if (chosen[kind]) begin
        flit |= in_flit_i[kind];
        is_first = !is_open_q[kind];
        latch_channel_o |= is_open_q[kind] ? channel_q[kind] : channel_i;
      end
    end
  end
  assign is_tail = flit.index + 1'b1 == flit.header.flits;
  assign take_o = chosen != '0 && is_first;
  assign header_o = flit.header;
  assign latch_o = chosen != '0;
  assign latch_index_o = flit.index;
  assign latch_data_o = flit.data;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      from_q <= '1;
      is_open_q <= '0;
      out_valid_o <= 1'b0;
    end else begin
      if (chosen != '0) from_q <= ~(chosen | (chosen - 1'b1));
      for (int unsigned kind = 0; kind < NUM_CLASSES; kind++) begin
        if (chosen[kind]) is_open_q[kind] <= !is_tail;
      end
      out_valid_o <= eject_valid_i;
    end
  end
  always_ff @(posedge clk_i) begin
    for (int unsigned kind = 0; kind < NUM_CLASSES; kind++) begin
      if (chosen[kind]) channel_q[kind] <= latch_channel_o;
    end
    out_flit_o <= eject_i;
  end

  for (genvar kind = 0; kind < int'(NUM_CLASSES); kind++) begin : gen_rules
    `NOCCL_ASSUME(PacketsOfTheirClass,
                  !in_valid_i[kind] || in_flit_i[kind].header.kind == kind_e'(kind))
    `NOCCL_ASSUME(FlitsInOrder,
                  !in_valid_i[kind] || (in_flit_i[kind].index == '0) == !is_open_q[kind])
    `NOCCL_ASSUME(PacketsFit,
                  !in_valid_i[kind] || (in_flit_i[kind].index < in_flit_i[kind].header.flits &&
            in_flit_i[kind].header.flits <= flit_count_t'(VC_FLITS)))
  end
  `NOCCL_ASSUME(
      ContributionsHaveOneFlit,
      !in_valid_i[CONTRIBUTION] || in_flit_i[CONTRIBUTION].header.flits == flit_count_t'(1))
  `NOCCL_ASSERT(OneFlitPerCycle, $onehot0(in_ready_o))

endmodule
