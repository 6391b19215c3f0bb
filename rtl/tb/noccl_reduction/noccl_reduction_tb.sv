// SPDX-License-Identifier: Apache-2.0
// The reduction unit with its banks and an arithmetic that shows the order of operands: 3 a + b in each lane.
//
// All lanes of a beat carry the same number, so that a bench moves 64 bits; a difference between lanes is reported.

module noccl_reduction_tb
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_hdr_t, noccl_flit_pkg::wide_data_t, noccl_flit_pkg::coord_t;
  import noccl_collective_pkg::store_address_t, noccl_collective_pkg::dca_tag_t;
  import noccl_collective_pkg::name_t;
#(
    /// Requests that the arithmetic holds.
    parameter int unsigned PipelineBeats = 6,
    /// Cycles of one addition.
    parameter int unsigned AddCycles = 3
) (
    /// Clock.
    input  logic                              clk_i,
    /// Asynchronous reset, active low.
    input  logic                              rst_ni,
    /// Position of the router.
    input  logic      [   $bits(coord_t)-1:0] position_i,
    /// Inputs with an operand at their head.
    input  port_set_t                         join_valid_i,
    /// Headers of the heads.
    input  logic      [$bits(wide_hdr_t)-1:0] head_i               [NUM_PORTS],
    /// Their strobes enable whole lines.
    input  port_set_t                         is_whole_i,
    /// One lane of their data.
    input  logic      [                 63:0] data_i               [NUM_PORTS],
    /// Heads that enter the store.
    output port_set_t                         absorb_o,
    /// Heads that go on.
    output port_set_t                         forward_o,
    /// A sum is offered.
    output logic                              result_valid_o,
    /// Its header.
    output logic      [$bits(wide_hdr_t)-1:0] result_hdr_o,
    /// One lane of its data.
    output logic      [                 63:0] result_data_o,
    /// Lanes differ.
    output logic                              lanes_differ_o,
    /// The sum is taken.
    input  logic                              result_ready_i,
    /// The arithmetic takes requests, as far as it has space (cores may have it).
    input  logic                              dca_grant_i,
    /// Credits from the next merge point.
    input  logic                              credit_valid_i,
    /// For whom.
    input  logic      [    $bits(name_t)-1:0] credit_name_i,
    /// A flow of the unit was meant.
    output logic                              credit_hit_o,
    /// Credits for a sender elsewhere.
    output logic                              credit_return_valid_o,
    /// The sender.
    output logic      [   $bits(coord_t)-1:0] credit_return_dst_o,
    /// Its flow.
    output logic      [    $bits(name_t)-1:0] credit_return_name_o,
    /// The NI sends it.
    input  logic                              credit_return_ready_i,
    /// Credits for the own NI.
    output logic                              own_valid_o,
    /// Its flow.
    output logic      [    $bits(name_t)-1:0] own_name_o
);

  localparam int unsigned Lanes = noccl_cfg_pkg::WIDE_BITS / 64;

  typedef struct packed {
    wide_data_t  total;
    dca_tag_t    tag;
    logic [31:0] done;
  } operation_t;
  operation_t oldest;

  wide_hdr_t head[NUM_PORTS];
  port_set_t store_we, store_re;
  store_address_t store_waddr[NUM_PORTS], store_raddr;
  wide_data_t store_rdata[NUM_PORTS], operand[3];
  logic is_partial, dca_valid, dca_ready, has_third, dca_result_valid, dca_result_ready;
  dca_tag_t dca_tag;

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_bank
    assign head[i] = head_i[i];
    noccl_store_bank u_bank (
        .clk_i,
        .rst_ni,
        .we_i   (store_we[i]),
        .waddr_i(store_waddr[i]),
        .wdata_i(i == 0 && is_partial ? oldest.total : {Lanes{data_i[i]}}),
        .re_i   (store_re[i]),
        .raddr_i(store_raddr),
        .rdata_o(store_rdata[i])
    );
  end

  // ----------------------------------------------------------------------------------------- arithmetic


  function automatic wide_data_t combine(wide_data_t a, wide_data_t b);
    wide_data_t sum;
    for (int unsigned l = 0; l < Lanes; l++) begin
      sum[64*l+:64] = a[64*l+:64] * 64'd3 + b[64*l+:64];
    end
    return sum;
  endfunction

  operation_t queue_q[PipelineBeats];
  assign oldest = queue_q[0];
  logic [31:0] num_q, cycle_q;
  wide_data_t two;
  assign two = combine(operand[0], operand[1]);
  assign dca_result_valid = num_q != 0 && oldest.done <= cycle_q;
  logic pops, pushes;
  logic [31:0] num_left;
  assign pops = dca_result_valid && dca_result_ready;
  assign pushes = dca_valid && dca_ready;
  assign dca_ready = dca_grant_i && (num_q < PipelineBeats || pops);
  assign num_left = num_q - 32'(pops);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_q   <= '0;
      cycle_q <= '0;
    end else begin
      cycle_q <= cycle_q + 1;
      num_q   <= num_left + 32'(pushes);
      if (pops) begin
        for (int unsigned i = 1; i < PipelineBeats; i++) queue_q[i-1] <= queue_q[i];
      end
      if (pushes) begin
        queue_q[num_left] <= '{
            total: has_third ? combine(two, operand[2]) : two,
            tag: dca_tag,
            done: cycle_q + (has_third ? 2 * AddCycles : AddCycles)
        };
      end
    end
  end

  assign result_data_o  = oldest.total[63:0];
  assign lanes_differ_o = result_valid_o && (oldest.total != {Lanes{result_data_o}});

  port_set_t meets;
  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_meets
    coord_t position;
    assign position = position_i;
    noccl_join_set u_join_set (
        .position_i(position),
        .base_i    (head[i].base),
        .mask_i    (head[i].mask),
        .root_i    (head[i].dst),
        .ports_o   (),
        .meets_o   (meets[i])
    );
  end

  noccl_reduction u_reduction (
      .clk_i,
      .rst_ni,
      .position_i,
      .join_valid_i,
      .head_i            (head),
      .meets_i           (meets),
      .is_whole_i,
      .absorb_o,
      .forward_o,
      .result_valid_o,
      .result_hdr_o,
      .result_ready_i,
      .store_we_o        (store_we),
      .store_partial_o   (is_partial),
      .store_waddr_o     (store_waddr),
      .store_re_o        (store_re),
      .store_raddr_o     (store_raddr),
      .store_rdata_i     (store_rdata),
      .dca_valid_o       (dca_valid),
      .dca_ready_i       (dca_ready),
      .dca_operator_o    (),
      .dca_element_o     (),
      .dca_operand_o     (operand),
      .dca_has_third_o   (has_third),
      .dca_tag_o         (dca_tag),
      .dca_result_valid_i(dca_result_valid),
      .dca_result_ready_o(dca_result_ready),
      .dca_result_tag_i  (oldest.tag),
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

endmodule
