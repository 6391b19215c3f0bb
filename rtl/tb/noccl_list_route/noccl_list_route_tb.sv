// SPDX-License-Identifier: Apache-2.0
//
// Header and route of a multicast by a list, in one go: consumers in, branches of the router at a position out.

module noccl_list_route_tb #(
    parameter int unsigned NumDestinations = 8
) (
    /// Clock.
    input  logic                       clk_i,
    /// Asynchronous reset, active low.
    input  logic                       rst_ni,
    input  logic [                7:0] num_consumers_i,
    input  logic                       request_valid_i,
    output logic                       request_ready_o,
    input  logic [                7:0] request_x_i,
    input  logic [                7:0] request_y_i,
    output logic                       header_valid_o,
    input  logic                       header_ready_i,
    output logic [NumDestinations-1:0] header_serves_o,
    /// Where the router stands, and what of the header it sees.
    input  logic [                7:0] x_i,
    input  logic [                7:0] y_i,
    input  logic [NumDestinations-1:0] serves_i,
    output logic [                4:0] ports_o,
    output logic [NumDestinations-1:0] serves_o       [5]
);

  noccl_flit_pkg::coord_t [NumDestinations-1:0] dst;
  noccl_flit_pkg::coord_t position, request;

  assign position.x = noccl_cfg_pkg::X_BITS'(x_i);
  assign position.y = noccl_cfg_pkg::Y_BITS'(y_i);
  assign request.x  = noccl_cfg_pkg::X_BITS'(request_x_i);
  assign request.y  = noccl_cfg_pkg::Y_BITS'(request_y_i);

  noccl_list_header #(
      .NumDestinations(NumDestinations)
  ) u_header (
      .clk_i,
      .rst_ni,
      .num_consumers_i($clog2(NumDestinations + 1)'(num_consumers_i)),
      .request_valid_i,
      .request_ready_o,
      .request_i(request),
      .header_valid_o,
      .header_ready_i,
      .dst_o(dst),
      .serves_o(header_serves_o)
  );

  noccl_list_route #(
      .NumDestinations(NumDestinations)
  ) u_route (
      .position_i(position),
      .dst_i(dst),
      .serves_i,
      .ports_o,
      .serves_o
  );

endmodule
