// SPDX-License-Identifier: Apache-2.0
//
// One write channel of the wide subordinate port: what its next beat is, and whether it may leave.
//
// A burst that the network does not serve (unmapped address, illegal mask, other than incrementing whole lines) is swallowed,
// one beat per cycle, and gets its response here.
// Latency: a beat can leave in the cycle in which AW and W are offered. Throughput: one beat per cycle, bursts without
// a gap: AW is taken whenever no burst is open.
// Combinational paths: from AW, W to the burst; from the grant to W's ready. AW's ready comes from a register.
// A beat of a reduction leaves only while its window towards the next merge point is open (docs/design/0001, I). The first two
// of a burst find it open: the window is known in the cycle after the first, and channels share the logic that computes it.
// Source: S1 section 3.2.2. Mirror: `Stream`, `is_ready` and `next_write_beat` in
// crates/noccl-sim/src/ni/axi.

`include "noccl_assert.svh"

module noccl_ni_write_channel #(
    /// Number of this channel: the upper bits of its tags.
    parameter int unsigned Channel = 0
) (
    /// Clock.
    input  logic                          clk_i,
    /// Asynchronous reset, active low.
    input  logic                          rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t        pos_i,
    /// AW of the subordinate port.
    input  logic                          aw_valid_i,
    output logic                          aw_ready_o,
    input  noccl_axi_pkg::wide_aw_t       aw_i,
    /// W of the subordinate port.
    input  logic                          w_valid_i,
    output logic                          w_ready_o,
    input  noccl_axi_pkg::wide_w_t        w_i,
    /// A burst is open or offered, and its facts.
    output logic                          burst_valid_o,
    output noccl_ni_pkg::burst_t          burst_o,
    /// A transfer begins: its first burst is offered for the first time.
    output logic                          begins_o,
    /// Beats of it that have left.
    output noccl_flit_pkg::left_t         beat_o,
    /// None of its beats has left.
    output logic                          is_first_o,
    /// All but one of its beats have left.
    output logic                          is_last_o,
    /// Its next beat is here and may leave as far as this channel knows.
    output logic                          beat_valid_o,
    /// The beat leaves.
    input  logic                          grant_i,
    /// Of a first beat that has left in the cycle before: it goes to a merge point, and the beats that its burst may have
    /// in flight to there.
    input  logic                          is_limited_i,
    input  noccl_collective_pkg::window_t window_i,
    /// Credits returned to a sender of this tile: from other tiles, and from its own merge point.
    input  logic                          credit_valid_i [2],
    input  noccl_ni_pkg::credit_t         credit_i       [2],
    /// A transaction of the burst's id has no response yet.
    input  logic                          id_is_open_i,
    /// Response to a burst that was swallowed.
    output logic                          refused_valid_o,
    input  logic                          refused_ready_i,
    output noccl_axi_pkg::wide_b_t        refused_o
);

  import noccl_axi_pkg::OPCODE_MULTICAST;
  import noccl_axi_pkg::OPCODE_JOIN;
  import noccl_collective_pkg::window_t;

  localparam int unsigned LINE_OFFSET_BITS = $clog2(noccl_cfg_pkg::WIDE_BITS / 8);

  // ---------------------------------------------------------------------------------------- the burst

  noccl_ni_pkg::burst_t offered, burst, burst_q;
  logic open_q, open_d;
  noccl_flit_pkg::left_t beat_q, beat_d;
  logic hit;
  noccl_flit_pkg::region_coord_t base;
  noccl_flit_pkg::offset_t offset;

  noccl_ni_decode u_decode (
      .pos_i,
      .addr_i(aw_i.addr),
      .mask_i(aw_i.user.mask),
      .opcode_i(aw_i.user.opcode),
      .hit_o(hit),
      .dst_o(offered.dst),
      .base_o(base),
      .mask_o(offered.mask),
      .offset_o(offset)
  );

  // Longer bursts than a window of beat counters are not served; AXI forbids what crosses 4 KiB.
  logic is_served;
  assign is_served = aw_i.burst == noccl_axi_pkg::BURST_INCR
      && aw_i.size == noccl_axi_pkg::SIZE_WIDE && (aw_i.len >> noccl_cfg_pkg::BURST_BITS) == '0;

  assign offered.is_error = !hit || !is_served;
  assign offered.resp = hit ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_DECERR;
  assign offered.opcode = aw_i.user.opcode;
  assign offered.has_own = aw_i.user.opcode == OPCODE_MULTICAST && noccl_ni_pkg::is_member(
      pos_i, base, offered.mask
  );
  // Members name a reduction alike; anything else carries the name of its channel and id.
  assign offered.tag = aw_i.user.opcode == OPCODE_JOIN ? aw_i.user.tag
      : noccl_flit_pkg::tag_t'({noccl_ni_pkg::CHANNEL_BITS'(Channel), aw_i.id});
  assign offered.id = aw_i.id;
  assign offered.line = noccl_flit_pkg::line_t'(offset >> LINE_OFFSET_BITS);
  assign offered.len = noccl_flit_pkg::left_t'(aw_i.len);
  assign offered.op = aw_i.user.op;
  assign offered.element = aw_i.user.element;

  assign burst = open_q ? burst_q : offered;
  assign burst_o = burst;
  assign burst_valid_o = open_q || aw_valid_i;
  assign begins_o = aw_valid_i && !open_q && !aw_i.continues;
  assign beat_o = beat_q;
  assign is_first_o = beat_q == '0;
  assign aw_ready_o = !open_q;

  // --------------------------------------------------------------------------------------- the window

  // Credits for beats after the first; the last one is not counted: no credit returns for it.
  window_t credits_q, credits_d, credits, credits_back;
  logic begun_q, is_limited_q, has_credit;

  assign has_credit = is_first_o || begun_q || !is_limited_q || credits_q != '0;

  always_comb begin
    credits_back = '0;
    for (int unsigned i = 0; i < 2; i++) begin
      if (credit_valid_i[i] && credit_i[i].root == burst_q.dst && credit_i[i].tag == burst_q.tag)
        credits_back += window_t'(noccl_cfg_pkg::CREDIT_BEATS);
    end
    credits   = (begun_q ? window_i - 1'b1 : credits_q) + credits_back;
    credits_d = grant_i ? credits - 1'b1 : credits;
  end

  // -------------------------------------------------------------------------------------- beats leave

  logic is_last, swallow, step;
  logic refused_valid_q, refused_valid_d;
  noccl_axi_pkg::wide_b_t refused_q;

  // A refused burst may be longer than the counter of beats: W says where it ends.
  assign is_last = burst.is_error ? w_i.last : beat_q == burst.len;
  assign is_last_o = is_last;
  assign beat_valid_o = burst_valid_o && !burst.is_error && w_valid_i && has_credit;
  // The last beat of a refused burst waits until the response before it has left, and those of its
  // id that are open.
  assign swallow = burst_valid_o && burst.is_error && w_valid_i
      && !(is_last && (id_is_open_i || (refused_valid_q && !refused_ready_i)));
  assign step = grant_i || swallow;
  assign w_ready_o = step;

  assign open_d = burst_valid_o && !(step && is_last);
  assign beat_d = !step ? beat_q : is_last ? '0 : beat_q + 1'b1;

  // ------------------------------------------------------------------------------------ refused bursts

  assign refused_valid_o = refused_valid_q;
  assign refused_o = refused_q;
  assign refused_valid_d = (swallow && is_last) || (refused_valid_q && !refused_ready_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= 1'b0;
      beat_q <= '0;
      refused_valid_q <= 1'b0;
    end else begin
      open_q <= open_d;
      beat_q <= beat_d;
      refused_valid_q <= refused_valid_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (aw_valid_i && aw_ready_o) burst_q <= offered;
    // Read only after a first beat.
    begun_q   <= grant_i && is_first_o;
    credits_q <= credits_d;
    if (begun_q) is_limited_q <= is_limited_i;
    if (swallow && is_last) refused_q <= '{id: burst.id, resp: burst.resp};
  end

  `NOCCL_ASSUME(AwIsStable, !$past(aw_valid_i && !aw_ready_o) || (aw_valid_i && $stable(aw_i)))
  `NOCCL_ASSUME(WIsStable, !$past(w_valid_i && !w_ready_o) || (w_valid_i && $stable(w_i)))
  `NOCCL_ASSUME(LastMarksTheEndOfTheBurst, !step || w_i.last == is_last)
  `NOCCL_ASSERT(OnlyOfferedBeatsLeave, !grant_i || beat_valid_o)
  `NOCCL_ASSERT_INIT(SecondBeatsHaveCredit, noccl_cfg_pkg::WINDOW_BEATS >= 2)
  logic [31:0] credits_then;
  assign credits_then = 32'(credits_q) + 32'(credits_back);
  `NOCCL_ASSUME(
      CreditsAreNotReturnedTwice,
      is_first_o || begun_q || !is_limited_q || credits_then <= noccl_cfg_pkg::MAX_WINDOW_BEATS)
  for (genvar i = 0; i < 2; i++) begin : gen_credit
    `NOCCL_ASSUME(CreditsComeInBatches,
                  !credit_valid_i[i] || 32'(credit_i[i].beats) == noccl_cfg_pkg::CREDIT_BEATS)
  end
  `NOCCL_ASSUME(WindowsHoldTwo, is_first_o || !begun_q || !is_limited_i || 32'(window_i) >= 2)
  `NOCCL_COVER(BurstsWithoutGap, $past(step && is_last) && step)

endmodule
