// SPDX-License-Identifier: Apache-2.0
//! What every kind of collective states about itself. Other code asks this class instead of comparing kinds.

use super::{
    CollectiveKind, all_gather, all_reduce, all_to_all, barrier, custom, gather, multicast, reduce,
    reduce_scatter, scan, scatter,
};

/// Who has an input, or an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holders {
    /// Nobody.
    Nobody,
    /// The root alone.
    Root,
    /// Every member.
    Members,
}

/// How long an input or output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocks {
    /// One block.
    One,
    /// One block per member, by rank.
    PerMember,
    /// What the collective's definition says.
    Defined,
}

/// The inputs of a collective, or its outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffers {
    /// Who has one.
    pub holders: Holders,
    /// How long each is.
    pub blocks: Blocks,
}

/// What a value of an output is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A copy of a block of the root's input.
    OfRoot {
        /// Which block.
        block: usize,
    },
    /// A copy of a block of a rank's input.
    OfRank {
        /// Whose input.
        rank: usize,
        /// Which block of it.
        block: usize,
    },
    /// The reduction of the same block of all inputs.
    OfAll {
        /// Which block.
        block: usize,
    },
    /// The reduction of the first blocks of ranks 0 to this one, which is one of them.
    UpTo {
        /// The last rank.
        rank: usize,
    },
}

/// The values that outputs are made of, by number.
#[derive(Debug, Clone, Copy)]
pub struct Values {
    /// How many there are among so many ranks.
    pub count: fn(usize) -> usize,
    /// Of what a value is made, among so many ranks.
    pub origin: fn(usize, usize) -> Origin,
    /// Which value a block of an output holds: by rank of the holder, block and number of ranks. A root has rank 0 here.
    pub at: fn(usize, usize, usize) -> usize,
}

/// A kind of collective. A new kind states all of it in a file of its own.
#[derive(Debug, Clone, Copy)]
pub struct CollectiveClass {
    /// Name in files and on the command line.
    pub name: &'static str,
    /// Names that other libraries have for it, in lower case.
    pub other_names: &'static [&'static str],
    /// MPI's name of the same, without `MPI_`; none if MPI has no such function.
    pub mpi_name: Option<&'static str>,
    /// Does it matter which tile is the root?
    pub has_root: bool,
    /// Is every value a reduction, so that operator and element matter?
    pub reduces: bool,
    /// Inputs.
    pub inputs: Buffers,
    /// Outputs.
    pub outputs: Buffers,
    /// What has to be in the outputs; none of a barrier, and of a custom collective, whose definition says so.
    pub values: Option<Values>,
    /// Do ranks of a program call it as one schedule? Others are composed of messages.
    pub is_one_schedule: bool,
}

impl Holders {
    /// Is this member one of them?
    #[must_use]
    pub const fn include(self, is_root: bool) -> bool {
        match self {
            Self::Nobody => false,
            Self::Root => is_root,
            Self::Members => true,
        }
    }
}

impl Buffers {
    /// Nobody has one.
    pub(super) const NONE: Self = Self::of(Holders::Nobody, Blocks::One);

    pub(super) const fn of(holders: Holders, blocks: Blocks) -> Self {
        Self { holders, blocks }
    }

    /// Blocks of one of them among so many members; none where a definition says so.
    const fn count(self, num_members: u64) -> Option<u64> {
        match (self.holders, self.blocks) {
            (Holders::Nobody, _) => Some(0),
            (Holders::Root | Holders::Members, Blocks::One) => Some(1),
            (Holders::Root | Holders::Members, Blocks::PerMember) => Some(num_members),
            (Holders::Root | Holders::Members, Blocks::Defined) => None,
        }
    }
}

impl CollectiveKind {
    /// What the kind states about itself: the only place that tells the kinds apart by name.
    #[must_use]
    pub const fn class(self) -> &'static CollectiveClass {
        match self {
            Self::Multicast => &multicast::CLASS,
            Self::Reduce => &reduce::CLASS,
            Self::AllReduce => &all_reduce::CLASS,
            Self::Barrier => &barrier::CLASS,
            Self::AllGather => &all_gather::CLASS,
            Self::ReduceScatter => &reduce_scatter::CLASS,
            Self::AllToAll => &all_to_all::CLASS,
            Self::Scatter => &scatter::CLASS,
            Self::Gather => &gather::CLASS,
            Self::Scan => &scan::CLASS,
            Self::Custom => &custom::CLASS,
        }
    }

    /// Name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.class().name
    }

    /// The kind with this MPI name that ranks of a program call as one schedule; none if it is composed of messages, or no function of MPI.
    #[must_use]
    pub fn called(mpi_name: &str) -> Option<Self> {
        let is_called = |kind: &Self| {
            let class = kind.class();
            class.is_one_schedule && class.mpi_name == Some(mpi_name)
        };
        Self::ALL.into_iter().find(is_called)
    }

    /// Do any bytes move? A barrier has no payload.
    #[must_use]
    pub const fn has_payload(self) -> bool {
        !matches!(self.output_holders(), Holders::Nobody)
    }

    /// Does every member have blocks by rank, and nobody is a root?
    #[must_use]
    pub const fn has_blocks(self) -> bool {
        !self.has_root() && (self.gives_blocks() || self.takes_blocks())
    }

    /// Does an input have a block for every member?
    #[must_use]
    pub const fn gives_blocks(self) -> bool {
        matches!(self.class().inputs.blocks, Blocks::PerMember)
    }

    /// Does an output have a block of every member?
    #[must_use]
    pub const fn takes_blocks(self) -> bool {
        matches!(self.class().outputs.blocks, Blocks::PerMember)
    }

    /// Does it matter which tile is the root?
    #[must_use]
    pub const fn has_root(self) -> bool {
        self.class().has_root
    }

    /// Does it fold, so that operator and element matter? Of a custom collective its definition says so: [`super::Collective::reduces`].
    #[must_use]
    pub const fn reduces(self) -> bool {
        self.class().reduces
    }

    /// Who has an input?
    #[must_use]
    pub const fn input_holders(self) -> Holders {
        self.class().inputs.holders
    }

    /// Who has an output?
    #[must_use]
    pub const fn output_holders(self) -> Holders {
        self.class().outputs.holders
    }

    /// Blocks of one input among `num_members`; none of a custom collective, whose definition says so.
    #[must_use]
    pub const fn input_blocks(self, num_members: u64) -> Option<u64> {
        self.class().inputs.count(num_members)
    }

    /// Blocks of one output among `num_members`; none of a custom collective.
    #[must_use]
    pub const fn output_blocks(self, num_members: u64) -> Option<u64> {
        self.class().outputs.count(num_members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds() -> impl Iterator<Item = CollectiveKind> {
        CollectiveKind::ALL
            .into_iter()
            .chain([CollectiveKind::Custom])
    }

    #[test]
    fn every_class_agrees_with_itself() {
        for kind in kinds() {
            let class = kind.class();
            let is_rooted = [class.inputs, class.outputs]
                .iter()
                .any(|buffers| buffers.holders == Holders::Root);
            // The root of the others holds a counter.
            let has_counter = matches!(kind, CollectiveKind::Barrier | CollectiveKind::AllReduce);
            assert_eq!(class.has_root, is_rooted || has_counter, "{kind}");
            let others = kinds().filter(|other| other.name() == class.name);
            assert_eq!(others.count(), 1, "{kind}");
            let is_defined = class.outputs.blocks == Blocks::Defined;
            let has_values = kind.has_payload() && !is_defined;
            assert_eq!(class.values.is_some(), has_values, "{kind}");
            // Values without blocks would ask for nothing.
            let has_blocks = kind.output_blocks(4).is_some_and(|blocks| blocks > 0);
            assert!(has_blocks || class.values.is_none(), "{kind}");
        }
    }

    #[test]
    fn every_value_is_in_some_output_and_its_origin_in_some_input() {
        for (kind, ranks) in kinds().flat_map(|kind| [1, 2, 5].map(|ranks| (kind, ranks))) {
            let Some(values) = kind.class().values else {
                continue;
            };
            let holders = match kind.output_holders() {
                Holders::Nobody => 0,
                Holders::Root => 1,
                Holders::Members => ranks,
            };
            let blocks = kind.output_blocks(ranks as u64).unwrap_or(0) as usize;
            let held = (0..holders)
                .flat_map(|holder| (0..blocks).map(move |block| (values.at)(holder, block, ranks)));
            let mut held: Vec<usize> = held.collect();
            held.sort_unstable();
            held.dedup();
            let all: Vec<usize> = (0..(values.count)(ranks)).collect();
            assert_eq!(held, all, "{kind} among {ranks}");
            let given = kind.input_blocks(ranks as u64).unwrap_or(0) as usize;
            for value in all {
                let (block, is_reduced) = match (values.origin)(value, ranks) {
                    Origin::OfRoot { block } => {
                        assert_eq!(kind.input_holders(), Holders::Root, "{kind}");
                        (block, false)
                    }
                    Origin::OfRank { rank, block } => {
                        assert!(rank < ranks, "{kind}");
                        (block, false)
                    }
                    Origin::OfAll { block } => (block, true),
                    Origin::UpTo { rank } => {
                        assert!(rank < ranks, "{kind}");
                        (0, true)
                    }
                };
                assert!(block < given, "{kind}: block {block} of {given}");
                assert_eq!(is_reduced, kind.reduces(), "{kind}");
            }
        }
    }

    #[test]
    fn programs_call_what_is_one_schedule_by_its_mpi_name() {
        assert_eq!(
            CollectiveKind::called("Bcast"),
            Some(CollectiveKind::Multicast)
        );
        assert_eq!(CollectiveKind::called("Scan"), None);
        assert_eq!(CollectiveKind::called("Comm_split"), None);
    }
}
