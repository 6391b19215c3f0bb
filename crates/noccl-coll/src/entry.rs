// SPDX-License-Identifier: Apache-2.0
//! What every algorithm states about itself, in its own file. Other code asks this entry instead of comparing algorithms.

use crate::candidates::Offer;
use crate::point_to_point::Family;
use crate::task::{CoreTask, Task};
use crate::{Algorithm, Choice, CollError, Inner};
use noccl_workload::{Action, CollectiveKind};

/// An algorithm. A new one states all of it in a file of its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    /// Stable name, as users write it.
    pub(crate) name: &'static str,
    /// Names that other libraries have.
    pub(crate) other_names: &'static [&'static str],
    /// Does the network itself multicast, reduce or merge a barrier?
    pub(crate) is_in_network: bool,
    /// Which parameters it has.
    pub(crate) parameters: Parameters,
    /// Steps of a schedule over many members.
    pub(crate) length: Length,
    /// By transactions of DMA engines and interfaces; none if it has no such form.
    pub(crate) on_clusters: Option<OnClusters>,
    /// By messages of core tiles; none if it has no such form.
    pub(crate) on_cores: Option<OnCores>,
}

/// The form of an algorithm on networks of clusters.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnClusters {
    /// Which collectives it does.
    pub(crate) does: fn(CollectiveKind) -> bool,
    /// May the payload of this collective be cut into chunks?
    pub(crate) is_cut: fn(CollectiveKind) -> bool,
    /// Choices that a comparison tries.
    pub(crate) candidates: fn(&Offer<'_>) -> Vec<Choice>,
    /// The actions of a collective.
    pub(crate) build: fn(&Task<'_>) -> Result<Vec<Action>, CollError>,
    /// Chunks that the payload is really cut into.
    pub(crate) num_chunks: fn(&Task<'_>) -> usize,
    /// A word about the network that schedules record as `setting`.
    pub(crate) setting: Option<fn(&Task<'_>) -> &'static str>,
    /// What all members do at once, if closed forms know its cycles.
    pub(crate) traffic: fn(CollectiveKind) -> Option<GroupTraffic>,
}

/// Traffic of all members at once, whose cycles follow from the shape of the group alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupTraffic {
    /// Everybody multicasts to all.
    Multicasts,
    /// The same, along columns and then along rows.
    MulticastsByLines,
    /// Everybody is the root of a reduction of all.
    Reductions,
    /// The same, along rows and then along columns.
    ReductionsByLines,
    /// Everybody writes to everybody.
    Writes,
    /// Everybody writes to all of its row, and then to all of its column.
    WritesByLines,
    /// Everybody writes to everybody, at planned times.
    WritesInSlots,
}

/// The form of an algorithm on core tiles.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnCores {
    /// Which collectives it does.
    pub(crate) does: fn(CollectiveKind) -> bool,
    /// May the payload be cut into chunks, where the collective has a whole one?
    pub(crate) has_chunks: bool,
    /// Do all members of a line, or of the group, stand one behind the other, so that the model would have to look at very many steps?
    pub(crate) is_line: bool,
    /// Where every choice has too many messages to be looked at, `auto` takes the algorithm with the lowest number; those without come last.
    pub(crate) order_of_many: Option<u8>,
    /// The actions of a collective.
    pub(crate) build: fn(&CoreTask<'_>) -> Result<Vec<Action>, CollError>,
}

/// The structure of a dimension, from which follows who moves the data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stages {
    /// There are no stages.
    None,
    /// Always this.
    Fixed(Inner),
    /// A parameter.
    Chosen,
}

/// About how many steps a schedule has, if they are many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Length {
    /// Few.
    Few,
    /// One per member.
    Members,
    /// One per member if every member has blocks.
    MembersOfBlocks,
    /// One per member and chunk.
    MembersAndChunks,
}

/// Which parameters an algorithm has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Parameters {
    /// A barrier between steps, by the network or a counter.
    pub(crate) has_steps: bool,
    /// Pull or push, and the structure of a dimension.
    pub(crate) stages: Stages,
    /// Chunks, of algorithms without stages.
    pub(crate) has_chunks: bool,
    /// The shape of a barrier.
    pub(crate) has_shape: bool,
    /// A root in the centre.
    pub(crate) has_centre: bool,
    /// Chains, their order, and blocks.
    pub(crate) has_chains: bool,
    /// A form without barriers.
    pub(crate) has_form: bool,
    /// The form of rounds.
    pub(crate) has_rounds: bool,
    /// The form of a barrier's tree.
    pub(crate) has_trees: bool,
    /// Whether lines are chains, on core tiles.
    pub(crate) has_lines: bool,
    /// Steps that a core may be ahead of what it receives, in an exchange; the usual number.
    pub(crate) lag: Option<u32>,
    /// A barrier before a plan.
    pub(crate) has_plan: bool,
}

impl Parameters {
    /// None at all.
    pub(crate) const NONE: Self = Self {
        has_steps: false,
        stages: Stages::None,
        has_chunks: false,
        has_shape: false,
        has_centre: false,
        has_chains: false,
        has_form: false,
        has_rounds: false,
        has_trees: false,
        has_lines: false,
        lag: None,
        has_plan: false,
    };
}

/// Names of the collectives that some algorithm does on core tiles, as refusals list them.
#[must_use]
pub fn collectives_on_cores() -> String {
    let is_done = |kind: &CollectiveKind| Algorithm::ALL.iter().any(|a| a.does_on_cores(*kind));
    let done = CollectiveKind::ALL.into_iter().filter(is_done);
    done.map(CollectiveKind::name)
        .collect::<Vec<_>>()
        .join(", ")
}

impl Entry {
    /// An algorithm without parameters, other names or forms.
    pub(crate) const fn named(name: &'static str) -> Self {
        Self {
            name,
            other_names: &[],
            is_in_network: false,
            parameters: Parameters::NONE,
            length: Length::Few,
            on_clusters: None,
            on_cores: None,
        }
    }
}

impl OnClusters {
    /// A form with one choice whose payload is not cut.
    pub(crate) const fn new(
        does: fn(CollectiveKind) -> bool,
        build: fn(&Task<'_>) -> Result<Vec<Action>, CollError>,
    ) -> Self {
        Self {
            does,
            is_cut: |_| false,
            candidates: |offer| offer.plain(),
            build,
            num_chunks: |task| task.chunks().len(),
            setting: None,
            traffic: |_| None,
        }
    }

    /// The same, whose whole payloads are cut, with these candidates.
    pub(crate) const fn cut(self, candidates: fn(&Offer<'_>) -> Vec<Choice>) -> Self {
        Self {
            is_cut: |kind| Family::of(kind).is_cut() && !kind.has_blocks(),
            candidates,
            ..self
        }
    }
}

impl OnCores {
    /// A form that sends whole payloads or blocks.
    pub(crate) const fn new(
        does: fn(CollectiveKind) -> bool,
        build: fn(&CoreTask<'_>) -> Result<Vec<Action>, CollError>,
    ) -> Self {
        Self {
            does,
            has_chunks: false,
            is_line: false,
            order_of_many: None,
            build,
        }
    }
}

impl Algorithm {
    /// Is there a form of it for this collective, by transactions of DMA engines and interfaces? [`Algorithm::does_on`] knows core tiles too.
    #[must_use]
    pub fn does(self, kind: CollectiveKind) -> bool {
        let form = self.entry().on_clusters;
        form.is_some_and(|form| (form.does)(kind))
    }

    /// Is there a form of it for this collective on core tiles?
    pub(crate) fn does_on_cores(self, kind: CollectiveKind) -> bool {
        let form = self.entry().on_cores;
        form.is_some_and(|form| (form.does)(kind))
    }

    /// May the payload of this collective be cut into chunks on core tiles?
    pub(crate) fn has_chunks_on_cores(self, kind: CollectiveKind) -> bool {
        let form = self.entry().on_cores;
        Whole::includes(kind) && form.is_some_and(|form| form.has_chunks)
    }
}

impl Algorithm {
    /// What all members do at once, if closed forms know its cycles; on networks of clusters.
    #[must_use]
    pub fn group_traffic(self, kind: CollectiveKind) -> Option<GroupTraffic> {
        let form = self.entry().on_clusters;
        let form = form.filter(|form| (form.does)(kind))?;
        (form.traffic)(kind)
    }

    /// Those that `auto` takes, the first one first, where every choice on core tiles has too many messages to be looked at.
    #[must_use]
    pub fn for_many_messages() -> Vec<Self> {
        let order = |a: &Self| a.entry().on_cores.and_then(|form| form.order_of_many);
        let mut known: Vec<Self> = Self::ALL
            .into_iter()
            .filter(|a| order(a).is_some())
            .collect();
        known.sort_by_key(order);
        known
    }

    /// Are the times of its messages planned? Then it loses more than others where blocks are longer than those that it was tried with.
    #[must_use]
    pub const fn is_planned(self) -> bool {
        self.entry().parameters.has_plan
    }
}

impl Choice {
    /// Steps of a schedule over so many members, about; 0 where they are few.
    #[must_use]
    pub fn num_steps(&self, kind: CollectiveKind, num_members: u64) -> u64 {
        match self.algorithm.entry().length {
            Length::Few => 0,
            Length::Members => num_members,
            Length::MembersOfBlocks if kind.has_blocks() => num_members,
            Length::MembersOfBlocks => 0,
            Length::MembersAndChunks => num_members + u64::from(self.chunks),
        }
    }

    /// On core tiles: does one member after the other send, or all of a line to one end?
    #[must_use]
    pub fn is_line(&self) -> bool {
        let form = self.algorithm.entry().on_cores;
        form.is_some_and(|form| form.is_line) || self.messages.is_direct
    }
}

// Collectives of one payload that goes out from a place, comes to it, or both: what trees, chains and the network carry.

/// One of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whole {
    /// From the root to all members.
    Multicast,
    /// From all members to the root.
    Reduce,
    /// From all members to one of them, and from there to all.
    AllReduce,
}

impl Whole {
    /// Names of them all, as refusals list them.
    pub(crate) const ACCEPTED: &'static str = "accepted: multicast, reduce, all_reduce";

    /// The one that a kind is, if it is one.
    pub(crate) fn of(kind: CollectiveKind) -> Option<Self> {
        let all = [
            (CollectiveKind::Multicast, Self::Multicast),
            (CollectiveKind::Reduce, Self::Reduce),
            (CollectiveKind::AllReduce, Self::AllReduce),
        ];
        let mut all = all.into_iter();
        all.find_map(|(known, whole)| (known == kind).then_some(whole))
    }

    /// Is a kind one of them?
    pub(crate) fn includes(kind: CollectiveKind) -> bool {
        Self::of(kind).is_some()
    }
}
