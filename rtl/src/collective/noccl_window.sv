// SPDX-License-Identifier: Apache-2.0
//
// How many beats of a reduction a member's network interface may have in flight to the next merge
// point.
//
// The first one may be its own router; else it is the one that its router's sums would meet. Where
// there is none, nothing waits for other contributions and no credit comes back: unlimited.
// Combinational. Mirror: `window_ahead` in crates/noccl-sim/src/router/collective.

module noccl_window (
    /// Coordinate of the member.
    input  noccl_flit_pkg::coord_t        pos_i,
    /// Root of the reduction.
    input  noccl_flit_pkg::coord_t        root_i,
    /// Its group.
    input  noccl_flit_pkg::region_coord_t base_i,
    /// Its group's mask.
    input  noccl_flit_pkg::region_coord_t mask_i,
    /// No merge point is ahead.
    output logic                          is_unlimited_o,
    /// Beats; ignored without limit.
    output noccl_collective_pkg::window_t window_o
);

  noccl_collective_pkg::window_t ahead;
  logic merges_here, has_ahead;

  noccl_join_set u_inputs (
      .position_i(pos_i),
      .base_i,
      .mask_i,
      .root_i,
      .ports_o(),
      .meets_o(merges_here)
  );

  noccl_contributors u_ahead (
      .position_i(pos_i),
      .base_i,
      .mask_i,
      .root_i,
      .contributor_o(),
      .window_o(),
      .has_ahead_o(has_ahead),
      .ahead_o(ahead)
  );

  assign is_unlimited_o = !merges_here && !has_ahead;
  assign window_o = merges_here
      ? noccl_collective_pkg::window_t'(noccl_cfg_pkg::WINDOW_BEATS) : ahead;

endmodule
