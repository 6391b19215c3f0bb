// SPDX-License-Identifier: Apache-2.0
//
// Registers by which a core describes and starts transfers and learns that they are over.
//
// Reading START starts the described transfer and returns its id; all ones mean that it was not started, because too many are
// waiting or what is described is no transfer (no bytes, no rows). Reads and writes take one cycle.
// Mirror: crates/noccl-sim/src/endpoint/core (the instructions before a transfer starts),
// `Dma::take` in dma.rs.

`include "noccl_assert.svh"

module noccl_dma_registers #(
    /// Own L1 of the engine, first address and bytes.
    parameter int unsigned L1Bytes = noccl_cfg_pkg::MAP_MEMORY_BYTES[noccl_cfg_pkg::CLUSTER_REGION]
) (
    /// Clock.
    input  logic                                                           clk_i,
    /// Asynchronous reset, active low.
    input  logic                                                           rst_ni,
    /// First address of the own L1.
    input  noccl_axi_pkg::addr_t                                           l1_base_i,
    /// Access to a register; the response comes in the same cycle.
    input  logic                                                           access_i,
    input  logic                                                           is_write_i,
    input  noccl_dma_pkg::register_e                                       register_i,
    input  logic                     [                               63:0] write_i,
    output logic                     [                               63:0] read_o,
    /// A transfer to work on.
    output logic                                                           transfer_valid_o,
    input  logic                                                           transfer_ready_i,
    output noccl_dma_pkg::transfer_t                                       transfer_o,
    /// Transfers that are over, by id, and those of them with an error.
    input  logic                     [noccl_dma_pkg::NUM_TRANSFER_IDS-1:0] done_i,
    input  logic                     [noccl_dma_pkg::NUM_TRANSFER_IDS-1:0] done_has_error_i
);

  import noccl_dma_pkg::NUM_TRANSFER_IDS;
  import noccl_dma_pkg::transfer_id_t;
  import noccl_axi_pkg::addr_t;

  noccl_dma_pkg::transfer_t described, described_q, described_d;
  logic [NUM_TRANSFER_IDS-1:0] open_q, open_d, error_q, error_d;
  transfer_id_t id_q, id_d;
  logic wants_start, may_start, starts, queue_ready;

  function automatic logic is_own(addr_t address, addr_t base);
    return address >= base && address - base < addr_t'(L1Bytes);
  endfunction

  assign wants_start = access_i && !is_write_i && register_i == noccl_dma_pkg::REG_START;
  assign may_start = queue_ready && !open_q[id_q] && described_q.src.bytes != '0
      && described_q.src.rows != '0;
  assign starts = wants_start && may_start;

  always_comb begin
    described = described_q;
    described.id = id_q;
    described.dst.bytes = described_q.src.bytes;
    described.dst.rows = described_q.src.rows;
    described.src_is_own = is_own(described_q.src.base, l1_base_i);
    described.dst_is_own = is_own(described_q.dst.base, l1_base_i) &&
        described_q.user.opcode == noccl_axi_pkg::OPCODE_UNICAST;
  end

  always_comb begin
    described_d = described_q;
    if (access_i && is_write_i) begin
      case (register_i)
        noccl_dma_pkg::REG_SRC: described_d.src.base = addr_t'(write_i);
        noccl_dma_pkg::REG_DST: described_d.dst.base = addr_t'(write_i);
        noccl_dma_pkg::REG_BYTES: described_d.src.bytes = noccl_dma_pkg::bytes_t'(write_i);
        noccl_dma_pkg::REG_ROWS: described_d.src.rows = noccl_dma_pkg::rows_t'(write_i);
        noccl_dma_pkg::REG_SRC_STRIDE: described_d.src.stride = addr_t'(write_i);
        noccl_dma_pkg::REG_DST_STRIDE: described_d.dst.stride = addr_t'(write_i);
        noccl_dma_pkg::REG_MASK: described_d.user.mask = addr_t'(write_i);
        noccl_dma_pkg::REG_KIND: begin
          described_d.user.opcode = noccl_axi_pkg::opcode_e'(
              write_i[noccl_dma_pkg::KIND_OPCODE_BIT+:2]);
          described_d.user.element = noccl_number_pkg::element_e'(
              write_i[noccl_dma_pkg::KIND_ELEMENT_BIT+:4]);
          described_d.user.op = noccl_number_pkg::operator_e'(
              write_i[noccl_dma_pkg::KIND_OPERATOR_BIT+:3]);
          described_d.user.tag = noccl_flit_pkg::tag_t'(write_i >> noccl_dma_pkg::KIND_TAG_BIT);
        end
        noccl_dma_pkg::REG_START, noccl_dma_pkg::REG_OPEN, noccl_dma_pkg::REG_ERROR:
        described_d = described_q;
        default: described_d = described_q;
      endcase
    end
  end

  logic [63:0] kind;

  always_comb begin
    kind = '0;
    kind[noccl_dma_pkg::KIND_OPCODE_BIT+:2] = described_q.user.opcode;
    kind[noccl_dma_pkg::KIND_ELEMENT_BIT+:4] = described_q.user.element;
    kind[noccl_dma_pkg::KIND_OPERATOR_BIT+:3] = described_q.user.op;
    kind |= 64'(described_q.user.tag) << noccl_dma_pkg::KIND_TAG_BIT;
  end

  always_comb begin
    case (register_i)
      noccl_dma_pkg::REG_SRC: read_o = 64'(described_q.src.base);
      noccl_dma_pkg::REG_DST: read_o = 64'(described_q.dst.base);
      noccl_dma_pkg::REG_BYTES: read_o = 64'(described_q.src.bytes);
      noccl_dma_pkg::REG_ROWS: read_o = 64'(described_q.src.rows);
      noccl_dma_pkg::REG_SRC_STRIDE: read_o = 64'(described_q.src.stride);
      noccl_dma_pkg::REG_DST_STRIDE: read_o = 64'(described_q.dst.stride);
      noccl_dma_pkg::REG_MASK: read_o = 64'(described_q.user.mask);
      noccl_dma_pkg::REG_KIND: read_o = kind;
      noccl_dma_pkg::REG_START: read_o = may_start ? 64'(id_q) : '1;
      noccl_dma_pkg::REG_OPEN: read_o = 64'(open_q);
      noccl_dma_pkg::REG_ERROR: read_o = 64'(error_q);
      default: read_o = '0;
    endcase
  end

  always_comb begin
    open_d = open_q & ~done_i;
    error_d = error_q | done_has_error_i;
    id_d = id_q;
    if (starts) begin
      open_d[id_q] = 1'b1;
      error_d[id_q] = 1'b0;
      id_d = id_q + 1'b1;
    end
  end

  noccl_fifo #(
      .data_t(noccl_dma_pkg::transfer_t)
  ) u_waiting (
      .clk_i,
      .rst_ni,
      .valid_i(starts),
      .ready_o(queue_ready),
      .data_i (described),
      .valid_o(transfer_valid_o),
      .ready_i(transfer_ready_i),
      .data_o (transfer_o)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      open_q <= '0;
      error_q <= '0;
      id_q <= '0;
      described_q <= '0;
    end else begin
      open_q <= open_d;
      error_q <= error_d;
      id_q <= id_d;
      described_q <= described_d;
    end
  end

  `NOCCL_ASSERT(OnlyOpenTransfersEnd, (done_i & ~open_q) == '0)

endmodule
