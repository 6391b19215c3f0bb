// SPDX-License-Identifier: Apache-2.0
//! Stated limits of the spec that can make somebody wait.

/// A field of the spec that sets a limit at a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Limit {
    WideOutstanding,
    NarrowOutstanding,
    OpenReductions,
    Transfers,
    MemoryOutstanding,
    Store,
    Window,
    Buffer,
}

impl Limit {
    pub(crate) const fn field(self) -> &'static str {
        match self {
            Limit::WideOutstanding => "ni.max_wide_outstanding",
            Limit::NarrowOutstanding => "ni.max_narrow_outstanding",
            Limit::OpenReductions => "ni.max_open_reductions",
            Limit::Transfers => "cluster.dma.max_transfers",
            Limit::MemoryOutstanding => "memory.max_outstanding",
            Limit::Store => "router.wide_reduction.store_beats",
            Limit::Window => "router.wide_reduction.window_beats",
            Limit::Buffer => "cluster.dma.buffer_beats",
        }
    }

    /// What there are so many of.
    pub(crate) const fn what(self) -> &'static str {
        match self {
            Limit::WideOutstanding
            | Limit::NarrowOutstanding
            | Limit::OpenReductions
            | Limit::MemoryOutstanding => "are open",
            Limit::Transfers => "are in work",
            Limit::Store => "operands are set aside",
            Limit::Window => "beats are in flight",
            Limit::Buffer => "beats of buffer space",
        }
    }
}
