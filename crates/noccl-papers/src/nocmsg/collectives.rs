// SPDX-License-Identifier: Apache-2.0
//! The five collectives on S4's squares, by its algorithms and by those of its baseline over both layers (Figs. 2 to 6).

use super::machine::{LARGEST, Layer, PACKET, SIDES, core_field, cycles, microseconds, saving};
use super::star::STAR;
use crate::statistics::Outcomes;
use noccl_studies::Error;
use noccl_studies::parts::Runner;
use noccl_workload::CollectiveKind;
use rayon::prelude::*;

/// A collective, and who does it how.
#[derive(Debug, Clone, Copy)]
pub(super) struct Case {
    pub(super) kind: CollectiveKind,
    /// As S4 writes it.
    pub(super) name: &'static str,
    pub(super) figure: &'static str,
    /// Data in bytes.
    pub(super) bytes: u64,
    /// S4's algorithm, and another reading of it.
    pub(super) ours: &'static str,
    pub(super) reading: Option<&'static str>,
    /// Those of the baseline, the first of which claims are made against.
    pub(super) baselines: &'static [&'static str],
    /// The same where the library's barrier and broadcast are flat.
    pub(super) flat: &'static [&'static str],
}

pub(super) const ALL_TO_ALL: Case = Case {
    kind: CollectiveKind::AllToAll,
    name: "Alltoall",
    figure: "fig_2",
    bytes: PACKET,
    ours: "rounds",
    reading: Some("rounds:literal"),
    baselines: &["unicast", "pairwise"],
    flat: &["unicast", "pairwise"],
};
pub(super) const REDUCE: Case = Case {
    kind: CollectiveKind::Reduce,
    name: "Reduce",
    figure: "fig_3",
    bytes: PACKET,
    ours: "row_column:direct",
    reading: Some("row_column:chain"),
    baselines: &["tree"],
    flat: &["tree", STAR],
};
pub(super) const ALL_REDUCE: Case = Case {
    kind: CollectiveKind::AllReduce,
    name: "Allreduce",
    figure: "fig_4",
    bytes: PACKET,
    ours: "row_column:direct",
    reading: Some("row_column:chain"),
    baselines: &["recursive_doubling", "tree"],
    flat: &["recursive_doubling", STAR],
};
pub(super) const BARRIER: Case = Case {
    kind: CollectiveKind::Barrier,
    name: "Barrier",
    figure: "fig_5",
    bytes: 0,
    ours: "tree:neighbour",
    reading: Some("tree:ternary"),
    baselines: &["tree"],
    flat: &[STAR],
};
pub(super) const BROADCAST: Case = Case {
    kind: CollectiveKind::Multicast,
    name: "Broadcast",
    figure: "fig_6",
    bytes: PACKET,
    ours: "in_network_static",
    reading: None,
    baselines: &["tree", "unicast"],
    flat: &["unicast"],
};
pub(super) const CASES: [Case; 5] = [ALL_TO_ALL, REDUCE, ALL_REDUCE, BARRIER, BROADCAST];

/// An algorithm over a layer, by side of the square.
#[derive(Debug, Clone)]
pub(super) struct Series {
    pub(super) algorithm: &'static str,
    pub(super) layer: Layer,
    pub(super) cycles: Vec<u64>,
}

impl Series {
    /// Cycles on a square of S4.
    ///
    /// # Panics
    /// For another square, or one that was not measured: no number may stand for it.
    pub(super) fn at(&self, side: u16) -> u64 {
        let measured = SIDES.iter().zip(&self.cycles);
        let found = measured.into_iter().find(|(known, _)| **known == side);
        found
            .map(|(_, cycles)| *cycles)
            .expect("a square of S4 that was measured")
    }

    pub(super) fn name(&self) -> String {
        format!("{}, {}", self.algorithm, self.layer.name())
    }
}

/// All series of a collective.
#[derive(Debug, Clone)]
pub(super) struct Timed {
    pub(super) case: Case,
    pub(super) ours: Series,
    pub(super) reading: Option<Series>,
    /// By algorithm of the baseline: polling, interrupts.
    pub(super) baselines: Vec<[Series; 2]>,
    /// By algorithm of the flat baseline.
    pub(super) flat: Vec<Series>,
}

impl Timed {
    pub(super) fn measure(runner: Runner<'_>, case: Case) -> Result<Self, Error> {
        let series = |algorithm: &'static str, layer: Layer| -> Result<Series, Error> {
            let at = |side: &u16| {
                let network = layer.square(*side)?;
                cycles(runner, &network, case.kind, case.bytes, algorithm)
            };
            let cycles: Result<Vec<u64>, Error> = SIDES.par_iter().map(at).collect();
            Ok(Series {
                algorithm,
                layer,
                cycles: cycles?,
            })
        };
        let pair = |algorithm: &&'static str| {
            let [polling, interrupts] = Layer::BOTH.map(|layer| series(algorithm, layer));
            Ok([polling?, interrupts?])
        };
        let reading = case.reading.map(|r| series(r, Layer::Polling));
        Ok(Self {
            case,
            ours: series(case.ours, Layer::Polling)?,
            reading: reading.transpose()?,
            baselines: (case.baselines.iter().map(pair)).collect::<Result<_, Error>>()?,
            flat: (case.flat.iter().map(|a| series(a, Layer::Flat)))
                .collect::<Result<_, Error>>()?,
        })
    }

    /// The baseline that claims are made against, over a layer.
    pub(super) fn baseline(&self, layer: Layer) -> &Series {
        let [polling, interrupts] = &self.baselines[0];
        match layer {
            Layer::Polling => polling,
            Layer::Interrupt => interrupts,
            Layer::Flat => &self.flat[0],
        }
    }

    /// All series, S4's first.
    pub(super) fn all(&self) -> impl Iterator<Item = &Series> {
        let ours = std::iter::once(&self.ours).chain(&self.reading);
        let by_layer = (0..2).flat_map(|layer| self.baselines.iter().map(move |pair| &pair[layer]));
        ours.chain(by_layer).chain(&self.flat)
    }

    /// Part of the baseline's time that S4's algorithm saves, by side.
    pub(super) fn savings(&self, baseline: &Series) -> Vec<f64> {
        let pairs = self.ours.cycles.iter().zip(&baseline.cycles);
        pairs.map(|(ours, theirs)| saving(*ours, *theirs)).collect()
    }

    /// What stands behind a saving: microseconds on the largest square.
    pub(super) fn words(&self) -> String {
        let words = self.all().map(|series| {
            let at = series.at(LARGEST);
            format!("{} {:.2}", series.name(), microseconds(at))
        });
        let words: Vec<String> = words.collect();
        format!("µs on 7×7: {}", words.join(", "))
    }
}

/// Parts as percent, by tasks.
pub(super) fn percents(parts: &[f64]) -> String {
    let words = parts.iter().zip(SIDES);
    let words: Vec<String> = words
        .map(|(part, side)| format!("{:.0} % on {side}×{side}", 100.0 * part))
        .collect();
    words.join(", ")
}

// The one number of each reading of the interrupt-driven layer that is fitted: `core.interrupt_cycles`, of the presets `tilepro64_WxH_interrupt`
// and of the flat reading.
//
// Fitted to claim 3's barrier on 7×7 alone: the least multiple of ten cycles with which S4's tree on polling cores saves 98 % of the reading's
// barrier. Everything else that is said of a reading is predicted with it.

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
