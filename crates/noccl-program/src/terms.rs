// SPDX-License-Identifier: Apache-2.0
//! What the ranks of a collective have to agree on, and the schedule that follows from it.

use crate::collective::CollectiveCall;
use crate::error::ProgramError;
use crate::ids::{CommId, RankId};
use crate::session::Session;
use crate::template::{Recipe, Template};
use noccl_coll::{Algorithm, Choice, CollError};
use noccl_net::{AxiNetwork, TileRef};
use noccl_run::Order;
use noccl_workload::check::fit_together;
use noccl_workload::{
    Collective, CollectiveKind, ElementType, Holders, InNetworkReduction, Operator,
};
use std::fmt::Write;

/// What all ranks have to agree on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Terms {
    pub(crate) comm: CommId,
    pub(crate) kind: CollectiveKind,
    pub(crate) root: u32,
    /// Of one payload or block; unknown until a rank calls that knows.
    pub(crate) bytes: Option<u64>,
    pub(crate) operator: Operator,
    pub(crate) element: ElementType,
    /// Does it go on beside what its ranks do?
    pub(crate) is_nonblocking: bool,
    /// Does it leave the network's reductions to other communicators? Decided when it is submitted, for all its ranks.
    pub(crate) sends_messages: bool,
    /// Is it a chunk of what a rank has called? Who does not state its length cannot know of the others.
    pub(crate) is_chunk: bool,
}

impl Terms {
    /// Bytes of one payload or block when all ranks have called, of whom the root of a multicast has stated its length.
    pub(crate) fn agreed_bytes(&self) -> u64 {
        // 0: until the root has called, nothing is known to move.
        self.bytes.unwrap_or(0)
    }

    /// As messages name the call.
    pub(crate) fn name(&self) -> String {
        let mut name = self.kind.to_string();
        if self.is_nonblocking {
            name.insert_str(0, "non-blocking ");
        }
        if self.is_chunk {
            name.insert_str(0, "chunk of a ");
        }
        if let Some(bytes) = self.bytes.filter(|_| self.kind != CollectiveKind::Barrier) {
            let _ = write!(name, " of {bytes} bytes");
        }
        if self.kind.has_root() && self.kind != CollectiveKind::Barrier {
            let _ = write!(name, " with root {}", self.root);
        }
        if self.kind.reduces() {
            let (operator, element) = (self.operator.name(), self.element.name());
            let _ = write!(name, ", {operator} of {element}");
        }
        name
    }

    /// Where its ranks' parts stand among what else their tiles do.
    pub(crate) const fn order(&self) -> Order {
        if self.is_nonblocking {
            Order::Concurrent
        } else {
            Order::InOrder
        }
    }

    /// Do two calls fit together? What one leaves open the other may state.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        let bytes = self
            .bytes
            .zip(other.bytes)
            .is_none_or(|(own, other)| own == other);
        let reduces = self.kind.reduces();
        let is_same_fold =
            !reduces || (self.operator, self.element) == (other.operator, other.element);
        self.comm == other.comm
            && self.kind == other.kind
            && self.root == other.root
            && self.is_nonblocking == other.is_nonblocking
            && self.is_chunk == other.is_chunk
            && is_same_fold
            && bytes
    }
}

impl Session<'_> {
    /// What a call asks for, its lengths checked.
    pub(crate) fn terms(
        &self,
        rank: RankId,
        call_site: &str,
        call: &CollectiveCall,
    ) -> Result<Terms, ProgramError> {
        let argument = |what: String, accepted: String| ProgramError::Argument {
            rank,
            call_site: call_site.to_owned(),
            what,
            accepted,
        };
        let comm = self.comm(rank, call.comm, call_site)?;
        let (size, given) = (u64::from(comm.size()), call.payload.len() as u64);
        if call.root >= comm.size() {
            return Err(argument(
                format!("{} with root {}", call.kind, call.root),
                format!("0 to {}", comm.size() - 1),
            ));
        }
        let is_root = comm.ranks[call.root as usize] == rank;
        if !call.kind.class().is_one_schedule {
            return Err(argument(
                format!("{} as one schedule", call.kind),
                "scatter, gather and scan composed of messages, as MPI programs have them; others of \
                 multicast, reduce, all_reduce, all_gather, reduce_scatter, all_to_all and barrier"
                    .to_owned(),
            ));
        }
        let bytes = if !call.kind.has_payload() {
            Some(0)
        } else if given == 0 && call.kind.input_holders() == Holders::Root && !is_root {
            None
        } else if call.kind.gives_blocks() {
            if !given.is_multiple_of(size) {
                return Err(argument(
                    format!("{} of {given} bytes among {size} ranks", call.kind),
                    "a block of equal length for every rank".to_owned(),
                ));
            }
            Some(given / size)
        } else {
            Some(given)
        };
        let element_bytes = call.element.bytes();
        if call.kind.reduces() && bytes.is_some_and(|bytes| !bytes.is_multiple_of(element_bytes)) {
            return Err(argument(
                format!("{} of {given} bytes of {}", call.kind, call.element.name()),
                format!("a multiple of {element_bytes} bytes"),
            ));
        }
        Ok(Terms {
            comm: call.comm,
            kind: call.kind,
            root: if call.kind.has_blocks() { 0 } else { call.root },
            bytes,
            operator: call.operator,
            element: call.element,
            is_nonblocking: false,
            sends_messages: false,
            is_chunk: false,
        })
    }

    /// The template of these terms from a byte of every memory on; the algorithms are chosen once.
    ///
    /// # Errors
    /// [`ProgramError::Collective`] if there is no algorithm, or it cannot do it.
    pub(crate) fn make_template(
        &mut self,
        terms: Terms,
        first_byte: u64,
    ) -> Result<Template, ProgramError> {
        let comm = &self.comms[terms.comm.0 as usize];
        let root = comm.ranks[terms.root as usize];
        let collective = Collective {
            kind: terms.kind,
            group: comm.set.clone(),
            root: TileRef::Cluster(self.coord(root)),
            bytes: terms.agreed_bytes(),
            input_offset: 0,
            output_offset: 0,
            operator: terms.operator,
            element: terms.element,
            lengths: None,
            definition: None,
        };
        let refused = |source| ProgramError::Collective {
            call: terms.name(),
            source,
        };
        let impossible = |reason| refused(CollError::Impossible(reason));
        let (choice, barrier) = match self.choices.get(&terms) {
            Some(known) => *known,
            None => {
                let mut chosen = self.choose_both(&collective).map_err(impossible)?;
                if let Some(choice) = by_messages(terms.kind).filter(|_| terms.sends_messages) {
                    chosen.0 = choice;
                }
                self.choices.insert(terms, chosen);
                chosen
            }
        };
        let recipe = Recipe {
            network: self.network,
            collective: &collective,
            choice,
            barrier,
        };
        let made = recipe.make(first_byte).map_err(refused)?;
        if self.streams.take(&made.actions) {
            return Ok(made);
        }
        // Other communicators stream there: by messages alone.
        let choice = Choice::new(Algorithm::Tree, 1);
        self.choices.insert(terms, (choice, barrier));
        self.by_streams.insert(terms);
        Recipe { choice, ..recipe }
            .make(first_byte)
            .map_err(refused)
    }

    /// Algorithms of a collective, and of a barrier of the same group.
    fn choose_both(&self, collective: &Collective) -> Result<(Choice, Choice), String> {
        let ranks = self.network.members(&collective.group);
        let ranks = ranks.map_err(|error| error.to_string())?.len() as u64;
        let align = self.network.beat_bytes().max(8);
        let apart = Collective {
            output_offset: collective.input_bytes(ranks).next_multiple_of(align),
            ..collective.clone()
        };
        let barrier = Collective {
            kind: CollectiveKind::Barrier,
            bytes: 0,
            ..collective.clone()
        };
        Ok((
            (self.choose)(self.network, &apart)?,
            (self.choose)(self.network, &barrier)?,
        ))
    }
}

// Reductions of several communicators that are open in the network together.
//
// Routers have space for the operands of some bursts. A schedule whose reductions may need more is refused before it runs; which collectives of a
// program are open together is known when a rank calls them. So a collective whose reductions may not fit together with those of other
// communicators' open collectives sends messages instead. Not taken: to hold it back until the others are over, which may wait for ranks that wait for
// this one. Collectives of one communicator begin in the same order at all members, which bounds what blocking ones have open; behind
// non-blocking ones a collective whose reductions may not fit waits until they are over. All members call it after those.

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
        let Some(network) = self.network.as_joining() else {
            return Ok(());
        };
        if terms.is_nonblocking || by_messages(terms.kind).is_none() {
            return Ok(());
        }
        let usual = Terms {
            sends_messages: false,
            ..terms
        };
        let others = self.open_reductions(|other| other.comm != terms.comm);
        let may_overflow = self.may_overflow(network, usual, others)?;
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
        let Some(network) = self.network.as_joining().filter(|_| has_nonblocking) else {
            return Ok(false);
        };
        let others = self.open_reductions(is_same);
        self.may_overflow(network, terms, others)
    }

    /// May its reductions not fit into the stores together with these?
    fn may_overflow(
        &mut self,
        network: AxiNetwork<'_>,
        terms: Terms,
        mut all: Vec<InNetworkReduction>,
    ) -> Result<bool, ProgramError> {
        if all.is_empty() {
            return Ok(false);
        }
        let template = self.template(terms, 0)?;
        // Wherever it will lie: from the last beat before a boundary there are most bursts.
        let ni = &network.axi().ni;
        let last_beat = u64::from(ni.burst_boundary_bytes.saturating_sub(ni.wide_beat_bytes));
        let own = reductions(&template).cloned().map(|mut reduction| {
            reduction.root.offset = last_beat;
            reduction
        });
        let num_open = all.len();
        all.extend(own);
        Ok(all.len() > num_open && !fit_together(&network, &all))
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
