// SPDX-License-Identifier: Apache-2.0
// Routers of one tile: one per plane, and the collective units at those that have one. Wiring
// only.
//
// Latency, throughput, ordering: those of `noccl_router`, plane by plane; the planes share
// nothing.
// Combinational paths: none between link ports.
// Mirror: the three `PlaneState`s of crates/noccl-sim/src/machine at one tile.

module noccl_routers
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::links_t;
  import noccl_flit_pkg::wide_data_t;
  import noccl_collective_pkg::store_request_t, noccl_collective_pkg::dca_request_t;
  import noccl_collective_pkg::dca_result_t, noccl_collective_pkg::name_t;
#(
    /// Multicasts exist.
    parameter bit HasMulticast = 1'b1,
    /// Responses of multicasts and contributions of barriers merge in the network.
    parameter bit HasMerge = 1'b1,
    /// Operands of wide reductions are reduced; without, the ports behind the flits are quiet.
    parameter bit HasReduction = 1'b1
) (
    /// Clock.
    input  logic           clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input  logic           rst_ni,
    /// Mesh coordinate of the tile; constant.
    input  coord_t         position_i,
    /// Per port N, E, S, W, Local: what the other end shows.
    input  links_t         link_i               [NUM_PORTS],
    /// What this end shows; `ready` is space in the input FIFO at the start of the cycle.
    output links_t         link_o               [NUM_PORTS],
    /// Writes and reads of the operand banks.
    output store_request_t store_o,
    /// What each bank read last.
    input  wide_data_t     store_rdata_i        [NUM_PORTS],
    /// A request to the arithmetic; stays until ready.
    output logic           dca_valid_o,
    /// The arithmetic takes it.
    input  logic           dca_ready_i,
    /// The request; undefined without valid.
    output dca_request_t   dca_o,
    /// The oldest result; stays until ready.
    input  logic           dca_result_valid_i,
    /// It is taken.
    output logic           dca_result_ready_o,
    /// The result; ignored without valid.
    input  dca_result_t    dca_result_i,
    /// Credits of the next merge point have come for a flow of this name.
    input  logic           credit_valid_i,
    /// Its name; ignored without valid.
    input  name_t          credit_name_i,
    /// A flow of this router is meant; otherwise the tile's NI is.
    output logic           credit_hit_o,
    /// Credits for a sender elsewhere; stay until ready.
    output logic           credit_return_valid_o,
    /// The sender.
    output coord_t         credit_return_dst_o,
    /// Name of its flow.
    output name_t          credit_return_name_o,
    /// The NI sends it.
    input  logic           credit_return_ready_i,
    /// Credits for the tile's own NI, taken at once.
    output logic           own_valid_o,
    /// Name of its flow.
    output name_t          own_name_o
);

  noccl_flit_pkg::wide_link_t wide_in[NUM_PORTS], wide_out[NUM_PORTS];
  noccl_flit_pkg::req_link_t req_in[NUM_PORTS], req_out[NUM_PORTS];
  noccl_flit_pkg::rsp_link_t rsp_in[NUM_PORTS], rsp_out[NUM_PORTS];
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_port
    assign wide_in[i] = link_i[i].wide;
    assign req_in[i]  = link_i[i].req;
    assign rsp_in[i]  = link_i[i].rsp;
    assign link_o[i]  = '{wide: wide_out[i], req: req_out[i], rsp: rsp_out[i]};
  end

  noccl_reducing_router #(
      .HasMulticast(HasMulticast),
      .HasReduction(HasReduction)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .position_i,
      .link_i(wide_in),
      .link_o(wide_out),
      .store_o,
      .store_rdata_i,
      .dca_valid_o,
      .dca_ready_i,
      .dca_o,
      .dca_result_valid_i,
      .dca_result_ready_o,
      .dca_result_i,
      .credit_valid_i,
      .credit_name_i,
      .credit_hit_o,
      .credit_return_valid_o,
      .credit_return_dst_o,
      .credit_return_name_o,
      .credit_return_ready_i,
      .own_valid_o,
      .own_name_o
  );

  noccl_merging_router #(
      .flit_t      (noccl_flit_pkg::req_flit_t),
      .hdr_t       (noccl_flit_pkg::req_hdr_t),
      .link_t      (noccl_flit_pkg::req_link_t),
      .HasMulticast(HasMulticast),
      .HasMerge    (HasMerge),
      .JoinKinds   (noccl_flit_pkg::REQ_JOIN_KINDS)
  ) u_req (
      .clk_i,
      .rst_ni,
      .position_i,
      .link_i(req_in),
      .link_o(req_out)
  );

  noccl_merging_router #(
      .flit_t      (noccl_flit_pkg::rsp_flit_t),
      .hdr_t       (noccl_flit_pkg::rsp_hdr_t),
      .link_t      (noccl_flit_pkg::rsp_link_t),
      .HasMulticast(HasMulticast),
      .HasMerge    (HasMerge),
      .JoinKinds   (noccl_flit_pkg::RSP_JOIN_KINDS)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .position_i,
      .link_i(rsp_in),
      .link_o(rsp_out)
  );

endmodule
