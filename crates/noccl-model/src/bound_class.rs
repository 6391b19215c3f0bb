// SPDX-License-Identifier: Apache-2.0
//! What bounds ask about each kind of collective: a row per kind.

use noccl_workload::CollectiveKind;

/// Which two places of a collective that need each other are farthest apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Span {
    /// The root and a member.
    Root,
    /// Two members.
    Members,
    /// Those that the definition names.
    Defined,
}

/// What the busiest port passes, whatever the algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Port {
    /// No payload.
    Nothing,
    /// The payload.
    Payload,
    /// The root's: a block of every other member.
    OfRoot,
    /// A member's: a block of every other member. Lines of the mesh count too.
    Blocks,
    /// What the definition asks for.
    Defined,
}

/// What software without forks has to do beat by beat: terms of `bound_software`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Steps {
    /// Nothing is known.
    Unknown,
    /// A beat reaches root and members, behind the beats before it.
    Copy,
    /// A beat reaches all members, behind the beats before it.
    CopyOfMember,
    /// The first beat of a block reaches or leaves everybody.
    FirstBeat,
    /// Contributions to a beat reach the root.
    SumAtRoot,
    /// Contributions to a beat reach a member.
    SumAtMember,
    /// Everybody hears of everybody.
    Notices,
}

/// Words that a core writes and reads per word of the payload, by cycles of a written word, of a read word, and other members.
pub(crate) type WordCycles = fn(u64, u64, u64) -> u64;

/// What bounds ask about a kind.
pub(crate) struct BoundClass {
    pub(crate) span: Span,
    pub(crate) port: Port,
    /// Blocks that a line of the mesh passes, by members before it and behind it.
    pub(crate) crossing: fn(u64, u64) -> u64,
    pub(crate) steps: Steps,
    /// Do all members need the sum of whole payloads? Then some member takes in more than the payload, in software.
    pub(crate) shares_sum: bool,
    /// May a route of the static network replace messages between cores?
    pub(crate) is_routed: bool,
    pub(crate) word_cycles: WordCycles,
}

/// One payload, of which nothing is known beside its port.
const PAYLOAD: BoundClass = BoundClass {
    span: Span::Members,
    port: Port::Payload,
    crossing: |_, _| 0,
    steps: Steps::SumAtMember,
    shares_sum: false,
    is_routed: false,
    word_cycles: |written, read, _| written.max(read),
};

/// Blocks between the root and every member. Blocks of fewer bytes than a word may share one.
const OF_ROOT: BoundClass = BoundClass {
    span: Span::Root,
    port: Port::OfRoot,
    steps: Steps::FirstBeat,
    is_routed: true,
    word_cycles: |_, _, _| 0,
    ..PAYLOAD
};

/// Blocks between all members.
const BLOCKS: BoundClass = BoundClass {
    port: Port::Blocks,
    ..PAYLOAD
};

impl BoundClass {
    pub(crate) const fn of(kind: CollectiveKind) -> &'static Self {
        match kind {
            CollectiveKind::Multicast => {
                &const {
                    Self {
                        span: Span::Root,
                        steps: Steps::Copy,
                        is_routed: true,
                        ..PAYLOAD
                    }
                }
            }
            CollectiveKind::Reduce => {
                &const {
                    Self {
                        span: Span::Root,
                        steps: Steps::SumAtRoot,
                        ..PAYLOAD
                    }
                }
            }
            CollectiveKind::AllReduce => {
                &const {
                    Self {
                        shares_sum: true,
                        word_cycles: |written, read, _| written + read,
                        ..PAYLOAD
                    }
                }
            }
            CollectiveKind::Scan => &PAYLOAD,
            CollectiveKind::Barrier => {
                &const {
                    Self {
                        span: Span::Root,
                        port: Port::Nothing,
                        steps: Steps::Notices,
                        word_cycles: |_, _, _| 0,
                        ..PAYLOAD
                    }
                }
            }
            CollectiveKind::AllGather => {
                &const {
                    Self {
                        crossing: |near, _| near,
                        steps: Steps::CopyOfMember,
                        is_routed: true,
                        word_cycles: |written, read, others| written + others * read,
                        ..BLOCKS
                    }
                }
            }
            CollectiveKind::ReduceScatter => {
                &const {
                    Self {
                        crossing: |_, far| far,
                        word_cycles: |written, read, others| others * written + read,
                        ..BLOCKS
                    }
                }
            }
            CollectiveKind::AllToAll => {
                &const {
                    Self {
                        crossing: |near, far| near * far,
                        steps: Steps::Unknown,
                        word_cycles: |written, read, others| others * (written + read),
                        ..BLOCKS
                    }
                }
            }
            CollectiveKind::Scatter | CollectiveKind::Gather => &OF_ROOT,
            CollectiveKind::Custom => {
                &const {
                    Self {
                        span: Span::Defined,
                        port: Port::Defined,
                        steps: Steps::Unknown,
                        is_routed: true,
                        ..PAYLOAD
                    }
                }
            }
        }
    }
}
