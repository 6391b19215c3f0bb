// SPDX-License-Identifier: Apache-2.0
//! S4's claims 9, 10 and 21: variances of times, from runs whose receivers are held up now and then.
//!
//! A run without noise has one time and variance 0. Noise is of two numbers per layer, how often a message's receiver is held up and for how
//! long. How often is the same for both layers and fitted, with 5 ms of the library, to one cell of S4's Table 2; how long of the polling
//! layer is fitted to one cell of Table 1. Both cells are Alltoall of 49 tasks, where most messages are. All other cells are predicted.

use super::collectives::{CASES, Case};
use super::machine::{Layer, SIDES, core_field, microseconds, schedule};
use crate::Found;
use crate::statistics::Outcomes;
use crate::table::{Table, short};
use noccl_net::Network;
use noccl_run::{Mode, RunConfig, Tally};
use noccl_sim::{is_held_up, run_schedule};
use noccl_studies::Error;
use noccl_studies::parts::mean;
use noccl_workload::Schedule;
use rayon::prelude::*;

/// Runs with somebody held up, of each cell: about so many.
const HELD: f64 = 12.0;
/// Cycles by which the polling layer's receivers are held up: Alltoall of 49 tasks, Table 1.
const POLLING_CYCLES: &str = "5600";

/// S4's Table 1: polling, by collective (Alltoall, Reduce, Allreduce, Barrier, Broadcast) and tasks, in µs².
const TABLE_1: [[f64; 6]; 5] = [
    [0.7, 0.4, 0.7, 5.6, 1.3, 1.6],
    [0.2, 0.12, 1.1, 1.06, 3.96, 7.27],
    [1.34, 2.29, 2.49, 26.77, 31.55, 50.82],
    [0.5, 0.8, 0.4, 1.6, 1.1, 5.6],
    [0.0, 0.0, 0.2, 0.24, 0.53, 0.12],
];
/// S4's Table 2: its baseline.
const TABLE_2: [[f64; 6]; 5] = [
    [2.81, 983.9, 18.2, 2276.8, 133_329.8, 622_903.0],
    [545.26, 686.2, 21.39, 2007.06, 9979.96, 3430.69],
    [11.14, 50.98, 49.36, 3839.44, 5536.16, 7517.2],
    [750.2, 302.9, 29384.5, 1838.2, 2910.7, 32117.0],
    [7.3, 56.9, 259.2, 4540.8, 3003.7, 3869.0],
];
/// Places of collectives in the tables.
const ALL_TO_ALL: usize = 0;
const REDUCE: usize = 1;
const ALL_REDUCE: usize = 2;
const BROADCAST: usize = 4;

/// A network whose runs have noise.
fn noisy(layer: Layer, side: u16) -> Result<Network, Error> {
    let size = (side, side);
    match layer {
        Layer::Interrupt | Layer::Flat => layer.mesh(size, &[]),
        Layer::Polling => {
            // As often as the library's.
            let library = Layer::Interrupt.mesh(size, &[])?;
            let often = core_field(&library, |core| core.noise_per_billion_messages)?.to_string();
            let fields = [
                ("core.noise_per_billion_messages", often.as_str()),
                ("core.noise_cycles", POLLING_CYCLES),
            ];
            layer.mesh(size, &fields)
        }
    }
}

/// Variance of a collective's time in µs². How likely somebody is held up is computed, and how much later such a run ends is the mean over
/// a dozen of them. A run in which nobody is held up takes the time of one without noise, and is not simulated.
fn variance(tally: &Tally<'_>, network: &Network, schedule: &Schedule) -> Result<f64, Error> {
    let Some(tiles) = network.cores() else {
        return Ok(0.0);
    };
    let messages = schedule.actions.iter().filter_map(|a| a.kind.message());
    let messages = messages
        .filter(|m| m.source.tile != m.destination.tile)
        .count();
    if messages == 0 {
        return Ok(0.0);
    }
    let often = f64::from(tiles.core.noise_per_billion_messages) / 1e9;
    let likely = 1.0 - (1.0 - often).powi(messages as i32);
    let seeds = (HELD / likely).ceil() as u64;
    let run = |noise_seed: Option<u64>| -> Result<u64, Error> {
        let mut config = RunConfig::new(Mode::Timing);
        config.noise_seed = noise_seed;
        let body = |on_progress: &mut dyn FnMut(noccl_run::Progress) -> bool| {
            run_schedule(network, schedule, &[], &[], &config, on_progress)
        };
        Ok(tally.run(body)?.cycles)
    };
    let alone = run(None)?;
    let held: Vec<u64> = (0..seeds)
        .into_par_iter()
        .filter(|seed| is_held_up(&tiles.core, schedule, *seed))
        .collect();
    let later = |seed: &u64| Ok(microseconds(run(Some(*seed))? - alone));
    let later: Vec<f64> = held.par_iter().map(later).collect::<Result<_, Error>>()?;
    if later.is_empty() {
        return Ok(0.0);
    }
    let first = likely * mean(&later);
    let squares: Vec<f64> = later.iter().map(|us| us * us).collect();
    Ok(likely * mean(&squares) - first * first)
}

/// Variances of a layer, by collective and tasks.
type Variances = [[f64; 6]; 5];

fn measure(tally: &Tally<'_>, layer: Layer) -> Result<Variances, Error> {
    let cell = |case: &Case, side: u16| {
        let network = noisy(layer, side)?;
        let algorithm = match layer {
            Layer::Polling => case.ours,
            Layer::Interrupt | Layer::Flat => case.baselines[0],
        };
        let schedule = schedule(&network, case.kind, case.bytes, algorithm)?;
        variance(tally, &network, &schedule)
    };
    let mut found = Variances::default();
    for (row, case) in found.iter_mut().zip(&CASES) {
        for (place, side) in row.iter_mut().zip(SIDES) {
            *place = cell(case, side)?;
        }
    }
    Ok(found)
}

pub(super) fn claims(tally: &Tally<'_>, found: &mut Found) -> Result<(), Error> {
    let polling = measure(tally, Layer::Polling)?;
    let interrupts = measure(tally, Layer::Interrupt)?;
    let out = &mut found.outcomes;
    of_polling(&polling, out);
    of_both(&polling, &interrupts, out);
    found.tables.push(table(&polling, &interrupts));
    Ok(())
}

/// Cells, without the fitted one, that are within an order of magnitude of the paper's, and which are not.
fn within(found: &Variances, published: &Variances) -> (usize, String) {
    let is_near = |ours: f64, paper: f64| {
        (ours == 0.0 && paper == 0.0) || (ours > 0.0 && (0.1..=10.0).contains(&(ours / paper)))
    };
    let mut by_collective = Vec::new();
    let mut count = 0;
    for (place, case) in CASES.iter().enumerate() {
        let cells = found[place].iter().zip(&published[place]);
        let fitted = usize::from(place == ALL_TO_ALL);
        let near = cells
            .take(SIDES.len() - fitted)
            .filter(|(ours, paper)| is_near(**ours, **paper))
            .count();
        count += near;
        by_collective.push(format!("{} {near} of {}", case.name, SIDES.len() - fitted));
    }
    (count, by_collective.join(", "))
}

/// Claims 9 and 21.
fn of_polling(polling: &Variances, out: &mut Outcomes) {
    let greatest = polling.iter().flatten().copied().fold(0.0, f64::max);
    out.put(
        "9-below",
        greatest,
        "greatest of 30 cells; without noise all are 0",
    );
    let (near, words) = within(polling, &TABLE_1);
    out.put("9-within", near as f64, &words);
    let at = |collective: usize, size: usize| polling[collective][size];
    let others = |of: usize, size: usize| {
        let beyond = |other: &usize| *other != of && at(*other, size) > at(of, size);
        (0..CASES.len()).filter(beyond).count()
    };
    let sizes = 0..SIDES.len();
    let largest = sizes.clone().filter(|size| others(ALL_REDUCE, *size) == 0);
    out.put("9-largest", largest.count() as f64, "");
    let second = |size: &usize| {
        let is_second = others(REDUCE, *size) == 1;
        is_second == [16, 36, 49].contains(&(SIDES[*size] * SIDES[*size]))
    };
    out.put("9-second", sizes.filter(second).count() as f64, "");
    let cell = polling[ALL_TO_ALL][5];
    out.put(
        "9-fit",
        cell,
        &format!("{POLLING_CYCLES} cycles, as often as the library"),
    );
    let broadcast = polling[BROADCAST].iter().copied().fold(0.0, f64::max);
    let detail = "words on the static network interrupt nobody: it has no messages to hold up";
    out.put("21-broadcast", broadcast, detail);
}

/// Claim 10.
fn of_both(polling: &Variances, interrupts: &Variances, out: &mut Outcomes) {
    let (near, words) = within(interrupts, &TABLE_2);
    out.put("10-within", near as f64, &words);
    out.put("10-fit", interrupts[ALL_TO_ALL][5], "");
    let least = |from: usize| {
        let cells = (0..CASES.len()).flat_map(|c| (from..SIDES.len()).map(move |s| (c, s)));
        let ratios = cells
            .filter(|(c, s)| polling[*c][*s] > 0.0)
            .map(|(c, s)| interrupts[c][s] / polling[c][s]);
        ratios.fold(f64::INFINITY, f64::min)
    };
    let detail = "without Broadcast, of which S4's has no variance here";
    out.put("10-ratio-25", least(3), detail);
    out.put("10-ratio-all", least(0), detail);
}

/// Ours and S4's, both layers.
fn table(polling: &Variances, interrupts: &Variances) -> Table {
    let tasks = SIDES.map(|side| (side * side).to_string());
    let mut markdown = format!(
        "Variances in µs², ours and in brackets S4's.\n\n| layer | collective | {} |\n|---|---|{}\n",
        tasks.join(" | "),
        "---|".repeat(SIDES.len())
    );
    for (layer, found, published) in [
        (Layer::Polling, polling, &TABLE_1),
        (Layer::Interrupt, interrupts, &TABLE_2),
    ] {
        for (place, case) in CASES.iter().enumerate() {
            let cells = found[place].iter().zip(&published[place]);
            let cells: Vec<String> = cells
                .map(|(ours, paper)| format!("{} ({})", digits(*ours), short(*paper)))
                .collect();
            let row = cells.join(" | ");
            markdown += &format!("| {} | {} | {row} |\n", layer.name(), case.name);
        }
    }
    Table {
        name: "variances",
        markdown,
    }
}

/// Two digits that count.
fn digits(value: f64) -> String {
    if value >= 100.0 {
        format!("{value:.0}")
    } else {
        short(value)
    }
}
