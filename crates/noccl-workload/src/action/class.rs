// SPDX-License-Identifier: Apache-2.0
//! What every kind of action states about itself, and what everybody else asks instead of which kind it is.

use crate::check::At;
use crate::{
    Arrival, Barrier, Chain, CheckError, Destination, InNetworkReduction, Kernel, ListMulticast,
    LocalReduce, Message, Place, Rectangle, StaticMulticast, Transfer,
};
use noccl_net::deadlock::Work;
use noccl_net::{MultiAddress, Network, TileId, TileRef};

/// Which of a cluster's agents runs its share of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Agent {
    /// The core that starts movements and waits at barriers.
    Control,
    /// The cores that compute.
    Compute,
}

/// How the cores of a participant learn that their part of the action is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Completion {
    /// They did it themselves, or the response that ends it is what they wait for.
    AtOnce,
    /// They ask their DMA engine or endpoint.
    Engine,
    /// They poll a word of their memory.
    Flag,
}

/// Who waits for whom within an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waits {
    /// Nobody for anybody.
    Nobody,
    /// Everybody for everybody.
    All,
    /// Everybody for everybody, and then each for its own copy.
    AllThenOwn,
    /// This participant for everybody.
    One(TileRef),
    /// Everybody for this participant.
    ForOne(TileRef),
    /// Everybody for this participant, and it for all the others.
    ForOneAndItForAll(TileRef),
    /// Everybody for this participant, and for its own share.
    OwnAndOne(TileRef),
}

impl Waits {
    /// Who alone starts it, where the others only notice the end.
    pub(crate) const fn starter(self) -> Option<TileRef> {
        match self {
            Self::ForOne(tile) | Self::ForOneAndItForAll(tile) => Some(tile),
            Self::Nobody | Self::All | Self::AllThenOwn | Self::One(_) | Self::OwnAndOne(_) => None,
        }
    }
}

/// What an action needs of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// Writes, reads, multicasts to a multi-address, reduces to one root, or barriers.
    Nothing,
    /// A core alone: no network carries anything.
    Core,
    /// Cores that write words to a network and read them from it.
    Words,
    /// Interfaces that pass on what the network has reduced.
    SharedResults,
    /// Routers that multicast by a list of destinations.
    ListMulticast,
    /// Endpoints that hand a stream on.
    Chains,
}

/// What an action does to memories: which bytes it reads, which it writes, and from what.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Effect<'a> {
    /// Nothing.
    Nothing,
    /// Lines of one memory are copied to others.
    Lines(Lines<'a>),
    /// A stream is copied from one memory to others, in an order of addresses for each.
    Stream(&'a Chain),
    /// The network reduces a contribution of every participant.
    NetworkFold(NetworkFold<'a>),
    /// A cluster's cores fold ranges of their own memory.
    LocalFold(&'a LocalReduce),
    /// Cores compute on their own memories.
    Kernel(&'a Kernel),
}

/// Lines of bytes, all of one length, that are copied from one memory to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines<'a> {
    /// Participant in whose share they are read.
    pub reader: TileRef,
    /// First byte read.
    pub source: Place,
    /// Memories that are written.
    pub targets: Targets<'a>,
    /// First byte written in each.
    pub offset: u64,
    /// Bytes per line.
    pub bytes: u64,
    /// Lines.
    pub rows: u32,
    /// Bytes between the starts of consecutive lines at the source.
    pub source_stride: u64,
    /// Bytes between the starts of consecutive lines at each target.
    pub destination_stride: u64,
    /// Does a target begin a share of its own before anything is written there? Else the reader's share is all there is to
    /// wait for.
    pub is_asked_for: bool,
}

impl Lines<'_> {
    /// Does a line that is copied within one memory overwrite bytes of another line's source, or beside its own?
    ///
    /// Lines do not overlap where they are written, and all ranges fit into a memory.
    pub(crate) fn overwrite_themselves(&self) -> bool {
        if self.bytes == 0 {
            return false;
        }
        (0..u64::from(self.rows)).any(|row| {
            let source = self.source.offset + row * self.source_stride;
            let own = self.offset + row * self.destination_stride;
            // Lines written below the end of this source line and reach beyond its start.
            let place = |line: u64| self.offset + line * self.destination_stride;
            let starts_below_end = |line: u64| place(line) < source + self.bytes;
            let ends_above_start = |line: u64| place(line) + self.bytes > source;
            let stride = self.destination_stride.max(self.bytes);
            let near = source.saturating_sub(self.offset) / stride;
            (near.saturating_sub(1)..=near + 1)
                .filter(|line| *line < u64::from(self.rows))
                .any(|line| {
                    let is_kept = line == row && own == source;
                    starts_below_end(line) && ends_above_start(line) && !is_kept
                })
        })
    }
}

/// Memories that an action writes at the same offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets<'a> {
    /// One.
    One(TileRef),
    /// The clusters of a multi-address.
    Set(MultiAddress),
    /// A list of clusters, each once.
    List(&'a [TileRef]),
    /// The tiles of a rectangle but for one of them.
    Others(Rectangle, TileRef),
}

impl Targets<'_> {
    /// How many there are.
    #[must_use]
    pub fn count(&self) -> u128 {
        match self {
            Self::One(_) => 1,
            Self::Set(set) => u128::from(set.len()),
            Self::List(list) => list.len() as u128,
            Self::Others(set, _) => u128::from(set.len()).saturating_sub(1),
        }
    }

    /// Those on the mesh.
    #[must_use]
    pub fn tiles(&self, network: &Network) -> Vec<TileId> {
        match self {
            Self::One(tile) => network.find(*tile).into_iter().collect(),
            Self::Set(set) => network.multi_tiles(*set).flatten().collect(),
            Self::List(list) => list.iter().filter_map(|t| network.find(*t)).collect(),
            Self::Others(set, but) => {
                let mut tiles = of_set(network, &set.tile_set());
                tiles.retain(|tile| network.find(*but) != Some(*tile));
                tiles
            }
        }
    }
}

/// A fold in the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NetworkFold<'a> {
    /// What is reduced, and where the result stands.
    pub reduction: &'a InNetworkReduction,
    /// Do all members get the result, or the root alone?
    pub is_shared: bool,
}

/// What a kind of action states once. A new kind states all of it in a file of its own.
pub(crate) trait Kind<'a> {
    /// Name in files.
    fn name(&self) -> &'static str;

    /// Name in messages.
    fn words(&self) -> &'static str;

    /// Who takes part, in any order; tiles that are not on the mesh, which the checker reports, are left out.
    fn participants(&self, network: &Network) -> Vec<TileId>;

    /// Who runs a share.
    fn agent(&self) -> Agent;

    /// The participant that alone has something to run, if the others only notice the end.
    fn only_actor(&self) -> Option<TileRef> {
        None
    }

    /// How the cores learn of its completion.
    fn completion(&self) -> Completion;

    /// Who waits for whom.
    fn waits(&self) -> Waits;

    /// What it needs of the network.
    fn needs(&self) -> Need {
        Need::Nothing
    }

    /// What it does to memories.
    fn effect(&self) -> Effect<'a>;

    /// Payload bytes that it sends over the network: of a multicast once, of a reduction per contributor, of a chain per destination.
    fn sent_bytes(&self, network: &Network) -> u64;

    /// What it asks of the network; `None` if nothing.
    fn work(&self, network: &Network) -> Option<Work>;

    /// Is it possible on this network, looked at alone?
    fn check(&self, at: &At<'_>) -> Result<(), CheckError>;

    /// The DMA engine's transfer, if it is one.
    fn transfer(&self) -> Option<&'a Transfer> {
        None
    }

    /// The barrier, if it is one: participants leave it together, and it does nothing else.
    fn barrier(&self) -> Option<&'a Barrier> {
        None
    }

    /// The arrival, if it is one: members tell a root, and go on.
    fn arrival(&self) -> Option<&'a Arrival> {
        None
    }

    /// The multicast by a list, if it is one.
    fn list_multicast(&self) -> Option<&'a ListMulticast> {
        None
    }

    /// The message between cores, if it is one.
    fn message(&self) -> Option<&'a Message> {
        None
    }

    /// The multicast over the static network, if it is one.
    fn static_multicast(&self) -> Option<&'a StaticMulticast> {
        None
    }

    /// Whose message a tile receives as its share, if that is its share.
    fn receives_from(&self, _network: &Network, _tile: TileId) -> Option<TileId> {
        None
    }
}

/// Tiles of a multi-address; none if some member is not on the mesh.
pub(crate) fn of_multi_address(network: &Network, set: MultiAddress) -> Vec<TileId> {
    match crate::check_multi_address(network, set) {
        Ok(()) => network.multi_tiles(set).flatten().collect(),
        Err(_) => Vec::new(),
    }
}

/// Tiles of a group; none if some member is not on the mesh.
pub(crate) fn of_set(network: &Network, set: &noccl_net::TileSet) -> Vec<TileId> {
    let tiles = network.members(set).into_iter().flatten();
    tiles
        .map(|c| network.tile_at(network.mesh_coord(c)))
        .collect()
}

impl Destination {
    /// Memories that are written.
    #[must_use]
    pub const fn targets(&self) -> Targets<'static> {
        match self {
            Self::One(place) => Targets::One(place.tile),
            Self::Multicast { set, .. } => Targets::Set(*set),
        }
    }

    /// First byte that is written in each.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        match self {
            Self::One(place) => place.offset,
            Self::Multicast { offset, .. } => *offset,
        }
    }
}
