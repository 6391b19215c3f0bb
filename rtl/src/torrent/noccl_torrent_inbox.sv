// SPDX-License-Identifier: Apache-2.0
//
// Narrow port of a tile of a chain, inward: what others write to the windows, and which chain is
// followed next.
//
// Every initiator has one chain at a time, so its configuration has a slot of its own and always
// finds space: no message waits in the network. A chain is to be followed from here when its
// configuration is here and its grant, in that order of becoming so; the tile that its grant starts
// at needs none.
// Latency: what becomes ready with a word in cycle c is offered in c + 1, its frame in the cycle after `follow_ready_i`.
// Source: S3 section III-B; slots: docs/rtl/noccl_torrent.md. Mirror:
// crates/noccl-sim/src/endpoint/torrent/published/endpoint.rs.

`include "noccl_assert.svh"

module noccl_torrent_inbox
  import noccl_torrent_pkg::word_t, noccl_torrent_pkg::slot_t, noccl_torrent_pkg::slots_t;
#(
    /// Bits of an id.
    parameter int unsigned IdBits = 4
) (
    /// Clock.
    input  logic                                     clk_i,
    /// Asynchronous reset, active low.
    input  logic                                     rst_ni,
    /// This tile.
    input  noccl_torrent_pkg::tile_t                 own_i,
    /// Narrow subordinate port: writes to the windows of configurations, grants and finishes.
    input  logic                                     aw_valid_i,
    output logic                                     aw_ready_o,
    input  logic                        [IdBits-1:0] aw_id_i,
    input  noccl_torrent_pkg::pointer_t              aw_addr_i,
    input  logic                                     w_valid_i,
    output logic                                     w_ready_o,
    input  word_t                                    w_data_i,
    input  logic                                     w_last_i,
    output logic                                     b_valid_o,
    input  logic                                     b_ready_i,
    output logic                        [IdBits-1:0] b_id_o,
    output noccl_flit_pkg::resp_e                    b_resp_o,
    /// The next chain to follow; its frame stays until the next one is taken.
    output logic                                     follow_valid_o,
    input  logic                                     follow_ready_i,
    output slot_t                                    follow_slot_o,
    output noccl_torrent_pkg::frame_t                frame_o,
    /// The finish of this slot's chain has come; until the slot is free.
    output slots_t                                   finished_o,
    /// The slot's chain is over here.
    input  logic                                     release_i,
    input  slot_t                                    release_slot_i,
    /// To the own chain: granted, finished, with its task.
    output logic                                     own_grant_o,
    output logic                                     own_finish_o,
    output noccl_torrent_pkg::task_t                 own_task_o
);

  import noccl_torrent_pkg::FRAME_WORDS;
  import noccl_torrent_pkg::FRAME_WORD_BITS;
  import noccl_torrent_pkg::NUM_SLOTS;

  typedef logic [FRAME_WORD_BITS-1:0] index_t;

  // Place of `starts_grant` in a frame's last word.
  localparam int unsigned STARTS_BIT =
      noccl_torrent_pkg::WORD_BITS - noccl_torrent_pkg::UNUSED_BITS - 1;

  logic is_open_q, is_open_d, ends, accepts, is_window;
  logic [IdBits-1:0] id_q, id;
  noccl_torrent_pkg::pointer_t addr_q, addr;
  noccl_torrent_pkg::window_e window;
  noccl_torrent_pkg::notice_t notice;
  index_t word_q, word_d;
  slot_t slot, notice_slot;
  logic is_for_own;

  // ------------------------------------------------------------------------------------------------ port

  typedef struct packed {
    logic [IdBits-1:0]     id;
    noccl_flit_pkg::resp_e resp;
  } response_t;

  response_t response, oldest_response;
  logic response_ready;

  assign addr = is_open_q ? addr_q : aw_addr_i;
  assign id = is_open_q ? id_q : aw_id_i;
  assign aw_ready_o = !is_open_q && response_ready;
  assign w_ready_o = (is_open_q || aw_valid_i) && response_ready;
  assign accepts = w_valid_i && w_ready_o;
  assign ends = accepts && w_last_i;
  assign is_open_d = (is_open_q || (aw_valid_i && aw_ready_o)) && !ends;
  assign word_d = !accepts ? word_q : w_last_i ? '0 : word_q + 1'b1;

  assign window = noccl_torrent_pkg::window_e'(addr.offset[noccl_torrent_pkg::PAGE_BITS+:2]);
  assign is_window = &addr.offset[noccl_torrent_pkg::TILE_BITS-1:noccl_torrent_pkg::PAGE_BITS+2] &&
      window != noccl_torrent_pkg::WINDOW_DATA;
  assign response.id = id;
  assign response.resp = is_window ? noccl_flit_pkg::RESP_OKAY : noccl_flit_pkg::RESP_SLVERR;

  noccl_fifo #(
      .data_t(response_t)
  ) u_responses (
      .clk_i,
      .rst_ni,
      .valid_i(ends),
      .ready_o(response_ready),
      .data_i (response),
      .valid_o(b_valid_o),
      .ready_i(b_ready_i),
      .data_o (oldest_response)
  );

  assign b_id_o   = oldest_response.id;
  assign b_resp_o = oldest_response.resp;

  // ---------------------------------------------------------------------------------------------- frames

  logic is_frame, reads;

  assign slot = addr.offset[6+:noccl_torrent_pkg::SLOT_BITS];
  assign is_frame = is_window && window == noccl_torrent_pkg::WINDOW_CFG;
  assign reads = follow_valid_o && follow_ready_i;

  for (genvar w = 0; w < int'(FRAME_WORDS); w++) begin : gen_word
    noccl_store_bank #(
        .Words(NUM_SLOTS),
        .Width(noccl_torrent_pkg::WORD_BITS)
    ) u_words (
        .clk_i,
        .rst_ni,
        .we_i(accepts && is_frame && word_q == index_t'(unsigned'(w))),
        .waddr_i(slot),
        .wdata_i(w_data_i),
        .re_i(reads),
        .raddr_i(follow_slot_o),
        .rdata_o(frame_o[w*noccl_torrent_pkg::WORD_BITS+:noccl_torrent_pkg::WORD_BITS])
    );
  end

  // --------------------------------------------------------------------------------------------- notices

  // Task of each slot's chain: a finish of an older one says nothing.
  noccl_torrent_pkg::task_t task_q[NUM_SLOTS];
  slots_t has_frame_q, has_frame_d, granted_q, granted_d, finished_q, finished_d;
  logic brings_frame, brings_grant, brings_finish, becomes_ready, queue_ready;
  slot_t ready_slot;

  assign notice = noccl_torrent_pkg::notice_t'(w_data_i);
  assign notice_slot = noccl_torrent_pkg::slot_of(notice.initiator.tile);
  assign is_for_own = notice.initiator.tile == own_i;
  assign brings_frame = ends && is_frame;
  assign brings_grant = ends && is_window && window == noccl_torrent_pkg::WINDOW_GRANT;
  assign brings_finish = ends && is_window && window == noccl_torrent_pkg::WINDOW_FINISH;
  assign own_grant_o = brings_grant && is_for_own;
  assign own_finish_o = brings_finish && is_for_own;
  assign own_task_o = notice.id;

  // The later of configuration and grant makes a chain ready.
  assign ready_slot = brings_frame ? slot : notice_slot;
  assign becomes_ready = (brings_frame && (w_data_i[STARTS_BIT] || granted_q[slot])) ||
      (brings_grant && !is_for_own && has_frame_q[notice_slot]);

  always_comb begin
    has_frame_d = has_frame_q;
    granted_d   = granted_q;
    finished_d  = finished_q;
    if (release_i) begin
      has_frame_d[release_slot_i] = 1'b0;
      granted_d[release_slot_i]   = 1'b0;
      finished_d[release_slot_i]  = 1'b0;
    end
    if (brings_frame) has_frame_d[slot] = 1'b1;
    if (brings_grant && !is_for_own) granted_d[notice_slot] = 1'b1;
    if (brings_finish && !is_for_own && has_frame_q[notice_slot] &&
        task_q[notice_slot] == notice.id)
      finished_d[notice_slot] = 1'b1;
  end

  noccl_fifo #(
      .Depth (NUM_SLOTS),
      .data_t(slot_t)
  ) u_ready (
      .clk_i,
      .rst_ni,
      .valid_i(becomes_ready),
      .ready_o(queue_ready),
      .data_i (ready_slot),
      .valid_o(follow_valid_o),
      .ready_i(follow_ready_i),
      .data_o (follow_slot_o)
  );

  assign finished_o = finished_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      is_open_q <= 1'b0;
      word_q <= '0;
      has_frame_q <= '0;
      granted_q <= '0;
      finished_q <= '0;
    end else begin
      is_open_q <= is_open_d;
      word_q <= word_d;
      has_frame_q <= has_frame_d;
      granted_q <= granted_d;
      finished_q <= finished_d;
    end
  end

  always_ff @(posedge clk_i) begin
    // In a frame's first word behind the five bits that say what it is.
    if (accepts && is_frame && word_q == '0)
      task_q[slot] <= w_data_i[5+:noccl_torrent_pkg::TASK_BITS];
    if (!is_open_q) begin
      addr_q <= aw_addr_i;
      id_q   <= aw_id_i;
    end
  end

  `NOCCL_ASSERT(EverySlotIsQueued, !becomes_ready || queue_ready)
  `NOCCL_ASSUME(OneChainPerInitiator, !brings_frame || !has_frame_q[slot])

endmodule
