// SPDX-License-Identifier: Apache-2.0
//
// Leads a chain of the own tile: tells every tile what to do, sends the data once granted, ends
// when the finish is back.
//
// What to do is said by frames in the own memory, one of 64 bytes after the other: those of the other tiles in the order of the data,
// the one of an own copy if there is one, the one of the source. The reader that will read the data reads them first, so a further
// destination costs no register. (Pointers in registers, as published, are 48 flip-flops for each.)
// Latency: with a start in cycle c the first frame is at the narrow port in c + 5. Throughput: a frame per nine cycles.
// Source: S3 section III-B. Mirror: crates/noccl-sim/src/endpoint/torrent/published/head.rs.

`include "noccl_assert.svh"

module noccl_torrent_lead
  import noccl_torrent_pkg::task_t, noccl_torrent_pkg::frame_t, noccl_torrent_pkg::num_beats_t;
(
    /// Clock.
    input  logic                                         clk_i,
    /// Asynchronous reset, active low.
    input  logic                                         rst_ni,
    /// A chain to lead: first word of its frames, other tiles, whether the own one keeps a copy.
    input  logic                                         start_valid_i,
    output logic                                         start_ready_o,
    input  noccl_torrent_pkg::word_addr_t                frames_i,
    input  noccl_torrent_pkg::num_destinations_t         num_destinations_i,
    input  logic                                         has_own_i,
    /// Its task number; the chain is over.
    output task_t                                        task_o,
    output logic                                         done_o,
    /// Reads frames, then data; the last beat that was read leaves in this cycle.
    output logic                                         start_read_o,
    output noccl_torrent_pkg::pattern_t                  pattern_o,
    output noccl_torrent_pkg::word_addr_t                base_o,
    output num_beats_t                                   num_beats_o,
    /// Beats of the reader: frames are taken here, data pass.
    input  logic                                         beat_valid_i,
    output logic                                         frame_ready_o,
    input  logic                                 [511:0] beat_i,
    /// Configurations.
    output logic                                         cfg_valid_o,
    input  logic                                         cfg_ready_i,
    output noccl_torrent_pkg::message_t                  cfg_o,
    /// Starts the writer of the own copy by the frame that stands at the reader.
    output logic                                         start_own_o,
    /// Starts the sending side.
    output logic                                         start_send_o,
    output noccl_torrent_pkg::tile_t                     first_o,
    /// Data may pass: to the other tiles, to the own memory.
    output logic                                         passes_o,
    output logic                                         sends_o,
    output logic                                         keeps_o,
    /// All data have been read, sent, written to the own memory.
    input  logic                                         has_read_i,
    input  logic                                         has_sent_i,
    input  logic                                         has_written_i,
    /// Notices of a chain of this tile.
    input  logic                                         grant_i,
    input  logic                                         finish_i,
    input  task_t                                        notice_task_i
);

  import noccl_torrent_pkg::num_destinations_t;

  typedef enum logic [1:0] {
    IDLE,
    FRAMES,
    DATA
  } state_e;

  state_e state_q, state_d;
  task_t task_q, task_d;
  num_destinations_t left_q, left_d;
  logic has_destinations_q, has_destinations_d, has_own_q, has_own_d, own_left_q, own_left_d;
  logic granted_q, granted_d, finished_q, finished_d, is_first_q, is_first_d;
  noccl_torrent_pkg::tile_t first_q, first_d;
  frame_t frame, sent;
  logic starts, takes_frame, is_destination, is_own, is_source;
  noccl_torrent_pkg::pattern_t in_a_row;

  assign frame = frame_t'(beat_i);
  assign starts = start_valid_i && start_ready_o;
  assign start_ready_o = state_q == IDLE;
  assign task_o = task_q;

  assign is_destination = left_q != '0;
  assign is_own = !is_destination && own_left_q;
  assign is_source = !is_destination && !own_left_q;
  assign takes_frame = state_q == FRAMES && beat_valid_i && (!is_destination || cfg_ready_i);
  assign frame_ready_o = state_q == FRAMES && (!is_destination || cfg_ready_i);

  always_comb begin
    sent = frame;
    sent.id = task_q;
  end

  assign cfg_valid_o = state_q == FRAMES && beat_valid_i && is_destination;
  assign cfg_o = '{
          to: frame.destination.tile,
          window: noccl_torrent_pkg::WINDOW_CFG,
          content: sent
      };
  assign start_own_o = takes_frame && is_own;
  assign start_send_o = takes_frame && is_source && has_destinations_q;
  assign first_o = first_q;

  // Frames lie in a row.
  always_comb begin
    in_a_row = '0;
    in_a_row.channel_enable = '1;
    in_a_row.byte_enable = '1;
    in_a_row.spatial_stride = noccl_torrent_pkg::stride_t'(1);
    in_a_row.bounds[0] = '1;
    in_a_row.strides[0] = noccl_torrent_pkg::stride_t'(noccl_torrent_pkg::FRAME_WORDS);
  end

  assign start_read_o = starts || (takes_frame && is_source);
  assign pattern_o = starts ? in_a_row : frame.pattern;
  assign base_o = starts ? frames_i : noccl_torrent_pkg::word_of(frame.destination);
  assign num_beats_o = starts ? num_beats_t'(num_destinations_i) + num_beats_t'(has_own_i) + 1'b1
      : frame.num_beats;

  assign passes_o = state_q == DATA && (granted_q || !has_destinations_q);
  assign sends_o = has_destinations_q;
  assign keeps_o = has_own_q;
  assign done_o = state_q == DATA && has_read_i && has_sent_i && has_written_i &&
      (finished_q || !has_destinations_q);

  always_comb begin
    state_d = state_q;
    task_d = task_q + task_t'(done_o);
    left_d = left_q;
    own_left_d = own_left_q;
    has_destinations_d = has_destinations_q;
    has_own_d = has_own_q;
    is_first_d = is_first_q;
    first_d = first_q;
    granted_d = granted_q || (grant_i && state_q != IDLE && notice_task_i == task_q);
    finished_d = finished_q || (finish_i && state_q == DATA && notice_task_i == task_q);
    if (starts) begin
      state_d = FRAMES;
      left_d = num_destinations_i;
      has_destinations_d = num_destinations_i != '0;
      has_own_d = has_own_i;
      own_left_d = has_own_i;
      granted_d = 1'b0;
      finished_d = 1'b0;
      is_first_d = 1'b1;
    end else if (takes_frame) begin
      if (is_destination) left_d = left_q - 1'b1;
      if (is_own) own_left_d = 1'b0;
      if (is_source) state_d = DATA;
      if (is_destination && is_first_q) first_d = frame.destination.tile;
      is_first_d = 1'b0;
    end else if (done_o) begin
      state_d = IDLE;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      task_q <= '0;
      left_q <= '0;
      has_destinations_q <= 1'b0;
      has_own_q <= 1'b0;
      own_left_q <= 1'b0;
      granted_q <= 1'b0;
      finished_q <= 1'b0;
      is_first_q <= 1'b0;
    end else begin
      state_q <= state_d;
      task_q <= task_d;
      left_q <= left_d;
      has_destinations_q <= has_destinations_d;
      has_own_q <= has_own_d;
      own_left_q <= own_left_d;
      granted_q <= granted_d;
      finished_q <= finished_d;
      is_first_q <= is_first_d;
    end
  end

  always_ff @(posedge clk_i) first_q <= first_d;

  `NOCCL_ASSERT(NoDataBeforeItsGrant, !passes_o || granted_q || !has_destinations_q)

endmodule
