// SPDX-License-Identifier: Apache-2.0
//! The constants of a core, and the values of them with which modelled runs take as long as executed ones.

use super::cases::Modelled;
use crate::Error;
use noccl_run::Tally;
use noccl_spec::Core;
use rayon::prelude::*;

/// A constant.
pub(super) struct Field {
    pub name: &'static str,
    pub get: fn(&Core) -> u32,
    set: fn(&mut Core, u32),
    /// From which the search begins, and the least and greatest value that it tries.
    start: u32,
    least: u32,
    most: u32,
}

macro_rules! field {
    ($name:ident, $start:literal, $least:literal..=$most:literal) => {
        Field {
            name: stringify!($name),
            get: |core| core.$name,
            set: |core, value| core.$name = value,
            start: $start,
            least: $least,
            most: $most,
        }
    };
}

/// What is fitted; `row_cycles`, `interrupt_cycles` and noise are none of this library.
pub(super) const FIELDS: [Field; 11] = [
    field!(send_cycles, 60, 0..=1000),
    field!(receive_cycles, 60, 0..=1000),
    field!(receive_ahead_cycles, 20, 0..=1000),
    field!(unit_cycles, 20, 0..=1000),
    field!(list_cycles, 100, 0..=1000),
    field!(word_cycles, 2, 1..=20),
    field!(send_word_cycles, 4, 1..=20),
    field!(round_cycles, 50, 0..=1000),
    field!(blocked_cycles, 50, 0..=1000),
    field!(combine_cycles, 11, 0..=100),
    field!(route_cycles, 100, 0..=1000),
];

/// Steps of the search, as parts of a value: it goes on with the next when no step of this size is better.
const STEPS: [f64; 4] = [0.3, 0.15, 0.07, 0.03];

/// Weight of the largest distance beside the mean one.
const LARGEST: f64 = 0.25;

/// Cycles of a word that are tried, each with its own descent: what a word costs less, units and messages cost more, so that one descent
/// over all constants ends wherever it began.
const WORD_CYCLES: std::ops::RangeInclusive<u32> = 1..=4;

/// Descends one constant at a time. The runs are deterministic, and so is the result.
pub(super) fn fit(core: &Core, seen: &[&Modelled<'_>], tally: &Tally<'_>) -> Result<Core, Error> {
    let mut best: Option<(Core, f64)> = None;
    for word_cycles in WORD_CYCLES {
        let mut start = core.clone();
        for field in &FIELDS {
            (field.set)(&mut start, field.start);
        }
        start.word_cycles = word_cycles;
        let found = descend(start, seen, tally)?;
        if best.as_ref().is_none_or(|(_, least)| found.1 < *least) {
            best = Some(found);
        }
    }
    Ok(best.map_or_else(|| core.clone(), |(core, _)| core))
}

/// From a start to where no step is better.
fn descend(start: Core, seen: &[&Modelled<'_>], tally: &Tally<'_>) -> Result<(Core, f64), Error> {
    let least = distance(&start, seen, tally)?;
    let mut best = (start, least);
    for step in STEPS {
        while let Some(better) = round(&best.0, best.1, step, seen, tally)? {
            best = better;
        }
    }
    Ok(best)
}

/// Tries a step of each constant, one after the other; `None` if none was better.
fn round(
    from: &Core,
    mut least: f64,
    step: f64,
    seen: &[&Modelled<'_>],
    tally: &Tally<'_>,
) -> Result<Option<(Core, f64)>, Error> {
    let mut best: Option<Core> = None;
    for field in FIELDS.iter().filter(|field| field.name != "word_cycles") {
        for factor in [1.0 + step, 1.0 - step] {
            let core = best.as_ref().unwrap_or(from);
            let Some(tried) = stepped(core, field, factor) else {
                continue;
            };
            let found = distance(&tried, seen, tally)?;
            if found < least {
                least = found;
                best = Some(tried);
                break;
            }
        }
    }
    Ok(best.map(|core| (core, least)))
}

/// One constant by one step, at least by one; `None` where its range ends.
fn stepped(core: &Core, field: &Field, factor: f64) -> Option<Core> {
    let old = (field.get)(core);
    let scaled = (f64::from(old) * factor).round() as u32;
    let value = match (scaled == old, factor > 1.0) {
        (false, _) => scaled,
        (true, true) => old + 1,
        (true, false) => old.checked_sub(1)?,
    };
    let value = value.clamp(field.least, field.most);
    let mut tried = core.clone();
    (field.set)(&mut tried, value);
    tried.receive_ahead_cycles = tried.receive_ahead_cycles.min(tried.receive_cycles);
    (tried != *core).then_some(tried)
}

/// Mean of the logarithms' sizes of modelled over executed cycles, and a part of the largest.
fn distance(core: &Core, seen: &[&Modelled<'_>], tally: &Tally<'_>) -> Result<f64, Error> {
    let apart: Vec<f64> = seen
        .par_iter()
        .map(|case| {
            let modelled = case.cycles(core, tally)?.max(1) as f64;
            Ok((modelled / case.executed.cycles.max(1) as f64).ln().abs())
        })
        .collect::<Result<_, Error>>()?;
    let largest = apart.iter().copied().fold(0.0, f64::max);
    Ok(apart.iter().sum::<f64>() / apart.len().max(1) as f64 + LARGEST * largest)
}
