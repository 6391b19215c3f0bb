// SPDX-License-Identifier: Apache-2.0
// Network interfaces and mesh as a library of the simulator's host: AXI ports as words, flits in whole words, handshakes as bit sets.
//
// The host is every DMA engine, core and memory: it drives the subordinate ports of each network interface and answers its
// manager ports. Memories and managers are always ready; a tile is held up between network interface and router (`hold` sets), as
// the simulator's endpoint stalls do. Bit or element t belongs to tile t, element t * 5 + p of the outgoing flits to output p of
// tile t. Words of the AXI ports: below, and crates/noccl-rtl/src/endpoints/axi.rs.
// Not synthesizable: it looks at the links inside the mesh.
// Mirror: crates/noccl-rtl/src/endpoints; the C functions in noccl_endpoints_cosim.cpp.

module noccl_endpoints_cosim
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    localparam int unsigned NumTiles = noccl_cfg_pkg::MESH_WIDTH * noccl_cfg_pkg::MESH_HEIGHT,
    localparam int unsigned WideBits = 32 * (($bits(wide_flit_t) + 31) / 32),
    localparam int unsigned ReqBits  = 32 * (($bits(req_flit_t) + 31) / 32),
    localparam int unsigned RspBits  = 32 * (($bits(rsp_flit_t) + 31) / 32),
    localparam int unsigned InWords  = 134,
    localparam int unsigned OutWords = 65
) (
    /// Clock.
    input  logic                clk_i,
    /// Asynchronous reset, active low.
    input  logic                rst_ni,
    /// What managers offer and memories answer, per tile.
    input  logic [        31:0] axi_i          [  NumTiles*InWords],
    /// What network interfaces offer and take, per tile.
    output logic [        31:0] axi_o          [ NumTiles*OutWords],
    /// Plane `wide`: tiles whose Local input takes nothing in this cycle.
    input  logic [        63:0] wide_hold_in_i,
    /// Tiles whose Local output gives nothing.
    input  logic [        63:0] wide_hold_out_i,
    /// Tiles whose flit enters the Local input in this cycle, and the flits that are offered to it.
    output logic [        63:0] wide_enter_o,
    output logic [WideBits-1:0] wide_in_flit_o [          NumTiles],
    /// Tiles whose flit leaves by the Local output in this cycle.
    output logic [        63:0] wide_leave_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link; Local: tiles that are offered a flit.
    output logic [        63:0] wide_crossing_o[         NUM_PORTS],
    /// Flits at all outputs.
    output logic [WideBits-1:0] wide_out_flit_o[NumTiles*NUM_PORTS],
    /// Plane `req`: tiles whose Local input takes nothing in this cycle.
    input  logic [        63:0] req_hold_in_i,
    /// Tiles whose Local output gives nothing.
    input  logic [        63:0] req_hold_out_i,
    /// Tiles whose flit enters the Local input in this cycle, and the flits that are offered to it.
    output logic [        63:0] req_enter_o,
    output logic [ ReqBits-1:0] req_in_flit_o  [          NumTiles],
    /// Tiles whose flit leaves by the Local output in this cycle.
    output logic [        63:0] req_leave_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link; Local: tiles that are offered a flit.
    output logic [        63:0] req_crossing_o [         NUM_PORTS],
    /// Flits at all outputs.
    output logic [ ReqBits-1:0] req_out_flit_o [NumTiles*NUM_PORTS],
    /// Plane `rsp`: tiles whose Local input takes nothing in this cycle.
    input  logic [        63:0] rsp_hold_in_i,
    /// Tiles whose Local output gives nothing.
    input  logic [        63:0] rsp_hold_out_i,
    /// Tiles whose flit enters the Local input in this cycle, and the flits that are offered to it.
    output logic [        63:0] rsp_enter_o,
    output logic [ RspBits-1:0] rsp_in_flit_o  [          NumTiles],
    /// Tiles whose flit leaves by the Local output in this cycle.
    output logic [        63:0] rsp_leave_o,
    /// Per output N, E, S, W: tiles whose flit crosses the link; Local: tiles that are offered a flit.
    output logic [        63:0] rsp_crossing_o [         NUM_PORTS],
    /// Flits at all outputs.
    output logic [ RspBits-1:0] rsp_out_flit_o [NumTiles*NUM_PORTS]
);

  wide_flit_t wide_in_flit[NumTiles], wide_out_flit[NumTiles];
  logic [NumTiles-1:0] wide_in_valid, wide_in_ready, wide_out_valid, wide_out_ready;
  logic [NumTiles-1:0] wide_enter, wide_leave;

  req_flit_t req_in_flit[NumTiles], req_out_flit[NumTiles];
  logic [NumTiles-1:0] req_in_valid, req_in_ready, req_out_valid, req_out_ready;
  logic [NumTiles-1:0] req_enter, req_leave;

  rsp_flit_t rsp_in_flit[NumTiles], rsp_out_flit[NumTiles];
  logic [NumTiles-1:0] rsp_in_valid, rsp_in_ready, rsp_out_valid, rsp_out_ready;
  logic [NumTiles-1:0] rsp_enter, rsp_leave;

  logic [NumTiles-1:0] credit_valid, credit_hit, owed_valid, owed_ready, own_valid;
  noccl_collective_pkg::name_t credit_name[NumTiles], owed_name[NumTiles], own_name[NumTiles];
  noccl_flit_pkg::coord_t owed_dst[NumTiles];

  noccl_mesh u_mesh (
      .clk_i,
      .rst_ni,
      .wide_in_valid_i(wide_in_valid & ~wide_hold_in_i[NumTiles-1:0]),
      .wide_in_ready_o(wide_in_ready),
      .wide_in_flit_i(wide_in_flit),
      .wide_out_valid_o(wide_out_valid),
      .wide_out_ready_i(wide_out_ready & ~wide_hold_out_i[NumTiles-1:0]),
      .wide_out_flit_o(wide_out_flit),
      .req_in_valid_i(req_in_valid & ~req_hold_in_i[NumTiles-1:0]),
      .req_in_ready_o(req_in_ready),
      .req_in_flit_i(req_in_flit),
      .req_out_valid_o(req_out_valid),
      .req_out_ready_i(req_out_ready & ~req_hold_out_i[NumTiles-1:0]),
      .req_out_flit_o(req_out_flit),
      .rsp_in_valid_i(rsp_in_valid & ~rsp_hold_in_i[NumTiles-1:0]),
      .rsp_in_ready_o(rsp_in_ready),
      .rsp_in_flit_i(rsp_in_flit),
      .rsp_out_valid_o(rsp_out_valid),
      .rsp_out_ready_i(rsp_out_ready & ~rsp_hold_out_i[NumTiles-1:0]),
      .rsp_out_flit_o(rsp_out_flit),
      .credit_valid_i(credit_valid),
      .credit_name_i(credit_name),
      .credit_hit_o(credit_hit),
      .owed_valid_o(owed_valid),
      .owed_dst_o(owed_dst),
      .owed_name_o(owed_name),
      .owed_ready_i(owed_ready),
      .own_valid_o(own_valid),
      .own_name_o(own_name)
  );

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    localparam noccl_flit_pkg::coord_t Here = '{
        x: noccl_cfg_pkg::X_BITS'(t / int'(noccl_cfg_pkg::MESH_HEIGHT)),
        y: noccl_cfg_pkg::Y_BITS'(t % int'(noccl_cfg_pkg::MESH_HEIGHT))
    };
    localparam noccl_flit_pkg::count_t Room = noccl_flit_pkg::count_t'(noccl_cfg_pkg::CREDIT_BEATS);

    logic [31:0] in [ InWords];
    logic [31:0] out[OutWords];
    for (genvar i = 0; i < int'(InWords); i++) begin : gen_in
      assign in[i] = axi_i[t*int'(InWords)+i];
    end
    for (genvar i = 0; i < int'(OutWords); i++) begin : gen_out
      assign axi_o[t*int'(OutWords)+i] = out[i];
    end

    // Words of the write channels: 25 each.
    logic aw_valid[WIDE_CHANNELS], aw_ready[WIDE_CHANNELS], w_valid[WIDE_CHANNELS];
    logic w_ready[WIDE_CHANNELS], b_valid[WIDE_CHANNELS], b_ready[WIDE_CHANNELS];
    noccl_axi_pkg::wide_aw_t aw[WIDE_CHANNELS];
    noccl_axi_pkg::wide_w_t  w [WIDE_CHANNELS];
    noccl_axi_pkg::wide_b_t  b [WIDE_CHANNELS];
    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
      localparam int At = 25 * c;
      assign aw_valid[c] = in[At][0];
      assign w_valid[c]  = in[At][1];
      assign b_ready[c]  = 1'b1;
      always_comb begin
        aw[c] = '0;
        aw[c].id = noccl_axi_pkg::wide_id_t'(in[At+1]);
        aw[c].len = in[At+1][15:8];
        aw[c].size = noccl_axi_pkg::SIZE_WIDE;
        aw[c].burst = noccl_axi_pkg::BURST_INCR;
        aw[c].user.opcode = noccl_axi_pkg::opcode_e'(in[At+1][17:16]);
        aw[c].user.operator = noccl_flit_pkg::operator_e'(in[At+1][22:20]);
        aw[c].user.element = noccl_flit_pkg::element_e'(in[At+1][27:24]);
        aw[c].addr = noccl_axi_pkg::addr_t'({in[At+3], in[At+2]});
        aw[c].user.mask = noccl_axi_pkg::addr_t'({in[At+5], in[At+4]});
        aw[c].user.tag = noccl_flit_pkg::tag_t'(in[At+6]);
        w[c].last = in[At][2];
        w[c].strb = {in[At+8], in[At+7]};
        for (int i = 0; i < 16; i++) w[c].data[32*i+:32] = in[At+9+i];
      end
    end

    noccl_axi_pkg::wide_ar_t ar;
    noccl_axi_pkg::wide_r_t r;
    noccl_axi_pkg::narrow_aw_t narrow_aw;
    noccl_axi_pkg::narrow_w_t narrow_w;
    noccl_axi_pkg::narrow_b_t narrow_b;
    noccl_axi_pkg::narrow_ar_t narrow_ar;
    noccl_axi_pkg::narrow_r_t narrow_r;
    noccl_axi_pkg::memory_wide_r_t mem_r;
    noccl_axi_pkg::memory_narrow_r_t reg_r;
    always_comb begin
      ar = '0;
      ar.id = noccl_axi_pkg::read_id_t'(in[100][15:8]);
      ar.len = in[100][23:16];
      ar.size = noccl_axi_pkg::SIZE_WIDE;
      ar.burst = noccl_axi_pkg::BURST_INCR;
      ar.addr = noccl_axi_pkg::addr_t'({in[102], in[101]});
      narrow_aw = '0;
      narrow_aw.id = noccl_axi_pkg::narrow_id_t'(in[103][15:8]);
      narrow_aw.size = 3'd3;
      narrow_aw.burst = noccl_axi_pkg::BURST_INCR;
      narrow_aw.user.opcode = noccl_axi_pkg::opcode_e'(in[103][17:16]);
      narrow_aw.atop = in[103][29:24];
      narrow_aw.addr = noccl_axi_pkg::addr_t'({in[105], in[104]});
      narrow_aw.user.mask = noccl_axi_pkg::addr_t'({in[107], in[106]});
      narrow_aw.user.tag = noccl_flit_pkg::tag_t'(in[108]);
      narrow_w.data = {in[110], in[109]};
      narrow_w.strb = in[111][7:0];
      narrow_w.last = 1'b1;
      narrow_ar = '0;
      narrow_ar.id = noccl_axi_pkg::narrow_id_t'(in[112][15:8]);
      narrow_ar.size = 3'd3;
      narrow_ar.burst = noccl_axi_pkg::BURST_INCR;
      narrow_ar.addr = noccl_axi_pkg::addr_t'({in[114], in[113]});
      mem_r.last = in[115][2];
      mem_r.resp = noccl_flit_pkg::RESP_OKAY;
      for (int i = 0; i < 16; i++) mem_r.data[32*i+:32] = in[116+i];
      reg_r.last = 1'b1;
      reg_r.resp = noccl_flit_pkg::RESP_OKAY;
      reg_r.data = {in[133], in[132]};
    end

    logic r_valid, ar_ready, r_valid_n, ar_ready_n, b_valid_n, w_ready_n, aw_ready_n;
    logic mem_aw_valid, mem_w_valid, mem_b_ready, mem_ar_valid, mem_r_ready;
    logic
        own_aw_valid, own_w_valid, own_b_ready, own_reg_aw_valid, own_reg_w_valid, own_reg_b_ready;
    logic reg_aw_valid, reg_w_valid, reg_b_ready, reg_ar_valid, reg_r_ready;
    noccl_axi_pkg::memory_aw_t mem_aw, own_aw, reg_aw, own_reg_aw;
    noccl_axi_pkg::memory_ar_t mem_ar, reg_ar;
    noccl_axi_pkg::wide_w_t mem_w, own_w;
    always_comb begin
      out[0] = '0;
      out[2] = '0;
      for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
        out[0][c] = aw_ready[c];
        out[0][4+c] = w_ready[c];
        out[0][8+c] = b_valid[c];
        out[2][8*c+:8] = {2'b0, b[c].resp, 1'b0, b[c].id};
      end
      out[0][19:12] = {
        r_valid_n, ar_ready_n, b_valid_n, w_ready_n, aw_ready_n, r.last, r_valid, ar_ready
      };
      out[1] = 32'({
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
        mem_ar_valid,
        mem_b_ready,
        mem_w_valid,
        mem_aw_valid
      });
      out[3] = 32'({
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
      out[4] = 32'(mem_aw.addr);
      out[5] = 32'(mem_ar.addr);
      out[6] = 32'(mem_ar.len);
      out[7] = 32'(own_aw.addr);
      out[8] = 32'(reg_aw.addr);
      out[9] = 32'(reg_ar.addr);
      out[10] = 32'(own_reg_aw.addr);
      {out[12], out[11]} = mem_w.strb;
      {out[30], out[29]} = own_w.strb;
      for (int i = 0; i < 16; i++) begin
        out[13+i] = mem_w.data[32*i+:32];
        out[31+i] = own_w.data[32*i+:32];
        out[47+i] = r.data[32*i+:32];
      end
      {out[64], out[63]} = narrow_r.data;
    end

    noccl_ni_pkg::credit_t credit, owed, own;
    assign owed.root  = owed_name[t].root;
    assign owed.tag   = owed_name[t].tag;
    assign owed.beats = Room;
    assign own.root   = own_name[t].root;
    assign own.tag    = own_name[t].tag;
    assign own.beats  = Room;

    // Places enough: the simulator's queues of answers have no end, nor do a cluster's of reads.
    localparam bit IsMemory = t < int'(noccl_cfg_pkg::REGION_X * noccl_cfg_pkg::MESH_HEIGHT);
    noccl_ni #(
        .WideReads(IsMemory ? 4 : 64),
        .Answers  (64)
    ) u_ni (
        .clk_i,
        .rst_ni,
        .pos_i(Here),
        .wide_aw_valid_i(aw_valid),
        .wide_aw_ready_o(aw_ready),
        .wide_aw_i(aw),
        .wide_w_valid_i(w_valid),
        .wide_w_ready_o(w_ready),
        .wide_w_i(w),
        .wide_b_valid_o(b_valid),
        .wide_b_ready_i(b_ready),
        .wide_b_o(b),
        .wide_ar_valid_i(in[100][0]),
        .wide_ar_ready_o(ar_ready),
        .wide_ar_i(ar),
        .wide_r_valid_o(r_valid),
        .wide_r_ready_i(1'b1),
        .wide_r_o(r),
        .narrow_aw_valid_i(in[103][0]),
        .narrow_aw_ready_o(aw_ready_n),
        .narrow_aw_i(narrow_aw),
        .narrow_w_valid_i(in[103][1]),
        .narrow_w_ready_o(w_ready_n),
        .narrow_w_i(narrow_w),
        .narrow_b_valid_o(b_valid_n),
        .narrow_b_ready_i(1'b1),
        .narrow_b_o(narrow_b),
        .narrow_ar_valid_i(in[112][0]),
        .narrow_ar_ready_o(ar_ready_n),
        .narrow_ar_i(narrow_ar),
        .narrow_r_valid_o(r_valid_n),
        .narrow_r_ready_i(1'b1),
        .narrow_r_o(narrow_r),
        .mem_aw_valid_o(mem_aw_valid),
        .mem_aw_ready_i(1'b1),
        .mem_aw_o(mem_aw),
        .mem_w_valid_o(mem_w_valid),
        .mem_w_ready_i(1'b1),
        .mem_w_o(mem_w),
        .mem_b_valid_i(in[115][0]),
        .mem_b_ready_o(mem_b_ready),
        .mem_b_resp_i(noccl_flit_pkg::RESP_OKAY),
        .mem_ar_valid_o(mem_ar_valid),
        .mem_ar_ready_i(1'b1),
        .mem_ar_o(mem_ar),
        .mem_r_valid_i(in[115][1]),
        .mem_r_ready_o(mem_r_ready),
        .mem_r_i(mem_r),
        .own_aw_valid_o(own_aw_valid),
        .own_aw_ready_i(1'b1),
        .own_aw_o(own_aw),
        .own_w_valid_o(own_w_valid),
        .own_w_ready_i(1'b1),
        .own_w_o(own_w),
        .own_b_valid_i(in[115][3]),
        .own_b_ready_o(own_b_ready),
        .own_b_resp_i(noccl_flit_pkg::RESP_OKAY),
        .reg_aw_valid_o(reg_aw_valid),
        .reg_aw_ready_i(1'b1),
        .reg_aw_o(reg_aw),
        .reg_w_valid_o(reg_w_valid),
        .reg_w_ready_i(1'b1),
        .reg_w_o(),
        .reg_b_valid_i(in[115][4]),
        .reg_b_ready_o(reg_b_ready),
        .reg_b_resp_i(noccl_flit_pkg::RESP_OKAY),
        .reg_ar_valid_o(reg_ar_valid),
        .reg_ar_ready_i(1'b1),
        .reg_ar_o(reg_ar),
        .reg_r_valid_i(in[115][5]),
        .reg_r_ready_o(reg_r_ready),
        .reg_r_i(reg_r),
        .own_reg_aw_valid_o(own_reg_aw_valid),
        .own_reg_aw_ready_i(1'b1),
        .own_reg_aw_o(own_reg_aw),
        .own_reg_w_valid_o(own_reg_w_valid),
        .own_reg_w_ready_i(1'b1),
        .own_reg_w_o(),
        .own_reg_b_valid_i(in[115][6]),
        .own_reg_b_ready_o(own_reg_b_ready),
        .own_reg_b_resp_i(noccl_flit_pkg::RESP_OKAY),
        .unit_credit_valid_i(owed_valid[t]),
        .unit_credit_ready_o(owed_ready[t]),
        .unit_credit_to_i(owed_dst[t]),
        .unit_credit_i(owed),
        .own_credit_valid_i(own_valid[t]),
        .own_credit_i(own),
        .credit_valid_o(credit_valid[t]),
        .credit_o(credit),
        .credit_is_for_unit_i(credit_hit[t]),
        .wide_out_valid_o(wide_in_valid[t]),
        .wide_out_ready_i(wide_in_ready[t] && !wide_hold_in_i[t]),
        .wide_out_o(wide_in_flit[t]),
        .wide_in_valid_i(wide_out_valid[t] && !wide_hold_out_i[t]),
        .wide_in_ready_o(wide_out_ready[t]),
        .wide_in_i(wide_out_flit[t]),
        .req_out_valid_o(req_in_valid[t]),
        .req_out_ready_i(req_in_ready[t] && !req_hold_in_i[t]),
        .req_out_o(req_in_flit[t]),
        .req_in_valid_i(req_out_valid[t] && !req_hold_out_i[t]),
        .req_in_ready_o(req_out_ready[t]),
        .req_in_i(req_out_flit[t]),
        .rsp_out_valid_o(rsp_in_valid[t]),
        .rsp_out_ready_i(rsp_in_ready[t] && !rsp_hold_in_i[t]),
        .rsp_out_o(rsp_in_flit[t]),
        .rsp_in_valid_i(rsp_out_valid[t] && !rsp_hold_out_i[t]),
        .rsp_in_ready_o(rsp_out_ready[t]),
        .rsp_in_i(rsp_out_flit[t])
    );
    assign credit_name[t].root = credit.root;
    assign credit_name[t].tag  = credit.tag;
  end

  assign wide_enter_o = 64'(wide_enter);
  assign wide_leave_o = 64'(wide_leave);
  assign wide_enter   = wide_in_valid & wide_in_ready & ~wide_hold_in_i[NumTiles-1:0];
  assign wide_leave   = wide_out_valid & wide_out_ready & ~wide_hold_out_i[NumTiles-1:0];
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_wide_tile
    assign wide_in_flit_o[t] = WideBits'(wide_in_flit[t]);
    assign wide_out_flit_o[t*int'(NUM_PORTS)+int'(LOCAL)] = WideBits'(wide_out_flit[t]);
    assign wide_crossing_o[LOCAL][t] = wide_out_valid[t];
    for (genvar p = 0; p < int'(LOCAL); p++) begin : gen_link
      assign wide_out_flit_o[t*int'(NUM_PORTS)+p] = WideBits'(u_mesh.wide_out_flit[t][p]);
      assign wide_crossing_o[p][t] = u_mesh.wide_out_valid[t][p] && u_mesh.wide_out_ready[t][p];
    end
  end
  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_wide_rest
    assign wide_crossing_o[p][63:NumTiles] = '0;
  end

  assign req_enter_o = 64'(req_enter);
  assign req_leave_o = 64'(req_leave);
  assign req_enter   = req_in_valid & req_in_ready & ~req_hold_in_i[NumTiles-1:0];
  assign req_leave   = req_out_valid & req_out_ready & ~req_hold_out_i[NumTiles-1:0];
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_req_tile
    assign req_in_flit_o[t] = ReqBits'(req_in_flit[t]);
    assign req_out_flit_o[t*int'(NUM_PORTS)+int'(LOCAL)] = ReqBits'(req_out_flit[t]);
    assign req_crossing_o[LOCAL][t] = req_out_valid[t];
    for (genvar p = 0; p < int'(LOCAL); p++) begin : gen_link
      assign req_out_flit_o[t*int'(NUM_PORTS)+p] = ReqBits'(u_mesh.req_out_flit[t][p]);
      assign req_crossing_o[p][t] = u_mesh.req_out_valid[t][p] && u_mesh.req_out_ready[t][p];
    end
  end
  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_req_rest
    assign req_crossing_o[p][63:NumTiles] = '0;
  end

  assign rsp_enter_o = 64'(rsp_enter);
  assign rsp_leave_o = 64'(rsp_leave);
  assign rsp_enter   = rsp_in_valid & rsp_in_ready & ~rsp_hold_in_i[NumTiles-1:0];
  assign rsp_leave   = rsp_out_valid & rsp_out_ready & ~rsp_hold_out_i[NumTiles-1:0];
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_rsp_tile
    assign rsp_in_flit_o[t] = RspBits'(rsp_in_flit[t]);
    assign rsp_out_flit_o[t*int'(NUM_PORTS)+int'(LOCAL)] = RspBits'(rsp_out_flit[t]);
    assign rsp_crossing_o[LOCAL][t] = rsp_out_valid[t];
    for (genvar p = 0; p < int'(LOCAL); p++) begin : gen_link
      assign rsp_out_flit_o[t*int'(NUM_PORTS)+p] = RspBits'(u_mesh.rsp_out_flit[t][p]);
      assign rsp_crossing_o[p][t] = u_mesh.rsp_out_valid[t][p] && u_mesh.rsp_out_ready[t][p];
    end
  end
  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_rsp_rest
    assign rsp_crossing_o[p][63:NumTiles] = '0;
  end

endmodule
