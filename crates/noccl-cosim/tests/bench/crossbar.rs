// SPDX-License-Identifier: Apache-2.0
//! A network that adds nothing: the bench's crossbar, cycle by cycle (`rtl/tb/common/noccl_crossbar.sv`).
//!
//! A target has one burst at a time from its address to its last beat, the lowest manager first; responses return in the
//! order of the bursts.

use noccl_sim::lean_endpoint::{BeatOffer, WordOffer};
use std::collections::VecDeque;

/// Bursts of a target that may be without a response.
const MAX_PENDING: usize = 8;

/// What a manager offers: address, beat.
#[derive(Debug, Clone, Copy)]
pub(super) struct CrossbarOffer {
    pub to: usize,
    pub valid: [bool; 2],
    pub is_last: bool,
}

impl From<&WordOffer> for CrossbarOffer {
    fn from(offer: &WordOffer) -> Self {
        Self {
            to: offer.to as usize,
            valid: offer.valid,
            is_last: offer.is_last(),
        }
    }
}

impl From<&BeatOffer> for CrossbarOffer {
    fn from(offer: &BeatOffer) -> Self {
        Self {
            to: offer.to as usize,
            valid: offer.valid,
            is_last: offer.is_last,
        }
    }
}

/// A target's cycle.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CrossbarMove {
    /// Whose burst it is.
    pub owner: Option<usize>,
    /// Address, beat: offered to the target, taken by it.
    pub valid: [bool; 2],
    pub taken: [bool; 2],
    pub is_last: bool,
    /// The manager whose response returns.
    pub responded: Option<usize>,
}

#[derive(Debug, Clone, Default)]
struct CrossbarTarget {
    owner: Option<usize>,
    gone: [bool; 2],
    /// Address, beat: offered and not taken. Managers take every response at once.
    shown: [bool; 2],
    pending: VecDeque<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct ComparisonCrossbar {
    targets: Vec<CrossbarTarget>,
    /// Per manager whose address has gone: where its beats go.
    open: Vec<Option<usize>>,
}

impl ComparisonCrossbar {
    pub(super) fn new(managers: usize, targets: usize) -> Self {
        Self {
            targets: vec![CrossbarTarget::default(); targets],
            open: vec![None; managers],
        }
    }

    /// What crosses in this cycle. `ready` says of a target that is offered an address or not which of address and
    /// beat it takes; `responses` has a bit per target with a response, `hold` one per target that stands still, where only
    /// what has been offered before stays offered.
    pub(super) fn moves(
        &self,
        offers: &[Option<CrossbarOffer>],
        ready: impl Fn(usize, bool) -> [bool; 2],
        responses: u64,
        hold: u64,
    ) -> Vec<CrossbarMove> {
        let mut has_responded = vec![false; offers.len()];
        let each = self.targets.iter().enumerate().map(|(t, target)| {
            let is_held = hold >> t & 1 == 1;
            let mut step = self.beat(t, target, offers, is_held);
            let takes = ready(t, step.valid[0]);
            step.taken = [step.valid[0] && takes[0], step.valid[1] && takes[1]];
            let pending = target
                .pending
                .front()
                .filter(|_| responses >> t & 1 == 1 && !is_held);
            step.responded = pending.copied().filter(|m| !has_responded[*m]);
            if let Some(manager) = step.responded {
                has_responded[manager] = true;
            }
            step
        });
        each.collect()
    }

    /// What a target is offered.
    fn beat(
        &self,
        t: usize,
        target: &CrossbarTarget,
        offers: &[Option<CrossbarOffer>],
        is_held: bool,
    ) -> CrossbarMove {
        let begins = |m: &usize| {
            let offer = offers[*m].filter(|o| o.valid[0] && o.to == t);
            offer.is_some() && self.open[*m].is_none()
        };
        let owner = target.owner.or_else(|| (0..offers.len()).find(begins));
        let Some((manager, offer)) = owner.and_then(|m| Some((m, offers[m]?))) else {
            return CrossbarMove::default();
        };
        let has_space = target.pending.len() < MAX_PENDING;
        let is_open = |at: usize| has_space && (!is_held || target.shown[at]);
        let open = self.open[manager];
        let has_address = offer.valid[0] && open.is_none() && !target.gone[0];
        let has_beat = offer.valid[1] && open.unwrap_or(offer.to) == t && !target.gone[1];
        CrossbarMove {
            owner,
            valid: [has_address && is_open(0), has_beat && is_open(1)],
            is_last: offer.is_last,
            ..CrossbarMove::default()
        }
    }

    /// The clock's edge.
    pub(super) fn step(&mut self, moves: &[CrossbarMove]) {
        for (t, (target, step)) in self.targets.iter_mut().zip(moves).enumerate() {
            target.shown = [0, 1].map(|at| step.valid[at] && !step.taken[at]);
            if step.responded.is_some() {
                target.pending.pop_front();
            }
            let Some(manager) = step.owner.filter(|_| step.taken != [false; 2]) else {
                continue;
            };
            target.gone[0] |= step.taken[0];
            target.gone[1] |= step.taken[1] && step.is_last;
            target.owner = Some(manager);
            self.open[manager] = Some(t).filter(|_| target.gone[0]);
            if target.gone == [true; 2] {
                target.gone = [false; 2];
                target.owner = None;
                self.open[manager] = None;
                target.pending.push_back(manager);
            }
        }
    }
}
