// SPDX-License-Identifier: Apache-2.0
//! S2's claims 27 to 29 and the clocks of its plots, as the last synthesis found them.
//!
//! Synthesis takes tools and minutes that `noccl-papers` does not have; `make smart-timing` leaves its numbers in a file that
//! is part of the binary.

use super::designs::Setting;
use crate::statistics::Outcomes;
use noccl_files::FileError;
use noccl_studies::Error;
use serde::Deserialize;
use std::collections::BTreeMap;

const NUMBERS: &str = include_str!("../../../../experiments/smart/hardware.toml");
const PATH: &str = "experiments/smart/hardware.toml";
const PAGE: &str = "docs/rtl/smart_timing.md";

/// What S2 assumes of every setting.
const PUBLISHED_MHZ: u32 = 1_000;

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hardware {
    /// What each number rests on: picoseconds of gates and wires.
    technology: String,
    clock: Vec<Clock>,
    claim: BTreeMap<String, Number>,
}

/// The clock that routers reach.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Clock {
    hpc_max: u32,
    setup_cycles: u32,
    mhz: u32,
}

/// One claim's number, and those behind it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Number {
    ours: f64,
    detail: String,
}

fn numbers() -> Result<Hardware, Error> {
    toml::from_str(NUMBERS).map_err(|e| {
        Error::File(FileError::Content {
            path: PATH.to_owned(),
            expected: "clocks and claims of hardware",
            reason: e.to_string(),
        })
    })
}

/// Puts what synthesis found of each claim about hardware.
///
/// # Errors
/// [`Error::File`] if the file is not what `make smart-timing` writes.
pub(super) fn claims(out: &mut Outcomes) -> Result<(), Error> {
    let found = numbers()?;
    for (id, Number { ours, detail }) in &found.claim {
        let detail = format!("{detail}; {} ({PAGE})", found.technology);
        out.put(id, *ours, &detail);
    }
    Ok(())
}

/// What a plot has to say of a setting: the clock that our routers reach with it, where S2's is out of reach.
///
/// # Errors
/// [`Error::File`] if the file is not what `make smart-timing` writes.
pub(super) fn clock_note(setting: Setting) -> Result<Option<String>, Error> {
    let found = numbers()?;
    let clock = (found.clock.iter())
        .find(|c| (c.hpc_max, c.setup_cycles) == (setting.hpc_max, setting.setup_cycles));
    Ok(match clock {
        Some(clock) if clock.mhz >= PUBLISHED_MHZ => None,
        Some(clock) => Some(format!("{} MHz in our netlists", clock.mhz)),
        None => Some("clock not measured".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::claims::Paper;

    #[test]
    fn claims_about_hardware_have_numbers_and_the_others_have_none() {
        let mut outcomes = Outcomes::default();
        claims(&mut outcomes).unwrap();
        let all = Paper::Smart.claims().unwrap();
        let of_hardware = |id: &str| ["27-", "28-", "29-"].iter().any(|n| id.starts_with(n));
        let expected: Vec<&str> = (all.iter().map(|c| c.id.as_str()))
            .filter(|id| of_hardware(id))
            .collect();
        assert!(expected.len() >= 3);
        let found: Vec<&str> = outcomes.by_id.keys().map(String::as_str).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn every_panel_says_its_clock_where_that_of_the_paper_is_out_of_reach() {
        for setting in Setting::PANELS {
            let title = setting.title().unwrap();
            let clock = (numbers().unwrap().clock.into_iter())
                .find(|c| (c.hpc_max, c.setup_cycles) == (setting.hpc_max, setting.setup_cycles))
                .unwrap();
            let is_said = title.contains(&format!("{} MHz in our netlists", clock.mhz));
            assert_eq!(is_said, clock.mhz < PUBLISHED_MHZ, "{title}");
        }
        let unknown = Setting {
            hpc_max: 5,
            ..Setting::PUBLISHED
        };
        assert_eq!(clock_note(unknown).unwrap().unwrap(), "clock not measured");
    }

    #[test]
    fn committed_plots_say_their_clocks() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers/S2");
        for name in ["fig_6a", "fig_6b", "fig_6c", "fig_7a", "fig_7b", "fig_7c"] {
            let text = std::fs::read_to_string(format!("{folder}/{name}.json")).unwrap();
            for setting in Setting::PANELS {
                let title = serde_json::to_string(&setting.title().unwrap()).unwrap();
                let title = format!("\"title\":{title}");
                assert!(text.contains(&title), "{name}: no {title}: run make claims");
            }
        }
    }
}
