// SPDX-License-Identifier: Apache-2.0
//! Collective calls of a communicator's ranks, compared in their order without a message.
//!
//! A collective that is composed of messages is no collective for the session; without this, a mistake would end as a
//! deadlock, or as nothing.

use crate::function::{Element, Fold, Function};
use noccl_program::{CommId, ProgramError, RankId};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// What all ranks have to agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Terms {
    pub(crate) function: Function,
    pub(crate) fold: Fold,
    pub(crate) element: Element,
    pub(crate) bytes: u64,
    pub(crate) root: u64,
}

impl Terms {
    fn fits(&self, other: &Self) -> bool {
        let function = self.function;
        function == other.function
            && (!function.has_root() || self.root == other.root)
            && (!function.has_bytes() || self.bytes == other.bytes)
            && (!function.reduces() || (self.fold, self.element) == (other.fold, other.element))
    }
}

impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MPI_{}", self.function.name())?;
        if self.function.has_bytes() {
            write!(f, " of {} bytes", self.bytes)?;
        }
        if self.function.has_root() {
            write!(f, " with root {}", self.root)?;
        }
        if self.function.reduces() {
            write!(f, ", {} of {}", self.fold.name(), self.element.name())?;
        }
        Ok(())
    }
}

#[derive(Debug)]
struct First {
    terms: Terms,
    rank: RankId,
    place: String,
    num_missing: u32,
}

#[derive(Debug, Default)]
struct OfCommunicator {
    /// Calls that some ranks have not made yet, from this number on.
    open: VecDeque<First>,
    first: u64,
    calls: BTreeMap<RankId, u64>,
}

/// Calls of all communicators.
#[derive(Debug, Default)]
pub(crate) struct Agreements(BTreeMap<CommId, OfCommunicator>);

impl Agreements {
    /// Compares a rank's call with that of the first rank that came to it.
    ///
    /// # Errors
    /// [`ProgramError::Differs`].
    pub(crate) fn compare(
        &mut self,
        comm: (CommId, u32),
        rank: RankId,
        place: &str,
        terms: Terms,
    ) -> Result<(), ProgramError> {
        let of = self.0.entry(comm.0).or_default();
        let calls = of.calls.entry(rank).or_insert(0);
        let index = (*calls - of.first) as usize;
        *calls += 1;
        if index == of.open.len() {
            of.open.push_back(First {
                terms,
                rank,
                place: place.to_owned(),
                num_missing: comm.1,
            });
        }
        let Some(first) = of.open.get_mut(index) else {
            return Ok(());
        };
        if !first.terms.fits(&terms) {
            return Err(ProgramError::Differs {
                rank,
                place: place.to_owned(),
                call: terms.to_string(),
                other: first.rank,
                other_place: first.place.clone(),
                other_call: first.terms.to_string(),
            });
        }
        first.num_missing = first.num_missing.saturating_sub(1);
        while of.open.front().is_some_and(|first| first.num_missing == 0) {
            of.open.pop_front();
            of.first += 1;
        }
        Ok(())
    }
}
