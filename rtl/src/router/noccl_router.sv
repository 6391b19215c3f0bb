// SPDX-License-Identifier: Apache-2.0
// Router of one plane: five inputs, five outputs, a FIFO at each, one flit per output and cycle.
//
// Latency: a flit accepted in cycle c is offered to the next router in c + 2 if nothing
// delays it (input FIFO, switch, output FIFO, link). Throughput: one flit per cycle and output.
// Combinational paths: `head_o` to `join_absorb_i`, `join_forward_i`, `join_hdr_i` (outside),
// from there to `join_taken_o`; `result_valid_i` to `result_ready_o`. None between link ports:
// both ready and valid of a link are registers of the FIFOs. The outputs that a flit
// asks for are computed in front of the input FIFO.
// Ordering: flits from one input to one output keep their order. A multicast leaves by each
// branch as soon as that branch grants it; its input moves on when all have (no branch waits for
// another, so a blocked branch holds its input but never another branch's output).
// Joins: heads of a kind in `JoinKinds` are shown to a collective unit, which absorbs them or
// lets them go on. Without one, tie its inputs to zero and leave `JoinKinds` zero: nothing of it
// remains.
// Source: S1 section 3.1; ports of the unit in docs/design/0004-hardware.md.
// Mirror: crates/noccl-sim/src/router/collective/{control,phases}.

`include "noccl_assert.svh"

module noccl_router
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::NUM_REQUESTERS, noccl_flit_pkg::RESULT;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::port_set_t, noccl_flit_pkg::outputs_from;
#(
    /// Flit of the plane; a header `hdr` and whatever else.
    parameter type flit_t = noccl_flit_pkg::req_flit_t,
    /// Its header, with the fields kind, multicast, dst, base, mask, own_copy.
    parameter type hdr_t = noccl_flit_pkg::req_hdr_t,
    /// Multicasts exist on this plane.
    parameter bit HasMulticast = 1'b1,
    /// Kinds whose heads go to the collective unit, one bit per kind; 0 without a unit.
    parameter logic [7:0] JoinKinds = '0,
    /// Flits per FIFO; at least 1, full throughput from 2.
    parameter int unsigned InputFlits = noccl_cfg_pkg::INPUT_FIFO_FLITS,
    parameter int unsigned OutputFlits = noccl_cfg_pkg::OUTPUT_FIFO_FLITS
) (
    /// Clock.
    input  logic      clk_i,
    /// Asynchronous reset, active low: all FIFOs empty.
    input  logic      rst_ni,
    /// Mesh coordinate of this router; constant.
    input  coord_t    position_i,
    /// A flit is offered per input (N, E, S, W, Local); stays until ready.
    input  port_set_t in_valid_i,
    /// Space in the input FIFO at the start of the cycle.
    output port_set_t in_ready_o,
    /// The offered flits; ignored without valid.
    input  flit_t     in_flit_i       [NUM_PORTS],
    /// A bit for the unit, kept beside the offered flit.
    input  port_set_t in_note_i,
    /// A flit is offered per output; stays until ready.
    output port_set_t out_valid_o,
    /// The receiver takes the flit at the end of this cycle.
    input  port_set_t out_ready_i,
    /// The offered flits; undefined without valid.
    output flit_t     out_flit_o      [NUM_PORTS],
    /// The head of this input waits for the collective unit.
    output port_set_t join_valid_o,
    /// Heads of all inputs, for the unit; undefined without valid.
    output flit_t     head_o          [NUM_PORTS],
    /// What came with them in `in_note_i`.
    output port_set_t head_note_o,
    /// The unit takes the head; only with `join_valid_o`.
    input  port_set_t join_absorb_i,
    /// The unit has let the head go on in an earlier cycle, or says so early; only with `join_valid_o`,
    /// stays until `join_taken_o`.
    input  port_set_t join_forward_i,
    /// At most one more head goes on from this cycle on if `join_goes_on_i`; with `join_forward_i` from the next cycle
    /// on until `join_taken_o`.
    input  port_set_t join_candidate_i,
    /// It does. May come late: it only enters the arbiters' last choice. Ignored without a candidate.
    input  logic      join_goes_on_i,
    /// Header with which a forwarded head leaves; ignored without forward.
    input  hdr_t      join_hdr_i      [NUM_PORTS],
    /// The forwarded head leaves at the end of this cycle.
    output port_set_t join_taken_o,
    /// The unit offers a result; stays until ready.
    input  logic      result_valid_i,
    /// The result; ignored without valid.
    input  flit_t     result_i,
    /// Output towards its destination; ignored without valid.
    input  port_set_t result_route_i,
    /// The result enters an output FIFO at the end of this cycle.
    output logic      result_ready_o
);

  typedef logic [NUM_REQUESTERS-1:0] requesters_t;

  // What is asked of a head first is computed as it comes, so that arbitration does not wait for it.
  typedef struct packed {
    logic      joins;
    logic      note;
    port_set_t route;
    flit_t     flit;
  } stored_t;

  port_set_t head_valid, head_leaves;
  // Per requester: outputs that it asks for, and is granted.
  port_set_t wants[NUM_REQUESTERS];
  // Outputs that its candidate asks for.
  port_set_t late_wants[NUM_REQUESTERS];
  port_set_t granted[NUM_REQUESTERS];
  // Per output: who asks, and who is granted.
  requesters_t requests[NUM_PORTS];
  requesters_t late[NUM_PORTS];
  requesters_t grants[NUM_PORTS];
  flit_t switched[NUM_PORTS];
  port_set_t out_space;

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_input
    // Turns that XY routing never takes are zero: they cost no registers and no wires.
    localparam port_set_t Outputs = outputs_from(i);
    port_set_t in_route;
    logic may_ask;
    stored_t arriving, head;

    noccl_route #(
        .InputPort   (i),
        .HasMulticast(HasMulticast)
    ) u_route (
        .position_i,
        .multicast_i(in_flit_i[i].hdr.multicast),
        .dst_i      (in_flit_i[i].hdr.dst),
        .base_i     (in_flit_i[i].hdr.base),
        .mask_i     (in_flit_i[i].hdr.mask),
        .own_copy_i (in_flit_i[i].hdr.own_copy),
        .ports_o    (in_route)
    );
    assign arriving = '{
            joins: JoinKinds[3'(in_flit_i[i].hdr.kind)],
            note: in_note_i[i],
            route: in_route & Outputs,
            flit: in_flit_i[i]
        };

    noccl_fifo #(
        .Depth (InputFlits),
        .data_t(stored_t)
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .valid_i(in_valid_i[i]),
        .ready_o(in_ready_o[i]),
        .data_i (arriving),
        .valid_o(head_valid[i]),
        .ready_i(head_leaves[i]),
        .data_o (head)
    );
    assign head_o[i] = head.flit;
    assign head_note_o[i] = head.note;

    assign join_valid_o[i] = head_valid[i] && head.joins;
    assign may_ask = head_valid[i] && (!join_valid_o[i] || join_forward_i[i]);
    assign join_taken_o[i] = join_valid_o[i] && |granted[i];
    // A candidate is no multicast: it leaves with its one grant.
    assign late_wants[i] = join_candidate_i[i] ? head.route : '0;

    if (HasMulticast) begin : gen_fork
      logic all_taken;
      noccl_fork #(
          .NumOutputs(NUM_PORTS)
      ) u_fork (
          .clk_i,
          .rst_ni,
          .valid_i (may_ask),
          .select_i(head.route),
          .ready_o (all_taken),
          .valid_o (wants[i]),
          .ready_i (granted[i])
      );
      assign head_leaves[i] = (may_ask && all_taken) || join_absorb_i[i] ||
          (join_candidate_i[i] && join_taken_o[i]);
    end else begin : gen_single
      assign wants[i] = may_ask ? head.route : '0;
      assign head_leaves[i] = |granted[i] || join_absorb_i[i];
    end

    // Whether it goes on, early or late.
    logic goes_on;
    assign goes_on = join_forward_i[i] || (join_candidate_i[i] && join_goes_on_i);
    `NOCCL_ASSERT(LegalOutput, !in_valid_i[i] || (in_route & ~Outputs) == '0)
    `NOCCL_ASSERT(HeadAsksForSomething, !may_ask || head.route != '0)
    `NOCCL_ASSUME(AbsorbOnlyJoins, !join_absorb_i[i] || join_valid_o[i])
    `NOCCL_ASSUME(ForwardOnlyJoins, !join_forward_i[i] || join_valid_o[i])
    `NOCCL_ASSUME(CandidatesAreJoins, !join_candidate_i[i] || join_valid_o[i])
    `NOCCL_ASSUME(CandidatesHaveOneOutput, !join_candidate_i[i] || !head_o[i].hdr.multicast)
    `NOCCL_ASSUME(AbsorbOrForward, !(join_absorb_i[i] && goes_on))
    `NOCCL_ASSUME(ForwardStays, !$past(goes_on && !join_taken_o[i]) || join_forward_i[i])
  end

  flit_t leaving[NUM_PORTS];
  always_comb begin
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      leaving[i] = head_o[i];
      if (join_valid_o[i]) leaving[i].hdr = join_hdr_i[i];
    end
  end

  assign late_wants[RESULT] = '0;
  assign wants[RESULT] = result_valid_i ? result_route_i : '0;
  assign result_ready_o = |granted[RESULT];

  for (genvar o = 0; o < int'(NUM_PORTS); o++) begin : gen_output
    logic is_asked;

    for (genvar r = 0; r < int'(NUM_REQUESTERS); r++) begin : gen_request
      assign requests[o][r] = wants[r][o];
      assign late[o][r] = late_wants[r][o];
      assign granted[r][o] = grants[o][r] && out_space[o];
    end

    noccl_rr_arbiter #(
        .NumRequesters(NUM_REQUESTERS)
    ) u_arbiter (
        .clk_i,
        .rst_ni,
        .request_i(requests[o]),
        .late_i(late[o]),
        .late_valid_i(join_goes_on_i),
        .grant_o(grants[o]),
        .valid_o(is_asked),
        .ready_i(out_space[o])
    );

    // Every requester by its own grant: none waits for the refusal of all others.
    always_comb begin
      switched[o] = flit_t'(grants[o][RESULT] ? result_i : '0);
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (grants[o][i]) switched[o] = flit_t'(switched[o] | leaving[i]);
      end
    end

    noccl_fifo #(
        .Depth (OutputFlits),
        .data_t(flit_t)
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .valid_i(is_asked),
        .ready_o(out_space[o]),
        .data_i (switched[o]),
        .valid_o(out_valid_o[o]),
        .ready_i(out_ready_i[o]),
        .data_o (out_flit_o[o])
    );
  end

  `NOCCL_ASSUME(ResultGoesToItsDestination,
                !result_valid_i || result_route_i == noccl_flit_pkg::toward(position_i,
                                                                            result_i.hdr.dst))
  `NOCCL_ASSUME(ResultStays, !$past(result_valid_i && !result_ready_o) || result_valid_i)

endmodule
