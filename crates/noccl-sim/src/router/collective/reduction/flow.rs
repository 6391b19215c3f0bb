// SPDX-License-Identifier: Apache-2.0
//! One wide reduction at a merge point: how many of its beats have come through each input.
//!
//! Beats of a reduction come in order through every input, so a count per input says which operands of which beats
//! are there. BeatBytes are kept apart ([`BeatBytes`]), and only where they matter.

use crate::router::collective::merge::types::JoinConfig;
use crate::transport::axi_response::SLVERR;
use crate::transport::flit::{Flit, RESP_SHIFT, RESPONSE, VARIANT};
use crate::transport::transaction::{Tree, Variant};
use noccl_net::tree::contributor;
use noccl_net::{Coord, Port};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// An input that no contribution comes through never holds a beat up.
const NEVER_MISSING: u16 = u16::MAX;

/// No other contributions are met on the path to the root: credits for any number of sums.
const UNLIMITED: u16 = u16::MAX;

/// The operands of the Local input lie in the tile's memory: no flit brings them, no space is kept for them.
const IN_PLACE: u8 = 1 << 7;

/// Operands of one beat that meet in pairs: a [`Meeting`](super::meeting::Meeting) knows of them.
const IN_PAIRS: u8 = 1 << 6;

/// All inputs, as a bit set.
const ALL_INPUTS: u8 = 0x1f;

/// Inputs from the routers of the same column.
const COLUMN_INPUTS: u8 = Port::North.bit() | Port::South.bit();

/// A reduction between its first operand and its last result at one merge point: a cache line.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Flow {
    pub txn: u32,
    /// Cycle since which the oldest beat that lacks operands is the oldest, for diagnosis: so it may end at the
    /// largest number.
    pub since: u32,
    /// Timing mode: contributions in an operand of each input.
    counts: [u32; 5],
    /// Beats that have come through each input.
    came: [u16; 5],
    /// As long as no more beats than this have been combined, their space is needed again where an input's operands
    /// come from.
    returned: [u16; 5],
    /// Beats that have been chosen, those whose last pass has, and those whose results have left.
    pub(super) started: u16,
    finished: u16,
    pub sent: u16,
    pub beats: u16,
    /// Beats that may yet be sent to the next merge point; of operands in pairs, additions that may start.
    credits: u16,
    /// Inputs that contributions come through, as a bit set, and [`IN_PLACE`] or [`IN_PAIRS`].
    pub inputs: u8,
    /// As bits of a flit's flags: worst responses of the operands, with SLVERR once they did not agree, and what the first
    /// operand says.
    pub marks: u8,
    pub add_cycles: u8,
    /// Elements of a beat, as a power of two: so their number has space here, whatever a beat holds.
    pub(super) elements_log2: u8,
    /// Place among the reductions of the router.
    pub slot: u8,
    /// Inputs whose senders have credits pending.
    pending: u8,
}

impl Flow {
    /// `window`: beats that may be in flight to the next merge point, if there is one.
    pub(crate) fn new(
        (txn, slot): (u32, u8),
        here: Coord,
        inputs: u8,
        tree: &Tree,
        window: Option<u32>,
        config: &JoinConfig,
    ) -> Self {
        let mut flow = Self {
            txn,
            slot,
            beats: tree.beats,
            credits: window.map_or(UNLIMITED, at_most),
            inputs,
            add_cycles: tree.add_cycles,
            elements_log2: config.elements_log2(tree.element),
            ..Self::default()
        };
        let is_in_place = tree.is_shared && here == tree.root;
        if is_in_place {
            flow.inputs |= IN_PLACE;
        }
        for (at, port) in Port::ALL.into_iter().enumerate() {
            if inputs & port.bit() == 0 {
                flow.came[at] = NEVER_MISSING;
            } else if !(is_in_place && port == Port::Local) {
                let from = contributor(here, port, tree.set, tree.root);
                let window = config.windows.over(here.hops_to(from));
                // Space for four beats is needed if there is space for one of them only.
                let needed = tree.beats + BEATS_PER_CREDIT - 1;
                flow.returned[at] = needed.saturating_sub(at_most(window));
            }
        }
        flow
    }

    /// One whose operands meet in pairs.
    pub(super) fn in_pairs(
        (txn, slot): (u32, u8),
        tree: &Tree,
        cycle: u64,
        config: &JoinConfig,
    ) -> Self {
        Self {
            txn,
            slot,
            since: u32::try_from(cycle).unwrap_or(u32::MAX),
            beats: tree.beats,
            came: [NEVER_MISSING; 5],
            inputs: IN_PAIRS,
            add_cycles: tree.add_cycles,
            elements_log2: config.elements_log2(tree.element),
            ..Self::default()
        }
    }

    #[inline]
    pub(crate) const fn is_in_pairs(&self) -> bool {
        self.inputs & IN_PAIRS != 0
    }

    /// Whether the next addition of operands in pairs may start.
    pub(super) const fn set_may_add(&mut self, may_add: bool) {
        self.credits = may_add as u16;
    }

    #[inline]
    pub(crate) const fn operands(&self) -> u32 {
        (self.inputs & !IN_PLACE).count_ones()
    }

    /// Takes operands of several inputs.
    #[inline]
    pub(crate) fn take(&mut self, operands: impl Iterator<Item = (usize, Flit)>, cycle: u64) {
        let complete = least(&self.came);
        let is_first = self
            .came
            .iter()
            .all(|c| *c == complete || *c == NEVER_MISSING);
        for (port, flit) in operands {
            debug_assert_eq!(self.came[port], flit.beat, "beats come in order");
            self.counts[port] = flit.payload;
            self.note_marks(flit);
            self.came[port] += 1;
        }
        if is_first || least(&self.came) > complete {
            self.since = u32::try_from(cycle).unwrap_or(u32::MAX);
        }
    }

    /// What an operand says besides its bytes.
    pub(super) const fn note_marks(&mut self, flit: Flit) {
        self.marks |= flit.flags & RESPONSE;
        if (self.marks ^ flit.flags) & VARIANT != 0 {
            self.marks |= SLVERR << RESP_SHIFT;
        }
    }

    /// The first operand says something else than the transaction.
    pub(crate) const fn begin_as(&mut self, flit: Flit, variant: Variant, config: &JoinConfig) {
        self.marks = flit.flags & VARIANT;
        self.add_cycles = variant.add_cycles;
        self.elements_log2 = config.elements_log2(variant.element);
    }

    /// The operands of the Local input can be read where they lie.
    pub(crate) fn take_in_place(&mut self) {
        let local = Port::Local as usize;
        self.counts[local] = 1;
        self.came[local] = self.beats;
    }

    /// May the next beat start: is it complete, is there a credit, and are no earlier credits pending that block it?
    #[inline]
    pub(crate) fn may_start(&self) -> bool {
        self.credits != 0 && least(&self.came) > self.started && self.may_finish()
    }

    /// May the last pass of a beat start? Not if it would complete a credit batch while one is pending.
    #[inline]
    pub(crate) const fn may_finish(&self) -> bool {
        self.pending == 0 || self.finished % BEATS_PER_CREDIT != BEATS_PER_CREDIT - 1
    }

    /// The next beat starts. Returns its number.
    #[inline]
    pub(crate) const fn start(&mut self) -> u16 {
        if self.credits != UNLIMITED {
            self.credits -= 1;
        }
        self.started += 1;
        self.started - 1
    }

    /// The last pass of a beat starts. Returns the inputs whose senders get credits for it and those before.
    #[inline]
    pub(crate) fn finish(&mut self) -> u8 {
        self.finished += 1;
        if !self.finished.is_multiple_of(BEATS_PER_CREDIT) {
            return 0;
        }
        let is_due = |at: &usize| self.finished <= self.returned[*at];
        (0..5).filter(is_due).fold(0, |set, at| set | 1 << at)
    }

    /// Credits for more beats have come.
    pub(crate) const fn take_credit(&mut self, beats: u16) {
        self.credits += beats;
    }

    /// Credits for these senders are pending from now on.
    pub(crate) const fn add_pending(&mut self, inputs: u8) {
        self.pending |= inputs;
    }

    /// The first input whose sender has credits pending: of the column before the row, since the sums of a column come from
    /// routers with three operands, whose round trip fills the whole window.
    pub(crate) fn first_pending(&self) -> Option<usize> {
        let column = self.pending & COLUMN_INPUTS;
        let first = if column == 0 { self.pending } else { column };
        (first != 0).then(|| first.trailing_zeros() as usize)
    }

    /// That sender gets it.
    pub(crate) fn return_credit(&mut self) {
        // 0: no credit is pending.
        self.pending &= !self.first_pending().map_or(0, |input| 1 << input);
    }

    /// Contributions in the operands of a beat.
    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.counts.iter().sum()
    }

    /// The input whose operands need not come.
    const fn in_place(&self) -> u8 {
        if self.inputs & IN_PLACE == 0 {
            return 0;
        }
        Port::Local.bit()
    }

    /// Does the oldest beat that lies here lack operands that have to come? `None` if none lies here.
    pub(crate) fn oldest_lacks(&self) -> Option<bool> {
        let (_, have) = self.stored().next()?;
        let expected = self.inputs & ALL_INPUTS & !self.in_place();
        Some(expected & !have != 0)
    }

    /// Beats that lie here in part or as a whole, with the inputs whose operands are there.
    pub(crate) fn stored(&self) -> impl Iterator<Item = (u16, u8)> + '_ {
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
pub(crate) const BEATS_PER_CREDIT: u16 = noccl_net::deadlock::BEATS_PER_CREDIT as u16;

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
pub(crate) struct BeatBytes(Vec<(u32, VecDeque<[u32; 5]>)>);

impl BeatBytes {
    /// `ahead`: how far the beat is behind the oldest whose addition has not started.
    pub(crate) fn put(&mut self, txn: u32, ahead: usize, port: usize, slot: u32) {
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
    pub(crate) fn take(&mut self, txn: u32, is_last: bool) -> [u32; 5] {
        let Some(at) = self.0.iter().position(|(t, _)| *t == txn) else {
            return [0; 5];
        };
        // 0: a beat without operands has no slots.
        let slots = self.0[at].1.pop_front().unwrap_or_default();
        if is_last {
            self.0.swap_remove(at);
        }
        slots
    }
}
