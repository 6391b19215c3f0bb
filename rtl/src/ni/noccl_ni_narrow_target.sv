// SPDX-License-Identifier: Apache-2.0
//
// Target side of the request plane's narrow traffic: writes, reads, atomics and barriers.
//
// The memory responds in order; queues keep what its responses need. A barrier reaches the memory
// once, as the write of its last contribution. An atomic gives R and B at the memory and one data
// flit here.
// Combinational paths: request to AW, W, AR; B and R to responses. Throughput: one request per
// cycle.
// Mirror: `deliver` of narrow kinds in crates/noccl-sim/src/ni/axi/deliver.rs, responses in
// response.rs.

`include "noccl_assert.svh"

module noccl_ni_narrow_target #(
    /// Writes and atomics whose response from the memory is open.
    parameter int unsigned Responses = 4,
    /// Reads whose data are open.
    parameter int unsigned Reads = 4,
    /// Barriers exist.
    parameter bit HasBarriers = 1'b1
) (
    /// Clock.
    input  logic                            clk_i,
    /// Asynchronous reset, active low.
    input  logic                            rst_ni,
    /// Coordinate of this tile.
    input  noccl_flit_pkg::coord_t          pos_i,
    /// Request, any kind but READ_WIDE.
    input  logic                            req_valid_i,
    output logic                            req_ready_o,
    input  noccl_flit_pkg::req_flit_t       req_i,
    /// Towards the memory.
    output logic                            aw_valid_o,
    input  logic                            aw_ready_i,
    output noccl_axi_pkg::memory_aw_t       aw_o,
    output logic                            w_valid_o,
    input  logic                            w_ready_i,
    output noccl_axi_pkg::narrow_w_t        w_o,
    input  logic                            b_valid_i,
    output logic                            b_ready_o,
    input  noccl_flit_pkg::resp_e           b_resp_i,
    output logic                            ar_valid_o,
    input  logic                            ar_ready_i,
    output noccl_axi_pkg::memory_ar_t       ar_o,
    input  logic                            r_valid_i,
    output logic                            r_ready_o,
    input  noccl_axi_pkg::memory_narrow_r_t r_i,
    /// A unicast write of this tile to itself has been delivered.
    output logic                            delivered_o,
    /// The response for a write.
    output logic                            response_valid_o,
    input  logic                            response_ready_i,
    output noccl_ni_pkg::response_t         response_o,
    /// Data for a read or an atomic, towards the router.
    output logic                            data_valid_o,
    input  logic                            data_ready_i,
    output noccl_flit_pkg::rsp_flit_t       data_o
);

  // Who asked for data, and with what kind of transaction.
  typedef struct packed {
    logic                   is_atomic;
    noccl_flit_pkg::coord_t src;
    noccl_flit_pkg::tag_t   tag;
  } asked_t;

  noccl_flit_pkg::req_hdr_t hdr;
  assign hdr = req_i.hdr;

  // ----------------------------------------------------------------------------------------- to memory

  logic is_read, is_atomic, is_barrier, may_count, is_whole, barrier_ends_here, is_dropped;
  noccl_flit_pkg::resp_e barrier_resp;
  noccl_ni_pkg::response_t noted, oldest;
  asked_t asked, asker;
  logic noted_ready, oldest_valid, oldest_taken, asked_ready, asker_valid, asker_taken;
  logic may_write, both_done, writes, passes, writes_atomic, reads;

  assign is_read = hdr.kind == noccl_flit_pkg::REQ_READ_NARROW;
  assign is_atomic = hdr.kind == noccl_flit_pkg::REQ_ATOMIC;
  assign is_barrier = HasBarriers && hdr.kind == noccl_flit_pkg::REQ_BARRIER;

  noccl_ni_barriers u_barriers (
      .clk_i,
      .rst_ni,
      .valid_i(req_valid_i && is_barrier),
      .hdr_i(hdr),
      .may_count_o(may_count),
      .is_whole_o(is_whole),
      .resp_o(barrier_resp),
      .taken_i(req_valid_i && req_ready_o && is_barrier)
  );

  assign barrier_ends_here = is_barrier && !is_whole;
  assign may_write = req_valid_i && !is_read && !barrier_ends_here && noted_ready
      && (!is_atomic || asked_ready) && (!is_barrier || may_count);
  assign writes = may_write && both_done;
  // These do not wait for what counts barriers.
  assign passes = req_valid_i && noted_ready && both_done;
  assign writes_atomic = passes && is_atomic && asked_ready;

  noccl_fork #(
      .NumOutputs(2)
  ) u_both (
      .clk_i,
      .rst_ni,
      .valid_i (may_write),
      .select_i(2'b11),
      .ready_o (both_done),
      .valid_o ({aw_valid_o, w_valid_o}),
      .ready_i ({aw_ready_i, w_ready_i})
  );

  assign aw_o.addr = hdr.addr;
  assign aw_o.atop = is_atomic ? noccl_axi_pkg::ATOP_LOAD_ADD : noccl_axi_pkg::ATOP_NONE;
  // A barrier that gets an error response writes nothing.
  assign is_dropped = is_barrier && barrier_resp != noccl_flit_pkg::RESP_OKAY;
  assign w_o = '{data: req_i.data, strb: is_dropped ? '0 : req_i.strobe, last: 1'b1};

  assign ar_valid_o = req_valid_i && is_read && asked_ready;
  assign reads = ar_valid_o && ar_ready_i;
  assign ar_o = '{addr: hdr.addr, len: '0, size: hdr.size};

  always_comb begin
    if (is_read) req_ready_o = reads;
    else if (barrier_ends_here) req_ready_o = may_count;
    else req_ready_o = writes;
  end

  assign delivered_o = passes && hdr.kind == noccl_flit_pkg::REQ_WRITE && !hdr.multicast
      && hdr.src == pos_i;

  // --------------------------------------------------------------------------------------- responses

  assign noted.is_last = !is_atomic;
  assign noted.is_multicast = hdr.multicast;
  assign noted.is_join = is_barrier;
  assign noted.src = is_barrier ? noccl_ni_pkg::padded(hdr.base) : hdr.src;
  assign noted.mask = hdr.mask;
  assign noted.tag = hdr.tag;
  assign noted.resp = is_barrier ? barrier_resp : noccl_flit_pkg::RESP_OKAY;

  noccl_fifo #(
      .Depth (Responses),
      .data_t(noccl_ni_pkg::response_t)
  ) u_responses (
      .clk_i,
      .rst_ni,
      .valid_i(writes),
      .ready_o(noted_ready),
      .data_i (noted),
      .valid_o(oldest_valid),
      .ready_i(oldest_taken),
      .data_o (oldest)
  );

  assign asked = '{is_atomic: is_atomic, src: hdr.src, tag: hdr.tag};

  noccl_fifo #(
      .Depth (Reads),
      .data_t(asked_t)
  ) u_asked (
      .clk_i,
      .rst_ni,
      .valid_i(reads || writes_atomic),
      .ready_o(asked_ready),
      .data_i (asked),
      .valid_o(asker_valid),
      .ready_i(asker_taken),
      .data_o (asker)
  );

  // An atomic's B says nothing that its R does not say.
  noccl_ni_pkg::response_t told;
  logic has_space;
  assign b_ready_o = oldest_valid && (!oldest.is_last || has_space);
  assign oldest_taken = b_valid_i && b_ready_o;
  always_comb begin
    told = oldest;
    told.resp = noccl_ni_pkg::worse(oldest.resp, b_resp_i);
  end

  noccl_ni_waiting #(
      .Depth(Responses)
  ) u_waiting (
      .clk_i,
      .rst_ni,
      .valid_i(b_valid_i && oldest_valid && oldest.is_last),
      .ready_o(has_space),
      .data_i (told),
      .valid_o(response_valid_o),
      .ready_i(response_ready_i),
      .data_o (response_o)
  );

  assign data_valid_o = r_valid_i && asker_valid;
  assign r_ready_o = asker_valid && data_ready_i;
  assign asker_taken = data_valid_o && data_ready_i;
  always_comb begin
    data_o = '0;
    data_o.hdr.kind = asker.is_atomic ? noccl_flit_pkg::RSP_ATOMIC : noccl_flit_pkg::RSP_READ_DATA;
    data_o.hdr.dst = asker.src;
    data_o.hdr.src = pos_i;
    data_o.hdr.tag = asker.tag;
    data_o.hdr.resp = r_i.resp;
    data_o.data = r_i.data;
  end

  `NOCCL_ASSUME(WideReadsGoElsewhere, !req_valid_i || hdr.kind != noccl_flit_pkg::REQ_READ_WIDE)
  `NOCCL_ASSUME(MemoryRespondsToWhatItTook,
                (!b_valid_i || oldest_valid) && (!r_valid_i || asker_valid))

endmodule
