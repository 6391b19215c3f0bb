// SPDX-License-Identifier: Apache-2.0
//! Reductions of several communicators that are open in the network together.
//!
//! Routers have space for the operands of some bursts. A schedule whose reductions may need more is refused before it runs; which collectives of a
//! program are open together is known when a rank calls them. So a collective whose reductions may not fit together with those of other
//! communicators' open collectives sends messages instead. Not taken: to hold it back until the others are over, which may wait for ranks that wait for
//! this one. Collectives of one communicator begin in the same order at all members, which bounds what blocking ones have open; behind
//! non-blocking ones a collective whose reductions may not fit waits until they are over. All members call it after those.

use crate::error::ProgramError;
use crate::session::Session;
use crate::template::Template;
use crate::terms::Terms;
use noccl_coll::{Algorithm, Choice};
use noccl_workload::check::fit_together;
use noccl_workload::{CollectiveKind, InNetworkReduction};

/// The algorithm without the network's reductions; none for collectives that reduce nothing.
pub(crate) const fn by_messages(kind: CollectiveKind) -> Option<Choice> {
    if !kind.reduces() || !kind.class().is_one_schedule {
        return None;
    }
    Some(match kind.has_blocks() {
        true => Choice::new(Algorithm::Ring, 1),
        false => Choice::new(Algorithm::Tree, 1),
    })
}

/// The network's reductions of a schedule.
fn reductions(template: &Template) -> impl Iterator<Item = &InNetworkReduction> {
    let actions = template.actions.iter();
    let merged = actions.filter_map(|action| action.kind.network_fold());
    merged.map(|one| one.reduction)
}

impl Session<'_> {
    /// Decides whether a collective that is about to be submitted sends messages, for the sake of others' reductions.
    pub(crate) fn avoid_overflow(&mut self, number: u32) -> Result<(), ProgramError> {
        let terms = self.collectives[number].terms;
        // Other routers set no operands aside. A non-blocking collective has no core that combines operands.
        let has_stores = self.network.routers().joins_several;
        if !has_stores || terms.is_nonblocking || by_messages(terms.kind).is_none() {
            return Ok(());
        }
        let usual = Terms {
            sends_messages: false,
            ..terms
        };
        let others = self.open_reductions(|other| other.comm != terms.comm);
        let may_overflow = self.may_overflow(usual, others)?;
        let instead = Terms {
            sends_messages: may_overflow,
            ..terms
        };
        let is_possible = !may_overflow || self.template(instead, 0).is_ok();
        self.collectives[number].terms = if is_possible { instead } else { usual };
        Ok(())
    }

    /// Does a collective wait for non-blocking ones of its communicator, or behind one that does?
    pub(crate) fn waits_for_its_communicator(&mut self, number: u32) -> Result<bool, ProgramError> {
        let terms = self.collectives[number].terms;
        let is_same = |other: &Terms| other.comm == terms.comm;
        let of = |other: &u32| self.collectives[*other].terms;
        if self
            .deferred_collectives
            .iter()
            .any(|one| is_same(&of(one)))
        {
            return Ok(true);
        }
        let has_nonblocking = terms.is_nonblocking
            || self
                .reducing
                .iter()
                .map(of)
                .any(|one| is_same(&one) && one.is_nonblocking);
        if !self.network.routers().joins_several || !has_nonblocking {
            return Ok(false);
        }
        let others = self.open_reductions(is_same);
        self.may_overflow(terms, others)
    }

    /// May its reductions not fit into the stores together with these?
    fn may_overflow(
        &mut self,
        terms: Terms,
        mut all: Vec<InNetworkReduction>,
    ) -> Result<bool, ProgramError> {
        if all.is_empty() {
            return Ok(false);
        }
        let template = self.template(terms, 0)?;
        // Wherever it will lie: from the last beat before a boundary there are most bursts.
        let ni = &self.network.axi().ni;
        let last_beat = u64::from(ni.burst_boundary_bytes.saturating_sub(ni.wide_beat_bytes));
        let own = reductions(&template).cloned().map(|mut reduction| {
            reduction.root.offset = last_beat;
            reduction
        });
        let num_open = all.len();
        all.extend(own);
        Ok(all.len() > num_open && !fit_together(self.network, &all))
    }

    /// Reductions of these collectives as far as they are not over.
    fn open_reductions(&mut self, of: impl Fn(&Terms) -> bool) -> Vec<InNetworkReduction> {
        let collectives = &self.collectives;
        let is_open = |number: &u32| collectives[*number].submitted.is_some();
        self.reducing.retain(is_open);
        let others = self.reducing.iter().map(|number| &collectives[*number]);
        let these = others.filter(|other| of(&other.terms));
        let submitted = these.filter_map(|other| other.submitted.as_ref());
        let open = submitted.flat_map(|submitted| reductions(&submitted.template).cloned());
        open.collect()
    }

    /// A collective is submitted: if it has reductions in the network, others look at them.
    pub(crate) fn note_reductions(&mut self, number: u32) {
        let submitted = self.collectives[number].submitted.as_ref();
        if submitted.is_some_and(|submitted| reductions(&submitted.template).next().is_some()) {
            self.reducing.push(number);
        }
    }
}
