// SPDX-License-Identifier: Apache-2.0
//! Parameters of schedules: which are tried first, and how they change.

use crate::matching::Style;
use crate::packing::Packed;
use crate::plan::Costs;
use crate::plan::Matched;
use crate::plan::Order;
use crate::problem::Problem;
use noccl_coll::Choice;
use noccl_net::counts::max_or_zero;
use noccl_run::Rng;
use std::collections::BTreeMap;

/// Lengths of pieces, in beats.
const PIECE_BEATS: [u64; 7] = [4, 8, 12, 16, 24, 32, 64];
/// Numbers of trees.
const TREES: [usize; 6] = [1, 2, 3, 4, 6, 8];
const HOP_WEIGHTS: [u64; 4] = [0, 2, 5, 20];
const SLACKS: [u64; 4] = [0, 4, 8, 16];
const EXCESS_WEIGHTS: [u64; 4] = [0, 2, 10, 50];
const NOISES: [u64; 3] = [0, 4, 16];
const NEIGHBOURS: [usize; 4] = [4, 8, 16, 32];
const STRETCHES: [u64; 5] = [100, 110, 120, 135, 150];

/// What a schedule is made from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Library(Choice),
    Matched(Matched),
    Packed(Packed),
}

impl Encoding {
    /// Name, and parameters as a schedule states them.
    pub(crate) fn description(&self) -> (String, BTreeMap<String, String>) {
        let (method, numbers): (String, Vec<(&str, u64)>) = match self {
            Self::Library(choice) => (choice.to_string(), Vec::new()),
            Self::Matched(how) => (
                "matching".to_owned(),
                vec![
                    ("piece_beats", how.piece_beats),
                    ("hop_weight", how.style.hop_weight),
                    ("slack", how.style.slack),
                    ("stretch_percent", how.style.stretch),
                    ("neighbours", how.style.neighbours as u64),
                    ("spreads_tops", u64::from(how.spreads_tops)),
                    ("seed", how.style.seed),
                ],
            ),
            Self::Packed(how) => (
                "packing".to_owned(),
                vec![
                    ("trees", how.trees as u64),
                    ("piece_beats", how.piece_beats),
                    ("neighbours", how.neighbours as u64),
                    ("excess_weight", how.excess_weight),
                    ("noise", how.noise),
                    ("seed", how.seed),
                ],
            ),
        };
        let text: Vec<String> = numbers
            .iter()
            .filter(|(name, _)| matches!(*name, "piece_beats" | "trees"))
            .map(|(name, value)| format!(":{name}={value}"))
            .collect();
        let numbers = numbers.into_iter();
        let mut parameters: BTreeMap<String, String> = numbers
            .map(|(name, value)| (name.to_owned(), value.to_string()))
            .collect();
        parameters.insert("method".to_owned(), method.clone());
        (method + &text.concat(), parameters)
    }
}

/// What is tried first: few of each method, those that are best most often in front.
pub(crate) fn constructed(problem: &Problem<'_>, costs: &Costs, seed: u64) -> Vec<Encoding> {
    let longest = max_or_zero(problem.items.iter().map(|i| costs.beats(i.bytes)));
    let lengths: Vec<u64> = [8, 16, 32, 64]
        .into_iter()
        .filter(|beats| *beats == 8 || *beats < 2 * longest)
        .collect();
    let mut out = Vec::new();
    for piece_beats in &lengths {
        for (order, spreads_tops, is_far) in [
            (Order::Planned, false, false),
            (Order::Planned, true, true),
            (Order::UrgentQueue, false, true),
        ] {
            out.push(Encoding::Matched(Matched {
                piece_beats: *piece_beats,
                style: Style {
                    seed,
                    hop_weight: if is_far { 1 } else { 20 },
                    slack: 4,
                    stretch: if is_far { 120 } else { 100 },
                    neighbours: if is_far { 32 } else { 4 },
                    is_sum: false,
                },
                adds_at_once: true,
                spreads_tops,
                order,
            }));
        }
        for trees in TREES {
            let num_pieces = longest.div_ceil(*piece_beats);
            if trees as u64 <= num_pieces {
                out.push(Encoding::Packed(Packed {
                    trees,
                    piece_beats: *piece_beats,
                    neighbours: if trees == 3 || trees == 6 { 4 } else { 24 },
                    noise: 0,
                    seed,
                    excess_weight: 2,
                    adds_at_once: trees < 4,
                    spreads_tops: false,
                    order: Order::UrgentQueue,
                }));
            }
        }
    }
    out
}

/// The same with one parameter changed.
pub(crate) fn mutate(encoding: Encoding, rng: &mut Rng) -> Encoding {
    match encoding {
        Encoding::Library(_) => encoding,
        Encoding::Matched(mut how) => {
            match rng.below(11) {
                0 => how.piece_beats = near(&PIECE_BEATS, how.piece_beats, rng),
                6 => how.style.stretch = *rng.pick(&STRETCHES),
                1 => how.style.hop_weight = *rng.pick(&HOP_WEIGHTS),
                2 => how.style.slack = *rng.pick(&SLACKS),
                3 => how.style.neighbours = *rng.pick(&NEIGHBOURS),
                4 => how.adds_at_once = !how.adds_at_once,
                5 => how.order = *rng.pick(&Order::ALL),
                7 => how.spreads_tops = !how.spreads_tops,
                _ => how.style.seed = rng.draw(),
            }
            Encoding::Matched(how)
        }
        Encoding::Packed(mut how) => {
            match rng.below(10) {
                0 => how.piece_beats = near(&PIECE_BEATS, how.piece_beats, rng),
                1 => how.trees = near(&TREES, how.trees, rng),
                6 => how.neighbours = *rng.pick(&NEIGHBOURS),
                2 => how.excess_weight = *rng.pick(&EXCESS_WEIGHTS),
                3 => how.adds_at_once = !how.adds_at_once,
                4 => how.order = *rng.pick(&Order::ALL),
                5 => how.spreads_tops = !how.spreads_tops,
                _ => {
                    how.noise = *rng.pick(&NOISES);
                    how.seed = rng.draw();
                }
            }
            Encoding::Packed(how)
        }
    }
}

/// One place up or down a list.
fn near<T: Copy + PartialOrd>(list: &[T], value: T, rng: &mut Rng) -> T {
    let at = list.partition_point(|known| *known < value);
    let next = if rng.one_in(2) {
        at.saturating_sub(1)
    } else {
        (at + 1).min(list.len() - 1)
    };
    list[next]
}
