// SPDX-License-Identifier: Apache-2.0
// A 2x2 mesh with forks and joins makes progress: whatever the tiles send in the first cycles has arrived after `MaxCycles`.
//
// Every tile sends one contribution to a common root, and, as the solver likes, unicasts and multicasts; tiles take what comes
// at least once in so many cycles.
// Checked for every way in which this can happen, to that depth.

`include "noccl_assert.svh"

module noccl_mesh_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::NORTH, noccl_flit_pkg::EAST;
  import noccl_flit_pkg::SOUTH, noccl_flit_pkg::WEST, noccl_flit_pkg::LOCAL;
  import noccl_flit_pkg::port_set_t, noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t;
  import noccl_props_pkg::flit_t, noccl_props_pkg::hdr_t;
#(
    /// Cycles in which tiles may send.
    parameter int unsigned SendCycles = 2,
    /// By then all has arrived.
    parameter int unsigned MaxCycles  = 16,
    /// A tile takes what comes for it at least once in so many cycles.
    parameter int unsigned ReadyEvery = 1
) (
    /// Clock.
    input logic                clk_i,
    /// Root of the join; constant.
    input coord_t              root_i,
    /// Per tile: it sends something else; a multicast to this set or a unicast to this tile.
    input logic                sends_i    [4],
    input logic                multicast_i[4],
    input coord_t              dst_i      [4],
    input region_coord_t       base_i     [4],
    input region_coord_t       mask_i     [4],
    /// Per tile: it sends its contribution.
    input logic                joins_i    [4],
    /// Per tile: it would take what comes for it.
    input logic          [3:0] takes_i
);

  logic rst_ni = 1'b0;
  logic [5:0] cycle_q;
  coord_t root_q;
  logic may_send;

  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni) begin
      cycle_q <= '0;
      root_q  <= root_i;
    end else begin
      cycle_q <= cycle_q + 6'(cycle_q != '1);
    end
  end
  assign may_send = 32'(cycle_q) < SendCycles;

  port_set_t in_valid[4], in_ready[4], out_valid[4], out_ready[4];
  flit_t in_flit[4][NUM_PORTS], out_flit[4][NUM_PORTS];
  logic [3:0] has_joined_q, joins;
  // Cycles without taking anything.
  logic [2:0] pause_q [4];
  // Something is in a FIFO, or waits for siblings.
  logic [3:0] is_busy;

  for (genvar t = 0; t < 4; t++) begin : gen_tile
    localparam int unsigned TILE = unsigned'(t);
    localparam int unsigned X = TILE % 2;
    localparam int unsigned Y = TILE / 2;
    localparam int unsigned ACROSS_X = TILE - X + (1 - X);
    localparam int unsigned ACROSS_Y = X + 2 * (1 - Y);
    localparam int unsigned TO_X = X == 0 ? EAST : WEST;
    localparam int unsigned TO_Y = Y == 0 ? NORTH : SOUTH;

    coord_t position;
    port_set_t join_valid, absorb, forward, candidate, taken;
    logic goes_on;
    flit_t head[NUM_PORTS], result;
    hdr_t head_hdr[NUM_PORTS], merged[NUM_PORTS], result_hdr;
    logic result_valid, result_ready;

    assign position.x = noccl_cfg_pkg::X_BITS'(X);
    assign position.y = noccl_cfg_pkg::Y_BITS'(Y);

    // What the tile sends: its contribution first.
    always_comb begin
      joins[t] = joins_i[t] && !has_joined_q[t];
      in_valid[t] = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) in_flit[t][p] = '0;
      in_valid[t][TO_X] = out_valid[ACROSS_X][X==0?WEST : EAST];
      in_flit[t][TO_X] = out_flit[ACROSS_X][X==0?WEST : EAST];
      in_valid[t][TO_Y] = out_valid[ACROSS_Y][Y==0?SOUTH : NORTH];
      in_flit[t][TO_Y] = out_flit[ACROSS_Y][Y==0?SOUTH : NORTH];
      in_valid[t][LOCAL] = (may_send && sends_i[t]) || joins[t];
      in_flit[t][LOCAL].hdr.src = position;
      if (joins[t]) begin
        in_flit[t][LOCAL].hdr.kind  = noccl_props_pkg::KIND_JOIN;
        in_flit[t][LOCAL].hdr.dst   = root_q;
        in_flit[t][LOCAL].hdr.src   = root_q;
        in_flit[t][LOCAL].hdr.mask  = '1;
        in_flit[t][LOCAL].hdr.count = 1;
      end else begin
        in_flit[t][LOCAL].hdr.multicast = multicast_i[t];
        in_flit[t][LOCAL].hdr.dst = dst_i[t];
        in_flit[t][LOCAL].hdr.base = base_i[t] & ~mask_i[t];
        in_flit[t][LOCAL].hdr.mask = mask_i[t];
      end
      out_ready[t] = '0;
      out_ready[t][LOCAL] = ReadyEvery == 1 || takes_i[t] || 32'(pause_q[t]) + 1 >= ReadyEvery;
      out_ready[t][TO_X] = in_ready[ACROSS_X][X==0?WEST : EAST];
      out_ready[t][TO_Y] = in_ready[ACROSS_Y][Y==0?SOUTH : NORTH];
    end

    noccl_router #(
        .flit_t   (flit_t),
        .hdr_t    (hdr_t),
        .JoinKinds(noccl_props_pkg::JOIN_KINDS)
    ) u_router (
        .clk_i,
        .rst_ni,
        .position_i      (position),
        .in_valid_i      (in_valid[t]),
        .in_ready_o      (in_ready[t]),
        .in_flit_i       (in_flit[t]),
        .out_valid_o     (out_valid[t]),
        .out_ready_i     (out_ready[t]),
        .out_flit_o      (out_flit[t]),
        .join_valid_o    (join_valid),
        .head_o          (head),
        .join_absorb_i   (absorb),
        .join_forward_i  (forward),
        .join_candidate_i(candidate),
        .join_goes_on_i  (goes_on),
        .join_hdr_i      (merged),
        .join_taken_o    (taken),
        .result_valid_i  (result_valid),
        .result_i        (result),
        .result_ready_o  (result_ready)
    );

    for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_head
      assign head_hdr[i] = head[i].hdr;
    end
    assign result.hdr = result_hdr;

    noccl_merge #(
        .hdr_t        (hdr_t),
        .Entries      (2),
        .TimeoutCycles(16)
    ) u_merge (
        .clk_i,
        .rst_ni,
        .position_i    (position),
        .join_valid_i  (join_valid),
        .head_i        (head_hdr),
        .absorb_o      (absorb),
        .forward_o     (forward),
        .candidate_o   (candidate),
        .goes_on_o     (goes_on),
        .hdr_o         (merged),
        .taken_i       (taken),
        .result_valid_o(result_valid),
        .result_o      (result_hdr),
        .result_ready_i(result_ready)
    );

    assign is_busy[t] = u_router.head_valid != '0 || out_valid[t] != '0 || u_merge.valid_q != '0;

    always_ff @(posedge clk_i) begin
      pause_q[t] <= !rst_ni || out_ready[t][LOCAL] ? '0 : pause_q[t] + 1'b1;
      has_joined_q[t] <= rst_ni && (has_joined_q[t] || (joins[t] && in_ready[t][LOCAL]));
    end
  end

  // Contributions are sent in time; else their siblings rightly wait.
  `ASSUME(AllJoin, 32'(cycle_q) < SendCycles || has_joined_q == '1)
  `ASSERT(AllArrives, 32'(cycle_q) != MaxCycles || is_busy == '0)

endmodule
