// SPDX-License-Identifier: Apache-2.0
//
// Transfers of the DMA engine: what a program asks for, and where it asks.

package noccl_dma_pkg;

  import noccl_axi_pkg::addr_t;

  // Bytes of a line of the wide port, beats of a burst, and what no burst crosses.
  localparam int unsigned LINE_BYTES = noccl_cfg_pkg::WIDE_BITS / 8;
  localparam int unsigned LINE_OFFSET_BITS = $clog2(LINE_BYTES);
  localparam int unsigned PAGE_BITS = 12;

  // Transfers that a program has started and that are not over: one bit of the status register each.
  localparam int unsigned NUM_TRANSFER_IDS = 16;
  localparam int unsigned TRANSFER_ID_BITS = $clog2(NUM_TRANSFER_IDS);

  typedef logic [TRANSFER_ID_BITS-1:0] transfer_id_t;
  typedef logic [noccl_cfg_pkg::ADDR_BITS-LINE_OFFSET_BITS-1:0] line_addr_t;
  typedef logic [LINE_OFFSET_BITS-1:0] lane_t;
  typedef logic [31:0] bytes_t;
  typedef logic [15:0] rows_t;

  // Rows of bytes: row i begins at base + i * stride.
  typedef struct packed {
    addr_t  base;
    addr_t  stride;
    bytes_t bytes;
    rows_t  rows;
  } range_t;

  typedef struct packed {
    transfer_id_t         id;
    range_t               src;
    range_t               dst;
    // The engine's own L1.
    logic                 src_is_own;
    logic                 dst_is_own;
    noccl_axi_pkg::user_t user;
  } transfer_t;

  // Where a line of the source stands: first or last of its row, last of its transfer; lane of the row's first byte.
  typedef struct packed {
    logic  begins_row;
    logic  ends_row;
    logic  ends_range;
    lane_t lane;
  } place_t;

  typedef struct packed {
    place_t                     place;
    noccl_flit_pkg::wide_data_t data;
  } source_line_t;

  // Registers, 64 bit each. START is read: it starts the transfer that the others describe and returns its id, or all ones
  // while none can be started.
  typedef enum logic [3:0] {
    REG_SRC        = 4'd0,
    REG_DST        = 4'd1,
    REG_BYTES      = 4'd2,
    REG_ROWS       = 4'd3,
    REG_SRC_STRIDE = 4'd4,
    REG_DST_STRIDE = 4'd5,
    // Opcode, tag, operator and element.
    REG_KIND       = 4'd6,
    REG_MASK       = 4'd7,
    REG_START      = 4'd8,
    // One bit per id: not over; ended with an error since the last start under this id.
    REG_OPEN       = 4'd9,
    REG_ERROR      = 4'd10
  } register_e;

  // Place of the fields of REG_KIND.
  localparam int unsigned KIND_OPCODE_BIT = 0;
  localparam int unsigned KIND_ELEMENT_BIT = 8;
  localparam int unsigned KIND_OPERATOR_BIT = 16;
  localparam int unsigned KIND_TAG_BIT = 32;

endpackage
