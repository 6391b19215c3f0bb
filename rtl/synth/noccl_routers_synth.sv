// SPDX-License-Identifier: Apache-2.0
// Routers of a tile with the header fields that their configuration needs, for the measurement of area: fields of
// collectives that are not built are zero at the inputs, so synthesis removes their places in all FIFOs. Without this a
// baseline would carry the headers of the full network and look larger than it is.
//
// Latency, order, paths: those of `noccl_routers`.

module noccl_routers_synth
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::links_t;
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
    /// As in `noccl_routers`.
    input  links_t                     link_i               [NUM_PORTS],
    /// As in `noccl_routers`.
    output links_t                     link_o               [NUM_PORTS],
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

  links_t slim[NUM_PORTS];

  // Narrow sets: of multicasts, barriers, collected responses. Responses to groups are multicasts,
  // too.
  localparam bit HasNarrowSets = HasMulticast || HasMerge;

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_port
    always_comb begin : p_slim
      slim[i] = link_i[i];
      if (!HasMulticast) begin
        slim[i].wide.flit.hdr.multicast = 1'b0;
        slim[i].wide.flit.hdr.own_copy  = 1'b0;
        slim[i].req.flit.hdr.multicast  = 1'b0;
        slim[i].req.flit.hdr.own_copy   = 1'b0;
        slim[i].rsp.flit.hdr.multicast  = 1'b0;
        slim[i].rsp.flit.hdr.own_copy   = 1'b0;
      end
      if (!HasMulticast && !HasReduction) begin
        slim[i].wide.flit.hdr.base = '0;
        slim[i].wide.flit.hdr.mask = '0;
      end
      if (!HasNarrowSets) begin
        slim[i].req.flit.hdr.base = '0;
        slim[i].req.flit.hdr.mask = '0;
        slim[i].rsp.flit.hdr.base = '0;
        slim[i].rsp.flit.hdr.mask = '0;
      end
      if (!HasMerge) begin
        slim[i].req.flit.hdr.count = '0;
        slim[i].rsp.flit.hdr.count = '0;
      end
      if (!HasReduction) begin
        slim[i].wide.flit.hdr.op = noccl_number_pkg::OP_SUM;
        slim[i].wide.flit.hdr.element = noccl_number_pkg::ELEM_FP64;
      end
    end
  end

  noccl_routers #(
      .HasMulticast(HasMulticast),
      .HasMerge    (HasMerge),
      .HasReduction(HasReduction)
  ) u_routers (
      .link_i(slim),
      .*
  );

endmodule
