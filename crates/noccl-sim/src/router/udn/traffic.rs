// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over the dynamic network between cores (`crate::driver::open_loop`).
//!
//! The routers alone are measured: a source writes a word per cycle wherever its port takes one, a destination takes every word at
//! once, and no cycle of software is counted.

use super::refused;
use crate::driver::measurement::Measurement;
use crate::driver::open_loop::{OpenLoop, PacketNetwork, Sources};
use crate::kernel::bit_set::BitSet;
use crate::router::stalls::Stalls;
use crate::router::wormhole::{Awaited, Params, Plane, WormId, Xy};
use noccl_net::{Network, TileId};
use noccl_run::{Diagnosis, RunConfig, RunError, WaitEdge};
use noccl_workload::Traffic;
use std::collections::VecDeque;

/// Waits that are named.
const MAX_NAMED: usize = 16;

/// Packets of a source that are not in the network.
struct Queue {
    tile: TileId,
    /// Packets that wait: destination and tag.
    waiting: VecDeque<(TileId, u64)>,
    /// The packet that is being written, and its next word.
    writing: Option<(WormId, u32)>,
}

/// The network, and the queues of its sources.
pub(crate) struct UdnPackets {
    stalls: Stalls,
    plane: Plane<Xy>,
    queues: Vec<Queue>,
    /// Sources with packets.
    busy: BitSet,
}

/// A run of traffic before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn traffic_run<'a>(
    network: &'a Network,
    traffic: &'a Traffic,
    config: &RunConfig,
) -> Result<OpenLoop<'a, UdnPackets>, RunError> {
    let cores = network.cores().ok_or_else(|| refused("the network"))?;
    let params = Params::of_udn(&cores.router.udn);
    let queue = |tile| Queue {
        tile,
        waiting: VecDeque::new(),
        writing: None,
    };
    let queues: Vec<Queue> = network.clusters().map(queue).collect();
    let packets = UdnPackets {
        stalls: Stalls::new(config),
        plane: Plane::<Xy>::new(network.width(), network.height(), params),
        busy: BitSet::new(queues.len()),
        queues,
    };
    OpenLoop::new(network, traffic, config, packets)
}

impl UdnPackets {
    /// Every source with a packet writes a word if its port has space.
    fn write(&mut self, cycle: u64, flits: u32) {
        let plane = &mut self.plane;
        let mut from = 0;
        while let Some(busy) = self.busy.next_member(from) {
            from = busy + 1;
            let queue = &mut self.queues[busy];
            let tile = queue.tile;
            if !plane.has_space(tile) || !self.stalls.offers(cycle, tile) {
                continue;
            }
            let (worm, index) = match queue.writing.take() {
                Some(writing) => writing,
                None => match queue.waiting.pop_front() {
                    Some((to, tag)) => (plane.open_worm(to, flits, tag), 0),
                    None => continue,
                },
            };
            plane.push(cycle, tile, worm, index);
            if index + 1 < flits {
                queue.writing = Some((worm, index + 1));
            } else if queue.waiting.is_empty() {
                self.busy.remove(busy);
            }
        }
    }
}

impl PacketNetwork for UdnPackets {
    fn sends(&self, _: &Sources<'_>, _: u32) -> bool {
        true
    }

    fn create(
        &mut self,
        cycle: u64,
        source: u32,
        sources: &mut Sources<'_>,
        measurement: &mut Measurement<'_>,
    ) {
        let to = sources.destination(source);
        let tag = measurement.create(cycle, 1);
        let source = source as usize;
        self.queues[source].waiting.push_back((to, tag));
        self.busy.insert(source);
    }

    fn is_idle(&self) -> bool {
        self.plane.is_idle()
    }

    fn has_waiting(&self) -> bool {
        !self.busy.is_empty()
    }

    fn step(&mut self, cycle: u64, sources: &Sources<'_>) -> bool {
        self.write(cycle, sources.traffic.beats);
        let stalls = self.stalls;
        let has_moved = self.plane.step(cycle, |tile, _| stalls.takes(cycle, tile));
        has_moved || self.plane.can_move()
    }

    fn read_deliveries(&mut self, cycle: u64, measurement: &mut Measurement<'_>) {
        measurement.deliver(cycle, self.plane.delivered().len() as u64);
        for (_, flit) in self.plane.delivered() {
            if flit.is_tail() {
                let tag = self.plane.worm(flit.worm()).tag;
                measurement.complete(cycle, tag);
            }
        }
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn diagnose(&self, network: &Network, cycle: u64, last_progress: u64) -> Diagnosis {
        let packet = |worm| format!("a packet to {}", self.plane.worm(worm).route);
        let waits = self.plane.waits().into_iter().take(MAX_NAMED);
        let waits = waits.map(|wait| WaitEdge {
            waiter: packet(wait.worm),
            awaited: match wait.awaited {
                Awaited::Worm(worm) => packet(worm),
                Awaited::Tile => format!("core {}", network.coord(wait.tile)),
            },
            place: format!(
                "output {:?} of the UDN's router {}",
                wait.output,
                network.coord(wait.tile)
            ),
            since_cycle: last_progress,
        });
        Diagnosis {
            cycle,
            last_progress_cycle: last_progress,
            summary: "words wait for links or for cores that take none".to_owned(),
            waits: waits.collect(),
        }
    }
}
