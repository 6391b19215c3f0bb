// SPDX-License-Identifier: Apache-2.0
//! Faults of the routers with bypass that random messages in lock-step must notice.

use super::replacement::Replacement;
use noccl_rtl::SourceFile;

/// Which routers a fault is put into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routers {
    /// Priority `local`, one cycle of setup: the preset.
    Preset,
    /// Priority `local`, two cycles of setup.
    TwoCycles,
    /// Priority `bypass`.
    BypassFirst,
}

/// A fault, by what it does.
#[derive(Debug, Clone, Copy)]
pub struct Mutant {
    pub name: &'static str,
    pub routers: Routers,
    pub fault: Replacement,
}

impl Mutant {
    const fn new(
        name: &'static str,
        routers: Routers,
        module: &'static str,
        (right, wrong): (&'static str, &'static str),
    ) -> Self {
        Self {
            name,
            routers,
            fault: Replacement {
                module,
                right,
                wrong,
            },
        }
    }

    /// Puts the fault into the sources.
    pub fn apply(&self, sources: &mut [SourceFile]) {
        self.fault.apply(self.name, sources);
    }
}

/// All of them.
pub const MUTANTS: [Mutant; 23] = [
    Mutant::new(
        "the order of channels stays with the one that was granted",
        Routers::Preset,
        "noccl_smart_choice",
        (
            "~(grant_i.channel | (grant_i.channel - 1'b1)) : from_q",
            "~(grant_i.channel - 1'b1) : from_q",
        ),
    ),
    Mutant::new(
        "an input sends flits that are not the earliest",
        Routers::Preset,
        "noccl_smart_choice",
        (
            "chosen_usable[o] && chosen_next[o] == choice_o.index",
            "chosen_usable[o]",
        ),
    ),
    Mutant::new(
        "a channel is free a cycle early",
        Routers::Preset,
        "noccl_smart_input",
        ("leave_t'(GrantedCycles + 1)", "leave_t'(GrantedCycles)"),
    ),
    Mutant::new(
        "what is dropped keeps its channel a cycle longer",
        Routers::Preset,
        "noccl_smart_input",
        (
            "latch_is_dropped_i) leave_d[c] = leave_t'(1);",
            "latch_is_dropped_i) leave_d[c] = leave_t'(2);",
        ),
    ),
    Mutant::new(
        "a packet forgets that it owns channels",
        Routers::Preset,
        "noccl_smart_input",
        ("owned_granted[c][o] = 1'b1;", "owned_granted[c][o] = 1'b0;"),
    ),
    Mutant::new(
        "the highest free channel is taken",
        Routers::Preset,
        "noccl_smart_input",
        (
            "take_channel_o = lowest(~busy_q & channels_of(take_header_i.kind));",
            "take_channel_o = lowest(~busy_q & channels_of(take_header_i.kind) & ~channel_set_t'(1));",
        ),
    ),
    Mutant::new(
        "the order of inputs stays with the one that was granted",
        Routers::Preset,
        "noccl_smart_local_allocation",
        (
            "granted != '0 ? ~(granted | (granted - 1'b1)) : from_q",
            "granted != '0 ? ~(granted - 1'b1) : from_q",
        ),
    ),
    Mutant::new(
        "a grant stands though its last channel has been taken",
        Routers::TwoCycles,
        "noccl_smart_local_allocation",
        ("IsEarlyGrant ? given[p] & left : given[p]", "given[p]"),
    ),
    Mutant::new(
        "a path goes on where the router uses the input itself",
        Routers::Preset,
        "noccl_smart_line",
        (
            "(reaches & nearest) != '0 && !own_i.valid && !input_is_used_i &&",
            "(reaches & nearest) != '0 && !own_i.valid &&",
        ),
    ),
    Mutant::new(
        "a path goes on where no channel is free behind",
        Routers::Preset,
        "noccl_smart_line",
        (
            "open[request.header.kind] && (!request.header.is_counted || is_last)",
            "(!request.header.is_counted || is_last)",
        ),
    ),
    Mutant::new(
        "a counted contribution passes where others are to come",
        Routers::Preset,
        "noccl_smart_line",
        (
            "open[request.header.kind] && (!request.header.is_counted || is_last)",
            "open[request.header.kind]",
        ),
    ),
    Mutant::new(
        "later flits pass where the packet goes on by itself",
        Routers::Preset,
        "noccl_smart_line",
        ("return IsBypassFirst || !ends;", "return 1'b1;"),
    ),
    Mutant::new(
        "the nearest request wins where the farthest should",
        Routers::BypassFirst,
        "noccl_smart_line",
        (
            "(eligible >> (d + 1)) == '0",
            "(eligible & (distance_t'(1) << d) - 1'b1) == '0",
        ),
    ),
    Mutant::new(
        "every eighth cycle has the order of local",
        Routers::BypassFirst,
        "noccl_smart_order",
        ("LocalEvery = 16", "LocalEvery = 8"),
    ),
    Mutant::new(
        "later flits are told one hop too many",
        Routers::BypassFirst,
        "noccl_smart_beyond",
        ("went_o = hops_t'(1);", "went_o = hops_t'(2);"),
    ),
    Mutant::new(
        "no copy is kept of a multicast that passes",
        Routers::Preset,
        "noccl_smart_arrival",
        (
            "if (is_tree(coming_i.header)) take_outputs_o[Out] = 1'b0;",
            "if (is_tree(coming_i.header)) take_outputs_o = '0;",
        ),
    ),
    Mutant::new(
        "a packet that ends early does not go on by itself",
        Routers::Preset,
        "noccl_smart_arrival",
        (
            "coming_i.valid && !is_first && !passes_i && !ends && goes_further_i",
            "coming_i.valid && !is_first && !passes_i && !ends && goes_further_i && is_counted_o",
        ),
    ),
    Mutant::new(
        "an entry keeps its count when the last one passes",
        Routers::Preset,
        "noccl_smart_table",
        (
            "if (pass_valid_i[l] && pass_id_i[l] == id_t'(e)) count_d[e] = '0;",
            "if (pass_valid_i[l] && pass_id_i[l] == id_t'(e)) count_d[e] = count_q[e];",
        ),
    ),
    Mutant::new(
        "what passes leaves an operand behind",
        Routers::Preset,
        "noccl_smart_counting",
        (
            "is_combined = passed_has_data[o] && has_operand_q[o];",
            "is_combined = passed_has_data[o] && has_operand_q[o] && o != 1;",
        ),
    ),
    Mutant::new(
        "a sum is kept in the channel that latches now",
        Routers::Preset,
        "noccl_smart_flits",
        (
            "(IsContribution && combined_valid_i && latched_o[c])",
            "(IsContribution && combined_valid_i && latch_i.channel[c])",
        ),
    ),
    Mutant::new(
        "later flits follow the packet before",
        Routers::BypassFirst,
        "noccl_smart_follow",
        (
            "sent_i.channel[c] && sent_i.outputs[o] ? went_i[o] : follow_q[c][o]",
            "follow_q[c][o]",
        ),
    ),
    Mutant::new(
        "later flits ask for as many hops as the first",
        Routers::BypassFirst,
        "noccl_smart_request",
        (
            "HasFollow && asking_i[p].index != '0 ? follow_i[p][Out]",
            "1'b0 ? follow_i[p][Out]",
        ),
    ),
    Mutant::new(
        "an interface serves the same class again",
        Routers::Preset,
        "noccl_smart_ni",
        (
            "from_q <= ~(chosen | (chosen - 1'b1));",
            "from_q <= ~(chosen - 1'b1);",
        ),
    ),
];
