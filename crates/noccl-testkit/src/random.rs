// SPDX-License-Identifier: Apache-2.0
//! Random numbers, tiles and traces: every kind of transaction, from everywhere, at random cycles.

use noccl_net::{Coord, MultiAddress, Network, TileRef};
use noccl_workload::{PortKind, PortTransaction, Trace};

/// SplitMix64: a seed gives the same numbers in every run.
pub struct Random(pub u64);

impl Random {
    /// The next 64 bits.
    pub const fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in 0..n.
    ///
    /// # Panics
    ///
    /// If n is 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        self.draw() % n
    }

    /// A position among n items.
    ///
    /// # Panics
    ///
    /// If n is 0.
    pub const fn index(&mut self, n: usize) -> usize {
        self.below(n as u64) as usize
    }

    /// One of the items.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }

    /// Any cluster.
    pub fn cluster(&mut self, net: &Network) -> TileRef {
        let x = self.below(u64::from(net.cluster_width())) as u16;
        let y = self.below(u64::from(net.cluster_height())) as u16;
        TileRef::Cluster(Coord::new(x, y))
    }

    /// Any tile, a memory every fourth time.
    pub fn tile(&mut self, net: &Network) -> TileRef {
        let memories = net.memories().count() as u64;
        if memories > 0 && self.below(4) == 0 {
            TileRef::Memory(self.below(memories) as u32)
        } else {
            self.cluster(net)
        }
    }

    /// A cube of clusters, sides a power of two, aligned, possibly with holes.
    pub fn cube(&mut self, net: &Network) -> MultiAddress {
        let mut side = |n: u16| {
            let mask = self.below(u64::from(n)) as u16 & (n - 1);
            let base = self.below(u64::from(n)) as u16 & !mask;
            (base, mask)
        };
        let (x, mask_x) = side(net.cluster_width());
        let (y, mask_y) = side(net.cluster_height());
        MultiAddress::new(Coord::new(x, y), Coord::new(mask_x, mask_y))
    }
}

/// A linear congruential generator: the numbers of tests that were written with it.
pub struct Congruential(pub u64);

impl Congruential {
    /// Uniform in 0..n.
    ///
    /// # Panics
    ///
    /// If n is 0.
    pub const fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// One of the items.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len() as u64) as usize]
    }
}

/// Beats that make bursts of every shape likely.
fn beats(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => 1,
        1 => 1 + random.below(8) as u32,
        2 => 1 + random.below(64) as u32,
        _ => 1 + random.below(200) as u32,
    }
}

fn kind(net: &Network, random: &mut Random) -> PortKind {
    let (from, to) = (random.cluster(net), random.tile(net));
    match random.below(10) {
        0 | 1 => PortKind::WideWrite {
            from,
            to,
            beats: beats(random),
        },
        2 | 3 => PortKind::WideMulticast {
            from,
            to: random.cube(net),
            beats: beats(random),
        },
        4 => PortKind::WideRead {
            from,
            source: to,
            beats: beats(random),
        },
        5 => PortKind::WideReduction {
            group: random.cube(net),
            root: random.cluster(net),
            beats: beats(random),
        },
        6 => PortKind::NarrowWrite { from, to },
        7 => PortKind::NarrowMulticast {
            from,
            to: random.cube(net),
        },
        8 => PortKind::Atomic { from, to },
        _ => PortKind::Barrier {
            group: random.cube(net),
            root: random.cluster(net),
        },
    }
}

/// `count` transactions that start within `window_cycles`.
///
/// All members of a reduction or barrier start in one cycle, so that no two of them can be issued in
/// opposite orders at two tiles.
#[must_use]
pub fn random_trace(net: &Network, seed: u64, count: usize, window_cycles: u64) -> Trace {
    let mut random = Random(seed);
    let transactions = (0..count)
        .map(|_| {
            let kind = kind(net, &mut random);
            let start = random.below(window_cycles);
            let members = match &kind {
                PortKind::WideReduction { group, .. } | PortKind::Barrier { group, .. } => {
                    group.len() as usize
                }
                PortKind::WideWrite { .. }
                | PortKind::WideMulticast { .. }
                | PortKind::WideRead { .. }
                | PortKind::NarrowWrite { .. }
                | PortKind::NarrowMulticast { .. }
                | PortKind::NarrowRead { .. }
                | PortKind::Atomic { .. } => 1,
            };
            PortTransaction {
                start_cycles: vec![Some(start); members],
                kind,
            }
        })
        .collect();
    Trace {
        transactions,
        ..Trace::default()
    }
}

/// `count` narrow transactions that start within `window_cycles`, members of a barrier each in a cycle of its own. Every second trace has
/// one kind only.
#[must_use]
pub fn random_narrow_trace(net: &Network, seed: u64, count: usize, window_cycles: u64) -> Trace {
    const KINDS: u64 = 5;
    let mut random = Random(seed);
    let only = random.below(2 * KINDS);
    let transaction = |_| {
        let (from, to) = (random.cluster(net), random.cluster(net));
        let any = random.below(KINDS);
        let kind = match if only < KINDS { only } else { any } {
            0 => PortKind::NarrowWrite { from, to },
            1 => PortKind::NarrowRead { from, source: to },
            2 => PortKind::Atomic { from, to },
            3 => PortKind::NarrowMulticast {
                from,
                to: random.cube(net),
            },
            _ => PortKind::Barrier {
                group: random.cube(net),
                root: to,
            },
        };
        let members = if let PortKind::Barrier { group, .. } = &kind {
            group.len()
        } else {
            1
        };
        let start_cycles = (0..members)
            .map(|_| Some(random.below(window_cycles)))
            .collect();
        PortTransaction { start_cycles, kind }
    };
    Trace {
        transactions: (0..count).map(transaction).collect(),
        ..Trace::default()
    }
}
