// SPDX-License-Identifier: Apache-2.0
//! Flows, the links that they share, and how fast each is.

use noccl_net::tree::{Cube, fork_set};
use noccl_net::{Network, Port, TileId};

/// Links of a tile: its router's outputs, the one to its interface among them, and the path from its interface into the router.
const SLOTS: usize = 6;
const FROM_NI: usize = 5;
/// Who sends over a link: the router's inputs; from an interface, writes and read data.
const INPUTS: usize = 5;
const WRITES: u8 = 0;
const READS: u8 = 1;
/// A link whose flows have more is overloaded; rates are no more exact.
const FULL: f64 = 1.0 + 1e-6;
const NOTHING: f64 = 1e-9;
/// Overloaded links that are looked at after a change: how far a change spreads is bounded.
const MOST_LOOKED_AT: usize = 64;

/// A link on a flow's path, and the input that it comes from.
#[derive(Debug, Clone, Copy)]
struct FlowPassage {
    link: u32,
    input: u8,
}

/// Beats that go from a tile to others, all at one rate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flow {
    /// Share of the schedule that it belongs to.
    pub(super) share: u32,
    /// Flits in all.
    pub(super) flits: f64,
    /// Passages on its path.
    first: u32,
    end: u32,
    /// Flits that have not been sent at `since`.
    left: f64,
    since: f64,
    /// Flits per cycle now, and at most.
    rate: f64,
    most: f64,
    /// How often the rate has changed.
    pub(super) change: u32,
    /// The last change of others that this flow has been looked at for.
    looked_at: u64,
}

#[derive(Debug, Clone, Default)]
struct Link {
    /// Flows from each input, and how many inputs have some.
    inputs: [u16; INPUTS],
    num_inputs: u16,
    flows: Vec<u32>,
    /// Sum of their rates.
    used: f64,
}

/// Flows and links of a run.
#[derive(Debug)]
pub(super) struct FlowLinks {
    pub(super) flows: Vec<Flow>,
    passages: Vec<FlowPassage>,
    links: Vec<Link>,
    changes: u64,
    /// Links whose flows have together got more than there is.
    overloaded: Vec<u32>,
    has_links: bool,
}

/// A flow whose end has moved: its number, the number of its change, the cycle of its end.
pub(super) type Moved = (u32, u32, f64);

impl FlowLinks {
    pub(super) fn new(network: &Network) -> Self {
        Self {
            flows: Vec::new(),
            passages: Vec::new(),
            links: vec![Link::default(); network.num_tiles() * SLOTS],
            changes: 0,
            overloaded: Vec::new(),
            has_links: network.routers().has_links,
        }
    }

    /// A flow that has not begun; it goes over what [`FlowLinks::route`] adds to it.
    pub(super) fn flow(&mut self, share: u32, flits: f64, most: f64) -> u32 {
        let at = self.passages.len() as u32;
        self.flows.push(Flow {
            share,
            flits,
            first: at,
            end: at,
            left: flits,
            since: 0.0,
            rate: 0.0,
            most,
            change: 0,
            looked_at: 0,
        });
        self.flows.len() as u32 - 1
    }

    /// The newest flow goes from a tile to all of a set, too. Of a multicast the own copy needs no link.
    pub(super) fn route(&mut self, network: &Network, from: TileId, to: Cube, is_read: bool) {
        let input = if is_read { READS } else { WRITES };
        self.pass(from, FROM_NI, input);
        if self.has_links {
            self.tree(network, from, to);
        } else {
            for at in to.members() {
                self.pass(network.tile_at(at), Port::Local.idx(), 0);
            }
        }
        if let Some(flow) = self.flows.last_mut() {
            flow.end = self.passages.len() as u32;
        }
    }

    fn tree(&mut self, network: &Network, from: TileId, to: Cube) {
        let mut open = vec![(network.coord(from), Port::Local)];
        while let Some((here, entered)) = open.pop() {
            let ports = fork_set(here, entered, to);
            let is_own = |p: Port| p == Port::Local && entered == Port::Local;
            for port in Port::ALL {
                if ports & port.bit() == 0 || is_own(port) {
                    continue;
                }
                self.pass(network.tile_at(here), port.idx(), entered.idx() as u8);
                if let Some(next) = network.neighbour(here, port) {
                    open.push((next, port.opposite()));
                }
            }
        }
    }

    fn pass(&mut self, tile: TileId, slot: usize, input: u8) {
        self.passages.push(FlowPassage {
            link: tile.0 * SLOTS as u32 + slot as u32,
            input,
        });
    }

    /// A flow begins; flows whose ends have moved, itself among them.
    pub(super) fn begin(&mut self, flow: u32, now: f64, moved: &mut Vec<Moved>) {
        self.flows[flow as usize].since = now;
        for at in self.path(flow) {
            let FlowPassage { link, input } = self.passages[at];
            let link = &mut self.links[link as usize];
            let count = &mut link.inputs[usize::from(input)];
            *count += 1;
            link.num_inputs += u16::from(*count == 1);
            link.flows.push(flow);
        }
        self.share_again(flow, now, moved);
    }

    /// A flow has sent its last flit; flows whose ends have moved.
    pub(super) fn end(&mut self, flow: u32, now: f64, moved: &mut Vec<Moved>) {
        for at in self.path(flow) {
            let FlowPassage { link, input } = self.passages[at];
            let link = &mut self.links[link as usize];
            let count = &mut link.inputs[usize::from(input)];
            *count -= 1;
            link.num_inputs -= u16::from(*count == 0);
            if let Some(place) = link.flows.iter().position(|f| *f == flow) {
                link.flows.swap_remove(place);
            }
        }
        self.set_rate(flow, 0.0, now);
        self.share_again(flow, now, moved);
    }

    fn path(&self, flow: u32) -> std::ops::Range<usize> {
        let flow = &self.flows[flow as usize];
        flow.first as usize..flow.end as usize
    }

    /// Rates of all flows that share a link with one that has begun or ended, then of those that have more than is left where
    /// the others have got faster.
    fn share_again(&mut self, changed: u32, now: f64, moved: &mut Vec<Moved>) {
        self.changes += 1;
        for at in self.path(changed) {
            let link = self.passages[at].link as usize;
            for place in 0..self.links[link].flows.len() {
                let flow = self.links[link].flows[place];
                self.look_at(flow, now, moved);
            }
        }
        let mut place = 0;
        while let Some(link) = self.overloaded.get(place).copied() {
            place += 1;
            self.changes += 1;
            for place in 0..self.links[link as usize].flows.len() {
                if self.links[link as usize].used <= FULL {
                    break;
                }
                let flow = self.links[link as usize].flows[place];
                self.look_at(flow, now, moved);
            }
        }
        self.overloaded.clear();
    }

    /// Gives a flow the rate that it can have, if it has not been looked at.
    fn look_at(&mut self, flow: u32, now: f64, moved: &mut Vec<Moved>) {
        if self.flows[flow as usize].looked_at == self.changes {
            return;
        }
        self.flows[flow as usize].looked_at = self.changes;
        let rate = self.rate(flow);
        if (rate - self.flows[flow as usize].rate).abs() < NOTHING {
            return;
        }
        self.set_rate(flow, rate, now);
        let Flow { change, left, .. } = self.flows[flow as usize];
        moved.push((flow, change, now + left / rate));
    }

    fn set_rate(&mut self, number: u32, rate: f64, now: f64) {
        let flow = &mut self.flows[number as usize];
        let more = rate - flow.rate;
        flow.left = (flow.left - (now - flow.since) * flow.rate).max(0.0);
        flow.since = now;
        flow.rate = rate;
        flow.change += 1;
        for at in flow.first..flow.end {
            let number = self.passages[at as usize].link;
            let link = &mut self.links[number as usize];
            link.used += more;
            if more > 0.0 && link.used > FULL && self.overloaded.len() < MOST_LOOKED_AT {
                self.overloaded.push(number);
            }
        }
    }

    /// The least share that a flow has of a link on its path: as much as every other one, or what the others leave.
    fn rate(&self, flow: u32) -> f64 {
        let Flow { rate, most, .. } = self.flows[flow as usize];
        let mut least = most;
        for at in self.path(flow) {
            let FlowPassage { link, input } = self.passages[at];
            let link = &self.links[link as usize];
            let num = u32::from(link.num_inputs) * u32::from(link.inputs[usize::from(input)]);
            let left = 1.0 - (link.used - rate);
            least = least.min(left.max(1.0 / f64::from(num)));
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use noccl_net::Coord;

    fn network() -> Network {
        noccl_testkit::mesh(4, 4)
    }

    fn add(links: &mut FlowLinks, network: &Network, from: Coord, to: Coord) -> u32 {
        let flow = links.flow(0, 100.0, 1.0);
        links.route(network, network.tile_at(from), Cube::single(to), false);
        flow
    }

    fn rates(links: &FlowLinks, flows: &[u32]) -> Vec<f64> {
        flows
            .iter()
            .map(|f| links.flows[*f as usize].rate)
            .collect()
    }

    #[test]
    fn a_link_gives_equal_shares_to_its_inputs_and_these_to_their_flows() {
        let (network, mut links, mut moved) = (network(), FlowLinks::new(&network()), Vec::new());
        // Two from the west, one from the north, into one tile.
        let to = Coord::new(3, 1);
        let sources = [Coord::new(1, 1), Coord::new(2, 1), Coord::new(3, 2)];
        let flows = sources.map(|from| add(&mut links, &network, from, to));
        for flow in flows {
            links.begin(flow, 0.0, &mut moved);
        }
        assert_eq!(rates(&links, &flows), [0.25, 0.25, 0.5]);
        // After 40 cycles one has sent 10; the others share what it leaves.
        links.end(flows[2], 40.0, &mut moved);
        assert_eq!(rates(&links, &flows[..2]), [0.5, 0.5]);
        let (flow, _, end) = moved.last().copied().unwrap();
        assert!(flow < 2 && end == 40.0 + 90.0 / 0.5, "{moved:?}");
    }

    #[test]
    fn who_is_held_up_elsewhere_leaves_its_share_to_the_others() {
        let (network, mut links, mut moved) = (network(), FlowLinks::new(&network()), Vec::new());
        // Three into (3, 0), of which one shares the link east of (2, 3) with a flow that goes elsewhere.
        let pairs = [
            ((1, 0), (3, 0)),
            ((2, 0), (3, 0)),
            ((2, 3), (3, 0)),
            ((1, 3), (3, 3)),
        ];
        let at = |(x, y)| Coord::new(x, y);
        let flows = pairs.map(|(from, to)| add(&mut links, &network, at(from), at(to)));
        for flow in flows {
            links.begin(flow, 0.0, &mut moved);
        }
        assert_eq!(rates(&links, &flows), [0.25, 0.25, 0.5, 0.5]);
        links.end(flows[0], 1.0, &mut moved);
        links.end(flows[1], 1.0, &mut moved);
        assert_eq!(rates(&links, &flows[2..]), [0.5, 0.5]);
        let fifth = add(&mut links, &network, at((1, 3)), at((4, 3)));
        links.begin(fifth, 2.0, &mut moved);
        assert_eq!(
            rates(&links, &[flows[2], flows[3], fifth]),
            [0.5, 0.25, 0.25]
        );
    }
}
