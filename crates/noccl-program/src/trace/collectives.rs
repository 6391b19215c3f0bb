// SPDX-License-Identifier: Apache-2.0
//! Collectives of a message trace, by MPI's names; which arguments each has is written here only.

use noccl_workload::{CollectiveKind, ElementType, Operator};

/// A collective of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CollectiveName {
    /// `MPI_Barrier`
    Barrier,
    /// `MPI_Bcast`
    Bcast,
    /// `MPI_Reduce`
    Reduce,
    /// `MPI_Allreduce`
    Allreduce,
    /// `MPI_Reduce_scatter_block`
    ReduceScatterBlock,
    /// `MPI_Reduce_scatter`
    ReduceScatter,
    /// `MPI_Scan`
    Scan,
    /// `MPI_Exscan`
    Exscan,
    /// `MPI_Gather`
    Gather,
    /// `MPI_Gatherv`
    Gatherv,
    /// `MPI_Scatter`
    Scatter,
    /// `MPI_Scatterv`
    Scatterv,
    /// `MPI_Allgather`
    Allgather,
    /// `MPI_Allgatherv`
    Allgatherv,
    /// `MPI_Alltoall`
    Alltoall,
    /// `MPI_Alltoallv`, `MPI_Alltoallw`
    Alltoallv,
}

/// Which lengths a record of a collective states.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lengths {
    None,
    /// Of the buffer, or of one block.
    One,
    /// One per rank of the communicator.
    PerRank,
    /// One per rank at the root, none elsewhere.
    AtRoot,
}

/// A rank's call of a collective.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedCollective {
    /// Which one.
    pub name: CollectiveName,
    /// Communicator, by the rank's number.
    pub comm: u32,
    /// Root, by rank of the communicator; 0 where there is none.
    pub root: u32,
    /// Operator of a reduction, `None` for one that the network does not have, and element type.
    pub fold: Option<(Option<Operator>, ElementType)>,
    /// Lengths: of the buffer or one block, or of each rank's block.
    pub bytes: Vec<u64>,
}

impl CollectiveName {
    /// All collectives.
    pub const ALL: [Self; 16] = [
        Self::Barrier,
        Self::Bcast,
        Self::Reduce,
        Self::Allreduce,
        Self::ReduceScatterBlock,
        Self::ReduceScatter,
        Self::Scan,
        Self::Exscan,
        Self::Gather,
        Self::Gatherv,
        Self::Scatter,
        Self::Scatterv,
        Self::Allgather,
        Self::Allgatherv,
        Self::Alltoall,
        Self::Alltoallv,
    ];

    /// Its name in a trace: MPI's in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "barrier",
            Self::Bcast => "bcast",
            Self::Reduce => "reduce",
            Self::Allreduce => "allreduce",
            Self::ReduceScatterBlock => "reduce_scatter_block",
            Self::ReduceScatter => "reduce_scatter",
            Self::Scan => "scan",
            Self::Exscan => "exscan",
            Self::Gather => "gather",
            Self::Gatherv => "gatherv",
            Self::Scatter => "scatter",
            Self::Scatterv => "scatterv",
            Self::Allgather => "allgather",
            Self::Allgatherv => "allgatherv",
            Self::Alltoall => "alltoall",
            Self::Alltoallv => "alltoallv",
        }
    }

    pub(super) const fn has_root(self) -> bool {
        match self {
            Self::Bcast
            | Self::Reduce
            | Self::Gather
            | Self::Gatherv
            | Self::Scatter
            | Self::Scatterv => true,
            Self::Barrier
            | Self::Allreduce
            | Self::ReduceScatterBlock
            | Self::ReduceScatter
            | Self::Scan
            | Self::Exscan
            | Self::Allgather
            | Self::Allgatherv
            | Self::Alltoall
            | Self::Alltoallv => false,
        }
    }

    pub(super) const fn reduces(self) -> bool {
        match self {
            Self::Reduce
            | Self::Allreduce
            | Self::ReduceScatterBlock
            | Self::ReduceScatter
            | Self::Scan
            | Self::Exscan => true,
            Self::Barrier
            | Self::Bcast
            | Self::Gather
            | Self::Gatherv
            | Self::Scatter
            | Self::Scatterv
            | Self::Allgather
            | Self::Allgatherv
            | Self::Alltoall
            | Self::Alltoallv => false,
        }
    }

    pub(super) const fn lengths(self) -> Lengths {
        match self {
            Self::Barrier => Lengths::None,
            Self::Bcast
            | Self::Reduce
            | Self::Allreduce
            | Self::ReduceScatterBlock
            | Self::Scan
            | Self::Exscan
            | Self::Gather
            | Self::Gatherv
            | Self::Scatter
            | Self::Allgather
            | Self::Alltoall => Lengths::One,
            Self::ReduceScatter | Self::Allgatherv | Self::Alltoallv => Lengths::PerRank,
            Self::Scatterv => Lengths::AtRoot,
        }
    }

    /// Is the stated length that of one of many blocks that a rank gives or gets?
    pub(super) const fn has_equal_blocks(self) -> bool {
        match self {
            Self::ReduceScatterBlock
            | Self::Gather
            | Self::Scatter
            | Self::Allgather
            | Self::Alltoall => true,
            Self::Barrier
            | Self::Bcast
            | Self::Reduce
            | Self::Allreduce
            | Self::ReduceScatter
            | Self::Scan
            | Self::Exscan
            | Self::Gatherv
            | Self::Scatterv
            | Self::Allgatherv
            | Self::Alltoallv => false,
        }
    }

    /// Must all ranks state the same lengths?
    pub(super) const fn has_common_lengths(self) -> bool {
        match self {
            Self::Gatherv | Self::Scatterv | Self::Alltoallv => false,
            Self::Barrier
            | Self::Bcast
            | Self::Reduce
            | Self::Allreduce
            | Self::ReduceScatterBlock
            | Self::ReduceScatter
            | Self::Scan
            | Self::Exscan
            | Self::Gather
            | Self::Scatter
            | Self::Allgather
            | Self::Allgatherv
            | Self::Alltoall => true,
        }
    }

    /// The collective of a session that does the same; `None`: it is composed of messages.
    pub(super) fn kind(self) -> Option<CollectiveKind> {
        let kinds = CollectiveKind::ALL.into_iter();
        let mut called = kinds.filter(|kind| kind.class().is_one_schedule);
        called.find(|kind| Self::of(*kind) == Some(self))
    }

    /// What MPI calls a collective, if it has it.
    pub(super) fn of(kind: CollectiveKind) -> Option<Self> {
        let name = kind.class().mpi_name?;
        let mut all = Self::ALL.into_iter();
        all.find(|one| one.name().eq_ignore_ascii_case(name))
    }
}
