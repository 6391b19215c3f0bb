// SPDX-License-Identifier: Apache-2.0
//! Coherence protocols as state machines of one line: what a cache or the line's home does with a message, and what it sends.
//!
//! A step depends on the state and the message alone. The exploration of all orders of messages ([`explore`]) and the machine with its
//! network take the same steps, so what holds for three caches in every order holds there for the same code.

pub mod explore;
mod ht;
mod token;

pub use ht::{Ht, HtMessage};
pub use token::{Token, TokenMessage};

use std::fmt::Debug;
use std::hash::Hash;

/// What a core wants of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Access {
    /// To read it.
    Load,
    /// To write it.
    Store,
}

/// What a cache may do with its copy without asking anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Permission {
    /// Nothing.
    None,
    /// Read it.
    Read,
    /// Read and write it.
    Write,
}

impl Permission {
    /// Is it enough for an access?
    #[must_use]
    pub const fn allows(self, access: Access) -> bool {
        match access {
            Access::Load => matches!(self, Self::Read | Self::Write),
            Access::Store => matches!(self, Self::Write),
        }
    }
}

/// To whom a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// The home of the line.
    Home,
    /// A cache.
    Cache(u8),
    /// All caches but one.
    Others(u8),
    /// All caches but one, and the home.
    OthersAndHome(u8),
    /// All caches.
    All,
}

/// What a message is for the network and for statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Flow {
    /// A request to the home.
    Request,
    /// To all others.
    Broadcast,
    /// To a requester, who gets one from each of the others.
    Acknowledgement,
    /// A line of data.
    Data,
    /// Anything else of one flit.
    Control,
    /// Data of a line that leaves a cache.
    Writeback,
}

impl Flow {
    /// Is a line of data in it?
    #[must_use]
    pub const fn has_data(self) -> bool {
        match self {
            Self::Data | Self::Writeback => true,
            Self::Request | Self::Broadcast | Self::Acknowledgement | Self::Control => false,
        }
    }
}

/// Messages that a step sends.
pub type Sent<M> = Vec<(Target, M)>;

/// A protocol: caches and homes of lines.
pub trait Protocol: Copy + Debug {
    /// A line in a cache, with what the cache is doing about it.
    type Line: Copy + Default + Eq + Hash + Debug;
    /// A line at its home, which has the memory.
    type Home: Clone + Eq + Hash + Debug;
    /// A message.
    type Message: Copy + Eq + Hash + Ord + Debug;

    /// Do all others respond to a broadcast of the home?
    const HAS_ACKNOWLEDGEMENTS: bool;

    /// A line that no cache has.
    fn home(caches: u8) -> Self::Home;
    /// What a cache may do with its copy.
    fn permission(line: &Self::Line, caches: u8) -> Permission;
    /// Value of a copy: the number of its last store; none without data. Before the first store a copy has the value 0, so that a
    /// copy without data must not pass for one of them.
    fn value(line: &Self::Line) -> Option<u32>;
    /// Writes a copy that may be written.
    fn store(line: &mut Self::Line, value: u32);
    /// Does the cache wait for something before it can ask for the line or give it up?
    fn is_busy(line: &Self::Line) -> bool;
    /// Asks for a line that the copy does not allow to access.
    fn ask(line: &mut Self::Line, me: u8, access: Access, sent: &mut Sent<Self::Message>);
    /// Gives a copy up.
    fn evict(line: &mut Self::Line, me: u8, sent: &mut Sent<Self::Message>);
    /// What was asked for has not come for some time.
    fn retry(line: &mut Self::Line, me: u8, sent: &mut Sent<Self::Message>);
    /// A cache gets a message. True if what it has asked for is complete: it accesses the line at once.
    fn receive(
        line: &mut Self::Line,
        me: u8,
        caches: u8,
        message: Self::Message,
        sent: &mut Sent<Self::Message>,
    ) -> bool;
    /// After the access of a request that is complete: what others have waited for meanwhile.
    fn settle(line: &mut Self::Line, me: u8, sent: &mut Sent<Self::Message>);
    /// The home gets a message.
    fn serve(
        home: &mut Self::Home,
        caches: u8,
        message: Self::Message,
        sent: &mut Sent<Self::Message>,
    );
    /// What a message is.
    fn flow(message: &Self::Message) -> Flow;
    /// Does the home read its memory for a message that it sends?
    fn reads_memory(message: &Self::Message) -> bool;
    /// Two acknowledgements as one.
    fn combine(first: Self::Message, second: Self::Message) -> Self::Message;
    /// What must hold of all that exists of a line, messages in flight among it: the reason why it does not.
    ///
    /// # Errors
    /// The reason.
    fn check<'a>(
        lines: &[Self::Line],
        home: &Self::Home,
        in_flight: impl Iterator<Item = &'a Self::Message>,
    ) -> Result<(), String>
    where
        Self::Message: 'a;
}

/// The value of a copy, as messages name it.
pub(crate) fn value_text(value: Option<u32>) -> String {
    match value {
        Some(store) => format!("the value of store {store}"),
        None => "a line without data".to_owned(),
    }
}
