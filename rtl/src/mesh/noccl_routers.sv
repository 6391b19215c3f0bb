// SPDX-License-Identifier: Apache-2.0
// Routers of one tile: one per plane, and the collective units at those that have one. Wiring
// only.
//
// Latency, throughput, ordering: those of `noccl_router`, plane by plane; the planes share
// nothing.
// Combinational paths: none between link ports.
// Mirror: the three `PlaneState`s of crates/noccl-sim/src/machine at one tile.

module noccl_routers
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::wide_data_t;
  import noccl_collective_pkg::store_request_t, noccl_collective_pkg::dca_request_t;
  import noccl_collective_pkg::dca_result_t, noccl_collective_pkg::name_t;
  import noccl_flit_pkg::req_flit_t, noccl_flit_pkg::req_hdr_t;
  import noccl_flit_pkg::rsp_flit_t, noccl_flit_pkg::rsp_hdr_t;
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
    /// Plane `wide`: per port N, E, S, W, Local a flit is offered; stays until ready.
    input  port_set_t      wide_in_valid_i,
    /// Space in the input FIFO at the start of the cycle.
    output port_set_t      wide_in_ready_o,
    /// The offered flits; ignored without valid.
    input  wide_flit_t     wide_in_flit_i       [NUM_PORTS],
    /// Plane `wide`: per port a flit is offered; stays until ready.
    output port_set_t      wide_out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t      wide_out_ready_i,
    /// The offered flits; undefined without valid.
    output wide_flit_t     wide_out_flit_o      [NUM_PORTS],
    /// Plane `req`: per port N, E, S, W, Local a flit is offered; stays until ready.
    input  port_set_t      req_in_valid_i,
    /// Space in the input FIFO at the start of the cycle.
    output port_set_t      req_in_ready_o,
    /// The offered flits; ignored without valid.
    input  req_flit_t      req_in_flit_i        [NUM_PORTS],
    /// Plane `req`: per port a flit is offered; stays until ready.
    output port_set_t      req_out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t      req_out_ready_i,
    /// The offered flits; undefined without valid.
    output req_flit_t      req_out_flit_o       [NUM_PORTS],
    /// Plane `rsp`: per port N, E, S, W, Local a flit is offered; stays until ready.
    input  port_set_t      rsp_in_valid_i,
    /// Space in the input FIFO at the start of the cycle.
    output port_set_t      rsp_in_ready_o,
    /// The offered flits; ignored without valid.
    input  rsp_flit_t      rsp_in_flit_i        [NUM_PORTS],
    /// Plane `rsp`: per port a flit is offered; stays until ready.
    output port_set_t      rsp_out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t      rsp_out_ready_i,
    /// The offered flits; undefined without valid.
    output rsp_flit_t      rsp_out_flit_o       [NUM_PORTS],
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

  noccl_reducing_router #(
      .HasMulticast(HasMulticast),
      .HasReduction(HasReduction)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i (wide_in_valid_i),
      .in_ready_o (wide_in_ready_o),
      .in_flit_i  (wide_in_flit_i),
      .out_valid_o(wide_out_valid_o),
      .out_ready_i(wide_out_ready_i),
      .out_flit_o (wide_out_flit_o),
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

  port_set_t req_join_valid, req_absorb, req_forward, req_candidate, req_taken;
  logic req_goes_on;
  req_flit_t req_head[NUM_PORTS];
  req_flit_t req_result;
  req_hdr_t req_merged[NUM_PORTS];
  logic req_result_valid, req_result_ready;

  noccl_router #(
      .flit_t      (req_flit_t),
      .hdr_t       (req_hdr_t),
      .HasMulticast(HasMulticast),
      .JoinKinds   (HasMerge ? noccl_flit_pkg::REQ_JOIN_KINDS : '0)
  ) u_req (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i      (req_in_valid_i),
      .in_ready_o      (req_in_ready_o),
      .in_flit_i       (req_in_flit_i),
      .out_valid_o     (req_out_valid_o),
      .out_ready_i     (req_out_ready_i),
      .out_flit_o      (req_out_flit_o),
      .join_valid_o    (req_join_valid),
      .head_o          (req_head),
      .join_absorb_i   (req_absorb),
      .join_forward_i  (req_forward),
      .join_candidate_i(req_candidate),
      .join_goes_on_i  (req_goes_on),
      .join_hdr_i      (req_merged),
      .join_taken_o    (req_taken),
      .result_valid_i  (req_result_valid),
      .result_i        (req_result),
      .result_ready_o  (req_result_ready)
  );

  if (HasMerge) begin : gen_req_merge
    req_hdr_t head_hdr[NUM_PORTS];
    req_hdr_t result_hdr;
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign head_hdr[i] = req_head[i].hdr;
    end
    always_comb begin
      req_result = '0;
      req_result.hdr = result_hdr;
    end

    noccl_merge #(
        .hdr_t(req_hdr_t)
    ) u_merge (
        .clk_i,
        .rst_ni,
        .position_i,
        .join_valid_i  (req_join_valid),
        .head_i        (head_hdr),
        .absorb_o      (req_absorb),
        .forward_o     (req_forward),
        .candidate_o   (req_candidate),
        .goes_on_o     (req_goes_on),
        .hdr_o         (req_merged),
        .taken_i       (req_taken),
        .result_valid_o(req_result_valid),
        .result_o      (result_hdr),
        .result_ready_i(req_result_ready)
    );
  end else begin : gen_req_no_merge
    assign req_absorb = '0;
    assign req_forward = '0;
    assign req_candidate = '0;
    assign req_goes_on = 1'b0;
    assign req_result_valid = 1'b0;
    assign req_result = '0;
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign req_merged[i] = '0;
    end
  end

  port_set_t rsp_join_valid, rsp_absorb, rsp_forward, rsp_candidate, rsp_taken;
  logic rsp_goes_on;
  rsp_flit_t rsp_head[NUM_PORTS];
  rsp_flit_t rsp_result;
  rsp_hdr_t rsp_merged[NUM_PORTS];
  logic rsp_result_valid, rsp_result_ready;

  noccl_router #(
      .flit_t      (rsp_flit_t),
      .hdr_t       (rsp_hdr_t),
      .HasMulticast(HasMulticast),
      .JoinKinds   (HasMerge ? noccl_flit_pkg::RSP_JOIN_KINDS : '0)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i      (rsp_in_valid_i),
      .in_ready_o      (rsp_in_ready_o),
      .in_flit_i       (rsp_in_flit_i),
      .out_valid_o     (rsp_out_valid_o),
      .out_ready_i     (rsp_out_ready_i),
      .out_flit_o      (rsp_out_flit_o),
      .join_valid_o    (rsp_join_valid),
      .head_o          (rsp_head),
      .join_absorb_i   (rsp_absorb),
      .join_forward_i  (rsp_forward),
      .join_candidate_i(rsp_candidate),
      .join_goes_on_i  (rsp_goes_on),
      .join_hdr_i      (rsp_merged),
      .join_taken_o    (rsp_taken),
      .result_valid_i  (rsp_result_valid),
      .result_i        (rsp_result),
      .result_ready_o  (rsp_result_ready)
  );

  if (HasMerge) begin : gen_rsp_merge
    rsp_hdr_t head_hdr[NUM_PORTS];
    rsp_hdr_t result_hdr;
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign head_hdr[i] = rsp_head[i].hdr;
    end
    always_comb begin
      rsp_result = '0;
      rsp_result.hdr = result_hdr;
    end

    noccl_merge #(
        .hdr_t(rsp_hdr_t)
    ) u_merge (
        .clk_i,
        .rst_ni,
        .position_i,
        .join_valid_i  (rsp_join_valid),
        .head_i        (head_hdr),
        .absorb_o      (rsp_absorb),
        .forward_o     (rsp_forward),
        .candidate_o   (rsp_candidate),
        .goes_on_o     (rsp_goes_on),
        .hdr_o         (rsp_merged),
        .taken_i       (rsp_taken),
        .result_valid_o(rsp_result_valid),
        .result_o      (result_hdr),
        .result_ready_i(rsp_result_ready)
    );
  end else begin : gen_rsp_no_merge
    assign rsp_absorb = '0;
    assign rsp_forward = '0;
    assign rsp_candidate = '0;
    assign rsp_goes_on = 1'b0;
    assign rsp_result_valid = 1'b0;
    assign rsp_result = '0;
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign rsp_merged[i] = '0;
    end
  end

endmodule
