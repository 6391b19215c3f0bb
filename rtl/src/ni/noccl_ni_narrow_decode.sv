// SPDX-License-Identifier: Apache-2.0
//
// What an address of a narrow write asks for, and the response to it if that is not served.
//
// Words only, atomics to one place, and of them only fetch-and-add.
// Purely combinational.

module noccl_ni_narrow_decode (
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t      pos_i,
    /// Address of the subordinate port.
    input  noccl_axi_pkg::narrow_aw_t   aw_i,
    /// The same, decoded.
    output noccl_ni_pkg::narrow_write_t write_o
);

  import noccl_axi_pkg::OPCODE_UNICAST;
  import noccl_axi_pkg::OPCODE_JOIN;

  localparam noccl_flit_pkg::tag_t NARROW_TAG =
      noccl_flit_pkg::tag_t'(1 << (noccl_cfg_pkg::TAG_BITS - 1));

  logic hit, is_served;

  noccl_ni_decode u_decode (
      .pos_i,
      .addr_i(aw_i.addr),
      .mask_i(aw_i.user.mask),
      .opcode_i(aw_i.user.opcode),
      .hit_o(hit),
      .dst_o(write_o.dst),
      .base_o(write_o.base),
      .mask_o(write_o.mask),
      .offset_o(write_o.addr)
  );

  assign is_served = aw_i.len == '0 && (aw_i.atop == noccl_axi_pkg::ATOP_NONE
      || (aw_i.atop == noccl_axi_pkg::ATOP_LOAD_ADD && aw_i.user.opcode == OPCODE_UNICAST));
  assign write_o.is_error = !hit || !is_served;
  assign write_o.opcode = aw_i.user.opcode;
  assign write_o.is_atomic = aw_i.atop != noccl_axi_pkg::ATOP_NONE;
  // Responses to a narrow and a wide multicast of a tile meet in the network: their tags differ in
  // the highest bit.
  assign write_o.tag = aw_i.user.opcode == OPCODE_JOIN ? aw_i.user.tag
      : NARROW_TAG | noccl_flit_pkg::tag_t'(aw_i.id);
  assign write_o.size = aw_i.size;
  assign write_o.refusal.id = aw_i.id;
  assign write_o.refusal.resp = hit ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_DECERR;
  assign write_o.refusal.has_data = noccl_axi_pkg::has_read_data(aw_i.atop);
  // A compare brings two values and gets one.
  assign write_o.refusal.beats_left = aw_i.atop == noccl_axi_pkg::ATOP_COMPARE ? aw_i.len >> 1
      : aw_i.len;

endmodule
