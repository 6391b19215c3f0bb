// SPDX-License-Identifier: Apache-2.0
//! Open-loop traffic over the dynamic network between cores (`crate::driver::open_loop`).
//!
//! The routers alone are measured: a source writes a word per cycle wherever its port takes one, a destination takes every word at
//! once, and no cycle of software is counted.

use super::packets::UdnPackets;
use crate::driver::measurement::Measurement;
use crate::driver::open_loop::{OpenLoop, Sources, TrafficNetwork};
use crate::router::wormhole::Awaited;
use noccl_net::Network;
use noccl_run::{Diagnosis, RunConfig, RunError, WaitEdge};
use noccl_workload::Traffic;

/// Waits that are named.
const MAX_NAMED: usize = 16;

/// A run of traffic before its first cycle.
///
/// # Errors
/// [`RunError::Refused`].
pub(crate) fn traffic_run<'a>(
    network: &'a Network,
    traffic: &'a Traffic,
    config: &RunConfig,
) -> Result<OpenLoop<'a, UdnPackets>, RunError> {
    let packets = UdnPackets::new(network, config)?;
    OpenLoop::new(network, traffic, config, packets)
}

impl TrafficNetwork for UdnPackets {
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
        let from = sources.all[source as usize].tile;
        self.send(from, to, sources.traffic.beats, tag);
    }

    fn is_idle(&self) -> bool {
        self.plane.is_idle()
    }

    fn has_waiting(&self) -> bool {
        Self::has_waiting(self)
    }

    fn step(&mut self, cycle: u64, _: &Sources<'_>) -> bool {
        Self::step(self, cycle)
    }

    fn read_deliveries(&mut self, cycle: u64, measurement: &mut Measurement<'_>) {
        measurement.deliver(cycle, self.plane.delivered().len() as u64);
        for (_, flit) in self.plane.delivered() {
            if flit.is_tail() {
                let tag = self.plane.packet(flit.packet()).tag;
                measurement.complete(cycle, tag);
            }
        }
    }

    fn flit_hops(&self) -> u64 {
        self.plane.flit_hops()
    }

    fn diagnose(&self, network: &Network, cycle: u64, last_progress: u64) -> Diagnosis {
        let name = |packet| format!("a packet to {}", self.plane.packet(packet).route);
        let waits = self.plane.waits().into_iter().take(MAX_NAMED);
        let waits = waits.map(|wait| WaitEdge {
            waiter: name(wait.packet),
            awaited: match wait.awaited {
                Awaited::Packet(packet) => name(packet),
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
