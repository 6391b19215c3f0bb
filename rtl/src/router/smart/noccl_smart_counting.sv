// SPDX-License-Identifier: Apache-2.0
//
// Counted reductions of a router with bypass: the reduction table, and what passes is combined with
// what the table holds.
//
// Without a table nothing is the last one, nothing is dropped, and data pass as they are.
// Latency: none. Combinational paths: data of a link through one combination to the link behind.
// Mirror: crates/noccl-sim/src/router/smart (latch.rs `contribute`, traverse.rs
// `pass_contribution`). Source: S2, section IV.

module noccl_smart_counting
  import noccl_smart_pkg::*;
#(
    /// Contributions are counted.
    parameter bit HasTable = 1'b1,
    /// Requests that are looked at on each line in a cycle.
    parameter int unsigned NumLooks = 1
) (
    /// Clock.
    input  logic                     clk_i,
    /// Asynchronous reset, active low.
    input  logic                     rst_ni,
    /// Where the router lies; constant.
    input  coord_t                   position_i,
    /// By output: requests of its line, and whether exactly one contribution is to come of their
    /// reductions.
    input  request_t                 look_i          [NUM_LINKS][NumLooks],
    output logic                     is_last_o       [NUM_LINKS][NumLooks],
    /// By output: a counted contribution passes, in the next cycle.
    input  logic     [NUM_LINKS-1:0] passes_i,
    input  request_t                 passing_i       [NUM_LINKS],
    /// What is latched at each input at the end of the cycle, and whether it is dropped.
    input  latch_t                   latch_i         [NUM_PORTS],
    output logic     [NUM_PORTS-1:0] is_dropped_o,
    /// What has been latched at each input a cycle ago, and what its channel is to hold.
    input  header_t                  latched_header_i[NUM_PORTS],
    input  data_t                    latched_data_i  [NUM_PORTS],
    output logic     [NUM_PORTS-1:0] combined_valid_o,
    output data_t                    combined_data_o [NUM_PORTS],
    /// By input: data of the links.
    input  data_t                    data_i          [NUM_LINKS],
    /// By output: what passes becomes (data & mask) | other.
    output data_t                    mask_o          [NUM_LINKS],
    output data_t                    other_o         [NUM_LINKS]
);

  if (HasTable) begin : gen_table
    localparam int unsigned AllLooks = NUM_LINKS * NumLooks;
    id_t look_id[AllLooks], pass_id[NUM_LINKS], arrive_id[NUM_PORTS];
    contributions_t look_inputs[AllLooks], arrive_inputs[NUM_PORTS];
    logic [AllLooks-1:0] is_last;
    logic [NUM_LINKS-1:0] passed_has_data, has_operand_q;
    data_t passed_data[NUM_LINKS];
    logic [NUM_PORTS-1:0] arrives, arrive_is_last, has_operand, goes_on_q;
    noccl_number_pkg::operator_e op[NUM_PORTS], op_q[NUM_LINKS];
    noccl_number_pkg::element_e element[NUM_PORTS], element_q[NUM_LINKS];

    for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_line
      for (genvar n = 0; n < int'(NumLooks); n++) begin : gen_look
        assign look_id[o*NumLooks+n] = look_i[o][n].header.id;
        assign look_inputs[o*NumLooks+n] = num_inputs(position_i, look_i[o][n].header);
        assign is_last_o[o][n] = is_last[o*NumLooks+n];
      end
      assign pass_id[o] = passing_i[o].header.id;
      always_ff @(posedge clk_i) begin
        op_q[o] <= passing_i[o].header.op;
        element_q[o] <= passing_i[o].header.element;
        has_operand_q[o] <= passing_i[o].header.has_operand;
      end
      // Bitwise operators need no gate of their own behind the link; sums and comparisons do.
      logic is_combined, is_and, is_or, is_arithmetic;
      data_t combined;
      assign is_combined = passed_has_data[o] && has_operand_q[o];
      assign is_and = is_combined && op_q[o] == noccl_number_pkg::OP_AND;
      assign is_or = is_combined && op_q[o] == noccl_number_pkg::OP_OR;
      assign is_arithmetic = is_combined && !is_and && !is_or;
      noccl_smart_combine #(
          .DataBits(noccl_smart_cfg_pkg::FLIT_BITS)
      ) u_combine (
          .valid_i  (is_arithmetic),
          .element_i(element_q[o]),
          .op_i     (op_q[o]),
          .a_i      (data_i[opposite(o)]),
          .b_i      (passed_data[o]),
          .result_o (combined)
      );
      assign mask_o[o]  = is_arithmetic ? '0 : is_and ? passed_data[o] : '1;
      assign other_o[o] = is_arithmetic ? combined : is_or ? passed_data[o] : '0;
    end

    for (genvar p = 0; p < int'(NUM_PORTS); p++) begin : gen_port
      assign arrives[p] = latch_i[p].valid && latch_i[p].is_counted;
      assign arrive_id[p] = latch_i[p].id;
      assign arrive_inputs[p] = latch_i[p].inputs;
      assign is_dropped_o[p] = arrives[p] && !arrive_is_last[p];
      assign op[p] = latched_header_i[p].op;
      assign element[p] = latched_header_i[p].element;
      assign has_operand[p] = latched_header_i[p].has_operand;
      assign combined_valid_o[p] = goes_on_q[p] && has_operand[p];
    end
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) goes_on_q <= '0;
      else goes_on_q <= arrives & arrive_is_last;
    end

    noccl_smart_table #(
        .Entries (noccl_smart_cfg_pkg::TABLE_ENTRIES),
        .IdBits  (noccl_smart_cfg_pkg::ID_BITS),
        .DataBits(noccl_smart_cfg_pkg::FLIT_BITS),
        .NumLooks(AllLooks)
    ) u_table (
        .clk_i,
        .rst_ni,
        .look_id_i        (look_id),
        .look_inputs_i    (look_inputs),
        .look_is_last_o   (is_last),
        .pass_valid_i     (passes_i),
        .pass_id_i        (pass_id),
        .passed_has_data_o(passed_has_data),
        .passed_data_o    (passed_data),
        .arrive_valid_i   (arrives),
        .arrive_id_i      (arrive_id),
        .arrive_inputs_i  (arrive_inputs),
        .arrive_is_last_o (arrive_is_last),
        .has_operand_i    (has_operand),
        .operand_i        (latched_data_i),
        .operand_op_i     (op),
        .operand_element_i(element),
        .operand_o        (combined_data_o)
    );
  end else begin : gen_none
    for (genvar o = 0; o < int'(NUM_LINKS); o++) begin : gen_line
      for (genvar n = 0; n < int'(NumLooks); n++) begin : gen_look
        assign is_last_o[o][n] = 1'b0;
      end
      assign mask_o[o]  = '1;
      assign other_o[o] = '0;
    end
    assign is_dropped_o = '0;
    assign combined_valid_o = '0;
    assign combined_data_o = latched_data_i;
  end

endmodule
