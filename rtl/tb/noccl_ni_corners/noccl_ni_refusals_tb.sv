// SPDX-License-Identifier: Apache-2.0
// What the subordinate ports of the network interface serve and refuse, by the parts that decide it: what is served leaves at once.

module noccl_ni_refusals_tb (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,

    /// An address at the narrow port, and what is made of it.
    input  logic [$bits(noccl_axi_pkg::narrow_aw_t)-1:0] decode_aw_i,
    output logic                                         decode_is_error_o,
    output logic [                                  1:0] decode_resp_o,

    /// A write channel of the wide port: beats that leave, which are taken at once, and the response to a refused burst.
    input  logic                                       write_aw_valid_i,
    output logic                                       write_aw_ready_o,
    input  logic [$bits(noccl_axi_pkg::wide_aw_t)-1:0] write_aw_i,
    input  logic                                       write_w_valid_i,
    output logic                                       write_w_ready_o,
    input  logic                                       write_w_last_i,
    output logic                                       write_beat_valid_o,
    output logic                                       write_refused_valid_o,
    output logic [                                1:0] write_refused_resp_o,

    /// Reads of the wide port and of the narrow one: a request that leaves, which is taken at once, R, and the last data of the
    /// read that was served last.
    input  logic                                         read_ar_valid_i,
    output logic                                         read_ar_ready_o,
    input  logic [  $bits(noccl_axi_pkg::wide_ar_t)-1:0] read_ar_i,
    output logic                                         read_req_valid_o,
    output logic                                         read_r_valid_o,
    output logic                                         read_r_last_o,
    output logic [                                  1:0] read_r_resp_o,
    input  logic                                         read_data_valid_i,
    input  logic                                         word_ar_valid_i,
    output logic                                         word_ar_ready_o,
    input  logic [$bits(noccl_axi_pkg::narrow_ar_t)-1:0] word_ar_i,
    output logic                                         word_req_valid_o,
    output logic                                         word_r_valid_o,
    output logic                                         word_r_last_o,
    output logic [                                  1:0] word_r_resp_o,
    input  logic                                         word_data_valid_i
);

  localparam noccl_flit_pkg::coord_t POSITION = '{
      x: noccl_cfg_pkg::X_BITS'(noccl_cfg_pkg::REGION_X),
      y: noccl_cfg_pkg::Y_BITS'(noccl_cfg_pkg::REGION_Y)
  };

  // ------------------------------------------------------------------------------------------- addresses

  noccl_ni_pkg::narrow_write_t write;
  assign decode_is_error_o = write.is_error;
  assign decode_resp_o = write.refusal.resp;

  noccl_ni_narrow_decode u_decode (
      .pos_i  (POSITION),
      .aw_i   (decode_aw_i),
      .write_o(write)
  );

  // ------------------------------------------------------------------------------- bursts of the wide port

  noccl_axi_pkg::wide_w_t write_w;
  noccl_axi_pkg::wide_b_t write_refused;
  logic no_credit[2];
  noccl_ni_pkg::credit_t credit[2];
  assign write_w = '{data: '0, strb: '1, last: write_w_last_i};
  assign write_refused_resp_o = write_refused.resp;
  assign no_credit = '{default: 1'b0};
  assign credit = '{default: '0};

  noccl_ni_write_channel u_write_channel (
      .clk_i,
      .rst_ni,
      .pos_i          (POSITION),
      .aw_valid_i     (write_aw_valid_i),
      .aw_ready_o     (write_aw_ready_o),
      .aw_i           (write_aw_i),
      .w_valid_i      (write_w_valid_i),
      .w_ready_o      (write_w_ready_o),
      .w_i            (write_w),
      .burst_valid_o  (),
      .burst_o        (),
      .begins_o       (),
      .beat_o         (),
      .is_first_o     (),
      .is_last_o      (),
      .beat_valid_o   (write_beat_valid_o),
      .grant_i        (write_beat_valid_o),
      .is_limited_i   (1'b0),
      .window_i       ('0),
      .credit_valid_i (no_credit),
      .credit_i       (credit),
      .id_is_open_i   (1'b0),
      .refused_valid_o(write_refused_valid_o),
      .refused_ready_i(1'b1),
      .refused_o      (write_refused)
  );

  // ------------------------------------------------------------------------------------------------ reads

  noccl_axi_pkg::wide_r_t read_r;
  assign read_r_last_o = read_r.last;
  assign read_r_resp_o = read_r.resp;

  noccl_ni_wide_read u_wide_read (
      .clk_i,
      .rst_ni,
      .pos_i       (POSITION),
      .ar_valid_i  (read_ar_valid_i),
      .ar_ready_o  (read_ar_ready_o),
      .ar_i        (read_ar_i),
      .r_valid_o   (read_r_valid_o),
      .r_ready_i   (1'b1),
      .r_o         (read_r),
      .req_valid_o (read_req_valid_o),
      .req_ready_i (1'b1),
      .req_o       (),
      .flit_valid_i(read_data_valid_i),
      .flit_ready_o(),
      .flit_i      ('0)
  );

  noccl_axi_pkg::narrow_r_t word_r;
  assign word_r_last_o = word_r.last;
  assign word_r_resp_o = word_r.resp;

  noccl_ni_narrow_read u_narrow_read (
      .clk_i,
      .rst_ni,
      .pos_i      (POSITION),
      .ar_valid_i (word_ar_valid_i),
      .ar_ready_o (word_ar_ready_o),
      .ar_i       (word_ar_i),
      .r_valid_o  (word_r_valid_o),
      .r_ready_i  (1'b1),
      .r_o        (word_r),
      .req_valid_o(word_req_valid_o),
      .req_ready_i(1'b1),
      .req_o      (),
      .may_open_i (1'b1),
      .busy_o     (),
      .rsp_valid_i(word_data_valid_i),
      .rsp_ready_o(),
      .rsp_i      ('0)
  );

endmodule
