// SPDX-License-Identifier: Apache-2.0
// Everything that a router computes from position, set and root, for one table of vectors: a vector per clock.
//
// The table is far too long to be driven port by port; this bench reads it and keeps the first difference.

module noccl_tree_tb
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t, noccl_flit_pkg::NUM_PORTS;
  import noccl_collective_pkg::window_t;
#(
    /// Vectors.
    parameter int unsigned NumVectors = 1
) (
    /// Clock: the next vector.
    input  logic         clk_i,
    /// Starts over.
    input  logic         rst_ni,
    /// Vectors compared so far.
    output logic [ 31:0] num_compared_o,
    /// Differences so far.
    output logic [ 31:0] num_different_o,
    /// Index of the first difference.
    output logic [ 31:0] first_different_o,
    /// What the hardware says about that vector.
    output logic [135:0] seen_o,
    /// What the table says.
    output logic [135:0] expected_o
);

  // A byte per number, two for the leaves.
  typedef struct packed {
    logic [7:0] here_x;
    logic [7:0] here_y;
    logic [7:0] root_x;
    logic [7:0] root_y;
    logic [7:0] base_x;
    logic [7:0] base_y;
    logic [7:0] mask_x;
    logic [7:0] mask_y;
  } question_t;

  // Contributors and windows of the four mesh inputs, North highest; zero outside the join set.
  typedef struct packed {
    logic [7:0] join_set;
    logic [15:0] leaves;
    logic [3:0][1:0][7:0] contributors;
    logic [3:0][7:0] windows;
    logic [7:0] has_ahead;
    logic [7:0] ahead;
  } fields_t;

  typedef struct packed {
    question_t question;
    fields_t   expected_fields;
  } vector_t;

  vector_t vectors[NumVectors];
  string   file;
  initial begin
    if (!$value$plusargs("vectors=%s", file)) $fatal(1, "which vectors? +vectors=FILE");
    $readmemh(file, vectors);
  end

  logic [31:0] index_q;
  question_t question;
  fields_t expected, seen;
  assign question = vectors[index_q].question;
  assign expected = vectors[index_q].expected_fields;

  coord_t position, root;
  region_coord_t base, mask;
  assign position.x = noccl_cfg_pkg::X_BITS'(question.here_x);
  assign position.y = noccl_cfg_pkg::Y_BITS'(question.here_y);
  assign root.x = noccl_cfg_pkg::X_BITS'(question.root_x);
  assign root.y = noccl_cfg_pkg::Y_BITS'(question.root_y);
  assign base.x = noccl_cfg_pkg::REGION_X_BITS'(question.base_x);
  assign base.y = noccl_cfg_pkg::REGION_Y_BITS'(question.base_y);
  assign mask.x = noccl_cfg_pkg::REGION_X_BITS'(question.mask_x);
  assign mask.y = noccl_cfg_pkg::REGION_Y_BITS'(question.mask_y);

  noccl_flit_pkg::port_set_t join_set;
  noccl_flit_pkg::count_t leaves;
  coord_t contributor[NUM_PORTS];
  window_t window[NUM_PORTS];
  window_t ahead;
  logic has_ahead;

  noccl_join_set u_join_set (
      .position_i(position),
      .base_i    (base),
      .mask_i    (mask),
      .root_i    (root),
      .ports_o   (join_set),
      .meets_o   ()
  );
  noccl_leaves u_leaves (
      .position_i(position),
      .base_i    (base),
      .mask_i    (mask),
      .toward_i  (noccl_flit_pkg::toward(position, root)),
      .leaves_o  (leaves)
  );
  noccl_contributors u_contributors (
      .position_i   (position),
      .base_i       (base),
      .mask_i       (mask),
      .root_i       (root),
      .contributor_o(contributor),
      .window_o     (window),
      .has_ahead_o  (has_ahead),
      .ahead_o      (ahead)
  );

  always_comb begin
    seen = '0;
    seen.join_set = 8'(join_set);
    seen.leaves = 16'(leaves);
    for (int unsigned p = 0; p < 4; p++) begin
      if (join_set[p]) begin
        seen.contributors[3-p] = {8'(contributor[p].x), 8'(contributor[p].y)};
        seen.windows[3-p] = 8'(window[p]);
      end
    end
    if (join_set != '0) begin
      seen.has_ahead = 8'(has_ahead);
      seen.ahead = has_ahead ? 8'(ahead) : '0;
    end
  end

  logic [31:0] different_q, first_q;
  assign num_compared_o = index_q;
  assign num_different_o = different_q;
  assign first_different_o = first_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      index_q <= '0;
      different_q <= '0;
      first_q <= '0;
    end else if (index_q < NumVectors) begin
      index_q <= index_q + 1'b1;
      if (seen != expected) begin
        different_q <= different_q + 1'b1;
        if (different_q == '0) begin
          first_q <= index_q;
          seen_o <= seen;
          expected_o <= expected;
        end
      end
    end
  end

endmodule
