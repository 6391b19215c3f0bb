// SPDX-License-Identifier: Apache-2.0
// Routers of one tile: one per plane, and the collective units at those that have one. Wiring
// only.
//
// Latency, throughput, ordering: those of `noccl_router`, plane by plane; the planes share
// nothing.
// Combinational paths: none between link ports.
// Mirror: the three `PlaneState`s of crates/noccl-sim/src/machine.rs at one tile.

module noccl_routers
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::wide_hdr_t;
  import noccl_flit_pkg::req_flit_t, noccl_flit_pkg::req_hdr_t;
  import noccl_flit_pkg::rsp_flit_t, noccl_flit_pkg::rsp_hdr_t;
#(
    /// Multicasts exist.
    parameter bit HasMulticast = 1'b1
) (
    /// Clock.
    input  logic       clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input  logic       rst_ni,
    /// Mesh coordinate of the tile; constant.
    input  coord_t     position_i,
    /// Plane `wide`: per port N, E, S, W, Local a flit is offered; stays until ready.
    input  port_set_t  wide_in_valid_i,
    /// Room in the input FIFO at the start of the cycle.
    output port_set_t  wide_in_ready_o,
    /// The offered flits; ignored without valid.
    input  wide_flit_t wide_in_flit_i  [NUM_PORTS],
    /// Plane `wide`: per port a flit is offered; stays until ready.
    output port_set_t  wide_out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t  wide_out_ready_i,
    /// The offered flits; undefined without valid.
    output wide_flit_t wide_out_flit_o [NUM_PORTS],
    /// Plane `req`: per port N, E, S, W, Local a flit is offered; stays until ready.
    input  port_set_t  req_in_valid_i,
    /// Room in the input FIFO at the start of the cycle.
    output port_set_t  req_in_ready_o,
    /// The offered flits; ignored without valid.
    input  req_flit_t  req_in_flit_i   [NUM_PORTS],
    /// Plane `req`: per port a flit is offered; stays until ready.
    output port_set_t  req_out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t  req_out_ready_i,
    /// The offered flits; undefined without valid.
    output req_flit_t  req_out_flit_o  [NUM_PORTS],
    /// Plane `rsp`: per port N, E, S, W, Local a flit is offered; stays until ready.
    input  port_set_t  rsp_in_valid_i,
    /// Room in the input FIFO at the start of the cycle.
    output port_set_t  rsp_in_ready_o,
    /// The offered flits; ignored without valid.
    input  rsp_flit_t  rsp_in_flit_i   [NUM_PORTS],
    /// Plane `rsp`: per port a flit is offered; stays until ready.
    output port_set_t  rsp_out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t  rsp_out_ready_i,
    /// The offered flits; undefined without valid.
    output rsp_flit_t  rsp_out_flit_o  [NUM_PORTS]
);

  wide_hdr_t wide_no_hdr[NUM_PORTS];
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_wide_no_hdr
    assign wide_no_hdr[i] = '0;
  end

  noccl_router #(
      .flit_t      (wide_flit_t),
      .hdr_t       (wide_hdr_t),
      .HasMulticast(HasMulticast)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i    (wide_in_valid_i),
      .in_ready_o    (wide_in_ready_o),
      .in_flit_i     (wide_in_flit_i),
      .out_valid_o   (wide_out_valid_o),
      .out_ready_i   (wide_out_ready_i),
      .out_flit_o    (wide_out_flit_o),
      .join_valid_o  (),
      .head_o        (),
      .join_absorb_i ('0),
      .join_forward_i('0),
      .join_hdr_i    (wide_no_hdr),
      .join_taken_o  (),
      .result_valid_i(1'b0),
      .result_i      ('0),
      .result_ready_o()
  );

  req_hdr_t req_no_hdr[NUM_PORTS];
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_req_no_hdr
    assign req_no_hdr[i] = '0;
  end

  noccl_router #(
      .flit_t      (req_flit_t),
      .hdr_t       (req_hdr_t),
      .HasMulticast(HasMulticast)
  ) u_req (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i    (req_in_valid_i),
      .in_ready_o    (req_in_ready_o),
      .in_flit_i     (req_in_flit_i),
      .out_valid_o   (req_out_valid_o),
      .out_ready_i   (req_out_ready_i),
      .out_flit_o    (req_out_flit_o),
      .join_valid_o  (),
      .head_o        (),
      .join_absorb_i ('0),
      .join_forward_i('0),
      .join_hdr_i    (req_no_hdr),
      .join_taken_o  (),
      .result_valid_i(1'b0),
      .result_i      ('0),
      .result_ready_o()
  );

  rsp_hdr_t rsp_no_hdr[NUM_PORTS];
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_rsp_no_hdr
    assign rsp_no_hdr[i] = '0;
  end

  noccl_router #(
      .flit_t      (rsp_flit_t),
      .hdr_t       (rsp_hdr_t),
      .HasMulticast(HasMulticast)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i    (rsp_in_valid_i),
      .in_ready_o    (rsp_in_ready_o),
      .in_flit_i     (rsp_in_flit_i),
      .out_valid_o   (rsp_out_valid_o),
      .out_ready_i   (rsp_out_ready_i),
      .out_flit_o    (rsp_out_flit_o),
      .join_valid_o  (),
      .head_o        (),
      .join_absorb_i ('0),
      .join_forward_i('0),
      .join_hdr_i    (rsp_no_hdr),
      .join_taken_o  (),
      .result_valid_i(1'b0),
      .result_i      ('0),
      .result_ready_o()
  );

endmodule
