// SPDX-License-Identifier: Apache-2.0
// Wide reductions at a router: operands wait in the store until all of a beat are there, the
// cluster's arithmetic reduces them, one flit per beat goes on. Wiring only.
//
// Latency: an operand that completes a beat in cycle c is read in c + 1 and offered to the arithmetic in c + 2; the sum is
// offered to the router when the arithmetic offers it: c + 5 for two operands of FP64, c + 8 for three.
// Throughput: one beat per cycle with two or three operands, one in two with four or five, at most.
// Combinational paths: `join_valid_i`, `head_i`, `dca_result_valid_i`, `dca_result_tag_i` to `absorb_o`, `store_we_o`,
// `store_waddr_o`; `dca_result_valid_i` to `result_valid_o`; `result_ready_i` to `dca_result_ready_o`; `dca_ready_i` to
// `store_re_o`.
// Ordering: beats of a flow in order; operands of a beat in the order of the inputs, whatever the order of arrival.
// Freedom from deadlock: a contribution never waits in its FIFO while at most `REDUCTION_FLOWS` flows pass the router.
// Source: S1, sections 3.1.4 and 3.2.1; docs/design/0001, decision I; docs/design/0004.
// Mirror: crates/noccl-sim/src/router/collective/reduction.

module noccl_reduction
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t, noccl_flit_pkg::wide_hdr_t;
  import noccl_flit_pkg::wide_data_t, noccl_cfg_pkg::REDUCTION_FLOWS;
  import noccl_collective_pkg::slot_t, noccl_collective_pkg::slot_set_t;
  import noccl_collective_pkg::flow_t, noccl_collective_pkg::place_t, noccl_collective_pkg::name_t;
  import noccl_collective_pkg::store_address_t, noccl_collective_pkg::dca_tag_t;
(
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input  logic                        rst_ni,
    /// Mesh coordinate of the router; constant.
    input  noccl_flit_pkg::coord_t      position_i,
    /// Inputs whose head is an operand; stays until absorbed or forwarded.
    input  port_set_t                   join_valid_i,
    /// Headers of the heads; ignored without valid. Their data are the write data of the banks.
    input  wide_hdr_t                   head_i               [NUM_PORTS],
    /// The heads meet other contributions here (`noccl_join_set`); ignored without valid.
    input  port_set_t                   meets_i,
    /// Their strobes enable whole lines; ignored without valid.
    input  port_set_t                   is_whole_i,
    /// The head leaves into the store.
    output port_set_t                   absorb_o,
    /// The head meets no other contributions here and goes on as it is; stays until taken.
    output port_set_t                   forward_o,
    /// A sum is offered; stays until ready.
    output logic                        result_valid_o,
    /// Its header; undefined without valid. Its data are the arithmetic's result.
    output wide_hdr_t                   result_hdr_o,
    /// The router takes it.
    input  logic                        result_ready_i,
    /// Per input: write into its bank, the head's data if it is absorbed.
    output port_set_t                   store_we_o,
    /// What bank `PARTIALS_BANK` writes is the arithmetic's result.
    output logic                        store_partial_o,
    /// Per input: where; undefined without write.
    output store_address_t              store_waddr_o        [NUM_PORTS],
    /// Read these banks.
    output port_set_t                   store_re_o,
    /// Where, common to all; undefined without read.
    output store_address_t              store_raddr_o,
    /// What each bank read last.
    input  wide_data_t                  store_rdata_i        [NUM_PORTS],
    /// A request to the arithmetic; stays until ready.
    output logic                        dca_valid_o,
    /// The arithmetic takes it.
    input  logic                        dca_ready_i,
    /// Operator of the request.
    output noccl_number_pkg::operator_e dca_operator_o,
    /// Type of the elements.
    output noccl_number_pkg::element_e  dca_element_o,
    /// Operands, combined from the first.
    output wide_data_t                  dca_operand_o        [        3],
    /// The third operand counts.
    output logic                        dca_has_third_o,
    /// Comes back with the result.
    output dca_tag_t                    dca_tag_o,
    /// The oldest result; stays until ready. Results come in the order of requests.
    input  logic                        dca_result_valid_i,
    /// It is taken.
    output logic                        dca_result_ready_o,
    /// What came with the request; ignored without valid.
    input  dca_tag_t                    dca_result_tag_i,
    /// Credits of the next merge point have come for a flow of this name.
    input  logic                        credit_valid_i,
    /// Its name; ignored without valid.
    input  name_t                       credit_name_i,
    /// A flow of this router is meant; otherwise the tile's NI is.
    output logic                        credit_hit_o,
    /// Credits for a sender elsewhere, `CREDIT_BEATS` of them; stay until ready.
    output logic                        credit_return_valid_o,
    /// The sender.
    output noccl_flit_pkg::coord_t      credit_return_dst_o,
    /// Name of its flow.
    output name_t                       credit_return_name_o,
    /// The NI sends it.
    input  logic                        credit_return_ready_i,
    /// Credits for the tile's own NI, `CREDIT_BEATS` of them, taken at once.
    output logic                        own_valid_o,
    /// Name of its flow.
    output name_t                       own_name_o
);

  slot_set_t enters[NUM_PORTS];
  store_address_t waddr[NUM_PORTS], partial_address;
  slot_set_t starts, valid, allowed, may_finish, chosen, begins, finishes;
  noccl_flit_pkg::left_t new_left;
  port_set_t join_set[REDUCTION_FLOWS];
  flow_t flow[REDUCTION_FLOWS];
  slot_t result_slot;
  place_t place;

  noccl_reduction_flows u_flows (
      .clk_i,
      .rst_ni,
      .position_i,
      .join_valid_i,
      .head_i,
      .meets_i,
      .is_whole_i,
      .blocked_i     (store_partial_o ? noccl_collective_pkg::PARTIALS_BANK : '0),
      .absorb_o,
      .forward_o,
      .enters_o      (enters),
      .starts_o      (starts),
      .new_left_o    (new_left),
      .valid_o       (valid),
      .join_o        (join_set),
      .flow_o        (flow),
      .result_taken_i(result_valid_o && result_ready_i),
      .result_slot_i (result_slot),
      .result_hdr_o
  );

  assign store_we_o = absorb_o | (store_partial_o ? noccl_collective_pkg::PARTIALS_BANK : '0);
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_waddr
    localparam bit HasPartials = noccl_collective_pkg::PARTIALS_BANK[i];
    assign store_waddr_o[i] = HasPartials && store_partial_o ? partial_address : waddr[i];
  end

  noccl_reduction_queues u_queues (
      .clk_i,
      .rst_ni,
      .enters_i (enters),
      .starts_i (starts),
      .valid_i  (valid),
      .join_i   (join_set),
      .waddr_o  (waddr),
      .allowed_i(allowed),
      .chosen_o (chosen),
      .place_o  (place),
      .begins_i (begins)
  );

  noccl_reduction_credits u_credits (
      .clk_i,
      .rst_ni,
      .position_i,
      .starts_i    (starts),
      .new_left_i  (new_left),
      .valid_i     (valid),
      .join_i      (join_set),
      .flow_i      (flow),
      .allowed_o   (allowed),
      .may_finish_o(may_finish),
      .begins_i    (begins),
      .finishes_i  (finishes),
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

  noccl_reduction_issue u_issue (
      .clk_i,
      .rst_ni,
      .join_i           (join_set),
      .flow_i           (flow),
      .chosen_i         (chosen),
      .place_i          (place),
      .begins_o         (begins),
      .may_finish_i     (may_finish),
      .finishes_o       (finishes),
      .store_re_o,
      .store_raddr_o,
      .store_rdata_i,
      .dca_valid_o,
      .dca_ready_i,
      .dca_operator_o,
      .dca_element_o,
      .dca_operand_o,
      .dca_has_third_o,
      .dca_tag_o,
      .dca_result_valid_i,
      .dca_result_ready_o,
      .dca_result_tag_i,
      .partial_o        (store_partial_o),
      .partial_address_o(partial_address),
      .result_valid_o,
      .result_slot_o    (result_slot),
      .result_ready_i
  );

endmodule
