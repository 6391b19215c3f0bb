// SPDX-License-Identifier: Apache-2.0
//! Whatever the numbers of the spec are: every program completes with the right bytes, or a message refuses by field.
//!
//! Each number stands at both ends of its range (`noccl_spec::ranges`, by which specs are validated), the others as in a
//! small preset; then several numbers together at their ends or anywhere between. `NOCCL_PARAMETER_CASES` sets the
//! number of these.

mod draw;
mod programs;
mod work;

use draw::{Overrides, ends, numbers, several};
use noccl_testkit::one_in;
use rayon::prelude::*;
use std::collections::BTreeMap;
use work::Work;

/// Numbers drawn together unless the environment says otherwise: seconds.
const CASES: u64 = 60;

/// A preset, the numbers that are set in it, and what it is asked then.
type Case = (&'static str, Overrides, Vec<Work>);

/// What went wrong with these values, with the command line that sets them.
fn failure((preset, overrides, work): &Case, known: &Overrides) -> Option<String> {
    let told = |what: String| {
        let set = overrides
            .iter()
            .map(|(key, value)| format!(" -P {key}={value}"));
        Some(format!(
            "--spec {preset}{}: {what}",
            set.collect::<String>()
        ))
    };
    let names_a_field = |text: &str| {
        let mut fields = overrides.iter().chain(known);
        fields.any(|(field, _)| text.contains(field)) || text.contains("mesh.")
    };
    let network = match noccl_studies::load(preset, overrides) {
        Ok(loaded) => loaded.network,
        Err(refusal) if names_a_field(&refusal.to_string()) => return None,
        Err(error) => return told(format!("names none of the fields: {error}")),
    };
    work.iter().find_map(|one| match one.run(&network) {
        Ok(()) => None,
        Err(work::Wrong::Refused(text)) if names_a_field(&text) => None,
        Err(work::Wrong::Refused(text)) => {
            told(format!("{one:?} names none of the fields: {text}"))
        }
        Err(work::Wrong::Failed(text)) => told(format!("{one:?}: {text}")),
    })
}

fn all_are_right(cases: &[Case]) {
    let known: BTreeMap<&str, Overrides> = cases.iter().map(|(p, ..)| (*p, ends(p))).collect();
    let failed = |case: &Case| failure(case, &known[case.0]);
    let failures: Vec<String> = cases.par_iter().filter_map(failed).collect();
    assert!(
        failures.is_empty(),
        "{} of {} cases:\n{}",
        failures.len(),
        cases.len(),
        failures[..failures.len().min(40)].join("\n")
    );
}

/// Makes what a preset is asked.
type Works = fn() -> Vec<Work>;

const PRESETS: [(&str, Works); 4] = [
    ("collective_noc_2x2", Work::of_collective_networks),
    ("torrent_2x2", Work::of_torrents),
    ("esp_2x2", Work::of_esp),
    ("tilepro64_3x2", Work::of_cores),
];

#[test]
fn what_the_presets_are_asked_completes_with_their_own_numbers() {
    for (preset, work) in PRESETS {
        let network = noccl_studies::load(preset, &[]).unwrap().network;
        for one in work() {
            assert_eq!(one.run(&network), Ok(()), "{preset} {one:?}");
        }
    }
}

#[test]
fn at_either_end_of_the_range_of_a_number_everything_completes_or_is_refused_by_field() {
    // Of what a preset is asked one part per end, which rotates.
    let every = one_in(12);
    let cases = PRESETS.iter().flat_map(|(preset, work)| {
        let each = ends(preset).into_iter().enumerate();
        each.map(move |(at, one)| {
            let asked = work().into_iter().skip(at % every).step_by(every);
            (*preset, vec![one], asked.collect())
        })
    });
    all_are_right(&cases.collect::<Vec<_>>());
}

#[test]
fn with_several_numbers_anywhere_in_their_ranges_everything_completes_or_is_refused_by_field() {
    let count = std::env::var("NOCCL_PARAMETER_CASES");
    let count = count.map_or(CASES, |text| text.parse().unwrap());
    let presets = [
        "collective_noc_2x2",
        "collective_noc_4x4",
        "collective_noc_2x2",
        "torrent_2x2",
        "collective_noc_4x2",
        "esp_2x2",
        "tilepro64_3x2",
    ];
    let networks = presets.map(|preset| noccl_studies::load(preset, &[]).unwrap().network);
    let cases = (0..count).map(|seed| {
        let (mut random, at) = (numbers(seed), seed as usize % presets.len());
        let set = several(presets[at], &mut random);
        // What the preset is not asked with its own numbers either says nothing about the numbers.
        let work = std::iter::repeat_with(|| Work::random(presets[at], &mut random));
        let accepted = |work: &Work| work.is_accepted(&networks[at]);
        let work: Vec<Work> = work.filter(accepted).take(2).collect();
        (presets[at], set, work)
    });
    all_are_right(&cases.collect::<Vec<_>>());
}
