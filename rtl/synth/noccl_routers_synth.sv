// SPDX-License-Identifier: Apache-2.0
// Routers of a tile with the header fields that their configuration needs, for the measurement of area: fields of
// collectives that are not built are zero at the inputs, so synthesis removes their places in all FIFOs. Without this a
// baseline would carry the headers of the full network and look larger than it is.
//
// Latency, order, paths: those of `noccl_routers`.

module noccl_routers_synth
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
  import noccl_collective_pkg::store_request_t, noccl_collective_pkg::dca_request_t;
  import noccl_collective_pkg::dca_result_t, noccl_collective_pkg::name_t;
#(
    /// Multicasts exist: their sets travel.
    parameter bit HasMulticast = 1'b1,
    /// Contributions merge in the network: sets and counts travel.
    parameter bit HasMerge = 1'b1,
    /// Operands of wide reductions are reduced: sets, operator and element type travel.
    parameter bit HasReduction = 1'b1
) (
    /// Clock.
    input  logic                       clk_i,
    /// Asynchronous reset, active low.
    input  logic                       rst_ni,
    /// As in `noccl_routers`.
    input  coord_t                     position_i,
    /// Plane `wide`.
    input  port_set_t                  wide_in_valid_i,
    /// Plane `wide`.
    output port_set_t                  wide_in_ready_o,
    /// Plane `wide`.
    input  wide_flit_t                 wide_in_flit_i       [NUM_PORTS],
    /// Plane `wide`.
    output port_set_t                  wide_out_valid_o,
    /// Plane `wide`.
    input  port_set_t                  wide_out_ready_i,
    /// Plane `wide`.
    output wide_flit_t                 wide_out_flit_o      [NUM_PORTS],
    /// Plane `req`.
    input  port_set_t                  req_in_valid_i,
    /// Plane `req`.
    output port_set_t                  req_in_ready_o,
    /// Plane `req`.
    input  req_flit_t                  req_in_flit_i        [NUM_PORTS],
    /// Plane `req`.
    output port_set_t                  req_out_valid_o,
    /// Plane `req`.
    input  port_set_t                  req_out_ready_i,
    /// Plane `req`.
    output req_flit_t                  req_out_flit_o       [NUM_PORTS],
    /// Plane `rsp`.
    input  port_set_t                  rsp_in_valid_i,
    /// Plane `rsp`.
    output port_set_t                  rsp_in_ready_o,
    /// Plane `rsp`.
    input  rsp_flit_t                  rsp_in_flit_i        [NUM_PORTS],
    /// Plane `rsp`.
    output port_set_t                  rsp_out_valid_o,
    /// Plane `rsp`.
    input  port_set_t                  rsp_out_ready_i,
    /// Plane `rsp`.
    output rsp_flit_t                  rsp_out_flit_o       [NUM_PORTS],
    /// As in `noccl_routers`.
    output store_request_t             store_o,
    /// As in `noccl_routers`.
    input  noccl_flit_pkg::wide_data_t store_rdata_i        [NUM_PORTS],
    /// As in `noccl_routers`.
    output logic                       dca_valid_o,
    /// As in `noccl_routers`.
    input  logic                       dca_ready_i,
    /// As in `noccl_routers`.
    output dca_request_t               dca_o,
    /// As in `noccl_routers`.
    input  logic                       dca_result_valid_i,
    /// As in `noccl_routers`.
    output logic                       dca_result_ready_o,
    /// As in `noccl_routers`.
    input  dca_result_t                dca_result_i,
    /// As in `noccl_routers`.
    input  logic                       credit_valid_i,
    /// As in `noccl_routers`.
    input  name_t                      credit_name_i,
    /// As in `noccl_routers`.
    output logic                       credit_hit_o,
    /// As in `noccl_routers`.
    output logic                       credit_return_valid_o,
    /// As in `noccl_routers`.
    output coord_t                     credit_return_dst_o,
    /// As in `noccl_routers`.
    output name_t                      credit_return_name_o,
    /// As in `noccl_routers`.
    input  logic                       credit_return_ready_i,
    /// As in `noccl_routers`.
    output logic                       own_valid_o,
    /// As in `noccl_routers`.
    output name_t                      own_name_o
);

  wide_flit_t wide_flit[NUM_PORTS];
  req_flit_t  req_flit [NUM_PORTS];
  rsp_flit_t  rsp_flit [NUM_PORTS];

  // Narrow sets: of multicasts, barriers, collected responses. Responses to groups are multicasts,
  // too.
  localparam bit HasNarrowSets = HasMulticast || HasMerge;

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_port
    always_comb begin : p_slim
      wide_flit[i] = wide_in_flit_i[i];
      req_flit[i]  = req_in_flit_i[i];
      rsp_flit[i]  = rsp_in_flit_i[i];
      if (!HasMulticast) begin
        wide_flit[i].hdr.multicast = 1'b0;
        wide_flit[i].hdr.own_copy  = 1'b0;
        req_flit[i].hdr.multicast  = 1'b0;
        req_flit[i].hdr.own_copy   = 1'b0;
        rsp_flit[i].hdr.multicast  = 1'b0;
        rsp_flit[i].hdr.own_copy   = 1'b0;
      end
      if (!HasMulticast && !HasReduction) begin
        wide_flit[i].hdr.base = '0;
        wide_flit[i].hdr.mask = '0;
      end
      if (!HasNarrowSets) begin
        req_flit[i].hdr.base = '0;
        req_flit[i].hdr.mask = '0;
        rsp_flit[i].hdr.base = '0;
        rsp_flit[i].hdr.mask = '0;
      end
      if (!HasMerge) begin
        req_flit[i].hdr.count = '0;
        rsp_flit[i].hdr.count = '0;
      end
      if (!HasReduction) begin
        wide_flit[i].hdr.operator = noccl_flit_pkg::OP_SUM;
        wide_flit[i].hdr.element  = noccl_flit_pkg::ELEM_FP64;
      end
    end
  end

  noccl_routers #(
      .HasMulticast(HasMulticast),
      .HasMerge    (HasMerge),
      .HasReduction(HasReduction)
  ) u_routers (
      .wide_in_flit_i(wide_flit),
      .req_in_flit_i (req_flit),
      .rsp_in_flit_i (rsp_flit),
      .*
  );

endmodule
