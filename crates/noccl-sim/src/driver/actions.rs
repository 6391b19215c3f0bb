// SPDX-License-Identifier: Apache-2.0
//! The actions of a run: those of a schedule, which are known before it, and those that programs state while it goes on.
//!
//! What an action does is asked for by its number and may be held while the run changes, whoever owns it.

use noccl_workload::{Action, ActionKind, Schedule};
use std::ops::Deref;
use std::sync::Arc;

/// Actions by number.
#[derive(Debug)]
pub(crate) struct Actions<'s> {
    known: &'s [Action],
    stated: Vec<Arc<Action>>,
}

/// What an action of a run does.
#[derive(Debug, Clone)]
pub(crate) enum KindRef<'s> {
    /// It stands in the schedule.
    Known(&'s ActionKind),
    /// It was stated during the run.
    Stated(Arc<Action>),
}

impl Deref for KindRef<'_> {
    type Target = ActionKind;

    fn deref(&self) -> &ActionKind {
        match self {
            Self::Known(kind) => kind,
            Self::Stated(action) => &action.kind,
        }
    }
}

impl<'s> Actions<'s> {
    /// Those of a schedule.
    pub(crate) fn of(schedule: &'s Schedule) -> Self {
        Self {
            known: &schedule.actions,
            stated: Vec::new(),
        }
    }

    /// None yet.
    pub(crate) const fn none() -> Self {
        Self {
            known: &[],
            stated: Vec::new(),
        }
    }

    pub(crate) const fn len(&self) -> usize {
        self.known.len() + self.stated.len()
    }

    /// What the action of a number that the run has given does.
    pub(crate) fn kind(&self, number: u32) -> KindRef<'s> {
        let number = number as usize;
        match self.known.get(number) {
            Some(action) => KindRef::Known(&action.kind),
            None => KindRef::Stated(Arc::clone(&self.stated[number - self.known.len()])),
        }
    }

    /// States a further one; its number.
    pub(crate) fn push(&mut self, action: Action) -> u32 {
        self.stated.push(Arc::new(action));
        self.len() as u32 - 1
    }
}
