// SPDX-License-Identifier: Apache-2.0
// A chip's network as a library of the simulator's host: AXI ports as words, flits in whole words, handshakes as bit sets.
//
// The host is every core and memory, and every DMA engine unless there are some: it drives the subordinate ports of each network
// interface of `noccl_tiles` and responds at its manager ports. Own copies and responses to writes are always taken; a tile is held up
// between network interface and router (`hold` sets), as the simulator's endpoint stalls do.
// Bit or element t belongs to tile t, element t * 5 + p of the outgoing flits to output p of
// tile t. Words of the AXI ports: below, and crates/noccl-cosim/src/endpoints/axi.rs.
// Not synthesizable: it looks at Local ports and at the links inside the mesh.
// Mirror: crates/noccl-cosim/src/endpoints; the C functions in noccl_endpoints_cosim.cpp.

module noccl_endpoints_cosim
  import noccl_flit_pkg::NUM_PORTS;
  import noccl_flit_pkg::wide_flit_t, noccl_flit_pkg::req_flit_t, noccl_flit_pkg::rsp_flit_t;
  import noccl_cfg_pkg::WIDE_CHANNELS;
#(
    /// Clusters have DMA engines: the host drives their registers and responds for their L1 instead of the wide ports.
    parameter bit HasDma = 1'b0,
    /// Operands of wide reductions are reduced.
    parameter bit HasReduction = 1'b0,
    /// Element types of the arithmetic: those of the compared runs.
    parameter noccl_compute_pkg::element_set_t Elements = noccl_compute_pkg::ALL_ELEMENTS,
    localparam int unsigned NumTiles = noccl_cfg_pkg::MESH_WIDTH * noccl_cfg_pkg::MESH_HEIGHT,
    localparam int unsigned WideBits = 32 * (($bits(wide_flit_t) + 31) / 32),
    localparam int unsigned ReqBits = 32 * (($bits(req_flit_t) + 31) / 32),
    localparam int unsigned RspBits = 32 * (($bits(rsp_flit_t) + 31) / 32),
    localparam int unsigned InWords = 154,
    localparam int unsigned OutWords = HasDma ? 86 + 2 * WIDE_CHANNELS : 86
) (
    /// Clock.
    input  logic                clk_i,
    /// Asynchronous reset, active low.
    input  logic                rst_ni,
    /// What managers offer and memories respond, per tile.
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

  import noccl_endpoint_pkg::NUM_TILES;

  noccl_endpoint_pkg::hold_t hold[NUM_TILES];
  noccl_endpoint_pkg::dma_access_t access[NUM_TILES];
  logic [63:0] register[NUM_TILES];
  noccl_endpoint_pkg::l1_mgr_t l1_mgr[NUM_TILES];
  noccl_endpoint_pkg::l1_sbr_t l1_sbr[NUM_TILES];
  noccl_endpoint_pkg::wide_mgr_t wide_mgr[NUM_TILES];
  noccl_endpoint_pkg::wide_sbr_t wide_sbr[NUM_TILES];
  noccl_endpoint_pkg::narrow_mgr_t narrow_mgr[NUM_TILES];
  noccl_endpoint_pkg::narrow_sbr_t narrow_sbr[NUM_TILES];
  noccl_endpoint_pkg::memory_mgr_t memory_mgr[NUM_TILES];
  noccl_endpoint_pkg::memory_sbr_t memory_sbr[NUM_TILES];

  // No cores use the arithmetic.
  localparam int unsigned NumLanes = noccl_cfg_pkg::WIDE_BITS / 64;
  logic [NumLanes-1:0] no_core[NUM_TILES];
  noccl_compute_pkg::core_request_t no_request[NUM_TILES][NumLanes];
  logic no_tag[NUM_TILES][NumLanes];

  // Places enough: the simulator's queues of responses have no end, nor do a cluster's of reads.
  noccl_tiles #(
      .HasDma      (HasDma),
      .HasReduction(HasReduction),
      .Elements    (Elements),
      .MemoryReads (4),
      .ClusterReads(64),
      .Responses   (64)
  ) u_tiles (
      .clk_i,
      .rst_ni,
      .hold_i             (hold),
      .dma_i              (access),
      .dma_o              (register),
      .l1_o               (l1_mgr),
      .l1_i               (l1_sbr),
      .wide_i             (wide_mgr),
      .wide_o             (wide_sbr),
      .narrow_i           (narrow_mgr),
      .narrow_o           (narrow_sbr),
      .memory_o           (memory_mgr),
      .memory_i           (memory_sbr),
      .core_valid_i       (no_core),
      .core_ready_o       (),
      .core_i             (no_request),
      .core_tag_i         (no_tag),
      .core_result_valid_o(),
      .core_result_ready_i(no_core),
      .core_result_o      (),
      .core_result_tag_o  ()
  );

  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_tile
    assign hold[t] = '{
            wide_in: wide_hold_in_i[t],
            wide_out: wide_hold_out_i[t],
            req_in: req_hold_in_i[t],
            req_out: req_hold_out_i[t],
            rsp_in: rsp_hold_in_i[t],
            rsp_out: rsp_hold_out_i[t]
        };
    assign no_core[t] = '0;
    for (genvar l = 0; l < int'(NumLanes); l++) begin : gen_no_core
      assign no_request[t][l] = '0;
      assign no_tag[t][l] = 1'b0;
    end

    logic [31:0] in [ InWords];
    logic [31:0] out[OutWords];
    for (genvar i = 0; i < int'(InWords); i++) begin : gen_in
      assign in[i] = axi_i[t*int'(InWords)+i];
    end
    for (genvar i = 0; i < int'(OutWords); i++) begin : gen_out
      assign axi_o[t*int'(OutWords)+i] = out[i];
    end

    // Words of the write channels: 25 each.
    noccl_endpoint_pkg::wide_mgr_t   wide;
    noccl_endpoint_pkg::narrow_mgr_t narrow;
    noccl_endpoint_pkg::memory_sbr_t memory_drive;
    assign wide_mgr[t]   = wide;
    assign narrow_mgr[t] = narrow;
    assign memory_sbr[t] = memory_drive;

    for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_channel
      localparam int At = 25 * c;
      always_comb begin
        wide.write[c] = '0;
        wide.write[c].aw_valid = in[At][0];
        wide.write[c].w_valid = in[At][1];
        wide.write[c].b_ready = 1'b1;
        wide.write[c].aw.id = noccl_axi_pkg::wide_id_t'(in[At+1]);
        wide.write[c].aw.len = in[At+1][15:8];
        wide.write[c].aw.size = noccl_axi_pkg::SIZE_WIDE;
        wide.write[c].aw.burst = noccl_axi_pkg::BURST_INCR;
        wide.write[c].aw.user.opcode = noccl_axi_pkg::opcode_e'(in[At+1][17:16]);
        wide.write[c].aw.user.op = noccl_number_pkg::operator_e'(in[At+1][22:20]);
        wide.write[c].aw.user.element = noccl_number_pkg::element_e'(in[At+1][27:24]);
        wide.write[c].aw.continues = in[At+1][28];
        wide.write[c].aw.addr = noccl_axi_pkg::addr_t'({in[At+3], in[At+2]});
        wide.write[c].aw.user.mask = noccl_axi_pkg::addr_t'({in[At+5], in[At+4]});
        wide.write[c].aw.user.tag = noccl_flit_pkg::tag_t'(in[At+6]);
        wide.write[c].w.last = in[At][2];
        wide.write[c].w.strb = {in[At+8], in[At+7]};
        for (int i = 0; i < 16; i++) wide.write[c].w.data[32*i+:32] = in[At+9+i];
      end
    end

    always_comb begin
      wide.ar_valid = in[100][0];
      wide.r_ready = !in[115][12];
      wide.ar.id = noccl_axi_pkg::read_id_t'(in[100][15:8]);
      wide.ar.len = in[100][23:16];
      wide.ar.size = noccl_axi_pkg::SIZE_WIDE;
      wide.ar.burst = noccl_axi_pkg::BURST_INCR;
      wide.ar.addr = noccl_axi_pkg::addr_t'({in[102], in[101]});
    end

    always_comb begin
      narrow = '0;
      narrow.aw_valid = in[103][0];
      narrow.w_valid = in[103][1];
      narrow.b_ready = 1'b1;
      narrow.ar_valid = in[112][0];
      narrow.r_ready = 1'b1;
      narrow.aw.id = noccl_axi_pkg::narrow_id_t'(in[103][15:8]);
      narrow.aw.size = 3'd3;
      narrow.aw.burst = noccl_axi_pkg::BURST_INCR;
      narrow.aw.user.opcode = noccl_axi_pkg::opcode_e'(in[103][17:16]);
      narrow.aw.atop = in[103][29:24];
      narrow.aw.addr = noccl_axi_pkg::addr_t'({in[105], in[104]});
      narrow.aw.user.mask = noccl_axi_pkg::addr_t'({in[107], in[106]});
      narrow.aw.user.tag = noccl_flit_pkg::tag_t'(in[108]);
      narrow.w.data = {in[110], in[109]};
      narrow.w.strb = in[111][7:0];
      narrow.w.last = 1'b1;
      narrow.ar.id = noccl_axi_pkg::narrow_id_t'(in[112][15:8]);
      narrow.ar.size = 3'd3;
      narrow.ar.burst = noccl_axi_pkg::BURST_INCR;
      narrow.ar.addr = noccl_axi_pkg::addr_t'({in[114], in[113]});
    end

    localparam noccl_endpoint_pkg::memory_write_sbr_t Takes = '{
        aw_ready: 1'b1,
        w_ready: 1'b1,
        b_valid: 1'b0,
        b_resp: noccl_flit_pkg::RESP_OKAY
    };
    always_comb begin
      memory_drive = '0;
      memory_drive.wide.write = Takes;
      memory_drive.wide.write.aw_ready = !in[115][8];
      memory_drive.wide.write.w_ready = !in[115][8];
      memory_drive.wide.write.b_valid = in[115][0];
      memory_drive.wide.write.b_resp = noccl_flit_pkg::resp_e'({in[115][16], 1'b0});
      memory_drive.wide.ar_ready = !in[115][9];
      memory_drive.wide.r_valid = in[115][1];
      memory_drive.wide.r.last = in[115][2];
      memory_drive.wide.r.resp = noccl_flit_pkg::resp_e'({in[115][20], 1'b0});
      for (int i = 0; i < 16; i++) memory_drive.wide.r.data[32*i+:32] = in[116+i];
      memory_drive.own_wide = Takes;
      memory_drive.own_wide.b_valid = in[115][3];
      memory_drive.own_wide.b_resp = noccl_flit_pkg::resp_e'({in[115][17], 1'b0});
      memory_drive.narrow.write = Takes;
      memory_drive.narrow.write.aw_ready = !in[115][10];
      memory_drive.narrow.write.w_ready = !in[115][10];
      memory_drive.narrow.write.b_valid = in[115][4];
      memory_drive.narrow.write.b_resp = noccl_flit_pkg::resp_e'({in[115][18], 1'b0});
      memory_drive.narrow.ar_ready = !in[115][11];
      memory_drive.narrow.r_valid = in[115][5];
      memory_drive.narrow.r.last = 1'b1;
      memory_drive.narrow.r.resp = noccl_flit_pkg::resp_e'({in[115][21], 1'b0});
      memory_drive.narrow.r.data = {in[133], in[132]};
      memory_drive.own_narrow = Takes;
      memory_drive.own_narrow.b_valid = in[115][6];
      memory_drive.own_narrow.b_resp = noccl_flit_pkg::resp_e'({in[115][19], 1'b0});
    end

    // Engine: access to its registers; lines of its L1.
    noccl_endpoint_pkg::l1_sbr_t lines;
    noccl_endpoint_pkg::l1_mgr_t l1;
    assign access[t] = '{
            valid: in[134][0],
            is_write: in[134][1],
            register_idx: noccl_dma_pkg::register_e'(in[134][7:4]),
            data: {in[136], in[135]}
        };
    assign l1_sbr[t] = lines;
    assign l1 = l1_mgr[t];
    always_comb begin
      lines.ask_ready   = 1'b1;
      lines.write_ready = 1'b1;
      lines.data_valid  = in[137][0];
      for (int i = 0; i < 16; i++) lines.data[32*i+:32] = in[138+i];
    end

    noccl_endpoint_pkg::wide_sbr_t shown;
    noccl_endpoint_pkg::narrow_sbr_t shown_narrow;
    noccl_endpoint_pkg::memory_mgr_t memory;
    logic [WIDE_CHANNELS-1:0] wants_line;
    logic waits;
    logic [31:0] taken[WIDE_CHANNELS];
    if (HasDma && noccl_endpoint_pkg::is_cluster(t)) begin : gen_engine
      // Its wide port does not come out: what the network interface tells it is read inside.
      always_comb begin
        shown = '0;
        for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
          shown.write[c].b_valid = u_tiles.gen_tile[t].u_endpoint.b_valid[c];
          shown.write[c].b = u_tiles.gen_tile[t].u_endpoint.b[c];
        end
        shown.r_valid = u_tiles.gen_tile[t].u_endpoint.r_valid;
        shown.r = u_tiles.gen_tile[t].u_endpoint.r;
      end
      assign waits = u_tiles.gen_tile[t].u_endpoint.gen_dma.u_dma.transfer_valid
          && !(|u_tiles.gen_tile[t].u_endpoint.gen_dma.u_dma.is_free);
      for (genvar c = 0; c < int'(WIDE_CHANNELS); c++) begin : gen_taken
        noccl_axi_pkg::wide_aw_t aw;
        assign aw = u_tiles.gen_tile[t].u_endpoint.aw[c];
        assign taken[c] = {
          u_tiles.gen_tile[t].u_endpoint.aw_valid[c] && u_tiles.gen_tile[t].u_endpoint.aw_ready[c],
          shown.write[c].b_valid,
          shown.write[c].b.resp,
          2'(aw.user.opcode),
          5'(shown.write[c].b.id),
          5'(aw.id),
          16'(aw.user.tag)
        };
        assign wants_line[c] = !u_tiles.gen_tile[t].u_endpoint.gen_dma.u_dma.is_free[c]
            && !u_tiles.gen_tile[t].u_endpoint.gen_dma.u_dma.is_remote[c]
            && u_tiles.gen_tile[t].u_endpoint.gen_dma.u_dma.gen_channel[c].u_channel.burst_valid
            && !u_tiles.gen_tile[t].u_endpoint.gen_dma.u_dma.gen_channel[c].u_channel.line_valid;
      end
    end else begin : gen_no_engine
      assign shown = wide_sbr[t];
      assign waits = 1'b0;
      assign wants_line = '0;
      assign taken = '{default: '0};
    end
    assign shown_narrow = narrow_sbr[t];
    assign memory = memory_mgr[t];
    always_comb begin
      out[0] = '0;
      out[2] = '0;
      for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
        out[0][c] = shown.write[c].aw_ready;
        out[0][4+c] = shown.write[c].w_ready;
        out[0][8+c] = shown.write[c].b_valid;
        out[2][8*c+:8] = {shown.write[c].b.resp, 6'(shown.write[c].b.id)};
      end
      out[0][19:12] = {
        shown_narrow.r_valid,
        shown_narrow.ar_ready,
        shown_narrow.b_valid,
        shown_narrow.w_ready,
        shown_narrow.aw_ready,
        shown.r.last,
        shown.r_valid,
        shown.ar_ready
      };
      out[1] = 32'({
        |memory.narrow.write.aw.atop,
        memory.own_narrow.b_ready,
        memory.own_narrow.w_valid,
        memory.own_narrow.aw_valid,
        memory.narrow.r_ready,
        memory.narrow.ar_valid,
        memory.narrow.write.b_ready,
        memory.narrow.write.w_valid,
        memory.narrow.write.aw_valid,
        memory.own_wide.b_ready,
        memory.own_wide.w_valid,
        memory.own_wide.aw_valid,
        memory.wide.r_ready,
        memory.wide.ar_valid,
        memory.wide.write.b_ready,
        memory.wide.write.w_valid,
        memory.wide.write.aw_valid
      });
      out[3] = 32'({
        2'b0,
        shown_narrow.r.resp,
        1'b0,
        shown_narrow.r.id,
        2'b0,
        shown_narrow.b.resp,
        1'b0,
        shown_narrow.b.id,
        6'b0,
        shown.r.resp,
        8'(shown.r.id)
      });
      out[4] = 32'(memory.wide.write.aw.addr);
      out[5] = 32'(memory.wide.ar.addr);
      out[6] = 32'(memory.wide.ar.len);
      out[7] = 32'(memory.own_wide.aw.addr);
      out[8] = 32'(memory.narrow.write.aw.addr);
      out[9] = 32'(memory.narrow.ar.addr);
      out[10] = 32'(memory.own_narrow.aw.addr);
      {out[12], out[11]} = memory.wide.write.w.strb;
      {out[30], out[29]} = memory.own_wide.w.strb;
      for (int i = 0; i < 16; i++) begin
        out[13+i] = memory.wide.write.w.data[32*i+:32];
        out[31+i] = memory.own_wide.w.data[32*i+:32];
        out[47+i] = shown.r.data[32*i+:32];
      end
      {out[64], out[63]} = shown_narrow.r.data;
      out[65] = {16'(wants_line), 13'b0, waits, l1.write_valid, 1'b0};
      out[66] = 32'(in[134][0] && !in[134][1] && &register[t]);
      out[67] = 32'(l1.write_addr);
      {out[69], out[68]} = l1.write.strb;
      for (int i = 0; i < 16; i++) out[70+i] = l1.write.data[32*i+:32];
      // Per channel: what happens at it, and which line it asks for; there is one read port of L1.
      for (int i = 86; i < int'(OutWords); i++) out[i] = '0;
      if (HasDma) begin
        for (int c = 0; c < int'(WIDE_CHANNELS); c++) begin
          out[86+2*c] = taken[c];
          out[87+2*c] = c == 0 ? 32'(l1.ask_addr) | 32'(l1.ask_valid) : '0;
        end
      end
    end
  end

  // Links of each plane, for the host.
  noccl_flit_pkg::wide_link_t wide_in[NumTiles][NUM_PORTS], wide_out[NumTiles][NUM_PORTS];
  noccl_flit_pkg::req_link_t req_in[NumTiles][NUM_PORTS], req_out[NumTiles][NUM_PORTS];
  noccl_flit_pkg::rsp_link_t rsp_in[NumTiles][NUM_PORTS], rsp_out[NumTiles][NUM_PORTS];
  for (genvar t = 0; t < int'(NumTiles); t++) begin : gen_plane
    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_port
      assign wide_in[t][p]  = u_tiles.u_mesh.link_in[t][p].wide;
      assign wide_out[t][p] = u_tiles.u_mesh.link_out[t][p].wide;
      assign req_in[t][p]   = u_tiles.u_mesh.link_in[t][p].req;
      assign req_out[t][p]  = u_tiles.u_mesh.link_out[t][p].req;
      assign rsp_in[t][p]   = u_tiles.u_mesh.link_in[t][p].rsp;
      assign rsp_out[t][p]  = u_tiles.u_mesh.link_out[t][p].rsp;
    end
  end

  noccl_plane_cosim #(
      .link_t(noccl_flit_pkg::wide_link_t)
  ) u_wide (
      .in_i(wide_in),
      .out_i(wide_out),
      .in_ready_o(),
      .enter_o(wide_enter_o),
      .in_flit_o(wide_in_flit_o),
      .leave_o(wide_leave_o),
      .crossing_o(wide_crossing_o),
      .out_flit_o(wide_out_flit_o)
  );

  noccl_plane_cosim #(
      .link_t(noccl_flit_pkg::req_link_t)
  ) u_req (
      .in_i(req_in),
      .out_i(req_out),
      .in_ready_o(),
      .enter_o(req_enter_o),
      .in_flit_o(req_in_flit_o),
      .leave_o(req_leave_o),
      .crossing_o(req_crossing_o),
      .out_flit_o(req_out_flit_o)
  );

  noccl_plane_cosim #(
      .link_t(noccl_flit_pkg::rsp_link_t)
  ) u_rsp (
      .in_i(rsp_in),
      .out_i(rsp_out),
      .in_ready_o(),
      .enter_o(rsp_enter_o),
      .in_flit_o(rsp_in_flit_o),
      .leave_o(rsp_leave_o),
      .crossing_o(rsp_crossing_o),
      .out_flit_o(rsp_out_flit_o)
  );

endmodule
