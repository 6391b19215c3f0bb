// SPDX-License-Identifier: Apache-2.0
//
// Crossbar of a router with bypass: flits of its inputs, and flits that pass.
//
// Latency: none behind the registers that select. Combinational paths: data of a link through one
// gate to the link behind it, whether the flit is combined with an operand bit by bit or not:
// masks, and all else but sums, wait for no link.
// Mirror: crates/noccl-sim/src/router/smart/traverse.rs. Source: S2, section II.

module noccl_smart_crossbar
  import noccl_smart_pkg::*;
(
    /// Clock.
    input  logic                    clk_i,
    /// Asynchronous reset, active low: nothing is sent.
    input  logic                    rst_ni,
    /// By input: outputs over which its flit goes in the next cycle. By output: what comes in
    /// opposite to it goes on.
    input  choice_t                 asked_i      [NUM_PORTS],
    input  logic    [NUM_LINKS-1:0] passes_i,
    /// By input: the flit that is read in this cycle; its packet and its data.
    output choice_t                 read_o       [NUM_PORTS],
    input  header_t                 header_i     [NUM_PORTS],
    input  data_t                   read_data_i  [NUM_PORTS],
    /// Links. What passes becomes (data & mask) | other.
    input  data_t                   data_i       [NUM_LINKS],
    input  data_t                   mask_i       [NUM_LINKS],
    input  data_t                   other_i      [NUM_LINKS],
    output data_t                   data_o       [NUM_LINKS],
    /// A flit for the interface.
    output logic                    eject_valid_o,
    output flit_t                   eject_o
);

  // By output: the input whose flit it sends, or the flit that passes.
  port_set_t source_q[NUM_PORTS];
  logic [NUM_LINKS-1:0] passes_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      passes_q <= '0;
      for (int unsigned o = 0; o < NUM_PORTS; o++) source_q[o] <= '0;
    end else begin
      passes_q <= passes_i;
      for (int unsigned o = 0; o < NUM_PORTS; o++) begin
        for (int unsigned p = 0; p < NUM_PORTS; p++) source_q[o][p] <= asked_i[p].outputs[o];
      end
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NUM_PORTS; p++) read_o[p] <= asked_i[p];
  end

  data_t crossed[NUM_PORTS];
  always_comb begin : p_crossbar
    for (int unsigned o = 0; o < NUM_PORTS; o++) begin
      crossed[o] = '0;
      for (int unsigned p = 0; p < NUM_PORTS; p++) if (source_q[o][p]) crossed[o] |= read_data_i[p];
    end
  end
  for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_data
    assign data_o[o] = (data_i[opposite(
        o
    )] & (passes_q[o] ? mask_i[o] : '0)) | (passes_q[o] ? other_i[o] : crossed[o]);
  end

  always_comb begin : p_eject
    eject_valid_o = source_q[LOCAL] != '0;
    eject_o = '0;
    eject_o.data = crossed[LOCAL];
    for (int unsigned p = 0; p < NUM_PORTS; p++) begin
      if (source_q[LOCAL][p]) begin
        eject_o.header |= header_i[p];
        eject_o.index |= read_o[p].index;
      end
    end
  end

endmodule
