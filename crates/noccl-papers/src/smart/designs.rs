// SPDX-License-Identifier: Apache-2.0
//! What S2 compares, on a mesh of 8x8 with packets of one flit.

use super::hardware::clock_note;
use noccl_net::Network;
use noccl_studies::{Error, load};
use rayon::prelude::*;

/// A design of S2, and where it differs from a preset.
#[derive(Debug, Clone, Copy)]
pub(super) struct Design {
    pub(super) name: &'static str,
    preset: &'static str,
    fields: &'static [(&'static str, &'static str)],
    /// Do flits pass routers? Only then `hpc_max` and `setup_cycles` are varied.
    bypasses: bool,
}

/// What S2 leaves open, or others doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Setting {
    /// Virtual channels per message class and order class, but those of contributions.
    pub(super) vcs: u32,
    /// Virtual channels of contributions to reductions.
    pub(super) reduction_vcs: u32,
    pub(super) hpc_max: u32,
    pub(super) setup_cycles: u32,
}

/// Fitted to claim 10: of 2, 3, 4 and 8 the one at which the baseline accepts 0.58 of the ideal.
pub(super) const FITTED_VCS: u32 = 3;
/// Fitted to claim 13-port-saturation: of 2, 3, 4 and 8 the one at which the baseline's reductions saturate at 0.44.
pub(super) const FITTED_REDUCTION_VCS: u32 = 8;
/// Numbers of virtual channels whose results are shown together.
pub(super) const VCS: [u32; 4] = [2, FITTED_VCS, 4, FITTED_REDUCTION_VCS];

impl Setting {
    pub(super) const PUBLISHED: Setting = Setting {
        vcs: FITTED_VCS,
        reduction_vcs: FITTED_REDUCTION_VCS,
        hpc_max: 8,
        setup_cycles: 1,
    };
    /// Panels of a figure.
    pub(super) const PANELS: [Setting; 4] = [
        Self::PUBLISHED,
        Setting {
            setup_cycles: 2,
            ..Self::PUBLISHED
        },
        Setting {
            hpc_max: 7,
            ..Self::PUBLISHED
        },
        Setting {
            hpc_max: 4,
            ..Self::PUBLISHED
        },
    ];

    pub(super) const fn with_vcs(vcs: u32) -> Self {
        Setting {
            vcs,
            reduction_vcs: vcs,
            ..Self::PUBLISHED
        }
    }

    /// The setting of a row whose numbers name no other.
    pub(super) fn words(self) -> String {
        format!("measured with `vcs` {}", self.vcs)
    }

    /// The same of rows about reductions.
    pub(super) fn words_of_reductions(self) -> String {
        format!("measured with `reduction_vcs` {}", self.reduction_vcs)
    }

    /// A number for each of [`VCS`], as text.
    pub(super) fn words_by_vcs(
        number: impl Fn(Self) -> Result<f64, Error> + Sync,
    ) -> Result<String, Error> {
        let of = |vcs: &u32| {
            let number = number(Self::with_vcs(*vcs))?;
            Ok(format!("{number:.2} with vcs {vcs}"))
        };
        let words: Vec<String> = VCS.par_iter().map(of).collect::<Result<_, Error>>()?;
        Ok(words.join(", "))
    }

    /// Title of a panel: the setting, and in a line of its own what its clock is if that is not the published one.
    ///
    /// # Errors
    /// As [`clock_note`].
    pub(super) fn title(self) -> Result<String, Error> {
        let setting = format!("HPCmax {}, setup {}", self.hpc_max, self.setup_cycles);
        Ok(match clock_note(self)? {
            Some(note) => format!("{setting}\n{note}"),
            None => setting,
        })
    }
}

const fn design(
    name: &'static str,
    preset: &'static str,
    fields: &'static [(&'static str, &'static str)],
) -> Design {
    Design {
        name,
        preset,
        fields,
        bypasses: true,
    }
}

/// S2's Base+Coll.
pub(super) const BASELINE: Design = Design {
    bypasses: false,
    ..design("baseline", "smart_8x8_collective", &[])
};
/// The same where contributions meet that are buffered at any input of a router.
pub(super) const BASELINE_ROUTER: Design = Design {
    bypasses: false,
    ..design(
        "baseline, merged by router",
        "smart_8x8_collective",
        &[("merge_scope", "\"router\"")],
    )
};
/// The same where contributions also meet the one that waits in a tile's interface.
pub(super) const BASELINE_INTERFACE: Design = Design {
    bypasses: false,
    ..design(
        "baseline, merged by interface",
        "smart_8x8_collective",
        &[("merge_scope", "\"interface\"")],
    )
};
pub(super) const SHARED: Design = design("greedy, shared", "smart_8x8", &[]);
pub(super) const PRIVATE: Design = design("greedy, private", "smart_8x8_private", &[]);
pub(super) const COMPLETE: Design = design("reduction table", "smart_8x8", &[]);
/// S2's SFI-Greedy with Prio=Local.
pub(super) const GREEDY_LOCAL: Design =
    design("greedy, local", "smart_8x8", &[("reduction", "\"greedy\"")]);
/// S2's SFI-Greedy with Prio=Bypass.
pub(super) const GREEDY_BYPASS: Design = design(
    "greedy, bypass",
    "smart_8x8",
    &[("reduction", "\"greedy\""), ("priority", "\"bypass\"")],
);
/// The same where a contribution joins one that is buffered at any input of the router in which it is latched.
pub(super) const GREEDY_BYPASS_ROUTER: Design = design(
    "greedy, bypass, by router",
    "smart_8x8",
    &[
        ("reduction", "\"greedy\""),
        ("priority", "\"bypass\""),
        ("merge_scope", "\"router\""),
    ],
);
pub(super) const SHARED_BYPASS: Design = design(
    "greedy, shared, bypass",
    "smart_8x8",
    &[("priority", "\"bypass\"")],
);
/// Beyond S2.
pub(super) const BY_LOAD: Design =
    design("greedy, by load", "smart_8x8", &[("tree", "\"by_load\"")]);
pub(super) const SHARED_PRUNED: Design = design("shared, pruned", "smart_8x8", &[PRUNED]);
pub(super) const PRIVATE_PRUNED: Design = design("private, pruned", "smart_8x8_private", &[PRUNED]);
pub(super) const SLOTS_ON_DEMAND: Design = slots(
    "complete, on demand, BI 6",
    &[COMPLETE_SLOTS, (BI, "6"), ("has_slots_on_demand", "true")],
);
const PRUNED: (&str, &str) = ("is_pruned", "true");
/// Multicasts in slots, by interval.
pub(super) const SLOTS: [(u32, Design); 5] = [
    (3, slots("complete, BI 3", &[COMPLETE_SLOTS, (BI, "3")])),
    (4, slots("complete, BI 4", &[COMPLETE_SLOTS, (BI, "4")])),
    (6, slots("complete, BI 6", &[COMPLETE_SLOTS, (BI, "6")])),
    (8, slots("complete, BI 8", &[COMPLETE_SLOTS, (BI, "8")])),
    (10, slots("complete, BI 10", &[COMPLETE_SLOTS, (BI, "10")])),
];
const COMPLETE_SLOTS: (&str, &str) = ("multicast", "\"complete\"");
const BI: &str = "broadcast_interval_cycles";

const fn slots(name: &'static str, fields: &'static [(&'static str, &'static str)]) -> Design {
    design(name, "smart_8x8_private", fields)
}

/// Multicasts in slots of an interval.
pub(super) fn in_slots(interval: u32) -> Design {
    let found = SLOTS.iter().find(|(cycles, _)| *cycles == interval);
    found.map_or(SLOTS[2].1, |(_, design)| *design)
}

impl Design {
    /// # Errors
    /// As [`load`], where this version has no such routers.
    pub(super) fn network(self, setting: Setting) -> Result<Network, Error> {
        let mut fields: Vec<(String, String)> = self
            .fields
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        fields.push(("vcs".to_owned(), setting.vcs.to_string()));
        fields.push((
            "reduction_vcs".to_owned(),
            setting.reduction_vcs.to_string(),
        ));
        fields.push(("vc_flits".to_owned(), "1".to_owned()));
        if self.bypasses {
            fields.push(("hpc_max".to_owned(), setting.hpc_max.to_string()));
            fields.push(("setup_cycles".to_owned(), setting.setup_cycles.to_string()));
        }
        let table = |(name, value)| (format!("router.smart.{name}"), value);
        let fields: Vec<(String, String)> = fields.into_iter().map(table).collect();
        Ok(load(self.preset, &fields)?.network)
    }
}
