// SPDX-License-Identifier: Apache-2.0
//! What each core does of a schedule, and what is over before what begins, whatever the timing.
//!
//! A core begins what it sends, combines, computes and streams in the order of the schedule; messages it receives as they come. So
//! a share is the part of one core in one action, and the order is: that of a core's list, `after`, a message's send before its
//! receive, and the receives of a pair of tiles one after the other.

use crate::{ActionKind, Schedule, participants};
use noccl_net::{Network, TileId};
use std::collections::BTreeMap;

/// Most shares whose order is computed: two sets of bits for each, 64 MiB in all.
pub(super) const MAX_SHARES: usize = 1 << 14;

/// Number of a share.
pub(super) type ShareId = usize;

/// What a share is for the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// It writes the words of a message.
    Send,
    /// It receives a message.
    Receive,
    /// It writes or reads the words of a stream over the static network.
    Stream,
    /// The network sees nothing of it.
    Local,
}

/// A core's part in an action.
#[derive(Debug, Clone)]
pub(super) struct Share {
    pub action: usize,
    pub tile: TileId,
    pub part: Part,
    /// Shares of the same core that are over before it begins or is received.
    pub after: Vec<ShareId>,
}

/// All shares, and which of them are over before others.
pub(super) struct Shares {
    pub all: Vec<Share>,
    /// By action: send and receive of its message, if it is one between two tiles.
    pub messages: Vec<Option<(ShareId, ShareId)>>,
    /// By action: its shares, if it is a stream.
    pub streams: Vec<Vec<ShareId>>,
    /// What is over when a share begins, and when it ends.
    before_begin: Vec<Bits>,
    before_end: Vec<Bits>,
}

type Bits = Box<[u64]>;

impl Shares {
    /// `None` if there are more than [`MAX_SHARES`].
    pub(super) fn new(network: &Network, schedule: &Schedule) -> Option<Self> {
        let mut shares = Self {
            all: Vec::new(),
            messages: Vec::new(),
            streams: Vec::new(),
            before_begin: Vec::new(),
            before_end: Vec::new(),
        };
        let mut taken = Taken::default();
        for action in &schedule.actions {
            let first = shares.all.len();
            let number = shares.messages.len();
            for tile in participants(network, &action.kind) {
                let part = part_of(network, &action.kind, tile);
                let befores = action.after.iter().map(|before| before.0 as usize);
                let befores = befores.filter_map(|before| taken.at.get(&(before, tile)).copied());
                shares.all.push(Share {
                    action: number,
                    tile,
                    part,
                    after: befores.collect(),
                });
            }
            if shares.all.len() > MAX_SHARES {
                return None;
            }
            shares.link(first, &mut taken);
        }
        shares.put_in_order();
        Some(shares)
    }

    /// Takes the shares of an action into the lists of their cores, from the first one on.
    fn link(&mut self, first: ShareId, taken: &mut Taken) {
        let action = self.messages.len();
        let of =
            |shares: &Self, part| (first..shares.all.len()).find(|s| shares.all[*s].part == part);
        let message = of(self, Part::Send).zip(of(self, Part::Receive));
        for id in first..self.all.len() {
            let Share { tile, part, .. } = self.all[id];
            taken.at.insert((action, tile), id);
            let before = match (part, message) {
                (Part::Receive, Some((send, _))) => {
                    taken.received.insert((self.all[send].tile, tile), id)
                }
                (Part::Receive | Part::Send | Part::Stream | Part::Local, _) => {
                    taken.last.insert(tile, id)
                }
            };
            self.all[id].after.extend(before);
        }
        let streams = (first..self.all.len()).filter(|id| self.all[*id].part == Part::Stream);
        self.streams.push(streams.collect());
        self.messages.push(message);
    }

    /// Shares stand in the order of the schedule, and an `after` names earlier ones, so that one pass is enough.
    fn put_in_order(&mut self) {
        let words = self.all.len().div_ceil(64);
        let mut first = 0;
        while first < self.all.len() {
            let action = self.all[first].action;
            let count = self.all[first..]
                .iter()
                .take_while(|s| s.action == action)
                .count();
            for id in first..first + count {
                let mut over: Bits = vec![0; words].into();
                for before in &self.all[id].after {
                    unite(&mut over, &self.before_end[*before]);
                    over[before / 64] |= 1 << (before % 64);
                }
                self.before_begin.push(over.clone());
                self.before_end.push(over);
            }
            self.end_together(action);
            first += count;
        }
    }

    /// A message is received after it has been sent; who reads words of a stream has them from a root that has begun.
    fn end_together(&mut self, action: usize) {
        if let Some((send, receive)) = self.messages[action] {
            let sent = self.before_end[send].clone();
            let over = &mut self.before_end[receive];
            unite(over, &sent);
            over[send / 64] |= 1 << (send % 64);
        }
    }

    /// Is a share over before another one begins, whatever the timing?
    pub(super) fn is_before(&self, first: ShareId, second: ShareId) -> bool {
        self.before_begin[second][first / 64] >> (first % 64) & 1 == 1
    }
}

/// What has been taken in.
#[derive(Default)]
struct Taken {
    /// Share of an action at a tile.
    at: BTreeMap<(usize, TileId), ShareId>,
    /// Last share of each core's list.
    last: BTreeMap<TileId, ShareId>,
    /// Last receive of each pair of tiles.
    received: BTreeMap<(TileId, TileId), ShareId>,
}

fn unite(set: &mut [u64], with: &[u64]) {
    for (word, other) in set.iter_mut().zip(with) {
        *word |= other;
    }
}

fn part_of(network: &Network, kind: &ActionKind, tile: TileId) -> Part {
    if let Some(message) = kind.message() {
        return match (
            network.find(message.source.tile),
            network.find(message.destination.tile),
        ) {
            (Some(from), Some(to)) if from == to => Part::Local,
            (_, Some(to)) if to == tile => Part::Receive,
            (_, _) => Part::Send,
        };
    }
    match kind.static_multicast() {
        Some(stream) if !stream.is_local() => Part::Stream,
        Some(_) | None => Part::Local,
    }
}
