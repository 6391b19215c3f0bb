// SPDX-License-Identifier: Apache-2.0
//! Operands of one beat that meet in pairs at a router ([`noccl_net::pairs`]): which have come, and the sum of those before them.
//!
//! They are combined in fold order, one per pass through the arithmetic, each as soon as it and the sum lie in the store. So what comes from
//! near by is in the sum when the operand that comes last arrives, and one addition follows that one. An input brings at most one operand
//! per power of two below the mesh's side: fewer than the beats of a window, so the store's bank has a place for each.

use super::flow::Flow;
use super::unit::{Pass, Started, Unit};
use crate::transport::flit::Flit;
use serde::{Deserialize, Serialize};

/// The operands of one reduction at one router.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Meeting {
    pub txn: u32,
    /// Operands in fold order; value mode: payload slots, timing mode: contributions.
    payloads: Vec<Option<u32>>,
    /// Operands that the sum stands for, once it is there.
    combined: usize,
    /// Not while it is in the arithmetic.
    sum: Option<u32>,
}

impl Meeting {
    pub(super) fn new(txn: u32, operands: usize) -> Self {
        Self {
            txn,
            payloads: vec![None; operands],
            combined: 0,
            sum: None,
        }
    }

    /// An operand is in the store.
    pub(super) fn take(&mut self, operand: usize, payload: u32) {
        if operand == 0 {
            self.keep(payload);
            self.combined = 1;
        } else if let Some(place) = self.payloads.get_mut(operand) {
            debug_assert!(place.is_none(), "an operand comes once");
            *place = Some(payload);
        }
    }

    /// A sum is in the store.
    pub(super) const fn keep(&mut self, sum: u32) {
        self.sum = Some(sum);
    }

    /// Can the next addition start?
    pub(super) fn may_add(&self) -> bool {
        self.sum.is_some() && self.next().is_some()
    }

    fn next(&self) -> Option<u32> {
        self.payloads.get(self.combined).copied().flatten()
    }

    /// Additions that follow the next one.
    pub(super) fn left(&self) -> usize {
        self.payloads.len().saturating_sub(self.combined + 1)
    }

    /// No addition has started.
    pub(super) const fn is_first(&self) -> bool {
        self.combined <= 1
    }

    /// The next addition starts: the sum and the operand that it adds.
    pub(super) fn start(&mut self) -> Option<(u32, u32)> {
        let operand = self.next()?;
        let sum = self.sum.take()?;
        self.combined += 1;
        Some((sum, operand))
    }

    /// Operands that have not come, as places in the fold order.
    pub(super) fn missing(&self) -> impl Iterator<Item = usize> + '_ {
        let rest = self.payloads.iter().enumerate().skip(self.combined);
        let is_missing = |(at, payload): &(usize, &Option<u32>)| {
            payload.is_none() && !(*at == 0 && self.sum.is_some())
        };
        rest.filter(is_missing).map(|(at, _)| at)
    }
}

impl Unit {
    /// A flow begins whose operands meet in pairs. Returns where it stands.
    pub(super) fn open_meeting(&mut self, flow: Flow, operands: usize) -> usize {
        self.meetings.push(Meeting::new(flow.txn, operands));
        self.flows.push_back(flow);
        self.flows.len() - 1
    }

    pub(super) fn meeting(&self, txn: u32) -> Option<&Meeting> {
        self.meetings.iter().find(|m| m.txn == txn)
    }

    /// Changes what has come of the flow at `at`, and takes note of whether its next addition may start.
    fn meet<T>(&mut self, at: usize, change: impl FnOnce(&mut Meeting) -> T) -> Option<T> {
        let flow = self.flows.get_mut(at)?;
        let meeting = self.meetings.iter_mut().find(|m| m.txn == flow.txn)?;
        let changed = change(meeting);
        flow.set_may_add(meeting.may_add());
        Some(changed)
    }

    /// Takes an operand, by its place in the fold order.
    pub(super) fn take_in_pairs(&mut self, at: usize, operand: usize, flit: Flit) {
        if let Some(flow) = self.flows.get_mut(at) {
            flow.note_marks(flit);
        }
        self.meet(at, |meeting| meeting.take(operand, flit.payload));
    }

    /// The tile's own operand of an all-reduce can be read where it lies.
    pub(super) fn take_own(&mut self, at: usize, payload: u32) {
        self.meet(at, |meeting| meeting.take(0, payload));
    }

    /// An addition starts, if the sum and the next operand of the chosen flow are there.
    pub(super) fn begin_addition(&mut self, at: usize) -> Started {
        let Some(flow) = self.flows.get(at).copied() else {
            return Started::default();
        };
        let Some(meeting) = self.meeting(flow.txn) else {
            return Started::default();
        };
        let left = meeting.left();
        let has_followers = left != 0;
        let partials = self.partials + u8::from(meeting.is_first());
        self.partials = partials - u8::from(!has_followers);
        self.request = Some(Pass::of_addition(flow.slot, flow.add_cycles, left));
        Started {
            begins: Some((at, 0)),
            ..Started::default()
        }
    }

    /// The sum and the operand of the addition that has begun; with the last one the meeting is over.
    pub(super) fn start_addition(&mut self, at: usize) -> Option<(u32, u32)> {
        let started = self.meet(at, Meeting::start)?;
        let txn = self.flows.get(at)?.txn;
        let is_over = |m: &Meeting| m.txn == txn && m.combined == m.payloads.len();
        self.meetings.retain(|m| !is_over(m));
        started
    }

    /// A sum to which others are added goes back into the store. Returns whether its operands meet in pairs.
    pub(super) fn keep_sum(&mut self, pass: &Pass) -> bool {
        let Some(at) = self.at_slot(pass.slot) else {
            return false;
        };
        self.meet(at, |meeting| meeting.keep(pass.payload))
            .is_some()
    }
}
