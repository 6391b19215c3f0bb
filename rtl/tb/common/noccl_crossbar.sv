// SPDX-License-Identifier: Apache-2.0
//
// AXI4 write channels from managers to targets without latency: a network that adds nothing, or holds still when told.
//
// A target has one burst at a time from its address to its last beat, the lowest manager first;
// responses go back in the order of the bursts. For benches.

module noccl_crossbar #(
    parameter int unsigned NumManagers = 2,
    parameter int unsigned NumTargets = 2,
    /// Bits of an address channel, a beat, a response.
    parameter int unsigned AwBits = 1,
    parameter int unsigned WBits = 1,
    parameter int unsigned BBits = 1,
    parameter int unsigned TargetBits = 8
) (
    /// Clock.
    input  logic                   clk_i,
    /// Asynchronous reset, active low.
    input  logic                   rst_ni,
    /// Targets whose ports stand still in this cycle; what has been offered stays offered.
    input  logic [ NumTargets-1:0] hold_i,
    /// Managers.
    input  logic [NumManagers-1:0] aw_valid_i,
    output logic [NumManagers-1:0] aw_ready_o,
    input  logic [ TargetBits-1:0] aw_to_i   [NumManagers],
    input  logic [     AwBits-1:0] aw_i      [NumManagers],
    input  logic [NumManagers-1:0] w_valid_i,
    output logic [NumManagers-1:0] w_ready_o,
    input  logic [      WBits-1:0] w_i       [NumManagers],
    input  logic [NumManagers-1:0] w_last_i,
    output logic [NumManagers-1:0] b_valid_o,
    input  logic [NumManagers-1:0] b_ready_i,
    output logic [      BBits-1:0] b_o       [NumManagers],
    /// Targets.
    output logic [ NumTargets-1:0] aw_valid_o,
    input  logic [ NumTargets-1:0] aw_ready_i,
    output logic [     AwBits-1:0] aw_o      [ NumTargets],
    output logic [ NumTargets-1:0] w_valid_o,
    input  logic [ NumTargets-1:0] w_ready_i,
    output logic [      WBits-1:0] w_o       [ NumTargets],
    output logic [ NumTargets-1:0] w_last_o,
    input  logic [ NumTargets-1:0] b_valid_i,
    output logic [ NumTargets-1:0] b_ready_o,
    input  logic [      BBits-1:0] b_i       [ NumTargets]
);

  localparam int unsigned ManagerBits = $clog2(NumManagers);
  typedef logic [ManagerBits-1:0] manager_t;

  // Per target: whose burst it is, what of it has gone; per manager: where its data go once its address has gone.
  logic [NumTargets-1:0] busy_q, aw_gone_q, w_gone_q, pending_valid, pending_ready;
  logic [NumManagers-1:0] open_q;
  logic [TargetBits-1:0] to_q[NumManagers];
  manager_t owner_q[NumTargets], owner[NumTargets], pending[NumTargets];
  logic [NumTargets-1:0] has_owner, aw_step, w_step, is_over;
  // Offered and not taken: address, beat, response.
  logic [NumTargets-1:0] aw_shown_q, w_shown_q, b_shown_q, aw_open, w_open, b_open;
  logic [NumTargets-1:0] b_offers;

  function automatic logic [TargetBits-1:0] target_of(manager_t m);
    return open_q[m] ? to_q[m] : aw_to_i[m];
  endfunction

  always_comb begin
    for (int t = 0; t < int'(NumTargets); t++) begin
      owner[t] = owner_q[t];
      has_owner[t] = busy_q[t];
      for (int m = int'(NumManagers) - 1; m >= 0; m--) begin
        if (!busy_q[t] && aw_valid_i[m] && !open_q[m] &&
            aw_to_i[m] == TargetBits'(unsigned'(t))) begin
          owner[t] = manager_t'(m);
          has_owner[t] = 1'b1;
        end
      end
    end
  end

  assign aw_open = ~hold_i | aw_shown_q;
  assign w_open  = ~hold_i | w_shown_q;
  assign b_open  = ~hold_i | b_shown_q;

  always_comb begin
    aw_ready_o = '0;
    w_ready_o  = '0;
    b_valid_o  = '0;
    b_ready_o  = '0;
    b_offers   = '0;
    for (int m = 0; m < int'(NumManagers); m++) b_o[m] = '0;
    for (int t = 0; t < int'(NumTargets); t++) begin
      aw_valid_o[t] = 1'b0;
      w_valid_o[t] = 1'b0;
      aw_o[t] = '0;
      w_o[t] = '0;
      w_last_o[t] = 1'b0;
      if (has_owner[t] && pending_ready[t]) begin
        aw_valid_o[t] = aw_valid_i[owner[t]] && !open_q[owner[t]] && !aw_gone_q[t] && aw_open[t];
        w_valid_o[t] = w_valid_i[owner[t]] && !w_gone_q[t] && w_open[t] &&
            target_of(owner[t]) == TargetBits'(unsigned'(t));
        aw_o[t] = aw_i[owner[t]];
        w_o[t] = w_i[owner[t]];
        w_last_o[t] = w_last_i[owner[t]];
        if (aw_valid_o[t]) aw_ready_o[owner[t]] = aw_ready_i[t];
        if (w_valid_o[t]) w_ready_o[owner[t]] = w_ready_i[t];
      end
      if (b_valid_i[t] && pending_valid[t] && b_open[t] && !b_valid_o[pending[t]]) begin
        b_offers[t] = 1'b1;
        b_valid_o[pending[t]] = 1'b1;
        b_o[pending[t]] = b_i[t];
        b_ready_o[t] = b_ready_i[pending[t]];
      end
    end
  end

  assign aw_step = aw_valid_o & aw_ready_i;
  assign w_step  = w_valid_o & w_ready_i;
  assign is_over = (aw_gone_q | aw_step) & (w_gone_q | (w_step & w_last_o));

  for (genvar t = 0; t < int'(NumTargets); t++) begin : gen_target
    noccl_fifo #(
        .Depth (8),
        .data_t(manager_t)
    ) u_pending (
        .clk_i,
        .rst_ni,
        .valid_i(is_over[t]),
        .ready_o(pending_ready[t]),
        .data_i (owner[t]),
        .valid_o(pending_valid[t]),
        .ready_i(b_valid_i[t] && b_ready_o[t]),
        .data_o (pending[t])
    );
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q <= '0;
      aw_gone_q <= '0;
      w_gone_q <= '0;
      open_q <= '0;
      aw_shown_q <= '0;
      w_shown_q <= '0;
      b_shown_q <= '0;
    end else begin
      b_shown_q  <= b_offers & ~b_ready_o;
      aw_shown_q <= aw_valid_o & ~aw_ready_i;
      w_shown_q  <= w_valid_o & ~w_ready_i;
      for (int t = 0; t < int'(NumTargets); t++) begin
        busy_q[t] <= (busy_q[t] || aw_step[t] || w_step[t]) && !is_over[t];
        aw_gone_q[t] <= (aw_gone_q[t] || aw_step[t]) && !is_over[t];
        w_gone_q[t] <= (w_gone_q[t] || (w_step[t] && w_last_o[t])) && !is_over[t];
        if (aw_step[t]) open_q[owner[t]] <= 1'b1;
        if (is_over[t]) open_q[owner[t]] <= 1'b0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int t = 0; t < int'(NumTargets); t++) begin
      owner_q[t] <= owner[t];
      if (aw_step[t]) to_q[owner[t]] <= TargetBits'(unsigned'(t));
    end
  end

endmodule
