// SPDX-License-Identifier: Apache-2.0
//! The one number of the interrupt-driven layer that is fitted: `core.interrupt_cycles` of the presets `tilepro64_WxH_interrupt`.
//!
//! Fitted to claim 3's barrier on 7×7 alone: the least multiple of ten cycles with which S4's tree on polling cores saves 98 % of a binomial
//! barrier on these. Everything else that is said of this layer is predicted with it.

use super::collectives::{BARRIER, Case};
use super::machine::{LARGEST, Layer, cycles, saving};
use crate::Error;
use crate::measure::runner::Runner;
use crate::papers::outcome::Outcomes;

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
}

impl Ours {
    fn new(runner: Runner<'_>, case: Case) -> Result<Self, Error> {
        let polling = Layer::Polling.square(LARGEST)?;
        let cycles = cycles(runner, &polling, case.kind, case.bytes, case.ours)?;
        Ok(Self { case, cycles })
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
        let interrupts = Layer::Interrupt.mesh((LARGEST, LARGEST), &fields)?;
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
    case: Case,
    algorithm: &str,
    part: f64,
) -> Result<u64, Error> {
    let ours = Ours::new(runner, case)?;
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

/// The fit.
fn interrupt_cycles(runner: Runner<'_>) -> Result<u64, Error> {
    least(runner, BARRIER, BARRIER.baselines[0], SAVED)
}

/// What the presets have, and the fit.
pub(super) fn claims(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let network = Layer::Interrupt.square(LARGEST)?;
    let preset = network.cores().map_or(0, |of| of.core.interrupt_cycles);
    let fitted = interrupt_cycles(runner)?;
    let ours = Ours::new(runner, BARRIER)?;
    let at = |cycles| ours.saved(runner, BARRIER.baselines[0], cycles);
    let before = fitted - STEP;
    let detail = format!(
        "{:.4} of the barrier saved at {fitted} cycles, {:.4} at {before}",
        at(fitted)?,
        at(before)?
    );
    out.put_shown("3-fit", fitted as f64, &detail, u64::from(preset) == fitted);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::machine::quietly;
    use super::*;

    #[test]
    fn the_presets_interrupts_are_the_fit() {
        let network = Layer::Interrupt.square(LARGEST).unwrap();
        let preset = network.cores().unwrap().core.interrupt_cycles;
        quietly(|runner| {
            assert_eq!(u64::from(preset), interrupt_cycles(runner).unwrap());
        });
    }
}
