// SPDX-License-Identifier: Apache-2.0
// What the network may offer a merge table: contributions of some transactions, chosen by the solver.
//
// Router, root and set are chosen once. Heads wait until they leave; a transaction never has more leaves than its
// set; its name comes again only after all of them have left the table.

module noccl_merge_heads
  import noccl_flit_pkg::coord_t, noccl_flit_pkg::region_coord_t, noccl_flit_pkg::count_t;
  import noccl_props_pkg::hdr_t, noccl_props_pkg::index_t;
#(
    /// Transactions in flight.
    parameter int unsigned NumNames  = 3,
    /// Inputs that contribute.
    parameter int unsigned NumInputs = 2
) (
    /// Clock.
    input  logic                          clk_i,
    /// Synchronous reset, active low: while it lasts, the choice is made.
    input  logic                          rst_ni,
    /// The choice: position, root and set.
    input  coord_t                        position_i,
    input  coord_t                        root_i,
    input  region_coord_t                 base_i,
    input  region_coord_t                 mask_i,
    input  logic                          own_copy_i,
    /// Per input: a contribution comes as soon as there is space; its transaction, leaves and
    /// response.
    input  logic          [NumInputs-1:0] offer_i,
    input  index_t                        name_i    [NumInputs],
    input  count_t                        count_i   [NumInputs],
    input  logic          [NumInputs-1:0] is_wrong_i,
    /// The head leaves.
    input  logic          [NumInputs-1:0] leaves_i,
    /// All leaves of the transaction have left the table.
    input  logic          [ NumNames-1:0] is_over_i,
    /// The chosen position.
    output coord_t                        position_o,
    /// Per transaction: its header, with all of its leaves; those that have come so far.
    output hdr_t                          whole_o   [ NumNames],
    output count_t                        come_o    [ NumNames],
    /// Heads, and whose they are.
    output logic          [NumInputs-1:0] valid_o,
    output hdr_t                          head_o    [NumInputs],
    output index_t                        name_o    [NumInputs]
);

  coord_t root_q;
  region_coord_t base, base_q, mask_q;
  logic own_copy_q;
  index_t name_q[NumInputs];
  count_t count_q[NumInputs];
  logic [NumInputs-1:0] is_wrong_q, comes;
  count_t come_q[NumNames], come_d[NumNames];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      position_o <= position_i;
      root_q <= root_i;
      base_q <= base_i;
      mask_q <= mask_i;
      own_copy_q <= own_copy_i;
    end
  end

  assign base = base_q & ~mask_q;

  for (genvar n = 0; n < int'(NumNames); n++) begin : gen_name
    coord_t root;
    count_t all;
    logic   own_copy;

    // Names differ in the tag, or in the root and not in the tag.
    assign root.x = root_q.x ^ noccl_cfg_pkg::X_BITS'(unsigned'(n / 2));
    assign root.y = root_q.y;
    // Only members have an own copy.
    assign own_copy = own_copy_q &&
        (noccl_cfg_pkg::REGION_X_BITS'(root.x) & ~mask_q.x) == base.x &&
        (noccl_cfg_pkg::REGION_Y_BITS'(root.y) & ~mask_q.y) == base.y;

    noccl_leaves u_leaves (
        .position_i(position_o),
        .base_i    (base),
        .mask_i    (mask_q),
        .toward_i  (noccl_flit_pkg::toward(position_o, root)),
        .leaves_o  (all)
    );

    always_comb begin
      whole_o[n] = '0;
      whole_o[n].dst = root;
      whole_o[n].src = root;
      whole_o[n].base = base;
      whole_o[n].mask = mask_q;
      whole_o[n].tag = noccl_flit_pkg::tag_t'(n % 2);
      whole_o[n].own_copy = own_copy;
      // The initiator's own response does not come.
      whole_o[n].count = all - count_t'(own_copy && root == position_o);
    end
  end

  always_comb begin
    for (int unsigned i = 0; i < NumInputs; i++) begin
      head_o[i] = whole_o[0];
      for (int unsigned n = 1; n < NumNames; n++) begin
        if (name_q[i] == index_t'(n)) head_o[i] = whole_o[n];
      end
      head_o[i].count = count_q[i];
      head_o[i].resp  = is_wrong_q[i] ? noccl_flit_pkg::RESP_SLVERR : noccl_flit_pkg::RESP_OKAY;
    end
  end

  always_comb begin
    comes  = '0;
    come_d = come_q;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      for (int unsigned n = 0; n < NumNames; n++) begin
        if (offer_i[i] && (!valid_o[i] || leaves_i[i]) && name_i[i] == index_t'(n) &&
            count_i[i] != '0 && count_i[i] <= whole_o[n].count - come_d[n]) begin
          comes[i]  = 1'b1;
          come_d[n] = come_d[n] + count_i[i];
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    valid_o <= rst_ni ? comes | (valid_o & ~leaves_i) : '0;
    for (int unsigned i = 0; i < NumInputs; i++) begin
      if (comes[i]) begin
        name_q[i] <= name_i[i];
        count_q[i] <= count_i[i];
        is_wrong_q[i] <= is_wrong_i[i];
      end
    end
    for (int unsigned n = 0; n < NumNames; n++) begin
      come_q[n] <= !rst_ni || is_over_i[n] ? '0 : come_d[n];
    end
  end

  assign come_o = come_q;
  assign name_o = name_q;

endmodule
