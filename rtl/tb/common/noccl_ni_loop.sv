// SPDX-License-Identifier: Apache-2.0
//
// A network interface whose network leads back to it: every plane is a FIFO from the router's side out to in, which the test may
// hold up. So the tile is initiator and target, and the other member of its groups.

module noccl_ni_loop
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// A beat for another tile comes back as one from that tile; otherwise everything comes from this one.
    parameter bit PlaysOthers = 1'b0
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Planes wide, req, rsp that stand still in this cycle.
    input logic [2:0] hold_i,
    /// Flits that have passed each plane.
    output logic [2:0][31:0] num_flits_o,

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
    input  noccl_flit_pkg::resp_e     own_reg_b_resp_i
);

  // The tile under test: the south-west cluster.
  localparam noccl_flit_pkg::coord_t POSITION = '{
      x: noccl_cfg_pkg::X_BITS'(noccl_cfg_pkg::REGION_X),
      y: noccl_cfg_pkg::Y_BITS'(noccl_cfg_pkg::REGION_Y)
  };

  logic wide_out_valid, wide_out_ready, wide_in_valid, wide_in_ready;
  logic req_out_valid, req_out_ready, req_in_valid, req_in_ready;
  logic rsp_out_valid, rsp_out_ready, rsp_in_valid, rsp_in_ready;
  noccl_flit_pkg::wide_flit_t wide_out, wide_in, wide_back;
  noccl_flit_pkg::req_flit_t req_out, req_in;
  noccl_flit_pkg::rsp_flit_t rsp_out, rsp_in;

  noccl_loop #(
      .flit_t(noccl_flit_pkg::wide_flit_t)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .hold_i (hold_i[0]),
      .valid_i(wide_out_valid),
      .ready_o(wide_out_ready),
      .flit_i (wide_out),
      .valid_o(wide_in_valid),
      .ready_i(wide_in_ready),
      .flit_o (wide_back)
  );
  noccl_loop #(
      .flit_t(noccl_flit_pkg::req_flit_t),
      .Plane (32'd1)
  ) u_req (
      .clk_i,
      .rst_ni,
      .hold_i (hold_i[1]),
      .valid_i(req_out_valid),
      .ready_o(req_out_ready),
      .flit_i (req_out),
      .valid_o(req_in_valid),
      .ready_i(req_in_ready),
      .flit_o (req_in)
  );
  noccl_loop #(
      .flit_t(noccl_flit_pkg::rsp_flit_t),
      .Plane (32'd2)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .hold_i (hold_i[2]),
      .valid_i(rsp_out_valid),
      .ready_o(rsp_out_ready),
      .flit_i (rsp_out),
      .valid_o(rsp_in_valid),
      .ready_i(rsp_in_ready),
      .flit_o (rsp_in)
  );

  // Beats of this tile to itself are counted until they have been delivered; those for others are
  // not its own.
  always_comb begin
    wide_in = wide_back;
    if (PlaysOthers && !wide_in.hdr.multicast && wide_in.hdr.dst != POSITION) begin
      wide_in.hdr.src = wide_in.hdr.dst;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      num_flits_o <= '0;
    end else begin
      num_flits_o[0] <= num_flits_o[0] + 32'(wide_out_valid && wide_out_ready);
      num_flits_o[1] <= num_flits_o[1] + 32'(req_out_valid && req_out_ready);
      num_flits_o[2] <= num_flits_o[2] + 32'(rsp_out_valid && rsp_out_ready);
    end
  end

  noccl_ni u_ni (
      .clk_i,
      .rst_ni,
      .pos_i(POSITION),
      .wide_aw_valid_i,
      .wide_aw_ready_o,
      .wide_aw_i,
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
      .narrow_aw_valid_i,
      .narrow_aw_ready_o,
      .narrow_aw_i,
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
      .unit_credit_valid_i(1'b0),
      .unit_credit_ready_o(),
      .unit_credit_to_i('0),
      .unit_credit_i('0),
      .own_credit_valid_i(1'b0),
      .own_credit_i('0),
      .credit_valid_o(),
      .credit_o(),
      .credit_is_for_unit_i(1'b0),
      .wide_out_valid_o(wide_out_valid),
      .wide_out_ready_i(wide_out_ready),
      .wide_out_o(wide_out),
      .wide_in_valid_i(wide_in_valid),
      .wide_in_ready_o(wide_in_ready),
      .wide_in_i(wide_in),
      .req_out_valid_o(req_out_valid),
      .req_out_ready_i(req_out_ready),
      .req_out_o(req_out),
      .req_in_valid_i(req_in_valid),
      .req_in_ready_o(req_in_ready),
      .req_in_i(req_in),
      .rsp_out_valid_o(rsp_out_valid),
      .rsp_out_ready_i(rsp_out_ready),
      .rsp_out_o(rsp_out),
      .rsp_in_valid_i(rsp_in_valid),
      .rsp_in_ready_o(rsp_in_ready),
      .rsp_in_i(rsp_in)
  );

endmodule
