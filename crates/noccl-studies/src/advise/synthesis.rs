// SPDX-License-Identifier: Apache-2.0
//! Area and critical path of mechanisms, from the numbers that the synthesis pages are made of. Nothing is worked out that was not
//! synthesised.

use super::Mechanism;
use crate::Error;
use noccl_files::FileError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const RESULTS: &str = include_str!("../../../../rtl/synth/results.csv");
const PATH: &str = "rtl/synth/results.csv";
/// Columns of the file.
const HEADINGS: &str = "id,table,date,kge,flip_flops,fo4,mhz";
/// Delay of an inverter that drives four: the technology of `docs/rtl/smart_timing.md`.
const FO4_PS: f64 = 16.0;

/// Area of what a tile has of a mechanism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviceArea {
    /// In thousands of NAND2, without memories.
    pub kge: f64,
    /// Rows of `docs/rtl/synthesis.md` that it is the sum of.
    pub rows: Vec<String>,
    /// When the oldest of them was synthesised.
    pub date: String,
}

/// Critical path of a mechanism.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdvicePath {
    /// In inverters that drive four, without wires.
    pub fo4: f64,
    /// Clock that it allows where such an inverter takes 16 ps; with wires where a flit crosses several routers in a cycle.
    pub mhz: f64,
    /// The row of `docs/rtl/synthesis.md` or `docs/rtl/smart_timing.md` that it is the path of.
    pub row: String,
    /// When it was synthesised.
    pub date: String,
}

/// A row of the file.
struct SynthesisRow<'a> {
    id: &'a str,
    date: &'a str,
    kge: Option<f64>,
    fo4: Option<f64>,
    mhz: Option<f64>,
}

/// Area and path of a mechanism; each is none where something of it was not synthesised.
pub(super) fn synthesised(
    mechanism: Mechanism,
) -> Result<(Option<AdviceArea>, Option<AdvicePath>), Error> {
    let all = entries()?;
    Ok((area(mechanism, &all), path(mechanism, &all)))
}

fn entries() -> Result<Vec<SynthesisRow<'static>>, Error> {
    let content = |reason: String| {
        Error::File(FileError::Content {
            path: PATH.to_owned(),
            expected: "table of synthesis results",
            reason,
        })
    };
    let mut lines = RESULTS.lines();
    if lines.next() != Some(HEADINGS) {
        return Err(content(format!("line 1: accepted: {HEADINGS}")));
    }
    let entry = |(index, line): (usize, &'static str)| {
        let cells: Vec<&str> = line.split(',').collect();
        let [id, _, date, kge, _, fo4, mhz] = cells[..] else {
            let accepted = HEADINGS.split(',').count();
            return Err(content(format!(
                "line {}: accepted: {accepted} cells",
                index + 2
            )));
        };
        Ok(SynthesisRow {
            id,
            date,
            kge: kge.parse().ok(),
            fo4: fo4.parse().ok(),
            mhz: mhz.parse().ok(),
        })
    };
    lines.enumerate().map(entry).collect()
}

fn area(mechanism: Mechanism, all: &[SynthesisRow<'_>]) -> Option<AdviceArea> {
    let ids = mechanism.areas();
    let found: Option<Vec<(f64, &str)>> = (ids.iter())
        .map(|id| {
            let entry = all.iter().find(|entry| entry.id == *id)?;
            Some((entry.kge?, entry.date))
        })
        .collect();
    let found = found?;
    let date = found.iter().map(|(_, date)| *date).min()?;
    let kge: f64 = found.iter().map(|(kge, _)| kge).sum();
    Some(AdviceArea {
        // Sums of what pages show to a tenth.
        kge: (kge * 10.0).round() / 10.0,
        rows: ids.iter().map(|id| (*id).to_owned()).collect(),
        date: date.to_owned(),
    })
}

fn path(mechanism: Mechanism, all: &[SynthesisRow<'_>]) -> Option<AdvicePath> {
    let ids = mechanism.paths();
    let found: Option<Vec<AdvicePath>> = (ids.iter())
        .map(|id| {
            let entry = all.iter().find(|entry| entry.id == *id)?;
            let fo4 = entry.fo4?;
            Some(AdvicePath {
                fo4,
                mhz: entry.mhz.unwrap_or(1e6 / (fo4 * FO4_PS)),
                row: (*id).to_owned(),
                date: entry.date.to_owned(),
            })
        })
        .collect();
    found?.into_iter().min_by(|a, b| a.mhz.total_cmp(&b.mhz))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_that_a_mechanism_names_was_synthesised() {
        for mechanism in Mechanism::ALL {
            let (area, path) = synthesised(mechanism).unwrap();
            assert_eq!(
                area.is_some(),
                !mechanism.areas().is_empty(),
                "{mechanism:?}"
            );
            assert_eq!(
                path.is_some(),
                !mechanism.paths().is_empty(),
                "{mechanism:?}"
            );
        }
    }

    #[test]
    fn a_mechanism_with_a_row_that_is_missing_has_no_area() {
        let all = entries().unwrap();
        let without: Vec<SynthesisRow<'_>> = all.into_iter().filter(|e| e.id != "ni").collect();
        assert!(area(Mechanism::Multicast, &without).is_none());
        assert!(path(Mechanism::Multicast, &without).is_none());
        assert!(area(Mechanism::Software, &without).is_some());
    }
}
