// SPDX-License-Identifier: Apache-2.0
//! What decides about waiting in a router and at an endpoint.

use crate::Port;

/// When a fork lets go of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forks {
    /// Each copy goes on by itself.
    PerOutput,
    /// Outputs that have been taken are kept until the worm's last flit, which needs all of them.
    HoldOutputs,
}

/// Where a contribution waits for the others of its transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Joins {
    /// In a table or store that has space for it.
    SetAside,
    /// At the head of its input FIFO.
    BlockHeads,
}

/// What happens to read data that reaches its initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadData {
    /// The DMA engine has reserved space before it asked.
    Reserved,
    /// It needs space in the DMA buffer, which the engine's own writes have to drain.
    QueuedBehindWrites,
}

/// What happens to a write response that reaches its initiator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Responses {
    /// The initiator has kept space for it since it sent the request.
    Reserved,
    /// The initiator first sends the wide writes that it has begun.
    BehindWrites,
}

/// Which operands of wide reductions the store of a router takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OperandStore {
    /// Only those for which their sender has been given space.
    ByWindow,
    /// Any, until it is full.
    FirstCome,
}

/// Which barriers the target's NI takes a contribution of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BarrierCounters {
    /// Any: no more are open there than it has counters.
    WithinLimit,
    /// Those that have a counter, or get a free one.
    FirstCome,
}

/// Who waits for the arithmetic, and for whom it waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReductionUnit {
    /// An addition starts when there is space for its result outside the pipeline.
    ResultReserved,
    /// A result keeps the pipeline until its output takes it. Operands wait for that in the store, never in a FIFO.
    BehindStore,
    /// A result keeps the pipeline until its output takes it, and operands wait for that in their FIFOs.
    Shared,
}

/// What holds packets at a router.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Buffers {
    /// FIFOs at inputs and outputs.
    Fifos,
    /// Virtual channels at inputs, each for a packet as a whole, of a class for every kind of message. The other options are those of FIFOs,
    /// and have no effect.
    Channels(OrderClasses),
}

/// A class of virtual channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ChannelClass {
    /// To one destination.
    Unicast,
    /// Contributions to reductions.
    Contribution,
    /// Multicasts on shared trees, and those on the path to the corner of a private one.
    Multicast,
    /// Multicasts along the dimension in which a private tree begins.
    FirstDimension,
    /// Multicasts along the other one.
    SecondDimension,
}

impl ChannelClass {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; 5] = [
        Self::Unicast,
        Self::Contribution,
        Self::Multicast,
        Self::FirstDimension,
        Self::SecondDimension,
    ];

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Unicast => "unicasts",
            Self::Contribution => "contributions",
            Self::Multicast => "multicasts",
            Self::FirstDimension => "multicasts along the first dimension",
            Self::SecondDimension => "multicasts along the second dimension",
        }
    }
}

/// Classes that a multicast on a private tree takes one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderClasses {
    /// To the corner, along the first dimension, along the second.
    Three,
    /// To the corner, along both dimensions.
    Two,
    /// One for all of its path.
    One,
}

impl OrderClasses {
    /// The class that takes the place of another one.
    pub(super) const fn of(self, class: ChannelClass) -> ChannelClass {
        match (self, class) {
            (Self::Two, ChannelClass::SecondDimension) => ChannelClass::FirstDimension,
            (Self::One, ChannelClass::FirstDimension | ChannelClass::SecondDimension) => {
                ChannelClass::Multicast
            }
            (Self::Three | Self::Two | Self::One, class) => class,
        }
    }
}

/// What decides about waiting in a router and at an endpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mechanism {
    /// What holds packets.
    pub buffers: Buffers,
    /// Forks of multicasts.
    pub forks: Forks,
    /// Merge points of responses, barriers and reductions.
    pub joins: Joins,
    /// Operands of wide reductions that come before the others of their transaction.
    pub operand_store: OperandStore,
    /// Barriers that are open at their target.
    pub barrier_counters: BarrierCounters,
    /// Read data.
    pub read_data: ReadData,
    /// Write responses.
    pub responses: Responses,
    /// Arithmetic of wide reductions.
    pub reduction_unit: ReductionUnit,
    /// Turns (input port, output port) that packets take beside those of the routes.
    pub extra_turns: Vec<(Port, Port)>,
}
