// SPDX-License-Identifier: Apache-2.0
//! All measurements of S4's claims: collectives of cores that pass messages, on squares of 2×2 to 7×7.
//!
//! Every comparison with S4's baseline is made three times: over the same polling layer, which shows the algorithms alone, and over a layer whose
//! messages interrupt their receivers, under two readings of it. In each reading one number is fitted to one row ([`fit`]); [`accounts`]
//! compares the two. Noise has two more numbers ([`noise`]).

mod accounts;
mod collectives;
mod kernels;
mod machine;
mod noise;
mod order;
mod rules;
mod sizes;
mod speed;
mod star;
mod structure;

use crate::Found;
use crate::statistics::Outcomes;
use noccl_run::{Tally, Watch};
use noccl_studies::Error;
use noccl_studies::parts::Runner;

/// Groups of measurements, of which each counts as one unit of progress.
const GROUPS: u64 = 6;

/// A quick run leaves out longer messages, noise, random collectives and rectangles.
pub(super) fn measure(is_quick: bool, watch: Watch<'_>) -> Result<Found, Error> {
    let tally = Tally::new(watch, GROUPS);
    let runner = Runner { tally: &tally };
    let mut found = Found::default();
    let timed = speed::measure(runner)?;
    speed::claims(runner, &timed, &mut found)?;
    collectives::claims(runner, &mut found.outcomes)?;
    tally.finish_unit()?;
    order::claims(runner, &mut found.outcomes)?;
    rules::flow_control(runner, &mut found.outcomes)?;
    tally.finish_unit()?;
    machine::claims(&tally, &mut found.outcomes)?;
    machine::routes(&tally, &mut found.outcomes)?;
    structure::computed(&mut found.outcomes)?;
    structure::roots(runner, &mut found.outcomes)?;
    tally.finish_unit()?;
    if is_quick {
        left_out(&mut found.outcomes);
    } else {
        sizes::claims(runner, &mut found.outcomes)?;
        structure::rectangles(&tally, &mut found.outcomes)?;
        tally.finish_unit()?;
        rules::deadlocks(&tally, &mut found.outcomes)?;
        tally.finish_unit()?;
        noise::claims(&tally, &mut found)?;
        tally.finish_unit()?;
    }
    kernels::claims(&mut found.outcomes)?;
    if !is_quick {
        found.tables.push(accounts::table(&found.outcomes)?);
    }
    open(&mut found.outcomes);
    Ok(found)
}

/// What a quick run does not measure.
fn left_out(out: &mut Outcomes) {
    for id in [
        "2-crossover",
        "2-crossover-flat",
        "2-fast-words",
        "2-same-layer",
        "5-longer",
        "5-longer-flat",
        "9-below",
        "9-within",
        "9-largest",
        "9-second",
        "9-fit",
        "10-within",
        "10-fit",
        "10-ratio-25",
        "10-ratio-all",
        "19",
        "19-flat",
        "19-same-layer",
        "21-broadcast",
        "24-always",
        "24-in-receive",
        "24-never",
        "26-rectangles",
    ] {
        out.miss(id, "left out by `--quick`");
    }
}

/// What is of other papers.
fn open(out: &mut Outcomes) {
    out.miss(
        "20-context",
        "of other papers (messages between two cores), and against a memory that is shared",
    );
}
