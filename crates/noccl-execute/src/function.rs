// SPDX-License-Identifier: Apache-2.0
//! Collective functions, operators and types as programs name them, and which of them the networks' algorithms know.

use noccl_workload::{CollectiveKind, ElementType, Operator};

/// A collective function of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Function {
    /// `MPI_Barrier`.
    Barrier,
    /// `MPI_Bcast`.
    Bcast,
    /// `MPI_Reduce`.
    Reduce,
    /// `MPI_Allreduce`.
    Allreduce,
    /// `MPI_Allgather`.
    Allgather,
    /// `MPI_Alltoall`.
    Alltoall,
    /// `MPI_Reduce_scatter_block`.
    ReduceScatterBlock,
    /// `MPI_Gather`.
    Gather,
    /// `MPI_Scatter`.
    Scatter,
    /// `MPI_Gatherv`.
    Gatherv,
    /// `MPI_Scatterv`.
    Scatterv,
    /// `MPI_Allgatherv`.
    Allgatherv,
    /// `MPI_Alltoallv`.
    Alltoallv,
    /// `MPI_Reduce_scatter`.
    ReduceScatter,
    /// `MPI_Scan`.
    Scan,
    /// `MPI_Exscan`.
    Exscan,
    /// `MPI_Comm_split`.
    Split,
}

impl Function {
    /// All functions, by number.
    pub const ALL: [Self; 17] = [
        Self::Barrier,
        Self::Bcast,
        Self::Reduce,
        Self::Allreduce,
        Self::Allgather,
        Self::Alltoall,
        Self::ReduceScatterBlock,
        Self::Gather,
        Self::Scatter,
        Self::Gatherv,
        Self::Scatterv,
        Self::Allgatherv,
        Self::Alltoallv,
        Self::ReduceScatter,
        Self::Scan,
        Self::Exscan,
        Self::Split,
    ];

    /// Its name in MPI, without `MPI_`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Barrier => "Barrier",
            Self::Bcast => "Bcast",
            Self::Reduce => "Reduce",
            Self::Allreduce => "Allreduce",
            Self::Allgather => "Allgather",
            Self::Alltoall => "Alltoall",
            Self::ReduceScatterBlock => "Reduce_scatter_block",
            Self::Gather => "Gather",
            Self::Scatter => "Scatter",
            Self::Gatherv => "Gatherv",
            Self::Scatterv => "Scatterv",
            Self::Allgatherv => "Allgatherv",
            Self::Alltoallv => "Alltoallv",
            Self::ReduceScatter => "Reduce_scatter",
            Self::Scan => "Scan",
            Self::Exscan => "Exscan",
            Self::Split => "Comm_split",
        }
    }

    /// The collective of the algorithm library that it is, if it is one.
    pub(crate) fn kind(self) -> Option<CollectiveKind> {
        CollectiveKind::called(self.name())
    }

    pub(crate) const fn has_root(self) -> bool {
        matches!(
            self,
            Self::Bcast
                | Self::Reduce
                | Self::Gather
                | Self::Scatter
                | Self::Gatherv
                | Self::Scatterv
        )
    }

    /// Do all ranks state the same number of bytes?
    pub(crate) const fn has_bytes(self) -> bool {
        !matches!(
            self,
            Self::Barrier
                | Self::Gatherv
                | Self::Scatterv
                | Self::Allgatherv
                | Self::Alltoallv
                | Self::Split
        )
    }

    pub(crate) const fn reduces(self) -> bool {
        matches!(
            self,
            Self::Reduce
                | Self::Allreduce
                | Self::ReduceScatterBlock
                | Self::ReduceScatter
                | Self::Scan
                | Self::Exscan
        )
    }
}

/// An operator of MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fold {
    /// `MPI_SUM`.
    Sum,
    /// `MPI_MIN`.
    Min,
    /// `MPI_MAX`.
    Max,
    /// `MPI_BAND`.
    Band,
    /// `MPI_BOR`.
    Bor,
    /// Any other: composed in C.
    Other,
}

impl Fold {
    /// All operators, by number.
    pub const ALL: [Self; 6] = [
        Self::Sum,
        Self::Min,
        Self::Max,
        Self::Band,
        Self::Bor,
        Self::Other,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::Band => "band",
            Self::Bor => "bor",
            Self::Other => "other",
        }
    }

    const fn operator(self) -> Option<Operator> {
        match self {
            Self::Sum => Some(Operator::Sum),
            Self::Min => Some(Operator::Min),
            Self::Max => Some(Operator::Max),
            Self::Band => Some(Operator::And),
            Self::Bor => Some(Operator::Or),
            Self::Other => None,
        }
    }

    /// Does it give the same bits whatever the sign?
    const fn is_signless(self) -> bool {
        matches!(self, Self::Sum | Self::Band | Self::Bor)
    }
}

/// A type of elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// 8 bits with a sign.
    Int8,
    /// 16 bits with a sign.
    Int16,
    /// 32 bits with a sign.
    Int32,
    /// 64 bits with a sign.
    Int64,
    /// 8 bits without a sign.
    Uint8,
    /// 16 bits without a sign.
    Uint16,
    /// 32 bits without a sign.
    Uint32,
    /// 64 bits without a sign.
    Uint64,
    /// IEEE 754 binary32.
    Fp32,
    /// IEEE 754 binary64.
    Fp64,
    /// Any other: composed in C.
    Other,
    /// `bool`; as all of the following composed in C.
    Bool,
    /// Two of binary32.
    Complex32,
    /// Two of binary64.
    Complex64,
    /// binary32 and an index of 32 bits, as in C.
    IndexedFp32,
    /// binary64 and an index.
    IndexedFp64,
    /// 16 bits with a sign, and an index.
    IndexedInt16,
    /// 32 bits with a sign, and an index.
    IndexedInt32,
    /// 64 bits with a sign, and an index.
    IndexedInt64,
}

impl Element {
    /// All types, by number.
    pub const ALL: [Self; 19] = [
        Self::Int8,
        Self::Int16,
        Self::Int32,
        Self::Int64,
        Self::Uint8,
        Self::Uint16,
        Self::Uint32,
        Self::Uint64,
        Self::Fp32,
        Self::Fp64,
        Self::Other,
        Self::Bool,
        Self::Complex32,
        Self::Complex64,
        Self::IndexedFp32,
        Self::IndexedFp64,
        Self::IndexedInt16,
        Self::IndexedInt32,
        Self::IndexedInt64,
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Int8 => "int8",
            Self::Int16 => "int16",
            Self::Int32 => "int32",
            Self::Int64 => "int64",
            Self::Uint8 => "uint8",
            Self::Uint16 => "uint16",
            Self::Uint32 => "uint32",
            Self::Uint64 => "uint64",
            Self::Fp32 => "fp32",
            Self::Fp64 => "fp64",
            Self::Other => "other",
            Self::Bool => "bool",
            Self::Complex32 => "complex32",
            Self::Complex64 => "complex64",
            Self::IndexedFp32 => "indexed_fp32",
            Self::IndexedFp64 => "indexed_fp64",
            Self::IndexedInt16 => "indexed_int16",
            Self::IndexedInt32 => "indexed_int32",
            Self::IndexedInt64 => "indexed_int64",
        }
    }

    /// The library's type on whose bits an operator does the same, if there is one.
    const fn element(self, fold: Fold) -> Option<ElementType> {
        let signless = fold.is_signless();
        match self {
            Self::Int8 => Some(ElementType::Int8),
            Self::Int16 => Some(ElementType::Int16),
            Self::Int32 => Some(ElementType::Int32),
            Self::Int64 => Some(ElementType::Int64),
            Self::Uint8 if signless => Some(ElementType::Int8),
            Self::Uint16 if signless => Some(ElementType::Int16),
            Self::Uint32 if signless => Some(ElementType::Int32),
            Self::Uint64 if signless => Some(ElementType::Int64),
            Self::Fp32 => Some(ElementType::Fp32),
            Self::Fp64 => Some(ElementType::Fp64),
            Self::Uint8
            | Self::Uint16
            | Self::Uint32
            | Self::Uint64
            | Self::Other
            | Self::Bool
            | Self::Complex32
            | Self::Complex64
            | Self::IndexedFp32
            | Self::IndexedFp64
            | Self::IndexedInt16
            | Self::IndexedInt32
            | Self::IndexedInt64 => None,
        }
    }
}

/// The library's operator and type of a reduction, if it has them.
pub(crate) fn reduction(fold: Fold, element: Element) -> Option<(Operator, ElementType)> {
    Some((fold.operator()?, element.element(fold)?))
}
