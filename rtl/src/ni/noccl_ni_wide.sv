// SPDX-License-Identifier: Apache-2.0
//
// Wide half of the network interface: writes, multicasts, reductions and reads of this tile, and
// its memory's responses to those of others. Wiring, and arbitration of the Local input of the wide
// plane.
//
// Latency: none in either direction. Ordering, freedom from deadlock: noccl_ni. Mirror: `inject_wide` in
// crates/noccl-sim/src/ni/axi.

module noccl_ni_wide
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// Reads in service at the memory.
    parameter int unsigned Reads = 4,
    /// Beats whose response from the memory is open.
    parameter int unsigned Responses = 4,
    /// Collectives exist.
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

    /// Responses to writes of others.
    output logic                       response_valid_o,
    input  logic                       response_ready_i,
    output noccl_ni_pkg::response_t    response_o,
    /// Responses to this tile's writes.
    input  logic                       rsp_valid_i,
    output logic                       rsp_ready_o,
    input  noccl_flit_pkg::rsp_hdr_t   rsp_i,
    /// Credits returned to a sender of this tile: from other tiles, and from its own merge point.
    input  logic                       credit_valid_i  [2],
    input  noccl_ni_pkg::credit_t      credit_i        [2],
    /// This tile's read requests.
    output logic                       req_valid_o,
    input  logic                       req_ready_i,
    output noccl_flit_pkg::req_flit_t  req_o,
    /// Read requests of others.
    input  logic                       serve_valid_i,
    output logic                       serve_ready_o,
    input  noccl_flit_pkg::req_hdr_t   serve_i,
    /// Local port of the wide router.
    output logic                       flit_valid_o,
    input  logic                       flit_ready_i,
    output noccl_flit_pkg::wide_flit_t flit_o,
    input  logic                       flit_valid_i,
    output logic                       flit_ready_o,
    input  noccl_flit_pkg::wide_flit_t flit_i
);

  import noccl_flit_pkg::wide_flit_t;

  localparam int unsigned LINE_OFFSET_BITS = $clog2(noccl_cfg_pkg::WIDE_BITS / 8);

  logic is_read_data, target_ready, read_data_ready;

  assign is_read_data = flit_i.hdr.kind == noccl_flit_pkg::WIDE_READ_DATA;
  assign flit_ready_o = is_read_data ? read_data_ready : target_ready;

  // ---------------------------------------------------------------------------------- wide, initiator

  logic write_valid, write_ready, copy_valid, copy_ready, copy_b_valid, copy_b_ready;
  logic copy_is_last;
  logic delivered;
  wide_flit_t write_flit, copy_flit;
  noccl_flit_pkg::tag_t  copy_b_tag;
  noccl_flit_pkg::resp_e copy_b_resp;

  noccl_ni_wide_write u_wide_write (
      .clk_i,
      .rst_ni,
      .pos_i,
      .aw_valid_i(wide_aw_valid_i),
      .aw_ready_o(wide_aw_ready_o),
      .aw_i(wide_aw_i),
      .w_valid_i(wide_w_valid_i),
      .w_ready_o(wide_w_ready_o),
      .w_i(wide_w_i),
      .b_valid_o(wide_b_valid_o),
      .b_ready_i(wide_b_ready_i),
      .b_o(wide_b_o),
      .flit_valid_o(write_valid),
      .flit_ready_i(write_ready),
      .flit_o(write_flit),
      .own_valid_o(copy_valid),
      .own_ready_i(copy_ready),
      .own_o(copy_flit),
      .own_is_last_o(copy_is_last),
      .own_b_valid_i(copy_b_valid),
      .own_b_ready_o(copy_b_ready),
      .own_b_tag_i(copy_b_tag),
      .own_b_resp_i(copy_b_resp),
      .delivered_i(delivered),
      .rsp_valid_i,
      .rsp_ready_o,
      .rsp_i,
      .credit_valid_i,
      .credit_i
  );

  noccl_ni_wide_read u_wide_read (
      .clk_i,
      .rst_ni,
      .pos_i,
      .ar_valid_i(wide_ar_valid_i),
      .ar_ready_o(wide_ar_ready_o),
      .ar_i(wide_ar_i),
      .r_valid_o(wide_r_valid_o),
      .r_ready_i(wide_r_ready_i),
      .r_o(wide_r_o),
      .req_valid_o,
      .req_ready_i,
      .req_o,
      .flit_valid_i(flit_valid_i && is_read_data),
      .flit_ready_o(read_data_ready),
      .flit_i
  );

  noccl_axi_pkg::wide_w_t copy_w;
  assign copy_w = '{data: copy_flit.data, strb: copy_flit.strobe, last: 1'b1};

  if (HasCollectives) begin : gen_own
    noccl_ni_own #(
        .w_t(noccl_axi_pkg::wide_w_t),
        .Responses(Responses)
    ) u_own_wide (
        .clk_i,
        .rst_ni,
        .copy_valid_i(copy_valid),
        .copy_ready_o(copy_ready),
        .copy_addr_i(noccl_flit_pkg::offset_t'({copy_flit.hdr.line, LINE_OFFSET_BITS'(0)})),
        .copy_w_i(copy_w),
        .copy_is_last_i(copy_is_last),
        .copy_tag_i(copy_flit.hdr.tag),
        .aw_valid_o(own_aw_valid_o),
        .aw_ready_i(own_aw_ready_i),
        .aw_o(own_aw_o),
        .w_valid_o(own_w_valid_o),
        .w_ready_i(own_w_ready_i),
        .w_o(own_w_o),
        .b_valid_i(own_b_valid_i),
        .b_ready_o(own_b_ready_o),
        .b_resp_i(own_b_resp_i),
        .response_valid_o(copy_b_valid),
        .response_ready_i(copy_b_ready),
        .response_tag_o(copy_b_tag),
        .response_code_o(copy_b_resp)
    );
  end else begin : gen_no_own
    assign {copy_ready, own_aw_valid_o, own_w_valid_o, own_b_ready_o} = '0;
    assign {copy_b_valid, own_aw_o, own_w_o, copy_b_tag} = '0;
    assign copy_b_resp = noccl_flit_pkg::RESP_OKAY;
  end

  // ------------------------------------------------------------------------------------- wide, target

  logic served_valid, served_ready;
  wide_flit_t served_flit;

  noccl_ni_wide_target #(
      .Responses(Responses)
  ) u_wide_target (
      .clk_i,
      .rst_ni,
      .pos_i,
      .flit_valid_i(flit_valid_i && !is_read_data),
      .flit_ready_o(target_ready),
      .flit_i,
      .aw_valid_o(mem_aw_valid_o),
      .aw_ready_i(mem_aw_ready_i),
      .aw_o(mem_aw_o),
      .w_valid_o(mem_w_valid_o),
      .w_ready_i(mem_w_ready_i),
      .w_o(mem_w_o),
      .b_valid_i(mem_b_valid_i),
      .b_ready_o(mem_b_ready_o),
      .b_resp_i(mem_b_resp_i),
      .delivered_o(delivered),
      .response_valid_o,
      .response_ready_i,
      .response_o
  );

  noccl_ni_wide_serve #(
      .Reads(Reads)
  ) u_wide_serve (
      .clk_i,
      .rst_ni,
      .pos_i,
      .req_valid_i(serve_valid_i),
      .req_ready_o(serve_ready_o),
      .req_i(serve_i),
      .ar_valid_o(mem_ar_valid_o),
      .ar_ready_i(mem_ar_ready_i),
      .ar_o(mem_ar_o),
      .r_valid_i(mem_r_valid_i),
      .r_ready_o(mem_r_ready_o),
      .r_i(mem_r_i),
      .flit_valid_o(served_valid),
      .flit_ready_i(served_ready),
      .flit_o(served_flit)
  );

  // Writes and read data alternate where both want to leave.
  logic read_had_grant_q, read_had_grant_d, takes_read;

  // The grant of a ready write does not depend on whether there is one: that is known late.
  assign takes_read = served_valid && (!write_valid || !read_had_grant_q);
  assign flit_valid_o = served_valid || write_valid;
  assign flit_o = takes_read ? served_flit : write_flit;
  assign served_ready = flit_ready_i && takes_read;
  assign write_ready = flit_ready_i && !(served_valid && !read_had_grant_q);
  assign read_had_grant_d = flit_valid_o && flit_ready_i ? takes_read : read_had_grant_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_had_grant_q <= 1'b0;
    else read_had_grant_q <= read_had_grant_d;
  end

endmodule
