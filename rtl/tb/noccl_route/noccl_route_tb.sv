// SPDX-License-Identifier: Apache-2.0
// The routes of a router at all its inputs, for a table of vectors: one vector per clock.
//
// The table is too long to be driven port by port; the bench reads it, counts the differences and
// ends at the first.

module noccl_route_tb
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
#(
    /// Vectors; at least 1.
    parameter int unsigned NumVectors = 1
) (
    /// Clock: the next vector.
    input  logic        clk_i,
    /// Starts over.
    input  logic        rst_ni,
    /// Vectors that agreed so far; stays at the first difference.
    output logic [31:0] num_agreed_o
);

  localparam port_set_t NOT_LOCAL = ~(port_set_t'(1) << LOCAL);

  typedef struct packed {
    logic [15:0] is_multicast;
    logic [15:0] here_x;
    logic [15:0] here_y;
    logic [15:0] dst_x;
    logic [15:0] dst_y;
    logic [15:0] base_x;
    logic [15:0] base_y;
    logic [15:0] mask_x;
    logic [15:0] mask_y;
    // North highest.
    logic [NUM_PORTS-1:0][15:0] expected_sets;
  } vector_t;

  vector_t vectors[NumVectors];
  string   file;
  initial begin
    if (!$value$plusargs("vectors=%s", file)) $fatal(1, "which vectors? +vectors=FILE");
    $readmemh(file, vectors);
  end

  logic [31:0] index_q;
  vector_t vector;
  assign vector = vectors[index_q];
  assign num_agreed_o = index_q;

  noccl_flit_pkg::coord_t position, dst;
  noccl_flit_pkg::region_coord_t base, mask;
  assign position = '{
          x: noccl_cfg_pkg::X_BITS'(vector.here_x),
          y: noccl_cfg_pkg::Y_BITS'(vector.here_y)
      };
  assign dst = '{
          x: noccl_cfg_pkg::X_BITS'(vector.dst_x),
          y: noccl_cfg_pkg::Y_BITS'(vector.dst_y)
      };
  assign base = '{
          x: noccl_cfg_pkg::REGION_X_BITS'(vector.base_x),
          y: noccl_cfg_pkg::REGION_Y_BITS'(vector.base_y)
      };
  assign mask = '{
          x: noccl_cfg_pkg::REGION_X_BITS'(vector.mask_x),
          y: noccl_cfg_pkg::REGION_Y_BITS'(vector.mask_y)
      };

  // With own_copy only the Local input routes otherwise, and only about the Local output.
  logic [NUM_PORTS-1:0] agrees, agrees_with_own_copy;
  for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_input
    port_set_t expected, own_expected, seen, own_seen;
    assign expected = port_set_t'(vector.expected_sets[NUM_PORTS-1-p]);
    assign own_expected = p == LOCAL && vector.is_multicast[0] ? expected & NOT_LOCAL : expected;

    noccl_route #(
        .InputPort(p)
    ) u_route (
        .position_i (position),
        .multicast_i(vector.is_multicast[0]),
        .dst_i      (dst),
        .base_i     (base),
        .mask_i     (mask),
        .own_copy_i (1'b0),
        .ports_o    (seen)
    );
    noccl_route #(
        .InputPort(p)
    ) u_route_own_copy (
        .position_i (position),
        .multicast_i(vector.is_multicast[0]),
        .dst_i      (dst),
        .base_i     (base),
        .mask_i     (mask),
        .own_copy_i (1'b1),
        .ports_o    (own_seen)
    );
    assign agrees[p] = seen == expected;
    assign agrees_with_own_copy[p] = own_seen == own_expected;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) index_q <= '0;
    else if (index_q < NumVectors && &agrees && &agrees_with_own_copy) index_q <= index_q + 1'b1;
  end

endmodule
