// SPDX-License-Identifier: Apache-2.0
//! Collective calls of a communicator's ranks, compared in their order without a message.
//!
//! A collective that is composed of messages is no collective for the session; without this, a mistake would end as a
//! deadlock, or as nothing.

use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

/// What all ranks have to state alike; shown as messages name the call.
pub trait Agreed: fmt::Display {
    /// Does another rank's call belong to the same collective?
    fn fits(&self, other: &Self) -> bool;
}

#[derive(Debug)]
struct First<T> {
    terms: T,
    rank: RankId,
    call_site: String,
    num_missing: u32,
}

#[derive(Debug)]
struct OfCommunicator<T> {
    /// Calls that some ranks have not made yet, from this number on.
    open: VecDeque<First<T>>,
    first: u64,
    calls: BTreeMap<RankId, u64>,
}

/// Calls of all communicators.
#[derive(Debug)]
pub struct Agreements<T>(BTreeMap<CommId, OfCommunicator<T>>);

impl<T> Default for OfCommunicator<T> {
    fn default() -> Self {
        Self {
            open: VecDeque::new(),
            first: 0,
            calls: BTreeMap::new(),
        }
    }
}

impl<T> Default for Agreements<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Agreed> Agreements<T> {
    /// Compares a rank's next call on a communicator of so many ranks with that of the first rank that came to it.
    ///
    /// # Errors
    /// [`ProgramError::Differs`].
    pub fn compare(
        &mut self,
        comm: (CommId, u32),
        rank: RankId,
        call_site: &str,
        terms: T,
    ) -> Result<(), ProgramError> {
        let of = self.0.entry(comm.0).or_default();
        let calls = of.calls.entry(rank).or_insert(0);
        let index = (*calls - of.first) as usize;
        *calls += 1;
        if index < of.open.len() {
            compare(&of.open[index], rank, call_site, &terms)?;
        } else {
            of.open.push_back(First {
                terms,
                rank,
                call_site: call_site.to_owned(),
                num_missing: comm.1,
            });
        }
        let first = &mut of.open[index];
        first.num_missing = first.num_missing.saturating_sub(1);
        while of.open.front().is_some_and(|first| first.num_missing == 0) {
            of.open.pop_front();
            of.first += 1;
        }
        Ok(())
    }
}

fn compare<T: Agreed>(
    first: &First<T>,
    rank: RankId,
    call_site: &str,
    terms: &T,
) -> Result<(), ProgramError> {
    if first.terms.fits(terms) {
        return Ok(());
    }
    Err(ProgramError::Differs {
        rank,
        call_site: call_site.to_owned(),
        call: terms.to_string(),
        other: first.rank,
        other_call_site: first.call_site.clone(),
        other_call: first.terms.to_string(),
    })
}
