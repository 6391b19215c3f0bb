// SPDX-License-Identifier: Apache-2.0
//
// Follows somebody else's chain: passes the grant on, lets the data through, passes the finish
// back.
//
// One chain at a time, in the order in which the inbox has them ready. All chains are granted tile by tile in one order over the mesh,
// so a chain never waits for a tile whose chain waits for it.
// Latency: a chain that becomes ready with a word in cycle c has its grant at the narrow port in c
// + 4, a finish goes on two cycles after it came. Source: S3 section III-B. Mirror:
// crates/noccl-sim/src/endpoint/torrent/published/follower.rs.

`include "noccl_assert.svh"

module noccl_torrent_follow
  import noccl_torrent_pkg::slot_t;
(
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                        rst_ni,
    /// From the inbox: the next chain, its frame after it was taken, finishes.
    input  logic                        follow_valid_i,
    output logic                        follow_ready_o,
    input  slot_t                       follow_slot_i,
    input  noccl_torrent_pkg::frame_t   frame_i,
    input  noccl_torrent_pkg::slots_t   finished_i,
    output logic                        release_o,
    output slot_t                       release_slot_o,
    /// Messages: the grant, the finish.
    output logic                        grant_valid_o,
    input  logic                        grant_ready_i,
    output noccl_torrent_pkg::message_t grant_o,
    output logic                        finish_valid_o,
    input  logic                        finish_ready_i,
    output noccl_torrent_pkg::message_t finish_o,
    /// Starts the writer, and the sending side unless this is the tail.
    output logic                        start_write_o,
    output logic                        start_send_o,
    /// Data may pass; they go on to the next tile too.
    output logic                        passes_o,
    output logic                        sends_o,
    /// All data have been written, and sent.
    input  logic                        has_written_i,
    input  logic                        has_sent_i
);

  typedef enum logic [1:0] {
    IDLE,
    LOAD,
    SERVE
  } state_e;

  state_e state_q, state_d;
  slot_t slot_q, slot_d;
  logic granted_q, granted_d, is_tail, is_over;
  noccl_torrent_pkg::notice_t notice;

  assign is_tail = frame_i.next == '0;
  assign is_over = state_q == SERVE && granted_q && has_written_i && has_sent_i &&
      (is_tail || finished_i[slot_q]);

  assign follow_ready_o = state_q == IDLE;
  assign release_o = finish_valid_o && finish_ready_i;
  assign release_slot_o = slot_q;
  assign start_write_o = state_q == LOAD;
  assign start_send_o = start_write_o && !is_tail;
  assign passes_o = state_q == SERVE;
  assign sends_o = !is_tail;

  assign notice = '{unused: '0, initiator: frame_i.initiator, id: frame_i.id};
  assign grant_valid_o = state_q == LOAD || (state_q == SERVE && !granted_q);
  assign grant_o = '{
          to: frame_i.grant_to.tile,
          window: noccl_torrent_pkg::WINDOW_GRANT,
          content: noccl_torrent_pkg::FRAME_BITS'(notice)
      };
  assign finish_valid_o = is_over;
  assign finish_o = '{
          to: frame_i.previous.tile,
          window: noccl_torrent_pkg::WINDOW_FINISH,
          content: noccl_torrent_pkg::FRAME_BITS'(notice)
      };

  always_comb begin
    state_d = state_q;
    slot_d = slot_q;
    granted_d = grant_valid_o ? grant_ready_i : granted_q;
    case (state_q)
      IDLE: begin
        slot_d = follow_slot_i;
        if (follow_valid_i) state_d = LOAD;
      end
      LOAD: state_d = SERVE;
      SERVE: if (release_o) state_d = IDLE;
      default: state_d = IDLE;
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q   <= IDLE;
      slot_q    <= '0;
      granted_q <= 1'b0;
    end else begin
      state_q   <= state_d;
      slot_q    <= slot_d;
      granted_q <= granted_d;
    end
  end

  `NOCCL_ASSUME(StartsOnlyTheIdle, !start_write_o || (has_written_i && has_sent_i))

endmodule
