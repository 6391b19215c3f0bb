// SPDX-License-Identifier: Apache-2.0
// Router of the wide plane with its reduction unit. Wiring only.
//
// Latency, throughput, paths, ordering: those of `noccl_router` and `noccl_reduction`. Data of operands go from the heads
// to the store, data of sums from the arithmetic to the outputs: neither passes the unit. Without `HasReduction`
// operands are unicast flits, the ports to store, arithmetic and NI are quiet, and nothing of the unit remains.
// Source: S1, section 3.1.4; docs/design/0004. Mirror: `evaluate_unit` in
// crates/noccl-sim/src/router/collective/merge/contributions.rs.

module noccl_reducing_router
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::wide_hdr_t, noccl_flit_pkg::wide_data_t;
  import noccl_flit_pkg::wide_link_t;
  import noccl_collective_pkg::store_request_t, noccl_collective_pkg::dca_request_t;
  import noccl_collective_pkg::dca_result_t, noccl_collective_pkg::name_t;
#(
    /// Multicasts exist.
    parameter bit HasMulticast = 1'b1,
    /// Operands of reductions are reduced here.
    parameter bit HasReduction = 1'b1
) (
    /// Clock.
    input  logic           clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input  logic           rst_ni,
    /// Mesh coordinate of the tile; constant.
    input  coord_t         position_i,
    /// Per port N, E, S, W, Local: what the other end shows.
    input  wide_link_t     link_i               [NUM_PORTS],
    /// What this end shows; `ready` is space in the input FIFO at the start of the cycle.
    output wide_link_t     link_o               [NUM_PORTS],
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

  port_set_t in_valid, in_ready, out_valid, out_ready;
  wide_flit_t in_flit[NUM_PORTS], out_flit[NUM_PORTS];
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_link
    assign in_valid[i]  = link_i[i].valid;
    assign in_flit[i]   = link_i[i].flit;
    assign out_ready[i] = link_i[i].ready;
    assign link_o[i]    = '{ready: in_ready[i], valid: out_valid[i], flit: out_flit[i]};
  end

  port_set_t join_valid, absorb, forward;
  wide_flit_t head[NUM_PORTS], result;
  wide_hdr_t head_hdr[NUM_PORTS];
  // Operands that meet others here, as they come and as heads.
  port_set_t in_meets, meets, is_whole;
  logic result_valid, result_ready, is_partial;

  noccl_router #(
      .flit_t      (wide_flit_t),
      .hdr_t       (wide_hdr_t),
      .HasMulticast(HasMulticast),
      .JoinKinds   (HasReduction ? noccl_flit_pkg::WIDE_JOIN_KINDS : '0)
  ) u_router (
      .clk_i,
      .rst_ni,
      .position_i,
      .in_valid_i      (in_valid),
      .in_ready_o      (in_ready),
      .in_flit_i       (in_flit),
      .in_note_i       (in_meets),
      .out_valid_o     (out_valid),
      .out_ready_i     (out_ready),
      .out_flit_o      (out_flit),
      .join_valid_o    (join_valid),
      .head_o          (head),
      .head_note_o     (meets),
      .join_absorb_i   (absorb),
      .join_forward_i  (forward),
      .join_candidate_i('0),
      .join_goes_on_i  (1'b0),
      .join_hdr_i      (head_hdr),
      .join_taken_o    (),
      .result_valid_i  (result_valid),
      .result_i        (result),
      .result_route_i  (noccl_flit_pkg::toward(position_i, result.hdr.dst)),
      .result_ready_o  (result_ready)
  );

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_hdr
    assign head_hdr[i] = head[i].hdr;
    assign is_whole[i] = head[i].strobe == '1;
    localparam bit HasPartials = noccl_collective_pkg::PARTIALS_BANK[i];
    assign store_o.wdata[i] = HasPartials && is_partial ? dca_result_i.data : head[i].data;
  end
  // Sums fill their line.
  assign result.strobe = '1;
  assign result.data   = dca_result_i.data;

  if (HasReduction) begin : gen_reduction
    noccl_collective_pkg::store_address_t waddr[NUM_PORTS];
    wide_data_t operand[3];

    noccl_reduction u_reduction (
        .clk_i,
        .rst_ni,
        .position_i,
        .join_valid_i    (join_valid),
        .head_i          (head_hdr),
        .meets_i         (meets),
        .is_whole_i      (is_whole),
        .absorb_o        (absorb),
        .forward_o       (forward),
        .result_valid_o  (result_valid),
        .result_hdr_o    (result.hdr),
        .result_ready_i  (result_ready),
        .store_we_o      (store_o.we),
        .store_partial_o (is_partial),
        .store_waddr_o   (waddr),
        .store_re_o      (store_o.re),
        .store_raddr_o   (store_o.raddr),
        .store_rdata_i,
        .dca_valid_o,
        .dca_ready_i,
        .dca_operator_o  (dca_o.op),
        .dca_element_o   (dca_o.element),
        .dca_operand_o   (operand),
        .dca_has_third_o (dca_o.has_third),
        .dca_tag_o       (dca_o.tag),
        .dca_result_valid_i,
        .dca_result_ready_o,
        .dca_result_tag_i(dca_result_i.tag),
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
    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_input
      noccl_join_set u_join_set (
          .position_i,
          .base_i (in_flit[i].hdr.base),
          .mask_i (in_flit[i].hdr.mask),
          .root_i (in_flit[i].hdr.dst),
          .ports_o(),
          .meets_o(in_meets[i])
      );
      assign store_o.waddr[i] = waddr[i];
    end
    assign {dca_o.third, dca_o.second, dca_o.first} = {operand[2], operand[1], operand[0]};
  end else begin : gen_no_reduction
    assign in_meets = '0;
    assign absorb = '0;
    assign is_partial = 1'b0;
    assign forward = '0;
    assign result_valid = 1'b0;
    assign result.hdr = '0;
    assign store_o.we = '0;
    assign store_o.waddr = '0;
    assign store_o.re = '0;
    assign store_o.raddr = '0;
    assign dca_valid_o = 1'b0;
    assign dca_o = '0;
    assign dca_result_ready_o = 1'b0;
    assign credit_hit_o = 1'b0;
    assign credit_return_valid_o = 1'b0;
    assign credit_return_dst_o = '0;
    assign credit_return_name_o = '0;
    assign own_valid_o = 1'b0;
    assign own_name_o = '0;
  end

endmodule
