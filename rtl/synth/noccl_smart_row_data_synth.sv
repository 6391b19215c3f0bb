// SPDX-License-Identifier: Apache-2.0
// One router of a row on the data path of routers with bypass, reduced to what the path crosses: a register, a multiplexer of two
// inputs per hop, and what combines an operand in flight. `tools/smart_timing.py` lays many of them in a row.
//
// Latency: none from link to link. Combinational paths: `data_i` to `data_o`.
// Source: S2 section IV (11 hops with a multiplexer per hop, 9 with an OR besides).

module noccl_smart_row_data_synth #(
    /// Bits of the link.
    parameter int unsigned Bits = 64,
    /// What combines in flight. 0: nothing, 1: OR, 2: sum.
    parameter int unsigned Reducer = 0
) (
    /// Clock.
    input  logic            clk_i,
    /// Link of the router before.
    input  logic [Bits-1:0] data_i,
    /// Link to the next router.
    output logic [Bits-1:0] data_o,
    /// What goes in without bypass, a cycle earlier.
    input  logic [Bits-1:0] local_i,
    /// Operand that what passes takes along, a cycle earlier; zero if there is none.
    input  logic [Bits-1:0] operand_i,
    /// What comes over the link goes on, a cycle earlier.
    input  logic            passes_i,
    /// What was latched.
    output logic [Bits-1:0] latched_o
);

  logic [Bits-1:0] local_q, operand_q, combined;
  logic passes_q;

  always_comb begin : p_combine
    unique case (Reducer)
      0: combined = data_i;
      1: combined = data_i | operand_q;
      default: combined = data_i + operand_q;
    endcase
  end

  assign data_o = passes_q ? combined : local_q;

  always_ff @(posedge clk_i) begin
    local_q   <= local_i;
    operand_q <= operand_i;
    passes_q  <= passes_i;
    latched_o <= data_i;
  end

endmodule
