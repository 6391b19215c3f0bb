// SPDX-License-Identifier: Apache-2.0
//! S4's claims 2, 5 and 19: longer messages on 7×7.

use super::collectives::{ALL_REDUCE, ALL_TO_ALL, BROADCAST, Case, REDUCE};
use super::machine::{LARGEST, Layer, cycles, saving};
use crate::statistics::Outcomes;
use noccl_net::Network;
use noccl_studies::Error;
use noccl_studies::parts::Runner;
use rayon::prelude::*;

/// Sizes of an exchange, per pair: what fits into a tile's memory beside the rest.
const EXCHANGED: [u64; 8] = [32, 64, 128, 256, 512, 1024, 2048, 4096];
/// Sizes of the others. S4 does not say how far it went.
const LONGER: [u64; 5] = [256, 1 << 10, 4 << 10, 16 << 10, 64 << 10];

/// A field of the library's layer: S4's baseline with a word per cycle.
const FAST_WORDS: [(&str, &str); 1] = [("core.word_cycles", "1")];

pub(super) fn claims(runner: Runner<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let size = (LARGEST, LARGEST);
    let polling = Layer::Polling.mesh(size, &[])?;
    let interrupts = Layer::Interrupt.mesh(size, &[])?;
    let fast = Layer::Interrupt.mesh(size, &FAST_WORDS)?;
    let flat = Layer::Flat.mesh(size, &[])?;
    for (id, network) in [
        ("2-crossover", &interrupts),
        ("2-fast-words", &fast),
        ("2-same-layer", &polling),
        ("2-crossover-flat", &flat),
    ] {
        crossover(runner, id, (&polling, network), out)?;
    }
    for (layer, suffix) in Layer::ROWS {
        let network = layer.mesh(size, &[])?;
        let (mut won, mut most, mut words) = (0, 0.0_f64, Vec::new());
        for case in [BROADCAST, REDUCE, ALL_REDUCE] {
            let baseline = match layer {
                Layer::Polling | Layer::Interrupt => case.baselines[0],
                Layer::Flat => case.flat[0],
            };
            let savings = savings(runner, case, baseline, (&polling, &network), &LONGER)?;
            won += savings.iter().filter(|saved| **saved > 0.0).count();
            words.push(format!("{} {}", case.name, at_sizes(&LONGER, &savings)));
            most = savings.iter().copied().fold(most, f64::max);
        }
        out.put(&format!("19{suffix}"), won as f64, &words.join("; "));
        if layer != Layer::Polling {
            let detail =
                "the most of Broadcast, Reduce and Allreduce from 256 bytes to 64 KiB on 7×7";
            out.put(&format!("5-longer{suffix}"), most, detail);
        }
    }
    Ok(())
}

fn at_sizes(sizes: &[u64], savings: &[f64]) -> String {
    let words = sizes.iter().zip(savings);
    let words: Vec<String> = words
        .map(|(bytes, saved)| format!("{:.0} % at {bytes}", 100.0 * saved))
        .collect();
    words.join(", ")
}

/// Parts of the baseline's time that S4's algorithm saves, by size.
fn savings(
    runner: Runner<'_>,
    case: Case,
    baseline: &str,
    (polling, network): (&Network, &Network),
    sizes: &[u64],
) -> Result<Vec<f64>, Error> {
    let of = |bytes: &u64| {
        let ours = cycles(runner, polling, case.kind, *bytes, case.ours)?;
        let theirs = cycles(runner, network, case.kind, *bytes, baseline)?;
        Ok(saving(ours, theirs))
    };
    sizes.par_iter().map(of).collect()
}

/// Claim 2: the largest size up to which S4's exchange is faster than the faster one of the baseline's; 0 if it never is.
fn crossover(
    runner: Runner<'_>,
    id: &str,
    networks: (&Network, &Network),
    out: &mut Outcomes,
) -> Result<(), Error> {
    let linear = savings(runner, ALL_TO_ALL, "unicast", networks, &EXCHANGED)?;
    let pairwise = savings(runner, ALL_TO_ALL, "pairwise", networks, &EXCHANGED)?;
    let is_faster = |place: usize| linear[place] > 0.0 && pairwise[place] > 0.0;
    let up_to = (0..EXCHANGED.len()).take_while(|place| is_faster(*place));
    // 0: it is faster at no size.
    let last = up_to.last().map_or(0, |place| EXCHANGED[place]);
    let detail = format!(
        "saved of linear {}; of pairwise {}",
        at_sizes(&EXCHANGED, &linear),
        at_sizes(&EXCHANGED, &pairwise)
    );
    out.put(id, last as f64, &detail);
    Ok(())
}
