// SPDX-License-Identifier: Apache-2.0
//
// Pointers to a chain's destinations in registers, as published, to see what a further destination costs.
//
// A core writes them one by one; each configuration that leaves moves the list on by one, so that its first three are always the
// tile before, the tile to configure and the one after it. No logic grows with the list but its own multiplexers.
// Source: S3 section III-B (pointers of an initiator), section IV-F.

`include "noccl_assert.svh"

module noccl_pointer_list #(
    /// Destinations.
    parameter int unsigned NumDestinations = 16,
    localparam int unsigned IndexBits = $clog2(NumDestinations + 1)
) (
    /// Clock.
    input  logic                                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                                        rst_ni,
    /// Writes a pointer; index 0 is the source.
    input  logic                                        write_i,
    input  logic                        [IndexBits-1:0] index_i,
    input  noccl_torrent_pkg::pointer_t                 pointer_i,
    /// Moves on; behind the last destination follow zeros.
    input  logic                                        step_i,
    output noccl_torrent_pkg::pointer_t                 previous_o,
    output noccl_torrent_pkg::pointer_t                 destination_o,
    output noccl_torrent_pkg::pointer_t                 next_o
);

  localparam int unsigned Pointers = NumDestinations + 1;

  noccl_torrent_pkg::pointer_t pointers_q[Pointers];
  noccl_torrent_pkg::pointer_t pointers_d[Pointers];

  for (genvar p = 0; p < int'(Pointers); p++) begin : gen_pointer
    if (p + 1 < int'(Pointers)) begin : gen_inner
      assign pointers_d[p] = step_i ? pointers_q[p+1]
          : write_i && index_i == IndexBits'(unsigned'(p)) ? pointer_i : pointers_q[p];
    end else begin : gen_last
      assign pointers_d[p] = step_i ? '0
          : write_i && index_i == IndexBits'(unsigned'(p)) ? pointer_i : pointers_q[p];
    end
  end

  assign previous_o = pointers_q[0];
  assign destination_o = pointers_q[1];
  if (NumDestinations > 1) begin : gen_next
    assign next_o = pointers_q[2];
  end else begin : gen_no_next
    assign next_o = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      for (int unsigned p = 0; p < Pointers; p++) pointers_q[p] <= '0;
    end else begin
      pointers_q <= pointers_d;
    end
  end

  `NOCCL_ASSERT_INIT(SomeDestinations, NumDestinations >= 1)
  `NOCCL_ASSUME(OneAtATime, !(write_i && step_i))

endmodule
