// SPDX-License-Identifier: Apache-2.0
//! The one number of each reading of the interrupt-driven layer that is fitted: `core.interrupt_cycles`, of the presets `tilepro64_WxH_interrupt`
//! and of the flat reading.
//!
//! Fitted to claim 3's barrier on 7×7 alone: the least multiple of ten cycles with which S4's tree on polling cores saves 98 % of the reading's
//! barrier. Everything else that is said of a reading is predicted with it.

use super::collectives::{BARRIER, Case};
use super::machine::{LARGEST, Layer, core_field, cycles, saving};
use crate::outcome::Outcomes;
use noccl_studies::Error;
use noccl_studies::parts::Runner;

/// S4 §4.1: part of a barrier's time that is saved.
const SAVED: f64 = 0.98;
/// In steps of so many cycles.
const STEP: u64 = 10;
/// More than any reading of the library allows.
const MOST: u64 = 100_000;

/// A collective on 7×7: the cycles of S4's algorithm on polling cores, to which others are compared.
struct Ours {
    case: Case,
    cycles: u64,
    /// Whose baseline it is compared with.
    library: Layer,
}

impl Ours {
    fn new(runner: Runner<'_>, library: Layer, case: Case) -> Result<Self, Error> {
        let polling = Layer::Polling.square(LARGEST)?;
        let cycles = cycles(runner, &polling, case.kind, case.bytes, case.ours)?;
        Ok(Self {
            case,
            cycles,
            library,
        })
    }

    /// Part of the time that is saved over an algorithm of the baseline with interrupts of so many cycles.
    fn saved(
        &self,
        runner: Runner<'_>,
        algorithm: &str,
        interrupt_cycles: u64,
    ) -> Result<f64, Error> {
        let value = interrupt_cycles.to_string();
        let fields = [("core.interrupt_cycles", value.as_str())];
        let interrupts = self.library.mesh((LARGEST, LARGEST), &fields)?;
        let theirs = cycles(
            runner,
            &interrupts,
            self.case.kind,
            self.case.bytes,
            algorithm,
        )?;
        Ok(saving(self.cycles, theirs))
    }
}

/// The least multiple of ten cycles with which so much is saved.
pub(super) fn least(
    runner: Runner<'_>,
    library: Layer,
    (case, algorithm): (Case, &str),
    part: f64,
) -> Result<u64, Error> {
    let ours = Ours::new(runner, library, case)?;
    let (mut below, mut enough) = (0, MOST / STEP);
    while enough - below > 1 {
        let middle = u64::midpoint(below, enough);
        if ours.saved(runner, algorithm, middle * STEP)? >= part {
            enough = middle;
        } else {
            below = middle;
        }
    }
    Ok(enough * STEP)
}

/// How a reading of the library makes a barrier.
fn barrier(library: Layer) -> &'static str {
    match library {
        Layer::Polling | Layer::Interrupt => BARRIER.baselines[0],
        Layer::Flat => BARRIER.flat[0],
    }
}

/// The fit.
fn interrupt_cycles(runner: Runner<'_>, library: Layer) -> Result<u64, Error> {
    least(runner, library, (BARRIER, barrier(library)), SAVED)
}

/// What a reading has: the presets' number, or that of [`Layer::Flat`].
fn chosen(library: Layer) -> Result<u64, Error> {
    let network = library.square(LARGEST)?;
    Ok(core_field(&network, |core| core.interrupt_cycles)?.into())
}

/// What each reading has, and its fit.
pub(super) fn claims(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (library, suffix) in Layer::LIBRARIES {
        let fitted = interrupt_cycles(runner, library)?;
        let ours = Ours::new(runner, library, BARRIER)?;
        let at = |cycles| ours.saved(runner, barrier(library), cycles);
        let before = fitted - STEP;
        let detail = format!(
            "{:.4} of the barrier saved at {fitted} cycles, {:.4} at {before}",
            at(fitted)?,
            at(before)?
        );
        let is_chosen = chosen(library)? == fitted;
        out.put_shown(&format!("3-fit{suffix}"), fitted as f64, &detail, is_chosen);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::machine::quietly;
    use super::*;

    #[test]
    fn the_interrupts_of_both_readings_are_their_fits() {
        for (library, _) in Layer::LIBRARIES {
            quietly(|runner| {
                let fitted = interrupt_cycles(runner, library).unwrap();
                assert_eq!(chosen(library).unwrap(), fitted, "{library:?}");
            });
        }
    }
}
