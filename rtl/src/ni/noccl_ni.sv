// SPDX-License-Identifier: Apache-2.0
//
// Network interface of a tile: AXI4 ports on one side, the Local ports of three routers on the
// other. Wiring, and arbitration of each Local input.
//
// Latency: none in either direction; what is offered at a port in a cycle enters the router's FIFO in that cycle.
// Ordering: responses of one id are in order, since one id has one transaction open.
// Freedom from deadlock: responses and read data are always taken by who asked; requests may wait for memories, memories
// for the response plane (docs/design/0001).
// Combinational paths: subordinate channels to Local inputs, Local outputs to manager channels.
// Mirror: crates/noccl-sim/src/ni/axi.

`include "noccl_assert.svh"

module noccl_ni
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// Wide reads in service at the memory.
    parameter int unsigned WideReads = 4,
    /// Beats and narrow writes whose response from the memory is open.
    parameter int unsigned Responses = 4,
    /// Collectives exist; without, AWUSER is ignored and nothing of them remains.
    parameter bit HasCollectives = 1'b1
) (
    /// Clock.
    input logic                   clk_i,
    /// Asynchronous reset, active low.
    input logic                   rst_ni,
    /// Coordinate of this tile; constant.
    input noccl_flit_pkg::coord_t pos_i,

    /// Wide subordinate port, faces the DMA engine: write channels and a read channel.
    input  logic                    wide_aw_valid_i[WIDE_CHANNELS],
    output logic                    wide_aw_ready_o[WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_aw_t wide_aw_i      [WIDE_CHANNELS],
    input  logic                    wide_w_valid_i [WIDE_CHANNELS],
    output logic                    wide_w_ready_o [WIDE_CHANNELS],
    input  noccl_axi_pkg::wide_w_t  wide_w_i       [WIDE_CHANNELS],
    output logic                    wide_b_valid_o [WIDE_CHANNELS],
    input  logic                    wide_b_ready_i [WIDE_CHANNELS],
    output noccl_axi_pkg::wide_b_t  wide_b_o       [WIDE_CHANNELS],
    input  logic                    wide_ar_valid_i,
    output logic                    wide_ar_ready_o,
    input  noccl_axi_pkg::wide_ar_t wide_ar_i,
    output logic                    wide_r_valid_o,
    input  logic                    wide_r_ready_i,
    output noccl_axi_pkg::wide_r_t  wide_r_o,

    /// Narrow subordinate port, faces the cores.
    input  logic                      narrow_aw_valid_i,
    output logic                      narrow_aw_ready_o,
    input  noccl_axi_pkg::narrow_aw_t narrow_aw_i,
    input  logic                      narrow_w_valid_i,
    output logic                      narrow_w_ready_o,
    input  noccl_axi_pkg::narrow_w_t  narrow_w_i,
    output logic                      narrow_b_valid_o,
    input  logic                      narrow_b_ready_i,
    output noccl_axi_pkg::narrow_b_t  narrow_b_o,
    input  logic                      narrow_ar_valid_i,
    output logic                      narrow_ar_ready_o,
    input  noccl_axi_pkg::narrow_ar_t narrow_ar_i,
    output logic                      narrow_r_valid_o,
    input  logic                      narrow_r_ready_i,
    output noccl_axi_pkg::narrow_r_t  narrow_r_o,

    /// Wide manager port, faces the memory.
    output logic                          mem_aw_valid_o,
    input  logic                          mem_aw_ready_i,
    output noccl_axi_pkg::memory_aw_t     mem_aw_o,
    output logic                          mem_w_valid_o,
    input  logic                          mem_w_ready_i,
    output noccl_axi_pkg::wide_w_t        mem_w_o,
    input  logic                          mem_b_valid_i,
    output logic                          mem_b_ready_o,
    input  noccl_flit_pkg::resp_e         mem_b_resp_i,
    output logic                          mem_ar_valid_o,
    input  logic                          mem_ar_ready_i,
    output noccl_axi_pkg::memory_ar_t     mem_ar_o,
    input  logic                          mem_r_valid_i,
    output logic                          mem_r_ready_o,
    input  noccl_axi_pkg::memory_wide_r_t mem_r_i,

    /// Own copies of wide multicasts, to the memory.
    output logic                      own_aw_valid_o,
    input  logic                      own_aw_ready_i,
    output noccl_axi_pkg::memory_aw_t own_aw_o,
    output logic                      own_w_valid_o,
    input  logic                      own_w_ready_i,
    output noccl_axi_pkg::wide_w_t    own_w_o,
    input  logic                      own_b_valid_i,
    output logic                      own_b_ready_o,
    input  noccl_flit_pkg::resp_e     own_b_resp_i,

    /// Narrow manager port, faces the memory and interrupt registers.
    output logic                            reg_aw_valid_o,
    input  logic                            reg_aw_ready_i,
    output noccl_axi_pkg::memory_aw_t       reg_aw_o,
    output logic                            reg_w_valid_o,
    input  logic                            reg_w_ready_i,
    output noccl_axi_pkg::narrow_w_t        reg_w_o,
    input  logic                            reg_b_valid_i,
    output logic                            reg_b_ready_o,
    input  noccl_flit_pkg::resp_e           reg_b_resp_i,
    output logic                            reg_ar_valid_o,
    input  logic                            reg_ar_ready_i,
    output noccl_axi_pkg::memory_ar_t       reg_ar_o,
    input  logic                            reg_r_valid_i,
    output logic                            reg_r_ready_o,
    input  noccl_axi_pkg::memory_narrow_r_t reg_r_i,

    /// Own copies of narrow multicasts.
    output logic                      own_reg_aw_valid_o,
    input  logic                      own_reg_aw_ready_i,
    output noccl_axi_pkg::memory_aw_t own_reg_aw_o,
    output logic                      own_reg_w_valid_o,
    input  logic                      own_reg_w_ready_i,
    output noccl_axi_pkg::narrow_w_t  own_reg_w_o,
    input  logic                      own_reg_b_valid_i,
    output logic                      own_reg_b_ready_o,
    input  noccl_flit_pkg::resp_e     own_reg_b_resp_i,

    /// Merge point of this tile's wide router: credits that it returns to others,
    input  logic                   unit_credit_valid_i,
    output logic                   unit_credit_ready_o,
    input  noccl_flit_pkg::coord_t unit_credit_to_i,
    input  noccl_ni_pkg::credit_t  unit_credit_i,
    /// credits that it returns to this tile,
    input  logic                   own_credit_valid_i,
    input  noccl_ni_pkg::credit_t  own_credit_i,
    /// and credits that others return to it, or, if it has no such flow, to this tile.
    output logic                   credit_valid_o,
    output noccl_ni_pkg::credit_t  credit_o,
    input  logic                   credit_is_for_unit_i,

    /// Local ports of the routers.
    output logic                       wide_out_valid_o,
    input  logic                       wide_out_ready_i,
    output noccl_flit_pkg::wide_flit_t wide_out_o,
    input  logic                       wide_in_valid_i,
    output logic                       wide_in_ready_o,
    input  noccl_flit_pkg::wide_flit_t wide_in_i,
    output logic                       req_out_valid_o,
    input  logic                       req_out_ready_i,
    output noccl_flit_pkg::req_flit_t  req_out_o,
    input  logic                       req_in_valid_i,
    output logic                       req_in_ready_o,
    input  noccl_flit_pkg::req_flit_t  req_in_i,
    output logic                       rsp_out_valid_o,
    input  logic                       rsp_out_ready_i,
    output noccl_flit_pkg::rsp_flit_t  rsp_out_o,
    input  logic                       rsp_in_valid_i,
    output logic                       rsp_in_ready_o,
    input  noccl_flit_pkg::rsp_flit_t  rsp_in_i
);

  import noccl_flit_pkg::req_flit_t;
  import noccl_flit_pkg::rsp_flit_t;

  // ----------------------------------------------------------------------------------- without collectives

  noccl_axi_pkg::wide_aw_t wide_aw[WIDE_CHANNELS];
  noccl_axi_pkg::narrow_aw_t narrow_aw;
  noccl_flit_pkg::wide_flit_t wide_in;
  req_flit_t req_in;
  rsp_flit_t rsp_in;

  if (HasCollectives) begin : gen_collectives
    assign wide_aw = wide_aw_i;
    assign narrow_aw = narrow_aw_i;
    assign wide_in = wide_in_i;
    assign req_in = req_in_i;
    assign rsp_in = rsp_in_i;
  end else begin : gen_no_collectives
    always_comb begin
      wide_aw = wide_aw_i;
      for (int c = 0; c < int'(WIDE_CHANNELS); c++) wide_aw[c].user = '0;
      narrow_aw = narrow_aw_i;
      narrow_aw.user = '0;
      // Bits that only kinds of collectives have, and fields that only they use.
      wide_in = wide_in_i;
      wide_in.hdr.kind[0] = 1'b0;
      {wide_in.hdr.multicast, wide_in.hdr.base, wide_in.hdr.mask} = '0;
      req_in = req_in_i;
      {req_in.hdr.multicast, req_in.hdr.base, req_in.hdr.mask} = '0;
      rsp_in = rsp_in_i;
      rsp_in.hdr.kind[1] = 1'b0;
    end
  end

  // ------------------------------------------------------------------------ what comes from the routers

  logic is_wide_request, serve_ready, narrow_ready;
  logic is_credit, is_wide_rsp, wide_rsp_ready, narrow_rsp_ready;

  assign is_wide_request = req_in.hdr.kind == noccl_flit_pkg::REQ_READ_WIDE;
  assign req_in_ready_o = is_wide_request ? serve_ready : narrow_ready;

  assign is_credit = HasCollectives && rsp_in.hdr.kind == noccl_flit_pkg::RSP_CREDIT;
  assign is_wide_rsp = !is_credit && rsp_in.hdr.is_wide;
  always_comb begin
    if (is_credit) rsp_in_ready_o = 1'b1;
    else if (is_wide_rsp) rsp_in_ready_o = wide_rsp_ready;
    else rsp_in_ready_o = narrow_rsp_ready;
  end

  // The tile's own merge point returns credits without the network; both count in the same cycle.
  logic ni_credit_valid[2];
  noccl_ni_pkg::credit_t ni_credit[2];

  assign credit_o = '{root: rsp_in.hdr.src, tag: rsp_in.hdr.tag, beats: rsp_in.hdr.count};
  assign credit_valid_o = rsp_in_valid_i && is_credit;
  assign ni_credit_valid[0] = HasCollectives && credit_valid_o && !credit_is_for_unit_i;
  assign ni_credit_valid[1] = HasCollectives && own_credit_valid_i;
  assign ni_credit = '{credit_o, own_credit_i};

  // ------------------------------------------------------------------------------------------- halves

  logic wide_response_valid, wide_response_ready, narrow_response_valid, narrow_response_ready;
  logic data_valid, data_ready, wide_req_valid, wide_req_ready;
  noccl_ni_pkg::response_t wide_response, narrow_response;
  rsp_flit_t data;
  req_flit_t wide_req;

  noccl_ni_wide #(
      .Reads(WideReads),
      .Responses(Responses),
      .HasCollectives(HasCollectives)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .pos_i,
      .wide_aw_valid_i,
      .wide_aw_ready_o,
      .wide_aw_i(wide_aw),
      .wide_w_valid_i,
      .wide_w_ready_o,
      .wide_w_i,
      .wide_b_valid_o,
      .wide_b_ready_i,
      .wide_b_o,
      .wide_ar_valid_i,
      .wide_ar_ready_o,
      .wide_ar_i,
      .wide_r_valid_o,
      .wide_r_ready_i,
      .wide_r_o,
      .mem_aw_valid_o,
      .mem_aw_ready_i,
      .mem_aw_o,
      .mem_w_valid_o,
      .mem_w_ready_i,
      .mem_w_o,
      .mem_b_valid_i,
      .mem_b_ready_o,
      .mem_b_resp_i,
      .mem_ar_valid_o,
      .mem_ar_ready_i,
      .mem_ar_o,
      .mem_r_valid_i,
      .mem_r_ready_o,
      .mem_r_i,
      .own_aw_valid_o,
      .own_aw_ready_i,
      .own_aw_o,
      .own_w_valid_o,
      .own_w_ready_i,
      .own_w_o,
      .own_b_valid_i,
      .own_b_ready_o,
      .own_b_resp_i,
      .response_valid_o(wide_response_valid),
      .response_ready_i(wide_response_ready),
      .response_o(wide_response),
      .rsp_valid_i(rsp_in_valid_i && is_wide_rsp),
      .rsp_ready_o(wide_rsp_ready),
      .rsp_i(rsp_in.hdr),
      .credit_valid_i(ni_credit_valid),
      .credit_i(ni_credit),
      .req_valid_o(wide_req_valid),
      .req_ready_i(wide_req_ready),
      .req_o(wide_req),
      .serve_valid_i(req_in_valid_i && is_wide_request),
      .serve_ready_o(serve_ready),
      .serve_i(req_in.hdr),
      .flit_valid_o(wide_out_valid_o),
      .flit_ready_i(wide_out_ready_i),
      .flit_o(wide_out_o),
      .flit_valid_i(wide_in_valid_i),
      .flit_ready_o(wide_in_ready_o),
      .flit_i(wide_in)
  );

  noccl_ni_narrow #(
      .Responses(Responses),
      .HasCollectives(HasCollectives)
  ) u_narrow (
      .clk_i,
      .rst_ni,
      .pos_i,
      .narrow_aw_valid_i,
      .narrow_aw_ready_o,
      .narrow_aw_i(narrow_aw),
      .narrow_w_valid_i,
      .narrow_w_ready_o,
      .narrow_w_i,
      .narrow_b_valid_o,
      .narrow_b_ready_i,
      .narrow_b_o,
      .narrow_ar_valid_i,
      .narrow_ar_ready_o,
      .narrow_ar_i,
      .narrow_r_valid_o,
      .narrow_r_ready_i,
      .narrow_r_o,
      .reg_aw_valid_o,
      .reg_aw_ready_i,
      .reg_aw_o,
      .reg_w_valid_o,
      .reg_w_ready_i,
      .reg_w_o,
      .reg_b_valid_i,
      .reg_b_ready_o,
      .reg_b_resp_i,
      .reg_ar_valid_o,
      .reg_ar_ready_i,
      .reg_ar_o,
      .reg_r_valid_i,
      .reg_r_ready_o,
      .reg_r_i,
      .own_reg_aw_valid_o,
      .own_reg_aw_ready_i,
      .own_reg_aw_o,
      .own_reg_w_valid_o,
      .own_reg_w_ready_i,
      .own_reg_w_o,
      .own_reg_b_valid_i,
      .own_reg_b_ready_o,
      .own_reg_b_resp_i,
      .response_valid_o(narrow_response_valid),
      .response_ready_i(narrow_response_ready),
      .response_o(narrow_response),
      .data_valid_o(data_valid),
      .data_ready_i(data_ready),
      .data_o(data),
      .rsp_valid_i(rsp_in_valid_i && !is_credit && !is_wide_rsp),
      .rsp_ready_o(narrow_rsp_ready),
      .rsp_i(rsp_in),
      .wide_req_valid_i(wide_req_valid),
      .wide_req_ready_o(wide_req_ready),
      .wide_req_i(wide_req),
      .req_valid_o(req_out_valid_o),
      .req_ready_i(req_out_ready_i),
      .req_o(req_out_o),
      .req_valid_i(req_in_valid_i && !is_wide_request),
      .req_ready_o(narrow_ready),
      .req_i(req_in)
  );

  noccl_ni_responses u_responses (
      .clk_i,
      .rst_ni,
      .pos_i,
      .credit_valid_i(HasCollectives && unit_credit_valid_i),
      .credit_ready_o(unit_credit_ready_o),
      .credit_to_i(unit_credit_to_i),
      .credit_i(unit_credit_i),
      .wide_valid_i(wide_response_valid),
      .wide_ready_o(wide_response_ready),
      .wide_i(wide_response),
      .narrow_valid_i(narrow_response_valid),
      .narrow_ready_o(narrow_response_ready),
      .narrow_i(narrow_response),
      .data_valid_i(data_valid),
      .data_ready_o(data_ready),
      .data_i(data),
      .flit_valid_o(rsp_out_valid_o),
      .flit_ready_i(rsp_out_ready_i),
      .flit_o(rsp_out_o)
  );

  `NOCCL_ASSERT(CreditIsForUnitOnlyIfThereIsOne, !credit_is_for_unit_i || credit_valid_o)

endmodule
