// SPDX-License-Identifier: Apache-2.0
//! What can be read of a plane: loads, blocked cycles, and who waits for whom.

use super::flit::WormId;
use super::plane::{NO_INPUT, Plane};
use super::rule::Rule;
use super::{LOCAL, PORTS, ports};
use noccl_net::{Port, TileId};

/// What the front of a FIFO waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Awaited {
    /// A worm that holds the output or fills the FIFO behind it; its own, if the FIFO behind it is full of its own flits.
    Worm(WormId),
    /// The endpoint of this tile.
    Tile,
}

/// The front of a FIFO waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wait {
    pub tile: TileId,
    pub input: Port,
    pub worm: WormId,
    pub output: Port,
    pub awaited: Awaited,
}

/// Cycles in which fronts of FIFOs wanted a link between routers and could not move: the output was held, another head was
/// granted, or the FIFO behind was full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Blocked {
    /// Sum over all links between routers.
    pub total: u64,
    /// Links between routers with such cycles: tile, output, cycles.
    pub links: Vec<(TileId, Port, u64)>,
}

impl<R: Rule> Plane<R> {
    /// Flits that have left over each output that has been used: tile, output, flits. Local is among them.
    pub(crate) fn link_loads(&self) -> impl Iterator<Item = (TileId, Port, u64)> {
        let loads = self.loads.iter().enumerate();
        loads
            .filter(|(_, flits)| **flits > 0)
            .map(|(output, flits)| {
                let (tile, port) = place(output);
                (tile, port, *flits)
            })
    }

    /// Blocked cycles before cycle `now`.
    pub(crate) fn blocked_cycles(&self, now: u64) -> Blocked {
        let mut blocked = self.blocked.clone();
        for (tile, filled) in self.filled.iter().enumerate() {
            for port in ports(*filled) {
                let input = tile * PORTS + port;
                let waited = self.blocked_until(now, input, self.fifos.front(input));
                for output in ports(self.outputs[input]) {
                    blocked[tile * PORTS + output] += waited;
                }
            }
        }
        let between = |output: &usize| output % PORTS != LOCAL && blocked[*output] > 0;
        let links = (0..blocked.len()).filter(between).map(|output| {
            let (tile, port) = place(output);
            (tile, port, blocked[output])
        });
        let links: Vec<(TileId, Port, u64)> = links.collect();
        Blocked {
            total: links.iter().map(|(_, _, cycles)| cycles).sum(),
            links,
        }
    }

    /// Who waits for whom, by tile and input.
    pub(crate) fn waits(&self) -> Vec<Wait> {
        let mut waits = Vec::new();
        for (tile, filled) in self.filled.iter().enumerate() {
            for port in ports(*filled) {
                for output in ports(self.outputs[tile * PORTS + port]) {
                    if let Some(awaited) = self.awaited(tile, port, output) {
                        waits.push(Wait {
                            tile: TileId(tile as u32),
                            input: Port::ALL[port],
                            worm: self.fifos.front(tile * PORTS + port).worm(),
                            output: Port::ALL[output],
                            awaited,
                        });
                    }
                }
            }
        }
        waits
    }

    /// What the front of an input waits for at an output; none if it could take the front.
    fn awaited(&self, tile: usize, port: usize, output: usize) -> Option<Awaited> {
        let base = tile * PORTS;
        let is_holding = self.holding[tile] >> port & 1 != 0;
        if !is_holding && self.held[tile] >> output & 1 != 0 {
            let holder =
                ports(self.holding[tile]).find(|p| self.outputs[base + p] >> output & 1 != 0)?;
            // Flits of the worm may be elsewhere; it holds the output until its tail has passed.
            return Some(Awaited::Worm(self.holders[base + holder]));
        }
        if output == LOCAL {
            return Some(Awaited::Tile);
        }
        let behind = self.behind[base + output];
        let is_full = behind != NO_INPUT && !self.fifos.has_space(behind as usize);
        is_full.then(|| Awaited::Worm(self.fifos.front(behind as usize).worm()))
    }
}

fn place(output: usize) -> (TileId, Port) {
    (TileId((output / PORTS) as u32), Port::ALL[output % PORTS])
}
