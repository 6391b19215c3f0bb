// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a cluster, eight 64-bit units, shared by its cores and the network: direct
// compute access (DCA).
//
// A core's unit takes one operation on 64 bits; the network takes all units at once for a beat, and
// with `ThreeOperands` may combine a third operand in a second row of units that is its own.
// Whoever asks gets the result back with the tag that came with the question. What the slice was
// not built for is refused: a result that says so.
//
// Latency: 3 cycles for 64-bit elements, 2 for 32-bit ones, 1 for shorter ones; with a third operand twice that.
// Throughput: one operation per cycle and lane; if cores and network both ask, they alternate.
// Order: each core and the network get their results in the order of their requests.
// Back-pressure: results that are not taken stay in the pipeline and block what is behind them, of
// cores and network alike; a core must not wait for the network before it takes its results.
// Combinational paths: from `*_result_ready_i` to all `*_ready_o`; from `dca_valid_i` to `core_ready_o`.
// Source: S1, section 3.2.1; docs/rtl/compute.md. Mirror: `share_fpus` of the simulator.
`include "noccl_assert.svh"

module noccl_compute_slice #(
    /// 64-bit lanes, at least 1: beat width / 64.
    parameter int unsigned NumLanes = 8,
    /// Element types it is built for, bit i for code i.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    /// A second row of lanes for the network's third operand.
    parameter bit ThreeOperands = 1'b1,
    /// What goes with a core's operation and comes back with its result.
    parameter type core_tag_t = logic,
    /// What goes with an operation of the network and comes back with its result.
    parameter type dca_tag_t = logic
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low: no operation is in flight.
    input logic rst_ni,

    /// Per lane: its core asks; stays, with all that goes with it, until `core_ready_o`.
    input logic [NumLanes-1:0] core_valid_i,
    /// Per lane: the operation is accepted if there is one.
    output logic [NumLanes-1:0] core_ready_o,
    /// Per lane: operator and element type.
    input noccl_compute_pkg::operation_t core_operation_i[NumLanes],
    /// Per lane: first operand, elements from the lowest bits upwards.
    input logic [63:0] core_a_i[NumLanes],
    /// Per lane: second operand.
    input logic [63:0] core_b_i[NumLanes],
    /// Per lane: goes with the operation.
    input core_tag_t core_tag_i[NumLanes],
    /// Per lane: a result is there; stays until `core_result_ready_i`.
    output logic [NumLanes-1:0] core_result_valid_o,
    /// Per lane: the result is taken; must not depend on the network.
    input logic [NumLanes-1:0] core_result_ready_i,
    /// Per lane: the result, zero if refused.
    output logic [63:0] core_result_o[NumLanes],
    /// Per lane: why there is no result.
    output noccl_compute_pkg::refusal_e core_refusal_o[NumLanes],
    /// Per lane: what went with the operation.
    output core_tag_t core_result_tag_o[NumLanes],

    /// The network asks; stays, with all that goes with it, until `dca_ready_o`.
    input logic dca_valid_i,
    /// The operation is accepted if there is one.
    output logic dca_ready_o,
    /// Operator and element type.
    input noccl_compute_pkg::operation_t dca_operation_i,
    /// First operand of all lanes, lane 0 at the lowest bits.
    input logic [64*NumLanes-1:0] dca_a_i,
    /// Second operand.
    input logic [64*NumLanes-1:0] dca_b_i,
    /// Third operand, combined after the others; ignored without `dca_has_third_i`.
    input logic [64*NumLanes-1:0] dca_third_i,
    /// There is a third operand; must be 0 without `ThreeOperands`.
    input logic dca_has_third_i,
    /// Goes with the operation.
    input dca_tag_t dca_tag_i,
    /// A result is there; stays until `dca_result_ready_i`.
    output logic dca_result_valid_o,
    /// The result is taken.
    input logic dca_result_ready_i,
    /// The result, zero if refused.
    output logic [64*NumLanes-1:0] dca_result_o,
    /// Why there is no result.
    output noccl_compute_pkg::refusal_e dca_refusal_o,
    /// What went with the operation.
    output dca_tag_t dca_result_tag_o
);

  typedef logic [64*NumLanes-1:0] beat_t;

  typedef struct packed {
    noccl_compute_pkg::refusal_e refusal;
    core_tag_t tag;
  } core_note_t;

  typedef struct packed {
    noccl_compute_pkg::refusal_e refusal;
    dca_tag_t tag;
  } dca_note_t;

  logic [NumLanes-1:0] core_free;
  logic dca_free, dca_grant;
  core_note_t core_note[NumLanes], core_result_note[NumLanes];
  dca_note_t dca_note;

  assign dca_note = '{
          refusal: noccl_compute_pkg::refusal_of(Elements, dca_operation_i),
          tag: dca_tag_i
      };
  for (genvar l = 0; l < NumLanes; l++) begin : gen_note
    assign core_note[l] = '{
            refusal: noccl_compute_pkg::refusal_of(Elements, core_operation_i[l]),
            tag: core_tag_i[l]
        };
    assign core_refusal_o[l] = core_result_note[l].refusal;
    assign core_result_tag_o[l] = core_result_note[l].tag;
  end

  noccl_compute_arbiter #(
      .NumLanes(NumLanes)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .core_valid_i,
      .core_ready_o,
      .core_free_i(core_free),
      .dca_valid_i,
      .dca_ready_o,
      .dca_free_i (dca_free),
      .dca_grant_o(dca_grant)
  );

  if (ThreeOperands) begin : gen_three
    // What the second row needs, carried through the first one.
    typedef struct packed {
      dca_note_t note;
      logic has_third;
      noccl_compute_pkg::operation_t operation;
      beat_t third;
    } first_note_t;

    logic first_valid, first_ready;
    beat_t first_result;
    first_note_t asked_note, first_note;
    assign asked_note = '{
            note: dca_note,
            has_third: dca_has_third_i && dca_note.refusal == noccl_compute_pkg::REFUSAL_NONE,
            operation: dca_operation_i,
            third: dca_third_i
        };

    noccl_compute_row #(
        .NumLanes  (NumLanes),
        .Elements  (Elements),
        .core_tag_t(core_note_t),
        .dca_tag_t (first_note_t)
    ) u_row (
        .clk_i,
        .rst_ni,
        .core_start_i(core_valid_i & core_ready_o),
        .core_free_o(core_free),
        .core_operation_i,
        .core_a_i,
        .core_b_i,
        .core_tag_i(core_note),
        .core_valid_o(core_result_valid_o),
        .core_ready_i(core_result_ready_i),
        .core_result_o,
        .core_tag_o(core_result_note),
        .dca_grant_i(dca_grant),
        .dca_start_i(dca_valid_i && dca_ready_o),
        .dca_free_o(dca_free),
        .dca_operation_i,
        .dca_a_i,
        .dca_b_i,
        .dca_tag_i(asked_note),
        .dca_any_o(),
        .dca_valid_o(first_valid),
        .dca_ready_i(first_ready),
        .dca_result_o(first_result),
        .dca_tag_o(first_note)
    );

    noccl_compute_third #(
        .NumLanes(NumLanes),
        .Elements(Elements),
        .note_t  (dca_note_t)
    ) u_third (
        .clk_i,
        .rst_ni,
        .valid_i(first_valid),
        .ready_o(first_ready),
        .has_third_i(first_note.has_third),
        .operation_i(first_note.operation),
        .sum_i(first_result),
        .third_i(first_note.third),
        .note_i(first_note.note),
        .valid_o(dca_result_valid_o),
        .ready_i(dca_result_ready_i),
        .result_o(dca_result_o),
        .note_o({dca_refusal_o, dca_result_tag_o})
    );
  end else begin : gen_two
    noccl_compute_row #(
        .NumLanes  (NumLanes),
        .Elements  (Elements),
        .core_tag_t(core_note_t),
        .dca_tag_t (dca_note_t)
    ) u_row (
        .clk_i,
        .rst_ni,
        .core_start_i(core_valid_i & core_ready_o),
        .core_free_o(core_free),
        .core_operation_i,
        .core_a_i,
        .core_b_i,
        .core_tag_i(core_note),
        .core_valid_o(core_result_valid_o),
        .core_ready_i(core_result_ready_i),
        .core_result_o,
        .core_tag_o(core_result_note),
        .dca_grant_i(dca_grant),
        .dca_start_i(dca_valid_i && dca_ready_o),
        .dca_free_o(dca_free),
        .dca_operation_i,
        .dca_a_i,
        .dca_b_i,
        .dca_tag_i(dca_note),
        .dca_any_o(),
        .dca_valid_o(dca_result_valid_o),
        .dca_ready_i(dca_result_ready_i),
        .dca_result_o,
        .dca_tag_o({dca_refusal_o, dca_result_tag_o})
    );
    // No row combines it.
    logic unused_third;
    assign unused_third = ^dca_third_i;

    `NOCCL_ASSUME(TwoOperandsOnly, !dca_valid_i || !dca_has_third_i)
  end

endmodule
