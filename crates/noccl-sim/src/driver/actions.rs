// SPDX-License-Identifier: Apache-2.0
//! The actions of a run: those of a schedule, which are known before it, and those that programs submit during it.
//!
//! What an action does is asked for by its number and may be held while the run changes, whoever owns it.

use noccl_workload::{Action, ActionKind, Numbered, Schedule};
use std::ops::Deref;
use std::sync::Arc;

/// Actions by number.
#[derive(Debug)]
pub(crate) struct Actions<'s> {
    known: &'s [Action],
    submitted: Numbered<Arc<Action>>,
}

/// What an action of a run does.
#[derive(Debug, Clone)]
pub(crate) enum KindRef<'s> {
    /// It stands in the schedule.
    Known(&'s ActionKind),
    /// It was submitted during the run.
    Submitted(Arc<Action>),
}

impl Deref for KindRef<'_> {
    type Target = ActionKind;

    fn deref(&self) -> &ActionKind {
        match self {
            Self::Known(kind) => kind,
            Self::Submitted(action) => &action.kind,
        }
    }
}

impl<'s> Actions<'s> {
    /// Those of a schedule.
    pub(crate) fn of(schedule: &'s Schedule) -> Self {
        Self {
            known: &schedule.actions,
            submitted: Numbered::default(),
        }
    }

    /// None yet.
    pub(crate) fn none() -> Self {
        Self {
            known: &[],
            submitted: Numbered::default(),
        }
    }

    /// What an action does that the run has not forgotten.
    ///
    /// # Panics
    /// If it has.
    pub(crate) fn kind(&self, number: u32) -> KindRef<'s> {
        self.find(number).expect("the action is not forgotten")
    }

    /// As [`Actions::kind`]; `None` for an action that is forgotten.
    pub(crate) fn find(&self, number: u32) -> Option<KindRef<'s>> {
        match self.known.get(number as usize) {
            Some(action) => Some(KindRef::Known(&action.kind)),
            None => Some(KindRef::Submitted(Arc::clone(self.submitted.get(number)?))),
        }
    }

    /// Submits one to a run without a schedule; its number.
    pub(crate) fn push(&mut self, action: Action) -> u32 {
        self.submitted.push(Arc::new(action))
    }

    /// Everything that was submitted of an action is over.
    pub(crate) fn forget(&mut self, number: u32) {
        self.submitted.forget(number);
    }
}
