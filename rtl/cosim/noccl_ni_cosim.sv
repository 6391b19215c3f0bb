// SPDX-License-Identifier: Apache-2.0
// A tile's network interface between AXI ports in words and its router, for libraries of the simulator's host.
//
// The host is core, memory and, unless there is one, DMA engine: it drives the subordinate ports and responds at the manager ports. Own
// copies and responses to writes are always taken; the tile is held up between network interface and router (`hold`), as the
// simulator's endpoint stalls do. Words of the AXI ports: below, and crates/noccl-cosim/src/endpoints/axi.rs. Not synthesizable.

module noccl_ni_cosim
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// The tile has a DMA engine: the host drives its registers and responds for its L1 instead of the wide port.
    parameter bit HasDma = 1'b0,
    // Without engine, words of write channels after the fourth lie behind all others.
    localparam int unsigned More = WIDE_CHANNELS > 4 ? WIDE_CHANNELS - 4 : 0,
    localparam int unsigned InWords = HasDma ? 137 + 17 * WIDE_CHANNELS : 154 + 25 * More,
    localparam int unsigned OutWords = HasDma ? 86 + 2 * WIDE_CHANNELS : 86 + More
) (
    /// Clock.
    input logic clk_i,
    /// Asynchronous reset, active low.
    input logic rst_ni,
    /// Mesh coordinate of the tile; constant.
    input noccl_flit_pkg::coord_t position_i,
    /// What managers offer and memories respond.
    input logic [31:0] axi_i[InWords],
    /// What the network interface offers and takes.
    output logic [31:0] axi_o[OutWords],
    /// Credits of the merge point, as at `noccl_junction`.
    input logic credit_return_valid_i,
    output logic credit_return_ready_o,
    input noccl_flit_pkg::coord_t credit_return_dst_i,
    input noccl_collective_pkg::name_t credit_return_name_i,
    input logic own_valid_i,
    input noccl_collective_pkg::name_t own_name_i,
    output logic credit_valid_o,
    output noccl_collective_pkg::name_t credit_name_o,
    input logic credit_hit_i,
    /// Per plane: the Local input takes nothing in this cycle, the Local output gives nothing.
    input noccl_endpoint_pkg::hold_t hold_i,
    /// Local ports of the tile's routers: what they show, and what the network interface shows.
    input noccl_flit_pkg::links_t link_i,
    output noccl_flit_pkg::links_t link_o
);

  localparam noccl_flit_pkg::count_t Batch = noccl_flit_pkg::count_t'(noccl_cfg_pkg::CREDIT_BEATS);

  // Past the ports that rest.
  noccl_flit_pkg::links_t shown, offered;
  assign shown  = noccl_endpoint_pkg::out_of_mesh(link_i, hold_i);
  assign link_o = noccl_endpoint_pkg::into_mesh(offered, hold_i);

  // Words of the write channels: 25 each.
  logic aw_valid[WIDE_CHANNELS], aw_ready[WIDE_CHANNELS], w_valid[WIDE_CHANNELS];
  logic w_ready[WIDE_CHANNELS], b_valid[WIDE_CHANNELS], b_ready[WIDE_CHANNELS];
  noccl_axi_pkg::wide_aw_t aw[WIDE_CHANNELS];
  noccl_axi_pkg::wide_w_t w[WIDE_CHANNELS];
  noccl_axi_pkg::wide_b_t wide_b[WIDE_CHANNELS];
  logic ar_valid, ar_ready, r_valid, r_ready;
  noccl_axi_pkg::wide_ar_t ar;
  noccl_axi_pkg::wide_r_t  r;

  if (HasDma) begin : gen_engine
    // A read port of L1 per channel: the simulator's gives any number of lines in a cycle.
    localparam int unsigned L1Reads = WIDE_CHANNELS;
    logic [L1Reads-1:0] ask_valid, data_valid, wants_line;
    noccl_flit_pkg::offset_t [L1Reads-1:0] ask_addr;
    noccl_flit_pkg::wide_data_t [L1Reads-1:0] data;
    logic write_valid, waits;
    logic [63:0] response;
    noccl_flit_pkg::offset_t write_addr;
    noccl_axi_pkg::wide_w_t write;

    always_comb begin
      for (int c = 0; c < int'(L1Reads); c++) begin
        data_valid[c] = axi_i[137+17*c][0];
        for (int i = 0; i < 16; i++) data[c][32*i+:32] = axi_i[138+17*c+i];
      end
    end

    noccl_dma #(
        .BufferLines(noccl_cfg_pkg::DMA_BUFFER_BEATS),
        .L1Reads(L1Reads)
    ) u_dma (
        .clk_i,
        .rst_ni,
        .l1_base_i(noccl_endpoint_pkg::l1_base_of(
            32'(position_i.x) * noccl_cfg_pkg::MESH_HEIGHT + 32'(position_i.y)
        )),
        .access_i(axi_i[134][0]),
        .is_write_i(axi_i[134][1]),
        .register_i(noccl_dma_pkg::register_e'(axi_i[134][7:4])),
        .write_i({axi_i[136], axi_i[135]}),
        .read_o(response),
        .aw_valid_o(aw_valid),
        .aw_ready_i(aw_ready),
        .aw_o(aw),
        .w_valid_o(w_valid),
        .w_ready_i(w_ready),
        .w_o(w),
        .b_valid_i(b_valid),
        .b_ready_o(b_ready),
        .b_i(wide_b),
        .ar_valid_o(ar_valid),
        .ar_ready_i(ar_ready),
        .ar_o(ar),
        .r_valid_i(r_valid),
        .r_ready_o(r_ready),
        .r_i(r),
        .l1_ask_valid_o(ask_valid),
        .l1_ask_ready_i('1),
        .l1_ask_addr_o(ask_addr),
        .l1_data_valid_i(data_valid),
        .l1_data_i(data),
        .l1_write_valid_o(write_valid),
        .l1_write_ready_i(1'b1),
        .l1_write_addr_o(write_addr),
        .l1_write_o(write)
    );
    assign waits = u_dma.transfer_valid && !(|u_dma.is_free);
    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_wants_line
      assign wants_line[c] = !u_dma.is_free[c] && !u_dma.is_remote[c]
          && u_dma.gen_channel[c].u_channel.burst_valid
          && !u_dma.gen_channel[c].u_channel.line_valid;
    end

    always_comb begin
      axi_o[65] = {16'(wants_line), 13'b0, waits, write_valid, 1'b0};
      axi_o[66] = 32'(axi_i[134][0] && !axi_i[134][1] && &response);
      axi_o[67] = 32'(write_addr);
      {axi_o[69], axi_o[68]} = write.strb;
      for (int i = 0; i < 16; i++) axi_o[70+i] = write.data[32*i+:32];
      // Per channel: what happens at it, and which line it asks for.
      for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
        axi_o[86+2*c] = {
          aw_valid[c] && aw_ready[c],
          b_valid[c],
          wide_b[c].resp,
          2'(aw[c].user.opcode),
          5'(wide_b[c].id),
          5'(aw[c].id),
          16'(aw[c].user.tag)
        };
        axi_o[87+2*c] = 32'(ask_addr[c]) | 32'(ask_valid[c]);
      end
    end
  end else begin : gen_host
    always_comb begin
      for (int i = 65; i < 86; i++) axi_o[i] = '0;
      for (int c = 4; c < int'(WIDE_CHANNELS); c++) begin
        axi_o[82+c] = 32'({b_valid[c], w_ready[c], aw_ready[c], wide_b[c].resp, 6'(wide_b[c].id)});
      end
    end
    assign ar_valid = axi_i[100][0];
    assign r_ready  = !axi_i[115][12];
    always_comb begin
      ar = '0;
      ar.id = noccl_axi_pkg::read_id_t'(axi_i[100][15:8]);
      ar.len = axi_i[100][23:16];
      ar.size = noccl_axi_pkg::SIZE_WIDE;
      ar.burst = noccl_axi_pkg::BURST_INCR;
      ar.addr = noccl_axi_pkg::addr_t'({axi_i[102], axi_i[101]});
    end
    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
      localparam int At = c < 4 ? 25 * c : 154 + 25 * (c - 4);
      assign aw_valid[c] = axi_i[At][0];
      assign w_valid[c]  = axi_i[At][1];
      assign b_ready[c]  = 1'b1;
      always_comb begin
        aw[c] = '0;
        aw[c].id = noccl_axi_pkg::wide_id_t'(axi_i[At+1]);
        aw[c].len = axi_i[At+1][15:8];
        aw[c].size = noccl_axi_pkg::SIZE_WIDE;
        aw[c].burst = noccl_axi_pkg::BURST_INCR;
        aw[c].user.opcode = noccl_axi_pkg::opcode_e'(axi_i[At+1][17:16]);
        aw[c].user.op = noccl_number_pkg::operator_e'(axi_i[At+1][22:20]);
        aw[c].user.element = noccl_number_pkg::element_e'(axi_i[At+1][27:24]);
        aw[c].continues = axi_i[At+1][28];
        aw[c].addr = noccl_axi_pkg::addr_t'({axi_i[At+3], axi_i[At+2]});
        aw[c].user.mask = noccl_axi_pkg::addr_t'({axi_i[At+5], axi_i[At+4]});
        aw[c].user.tag = noccl_flit_pkg::tag_t'(axi_i[At+6]);
        w[c].last = axi_i[At][2];
        w[c].strb = {axi_i[At+8], axi_i[At+7]};
        for (int i = 0; i < 16; i++) w[c].data[32*i+:32] = axi_i[At+9+i];
      end
    end
  end

  noccl_axi_pkg::narrow_aw_t narrow_aw;
  noccl_axi_pkg::narrow_w_t narrow_w;
  noccl_axi_pkg::narrow_b_t narrow_b;
  noccl_axi_pkg::narrow_ar_t narrow_ar;
  noccl_axi_pkg::narrow_r_t narrow_r;
  noccl_axi_pkg::memory_wide_r_t mem_r;
  noccl_axi_pkg::memory_narrow_r_t reg_r;
  always_comb begin
    narrow_aw = '0;
    narrow_aw.id = noccl_axi_pkg::narrow_id_t'(axi_i[103][15:8]);
    narrow_aw.size = 3'd3;
    narrow_aw.burst = noccl_axi_pkg::BURST_INCR;
    narrow_aw.user.opcode = noccl_axi_pkg::opcode_e'(axi_i[103][17:16]);
    narrow_aw.atop = axi_i[103][29:24];
    narrow_aw.addr = noccl_axi_pkg::addr_t'({axi_i[105], axi_i[104]});
    narrow_aw.user.mask = noccl_axi_pkg::addr_t'({axi_i[107], axi_i[106]});
    narrow_aw.user.tag = noccl_flit_pkg::tag_t'(axi_i[108]);
    narrow_w.data = {axi_i[110], axi_i[109]};
    narrow_w.strb = axi_i[111][7:0];
    narrow_w.last = 1'b1;
    narrow_ar = '0;
    narrow_ar.id = noccl_axi_pkg::narrow_id_t'(axi_i[112][15:8]);
    narrow_ar.size = 3'd3;
    narrow_ar.burst = noccl_axi_pkg::BURST_INCR;
    narrow_ar.addr = noccl_axi_pkg::addr_t'({axi_i[114], axi_i[113]});
    // Bits 16 to 21: the memory responds with SLVERR.
    mem_r.last = axi_i[115][2];
    mem_r.resp = noccl_flit_pkg::resp_e'({axi_i[115][20], 1'b0});
    for (int i = 0; i < 16; i++) mem_r.data[32*i+:32] = axi_i[116+i];
    reg_r.last = 1'b1;
    reg_r.resp = noccl_flit_pkg::resp_e'({axi_i[115][21], 1'b0});
    reg_r.data = {axi_i[133], axi_i[132]};
  end

  logic [2:0] reads_q, reads_d;
  logic read_starts, read_ends, has_place;
  logic r_valid_n, ar_ready_n, b_valid_n, w_ready_n, aw_ready_n;
  logic mem_aw_valid, mem_w_valid, mem_b_ready, mem_ar_valid, mem_r_ready;
  logic own_aw_valid, own_w_valid, own_b_ready, own_reg_aw_valid, own_reg_w_valid, own_reg_b_ready;
  logic reg_aw_valid, reg_w_valid, reg_b_ready, reg_ar_valid, reg_r_ready;
  noccl_axi_pkg::memory_aw_t mem_aw, own_aw, reg_aw, own_reg_aw;
  noccl_axi_pkg::memory_ar_t mem_ar, reg_ar;
  noccl_axi_pkg::wide_w_t mem_w, own_w;
  always_comb begin
    axi_o[0] = '0;
    axi_o[2] = '0;
    // An engine has words of its own for its channels.
    for (int c = 0; c < (HasDma ? 0 : WIDE_CHANNELS < 4 ? int'(WIDE_CHANNELS) : 4); c++) begin
      axi_o[0][c] = aw_ready[c];
      axi_o[0][4+c] = w_ready[c];
      axi_o[0][8+c] = b_valid[c];
      axi_o[2][8*c+:8] = {wide_b[c].resp, 6'(wide_b[c].id)};
    end
    axi_o[0][19:12] = {
      r_valid_n, ar_ready_n, b_valid_n, w_ready_n, aw_ready_n, r.last, r_valid, ar_ready
    };
    axi_o[1] = 32'({
      |reg_aw.atop,
      own_reg_b_ready,
      own_reg_w_valid,
      own_reg_aw_valid,
      reg_r_ready,
      reg_ar_valid,
      reg_b_ready,
      reg_w_valid,
      reg_aw_valid,
      own_b_ready,
      own_w_valid,
      own_aw_valid,
      mem_r_ready,
      read_starts,
      mem_b_ready,
      mem_w_valid,
      mem_aw_valid
    });
    axi_o[3] = 32'({
      2'b0,
      narrow_r.resp,
      1'b0,
      narrow_r.id,
      2'b0,
      narrow_b.resp,
      1'b0,
      narrow_b.id,
      6'b0,
      r.resp,
      8'(r.id)
    });
    axi_o[4] = 32'(mem_aw.addr);
    axi_o[5] = 32'(mem_ar.addr);
    axi_o[6] = 32'(mem_ar.len);
    axi_o[7] = 32'(own_aw.addr);
    axi_o[8] = 32'(reg_aw.addr);
    axi_o[9] = 32'(reg_ar.addr);
    axi_o[10] = 32'(own_reg_aw.addr);
    {axi_o[12], axi_o[11]} = mem_w.strb;
    {axi_o[30], axi_o[29]} = own_w.strb;
    for (int i = 0; i < 16; i++) begin
      axi_o[13+i] = mem_w.data[32*i+:32];
      axi_o[31+i] = own_w.data[32*i+:32];
      axi_o[47+i] = r.data[32*i+:32];
    end
    {axi_o[64], axi_o[63]} = narrow_r.data;
  end

  noccl_ni_pkg::credit_t given, returned, own;
  assign returned.root  = credit_return_name_i.root;
  assign returned.tag   = credit_return_name_i.tag;
  assign returned.beats = Batch;
  assign own.root   = own_name_i.root;
  assign own.tag    = own_name_i.tag;
  assign own.beats  = Batch;

  // Places enough, since the simulator's queues of responses have no end; but as many reads at a time as a memory serves there.
  assign has_place = 32'(position_i.x) >= noccl_cfg_pkg::REGION_X || reads_q != 3'd4;
  assign read_starts = mem_ar_valid && has_place && !axi_i[115][9];
  assign read_ends = axi_i[115][1] && mem_r_ready && mem_r.last;
  assign reads_d = reads_q + 3'(read_starts) - 3'(read_ends);
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) reads_q <= '0;
    else reads_q <= reads_d;
  end

  noccl_ni #(
      .WideReads(64),
      .Responses(64)
  ) u_ni (
      .clk_i,
      .rst_ni,
      .pos_i(position_i),
      .wide_aw_valid_i(aw_valid),
      .wide_aw_ready_o(aw_ready),
      .wide_aw_i(aw),
      .wide_w_valid_i(w_valid),
      .wide_w_ready_o(w_ready),
      .wide_w_i(w),
      .wide_b_valid_o(b_valid),
      .wide_b_ready_i(b_ready),
      .wide_b_o(wide_b),
      .wide_ar_valid_i(ar_valid),
      .wide_ar_ready_o(ar_ready),
      .wide_ar_i(ar),
      .wide_r_valid_o(r_valid),
      .wide_r_ready_i(r_ready),
      .wide_r_o(r),
      .narrow_aw_valid_i(axi_i[103][0]),
      .narrow_aw_ready_o(aw_ready_n),
      .narrow_aw_i(narrow_aw),
      .narrow_w_valid_i(axi_i[103][1]),
      .narrow_w_ready_o(w_ready_n),
      .narrow_w_i(narrow_w),
      .narrow_b_valid_o(b_valid_n),
      .narrow_b_ready_i(1'b1),
      .narrow_b_o(narrow_b),
      .narrow_ar_valid_i(axi_i[112][0]),
      .narrow_ar_ready_o(ar_ready_n),
      .narrow_ar_i(narrow_ar),
      .narrow_r_valid_o(r_valid_n),
      .narrow_r_ready_i(1'b1),
      .narrow_r_o(narrow_r),
      .mem_aw_valid_o(mem_aw_valid),
      .mem_aw_ready_i(!axi_i[115][8]),
      .mem_aw_o(mem_aw),
      .mem_w_valid_o(mem_w_valid),
      .mem_w_ready_i(!axi_i[115][8]),
      .mem_w_o(mem_w),
      .mem_b_valid_i(axi_i[115][0]),
      .mem_b_ready_o(mem_b_ready),
      .mem_b_resp_i(noccl_flit_pkg::resp_e'({axi_i[115][16], 1'b0})),
      .mem_ar_valid_o(mem_ar_valid),
      .mem_ar_ready_i(has_place && !axi_i[115][9]),
      .mem_ar_o(mem_ar),
      .mem_r_valid_i(axi_i[115][1]),
      .mem_r_ready_o(mem_r_ready),
      .mem_r_i(mem_r),
      .own_aw_valid_o(own_aw_valid),
      .own_aw_ready_i(1'b1),
      .own_aw_o(own_aw),
      .own_w_valid_o(own_w_valid),
      .own_w_ready_i(1'b1),
      .own_w_o(own_w),
      .own_b_valid_i(axi_i[115][3]),
      .own_b_ready_o(own_b_ready),
      .own_b_resp_i(noccl_flit_pkg::resp_e'({axi_i[115][17], 1'b0})),
      .reg_aw_valid_o(reg_aw_valid),
      .reg_aw_ready_i(!axi_i[115][10]),
      .reg_aw_o(reg_aw),
      .reg_w_valid_o(reg_w_valid),
      .reg_w_ready_i(!axi_i[115][10]),
      .reg_w_o(),
      .reg_b_valid_i(axi_i[115][4]),
      .reg_b_ready_o(reg_b_ready),
      .reg_b_resp_i(noccl_flit_pkg::resp_e'({axi_i[115][18], 1'b0})),
      .reg_ar_valid_o(reg_ar_valid),
      .reg_ar_ready_i(!axi_i[115][11]),
      .reg_ar_o(reg_ar),
      .reg_r_valid_i(axi_i[115][5]),
      .reg_r_ready_o(reg_r_ready),
      .reg_r_i(reg_r),
      .own_reg_aw_valid_o(own_reg_aw_valid),
      .own_reg_aw_ready_i(1'b1),
      .own_reg_aw_o(own_reg_aw),
      .own_reg_w_valid_o(own_reg_w_valid),
      .own_reg_w_ready_i(1'b1),
      .own_reg_w_o(),
      .own_reg_b_valid_i(axi_i[115][6]),
      .own_reg_b_ready_o(own_reg_b_ready),
      .own_reg_b_resp_i(noccl_flit_pkg::resp_e'({axi_i[115][19], 1'b0})),
      .unit_credit_valid_i(credit_return_valid_i),
      .unit_credit_ready_o(credit_return_ready_o),
      .unit_credit_to_i(credit_return_dst_i),
      .unit_credit_i(returned),
      .own_credit_valid_i(own_valid_i),
      .own_credit_i(own),
      .credit_valid_o,
      .credit_o(given),
      .credit_is_for_unit_i(credit_hit_i),
      .wide_out_valid_o(offered.wide.valid),
      .wide_out_ready_i(shown.wide.ready),
      .wide_out_o(offered.wide.flit),
      .wide_in_valid_i(shown.wide.valid),
      .wide_in_ready_o(offered.wide.ready),
      .wide_in_i(shown.wide.flit),
      .req_out_valid_o(offered.req.valid),
      .req_out_ready_i(shown.req.ready),
      .req_out_o(offered.req.flit),
      .req_in_valid_i(shown.req.valid),
      .req_in_ready_o(offered.req.ready),
      .req_in_i(shown.req.flit),
      .rsp_out_valid_o(offered.rsp.valid),
      .rsp_out_ready_i(shown.rsp.ready),
      .rsp_out_o(offered.rsp.flit),
      .rsp_in_valid_i(shown.rsp.valid),
      .rsp_in_ready_o(offered.rsp.ready),
      .rsp_in_i(shown.rsp.flit)
  );
  assign credit_name_o.root = given.root;
  assign credit_name_o.tag  = given.tag;

endmodule
