// SPDX-License-Identifier: Apache-2.0
//! One wide reduction at a merge point: how many of its beats have come through each input.
//!
//! Beats of a reduction come in order through every input, so a count per input says which operands of which beats
//! are there. Bytes are kept apart ([`Bytes`]), and only where they matter.

use super::JoinConfig;
use crate::flit::{Flit, RESPONSE};
use crate::txn::Tree;
use noccl_net::deadlock::window_over;
use noccl_net::tree::contributor;
use noccl_net::{Coord, Port};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An input that no contribution comes through never holds a beat up.
const NEVER_MISSING: u16 = u16::MAX;

/// The operands of the Local input lie in the tile's memory: no flit brings them, no room is kept for them.
const IN_PLACE: u8 = 1 << 7;

/// A reduction between its first operand and its last partial sum at one merge point: a cache line.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct Flow {
    pub txn: u32,
    /// Cycle since which the oldest beat that lacks operands is the oldest, for diagnosis: so it may stop at the
    /// largest number.
    pub since: u32,
    /// Timing mode: contributions in an operand of each input.
    counts: [u32; 5],
    /// Beats that have come through each input.
    came: [u16; 5],
    /// Beats whose room goes back to where an input's operands come from.
    returned: [u16; 5],
    /// Beats that have all operands, and those whose addition has started.
    complete: u16,
    pub started: u16,
    /// Operands of beats that lack others.
    early: u16,
    pub beats: u16,
    /// Beats under way to the next merge point, and the most that may be.
    pub under_way: u16,
    window: u16,
    /// Inputs that contributions come through, as a bit set, and [`IN_PLACE`].
    pub inputs: u8,
    /// Worst responses of the operands, as bits of a flit's flags.
    pub resp: u8,
    pub add_cycles: u8,
    /// Elements of a beat.
    pub elements: u8,
}

impl Flow {
    /// `window`: beats that may be under way to the next merge point.
    pub(super) fn new(
        txn: u32,
        here: Coord,
        inputs: u8,
        tree: &Tree,
        window: u32,
        config: &JoinConfig,
    ) -> Self {
        let mut flow = Self {
            txn,
            beats: tree.beats,
            window: at_most(window),
            inputs,
            add_cycles: tree.add_cycles,
            elements: (64 / tree.element.bytes()) as u8,
            ..Self::default()
        };
        let is_in_place = tree.is_shared && here == tree.root;
        if is_in_place {
            flow.inputs |= IN_PLACE;
        }
        for (at, port) in Port::ALL.into_iter().enumerate() {
            if inputs & port.bit() == 0 {
                flow.came[at] = NEVER_MISSING;
            } else if config.has_windows && !(is_in_place && port == Port::Local) {
                let from = contributor(here, port, tree.set, tree.root);
                let window = window_over(here.hops_to(from), config.window_beats);
                flow.returned[at] = tree.beats.saturating_sub(at_most(window));
            }
        }
        flow
    }

    #[inline]
    pub(super) const fn operands(&self) -> u32 {
        (self.inputs & !IN_PLACE).count_ones()
    }

    /// Operands of a beat that the store holds.
    #[inline]
    pub(super) const fn stored_operands(&self) -> u32 {
        self.operands() - (self.inputs & IN_PLACE != 0) as u32
    }

    /// Would an operand of `port` make the oldest beat complete?
    pub(super) fn would_complete(&self, port: usize) -> bool {
        let mut came = self.came;
        came[port] += 1;
        least(&came) > self.complete
    }

    /// Takes an operand. Returns whether one more beat is complete now.
    #[inline]
    pub(super) fn take(&mut self, port: usize, flit: Flit, cycle: u64) -> bool {
        debug_assert_eq!(self.came[port], flit.beat, "beats come in order");
        self.counts[port] = flit.payload;
        self.resp |= flit.flags & RESPONSE;
        self.came[port] += 1;
        let complete = least(&self.came);
        let has_completed = complete > self.complete;
        if has_completed || self.early == 0 {
            self.since = u32::try_from(cycle).unwrap_or(u32::MAX);
        }
        self.early += 1;
        if has_completed {
            self.complete = complete;
            self.early -= self.operands() as u16;
        }
        has_completed
    }

    /// Is there room at the next merge point for one more partial sum?
    #[inline]
    pub(super) const fn has_room(&self) -> bool {
        self.under_way < self.window
    }

    /// Contributions in the operands of a beat.
    #[inline]
    pub(super) fn count(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// Does some room go back once the addition of `beat` has started?
    #[inline]
    pub(super) fn returns_room(&self, beat: u16) -> bool {
        let given = beat + 1;
        given.is_multiple_of(BEATS_PER_CREDIT) || self.returned.contains(&given)
    }

    /// Beats whose room goes back to where the operands of `port` come from, once the addition of `beat` has
    /// started: several at a time.
    #[inline]
    pub(super) fn room_to_return(&self, port: usize, beat: u16) -> Option<u32> {
        let (given, end) = (beat + 1, self.returned[port]);
        let is_due = given <= end && (given.is_multiple_of(BEATS_PER_CREDIT) || given == end);
        is_due.then(|| u32::from((given - 1) % BEATS_PER_CREDIT + 1))
    }

    /// The input whose operands need not come.
    const fn in_place(&self) -> u8 {
        if self.inputs & IN_PLACE == 0 {
            return 0;
        }
        Port::Local.bit()
    }

    /// Beats that lie here in part or as a whole, with the inputs whose operands are there.
    pub(super) fn stored(&self) -> impl Iterator<Item = (u16, u8)> + '_ {
        let has = |at: usize, beat: u16| self.inputs >> at & 1 != 0 && self.came[at] > beat;
        (self.started..self.beats)
            .map(move |beat| {
                (
                    beat,
                    (0..5).fold(0, |set, at| set | u8::from(has(at, beat)) << at),
                )
            })
            .take_while(|(_, have)| have & !self.in_place() != 0)
    }
}

/// Credits go back several at a time: one response flit for so many beats.
const BEATS_PER_CREDIT: u16 = noccl_net::deadlock::BEATS_PER_CREDIT as u16;

/// Beats that have come through every input.
#[inline]
fn least(came: &[u16; 5]) -> u16 {
    came.iter().fold(NEVER_MISSING, |least, c| least.min(*c))
}

fn at_most(beats: u32) -> u16 {
    u16::try_from(beats).unwrap_or(u16::MAX)
}

/// Value mode: payload slots of the operands that lie at a merge point, by transaction.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Bytes(Vec<(u32, VecDeque<[u32; 5]>)>);

impl Bytes {
    /// `ahead`: how far the beat is behind the oldest whose addition has not started.
    pub(super) fn put(&mut self, txn: u32, ahead: usize, port: usize, slot: u32) {
        let at = self.0.iter().position(|(t, _)| *t == txn);
        let at = at.unwrap_or_else(|| {
            self.0.push((txn, VecDeque::new()));
            self.0.len() - 1
        });
        let beats = &mut self.0[at].1;
        if beats.len() <= ahead {
            beats.resize(ahead + 1, [0; 5]);
        }
        beats[ahead][port] = slot;
    }

    /// Operands of the oldest beat; after the last one the transaction is forgotten.
    pub(super) fn take(&mut self, txn: u32, is_last: bool) -> [u32; 5] {
        let Some(at) = self.0.iter().position(|(t, _)| *t == txn) else {
            return [0; 5];
        };
        let slots = self.0[at].1.pop_front().unwrap_or_default();
        if is_last {
            self.0.swap_remove(at);
        }
        slots
    }
}
