// SPDX-License-Identifier: Apache-2.0
// The wide-reduction unit as a whole, with its banks and an arithmetic: every sum that leaves holds
// all operands of its own beat, in the order of the inputs, once and in flow order. Nothing that
// its parts take for granted of each other is assumed.
//
// Two flows of any sets pass router (1, 1), one to its own tile, one to (3, 1). Sources use windows
// to the last beat; no credit comes from further on. Operands are digits, combining writes them one
// behind the other; those of one beat of one flow are marked, and their sum must be, and no other.

`include "noccl_assert.svh"

module noccl_reduction_props
  import noccl_flit_pkg::NUM_PORTS, noccl_flit_pkg::LOCAL, noccl_flit_pkg::port_set_t;
  import noccl_flit_pkg::wide_hdr_t, noccl_flit_pkg::wide_data_t, noccl_flit_pkg::left_t;
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t;
  import noccl_collective_pkg::name_t, noccl_collective_pkg::dca_tag_t;
  import noccl_collective_pkg::store_address_t, noccl_collective_pkg::window_t;
#(
    /// Requests that the arithmetic holds.
    parameter int unsigned Stages = 2
) (
    /// Clock.
    input logic          clk_i,
    /// Sets and beats behind the first of two flows; constant.
    input region_coord_t base_i               [2],
    input region_coord_t mask_i               [2],
    input left_t         left_i               [2],
    /// The marked beat of the first flow; constant.
    input left_t         marked_i,
    /// Per input: an operand waits; it is one of the second flow.
    input port_set_t     offers_i,
    input port_set_t     is_second_i,
    /// The router takes a sum, the arithmetic a request; it has a result; a credit is sent.
    input logic          result_ready_i,
    input logic          ready_i,
    input logic          comes_i,
    input logic          credit_return_ready_i
);

  localparam int unsigned MARK = noccl_cfg_pkg::WIDE_BITS - 1;
  localparam int unsigned OTHER = noccl_cfg_pkg::WIDE_BITS - 2;
  localparam int unsigned BeatBits = noccl_cfg_pkg::BURST_BITS + 2;
  typedef logic [BeatBits-1:0] beats_t;
  typedef logic [OTHER-1:0] digits_t;

  logic rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  // -------------------------------------------------------------------------------------------- sources

  // The choice, made while reset lasts.
  localparam coord_t HERE = '{x: 1, y: 1};
  localparam name_t NAME[2] = '{
      '{root: '{x: 1, y: 1}, tag: 0},
      '{root: '{x: 3, y: 1}, tag: 1}
  };
  region_coord_t base_q[2], mask_q[2];
  left_t left_q[2], marked_q;
  port_set_t join_set[2];
  coord_t contributor[2][NUM_PORTS];
  window_t window[2][NUM_PORTS];
  logic [1:0] is_merged;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      for (int unsigned f = 0; f < 2; f++) base_q[f] <= base_i[f] & ~mask_i[f];
      mask_q   <= mask_i;
      left_q   <= left_i;
      marked_q <= marked_i;
    end
  end

  for (genvar f = 0; f < 2; f++) begin : gen_flow
    noccl_join_set u_join_set (
        .position_i(HERE),
        .base_i    (base_q[f]),
        .mask_i    (mask_q[f]),
        .root_i    (NAME[f].root),
        .ports_o   (join_set[f]),
        .meets_o   (is_merged[f])
    );
    noccl_contributors u_contributors (
        .position_i   (HERE),
        .base_i       (base_q[f]),
        .mask_i       (mask_q[f]),
        .root_i       (NAME[f].root),
        .contributor_o(contributor[f]),
        .window_o     (window[f]),
        .has_ahead_o  (),
        .ahead_o      ()
    );
  end

  // Beats sent and credits given, per flow and input; what is at the heads.
  beats_t sent_q[2][NUM_PORTS], given_q[2][NUM_PORTS];
  port_set_t valid_q, is_second_q, absorb, forward, offers, meets;
  beats_t beat_q[NUM_PORTS];
  wide_hdr_t head[NUM_PORTS];
  wide_data_t operand[NUM_PORTS];

  always_comb begin
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      automatic logic f = is_second_i[i];
      offers[i] = offers_i[i] && is_merged[f] && join_set[f][i] &&
          (!valid_q[i] || absorb[i]) && sent_q[f][i] <= beats_t'(left_q[f]) &&
          sent_q[f][i] < beats_t'(window[f][i]) + given_q[f][i];
      meets[i] = is_merged[is_second_q[i]];
      head[i] = '0;
      head[i].kind = noccl_flit_pkg::WIDE_REDUCE;
      head[i].dst = NAME[is_second_q[i]].root;
      head[i].tag = NAME[is_second_q[i]].tag;
      head[i].base = base_q[is_second_q[i]];
      head[i].mask = mask_q[is_second_q[i]];
      head[i].left = left_t'(beats_t'(left_q[is_second_q[i]]) - beat_q[i]);
      head[i].line = noccl_flit_pkg::line_t'(beat_q[i]);
      operand[i] = wide_data_t'(unsigned'(i + 1));
      operand[i][MARK] = !is_second_q[i] && beat_q[i] == beats_t'(marked_q);
      operand[i][OTHER] = !operand[i][MARK];
    end
  end

  // ------------------------------------------------------------------------------------ unit, store, arithmetic

  logic result_valid, is_partial, dca_valid, dca_ready, has_third, arithmetic_valid, result_taken;
  logic arithmetic_ready, credit_return_valid, own_valid;
  wide_hdr_t result;
  port_set_t we, re;
  store_address_t waddr[NUM_PORTS], raddr;
  wide_data_t rdata[NUM_PORTS], term[3], combined;
  dca_tag_t tag, held_tag[Stages];
  wide_data_t held_data[Stages];
  coord_t credit_return_dst;
  name_t credit_return_name, own_name;

  noccl_reduction u_reduction (
      .clk_i,
      .rst_ni,
      .position_i           (HERE),
      .join_valid_i         (valid_q),
      .head_i               (head),
      .meets_i              (meets),
      .is_whole_i           ('1),
      .absorb_o             (absorb),
      .forward_o            (forward),
      .result_valid_o       (result_valid),
      .result_hdr_o         (result),
      .result_ready_i,
      .store_we_o           (we),
      .store_partial_o      (is_partial),
      .store_waddr_o        (waddr),
      .store_re_o           (re),
      .store_raddr_o        (raddr),
      .store_rdata_i        (rdata),
      .dca_valid_o          (dca_valid),
      .dca_ready_i          (dca_ready),
      .dca_operator_o       (),
      .dca_element_o        (),
      .dca_operand_o        (term),
      .dca_has_third_o      (has_third),
      .dca_tag_o            (tag),
      .dca_result_valid_i   (arithmetic_valid),
      .dca_result_ready_o   (arithmetic_ready),
      .dca_result_tag_i     (held_tag[0]),
      .credit_valid_i       (1'b0),
      .credit_name_i        ('0),
      .credit_hit_o         (),
      .credit_return_valid_o(credit_return_valid),
      .credit_return_dst_o  (credit_return_dst),
      .credit_return_name_o (credit_return_name),
      .credit_return_ready_i,
      .own_valid_o          (own_valid),
      .own_name_o           (own_name)
  );

  for (genvar i = 0; i < int'(NUM_PORTS); i++) begin : gen_bank
    localparam bit HasPartials = noccl_collective_pkg::PARTIALS_BANK[i];
    // Operands of an input differ in two bits.
    localparam int unsigned Width = HasPartials ? noccl_cfg_pkg::WIDE_BITS : 2;
    localparam int unsigned Lowest = noccl_cfg_pkg::WIDE_BITS - Width;
    wide_data_t wdata;
    logic [Width-1:0] bits;
    assign wdata = HasPartials && is_partial ? held_data[0] : operand[i];
    noccl_store_bank #(
        .Width(Width)
    ) u_bank (
        .clk_i,
        .rst_ni,
        .we_i   (we[i]),
        .waddr_i(waddr[i]),
        .wdata_i(wdata[noccl_cfg_pkg::WIDE_BITS-1:Lowest]),
        .re_i   (re[i]),
        .raddr_i(raddr),
        .rdata_o(bits)
    );
    if (HasPartials) begin : gen_whole
      assign rdata[i] = bits;
    end else begin : gen_bits
      assign rdata[i] = {bits, Lowest'(unsigned'(i + 1))};
    end
  end

  function automatic wide_data_t combine(wide_data_t a, wide_data_t b);
    return {a[MARK] | b[MARK], a[OTHER] | b[OTHER], {a[OTHER-4:0], 3'b0} | b[OTHER-1:0]};
  endfunction

  noccl_any_arithmetic #(
      .Stages(Stages)
  ) u_arithmetic (
      .clk_i,
      .rst_ni,
      .would_take_i(ready_i),
      .would_give_i(comes_i),
      .valid_i     (dca_valid),
      .ready_o     (dca_ready),
      .tag_i       (tag),
      .combined_i  (combined),
      .valid_o     (arithmetic_valid),
      .ready_i     (arithmetic_ready),
      .num_held_o  (),
      .tag_o       (held_tag),
      .data_o      (held_data)
  );

  assign combined = has_third ? combine(
      combine(term[0], term[1]), term[2]
  ) : combine(
      term[0], term[1]
  );
  assign result_taken = result_valid && result_ready_i;

  // --------------------------------------------------------------------------------------------- scoreboard

  // Sums that have left, per flow.
  beats_t gone_q[2];
  logic [1:0] leaves;
  logic is_wrong;

  always_comb begin
    digits_t digits;
    is_wrong = 1'b0;
    leaves   = '0;
    for (int unsigned f = 0; f < 2; f++) begin
      digits = '0;
      for (int unsigned i = 0; i < NUM_PORTS; i++) begin
        if (join_set[f][i]) digits = {digits[OTHER-4:0], 3'(i + 1)};
      end
      if (result_valid && result.dst == NAME[f].root && result.tag == NAME[f].tag) begin
        leaves[f] = 1'b1;
        is_wrong |= held_data[0][OTHER-1:0] != digits ||
            held_data[0][MARK] != (f == 0 && gone_q[f] == beats_t'(marked_q)) ||
            held_data[0][OTHER] == held_data[0][MARK] ||
            result.line != noccl_flit_pkg::line_t'(gone_q[f]) ||
            gone_q[f] > beats_t'(left_q[f]);
      end
    end
    if (result_valid && leaves == '0) is_wrong = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    valid_q <= rst_ni ? offers | (valid_q & ~absorb) : '0;
    for (int unsigned f = 0; f < 2; f++) begin
      gone_q[f] <= rst_ni ? gone_q[f] + beats_t'(leaves[f] && result_taken) : '0;
    end
    for (int unsigned i = 0; i < NUM_PORTS; i++) begin
      if (offers[i]) begin
        is_second_q[i] <= is_second_i[i];
        beat_q[i] <= sent_q[is_second_i[i]][i];
      end
      for (int unsigned f = 0; f < 2; f++) begin
        if (!rst_ni) sent_q[f][i] <= '0;
        else if (offers[i] && is_second_i[i] == (f == 1)) sent_q[f][i] <= sent_q[f][i] + 1'b1;
        if (!rst_ni) given_q[f][i] <= '0;
        else if (i == LOCAL ? own_valid && own_name == NAME[f]
                 : credit_return_valid && credit_return_ready_i && credit_return_name == NAME[f] &&
                   credit_return_dst == contributor[f][i] && join_set[f][i]) begin
          given_q[f][i] <= given_q[f][i] + beats_t'(4);
        end
      end
    end
  end

  `NOCCL_ASSERT(SumsAreOfTheirBeat, !is_wrong)
  `NOCCL_ASSERT(NothingGoesPast, forward == '0)

endmodule
