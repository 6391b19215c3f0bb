// SPDX-License-Identifier: Apache-2.0
// A tile's part of the network: routers of the three planes, the operand store of wide reductions
// and the arithmetic that reduces them, which the tile's cores share. Wiring only.
//
// Latency, throughput, ordering: those of `noccl_router`, `noccl_reduction` and `noccl_compute_slice`.
// Combinational paths: none between link ports; those of the slice between its ports for cores.
// Freedom from deadlock: results of cores must be taken without waiting for the network (`noccl_compute_slice`).
// Source: S1, section 3.2.1; docs/design/0004. Mirror: the three `PlaneState`s of
// crates/noccl-sim/src/machine at one tile.

`include "noccl_assert.svh"

module noccl_junction
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::coord_t, noccl_flit_pkg::links_t;
  import noccl_flit_pkg::wide_data_t;
  import noccl_collective_pkg::name_t, noccl_compute_pkg::operation_t;
#(
    /// Multicasts exist.
    parameter bit HasMulticast = 1'b1,
    /// Responses of multicasts and contributions of barriers merge in the network.
    parameter bit HasMerge = 1'b1,
    /// Operands of wide reductions are reduced; without, cores have the arithmetic for themselves.
    parameter bit HasReduction = 1'b1,
    /// Element types of the arithmetic, bit i for code i.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// What goes with a core's operation and comes back with its result.
    parameter type core_tag_t = logic,
    /// Units of the arithmetic, one per core; follows from the package.
    localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64
) (
    /// Clock.
    input  logic                                       clk_i,
    /// Asynchronous reset, active low: nothing is stored.
    input  logic                                       rst_ni,
    /// Mesh coordinate of the tile; constant.
    input  coord_t                                     position_i,
    /// Per port N, E, S, W, Local: what the other end shows.
    input  links_t                                     link_i               [NUM_PORTS],
    /// What this end shows; `ready` is space in the input FIFO at the start of the cycle.
    output links_t                                     link_o               [NUM_PORTS],
    /// Credits of the next merge point have come for a flow of this name.
    input  logic                                       credit_valid_i,
    /// Its name; ignored without valid.
    input  name_t                                      credit_name_i,
    /// A flow of this router is meant; otherwise the tile's NI is.
    output logic                                       credit_hit_o,
    /// Credits for a sender elsewhere; stay until ready.
    output logic                                       credit_return_valid_o,
    /// The sender.
    output coord_t                                     credit_return_dst_o,
    /// Name of its flow.
    output name_t                                      credit_return_name_o,
    /// The NI sends it.
    input  logic                                       credit_return_ready_i,
    /// Credits for the tile's own NI, taken at once.
    output logic                                       own_valid_o,
    /// Name of its flow.
    output name_t                                      own_name_o,
    /// Per lane: its core asks; stays, with all that goes with it, until `core_ready_o`.
    input  logic                        [NumLanes-1:0] core_valid_i,
    /// Per lane: the operation is accepted if there is one.
    output logic                        [NumLanes-1:0] core_ready_o,
    /// Per lane: operator and element type.
    input  operation_t                                 core_operation_i     [ NumLanes],
    /// Per lane: first operand, elements from the lowest bits upwards.
    input  logic                        [        63:0] core_a_i             [ NumLanes],
    /// Per lane: second operand.
    input  logic                        [        63:0] core_b_i             [ NumLanes],
    /// Per lane: goes with the operation.
    input  core_tag_t                                  core_tag_i           [ NumLanes],
    /// Per lane: a result is there; stays until `core_result_ready_i`.
    output logic                        [NumLanes-1:0] core_result_valid_o,
    /// Per lane: the result is taken; must not depend on the network.
    input  logic                        [NumLanes-1:0] core_result_ready_i,
    /// Per lane: the result, zero if refused.
    output logic                        [        63:0] core_result_o        [ NumLanes],
    /// Per lane: why there is no result.
    output noccl_compute_pkg::refusal_e                core_refusal_o       [ NumLanes],
    /// Per lane: what went with the operation.
    output core_tag_t                                  core_result_tag_o    [ NumLanes]
);

  noccl_collective_pkg::store_request_t store;
  wide_data_t store_rdata[NUM_PORTS];
  logic dca_valid, dca_ready, dca_result_valid, dca_result_ready;
  noccl_collective_pkg::dca_request_t dca;
  noccl_collective_pkg::dca_result_t dca_result;
  noccl_compute_pkg::refusal_e refusal;

  noccl_routers #(
      .HasMulticast(HasMulticast),
      .HasMerge    (HasMerge),
      .HasReduction(HasReduction)
  ) u_routers (
      .clk_i,
      .rst_ni,
      .position_i,
      .link_i,
      .link_o,
      .store_o           (store),
      .store_rdata_i     (store_rdata),
      .dca_valid_o       (dca_valid),
      .dca_ready_i       (dca_ready),
      .dca_o             (dca),
      .dca_result_valid_i(dca_result_valid),
      .dca_result_ready_o(dca_result_ready),
      .dca_result_i      (dca_result),
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

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_bank
    if (HasReduction) begin : gen_store
      noccl_store_bank u_bank (
          .clk_i,
          .rst_ni,
          .we_i   (store.we[i]),
          .waddr_i(store.waddr[i]),
          .wdata_i(store.wdata[i]),
          .re_i   (store.re[i]),
          .raddr_i(store.raddr),
          .rdata_o(store_rdata[i])
      );
    end else begin : gen_no_store
      assign store_rdata[i] = '0;
    end
  end

  noccl_compute_pkg::operation_t dca_operation;
  assign dca_operation.op = dca.op;
  assign dca_operation.element = dca.element;

  noccl_compute_slice #(
      .NumLanes     (NumLanes),
      .Elements     (Elements),
      .ThreeOperands(HasReduction && noccl_cfg_pkg::REDUCTION_OPERANDS == 3),
      .core_tag_t   (core_tag_t),
      .dca_tag_t    (noccl_collective_pkg::dca_tag_t)
  ) u_slice (
      .clk_i,
      .rst_ni,
      .core_valid_i,
      .core_ready_o,
      .core_operation_i,
      .core_a_i,
      .core_b_i,
      .core_tag_i,
      .core_result_valid_o,
      .core_result_ready_i,
      .core_result_o,
      .core_refusal_o,
      .core_result_tag_o,
      .dca_valid_i       (dca_valid),
      .dca_ready_o       (dca_ready),
      .dca_operation_i   (dca_operation),
      .dca_a_i           (dca.first),
      .dca_b_i           (dca.second),
      .dca_third_i       (dca.third),
      .dca_has_third_i   (dca.has_third),
      .dca_tag_i         (dca.tag),
      .dca_result_valid_o(dca_result_valid),
      .dca_result_ready_i(dca_result_ready),
      .dca_result_o      (dca_result.data),
      .dca_refusal_o     (refusal),
      .dca_result_tag_o  (dca_result.tag)
  );

  // Who starts a reduction knows what the arithmetic is built for.
  `NOCCL_ASSUME(NothingIsRefused, !dca_result_valid || refusal == noccl_compute_pkg::REFUSAL_NONE)

endmodule
