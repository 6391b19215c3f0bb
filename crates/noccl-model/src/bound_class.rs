// SPDX-License-Identifier: Apache-2.0
//! What bounds ask about each kind of collective: a row per kind.

use noccl_net::capabilities::MessageCycles;
use noccl_net::counts::max_or_zero;
use noccl_net::{Coord, Network, TileId};
use noccl_workload::{Asked, Collective, CollectiveKind, Operand, Operator};
use std::collections::{BTreeSet, HashMap, HashSet};

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

// Lower bounds where interfaces exchange messages over routers that flits pass without being latched
// (`docs/design/0010-smart.md`).
//
// With H = `hpc_max`, s = `setup_cycles` and dx, dy hops, P = ⌈dx/H⌉ + ⌈dy/H⌉ paths lie between two tiles. A message that is alone takes
// a + b P cycles from interface to interface: a = 2 + s of them into the network and out of it, and b = 1 + s for each path. The least
// that a copy of a multicast takes for a path is c = b, or one cycle where all routers keep a slot free for it. An
// interface sends what a message causes in the cycle after it. n flits of payload, without heads.
//
// - *Multicast*: n - 1, and a copy at the farthest member, a + c P: a destination of a delivery waits for no acknowledgement.
// - *Reduce*: n - 1, and as the root tells all members when it has the result (only the network adds here): (a + b P') + 1 + (a + c P), or
//   over a relay (2 a + b P') + 1 + 1 + (a + c). P' are the paths of contributions, which may be shorter where routers combine what passes.
// - *Barrier*: of the two members that are farthest apart, each must hear of the other: a + c P', with the larger H of copies and arrivals.
// - *All-reduce*: n - 1 and a + c P between the members that are farthest apart.
// - *Scatter*, *gather*: n - 1 of a block, and a + c P between the root and its farthest member; or all flits of the root's port, as with
//   blocks. *Scan*: as all-reduce. *Custom*: the flits of the busiest port.
// - *Blocks*: the same of the n flits of one block. Or all flits of the busiest port or cut, of which the last one goes
//   over one path at least: their number - 1 + (a + c).
//
// Over wires between any two interfaces a is one cycle and paths take none; flits that leave an interface together count as one.
//
// Data never come sooner over relays, as paths of their messages together are not fewer, and each message takes a. So the bounds hold for
// every algorithm that moves a contributor's flits by one kind of message, as those of transactions do.

/// Messages of a collective.
pub(crate) struct Messages<'n> {
    pub network: &'n Network,
    pub of: MessageCycles,
    /// Flits of its payload, or of a block.
    pub beats: u64,
}

impl Messages<'_> {
    /// Of a collective in which something has to leave a tile, with so many flits at the busiest port or cut.
    pub(crate) fn lower_bound(
        &self,
        collective: &Collective,
        members: &[TileId],
        root: TileId,
        payload: u64,
    ) -> u64 {
        let places: Vec<Coord> = members.iter().map(|m| self.network.coord(*m)).collect();
        let root = self.network.coord(root);
        let (behind, payload) = if self.of.is_serial {
            (self.beats.saturating_sub(1), payload)
        } else {
            (0, 0)
        };
        let farthest =
            |cycles: &dyn Fn(Coord) -> u64| max_or_zero(places.iter().map(|at| cycles(*at)));
        let class = BoundClass::of(collective.kind);
        let path = match class.span {
            Span::Root if collective.kind.reduces() => {
                let hpc_max = self.combining_hpc_max(collective.operator);
                farthest(&|at| self.reduced(at, root, hpc_max))
            }
            Span::Root => farthest(&|at| self.copied(at, root)),
            Span::Members => self.exchanged(&places, self.of.hpc_max),
            Span::Defined => 0,
        };
        let last = payload.saturating_sub(1) + self.copy(1);
        match class.port {
            Port::Nothing => {
                let hpc_max = self.of.hpc_max.max(self.of.bitwise_hpc_max);
                self.exchanged(&places, hpc_max.max(self.of.arithmetic_hpc_max))
            }
            Port::Payload => behind + path,
            Port::OfRoot | Port::Blocks => last.max(behind + path),
            Port::Defined => last,
        }
    }

    /// One flit to a member.
    fn copied(&self, member: Coord, root: Coord) -> u64 {
        self.copy(self.paths(member, root))
    }

    /// One flit from a member, and the notice of the result.
    fn reduced(&self, member: Coord, root: Coord, hpc_max: u32) -> u64 {
        let to_root = self.message(MessageCycles::paths(member, root, hpc_max));
        let direct = to_root + 1 + self.copy(self.paths(member, root));
        direct.min(to_root + self.message(0) + 2 + self.copy(1))
    }

    /// One flit between two of the members that are farthest apart, over paths of so many hops.
    fn exchanged(&self, members: &[Coord], hpc_max: u32) -> u64 {
        let key = |sign: i32| move |at: &&Coord| i32::from(at.x) + sign * i32::from(at.y);
        let along = |sign: i32| {
            let low = members.iter().min_by_key(key(sign))?;
            let high = members.iter().max_by_key(key(sign))?;
            Some(MessageCycles::paths(*low, *high, hpc_max))
        };
        let paths = max_or_zero([along(1), along(-1)].into_iter().flatten());
        self.copy(paths)
    }

    const fn combining_hpc_max(&self, operator: Operator) -> u32 {
        if operator.is_bitwise() {
            self.of.bitwise_hpc_max
        } else {
            self.of.arithmetic_hpc_max
        }
    }

    fn paths(&self, from: Coord, to: Coord) -> u32 {
        MessageCycles::paths(from, to, self.of.hpc_max)
    }

    fn message(&self, paths: u32) -> u64 {
        u64::from(self.of.interface_cycles + self.of.path_cycles * paths)
    }

    /// The least of a message to several.
    fn copy(&self, paths: u32) -> u64 {
        u64::from(self.of.interface_cycles + self.of.multicast_path_cycles * paths)
    }
}

// What the ports of a custom collective must pass at least, read from its postcondition.
//
// Inputs are arbitrary, so what a tile knows of two disjoint sets of chunks has nothing in common. For a tile look at the values that it wants
// and that have an operand elsewhere, each with its set of operands from elsewhere. Of values whose sets are disjoint, each needs a chunk's bytes of
// its own through the input port, whatever has been added before. In the other direction look at the values that are wanted elsewhere and have
// operands here, each with its set of operands from here: of values whose sets are disjoint, each needs a chunk's bytes of its own through the output
// port, as long as one multicast may serve all that want it. Disjoint sets are chosen one after the other, small ones (copies) first;
// whatever is chosen, the bound holds. The busiest port counts.
//
// A chunk cannot be complete before its last beat has come over the path from its farthest operand. Additions add nothing here, as operands of one
// tile may be added before the first request leaves it, where the cycles begin.

/// Needs of a custom collective.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Needs {
    /// Bytes through the busiest port.
    pub(crate) port_bytes: u64,
    /// [Paths](Network::paths) from an operand to where its value is wanted, the most of all.
    pub(crate) farthest_paths: u32,
}

/// Ports of all tiles, and the longest path.
pub(crate) fn own_needs(network: &Network, collective: &Collective) -> Needs {
    let Some(asked) = Asked::new(network, collective) else {
        return Needs::default();
    };
    let operands: Vec<Vec<Operand>> = (0..asked.num_values()).map(|v| asked.operands(v)).collect();
    let mut takers: Vec<BTreeSet<TileId>> = vec![BTreeSet::new(); operands.len()];
    for holder in 0..asked.output_holders().len() {
        for output in asked.outputs(holder) {
            takers[output.value].insert(output.tile);
        }
    }
    let mut farthest_paths = 0;
    let mut into: HashMap<TileId, Vec<Vec<Operand>>> = HashMap::new();
    let mut out_of: HashMap<TileId, Vec<Vec<Operand>>> = HashMap::new();
    for (value, takers) in operands.iter().zip(&takers) {
        let mut givers: HashMap<TileId, Vec<Operand>> = HashMap::new();
        for operand in value {
            givers.entry(operand.tile).or_default().push(*operand);
        }
        for taker in takers {
            let others = value.iter().filter(|o| o.tile != *taker);
            let others: Vec<Operand> = others.copied().collect();
            if !others.is_empty() {
                into.entry(*taker).or_default().push(others);
            }
            for giver in givers.keys() {
                let paths = network.paths(network.coord(*giver), network.coord(*taker));
                farthest_paths = farthest_paths.max(paths);
            }
        }
        for (giver, own) in givers {
            if takers.iter().any(|taker| *taker != giver) {
                out_of.entry(giver).or_default().push(own);
            }
        }
    }
    let ports = into.into_values().chain(out_of.into_values());
    let chunks = max_or_zero(ports.map(num_disjoint));
    Needs {
        port_bytes: collective.bytes.saturating_mul(chunks),
        farthest_paths,
    }
}

/// How many of these sets are disjoint, if small ones are taken first.
fn num_disjoint(mut sets: Vec<Vec<Operand>>) -> u64 {
    sets.sort_unstable_by_key(|set| (set.len(), set.first().copied()));
    let mut taken: HashSet<Operand> = HashSet::new();
    let mut chosen = 0;
    for set in sets {
        if set.iter().all(|operand| !taken.contains(operand)) {
            taken.extend(set);
            chosen += 1;
        }
    }
    chosen
}
