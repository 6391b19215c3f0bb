// SPDX-License-Identifier: Apache-2.0
//! What a run of open-loop traffic measures between warm-up and draining, whichever engine carries the packets.

use super::latencies::Latencies;
use crate::kernel::random::Stream;
use noccl_run::{Progress, TrafficResult};
use noccl_workload::Traffic;

/// Draining takes at most so many times the measured cycles; a network that needs more is saturated.
const MAX_DRAIN_FACTOR: u64 = 4;

/// Cycles without a packet before a source creates its next one: a geometric draw in place of a coin per cycle.
pub(crate) fn gap_cycles(traffic: &Traffic, stream: &mut Stream) -> u64 {
    let per_cycle = (traffic.offered_beats_per_cycle / f64::from(traffic.beats)).min(1.0);
    let draw = stream.unit();
    let gap = if per_cycle >= 1.0 {
        0.0
    } else {
        (draw.ln() / (1.0 - per_cycle).ln()).floor()
    };
    // Capped so that a tiny rate cannot overflow the cycle counter.
    gap.min(1e12) as u64
}

/// Packets created while measuring, and what has become of them.
#[derive(Debug)]
pub(crate) struct Measurement<'t> {
    traffic: &'t Traffic,
    /// Deliveries still expected from packets created while measuring.
    open_deliveries: u64,
    latencies: Latencies,
    delivered_beats: u64,
    packets: u64,
}

impl<'t> Measurement<'t> {
    pub(crate) fn new(traffic: &'t Traffic) -> Self {
        Self {
            traffic,
            open_deliveries: 0,
            latencies: Latencies::default(),
            delivered_beats: 0,
            packets: 0,
        }
    }

    /// First cycle after the measured ones.
    pub(crate) const fn end(&self) -> u64 {
        self.traffic.warmup_cycles + self.traffic.measure_cycles
    }

    const fn is_measured(&self, cycle: u64) -> bool {
        cycle >= self.traffic.warmup_cycles && cycle < self.end()
    }

    /// A packet is created that is delivered to so many tiles.
    pub(crate) fn create(&mut self, cycle: u64, deliveries: u64) {
        if self.is_measured(cycle) {
            self.packets += 1;
            self.open_deliveries += deliveries;
        }
    }

    /// Beats have come to a tile.
    pub(crate) fn deliver(&mut self, cycle: u64, beats: u64) {
        if self.is_measured(cycle) {
            self.delivered_beats += beats;
        }
    }

    /// A tile has all of a packet.
    pub(crate) fn complete(&mut self, cycle: u64, created: u64) {
        if self.is_measured(created) {
            self.open_deliveries -= 1;
            self.latencies.add(cycle - created);
        }
    }

    /// A run at its limit of cycles has stalled, even if that is where it would end.
    pub(crate) const fn is_over(&self, cycle: u64, max_cycles: u64) -> bool {
        let is_drained = self.open_deliveries == 0
            || cycle >= self.end() + MAX_DRAIN_FACTOR * self.traffic.measure_cycles;
        cycle >= self.end() && is_drained && (cycle == 0 || cycle < max_cycles)
    }

    /// Cycles of warm-up and measurement: the drain after them has no known length.
    pub(crate) fn progress(&self, cycle: u64) -> Progress {
        let total = self.end();
        Progress {
            cycle,
            actions_done: cycle.min(total) as usize,
            actions_total: total as usize,
        }
    }

    /// What has been measured, of so many sources.
    pub(crate) fn result(&self, cycles: u64, sources: usize, flit_hops: u64) -> TrafficResult {
        let measured = self.traffic.measure_cycles.max(1) as f64;
        TrafficResult {
            offered_beats_per_cycle: self.traffic.offered_beats_per_cycle,
            accepted_beats_per_cycle: self.delivered_beats as f64 / measured / sources as f64,
            mean_latency_cycles: self.latencies.mean(),
            p99_latency_cycles: self.latencies.percentile(99),
            max_latency_cycles: self.latencies.max(),
            packets: self.packets,
            flit_hops,
            cycles,
            saturated: self.open_deliveries > 0,
        }
    }
}
