// SPDX-License-Identifier: Apache-2.0
//
// Decodes an address, and the mask beside it, into coordinates: by picking bits (S1 sections 3.1.1,
// 3.2.2).
//
// A multicast masks the address: base and mask of its set. A join masks the contributor's own coordinate, since
// its group stands around the contributor, and addresses the root. An address is unmapped outside all regions, in the
// padding of a region, and between the end of a memory and the next stride; a set is unmapped if one of its members is.
// Combinational. Mirror: crates/noccl-net/src/region.rs; errors: docs/errors.md.

module noccl_ni_decode (
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t        pos_i,
    /// Address.
    input  noccl_axi_pkg::addr_t          addr_i,
    /// Address bits that do not matter; only bits of x and y of the cluster region may be set.
    input  noccl_axi_pkg::addr_t          mask_i,
    /// What the mask means.
    input  noccl_axi_pkg::opcode_e        opcode_i,
    /// Every tile that is meant exists, and the mask is legal.
    output logic                          hit_o,
    /// The addressed tile; of a multicast the member without masked bits.
    output noccl_flit_pkg::coord_t        dst_o,
    /// Set of a multicast, group of a join; zero for a unicast.
    output noccl_flit_pkg::region_coord_t base_o,
    /// Its mask; zero for a unicast.
    output noccl_flit_pkg::region_coord_t mask_o,
    /// Byte offset into the memory.
    output noccl_flit_pkg::offset_t       offset_o
);

  import noccl_cfg_pkg::NUM_REGIONS;
  import noccl_cfg_pkg::ADDR_BITS;

  function automatic logic [ADDR_BITS-1:0] low_bits(int unsigned count);
    return ~({ADDR_BITS{1'b1}} << count);
  endfunction

  localparam int unsigned XBits = noccl_cfg_pkg::X_BITS;
  localparam int unsigned YBits = noccl_cfg_pkg::Y_BITS;
  localparam int unsigned RegionXBits = noccl_cfg_pkg::REGION_X_BITS;
  localparam int unsigned RegionYBits = noccl_cfg_pkg::REGION_Y_BITS;
  localparam int unsigned ClusterOffsetBits =
      noccl_cfg_pkg::MAP_OFFSET_BITS[noccl_cfg_pkg::CLUSTER_REGION];
  localparam int unsigned ClusterYBits = noccl_cfg_pkg::MAP_Y_BITS[noccl_cfg_pkg::CLUSTER_REGION];
  localparam int unsigned ClusterXBits = noccl_cfg_pkg::MAP_X_BITS[noccl_cfg_pkg::CLUSTER_REGION];
  // Address bits that select a cluster: only these may be masked.
  localparam logic [ADDR_BITS-1:0] MASKABLE = low_bits(
      ClusterXBits + ClusterYBits
  ) << ClusterOffsetBits;

  logic [NUM_REGIONS-1:0] region_hit;
  noccl_flit_pkg::coord_t region_dst[NUM_REGIONS];
  noccl_flit_pkg::offset_t region_offset[NUM_REGIONS];

  for (genvar r = 0; r < NUM_REGIONS; r++) begin : gen_region
    localparam int unsigned OffsetBits = noccl_cfg_pkg::MAP_OFFSET_BITS[r];
    localparam int unsigned RowBits = noccl_cfg_pkg::MAP_Y_BITS[r];
    localparam int unsigned ColumnBits = noccl_cfg_pkg::MAP_X_BITS[r];
    localparam int unsigned TopBit = OffsetBits + RowBits + ColumnBits;
    localparam logic [ADDR_BITS-1:0] BASE = noccl_cfg_pkg::MAP_BASE[r];

    logic [ADDR_BITS-1:0] column, row, offset;

    assign column = (addr_i >> (OffsetBits + RowBits)) & low_bits(ColumnBits);
    assign row = (addr_i >> OffsetBits) & low_bits(RowBits);
    assign offset = addr_i & low_bits(OffsetBits);

    assign region_hit[r] = addr_i >> TopBit == BASE >> TopBit
        && column < ADDR_BITS'(noccl_cfg_pkg::MAP_WIDTH[r])
        && row < ADDR_BITS'(noccl_cfg_pkg::MAP_HEIGHT[r])
        && offset < ADDR_BITS'(noccl_cfg_pkg::MAP_MEMORY_BYTES[r]);
    assign region_dst[r].x = XBits'(column) + XBits'(noccl_cfg_pkg::MAP_X[r]);
    assign region_dst[r].y = YBits'(row) + YBits'(noccl_cfg_pkg::MAP_Y[r]);
    assign region_offset[r] = noccl_cfg_pkg::OFFSET_BITS'(offset);
  end

  always_comb begin
    dst_o = '0;
    offset_o = '0;
    for (int unsigned r = 0; r < NUM_REGIONS; r++) begin
      if (region_hit[r]) begin
        dst_o = region_dst[r];
        offset_o = region_offset[r];
      end
    end
  end

  // The set: the address's own bits for a multicast, this tile's for a join.
  noccl_flit_pkg::region_coord_t own, picked, mask, base, top;
  logic set_exists, is_cluster;

  assign is_cluster = region_hit[noccl_cfg_pkg::CLUSTER_REGION];
  assign own.x = RegionXBits'(32'(pos_i.x) - noccl_cfg_pkg::REGION_X);
  assign own.y = RegionYBits'(32'(pos_i.y) - noccl_cfg_pkg::REGION_Y);
  assign picked.x = RegionXBits'(addr_i >> (ClusterOffsetBits + ClusterYBits));
  assign picked.y = RegionYBits'(addr_i >> ClusterOffsetBits);
  assign mask.x = RegionXBits'(mask_i >> (ClusterOffsetBits + ClusterYBits));
  assign mask.y = RegionYBits'(mask_i >> ClusterOffsetBits);

  assign base = (opcode_i == noccl_axi_pkg::OPCODE_JOIN ? own : picked) & ~mask;
  // A set of masked bits reaches from base to base | mask.
  assign top = base | mask;
  assign set_exists = 32'(top.x) < noccl_cfg_pkg::REGION_WIDTH
      && 32'(top.y) < noccl_cfg_pkg::REGION_HEIGHT && (mask_i & ~MASKABLE) == '0;

  always_comb begin
    base_o = base;
    mask_o = mask;
    case (opcode_i)
      noccl_axi_pkg::OPCODE_UNICAST: begin
        hit_o  = |region_hit && mask_i == '0;
        base_o = '0;
        mask_o = '0;
      end
      noccl_axi_pkg::OPCODE_MULTICAST: hit_o = is_cluster && set_exists;
      noccl_axi_pkg::OPCODE_JOIN: hit_o = |region_hit && set_exists;
      default: hit_o = 1'b0;
    endcase
  end

endmodule
