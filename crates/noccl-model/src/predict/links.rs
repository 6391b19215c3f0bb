// SPDX-License-Identifier: Apache-2.0
//! Who uses which link of the wide plane until when.

use noccl_net::tree::{Cube, fork_set};
use noccl_net::{LinkId, Network, Port, TileId};
use noccl_spec::PlaneName;

/// Slots per tile: its router's output ports, the path from its NI into the router, its reduction unit.
const SLOTS: usize = 7;
const FROM_NI: usize = 5;
const ADDER: usize = 6;

/// A link that a stream of beats passes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Passage {
    pub(crate) slot: u32,
    /// Cycles from the transfer's start until its first beat stands there, if nothing delays it.
    pub(crate) at: f64,
    /// Index of the passage before it on the same route, if what is late there is late here too.
    pub(crate) before: Option<usize>,
}

/// Where the first beat of a stream is on a path of several links: it leaves all routers of the path in one cycle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OnPath {
    /// When it has left the last router.
    pub(crate) left: f64,
    /// When it stands at the next one, if its path ends there.
    pub(crate) arrives: f64,
    links: u32,
}

impl OnPath {
    pub(crate) const fn new(at: f64) -> Self {
        Self {
            left: at,
            arrives: at,
            links: 0,
        }
    }

    /// It leaves the router that it has come to: straight on along its path as long as that may be, else by a new one.
    pub(crate) const fn leave(self, is_straight: bool, path_links: u32) -> Self {
        let goes_on = is_straight && self.links > 0 && self.links < path_links;
        Self {
            left: if goes_on { self.left } else { self.arrives },
            links: if goes_on { self.links + 1 } else { 1 },
            ..self
        }
    }

    /// It comes to the next router.
    pub(crate) const fn arrive(self, hop_cycles: f64) -> Self {
        Self {
            arrives: self.left + hop_cycles,
            ..self
        }
    }
}

/// Links that one stream of beats passes, each behind the one before it.
pub(crate) type Route = Vec<Passage>;

/// All links of the wide plane.
#[derive(Debug)]
pub(crate) struct Links {
    /// From when until when each is taken, ascending; what is over before `now` is forgotten.
    taken: Vec<Vec<(f64, f64)>>,
    beats: Vec<u64>,
    /// One path: a hop, without bypass.
    hop_cycles: f64,
    /// Most links of a path.
    path_links: u32,
    /// Nothing enters the network before.
    now: f64,
}

impl Links {
    pub(crate) fn new(network: &Network, hop_cycles: f64) -> Self {
        let len = network.num_tiles() * SLOTS;
        Self {
            taken: vec![Vec::new(); len],
            beats: vec![0; len],
            hop_cycles,
            path_links: network.path_links(),
            now: 0.0,
        }
    }

    /// The tree from a tile to all of a set, its first beat leaving the source's NI at `offset`.
    pub(crate) fn route(&self, network: &Network, from: TileId, to: Cube, offset: f64) -> Route {
        let mut route = vec![Passage {
            slot: from_ni(from),
            at: offset,
            before: None,
        }];
        let start = OnPath::new(offset);
        let mut open = vec![(network.coord(from), Port::Local, start, 0)];
        while let Some((here, entered, on_path, before)) = open.pop() {
            let ports = fork_set(here, entered, to);
            // The initiator's own copy of a multicast goes from its NI to its memory.
            let is_own = |p: Port| p == Port::Local && entered == Port::Local;
            let leaves = |p: &Port| ports & p.bit() != 0 && !is_own(*p);
            for port in Port::ALL.into_iter().filter(leaves) {
                let on_path = on_path.leave(port == entered.opposite(), self.path_links);
                route.push(Passage {
                    slot: slot(network.tile_at(here), port as usize),
                    at: on_path.left,
                    before: Some(before),
                });
                if let Some(next) = network.neighbour(here, port) {
                    let behind = route.len() - 1;
                    let on_path = on_path.arrive(self.hop_cycles);
                    open.push((next, port.opposite(), on_path, behind));
                }
            }
        }
        route
    }

    /// Nothing will enter the network before this cycle any more.
    pub(crate) fn advance(&mut self, now: f64) {
        self.now = now;
    }

    /// Passes the links of a route, each for `serial` cycles from the time at which it is free for so long;
    /// returns the cycles that the latest of them is later than it could.
    pub(crate) fn pass(&mut self, route: &Route, start: f64, serial: f64, beats: u64) -> f64 {
        let mut late: Vec<f64> = Vec::with_capacity(route.len());
        for passage in route {
            let slot = passage.slot as usize;
            // 0: nothing before the first link of a route is late.
            let before = passage.before.map_or(0.0, |index| late[index]);
            let own = start + passage.at;
            let from = self.take(slot, own + before, serial);
            self.beats[slot] += beats;
            late.push(from - own);
        }
        late.into_iter().fold(0.0, f64::max)
    }

    /// Takes a link for so long, in the first gap from `at` on; returns its beginning. Whoever comes from near may
    /// pass before somebody who has started earlier but comes from afar.
    fn take(&mut self, slot: usize, at: f64, cycles: f64) -> f64 {
        let taken = &mut self.taken[slot];
        let over = taken.iter().take_while(|(_, end)| *end <= self.now).count();
        taken.drain(..over);
        let mut from = at;
        let mut place = 0;
        for (begin, end) in taken.iter() {
            if from + cycles <= *begin {
                break;
            }
            from = from.max(*end);
            place += 1;
        }
        taken.insert(place, (from, from + cycles));
        from
    }

    /// Beats over router-to-router links.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.between_routers().map(|(_, _, beats)| beats).sum()
    }

    /// Router-to-router links with their beats, ascending by tile and port.
    pub(crate) fn loads(&self, network: &Network) -> Vec<(LinkId, u64)> {
        let used = self.between_routers().filter(|(_, _, beats)| *beats > 0);
        used.filter(|(tile, port, _)| network.neighbour(network.coord(*tile), *port).is_some())
            .map(|(tile, port, beats)| {
                let link = LinkId {
                    plane: PlaneName::Wide,
                    tile,
                    port,
                };
                (link, beats)
            })
            .collect()
    }

    fn between_routers(&self) -> impl Iterator<Item = (TileId, Port, u64)> {
        self.beats
            .chunks(SLOTS)
            .enumerate()
            .flat_map(|(tile, ports)| {
                let outputs = Port::ALL.into_iter().filter(|p| *p != Port::Local);
                outputs.map(move |port| (TileId(tile as u32), port, ports[port as usize]))
            })
    }
}

/// Index of an output port or of the NI's path in.
pub(crate) const fn slot(tile: TileId, port: usize) -> u32 {
    tile.0 * SLOTS as u32 + port as u32
}

/// Index of the reduction unit of a tile's router.
pub(crate) const fn adder(tile: TileId) -> u32 {
    slot(tile, ADDER)
}

/// Index of the path from a tile's NI into its router.
pub(crate) const fn from_ni(tile: TileId) -> u32 {
    slot(tile, FROM_NI)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_goes_to_whoever_reaches_it_first_and_fits_before_the_others() {
        let name = "collective_noc_4x4";
        let text = noccl_spec::preset_text(name).unwrap();
        let spec = noccl_spec::parse_spec(name, &text, &[]).unwrap();
        let network = noccl_net::elaborate(&spec).unwrap();
        let mut links = Links::new(&network, 2.0);
        let mut delay = |at: f64| {
            let route = vec![Passage {
                slot: 7,
                at,
                before: None,
            }];
            links.pass(&route, 0.0, 41.0, 41)
        };
        assert_eq!(delay(100.0), 0.0);
        // Started later, comes from near: passes before.
        assert_eq!(delay(59.0), 0.0);
        // Does not fit before 59 to 141.
        assert_eq!(delay(20.0), 121.0);
        assert_eq!(delay(10.0), 0.0);
        assert_eq!(links.taken[7].len(), 4);
        links.advance(60.0);
        links.take(7, 300.0, 1.0);
        assert_eq!(links.taken[7].len(), 4);
    }
}
