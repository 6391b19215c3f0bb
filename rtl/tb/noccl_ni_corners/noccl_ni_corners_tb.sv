// SPDX-License-Identifier: Apache-2.0
// Parts of the network interface by themselves, with the network and the memory in the hands of the test: what the interface as a
// whole, behind a network that merges and memories that respond, seldom or never comes to.

module noccl_ni_corners_tb
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
  import noccl_ni_pkg::response_t;
#(
    /// Channels and bits of an id of the table of missing responses.
    parameter int unsigned Channels = 4,
    parameter int unsigned IdBits   = 3
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,

    /// Target of wide writes: beats of others, the memory, responses.
    input  logic                                         wide_valid_i,
    output logic                                         wide_ready_o,
    input  logic [$bits(noccl_flit_pkg::wide_hdr_t)-1:0] wide_hdr_i,
    output logic                                         mem_aw_valid_o,
    input  logic                                         mem_ready_i,
    output logic                                         mem_w_valid_o,
    output logic [       noccl_cfg_pkg::WIDE_BITS/8-1:0] mem_w_strb_o,
    input  logic                                         mem_b_valid_i,
    output logic                                         mem_b_ready_o,
    input  logic [                                  1:0] mem_b_resp_i,
    output logic                                         wide_response_valid_o,
    input  logic                                         wide_response_ready_i,
    output logic [                $bits(response_t)-1:0] wide_response_o,

    /// Target of narrow requests: the same, and data.
    input  logic                                        req_valid_i,
    output logic                                        req_ready_o,
    input  logic [$bits(noccl_flit_pkg::req_hdr_t)-1:0] req_hdr_i,
    output logic                                        reg_aw_valid_o,
    input  logic                                        reg_ready_i,
    output logic                                        reg_w_valid_o,
    output logic [    noccl_cfg_pkg::NARROW_BITS/8-1:0] reg_w_strb_o,
    input  logic                                        reg_b_valid_i,
    output logic                                        reg_b_ready_o,
    input  logic [                                 1:0] reg_b_resp_i,
    output logic                                        reg_ar_valid_o,
    input  logic                                        reg_r_valid_i,
    output logic                                        reg_r_ready_o,
    input  logic [                                 1:0] reg_r_resp_i,
    output logic                                        narrow_response_valid_o,
    input  logic                                        narrow_response_ready_i,
    output logic [               $bits(response_t)-1:0] narrow_response_o,
    output logic                                        data_valid_o,
    input  logic                                        data_ready_i,
    output logic [$bits(noccl_flit_pkg::rsp_hdr_t)-1:0] data_hdr_o,

    /// Missing responses to multicasts: the first channel opens one, responses come.
    input  logic                                             opens_i,
    input  logic [                               IdBits-1:0] open_id_i,
    input  logic [$bits(noccl_flit_pkg::region_coord_t)-1:0] open_mask_i,
    input  logic                                             responded_i,
    input  logic [   unsigned'($clog2(Channels))+IdBits-1:0] responded_name_i,
    input  logic [        $bits(noccl_ni_pkg::others_t)-1:0] responded_others_i,
    input  logic [                                      1:0] responded_resp_i,
    output logic                                             is_whole_o,
    output logic [                                      1:0] total_resp_o,

    /// Who serves wide reads: a request, the memory, its data.
    input  logic       ask_valid_i,
    input  logic       mem_r_valid_i,
    input  logic [1:0] mem_r_resp_i,
    output logic       read_data_valid_o,
    output logic [1:0] read_data_resp_o
);

  localparam noccl_flit_pkg::coord_t POSITION = '{
      x: noccl_cfg_pkg::X_BITS'(noccl_cfg_pkg::REGION_X),
      y: noccl_cfg_pkg::Y_BITS'(noccl_cfg_pkg::REGION_Y)
  };

  // --------------------------------------------------------------------------------------- wide target

  wide_flit_t wide;
  noccl_axi_pkg::wide_w_t mem_w;
  assign wide = '{hdr: wide_hdr_i, strobe: '1, data: '0};
  assign mem_w_strb_o = mem_w.strb;

  noccl_ni_wide_target u_wide_target (
      .clk_i,
      .rst_ni,
      .pos_i           (POSITION),
      .flit_valid_i    (wide_valid_i),
      .flit_ready_o    (wide_ready_o),
      .flit_i          (wide),
      .aw_valid_o      (mem_aw_valid_o),
      .aw_ready_i      (mem_ready_i),
      .aw_o            (),
      .w_valid_o       (mem_w_valid_o),
      .w_ready_i       (mem_ready_i),
      .w_o             (mem_w),
      .b_valid_i       (mem_b_valid_i),
      .b_ready_o       (mem_b_ready_o),
      .b_resp_i        (noccl_flit_pkg::resp_e'(mem_b_resp_i)),
      .delivered_o     (),
      .response_valid_o(wide_response_valid_o),
      .response_ready_i(wide_response_ready_i),
      .response_o      (wide_response_o)
  );

  // ------------------------------------------------------------------------------------- narrow target

  req_flit_t req;
  rsp_flit_t data;
  noccl_axi_pkg::narrow_w_t reg_w;
  noccl_axi_pkg::memory_narrow_r_t reg_r;
  assign req = '{hdr: req_hdr_i, strobe: '1, data: '0};
  assign reg_w_strb_o = reg_w.strb;
  assign reg_r = '{data: '0, resp: noccl_flit_pkg::resp_e'(reg_r_resp_i), last: 1'b1};
  assign data_hdr_o = data.hdr;

  noccl_ni_narrow_target u_narrow_target (
      .clk_i,
      .rst_ni,
      .pos_i           (POSITION),
      .req_valid_i,
      .req_ready_o,
      .req_i           (req),
      .aw_valid_o      (reg_aw_valid_o),
      .aw_ready_i      (reg_ready_i),
      .aw_o            (),
      .w_valid_o       (reg_w_valid_o),
      .w_ready_i       (reg_ready_i),
      .w_o             (reg_w),
      .b_valid_i       (reg_b_valid_i),
      .b_ready_o       (reg_b_ready_o),
      .b_resp_i        (noccl_flit_pkg::resp_e'(reg_b_resp_i)),
      .ar_valid_o      (reg_ar_valid_o),
      .ar_ready_i      (reg_ready_i),
      .ar_o            (),
      .r_valid_i       (reg_r_valid_i),
      .r_ready_o       (reg_r_ready_o),
      .r_i             (reg_r),
      .delivered_o     (),
      .response_valid_o(narrow_response_valid_o),
      .response_ready_i(narrow_response_ready_i),
      .response_o      (narrow_response_o),
      .data_valid_o,
      .data_ready_i,
      .data_o          (data)
  );

  // ------------------------------------------------------------------------------- missing responses

  logic [Channels-1:0] is_free;
  logic [IdBits-1:0] next_id[Channels];
  noccl_flit_pkg::region_coord_t next_mask[Channels];
  noccl_flit_pkg::resp_e total_resp;
  assign is_free = Channels'(opens_i);
  assign total_resp_o = total_resp;
  for (genvar c = 0; c < int'(Channels); c++) begin : gen_channel
    assign next_id[c]   = open_id_i;
    assign next_mask[c] = open_mask_i;
  end

  noccl_ni_collected #(
      .Channels(Channels),
      .IdBits  (IdBits)
  ) u_collected (
      .clk_i,
      .rst_ni,
      .is_free_i  (is_free),
      .next_id_i  (next_id),
      .next_mask_i(next_mask),
      .name_i     (responded_name_i),
      .others_i   (responded_others_i),
      .resp_i     (noccl_flit_pkg::resp_e'(responded_resp_i)),
      .valid_i    (responded_i),
      .is_whole_o,
      .resp_o     (total_resp)
  );

  // ------------------------------------------------------------------------------------------ wide reads

  noccl_flit_pkg::wide_flit_t read_data;
  noccl_axi_pkg::memory_wide_r_t mem_r;
  assign mem_r = '{data: '0, resp: noccl_flit_pkg::resp_e'(mem_r_resp_i), last: 1'b1};
  assign read_data_resp_o = read_data.hdr.resp;

  noccl_ni_wide_serve u_wide_serve (
      .clk_i,
      .rst_ni,
      .pos_i       (POSITION),
      .req_valid_i (ask_valid_i),
      .req_ready_o (),
      .req_i       ('0),
      .ar_valid_o  (),
      .ar_ready_i  (1'b1),
      .ar_o        (),
      .r_valid_i   (mem_r_valid_i),
      .r_ready_o   (),
      .r_i         (mem_r),
      .flit_valid_o(read_data_valid_o),
      .flit_ready_i(1'b1),
      .flit_o      (read_data)
  );

endmodule
