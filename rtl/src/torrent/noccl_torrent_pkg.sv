// SPDX-License-Identifier: Apache-2.0
//
// What the tiles of a chain tell each other, and how they address their memories.
//
// A memory has banks of 8 bytes; a beat of 64 bytes is eight words, one per channel, each at an address of its own.
// Source: S3 section III (windows, fields of a configuration); widths: docs/papers/S3.md.

package noccl_torrent_pkg;

  localparam int unsigned WORD_BITS = 64;
  localparam int unsigned WORD_BYTES = WORD_BITS / 8;
  // Words of a beat, each read and written by a channel of its own.
  localparam int unsigned NUM_CHANNELS = 8;
  localparam int unsigned BEAT_BITS = NUM_CHANNELS * WORD_BITS;
  // Loops around a beat, the innermost first.
  localparam int unsigned NUM_LOOPS = 5;
  localparam int unsigned STRIDE_BITS = 19;
  // Beats of a whole burst: a page of the data window.
  localparam int unsigned BURST_BEATS = 64;
  localparam int unsigned POINTER_BITS = 48;
  localparam int unsigned TASK_BITS = 4;
  // Tiles of one chain besides its initiator: at most 63 of a mesh of 64.
  localparam int unsigned NUM_DESTINATIONS_BITS = 6;

  typedef logic [STRIDE_BITS-1:0] stride_t;
  typedef logic [STRIDE_BITS-1:0] num_beats_t;
  typedef logic [TASK_BITS-1:0] task_t;
  typedef logic [NUM_DESTINATIONS_BITS-1:0] num_destinations_t;
  typedef logic [NUM_CHANNELS-1:0] channels_t;
  typedef logic [WORD_BYTES-1:0] bytes_t;
  typedef logic [WORD_BITS-1:0] word_t;
  // Address of a word in the tile's own memory; strides reach all of its 4 MiB and wrap around it.
  typedef logic [STRIDE_BITS-1:0] word_addr_t;

  // Words of one beat lie `spatial_stride` words apart; loop i steps `strides[i]` words, `bounds[i]` times.
  typedef struct packed {
    bytes_t                  byte_enable;
    channels_t               channel_enable;
    stride_t [NUM_LOOPS-1:0] strides;
    stride_t [NUM_LOOPS-1:0] bounds;
    stride_t                 spatial_stride;
  } pattern_t;

  // Where in a tile's addresses the windows lie: four pages at the top, by which a write says what it is.
  localparam int unsigned TILE_BITS = 22;
  localparam int unsigned PAGE_BITS = 12;

  typedef enum logic [1:0] {
    WINDOW_DATA   = 2'd0,
    WINDOW_CFG    = 2'd1,
    WINDOW_GRANT  = 2'd2,
    WINDOW_FINISH = 2'd3
  } window_e;

  // Tiles that can begin chains: one slot each in everybody's window of configurations.
  localparam int unsigned NUM_SLOTS = 64;
  localparam int unsigned SLOT_BITS = $clog2(NUM_SLOTS);

  typedef logic [SLOT_BITS-1:0] slot_t;
  typedef logic [NUM_SLOTS-1:0] slots_t;
  // First byte of a tile's addresses, without its low zeros.
  typedef logic [POINTER_BITS-TILE_BITS-1:0] tile_t;

  typedef struct packed {
    tile_t                tile;
    logic [TILE_BITS-1:0] offset;
  } pointer_t;

  // What an initiator tells a tile of its chain: one frame, eight words of 64 bits on the narrow plane, the lowest
  // first. The published fields, and behind them who begins the chain and the path of its grants.
  localparam int unsigned FRAME_BITS = 512;
  localparam int unsigned FRAME_WORDS = FRAME_BITS / WORD_BITS;
  localparam int unsigned FRAME_WORD_BITS = $clog2(FRAME_WORDS);
  localparam int unsigned UNUSED_BITS = 18;

  typedef struct packed {
    logic [UNUSED_BITS-1:0] unused;
    // The grant of this chain starts here.
    logic                   starts_grant;
    // Who gets the grant from here; the initiator at the end.
    pointer_t               grant_to;
    pointer_t               initiator;
    pattern_t               pattern;
    num_beats_t             num_beats;
    // Zero at the tail.
    pointer_t               next;
    pointer_t               destination;
    // The initiator itself at the first tile.
    pointer_t               previous;
    task_t                  id;
    logic [3:0]             num_frames;
    logic                   is_writer;
  } frame_t;

  // Grant or finish: one word.
  typedef struct packed {
    logic [WORD_BITS-POINTER_BITS-TASK_BITS-1:0] unused;
    pointer_t initiator;
    task_t    id;
  } notice_t;

  // A message to a tile's window: a frame, or a notice in its lowest word.
  typedef struct packed {
    tile_t                 to;
    window_e               window;
    logic [FRAME_BITS-1:0] content;
  } message_t;

  // A tile's slot at everybody else.
  function automatic slot_t slot_of(tile_t tile);
    return tile[SLOT_BITS-1:0];
  endfunction

  // Word of the own memory at which a pointer points.
  function automatic word_addr_t word_of(pointer_t pointer);
    return pointer.offset[TILE_BITS-1-:STRIDE_BITS];
  endfunction

  // First byte of a tile's window.
  function automatic pointer_t window_of(tile_t tile, window_e window);
    return
    '{tile: tile, offset: {{(TILE_BITS - PAGE_BITS - 2) {1'b1}}, window, {PAGE_BITS{1'b0}}}}
    ;
  endfunction

endpackage
