// SPDX-License-Identifier: Apache-2.0
// What a network interface remembers of open wide writes, by itself: which may start, and its own copies at the memory.

module noccl_ni_open_tb
  import noccl_cfg_pkg::WIDE_CHANNELS;
(
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,

    /// The burst of a channel, which asks, and opens; the others ask for the same with the first id.
    input logic [noccl_ni_pkg::CHANNEL_BITS-1:0] channel_i,
    input noccl_axi_pkg::wide_id_t id_i,
    input logic is_join_i,
    input noccl_flit_pkg::coord_t dst_i,
    input noccl_flit_pkg::tag_t tag_i,
    input logic opens_i,
    output logic may_start_o,
    /// A response from the router; B of all channels is taken.
    input logic rsp_valid_i,
    output logic rsp_ready_o,
    input logic [$bits(noccl_flit_pkg::rsp_hdr_t)-1:0] rsp_hdr_i,
    output logic [WIDE_CHANNELS-1:0] b_valid_o,
    output logic [noccl_cfg_pkg::WIDE_ID_BITS-1:0] b_id_o[WIDE_CHANNELS],

    /// A beat of an own copy; the memory takes it.
    input logic copy_valid_i,
    output logic copy_ready_o,
    input logic copy_is_last_i,
    input noccl_flit_pkg::tag_t copy_tag_i,
    /// The memory responds.
    input logic mem_b_valid_i,
    output logic mem_b_ready_o,
    input logic [1:0] mem_b_resp_i,
    output logic own_valid_o,
    output noccl_flit_pkg::tag_t own_tag_o,
    output logic [1:0] own_resp_o
);

  noccl_ni_pkg::burst_t burst[WIDE_CHANNELS];
  noccl_ni_pkg::wide_tag_t name[WIDE_CHANNELS];
  logic [WIDE_CHANNELS-1:0] may_start, opens;
  logic b_valid[WIDE_CHANNELS], b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t b[WIDE_CHANNELS], no_refusal[WIDE_CHANNELS];

  for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
    always_comb begin
      burst[c] = '0;
      burst[c].opcode = is_join_i ? noccl_axi_pkg::OPCODE_JOIN : noccl_axi_pkg::OPCODE_UNICAST;
      burst[c].dst = dst_i;
      burst[c].tag = tag_i;
      burst[c].id = channel_i == noccl_ni_pkg::CHANNEL_BITS'(unsigned'(c)) ? id_i : '0;
    end
    assign name[c] = noccl_ni_pkg::wide_tag_t'({noccl_ni_pkg::CHANNEL_BITS'(c), burst[c].id});
    assign opens[c] = opens_i && channel_i == noccl_ni_pkg::CHANNEL_BITS'(unsigned'(c));
    assign b_ready[c] = 1'b1;
    assign b_valid_o[c] = b_valid[c];
    assign b_id_o[c] = b[c].id;
    assign no_refusal[c] = '0;
  end
  assign may_start_o = may_start[channel_i];

  noccl_ni_wide_b u_wide_b (
      .clk_i,
      .rst_ni,
      .name_i(name),
      .burst_i(burst),
      .may_start_o(may_start),
      .is_open_o(),
      .opens_i(opens),
      .sent_name_i(name[channel_i]),
      .sent_i(burst[channel_i]),
      .b_valid_o(b_valid),
      .b_ready_i(b_ready),
      .b_o(b),
      .refused_valid_i('0),
      .refused_ready_o(),
      .refused_i(no_refusal),
      .own_b_valid_i(1'b0),
      .own_b_ready_o(),
      .own_b_tag_i('0),
      .own_b_resp_i(noccl_flit_pkg::RESP_OKAY),
      .rsp_valid_i,
      .rsp_ready_o,
      .rsp_i(noccl_flit_pkg::rsp_hdr_t'(rsp_hdr_i))
  );

  noccl_flit_pkg::resp_e own_resp;
  assign own_resp_o = own_resp;

  noccl_ni_own u_own (
      .clk_i,
      .rst_ni,
      .copy_valid_i,
      .copy_ready_o,
      .copy_addr_i('0),
      .copy_w_i('0),
      .copy_is_last_i,
      .copy_tag_i,
      .aw_valid_o(),
      .aw_ready_i(1'b1),
      .aw_o(),
      .w_valid_o(),
      .w_ready_i(1'b1),
      .w_o(),
      .b_valid_i(mem_b_valid_i),
      .b_ready_o(mem_b_ready_o),
      .b_resp_i(noccl_flit_pkg::resp_e'(mem_b_resp_i)),
      .response_valid_o(own_valid_o),
      .response_ready_i(1'b1),
      .response_tag_o(own_tag_o),
      .response_code_o(own_resp)
  );

endmodule
