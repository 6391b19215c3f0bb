// SPDX-License-Identifier: Apache-2.0
//! Schedules of collectives as calls of ranks: who knows that its part is over, and what may begin before everybody has called.
//!
//! A schedule is proved for memories that hold their inputs before its first cycle, and is over when all of it is. A rank of a program calls
//! when it comes to it, and goes on when its own part is over. So writes that the written tile would not notice set a flag there (deliveries),
//! and two things get a barrier of the whole group: *before* it if a tile would read another one's memory that may not have called yet, *behind*
//! it if bytes come without anybody's notice (chains of endpoints).

use noccl_net::Network;
use noccl_workload::{Action, ActionKind, Completion, Effect, participants};

/// Sets of tiles, one per action.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(sets: usize, members: usize) -> Self {
        let words = members.div_ceil(64);
        Self {
            words,
            bits: vec![0; sets * words],
        }
    }

    fn insert(&mut self, set: usize, member: usize) {
        self.bits[set * self.words + member / 64] |= 1 << (member % 64);
    }

    fn contains(&self, set: usize, member: usize) -> bool {
        self.bits[set * self.words + member / 64] >> (member % 64) & 1 == 1
    }

    fn join(&mut self, set: usize, with: usize) {
        for word in 0..self.words {
            self.bits[set * self.words + word] |= self.bits[with * self.words + word];
        }
    }
}

/// The action, with a flag for those that it writes to.
pub(crate) fn noticed(network: &Network, kind: ActionKind) -> ActionKind {
    let Some(transfer) = kind
        .transfer()
        .filter(|_| kind.completion() == Completion::Engine)
    else {
        return kind;
    };
    let initiator = network.find(transfer.initiator);
    let targets = transfer.destination.targets().tiles(network);
    if targets.iter().all(|tile| Some(*tile) == initiator) {
        return kind;
    }
    ActionKind::Delivery(transfer.clone())
}

/// Do bytes come to a tile that takes no part in the action?
pub(crate) fn is_unnoticed(network: &Network, kind: &ActionKind) -> bool {
    match kind.effect() {
        Effect::Stream(_) => true,
        Effect::Lines(lines) => {
            let parts = participants(network, kind);
            let targets = lines.targets.tiles(network);
            targets.iter().any(|tile| !parts.contains(tile))
        }
        Effect::Nothing | Effect::NetworkFold(_) | Effect::LocalFold(_) | Effect::Kernel(_) => {
            false
        }
    }
}

/// Does an action read the memory of a tile of which nothing says that it has called?
pub(crate) fn reads_early(network: &Network, actions: &[Action]) -> bool {
    let source_of = |kind: &ActionKind| match kind.effect() {
        Effect::Lines(lines) => network.find(lines.source.tile),
        Effect::Stream(chain) => network.find(chain.initiator),
        Effect::Nothing | Effect::NetworkFold(_) | Effect::LocalFold(_) | Effect::Kernel(_) => None,
    };
    // Tiles that have called when an action begins, and when it is over.
    let mut called = Sets::new(actions.len(), network.num_tiles());
    for (number, action) in actions.iter().enumerate() {
        for before in &action.after {
            called.join(number, before.0 as usize);
        }
        let parts = participants(network, &action.kind);
        let is_early = source_of(&action.kind)
            .filter(|source| !parts.contains(source))
            .is_some_and(|source| !called.contains(number, source.idx()));
        if is_early {
            return true;
        }
        for tile in parts {
            called.insert(number, tile.idx());
        }
    }
    false
}
