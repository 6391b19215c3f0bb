// SPDX-License-Identifier: Apache-2.0
//! Faults of the hardware that lock-step must notice: tests ask for libraries with them.

use super::replacement::Replacement;
use noccl_rtl::SourceFile;

/// A fault.
pub struct Mutant {
    pub name: &'static str,
    pub fault: Replacement,
}

impl Mutant {
    const fn new(
        name: &'static str,
        module: &'static str,
        right: &'static str,
        wrong: &'static str,
    ) -> Self {
        let fault = Replacement {
            module,
            right,
            wrong,
        };
        Self { name, fault }
    }

    /// The fault of a name.
    pub fn named(name: &str) -> &'static Self {
        let found = MUTANTS.iter().find(|m| m.name == name);
        found.unwrap_or_else(|| panic!("no fault {name}"))
    }

    /// Puts the fault into the sources.
    pub fn apply(&self, sources: &mut [SourceFile]) {
        self.fault.apply(self.name, sources);
    }
}

/// All of them.
pub const MUTANTS: &[Mutant] = &[
    // The grant stays with the one that was served.
    Mutant::new(
        "arbiter",
        "noccl_rr_arbiter",
        "grant_o[i-1:0] != '0;",
        "grant_o[i:0] != '0;",
    ),
    // A multicast forgets the column of its last members.
    Mutant::new(
        "route",
        "noccl_route",
        "last_x > here_x;",
        "last_x > here_x + 1;",
    ),
    // The same transaction is granted again.
    Mutant::new(
        "merge",
        "noccl_merge_grant",
        "leads[i-1:0] != '0;",
        "leads[i:0] != '0;",
    ),
    // The third operand is combined before the second.
    Mutant::new(
        "order",
        "noccl_reduction_issue",
        "selects[1] = second_ports & ~third_ports;\n    selects[2] = third_ports;",
        "selects[1] = third_ports != '0 ? third_ports : second_ports;\n    selects[2] = third_ports != '0 ? second_ports & ~third_ports : '0;",
    ),
    // Of two operands per pass: of four operands the last two are combined in the other order.
    Mutant::new(
        "pass",
        "noccl_reduction_issue",
        "by_left[second_left] |",
        "by_left[second_left ^ passes_t'($countones(join_i[second.slot]) == 4)] |",
    ),
    // Every further pass is the last one, so operands between it and the first are missing.
    Mutant::new(
        "missing",
        "noccl_reduction_issue",
        "waiting_left_q[last_q] <= dca_result_tag_i.passes_left - 1'b1;",
        "waiting_left_q[last_q] <= '0;",
    ),
    // The youngest flow goes first.
    Mutant::new(
        "age",
        "noccl_reduction_queues",
        "ready[other] && before_q[other][s]",
        "ready[other] && before_q[s][other]",
    ),
    // CreditBeats for four beats more than needed is given back.
    Mutant::new(
        "credit",
        "noccl_reduction_credits",
        "32'(reduced_left) >=",
        "32'(reduced_left) + 1 >=",
    ),
    // Senders have a batch of credits less.
    Mutant::new(
        "window",
        "noccl_contributors",
        "window = noccl_cfg_pkg::WINDOW_BEATS;",
        "window = noccl_cfg_pkg::WINDOW_BEATS - 4;",
    ),
    // Windows do not grow with the register stages of links.
    Mutant::new(
        "stages",
        "noccl_contributors",
        "window += noccl_collective_pkg::LINK_STAGES;",
        "window += 0;",
    ),
    // Links of the response plane have a stage less.
    Mutant::new(
        "link",
        "noccl_link",
        ".Stages(noccl_cfg_pkg::RSP_LINK_CYCLES - 1)",
        ".Stages(noccl_cfg_pkg::RSP_LINK_CYCLES - 2)",
    ),
    // A grant goes on a cycle later.
    Mutant::new(
        "grant",
        "noccl_torrent_follow",
        "state_q == LOAD || (state_q == SERVE && !granted_q)",
        "state_q == SERVE && !granted_q",
    ),
    // Finishes go before grants, grants before configurations.
    Mutant::new(
        "priority",
        "noccl_torrent_messages",
        "granted = valid_i & (~valid_i + 1'b1);",
        "granted = valid_i[2] ? 3'b100 : valid_i[1] ? 3'b010 : valid_i;",
    ),
    // The next tile is assumed to have buffer space for a burst less.
    Mutant::new(
        "space",
        "noccl_torrent_send",
        "open_q != CountBits'(BufferBursts));",
        "open_q < CountBits'(BufferBursts - 1));",
    ),
    // Responses of memories bear another code.
    Mutant::new(
        "code",
        "noccl_ni_responses",
        "flit.hdr.resp = response.resp;",
        "flit.hdr.resp = noccl_flit_pkg::RESP_EXOKAY;",
    ),
    // A response keeps the grant.
    Mutant::new(
        "slot",
        "noccl_ni_responses",
        ".ready_i(slot_taken)",
        ".ready_i(1'b0)",
    ),
    // The second half of a long burst goes to the place of the first.
    Mutant::new(
        "address",
        "noccl_ni_wide_write",
        "sent_burst.line + noccl_flit_pkg::line_t'(sent_beat);",
        "sent_burst.line + noccl_flit_pkg::line_t'(sent_beat[4:0]);",
    ),
    // A member has a batch of credits less.
    Mutant::new(
        "own_window",
        "noccl_window",
        "window_t'(noccl_cfg_pkg::WINDOW_BEATS) : ahead;",
        "window_t'(noccl_cfg_pkg::WINDOW_BEATS - 4) : ahead;",
    ),
    // A barrier waits for a member too many.
    Mutant::new(
        "count",
        "noccl_ni_barriers",
        "missing = noccl_ni_pkg::num_members(hdr_i.mask) - hdr_i.count;",
        "missing = noccl_ni_pkg::num_members(hdr_i.mask) - hdr_i.count + 1'b1;",
    ),
    // Members that differ in their operator are not told from those that agree.
    Mutant::new(
        "operator",
        "noccl_reduction_flows",
        "flow_q[s].op != head_i[i].op",
        "1'b0",
    ),
    // Nor those that enable a part of a line.
    Mutant::new("partial", "noccl_reduction_flows", "|| !is_whole_i[i]", ""),
    // A barrier whose name is in use is served.
    Mutant::new(
        "in_use",
        "noccl_ni_barriers",
        "(has_tag) is_in_use = 1'b1;",
        "(has_tag) is_in_use = 1'b0;",
    ),
    // One wide write, wide read or narrow transaction more than the limit is open.
    Mutant::new(
        "open_writes",
        "noccl_ni_wide_b",
        "$countones(busy_q)) >= noccl_cfg_pkg",
        "$countones(busy_q)) > noccl_cfg_pkg",
    ),
    Mutant::new(
        "open_reads",
        "noccl_ni_wide_read",
        "$countones(busy_q)) >= noccl_cfg_pkg",
        "$countones(busy_q)) > noccl_cfg_pkg",
    ),
    Mutant::new(
        "open_words",
        "noccl_ni_narrow",
        ")) < noccl_cfg_pkg::MAX_NARROW_OUTSTANDING",
        ")) <= noccl_cfg_pkg::MAX_NARROW_OUTSTANDING",
    ),
    // A transfer that begins goes before those that are open.
    Mutant::new(
        "oldest",
        "noccl_ni_write_arbiter",
        "is_older[a][b] = begins_i[b];",
        "is_older[a][b] = begins_i[a];",
    ),
    // All bursts of a contribution bear the same name.
    Mutant::new(
        "name",
        "noccl_dma_channel",
        "tag_d = start_i ? transfer_i.user.tag : opens ? tag_q + 1'b1 : tag_q;",
        "tag_d = start_i ? transfer_i.user.tag : tag_q;",
    ),
    // A transfer loses its place after each burst.
    Mutant::new(
        "place",
        "noccl_dma_channel",
        "continues_d = !start_i && (continues_q || opens);",
        "continues_d = 1'b0;",
    ),
    // Read data pass through an engine a cycle early.
    Mutant::new(
        "settled",
        "noccl_dma",
        "(is_to_own[c] || remote_is_settled);",
        "(is_to_own[c] || remote_valid);",
    ),
    // A multicast's own copy overtakes earlier writes of the tile to itself.
    Mutant::new(
        "overtake",
        "noccl_ni_wide_write",
        "&& (adds_own_q || own_in_flight_q != '0);",
        "&& 1'b0;",
    ),
];
