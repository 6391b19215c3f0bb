// SPDX-License-Identifier: Apache-2.0
// A router's port at a link: what leaves the router passes the register stages of the link, what comes passes none, since
// the stages of the other direction are at the neighbour's port.
//
// Latency and throughput: a cycle for each cycle of `router.link_cycles` beyond the first, one flit per cycle and plane.
// Combinational paths: those of wires where a link takes one cycle.
// Freedom from deadlock: a stage is buffer space of the link, in the order of its flits (docs/design/0001).
// Mirror: crates/noccl-sim/src/router/collective/fifo/link_stages.rs.

module noccl_link
  import noccl_flit_pkg::links_t;
(
    /// Clock.
    input  logic   clk_i,
    /// Asynchronous reset, active low: the stages are empty.
    input  logic   rst_ni,
    /// What the router shows, and what it is shown.
    input  links_t router_i,
    output links_t router_o,
    /// What the neighbour shows, and what it is shown.
    input  links_t link_i,
    output links_t link_o
);

  noccl_stages #(
      .Stages(noccl_cfg_pkg::REQ_LINK_CYCLES - 1),
      .data_t(noccl_flit_pkg::req_flit_t)
  ) u_req (
      .clk_i,
      .rst_ni,
      .valid_i(router_i.req.valid),
      .ready_o(router_o.req.ready),
      .data_i (router_i.req.flit),
      .valid_o(link_o.req.valid),
      .ready_i(link_i.req.ready),
      .data_o (link_o.req.flit)
  );

  noccl_stages #(
      .Stages(noccl_cfg_pkg::RSP_LINK_CYCLES - 1),
      .data_t(noccl_flit_pkg::rsp_flit_t)
  ) u_rsp (
      .clk_i,
      .rst_ni,
      .valid_i(router_i.rsp.valid),
      .ready_o(router_o.rsp.ready),
      .data_i (router_i.rsp.flit),
      .valid_o(link_o.rsp.valid),
      .ready_i(link_i.rsp.ready),
      .data_o (link_o.rsp.flit)
  );

  noccl_stages #(
      .Stages(noccl_cfg_pkg::WIDE_LINK_CYCLES - 1),
      .data_t(noccl_flit_pkg::wide_flit_t)
  ) u_wide (
      .clk_i,
      .rst_ni,
      .valid_i(router_i.wide.valid),
      .ready_o(router_o.wide.ready),
      .data_i (router_i.wide.flit),
      .valid_o(link_o.wide.valid),
      .ready_i(link_i.wide.ready),
      .data_o (link_o.wide.flit)
  );

  assign router_o.req.valid = link_i.req.valid;
  assign router_o.req.flit = link_i.req.flit;
  assign link_o.req.ready = router_i.req.ready;
  assign router_o.rsp.valid = link_i.rsp.valid;
  assign router_o.rsp.flit = link_i.rsp.flit;
  assign link_o.rsp.ready = router_i.rsp.ready;
  assign router_o.wide.valid = link_i.wide.valid;
  assign router_o.wide.flit = link_i.wide.flit;
  assign link_o.wide.ready = router_i.wide.ready;

endmodule
