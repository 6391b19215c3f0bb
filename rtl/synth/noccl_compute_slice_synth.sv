// SPDX-License-Identifier: Apache-2.0
// The compute slice as cores alone would have it, and with the network's ports, for the measurement of area. Tags of the
// network are those of the reduction unit; cores bring five bits, the number of a register.
//
// Latency, order, paths: those of `noccl_compute_slice`.

module noccl_compute_slice_synth #(
    /// 64-bit lanes.
    parameter int unsigned NumLanes = 8,
    /// The network may use them too.
    parameter bit HasDca = 1'b1,
    /// A second row for the network's third operand.
    parameter bit ThreeOperands = 1'b1
) (
    /// Clock.
    input  logic                                             clk_i,
    /// Asynchronous reset, active low.
    input  logic                                             rst_ni,
    /// As in `noccl_compute_slice`.
    input  logic                           [   NumLanes-1:0] core_valid_i,
    /// As in `noccl_compute_slice`.
    output logic                           [   NumLanes-1:0] core_ready_o,
    /// As in `noccl_compute_slice`.
    input  noccl_compute_pkg::operation_t                    core_operation_i   [NumLanes],
    /// As in `noccl_compute_slice`.
    input  logic                           [           63:0] core_a_i           [NumLanes],
    /// As in `noccl_compute_slice`.
    input  logic                           [           63:0] core_b_i           [NumLanes],
    /// As in `noccl_compute_slice`.
    input  logic                           [            4:0] core_tag_i         [NumLanes],
    /// As in `noccl_compute_slice`.
    output logic                           [   NumLanes-1:0] core_result_valid_o,
    /// As in `noccl_compute_slice`.
    input  logic                           [   NumLanes-1:0] core_result_ready_i,
    /// As in `noccl_compute_slice`.
    output logic                           [           63:0] core_result_o      [NumLanes],
    /// As in `noccl_compute_slice`.
    output noccl_compute_pkg::refusal_e                      core_refusal_o     [NumLanes],
    /// As in `noccl_compute_slice`.
    output logic                           [            4:0] core_result_tag_o  [NumLanes],
    /// As in `noccl_compute_slice`.
    input  logic                                             dca_valid_i,
    /// As in `noccl_compute_slice`.
    output logic                                             dca_ready_o,
    /// As in `noccl_compute_slice`.
    input  noccl_compute_pkg::operation_t                    dca_operation_i,
    /// As in `noccl_compute_slice`.
    input  logic                           [64*NumLanes-1:0] dca_a_i,
    /// As in `noccl_compute_slice`.
    input  logic                           [64*NumLanes-1:0] dca_b_i,
    /// As in `noccl_compute_slice`.
    input  logic                           [64*NumLanes-1:0] dca_third_i,
    /// As in `noccl_compute_slice`.
    input  logic                                             dca_has_third_i,
    /// As in `noccl_compute_slice`.
    input  noccl_collective_pkg::dca_tag_t                   dca_tag_i,
    /// As in `noccl_compute_slice`.
    output logic                                             dca_result_valid_o,
    /// As in `noccl_compute_slice`.
    input  logic                                             dca_result_ready_i,
    /// As in `noccl_compute_slice`.
    output logic                           [64*NumLanes-1:0] dca_result_o,
    /// As in `noccl_compute_slice`.
    output noccl_compute_pkg::refusal_e                      dca_refusal_o,
    /// As in `noccl_compute_slice`.
    output noccl_collective_pkg::dca_tag_t                   dca_result_tag_o
);

  noccl_compute_slice #(
      .NumLanes     (NumLanes),
      .ThreeOperands(ThreeOperands),
      .core_tag_t   (logic [4:0]),
      .dca_tag_t    (noccl_collective_pkg::dca_tag_t)
  ) u_slice (
      .dca_valid_i    (HasDca && dca_valid_i),
      .dca_operation_i(HasDca ? dca_operation_i : noccl_compute_pkg::operation_t'('0)),
      .dca_a_i        (HasDca ? dca_a_i : '0),
      .dca_b_i        (HasDca ? dca_b_i : '0),
      .dca_third_i    (HasDca ? dca_third_i : '0),
      .dca_has_third_i(HasDca && ThreeOperands && dca_has_third_i),
      .*
  );

endmodule
