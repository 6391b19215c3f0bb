// SPDX-License-Identifier: Apache-2.0
//
// A baseline's multicast header, to see what it costs: a list of destinations, of which every
// output keeps its own.
//
// The header names each destination; at every router a branch goes out to each port that lies on
// the path to some of them, and its copy of the header marks the others as served elsewhere. Width
// and logic grow with the number of destinations, which is why the link's width bounds it.
// Combinational, X before Y.
// Source: ESP's multicast, as S3 compares itself with it (S3 section IV-B).

`include "noccl_assert.svh"

module noccl_list_route #(
    /// Destinations that a header has space for.
    parameter int unsigned NumDestinations = 16
) (
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t                          position_i,
    /// Destinations, and which of them this flit still serves.
    input  noccl_flit_pkg::coord_t    [NumDestinations-1:0] dst_i,
    input  logic                      [NumDestinations-1:0] serves_i,
    /// Outputs with a branch.
    output noccl_flit_pkg::port_set_t                       ports_o,
    /// What the flit serves behind each output.
    output logic                      [NumDestinations-1:0] serves_o  [noccl_flit_pkg::NUM_PORTS]
);

  import noccl_flit_pkg::NUM_PORTS;

  noccl_flit_pkg::port_set_t ports[NumDestinations];

  for (genvar d = 0; d < int'(NumDestinations); d++) begin : gen_destination
    noccl_route #(
        .HasMulticast(1'b0)
    ) u_route (
        .position_i,
        .multicast_i(1'b0),
        .dst_i(dst_i[d]),
        .base_i('0),
        .mask_i('0),
        .own_copy_i(1'b0),
        .ports_o(ports[d])
    );
  end

  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_output
    for (genvar d = 0; d < int'(NumDestinations); d++) begin : gen_mask
      assign serves_o[p][d] = serves_i[d] && ports[d][p];
    end
    assign ports_o[p] = |serves_o[p];
  end

  `NOCCL_ASSERT_INIT(SomeDestinations, NumDestinations >= 1)

endmodule
