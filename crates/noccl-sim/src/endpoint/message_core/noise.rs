// SPDX-License-Identifier: Apache-2.0
//! Noise of an operating system: now and then a message takes far longer (S4 §4.1, variances of its tables).
//!
//! Drawn from the seed and the number of the message, so that a run has one result whatever else it does. So is when each core begins.

use noccl_spec::Core as CoreSpec;
use noccl_workload::number::mix;
use noccl_workload::{Message, Schedule};

/// How often a receiver is held up, and for how long.
#[derive(Debug, Clone, Copy)]
pub(super) struct Noise {
    /// `None`: never.
    seed: Option<u64>,
    per_billion: u64,
    cycles: u64,
    start_skew_cycles: u64,
}

const BILLION: u128 = 1_000_000_000;

/// Keeps the draws of starts apart from those of messages: ASCII "starts".
const STARTS: u64 = 0x7374_6172_7473;

impl Noise {
    pub(super) fn new(seed: Option<u64>, start_skew_cycles: u64, core: &CoreSpec) -> Self {
        Self {
            seed,
            start_skew_cycles,
            per_billion: core.noise_per_billion_messages.into(),
            cycles: core.noise_cycles.into(),
        }
    }

    /// When a core begins.
    pub(super) fn start(self, tile: u32) -> u64 {
        let drawn = self
            .seed
            // 0: without noise all cores begin in the first cycle.
            .map_or(0, |seed| mix(mix(seed ^ STARTS) ^ u64::from(tile)));
        let times = u128::from(self.start_skew_cycles) + 1;
        ((u128::from(drawn) * times) >> 64) as u64
    }

    /// Cycles by which the receiver of a message is held up.
    pub(super) fn cycles(self, message: u32) -> u64 {
        let Some(seed) = self.seed else {
            return 0;
        };
        let drawn = mix(mix(seed) ^ u64::from(message));
        let is_held = (u128::from(drawn) * BILLION) >> 64 < u128::from(self.per_billion);
        if is_held { self.cycles } else { 0 }
    }
}

/// Is the receiver of some message of a schedule held up in a run with this seed? A run in which nobody is takes the cycles of one
/// without noise, so that of many runs only the others need to be simulated.
#[must_use]
pub fn is_held_up(core: &CoreSpec, schedule: &Schedule, seed: u64) -> bool {
    let noise = Noise::new(Some(seed), 0, core);
    let crosses = |sent: &Message| sent.source.tile != sent.destination.tile;
    let actions = schedule.actions.iter().enumerate();
    let messages = actions.filter(|(_, action)| action.kind.message().is_some_and(crosses));
    let mut messages = messages;
    messages.any(|(number, _)| noise.cycles(number as u32) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_held_up_as_often_as_said_and_the_same_ones_again() {
        let noise = Noise {
            seed: Some(3),
            per_billion: 100_000_000,
            cycles: 7,
            start_skew_cycles: 0,
        };
        let held = |noise: Noise| (0..100_000).filter(|m| noise.cycles(*m) == 7).count();
        assert!((9_700..10_300).contains(&held(noise)), "{}", held(noise));
        assert_eq!(
            held(Noise {
                seed: None,
                ..noise
            }),
            0
        );
        let some = |seed| -> Vec<u32> {
            let seed = Some(seed);
            let is_held = |m: &u32| Noise { seed, ..noise }.cycles(*m) > 0;
            (0..1000).filter(is_held).collect()
        };
        assert_eq!(some(4), some(4));
        assert_ne!(some(4), some(5));
    }

    #[test]
    fn cores_begin_at_all_times_up_to_the_skew_equally_often_and_at_once_without_seed() {
        let noise = |seed| Noise {
            seed,
            per_billion: 0,
            cycles: 0,
            start_skew_cycles: 4,
        };
        let mut begun = [0; 5];
        for tile in 0..50_000 {
            begun[noise(Some(3)).start(tile) as usize] += 1;
        }
        assert!(
            begun.iter().all(|n| (9_700..10_300).contains(n)),
            "{begun:?}"
        );
        let starts = |seed| -> Vec<u64> { (0..50).map(|tile| noise(seed).start(tile)).collect() };
        assert_eq!(starts(Some(4)), starts(Some(4)));
        assert_ne!(starts(Some(4)), starts(Some(5)));
        assert_eq!(starts(None), [0; 50]);
    }
}
