// SPDX-License-Identifier: Apache-2.0
//! Routers: the form in files, which is one for all kinds, and the rules of each kind in a file of its own.
//!
//! All kinds have the same fields, so that a file may change its kind by one override, and overrides may repair a file: what
//! a kind asks of them is checked when all are known. Only [`RouterFlow::rules`] tells the kinds apart.

mod bypass;
mod collective;
mod esp;
mod ideal;
mod links;
mod published;
mod smart;

pub use bypass::RouterBypass;
pub use collective::BEATS_PER_CREDIT;
pub use links::LinkCycles;
pub use smart::{
    SmartMergeScope, SmartMulticast, SmartPriority, SmartReduction, SmartRouter, SmartTree,
};

use crate::ranges::Table;
use crate::validate::Checked;
use crate::{AxiTiles, EspRouter, Mesh, OutOfRange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Router microarchitecture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Router {
    /// How packets share links and how collective packets wait for each other.
    pub flow: RouterFlow,
    /// Slots of the FIFO at each input port, 1 to 16; with one slot a flit passes every second cycle. With `esp` 2 to 64, with `ideal`
    /// only 0.
    pub input_fifo_flits: u32,
    /// Slots of the FIFO at each output port, 1 to 16; with `esp` only 0, with `ideal` only 2.
    pub output_fifo_flits: u32,
    /// Transactions whose narrow contributions (B, barrier) one router merges at a time.
    pub merge_table_entries: u32,
    /// Cycles from a contribution at the head of a FIFO to its request for an output: 1, or 3 with registers behind its grant
    /// and behind the decision, for a path between registers that is half as long.
    #[serde(default = "links::one_cycle")]
    pub merge_cycles: u32,
    /// Cycles of a link from router to router.
    #[serde(default, skip_serializing_if = "LinkCycles::is_default")]
    pub link_cycles: LinkCycles,
    /// The shared arithmetic reduction of the wide plane.
    pub wide_reduction: WideReduction,
    /// What flow `esp` needs, and only that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub esp: Option<EspRouter>,
    /// Routers that flits pass in flight; may be there with flow `non_blocking`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bypass: Option<RouterBypass>,
    /// What flow `smart` needs, and only that.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub smart: Option<SmartRouter>,
}

/// Sharing of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RouterFlow {
    /// Every write beat is a packet of its own, contributions wait in tables instead of FIFOs: free of deadlock.
    NonBlocking,
    /// The published router: wormholes, forks that hold their outputs, joins at FIFO heads. Can deadlock.
    #[serde(alias = "peer_compatible")]
    Published,
    /// ESP's router: a packet reserves all its outputs at once and moves over them in lock-step. Multicasts by a list of
    /// destinations in the header, and nothing else. Can deadlock.
    Esp,
    /// No routers at all, a baseline: every interface reaches every other one in one cycle, limited by a flit per cycle and
    /// plane into and out of each. Free of deadlock.
    Ideal,
    /// S2's routers: a flit passes several of them in one cycle, over paths that are set up a cycle ahead. They fork multicasts and
    /// combine reductions on these paths. Free of deadlock.
    Smart,
}

/// The arithmetic reduction unit of a router (S1 §3.1.4).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WideReduction {
    /// Operands per cycle.
    pub kind: WideReductionKind,
    /// Register stages between router and FPUs, both directions together.
    pub cut_cycles: u32,
    /// Beats of waiting contributions one tile can set aside (in its L1): at least four windows.
    pub store_beats: u32,
    /// Beats of one transaction that may be in flight from one merge point to the next: at least the four of a credit.
    pub window_beats: u32,
}

/// Operands that the reduction unit takes per cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum WideReductionKind {
    /// One addition per cycle: three inputs give one beat per two cycles (the paper's).
    TwoOperand,
    /// Two chained additions per cycle: three inputs give one beat per cycle.
    ThreeOperand,
}

/// What a kind of router asks of a spec.
pub(crate) trait RouterRules: Sync {
    /// Name in files.
    fn name(&self) -> &'static str;

    /// Ranges of the numbers of `[router]`, in the order of the file.
    fn ranges(&self, router: &Router, table: &mut Table);

    /// Does it fold three operands in one cycle?
    fn reduces_three(&self) -> bool;

    /// Has it tables and operand stores? Else their sizes have no effect.
    fn has_stores(&self) -> bool;

    /// Tables that are there with this kind, and only with it.
    fn own_tables(&self) -> &'static [&'static str] {
        &[]
    }

    /// May flits pass several of them in a cycle, by a table that every kind of FIFO routers could have?
    fn may_have_bypass(&self) -> bool {
        false
    }

    /// May clusters have Torrent endpoints? Not beside network interfaces with a protocol of their own.
    fn takes_torrent(&self) -> bool {
        true
    }

    /// Why its flits have a width of their own, and not that of the network interface's beat.
    fn own_flits(&self) -> Option<&'static str> {
        None
    }

    /// Fields that choose among its variants.
    fn variants(&self) -> &'static [VariantField] {
        &[]
    }
}

/// A field of a spec by its dotted path, with values as files have them. Values of several fields may exclude each other: [`crate::validate()`]
/// and the network's elaboration say so.
pub type VariantField = (&'static str, &'static [&'static str]);

impl RouterFlow {
    /// All kinds.
    pub const ALL: [Self; 5] = [
        Self::NonBlocking,
        Self::Published,
        Self::Esp,
        Self::Ideal,
        Self::Smart,
    ];

    /// Name in files.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.rules().name()
    }

    /// Fields that choose among the variants of these routers, and values at and between the ends of what differs; none where the
    /// routers are of one kind. Random tests draw from them; a value that stands there twice is drawn more often.
    #[must_use]
    pub fn variants(self) -> &'static [VariantField] {
        self.rules().variants()
    }

    /// The rules of a kind.
    pub(crate) const fn rules(self) -> &'static dyn RouterRules {
        match self {
            Self::NonBlocking => &collective::Collective,
            Self::Published => &published::Published,
            Self::Esp => &esp::Esp,
            Self::Ideal => &ideal::Ideal,
            Self::Smart => &smart::Smart,
        }
    }
}

/// Units of two operands add two per cycle.
pub(crate) fn check_unit(router: &Router) -> Checked {
    let rules = router.flow.rules();
    match router.wide_reduction.kind {
        WideReductionKind::TwoOperand => Ok(()),
        WideReductionKind::ThreeOperand if rules.reduces_three() => Ok(()),
        WideReductionKind::ThreeOperand => Err(OutOfRange {
            field: "router.wide_reduction.kind".to_owned(),
            found: "\"three_operand\"".to_owned(),
            accepted: format!(
                "must be \"two_operand\" with router.flow = \"{}\" (the published unit has two operands; the presets collective_noc_WxH_published have both)",
                rules.name()
            ),
        }),
    }
}

/// What the fields of `router.smart` ask of each other.
pub(crate) fn check_smart(router: &Router) -> Checked {
    router.smart.as_ref().map_or(Ok(()), smart::check)
}

/// What `router.bypass` asks of the routers and endpoints.
pub(crate) fn check_bypass(axi: &AxiTiles) -> Checked {
    bypass::check(axi)
}

/// The tables of a protocol are there where the routers speak it, and only there; clusters are of one kind.
pub(crate) fn check_tables(axi: &AxiTiles) -> Checked {
    let rules = axi.router.flow.rules();
    let has_torrent = axi.cluster.torrent.is_some();
    let is_own = |field: &str| rules.own_tables().contains(&field);
    let own = |field, is_there| (field, is_there, is_own(field));
    let tables = [
        own("router.esp", axi.router.esp.is_some()),
        own("cluster.esp", axi.cluster.esp.is_some()),
        own("router.smart", axi.router.smart.is_some()),
        (
            "cluster.torrent",
            has_torrent,
            has_torrent && rules.takes_torrent(),
        ),
    ];
    for (field, is_there, is_wanted) in tables {
        if is_there != is_wanted {
            let needed = if is_wanted {
                "must be there"
            } else {
                "must be absent"
            };
            return Err(OutOfRange {
                field: field.to_owned(),
                found: if is_there { "a table" } else { "nothing" }.to_owned(),
                accepted: format!("{needed} with router.flow = \"{}\"", rules.name()),
            });
        }
    }
    Ok(())
}

/// Sizes of stores that the routers do not have, one sentence each.
pub(crate) fn idle_sizes(router: &Router) -> Vec<String> {
    let rules = router.flow.rules();
    let wide = &router.wide_reduction;
    let sizes = [
        ("router.merge_table_entries", router.merge_table_entries),
        ("router.wide_reduction.store_beats", wide.store_beats),
        ("router.wide_reduction.window_beats", wide.window_beats),
    ];
    let idle = |(_, value): &(&str, u32)| *value != 0 && !rules.has_stores();
    let sentence = |(field, value)| {
        format!(
            "{field} = {value} has no effect with router.flow = \"{}\"; write 0 there",
            rules.name()
        )
    };
    sizes.into_iter().filter(idle).map(sentence).collect()
}

impl Table {
    pub(crate) fn router(&mut self, axi: &AxiTiles, mesh: &Mesh) {
        axi.router.flow.rules().ranges(&axi.router, self);
        if let Some(bypass) = &axi.router.bypass {
            bypass::own_ranges(bypass, mesh, self);
        }
        if let Some(esp) = &axi.router.esp {
            esp::own_ranges(esp, self);
        }
        if let Some(smart) = &axi.router.smart {
            smart::own_ranges(smart, self);
        }
    }

    /// Routers with a FIFO at each port, and links with registers between them.
    fn ports(&mut self, router: &Router) {
        self.any("router.input_fifo_flits", router.input_fifo_flits, 1..=16);
        self.any("router.output_fifo_flits", router.output_fifo_flits, 1..=16);
        for (field, cycles) in links::fields(&router.link_cycles) {
            self.any(field, cycles, 1..=8);
        }
    }

    /// Sizes of tables and stores that the routers do not have.
    fn no_stores(&mut self, router: &Router) {
        let entries = router.merge_table_entries;
        self.any("router.merge_table_entries", entries, 0..=256);
        self.only("router.merge_cycles", router.merge_cycles, 1);
        self.no_wide_reduction(router);
    }

    /// Sizes of the shared unit for wide reductions, where there is none.
    fn no_wide_reduction(&mut self, router: &Router) {
        let wide = &router.wide_reduction;
        self.any("router.wide_reduction.cut_cycles", wide.cut_cycles, 0..=16);
        self.any(
            "router.wide_reduction.store_beats",
            wide.store_beats,
            0..=1 << 20,
        );
        self.any(
            "router.wide_reduction.window_beats",
            wide.window_beats,
            0..=256,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::RouterFlow;

    #[test]
    fn a_kind_has_one_name() {
        for flow in RouterFlow::ALL {
            let written = toml::Value::try_from(flow).unwrap();
            assert_eq!(written.as_str(), Some(flow.name()));
        }
    }
}
