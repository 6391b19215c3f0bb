// SPDX-License-Identifier: Apache-2.0
// FIFOs, a fork and an arbiter beside those of common_cells, which get the same inputs.

module noccl_common_cells_tb #(
    /// FIFOs, with 1, 2, ... items; the last one of common_cells has one more, as a control.
    parameter int unsigned NumFifos = 5,
    /// Outputs of the fork, requesters of the arbiter.
    parameter int unsigned Outputs  = 5
) (
    /// Clock.
    input  logic                clk_i,
    /// Asynchronous reset, active low.
    input  logic                rst_ni,
    /// Per FIFO an item is offered.
    input  logic [NumFifos-1:0] push_i,
    /// Per FIFO the head is taken.
    input  logic [NumFifos-1:0] pop_i,
    /// The item, for all.
    input  logic [        15:0] data_i,
    /// FIFOs that do not do the same.
    output logic [NumFifos-1:0] fifo_differs_o,
    /// FIFOs of which an item leaves.
    output logic [NumFifos-1:0] leaves_o,
    /// An item is offered to the fork.
    input  logic                fork_valid_i,
    /// Its outputs.
    input  logic [ Outputs-1:0] fork_select_i,
    /// Outputs that take it.
    input  logic [ Outputs-1:0] fork_ready_i,
    /// It leaves.
    output logic                fork_ready_o,
    /// The forks do not do the same.
    output logic                fork_differs_o,
    /// Who asks our arbiter.
    input  logic [ Outputs-1:0] request_i,
    /// It may serve.
    input  logic                ready_i,
    /// Whom it would serve.
    output logic [ Outputs-1:0] grant_o,
    /// Who asks theirs.
    input  logic [ Outputs-1:0] cells_request_i,
    /// It may serve.
    input  logic                cells_ready_i,
    /// Whom it would serve.
    output logic [ Outputs-1:0] cells_grant_o
);

  for (genvar i = 0; i < int'(NumFifos); i++) begin : gen_fifo
    logic ready, valid, full, empty;
    logic [15:0] head, cells_head;

    noccl_fifo #(
        .Depth (i + 1),
        .data_t(logic [15:0])
    ) u_fifo (
        .clk_i,
        .rst_ni,
        .valid_i(push_i[i]),
        .ready_o(ready),
        .data_i,
        .valid_o(valid),
        .ready_i(pop_i[i]),
        .data_o (head)
    );

    fifo_v3 #(
        .DATA_WIDTH(16),
        .DEPTH     (i + 1 < int'(NumFifos) ? i + 1 : i + 2)
    ) u_cells (
        .clk_i,
        .rst_ni,
        .flush_i   (1'b0),
        .testmode_i(1'b0),
        .full_o    (full),
        .empty_o   (empty),
        .usage_o   (),
        .data_i,
        .push_i    (push_i[i] && !full),
        .data_o    (cells_head),
        .pop_i     (pop_i[i] && !empty)
    );

    assign fifo_differs_o[i] = ready == full || valid == empty || (valid && head != cells_head);
    assign leaves_o[i] = valid && pop_i[i];
  end

  logic cells_fork_ready, cells_select_ready;
  logic [Outputs-1:0] fork_valid, cells_fork_valid;

  noccl_fork #(
      .NumOutputs(Outputs)
  ) u_fork (
      .clk_i,
      .rst_ni,
      .valid_i (fork_valid_i),
      .select_i(fork_select_i),
      .ready_o (fork_ready_o),
      .valid_o (fork_valid),
      .ready_i (fork_ready_i)
  );

  stream_fork_dynamic #(
      .N_OUP(Outputs)
  ) u_cells_fork (
      .clk_i,
      .rst_ni,
      .valid_i    (fork_valid_i),
      .ready_o    (cells_fork_ready),
      .sel_i      (fork_select_i),
      .sel_valid_i(fork_valid_i),
      .sel_ready_o(cells_select_ready),
      .valid_o    (cells_fork_valid),
      .ready_i    (fork_ready_i)
  );

  assign fork_differs_o = fork_valid != cells_fork_valid ||
      (fork_valid_i && (fork_ready_o != cells_fork_ready || fork_ready_o != cells_select_ready));

  logic cells_valid;
  logic [$clog2(Outputs)-1:0] index;

  noccl_rr_arbiter #(
      .NumRequesters(Outputs)
  ) u_arbiter (
      .clk_i,
      .rst_ni,
      .request_i,
      .late_i      ('0),
      .late_valid_i(1'b0),
      .grant_o,
      .valid_o     (),
      .ready_i
  );

  rr_arb_tree #(
      .NumIn    (Outputs),
      .DataWidth(1),
      .AxiVldRdy(1'b1)
  ) u_cells_arbiter (
      .clk_i,
      .rst_ni,
      .flush_i(1'b0),
      .rr_i   ('0),
      .req_i  (cells_request_i),
      .gnt_o  (),
      .data_i ('0),
      .req_o  (cells_valid),
      .gnt_i  (cells_ready_i),
      .data_o (),
      .idx_o  (index)
  );

  assign cells_grant_o = cells_valid ? Outputs'(1) << index : '0;

endmodule
