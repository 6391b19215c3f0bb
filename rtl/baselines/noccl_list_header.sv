// SPDX-License-Identifier: Apache-2.0
//
// Collects the requests of consumers into the header of a baseline's multicast.
//
// Each consumer asks for the data with a message; when as many have asked as the transfer serves, the header is complete and stands
// until it is taken. One request per cycle. A register per destination: the header's width.
// Source: ESP's multicast (consumers pull), as S3 compares itself with it (S3 section IV-B).

`include "noccl_assert.svh"

module noccl_list_header #(
    /// Destinations that a header has space for.
    parameter int unsigned NumDestinations = 16,
    localparam int unsigned CountBits = $clog2(NumDestinations + 1)
) (
    /// Clock.
    input  logic                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                         rst_ni,
    /// Consumers of the next transfer; stable while a header is being collected.
    input  logic                   [      CountBits-1:0] num_consumers_i,
    /// A consumer asks.
    input  logic                                         request_valid_i,
    output logic                                         request_ready_o,
    input  noccl_flit_pkg::coord_t                       request_i,
    /// The complete header.
    output logic                                         header_valid_o,
    input  logic                                         header_ready_i,
    output noccl_flit_pkg::coord_t [NumDestinations-1:0] dst_o,
    output logic                   [NumDestinations-1:0] serves_o
);

  noccl_flit_pkg::coord_t [NumDestinations-1:0] dst_q, dst_d;
  logic [NumDestinations-1:0] serves_q, serves_d;
  logic [CountBits-1:0] count_q, count_d;
  logic accepts;

  assign header_valid_o = count_q != '0 && count_q == num_consumers_i;
  assign request_ready_o = count_q != num_consumers_i;
  assign accepts = request_valid_i && request_ready_o;
  assign dst_o = dst_q;
  assign serves_o = serves_q;

  always_comb begin
    dst_d = dst_q;
    serves_d = serves_q;
    count_d = count_q;
    if (accepts) begin
      dst_d[$clog2(NumDestinations)'(count_q)] = request_i;
      serves_d[$clog2(NumDestinations)'(count_q)] = 1'b1;
      count_d = count_q + 1'b1;
    end
    if (header_valid_o && header_ready_i) begin
      serves_d = '0;
      count_d  = '0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      serves_q <= '0;
      count_q  <= '0;
    end else begin
      serves_q <= serves_d;
      count_q  <= count_d;
    end
  end

  always_ff @(posedge clk_i) dst_q <= dst_d;

  `NOCCL_ASSERT_INIT(SomeDestinations, NumDestinations >= 2)
  `NOCCL_ASSUME(FitsTheHeader, num_consumers_i <= CountBits'(NumDestinations))

endmodule
