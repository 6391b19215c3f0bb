// SPDX-License-Identifier: Apache-2.0
// Router with bypass whose headers have the fields that its configuration needs, for the measurement of area: fields of collectives that are
// not built are zero at the inputs, so synthesis removes their places in all channels. What only tests look at is left out.
//
// Latency, order, paths: those of `noccl_smart_router`.

module noccl_smart_router_synth
  import noccl_smart_pkg::*;
#(
    /// Contributions to reductions are counted: their ids and operands travel.
    parameter bit HasTable = noccl_smart_cfg_pkg::HAS_TABLE != 0,
    /// They have operands.
    parameter bit HasOperands = HasTable,
    /// Packets to sets of tiles: the sets travel, as those of reductions do.
    localparam bit HasSets = HasTable || noccl_smart_cfg_pkg::HAS_MULTICAST != 0
) (
    /// Clock.
    input  logic         clk_i,
    /// Asynchronous reset, active low.
    input  logic         rst_ni,
    /// As in `noccl_smart_router`, as what follows.
    input  coord_t       position_i,
    input  requests_t    requests_i           [NUM_LINKS],
    output requests_t    requests_o           [NUM_LINKS],
    input  crossing_t    crossing_i           [NUM_LINKS],
    output crossing_t    crossing_o           [NUM_LINKS],
    input  data_t        data_i               [NUM_LINKS],
    output data_t        data_o               [NUM_LINKS],
    input  distance_t    beyond_i             [NUM_LINKS],
    output distance_t    beyond_o             [NUM_LINKS],
    input  class_set_t   open_i               [NUM_LINKS],
    input  class_set_t   open_after_i         [NUM_LINKS],
    output class_set_t   open_o               [NUM_LINKS],
    output class_set_t   open_after_o         [NUM_LINKS],
    input  logic         local_take_i,
    input  header_t      local_header_i,
    output class_set_t   local_open_o,
    output channel_set_t local_channel_o,
    input  logic         local_latch_i,
    input  channel_set_t local_latch_channel_i,
    input  flit_count_t  local_latch_index_i,
    input  data_t        local_latch_data_i,
    input  logic         eject_ready_i,
    output logic         eject_valid_o,
    output flit_t        eject_o
);

  // A header without what nobody looks at.
  function automatic header_t slim(header_t header);
    slim = header;
    if (!HasSets) begin
      slim.base = '0;
      slim.mask = '0;
    end
    if (!HasTable) begin
      slim.is_counted = 1'b0;
      slim.id         = '0;
    end
    if (!HasOperands) begin
      slim.has_operand = 1'b0;
      slim.op          = noccl_number_pkg::OP_SUM;
      slim.element     = noccl_number_pkg::ELEM_FP64;
    end
  endfunction

  requests_t requests[NUM_LINKS];
  always_comb begin : p_slim
    requests = requests_i;
    for (int unsigned p = 0; p < NUM_LINKS; p++) begin
      for (int unsigned d = 0; d < HPC_MAX; d++)
      requests[p][d].header = slim(requests_i[p][d].header);
    end
  end

  noccl_smart_router #(
      .HasTable(HasTable)
  ) u_router (
      .requests_i    (requests),
      .local_header_i(slim(local_header_i)),
      .seen_o        (),
      .*
  );

endmodule
