// SPDX-License-Identifier: Apache-2.0
//
// Narrow half of the network interface: writes, interrupts, barriers, atomics and reads of this tile's cores, and what
// its memory does for others. Wiring, and arbitration.
//
// Latency: none in either direction. Ordering, freedom from deadlock: noccl_ni. Mirror: `request_is_ready` and
// `opens_narrow` in crates/noccl-sim/src/ni/axi.

module noccl_ni_narrow #(
    /// Writes, atomics and reads whose response from the memory is open, of each kind.
    parameter int unsigned Responses = 4,
    /// Barriers exist.
    parameter bit HasCollectives = 1'b1
) (
    /// Clock.
    input logic                   clk_i,
    /// Asynchronous reset, active low.
    input logic                   rst_ni,
    /// Coordinate of this tile; constant.
    input noccl_flit_pkg::coord_t pos_i,

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

    /// Responses to writes of others.
    output logic                      response_valid_o,
    input  logic                      response_ready_i,
    output noccl_ni_pkg::response_t   response_o,
    /// Data for others.
    output logic                      data_valid_o,
    input  logic                      data_ready_i,
    output noccl_flit_pkg::rsp_flit_t data_o,
    /// Responses to this tile's requests.
    input  logic                      rsp_valid_i,
    output logic                      rsp_ready_o,
    input  noccl_flit_pkg::rsp_flit_t rsp_i,
    /// This tile's wide reads, which leave by the same plane.
    input  logic                      wide_req_valid_i,
    output logic                      wide_req_ready_o,
    input  noccl_flit_pkg::req_flit_t wide_req_i,
    /// Requests of this tile.
    output logic                      req_valid_o,
    input  logic                      req_ready_i,
    output noccl_flit_pkg::req_flit_t req_o,
    /// Requests of others.
    input  logic                      req_valid_i,
    output logic                      req_ready_o,
    input  noccl_flit_pkg::req_flit_t req_i
);

  import noccl_flit_pkg::req_flit_t;
  import noccl_ni_pkg::NUM_NARROW_IDS;

  localparam int unsigned WRITE = 0;
  localparam int unsigned READ = 1;
  localparam int unsigned WIDE_READ = 2;
  localparam int unsigned NUM_SOURCES = 3;

  // ------------------------------------------------------------------------------------------ initiator

  logic [NUM_SOURCES-1:0] request, grant;
  logic [NUM_NARROW_IDS-1:0] writes_busy, reads_busy;
  logic may_open, is_read_rsp, write_rsp_ready, read_rsp_ready;
  logic copy_valid, copy_ready, copy_b_valid, copy_b_ready, delivered;
  logic atomic_r_valid, atomic_r_ready, read_r_valid, read_r_ready;
  req_flit_t write_req, read_req, copy;
  noccl_axi_pkg::narrow_w_t copy_w;
  noccl_axi_pkg::narrow_r_t atomic_r, read_r;
  noccl_flit_pkg::tag_t  copy_b_tag;
  noccl_flit_pkg::resp_e copy_b_resp;

  // A request that has been made stays, though another may have taken the last place meanwhile.
  logic may_open_write, may_open_read, write_asked_q, read_asked_q;
  assign may_open = unsigned'($countones(
      {writes_busy, reads_busy}
  )) < noccl_cfg_pkg::MAX_NARROW_OUTSTANDING;
  assign may_open_write = may_open || write_asked_q;
  assign may_open_read = may_open || read_asked_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) {write_asked_q, read_asked_q} <= '0;
    else begin
      write_asked_q <= (request[WRITE] && !(req_ready_i && grant[WRITE]))
          || (copy_valid && !copy_ready);
      read_asked_q <= request[READ] && !(req_ready_i && grant[READ]);
    end
  end

  assign is_read_rsp = rsp_i.hdr.kind == noccl_flit_pkg::RSP_READ_DATA;
  assign rsp_ready_o = is_read_rsp ? read_rsp_ready : write_rsp_ready;

  noccl_ni_narrow_write u_write (
      .clk_i,
      .rst_ni,
      .pos_i,
      .aw_valid_i(narrow_aw_valid_i),
      .aw_ready_o(narrow_aw_ready_o),
      .aw_i(narrow_aw_i),
      .w_valid_i(narrow_w_valid_i),
      .w_ready_o(narrow_w_ready_o),
      .w_i(narrow_w_i),
      .b_valid_o(narrow_b_valid_o),
      .b_ready_i(narrow_b_ready_i),
      .b_o(narrow_b_o),
      .r_valid_o(atomic_r_valid),
      .r_ready_i(atomic_r_ready),
      .r_o(atomic_r),
      .req_valid_o(request[WRITE]),
      .req_ready_i(req_ready_i && grant[WRITE]),
      .req_o(write_req),
      .own_valid_o(copy_valid),
      .own_ready_i(copy_ready),
      .own_o(copy),
      .own_b_valid_i(copy_b_valid),
      .own_b_ready_o(copy_b_ready),
      .own_b_tag_i(copy_b_tag),
      .own_b_resp_i(copy_b_resp),
      .delivered_i(delivered),
      .may_open_i(may_open_write),
      .busy_o(writes_busy),
      .rsp_valid_i(rsp_valid_i && !is_read_rsp),
      .rsp_ready_o(write_rsp_ready),
      .rsp_i
  );

  noccl_ni_narrow_read u_read (
      .clk_i,
      .rst_ni,
      .pos_i,
      .ar_valid_i(narrow_ar_valid_i),
      .ar_ready_o(narrow_ar_ready_o),
      .ar_i(narrow_ar_i),
      .r_valid_o(read_r_valid),
      .r_ready_i(read_r_ready),
      .r_o(read_r),
      .req_valid_o(request[READ]),
      .req_ready_i(req_ready_i && grant[READ]),
      .req_o(read_req),
      .may_open_i(may_open_read),
      .busy_o(reads_busy),
      .rsp_valid_i(rsp_valid_i && is_read_rsp),
      .rsp_ready_o(read_rsp_ready),
      .rsp_i
  );

  // An atomic's data go first, but never in the place of data that are shown already.
  logic shows_atomic, read_held_q, read_held_d;

  assign shows_atomic = atomic_r_valid && !read_held_q;
  assign read_held_d = read_r_valid && !shows_atomic && !narrow_r_ready_i;
  assign narrow_r_valid_o = atomic_r_valid || read_r_valid;
  assign narrow_r_o = shows_atomic ? atomic_r : read_r;
  assign atomic_r_ready = narrow_r_ready_i && shows_atomic;
  assign read_r_ready = narrow_r_ready_i && !shows_atomic;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) read_held_q <= 1'b0;
    else read_held_q <= read_held_d;
  end

  assign copy_w = '{data: copy.data, strb: copy.strobe, last: 1'b1};

  if (HasCollectives) begin : gen_own
    noccl_ni_own #(
        .w_t(noccl_axi_pkg::narrow_w_t),
        .Responses(Responses)
    ) u_own (
        .clk_i,
        .rst_ni,
        .copy_valid_i(copy_valid),
        .copy_ready_o(copy_ready),
        .copy_addr_i(copy.hdr.addr),
        .copy_w_i(copy_w),
        .copy_is_last_i(1'b1),
        .copy_tag_i(copy.hdr.tag),
        .aw_valid_o(own_reg_aw_valid_o),
        .aw_ready_i(own_reg_aw_ready_i),
        .aw_o(own_reg_aw_o),
        .w_valid_o(own_reg_w_valid_o),
        .w_ready_i(own_reg_w_ready_i),
        .w_o(own_reg_w_o),
        .b_valid_i(own_reg_b_valid_i),
        .b_ready_o(own_reg_b_ready_o),
        .b_resp_i(own_reg_b_resp_i),
        .response_valid_o(copy_b_valid),
        .response_ready_i(copy_b_ready),
        .response_tag_o(copy_b_tag),
        .response_code_o(copy_b_resp)
    );
  end else begin : gen_no_own
    assign {copy_ready, own_reg_aw_valid_o, own_reg_w_valid_o, own_reg_b_ready_o} = '0;
    assign {copy_b_valid, own_reg_aw_o, own_reg_w_o, copy_b_tag} = '0;
    assign copy_b_resp = noccl_flit_pkg::RESP_OKAY;
  end

  // ------------------------------------------------------------------------------------- requests leave

  assign request[WIDE_READ] = wide_req_valid_i;
  assign wide_req_ready_o   = req_ready_i && grant[WIDE_READ];

  noccl_rr_arbiter #(
      .NumRequesters(NUM_SOURCES)
  ) u_grant (
      .clk_i,
      .rst_ni,
      .request_i(request),
      .late_i('0),
      .late_valid_i(1'b0),
      .grant_o(grant),
      .valid_o(req_valid_o),
      .ready_i(req_ready_i)
  );

  always_comb begin
    req_o = write_req;
    if (grant[READ]) req_o = read_req;
    else if (grant[WIDE_READ]) req_o = wide_req_i;
  end

  // --------------------------------------------------------------------------------------------- target

  noccl_ni_narrow_target #(
      .Responses  (Responses),
      .Reads      (Responses),
      .HasBarriers(HasCollectives)
  ) u_target (
      .clk_i,
      .rst_ni,
      .pos_i,
      .req_valid_i,
      .req_ready_o,
      .req_i,
      .aw_valid_o(reg_aw_valid_o),
      .aw_ready_i(reg_aw_ready_i),
      .aw_o(reg_aw_o),
      .w_valid_o(reg_w_valid_o),
      .w_ready_i(reg_w_ready_i),
      .w_o(reg_w_o),
      .b_valid_i(reg_b_valid_i),
      .b_ready_o(reg_b_ready_o),
      .b_resp_i(reg_b_resp_i),
      .ar_valid_o(reg_ar_valid_o),
      .ar_ready_i(reg_ar_ready_i),
      .ar_o(reg_ar_o),
      .r_valid_i(reg_r_valid_i),
      .r_ready_o(reg_r_ready_o),
      .r_i(reg_r_i),
      .delivered_o(delivered),
      .response_valid_o,
      .response_ready_i,
      .response_o,
      .data_valid_o,
      .data_ready_i,
      .data_o
  );

endmodule
