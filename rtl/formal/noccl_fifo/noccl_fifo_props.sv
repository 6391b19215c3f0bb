// SPDX-License-Identifier: Apache-2.0
// What the FIFO promises, stated from outside: one item is marked at a time that the solver chooses, and
// is the only one whose bit is set. Nothing in the FIFO looks at items, so one bit stands for any width.

`include "noccl_assert.svh"

module noccl_fifo_props #(
    /// Items.
    parameter int unsigned Depth = 2
) (
    /// Clock.
    input logic clk_i,
    /// An item is offered to the FIFO.
    input logic valid_i,
    /// The item is the marked one.
    input logic mark_i,
    /// The head is taken.
    input logic ready_i
);

  localparam int unsigned CountWidth = $clog2(Depth + 1);

  logic rst_ni = 1'b0;
  logic ready, valid, data;
  logic push, pop;
  // Items inside; items in front of the marked one; whether it is inside, and whether it ever was.
  logic [CountWidth-1:0] count_q;
  logic [CountWidth-1:0] ahead_q;
  logic inside_q, marked_q;
  logic marks;

  noccl_fifo #(
      .Depth (Depth),
      .data_t(logic)
  ) u_fifo (
      .clk_i,
      .rst_ni,
      .valid_i,
      .ready_o(ready),
      .data_i (marks),
      .valid_o(valid),
      .ready_i,
      .data_o (data)
  );

  assign push  = valid_i && ready;
  assign pop   = valid && ready_i;
  assign marks = valid_i && mark_i && !marked_q;

  always_ff @(posedge clk_i) begin
    rst_ni <= 1'b1;
    if (!rst_ni) begin
      count_q  <= '0;
      ahead_q  <= '0;
      inside_q <= 1'b0;
      marked_q <= 1'b0;
    end else begin
      count_q <= count_q + CountWidth'(push) - CountWidth'(pop);
      if (push && marks) begin
        marked_q <= 1'b1;
        inside_q <= 1'b1;
        ahead_q  <= count_q - CountWidth'(pop);
      end else if (inside_q && pop) begin
        inside_q <= ahead_q != '0;
        ahead_q  <= ahead_q - CountWidth'(ahead_q != '0);
      end
    end
  end

  `NOCCL_ASSERT(OffersWhatItHolds, valid == (count_q != '0))
  `NOCCL_ASSERT(AcceptsWhileThereIsSpace, ready == (count_q < CountWidth'(Depth)))
  `NOCCL_ASSERT(MarkedItemLeavesInOrder, !(valid && inside_q) || data == (ahead_q == '0))
  `NOCCL_ASSERT(MarkedItemLeavesOnce, !(valid && !inside_q) || !data)

endmodule
