// SPDX-License-Identifier: Apache-2.0
//
// Flits in the channels of an input of a router with bypass; contributions have one.
//
// Latency: what is latched at the end of a cycle can be read in the next one.
// Mirror: data that packets carry in the simulator, operands in table.rs. Source: S2, section II.

module noccl_smart_flits
  import noccl_smart_pkg::*;
(
    /// Clock.
    input  logic         clk_i,
    /// A flit is latched at the end of the cycle.
    input  latch_t       latch_i,
    input  data_t        latch_data_i,
    /// The channel in which one has been latched a cycle ago, none if there was none, and of a
    /// contribution its operand; what takes its place.
    output channel_set_t latched_o,
    output data_t        latched_data_o,
    input  logic         combined_valid_i,
    input  data_t        combined_data_i,
    /// A flit to be read: channel (one-hot) and number.
    input  channel_set_t read_channel_i,
    input  flit_count_t  read_index_i,
    output data_t        read_data_o
);

  data_t data_q[NUM_CHANNELS][VC_FLITS];
  always_ff @(posedge clk_i) latched_o <= latch_i.valid ? latch_i.channel : '0;

  for (genvar c = 0; c < int'(NUM_CHANNELS); c++) begin : gen_data
    localparam bit IsContribution = class_of(c) == CONTRIBUTION;
    localparam int unsigned Flits = IsContribution ? 1 : VC_FLITS;
    for (genvar f = 0; f < int'(VC_FLITS); f++) begin : gen_flit
      if (f < int'(Flits)) begin : gen_register
        always_ff @(posedge clk_i) begin
          if (latch_i.valid && latch_i.channel[c] && latch_i.index == flit_count_t'(f))
            data_q[c][f] <= latch_data_i;
          else if (IsContribution && combined_valid_i && latched_o[c])
            data_q[c][f] <= combined_data_i;
        end
      end else begin : gen_none
        assign data_q[c][f] = '0;
      end
    end
  end

  always_comb begin : p_read
    read_data_o = '0;
    latched_data_o = '0;
    for (int unsigned c = 0; c < NUM_CHANNELS; c++) begin
      for (int unsigned f = 0; f < VC_FLITS; f++) begin
        if (read_channel_i[c] && read_index_i == flit_count_t'(f)) read_data_o |= data_q[c][f];
      end
      if (class_of(c) == CONTRIBUTION && latched_o[c]) latched_data_o |= data_q[c][0];
    end
  end

endmodule
