// SPDX-License-Identifier: Apache-2.0
//
// A plane that leads back to the tile: what leaves comes in again, in order, after a cycle or more.
//
// With `+fault=N` it errs, so that a test can show that it would notice: of plane (N - 1) / 3 a flit is lost, comes twice, or changes
// places with the next one (every 64th does), for (N - 1) % 3 = 0, 1, 2.

`include "noccl_assert.svh"

module noccl_loop #(
    /// Flit of the plane.
    parameter type flit_t = logic,
    /// Number of the plane, for faults.
    parameter int unsigned Plane = 0
) (
    /// Clock.
    input  logic  clk_i,
    /// Asynchronous reset, active low.
    input  logic  rst_ni,
    /// The plane stands still; what has been offered stays offered.
    input  logic  hold_i,
    /// From the tile.
    input  logic  valid_i,
    output logic  ready_o,
    input  flit_t flit_i,
    /// To the tile.
    output logic  valid_o,
    input  logic  ready_i,
    output flit_t flit_o
);

  localparam int unsigned FAULTY_FLIT = 1000;

  int unsigned fault;
`ifdef NOCCL_FOUR_STATE
  assign fault = 0;
`else
  initial if (!$value$plusargs("fault=%d", fault)) fault = 0;
`endif

  logic any, shown_q, has_space, push, step, loses, doubles, keeps, returns, kept_q, again_q;
  flit_t kept;
  int unsigned in_q, out_q;

  assign loses = fault == 3 * Plane + 1 && in_q == FAULTY_FLIT;
  assign doubles = fault == 3 * Plane + 2 && out_q == FAULTY_FLIT && !again_q;
  assign keeps = fault == 3 * Plane + 3 && in_q % 64 == 63 && !kept_q;
  // The flit that was overtaken comes behind the next one.
  assign returns = kept_q && in_q % 64 == 1;
  assign ready_o = has_space && !returns;
  assign step = valid_i && ready_o;
  assign push = returns || (valid_i && !loses && !keeps);

  noccl_fifo #(
      .data_t(flit_t)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .valid_i(push),
      .ready_o(has_space),
      .data_i (returns ? kept : flit_i),
      .valid_o(any),
      .ready_i(valid_o && ready_i && !doubles),
      .data_o (flit_o)
  );

  assign valid_o = any && (!hold_i || shown_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      shown_q <= 1'b0;
      {kept_q, again_q} <= '0;
      {in_q, out_q} <= '0;
    end else begin
      shown_q <= valid_o && !ready_i;
      in_q <= in_q + 32'(step);
      out_q <= out_q + 32'(valid_o && ready_i);
      again_q <= again_q || (valid_o && ready_i && doubles);
      kept_q <= (step && keeps) || (kept_q && !(returns && has_space));
    end
  end

  always_ff @(posedge clk_i) if (step && keeps) kept <= flit_i;

endmodule
