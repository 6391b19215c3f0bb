// SPDX-License-Identifier: Apache-2.0
// The compute slice with plain bits as tags, so that tools which cannot set types can drive it.

module noccl_compute_slice_tb #(
    /// 64-bit lanes.
    parameter int unsigned NumLanes = 8,
    /// Element types, bit i for code i.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// A second row for the network's third operand.
    parameter bit ThreeOperands = 1'b1
) (
    /// Clock.
    input  logic                   clk_i,
    /// Asynchronous reset, active low.
    input  logic                   rst_ni,
    /// Cores.
    input  logic [   NumLanes-1:0] core_valid_i,
    /// Cores.
    output logic [   NumLanes-1:0] core_ready_o,
    /// Cores: operator above element.
    input  logic [            6:0] core_operation_i   [NumLanes],
    /// Cores.
    input  logic [           63:0] core_a_i           [NumLanes],
    /// Cores.
    input  logic [           63:0] core_b_i           [NumLanes],
    /// Cores.
    input  logic [           15:0] core_tag_i         [NumLanes],
    /// Cores' results.
    output logic [   NumLanes-1:0] core_result_valid_o,
    /// Cores' results.
    input  logic [   NumLanes-1:0] core_result_ready_i,
    /// Cores' results.
    output logic [           63:0] core_result_o      [NumLanes],
    /// Cores' results.
    output logic [            1:0] core_refusal_o     [NumLanes],
    /// Cores' results.
    output logic [           15:0] core_result_tag_o  [NumLanes],
    /// Network.
    input  logic                   dca_valid_i,
    /// Network.
    output logic                   dca_ready_o,
    /// Network: operator above element.
    input  logic [            6:0] dca_operation_i,
    /// Network.
    input  logic [64*NumLanes-1:0] dca_a_i,
    /// Network.
    input  logic [64*NumLanes-1:0] dca_b_i,
    /// Network.
    input  logic [64*NumLanes-1:0] dca_third_i,
    /// Network.
    input  logic                   dca_has_third_i,
    /// Network.
    input  logic [           15:0] dca_tag_i,
    /// Network's results.
    output logic                   dca_result_valid_o,
    /// Network's results.
    input  logic                   dca_result_ready_i,
    /// Network's results.
    output logic [64*NumLanes-1:0] dca_result_o,
    /// Network's results.
    output logic [            1:0] dca_refusal_o,
    /// Network's results.
    output logic [           15:0] dca_result_tag_o
);

  noccl_compute_pkg::operation_t core_operation[NumLanes];
  noccl_compute_pkg::refusal_e   core_refusal  [NumLanes];
  noccl_compute_pkg::refusal_e   dca_refusal;
  for (genvar l = 0; l < NumLanes; l++) begin : gen_lane
    assign core_operation[l] = noccl_compute_pkg::operation_t'(core_operation_i[l]);
    assign core_refusal_o[l] = core_refusal[l];
  end
  assign dca_refusal_o = dca_refusal;

  noccl_compute_slice #(
      .NumLanes(NumLanes),
      .Elements(Elements),
      .ThreeOperands(ThreeOperands),
      .core_tag_t(logic [15:0]),
      .dca_tag_t(logic [15:0])
  ) u_slice (
      .clk_i,
      .rst_ni,
      .core_valid_i,
      .core_ready_o,
      .core_operation_i(core_operation),
      .core_a_i,
      .core_b_i,
      .core_tag_i,
      .core_result_valid_o,
      .core_result_ready_i,
      .core_result_o,
      .core_refusal_o(core_refusal),
      .core_result_tag_o,
      .dca_valid_i,
      .dca_ready_o,
      .dca_operation_i(noccl_compute_pkg::operation_t'(dca_operation_i)),
      .dca_a_i,
      .dca_b_i,
      .dca_third_i,
      .dca_has_third_i,
      .dca_tag_i,
      .dca_result_valid_o,
      .dca_result_ready_i,
      .dca_result_o,
      .dca_refusal_o(dca_refusal),
      .dca_result_tag_o
  );

endmodule
