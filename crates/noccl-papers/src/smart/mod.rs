// SPDX-License-Identifier: Apache-2.0
//! All measurements of S2's claims: open-loop traffic on a mesh of 8x8, and in [`coherence`] programs on a machine of cores and caches.
//!
//! S2 leaves open the number of virtual channels, the account of latencies, what saturation is, and the sizes of multicasts. One constant each is
//! fitted to one row (of virtual channels two: for multicasts and for reductions), and those rows prove nothing; everything else is measured with them.

mod beyond;
mod broadcasts;
mod coherence;
mod curve;
mod designs;
mod hardware;
mod reductions;
mod saturation;

use crate::Found;
use crate::statistics::Outcomes;
use curve::Effort;
use designs::Setting;
use noccl_run::{Tally, Watch};
use noccl_studies::Error;

/// Groups of measurements, of which each counts as one unit of progress.
const GROUPS: u64 = 9;

/// A quick run has three short seeds, so that its intervals are wider, two kernels, figures for one HPCmax and setup, and no tables beside the claims.
pub(super) fn measure(is_quick: bool, watch: Watch<'_>) -> Result<Found, Error> {
    let tally = Tally::new(watch, GROUPS);
    let effort = Effort {
        tally: &tally,
        seeds: if is_quick { 3 } else { 5 },
        measure_cycles: if is_quick { 1_500 } else { 4_000 },
    };
    let settings = if is_quick {
        &Setting::PANELS[..1]
    } else {
        &Setting::PANELS[..]
    };
    let mut found = Found::default();
    let mut of_traffic = Outcomes::default();
    broadcasts::corners(effort, &mut of_traffic)?;
    tally.finish_unit()?;
    broadcasts::everywhere(effort, &mut of_traffic)?;
    tally.finish_unit()?;
    broadcasts::random_sets(effort, &mut of_traffic)?;
    tally.finish_unit()?;
    let setting = Setting::PUBLISHED.words();
    found.outcomes.take_with(of_traffic, &setting);
    reductions::claims(effort, &mut found.outcomes)?;
    tally.finish_unit()?;
    saturation::claims(effort, &mut found.outcomes)?;
    hardware::claims(&mut found.outcomes)?;
    tally.finish_unit()?;
    coherence::claims(is_quick, &mut found.outcomes)?;
    tally.finish_unit()?;
    // Points of curves lie beside each other: one seed each.
    let of_curves = Effort {
        seeds: 1,
        measure_cycles: 4_000,
        ..effort
    };
    broadcasts::figures(of_curves, settings, &mut found)?;
    tally.finish_unit()?;
    reductions::figures(of_curves, settings, &mut found)?;
    tally.finish_unit()?;
    if !is_quick {
        found.tables.push(saturation::table(of_curves)?);
        found.tables.push(beyond::trees_by_load(of_curves)?);
        found.tables.push(beyond::others(of_curves)?);
    }
    tally.finish_unit()?;
    Ok(found)
}
