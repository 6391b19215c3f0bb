// SPDX-License-Identifier: Apache-2.0
//
// Torrent endpoint of a tile: leads chains of its own and follows others', each with streams of
// its own.
//
// Wiring, and the two switches: beats of the reader go to the sending side, to an own copy, or both; beats of the data window to the
// writer and, unless this is the tail, on to the next tile in the same cycle.
// Source: S3 section III. Mirror: crates/noccl-sim/src/endpoint/torrent. Page:
// docs/rtl/noccl_torrent.md.

`include "noccl_assert.svh"

module noccl_torrent
  import noccl_torrent_pkg::NUM_CHANNELS, noccl_torrent_pkg::channels_t, noccl_torrent_pkg::word_t;
  import noccl_torrent_pkg::word_addr_t, noccl_torrent_pkg::pointer_t;
#(
    /// Bursts of 64 beats that the data window holds.
    parameter int unsigned BufferBursts = 2,
    /// Bits of an id at the manager and the subordinate ports.
    parameter int unsigned IdBits = 4
) (
    /// Clock.
    input  logic                                              clk_i,
    /// Asynchronous reset, active low.
    input  logic                                              rst_ni,
    /// This tile.
    input  noccl_torrent_pkg::tile_t                          own_i,
    /// A chain to lead, and its end (`noccl_torrent_lead`).
    input  logic                                              start_valid_i,
    output logic                                              start_ready_o,
    input  word_addr_t                                        frames_i,
    input  noccl_torrent_pkg::num_destinations_t              num_destinations_i,
    input  logic                                              has_own_i,
    output noccl_torrent_pkg::task_t                          task_o,
    output logic                                              done_o,
    /// A response of the network reported an error in this cycle.
    output logic                                              error_o,
    /// Narrow manager port.
    output logic                                              msg_aw_valid_o,
    input  logic                                              msg_aw_ready_i,
    output logic                                 [IdBits-1:0] msg_aw_id_o,
    output pointer_t                                          msg_aw_addr_o,
    output logic                                 [       7:0] msg_aw_len_o,
    output logic                                              msg_w_valid_o,
    input  logic                                              msg_w_ready_i,
    output word_t                                             msg_w_data_o,
    output logic                                              msg_w_last_o,
    input  logic                                              msg_b_valid_i,
    output logic                                              msg_b_ready_o,
    input  noccl_flit_pkg::resp_e                             msg_b_resp_i,
    /// Narrow subordinate port: windows of configurations, grants, finishes.
    input  logic                                              box_aw_valid_i,
    output logic                                              box_aw_ready_o,
    input  logic                                 [IdBits-1:0] box_aw_id_i,
    input  pointer_t                                          box_aw_addr_i,
    input  logic                                              box_w_valid_i,
    output logic                                              box_w_ready_o,
    input  word_t                                             box_w_data_i,
    input  logic                                              box_w_last_i,
    output logic                                              box_b_valid_o,
    input  logic                                              box_b_ready_i,
    output logic                                 [IdBits-1:0] box_b_id_o,
    output noccl_flit_pkg::resp_e                             box_b_resp_o,
    /// Wide manager ports: 0 for own chains, 1 for what goes on.
    output logic                                 [       1:0] out_aw_valid_o,
    input  logic                                 [       1:0] out_aw_ready_i,
    output pointer_t                                          out_aw_addr_o     [             2],
    output logic                                 [       7:0] out_aw_len_o      [             2],
    output logic                                 [       1:0] out_w_valid_o,
    input  logic                                 [       1:0] out_w_ready_i,
    output noccl_flit_pkg::wide_data_t                        out_w_data_o      [             2],
    output logic                                 [       1:0] out_w_last_o,
    input  logic                                 [       1:0] out_b_valid_i,
    output logic                                 [       1:0] out_b_ready_o,
    input  noccl_flit_pkg::resp_e                             out_b_resp_i      [             2],
    /// Wide subordinate port: the data window.
    input  logic                                              in_aw_valid_i,
    output logic                                              in_aw_ready_o,
    input  logic                                 [IdBits-1:0] in_aw_id_i,
    input  logic                                              in_w_valid_i,
    output logic                                              in_w_ready_o,
    input  noccl_flit_pkg::wide_data_t                        in_w_data_i,
    input  logic                                              in_w_last_i,
    output logic                                              in_b_valid_o,
    input  logic                                              in_b_ready_i,
    output logic                                 [IdBits-1:0] in_b_id_o,
    /// Own memory: one reader, writers of own copies (0) and followed chains (1).
    output channels_t                                         ask_valid_o,
    input  channels_t                                         ask_ready_i,
    output word_addr_t                                        ask_addr_o        [  NUM_CHANNELS],
    input  channels_t                                         data_valid_i,
    input  word_t                                             data_i            [  NUM_CHANNELS],
    output channels_t                                         write_valid_o     [             2],
    input  channels_t                                         write_ready_i     [             2],
    output word_addr_t                                        write_addr_o      [2*NUM_CHANNELS],
    output noccl_torrent_pkg::bytes_t                         write_bytes_o     [             2],
    output word_t                                             write_o           [2*NUM_CHANNELS]
);

  import noccl_torrent_pkg::frame_t;
  import noccl_torrent_pkg::message_t;
  import noccl_torrent_pkg::slot_t;
  import noccl_flit_pkg::wide_data_t;

  localparam int unsigned OWN = 0;
  localparam int unsigned FORWARD = 1;

  // ---------------------------------------------------------------------------------------------- messages

  logic [2:0] message_valid, message_ready;
  message_t message[3];
  logic narrow_error;

  noccl_torrent_messages #(
      .IdBits(IdBits)
  ) u_messages (
      .clk_i,
      .rst_ni,
      .own_i,
      .valid_i(message_valid),
      .ready_o(message_ready),
      .message_i(message),
      .aw_valid_o(msg_aw_valid_o),
      .aw_ready_i(msg_aw_ready_i),
      .aw_id_o(msg_aw_id_o),
      .aw_addr_o(msg_aw_addr_o),
      .aw_len_o(msg_aw_len_o),
      .w_valid_o(msg_w_valid_o),
      .w_ready_i(msg_w_ready_i),
      .w_data_o(msg_w_data_o),
      .w_last_o(msg_w_last_o),
      .b_valid_i(msg_b_valid_i),
      .b_ready_o(msg_b_ready_o),
      .b_resp_i(msg_b_resp_i),
      .error_o(narrow_error)
  );

  logic follow_valid, follow_ready, release_slot, own_grant, own_finish;
  slot_t follow_slot, released_slot;
  frame_t frame;
  noccl_torrent_pkg::slots_t finished;
  noccl_torrent_pkg::task_t notice_task;

  noccl_torrent_inbox #(
      .IdBits(IdBits)
  ) u_inbox (
      .clk_i,
      .rst_ni,
      .own_i,
      .aw_valid_i(box_aw_valid_i),
      .aw_ready_o(box_aw_ready_o),
      .aw_id_i(box_aw_id_i),
      .aw_addr_i(box_aw_addr_i),
      .w_valid_i(box_w_valid_i),
      .w_ready_o(box_w_ready_o),
      .w_data_i(box_w_data_i),
      .w_last_i(box_w_last_i),
      .b_valid_o(box_b_valid_o),
      .b_ready_i(box_b_ready_i),
      .b_id_o(box_b_id_o),
      .b_resp_o(box_b_resp_o),
      .follow_valid_o(follow_valid),
      .follow_ready_i(follow_ready),
      .follow_slot_o(follow_slot),
      .frame_o(frame),
      .finished_o(finished),
      .release_i(release_slot),
      .release_slot_i(released_slot),
      .own_grant_o(own_grant),
      .own_finish_o(own_finish),
      .own_task_o(notice_task)
  );

  // ------------------------------------------------------------------------------------------------- chains

  logic start_read, start_own_write, start_own_send, start_write, start_send;
  logic own_passes, own_sends, own_keeps, passes, sends, takes_frame;
  logic [1:0] has_sent, has_written, wide_error;
  logic has_read, read_valid, read_ready;
  noccl_torrent_pkg::pattern_t read_pattern;
  word_addr_t read_base;
  noccl_torrent_pkg::num_beats_t read_beats;
  noccl_torrent_pkg::tile_t first;
  wide_data_t read_beat;

  noccl_torrent_lead u_lead (
      .clk_i,
      .rst_ni,
      .start_valid_i,
      .start_ready_o,
      .frames_i,
      .num_destinations_i,
      .has_own_i,
      .task_o,
      .done_o,
      .start_read_o(start_read),
      .pattern_o(read_pattern),
      .base_o(read_base),
      .num_beats_o(read_beats),
      .beat_valid_i(read_valid),
      .frame_ready_o(takes_frame),
      .beat_i(read_beat),
      .cfg_valid_o(message_valid[0]),
      .cfg_ready_i(message_ready[0]),
      .cfg_o(message[0]),
      .start_own_o(start_own_write),
      .start_send_o(start_own_send),
      .first_o(first),
      .passes_o(own_passes),
      .sends_o(own_sends),
      .keeps_o(own_keeps),
      .has_read_i(has_read),
      .has_sent_i(has_sent[OWN]),
      .has_written_i(has_written[OWN]),
      .grant_i(own_grant),
      .finish_i(own_finish),
      .notice_task_i(notice_task)
  );

  noccl_torrent_follow u_follow (
      .clk_i,
      .rst_ni,
      .follow_valid_i(follow_valid),
      .follow_ready_o(follow_ready),
      .follow_slot_i(follow_slot),
      .frame_i(frame),
      .finished_i(finished),
      .release_o(release_slot),
      .release_slot_o(released_slot),
      .grant_valid_o(message_valid[1]),
      .grant_ready_i(message_ready[1]),
      .grant_o(message[1]),
      .finish_valid_o(message_valid[2]),
      .finish_ready_i(message_ready[2]),
      .finish_o(message[2]),
      .start_write_o(start_write),
      .start_send_o(start_send),
      .passes_o(passes),
      .sends_o(sends),
      .has_written_i(has_written[FORWARD]),
      .has_sent_i(has_sent[FORWARD])
  );

  // ----------------------------------------------------------------------------------------------- switches

  word_t read_words[NUM_CHANNELS];
  wide_data_t came_beat;
  logic came_valid, came_ready;

  noccl_torrent_reader u_reader (
      .clk_i,
      .rst_ni,
      .start_i(start_read),
      .pattern_i(read_pattern),
      .base_i(read_base),
      .num_beats_i(read_beats),
      .is_idle_o(has_read),
      .ask_valid_o,
      .ask_ready_i,
      .ask_addr_o,
      .data_valid_i,
      .data_i,
      .beat_valid_o(read_valid),
      .beat_ready_i(read_ready),
      .beat_o(read_words)
  );

  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_read_word
    assign read_beat[c*noccl_torrent_pkg::WORD_BITS+:noccl_torrent_pkg::WORD_BITS] = read_words[c];
  end

  noccl_torrent_receive #(
      .BufferBursts(BufferBursts),
      .IdBits(IdBits)
  ) u_receive (
      .clk_i,
      .rst_ni,
      .aw_valid_i(in_aw_valid_i),
      .aw_ready_o(in_aw_ready_o),
      .aw_id_i(in_aw_id_i),
      .w_valid_i(in_w_valid_i),
      .w_ready_o(in_w_ready_o),
      .w_data_i(in_w_data_i),
      .w_last_i(in_w_last_i),
      .b_valid_o(in_b_valid_o),
      .b_ready_i(in_b_ready_i),
      .b_id_o(in_b_id_o),
      .beat_valid_o(came_valid),
      .beat_ready_i(came_ready),
      .beat_o(came_beat)
  );

  // ------------------------------------------------------------------------------------------------ streams

  logic [1:0] starts_send, starts_write, may_pass, goes_on, is_kept, beat_valid, beat_ready;
  noccl_torrent_pkg::tile_t send_to[2];
  noccl_torrent_pkg::num_beats_t send_beats[2];
  wide_data_t beat[2];
  frame_t write_frame[2];

  assign starts_send = {start_send, start_own_send};
  assign starts_write = {start_write, start_own_write};
  assign may_pass = {passes, own_passes};
  assign goes_on = {sends, own_sends};
  assign is_kept = {1'b1, own_keeps};
  assign beat_valid = {came_valid, read_valid};
  assign came_ready = beat_ready[FORWARD];
  assign read_ready = takes_frame || beat_ready[OWN];
  assign send_to[OWN] = first;
  assign send_to[FORWARD] = frame.next.tile;
  assign send_beats[OWN] = read_beats;
  assign send_beats[FORWARD] = frame.num_beats;
  assign beat[OWN] = read_beat;
  assign beat[FORWARD] = came_beat;
  // An own copy starts by the frame that stands at the reader.
  assign write_frame[OWN] = frame_t'(read_beat);
  assign write_frame[FORWARD] = frame;

  for (genvar i = 0; i < 2; i++) begin : gen_stream
    word_t to_write[NUM_CHANNELS];
    word_addr_t addr[NUM_CHANNELS];

    noccl_torrent_stream #(
        .BufferBursts(BufferBursts)
    ) u_stream (
        .clk_i,
        .rst_ni,
        .start_send_i(starts_send[i]),
        .to_i(send_to[i]),
        .num_beats_i(send_beats[i]),
        .start_write_i(starts_write[i]),
        .frame_i(write_frame[i]),
        .has_sent_o(has_sent[i]),
        .has_written_o(has_written[i]),
        .error_o(wide_error[i]),
        .passes_i(may_pass[i]),
        .sends_i(goes_on[i]),
        .keeps_i(is_kept[i]),
        .beat_valid_i(beat_valid[i]),
        .beat_ready_o(beat_ready[i]),
        .beat_i(beat[i]),
        .aw_valid_o(out_aw_valid_o[i]),
        .aw_ready_i(out_aw_ready_i[i]),
        .aw_addr_o(out_aw_addr_o[i]),
        .aw_len_o(out_aw_len_o[i]),
        .w_valid_o(out_w_valid_o[i]),
        .w_ready_i(out_w_ready_i[i]),
        .w_data_o(out_w_data_o[i]),
        .w_last_o(out_w_last_o[i]),
        .b_valid_i(out_b_valid_i[i]),
        .b_ready_o(out_b_ready_o[i]),
        .b_resp_i(out_b_resp_i[i]),
        .write_valid_o(write_valid_o[i]),
        .write_ready_i(write_ready_i[i]),
        .write_addr_o(addr),
        .write_bytes_o(write_bytes_o[i]),
        .write_o(to_write)
    );

    for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_word
      assign write_addr_o[i*NUM_CHANNELS+c] = addr[c];
      assign write_o[i*NUM_CHANNELS+c] = to_write[c];
    end
  end

  assign error_o = narrow_error || wide_error != '0;

  `NOCCL_ASSUME(SomethingToDo, !start_valid_i || num_destinations_i != '0 || has_own_i)

endmodule
