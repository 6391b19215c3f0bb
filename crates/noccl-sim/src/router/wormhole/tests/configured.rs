// SPDX-License-Identifier: Apache-2.0
//! The static network: streams over outputs that cores have written, cores that are late, readers that are slow.

use super::UDN;
use crate::kernel::random::{Stream, is_drawn};
use crate::router::wormhole::{Awaited, Configured, PORTS, PacketId, Params, Plane};
use noccl_net::{Coord, Port, TileId};
use proptest::prelude::*;

const STATIC: Params = Params {
    turn_cycles: 0,
    ..UDN
};

const LINKS: u8 = 0b1111;

/// What the core at `at` selects for a multicast of `root` to all tiles: down its column first, from there along rows (S4,
/// section 2).
fn selection(root: Coord, at: Coord) -> [u8; PORTS] {
    let (input, outputs) = if at == root {
        (Port::Local, LINKS)
    } else if at.x == root.x {
        let to_root = if at.y > root.y {
            Port::South
        } else {
            Port::North
        };
        (to_root, LINKS & !to_root.bit() | Port::Local.bit())
    } else {
        let to_root = if at.x > root.x {
            Port::West
        } else {
            Port::East
        };
        (to_root, to_root.opposite().bit() | Port::Local.bit())
    };
    let mut all = [0; PORTS];
    all[input.idx()] = outputs;
    all
}

/// One multicast to all tiles.
#[derive(Debug, Clone, Copy)]
struct Multicast {
    root: u32,
    words: u32,
}

/// What a core does for the multicast that it is at.
#[derive(Debug, Clone, Copy)]
enum State {
    Configures {
        at: u64,
    },
    Writes {
        index: u32,
    },
    /// Its words leave the FIFO before the router.
    Drains,
    Reads {
        index: u32,
    },
    Done,
}

/// Cores that take part in one multicast after the other, each at its own pace.
struct Cores {
    plane: Plane<Configured>,
    size: (u16, u16),
    multicasts: Vec<Multicast>,
    packets: Vec<Option<PacketId>>,
    at: Vec<(usize, State)>,
    stream: Stream,
    max_delay: u64,
    now: u64,
    /// Per multicast and tile: cycle of the last delivery.
    ended: Vec<Vec<u64>>,
}

impl Cores {
    fn new(size: (u16, u16), multicasts: &[Multicast], max_delay: u64, seed: u64) -> Self {
        let tiles = usize::from(size.0) * usize::from(size.1);
        let mut stream = Stream::new(seed);
        let mut start = || State::Configures {
            at: stream.below(max_delay + 1),
        };
        let at = (0..tiles).map(|_| (0, start())).collect();
        Self {
            plane: Plane::<Configured>::new(size.0, size.1, STATIC),
            size,
            multicasts: multicasts.to_vec(),
            packets: vec![None; multicasts.len()],
            at,
            stream,
            max_delay,
            now: 0,
            ended: vec![vec![0; tiles]; multicasts.len()],
        }
    }

    fn coord(&self, tile: usize) -> Coord {
        let height = usize::from(self.size.1);
        Coord::new((tile / height) as u16, (tile % height) as u16)
    }

    fn is_over(&self) -> bool {
        self.at
            .iter()
            .all(|(_, state)| matches!(state, State::Done))
    }

    fn go_on(&mut self, tile: usize) {
        let next = self.at[tile].0 + 1;
        let delay = self.stream.below(self.max_delay + 1);
        let state = if next == self.multicasts.len() {
            State::Done
        } else {
            State::Configures {
                at: self.now + 1 + delay,
            }
        };
        self.at[tile] = (next, state);
    }

    fn act(&mut self, tile: usize) {
        let (number, state) = self.at[tile];
        let id = TileId(tile as u32);
        match state {
            State::Configures { at } if at <= self.now => {
                let Multicast { root, words } = self.multicasts[number];
                let outputs = selection(self.coord(root as usize), self.coord(tile));
                self.plane.configure(self.now, id, outputs);
                self.at[tile].1 = if root as usize == tile {
                    let tails = self.at.len() as u32 - 1;
                    let packet = self.plane.open((), words, tails, number as u64);
                    self.packets[number] = Some(packet);
                    State::Writes { index: 0 }
                } else {
                    State::Reads { index: 0 }
                };
                if root as usize == tile {
                    self.act(tile);
                }
            }
            State::Writes { index } if self.plane.has_space(id) => {
                let packet = self.packets[number].unwrap();
                self.plane.push(self.now, id, packet, index);
                let is_last = index + 1 == self.multicasts[number].words;
                self.at[tile].1 = if is_last {
                    State::Drains
                } else {
                    State::Writes { index: index + 1 }
                };
            }
            State::Drains if self.plane.is_drained(id) => self.go_on(tile),
            State::Configures { .. }
            | State::Writes { .. }
            | State::Drains
            | State::Reads { .. }
            | State::Done => {}
        }
    }

    /// One cycle; each word that is delivered is the next one of the multicast that its core is at.
    fn step(&mut self, is_slow: impl Fn(u64, TileId) -> bool) {
        for tile in 0..self.at.len() {
            self.act(tile);
        }
        let (now, at) = (self.now, &self.at);
        self.plane.step(now, |tile, _| {
            matches!(at[tile.idx()].1, State::Reads { .. }) && !is_slow(now, tile)
        });
        for (tile, flit) in self.plane.delivered().to_vec() {
            let (number, state) = self.at[tile.idx()];
            let State::Reads { index } = state else {
                panic!("{tile:?} got a word in {state:?}");
            };
            assert_eq!(
                (self.plane.packet(flit.packet()).tag, flit.index()),
                (number as u64, index),
                "at {tile:?}"
            );
            self.ended[number][tile.idx()] = now;
            if flit.is_tail() {
                self.go_on(tile.idx());
            } else {
                self.at[tile.idx()].1 = State::Reads { index: index + 1 };
            }
        }
        self.now += 1;
    }

    fn run(&mut self, is_slow: impl Fn(u64, TileId) -> bool, limit: u64) {
        while !self.is_over() {
            assert!(self.now < limit, "{:?}", self.at);
            self.step(&is_slow);
        }
        assert!(self.plane.is_idle());
    }
}

#[test]
fn a_stream_alone_ends_after_its_words_and_the_distance() {
    for size in [(2, 1), (4, 4), (5, 3), (7, 7)] {
        for root in 0..u32::from(size.0) * u32::from(size.1) {
            for words in [1, 2, 5, 40] {
                let mut cores = Cores::new(size, &[Multicast { root, words }], 0, 1);
                cores.run(|_, _| false, 1000);
                let at = cores.coord(root as usize);
                for (tile, ended) in cores.ended[0].iter().enumerate() {
                    let distance = u64::from(at.hops_to(cores.coord(tile)));
                    if distance > 0 {
                        assert_eq!(
                            *ended,
                            u64::from(words) + distance,
                            "{size:?}, {root} to {tile}"
                        );
                    }
                }
                assert_eq!(cores.plane.blocked_cycles(cores.now).total, 0);
            }
        }
    }
}

#[test]
fn a_reader_that_takes_nothing_holds_up_the_root_when_the_fifos_before_it_are_full() {
    let words = 100;
    let mut cores = Cores::new((5, 1), &[Multicast { root: 0, words }], 0, 1);
    for _ in 0..60 {
        cores.step(|_, tile| tile == TileId(3));
    }
    // Three words before the router of the root and before those of tiles 1, 2 and 3.
    assert!(
        matches!(cores.at[0].1, State::Writes { index: 12 }),
        "{:?}",
        cores.at[0]
    );
    // The fork of tile 3 is atomic: tile 4 has nothing. Tile 2 has read what has gone on to tile 3.
    let read = |tile: usize| cores.at[tile].1;
    assert!(matches!(read(4), State::Reads { index: 0 }));
    assert!(matches!(read(2), State::Reads { index: 3 }));
    assert!(!cores.plane.can_move());
    let waits = cores.plane.waits();
    let slow = waits
        .iter()
        .find(|wait| wait.awaited == Awaited::Tile && wait.tile == TileId(3));
    assert_eq!(slow.unwrap().input, Port::West);
    cores.run(
        |now, tile| tile == TileId(3) && !now.is_multiple_of(4),
        1000,
    );
    // From then on it has the pace of that reader.
    assert!(
        cores.now.abs_diff(60 + 4 * u64::from(words)) < 12,
        "{}",
        cores.now
    );
}

#[test]
fn a_root_that_configures_anew_before_its_words_have_left_keeps_them() {
    let mut plane = Plane::<Configured>::new(3, 1, STATIC);
    let (root, reader) = (Coord::new(0, 0), Coord::new(2, 0));
    let packet = plane.open((), 2, 1, 0);
    plane.push(0, TileId(0), packet, 0);
    plane.configure(1, TileId(0), selection(reader, root));
    for now in 1..20 {
        plane.step(now, |_, _| true);
    }
    // The word waits, nobody has lost it, and nothing says that it waits for a link.
    assert!(!plane.is_idle() && !plane.can_move() && !plane.is_drained(TileId(0)));
    assert_eq!(plane.waits(), []);
    for x in 0..3 {
        plane.configure(20, TileId(x), selection(root, Coord::new(x as u16, 0)));
    }
    let mut got = Vec::new();
    for now in 20..25 {
        plane.step(now, |_, _| true);
        got.extend(plane.delivered().iter().map(|(tile, _)| (now, tile.0)));
    }
    assert_eq!(got, [(21, 1), (22, 2)]);
    assert_eq!(plane.blocked_cycles(25).total, 0);
}

#[test]
fn outputs_off_the_mesh_and_outputs_twice_are_left_out() {
    let mut plane = Plane::<Configured>::new(2, 1, STATIC);
    let mut outputs = [0; PORTS];
    outputs[Port::Local.idx()] = LINKS;
    outputs[Port::East.idx()] = Port::East.bit() | Port::Local.bit();
    plane.configure(0, TileId(0), outputs);
    let packet = plane.open((), 1, 1, 0);
    plane.push(0, TileId(0), packet, 0);
    for now in 0..9 {
        plane.step(now, |_, _| true);
    }
    // East belongs to the input East, which comes first; nothing is left for Local, so its word stays.
    assert_eq!(plane.link_loads().count(), 0);
    outputs[Port::East.idx()] = 0;
    plane.configure(9, TileId(0), outputs);
    plane.step(9, |_, _| true);
    let loads: Vec<_> = plane.link_loads().collect();
    assert_eq!(loads, [(TileId(0), Port::East, 1)]);
}

fn cases() -> impl Strategy<Value = ((u16, u16), Vec<Multicast>)> {
    (1u16..6, 1u16..6)
        .prop_filter("somebody reads", |(w, h)| w * h > 1)
        .prop_flat_map(|size| {
            let tiles = u32::from(size.0) * u32::from(size.1);
            let one = (0..tiles, 1u32..20).prop_map(|(root, words)| Multicast { root, words });
            (Just(size), prop::collection::vec(one, 1..20))
        })
}

proptest! {
    #![proptest_config(noccl_testkit::config(100, 400))]

    #[test]
    fn multicasts_of_other_roots_behind_each_other_never_go_astray(
        (size, multicasts) in cases(),
        max_delay in 0u64..60,
        per_256 in 0u32..230,
        seed in any::<u64>(),
    ) {
        let mut cores = Cores::new(size, &multicasts, max_delay, seed);
        let is_slow = |now: u64, tile: TileId| is_drawn(seed, now << 8 | u64::from(tile.0), per_256);
        cores.run(is_slow, 1_000_000);
    }
}
