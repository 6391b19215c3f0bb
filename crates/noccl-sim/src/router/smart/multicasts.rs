// SPDX-License-Identifier: Apache-2.0
//! Trees of multicasts: made known to the routers, used by packets, forgotten with the last one; and the choice between two of them.
//!
//! With `tree = by_load` a source has a shared tree, which is faster, and a private one, which is wider. It chooses when the packet
//! enters the router (`docs/design/0010-smart.md`, *Trees by load*).

use super::numbers::{LOCAL, opposite, ports};
use super::packet::{NO_TREE, PacketKind, SmartTreePorts, ports_of};
use super::plane::SmartPlane;
use noccl_net::capabilities::{MulticastTrees, TreeKind};
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, Network, Port, TileId, TreeTable};

/// Outputs along a row.
const ALONG_ROW: u8 = Port::East.bit() | Port::West.bit();

/// A channel in the average of those taken, and the weight of the last packet in it: an eighth.
const ONE_CHANNEL: i32 = 256;
const AVERAGE_SHIFT: u32 = 3;

/// How packets of a source get to several tiles.
#[derive(Debug, Clone)]
pub(super) enum Multicast {
    /// Over this tree.
    Tree(u32),
    /// As a unicast to each.
    Unicasts(Vec<TileId>),
}

impl SmartPlane {
    /// How packets of a source get to some members: over a tree, where there are trees.
    pub(super) fn multicast(
        &mut self,
        network: &Network,
        trees: Option<MulticastTrees>,
        source: Coord,
        members: &[Coord],
    ) -> Multicast {
        match trees {
            Some(trees) => Multicast::Tree(self.add_multicast(network, trees, source, members)),
            None => Multicast::Unicasts(members.iter().map(|at| network.tile_at(*at)).collect()),
        }
    }

    /// Keeps a multicast's tree when no packet uses it.
    pub(super) fn keep_multicast(&mut self, multicast: &Multicast) {
        if let Multicast::Tree(tree) = multicast {
            self.keep_tree(*tree);
        }
    }

    /// Queues one packet to all members.
    pub(super) fn send_to_all(&mut self, from: TileId, to: &Multicast, flits: u16, tag: u64) {
        match to {
            Multicast::Tree(tree) => self.send_multicast(from, *tree, flits, tag),
            Multicast::Unicasts(tiles) => {
                for tile in tiles {
                    self.send_unicast(from, *tile, flits, tag);
                }
            }
        }
    }

    /// Makes known over what a source sends to some members, until the last packet to them has gone.
    pub(crate) fn add_multicast(
        &mut self,
        network: &Network,
        trees: MulticastTrees,
        source: Coord,
        members: &[Coord],
    ) -> u32 {
        let table =
            |kind| network.multicast_over(MulticastTrees { kind, ..trees }, source, members);
        match trees.kind {
            TreeKind::Shared => self.add_tree(&table(TreeKind::Shared), PacketKind::Tree, false),
            TreeKind::Private => self.add_private_tree(network, &table(TreeKind::Private)),
            TreeKind::ByLoad => {
                let shared = self.add_tree(&table(TreeKind::Shared), PacketKind::Tree, false);
                let private = self.add_private_tree(network, &table(TreeKind::Private));
                self.keep_tree(shared);
                self.trees[private as usize].shared = shared;
                private
            }
        }
    }

    /// Keeps a tree when no packet uses it.
    pub(crate) fn keep_tree(&mut self, tree: u32) {
        self.trees[tree as usize].users += 1;
    }

    fn add_private_tree(&mut self, network: &Network, table: &TreeTable) -> u32 {
        let is_row_first = network.leaves_along_row(network.coord(table.root()));
        self.add_tree(table, PacketKind::ToCorner, is_row_first)
    }

    fn add_tree(&mut self, table: &TreeTable, kind: PacketKind, is_row_first: bool) -> u32 {
        let id = self.unused_trees.pop().unwrap_or_else(|| {
            self.trees.push(SmartTreePorts::default());
            self.trees.len() as u32 - 1
        });
        let tree = &mut self.trees[id as usize];
        ports_of(table, self.n.tiles, &mut tree.ports);
        tree.root = table.root().0;
        tree.kind = kind;
        tree.is_row_first = is_row_first;
        tree.shared = NO_TREE;
        tree.users = 0;
        id
    }

    /// Queues a multicast at its source.
    pub(crate) fn send_multicast(&mut self, from: TileId, tree: u32, flits: u16, tag: u64) {
        let over = &mut self.trees[tree as usize];
        over.users += 1;
        let (kind, root) = (over.kind, TileId(over.root));
        let id = self.send(kind, from, root, tree, flits, tag);
        self.record_message(id);
    }

    /// A packet, or a tree that stands beside it, no longer needs a tree.
    pub(super) fn let_go_of_tree(&mut self, id: u32) {
        let tree = &mut self.trees[id as usize];
        tree.users -= 1;
        if tree.users > 0 {
            return;
        }
        let shared = tree.shared;
        self.unused_trees.push(id);
        if shared != NO_TREE {
            self.let_go_of_tree(shared);
        }
    }

    /// A packet that has the choice takes the shared tree, if channels along it have been free for the source's last packets.
    pub(super) fn choose_tree(&mut self, tile: usize, id: u32) {
        let private = self.packets[id as usize].of;
        let shared = self.trees[private as usize].shared;
        if shared == NO_TREE {
            return;
        }
        let taken = self.most_taken(tile, self.trees[shared as usize].ports[tile]);
        let average = &mut self.mean_taken[tile];
        *average += (i32::from(taken) * ONE_CHANNEL - *average) >> AVERAGE_SHIFT;
        // Fitted (`docs/design/0010-smart.md`): with more channels links are full before channels are.
        let most = ONE_CHANNEL * (self.n.multicast_vcs as i32 - 1).min(4) / 2;
        if *average > most {
            return;
        }
        self.trees[shared as usize].users += 1;
        self.let_go_of_tree(private);
        let root = self.trees[shared as usize].root;
        let packet = &mut self.packets[id as usize];
        packet.of = shared;
        packet.kind = PacketKind::Tree;
        packet.target = root;
    }

    /// Channels taken behind the outputs of a source on a shared tree, where most are. Columns carry seven eighths of a broadcast on 8×8
    /// tiles, so its own column tells a source more than its row.
    fn most_taken(&self, tile: usize, outputs: u8) -> u8 {
        let column = outputs & !ALONG_ROW & !(1 << LOCAL);
        let asked = if column == 0 {
            outputs & ALONG_ROW
        } else {
            column
        };
        let taken = ports(asked).map(|out| {
            let class = self.n.class_of_dimension(out);
            (self.channels).num_taken(&self.n, self.n.next(tile, out), opposite(out), class)
        });
        max_or_zero(taken)
    }
}
