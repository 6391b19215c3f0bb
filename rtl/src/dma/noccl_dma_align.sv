// SPDX-License-Identifier: Apache-2.0
//
// Moves bytes from the lanes of source lines to the lanes of destination lines, row by row.
//
// A destination line holds the upper part of one rotated source line and the lower part of the one before it. With equal
// lanes every line passes as it is, in the cycle in which it comes. A row whose first destination line needs two source
// lines costs one cycle more.
// Combinational paths: source line to destination line; taking to taking.
// Mirror: `load_beat` in crates/noccl-sim/src/ni/axi (without that cycle).

`include "noccl_assert.svh"

module noccl_dma_align (
    /// Clock.
    input  logic                        clk_i,
    /// Asynchronous reset, active low.
    input  logic                        rst_ni,
    /// Lines of the source, in order.
    input  logic                        source_valid_i,
    output logic                        source_ready_o,
    input  noccl_dma_pkg::source_line_t source_i,
    /// Lane of the first byte of the destination row; stable during the row.
    input  noccl_dma_pkg::lane_t        lane_i,
    /// A destination line.
    output logic                        line_valid_o,
    output noccl_flit_pkg::wide_data_t  line_o,
    /// It is taken, and was the last of its row.
    input  logic                        taken_i,
    input  logic                        ends_row_i
);

  import noccl_dma_pkg::LINE_BYTES;
  import noccl_dma_pkg::LINE_OFFSET_BITS;
  import noccl_dma_pkg::lane_t;

  // Rotation of this row and whether its first source line fills no destination line: known with the row's
  // first line, kept for the others.
  lane_t shift, shift_q;
  logic wraps, begins, prefills;
  logic has_upper_q, has_upper_d, is_tail_q, is_tail_d;
  noccl_flit_pkg::wide_data_t rotated, lower_q;

  assign begins = source_valid_i && source_i.place.begins_row && !is_tail_q;
  assign shift  = begins ? lane_i - source_i.place.lane : shift_q;
  assign wraps  = ({1'b0, source_i.place.lane} + {1'b0, shift}) >> LINE_OFFSET_BITS != '0;

  for (genvar b = 0; b < int'(LINE_BYTES); b++) begin : gen_byte
    lane_t from;
    assign from = lane_t'(unsigned'(b)) - shift;
    assign rotated[8*b+:8] = source_i.data[{from, 3'b000}+:8];
    // Lanes below the shift come from the line before; the others of a row's tail hold nothing,
    // whatever comes next.
    assign line_o[8*b+:8] = lane_t'(unsigned'(b)) < shift ? lower_q[8*b+:8]
        : is_tail_q ? '0 : rotated[8*b+:8];
  end

  // The first line of a row that wraps is only remembered; unless it is the only one, which then is all tail.
  assign prefills = begins && wraps && !has_upper_q;
  assign line_valid_o = is_tail_q || (source_valid_i && !prefills);
  assign source_ready_o = prefills || (taken_i && !is_tail_q);

  always_comb begin
    has_upper_d = has_upper_q;
    is_tail_d   = is_tail_q;
    if (prefills) begin
      has_upper_d = 1'b1;
      is_tail_d   = source_i.place.ends_row;
    end else if (taken_i) begin
      has_upper_d = !ends_row_i;
      is_tail_d   = !ends_row_i && (is_tail_q || source_i.place.ends_row);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      has_upper_q <= 1'b0;
      is_tail_q   <= 1'b0;
    end else begin
      has_upper_q <= has_upper_d;
      is_tail_q   <= is_tail_d;
    end
  end

  always_ff @(posedge clk_i) begin
    shift_q <= shift;
    if (source_valid_i && source_ready_o) lower_q <= rotated;
  end

  `NOCCL_ASSUME(OnlyOfferedLinesAreTaken, !taken_i || line_valid_o)
  `NOCCL_ASSERT(RowsEndWithTheirSource,
                !(taken_i && ends_row_i) || is_tail_q || source_i.place.ends_row)

endmodule
