// SPDX-License-Identifier: Apache-2.0
//
// Write side of one transfer: lines of its source become bursts at a channel of the network
// interface, or lines of the own L1.
//
// A channel works on one transfer until all its bursts have their responses; so a slow one never
// holds up others.
// Latency: AW and the first W are offered in the cycle in which the first line is there. Throughput: one beat per cycle, bursts
// without a gap. Combinational paths: source line to W; W's ready to the source's.
// Ordering: bursts have ids in sequence; their responses may come in any order.
// Mirror: `issue_writes`, `on_write_response` in crates/noccl-sim/src/endpoint/dma.rs.

`include "noccl_assert.svh"

module noccl_dma_channel (
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                        rst_ni,
    /// A transfer, taken while the channel is free.
    input  logic                        start_i,
    input  noccl_dma_pkg::transfer_t    transfer_i,
    output logic                        is_free_o,
    /// The transfer is over, for one cycle, and some burst got an error response.
    output logic                        done_o,
    output noccl_dma_pkg::transfer_id_t done_id_o,
    output logic                        done_has_error_o,
    /// Its source comes over the network; its destination is the own L1.
    output logic                        is_remote_o,
    output logic                        is_to_own_o,
    /// Lines of its source.
    input  logic                        source_valid_i,
    output logic                        source_ready_o,
    input  noccl_dma_pkg::source_line_t source_i,
    /// The source could not be read.
    input  logic                        source_has_error_i,
    /// Write channel of the network interface.
    output logic                        aw_valid_o,
    input  logic                        aw_ready_i,
    output noccl_axi_pkg::wide_aw_t     aw_o,
    output logic                        w_valid_o,
    input  logic                        w_ready_i,
    output noccl_axi_pkg::wide_w_t      w_o,
    input  logic                        b_valid_i,
    output logic                        b_ready_o,
    input  noccl_axi_pkg::wide_b_t      b_i,
    /// Own L1.
    output logic                        l1_valid_o,
    input  logic                        l1_ready_i,
    output noccl_flit_pkg::offset_t     l1_addr_o,
    output noccl_axi_pkg::wide_w_t      l1_w_o
);

  import noccl_dma_pkg::LINE_BYTES;
  import noccl_dma_pkg::LINE_OFFSET_BITS;
  import noccl_dma_pkg::lane_t;
  import noccl_axi_pkg::addr_t;

  localparam int unsigned OpenBits = noccl_cfg_pkg::WIDE_ID_BITS + 1;

  logic busy_q, busy_d, has_error_q, has_error_d;
  noccl_dma_pkg::transfer_t transfer_q;

  // ------------------------------------------------------------------------------------------- bursts

  logic burst_valid, begins_row, ends_row, ends_range, burst_done;
  addr_t address;
  lane_t last_lane, row_lane_q, row_lane;
  noccl_flit_pkg::left_t len, beat_q, beat_d;

  noccl_dma_rows u_rows (
      .clk_i,
      .rst_ni,
      .start_i,
      .range_i(transfer_i.dst),
      .burst_valid_o(burst_valid),
      .address_o(address),
      .last_lane_o(last_lane),
      .len_o(len),
      .begins_row_o(begins_row),
      .ends_row_o(ends_row),
      .ends_range_o(ends_range),
      .step_i(burst_done)
  );

  // --------------------------------------------------------------------------------------------- lines

  logic line_valid, line_taken, is_first, is_last;
  logic has_line, both_done;
  noccl_flit_pkg::wide_data_t   line;
  noccl_flit_pkg::wide_strobe_t strobe;

  assign is_first = beat_q == '0;
  assign is_last  = beat_q == len;
  assign row_lane = begins_row && is_first ? address[LINE_OFFSET_BITS-1:0] : row_lane_q;

  noccl_dma_align u_align (
      .clk_i,
      .rst_ni,
      .source_valid_i(source_valid_i && burst_valid),
      .source_ready_o,
      .source_i,
      .lane_i(row_lane),
      .line_valid_o(line_valid),
      .line_o(line),
      .taken_i(line_taken),
      .ends_row_i(is_last && ends_row)
  );

  for (genvar b = 0; b < int'(LINE_BYTES); b++) begin : gen_strobe
    assign strobe[b] = (!is_first || lane_t'(unsigned'(b)) >= address[LINE_OFFSET_BITS-1:0])
        && (!is_last || lane_t'(unsigned'(b)) <= last_lane);
  end

  // The first beat is offered together with its AW and leaves when both can.
  assign has_line   = busy_q && burst_valid && line_valid;
  assign l1_valid_o = has_line && transfer_q.dst_is_own;
  assign line_taken = has_line && (transfer_q.dst_is_own ? l1_ready_i : both_done);

  noccl_fork #(
      .NumOutputs(2)
  ) u_both (
      .clk_i,
      .rst_ni,
      .valid_i (has_line && !transfer_q.dst_is_own),
      .select_i({is_first, 1'b1}),
      .ready_o (both_done),
      .valid_o ({aw_valid_o, w_valid_o}),
      .ready_i ({aw_ready_i, w_ready_i})
  );

  assign beat_d = !line_taken ? beat_q : is_last ? '0 : beat_q + 1'b1;
  assign burst_done = line_taken && is_last;

  // Bursts of a join carry consecutive tags, at every member alike.
  noccl_axi_pkg::wide_id_t id_q, id_d;
  noccl_flit_pkg::tag_t tag_q, tag_d;
  logic continues_q, continues_d;

  always_comb begin
    aw_o.id = id_q;
    aw_o.addr = address;
    aw_o.len = 8'(len);
    aw_o.size = noccl_axi_pkg::SIZE_WIDE;
    aw_o.burst = noccl_axi_pkg::BURST_INCR;
    aw_o.continues = continues_q;
    aw_o.user = transfer_q.user;
    aw_o.user.tag = tag_q;
  end
  assign w_o = '{data: line, strb: strobe, last: is_last};
  assign l1_addr_o = noccl_flit_pkg::offset_t'({
    (address >> LINE_OFFSET_BITS) + addr_t'(beat_q), LINE_OFFSET_BITS'(0)
  });
  assign l1_w_o = '{data: line, strb: strobe, last: 1'b1};

  // ----------------------------------------------------------------------------------------- its end

  logic all_sent_q, all_sent_d;
  logic [OpenBits-1:0] num_open_q, num_open_d;
  logic opens, closes, is_over;

  assign opens = burst_done && !transfer_q.dst_is_own;
  assign closes = b_valid_i && b_ready_o;
  assign b_ready_o = 1'b1;
  assign num_open_d = num_open_q + OpenBits'(opens) - OpenBits'(closes);
  assign all_sent_d = start_i ? 1'b0 : all_sent_q || (burst_done && ends_range);
  assign is_over = busy_q && all_sent_q && num_open_q == '0;
  assign busy_d = start_i || (busy_q && !is_over);
  assign has_error_d = !start_i && (has_error_q || source_has_error_i
      || (closes && b_i.resp != noccl_flit_pkg::RESP_OKAY));
  assign id_d = opens ? id_q + 1'b1 : id_q;
  assign continues_d = !start_i && (continues_q || opens);
  assign tag_d = start_i ? transfer_i.user.tag : opens ? tag_q + 1'b1 : tag_q;

  assign is_free_o = !busy_q;
  assign is_remote_o = !transfer_q.src_is_own;
  assign is_to_own_o = transfer_q.dst_is_own;
  assign done_o = is_over;
  assign done_id_o = transfer_q.id;
  assign done_has_error_o = has_error_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= 1'b0;
      beat_q <= '0;
      num_open_q <= '0;
      id_q <= '0;
    end else begin
      busy_q <= busy_d;
      beat_q <= beat_d;
      num_open_q <= num_open_d;
      id_q <= id_d;
    end
  end

  always_ff @(posedge clk_i) begin
    row_lane_q <= row_lane;
    tag_q <= tag_d;
    continues_q <= continues_d;
    all_sent_q <= all_sent_d;
    has_error_q <= has_error_d;
    if (start_i) transfer_q <= transfer_i;
  end

  `NOCCL_ASSUME(StartsWhenFree, !start_i || !busy_q)
  `NOCCL_ASSUME(ResponsesBelongToBursts, !closes || num_open_q != '0)

endmodule
