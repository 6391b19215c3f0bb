// SPDX-License-Identifier: Apache-2.0
//! What a run of open-loop traffic measures between warm-up and draining, whichever engine carries the packets.

use super::latencies::Latencies;
use crate::kernel::random::Stream;
use noccl_run::{Progress, Status, TrafficResult};
use noccl_workload::Traffic;

/// Draining takes at most so many times the measured cycles; a network that needs more is saturated.
const MAX_DRAIN_FACTOR: u64 = 4;
/// Cycles without a move after which it is open whether a network is saturated or deadlocked.
const QUIET_CYCLES: u64 = 100;

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

/// Any of `count` sources but this one, equally likely; of one alone itself.
pub(crate) fn other_source(source: u32, count: usize, stream: &mut Stream) -> usize {
    let others = count as u64 - 1;
    let draw = stream.below(others.max(1)) as usize;
    if others == 0 {
        return 0;
    }
    draw + usize::from(draw >= source as usize)
}

/// First cycle after the measured ones.
pub(crate) const fn measured_until(traffic: &Traffic) -> u64 {
    traffic.warmup_cycles + traffic.measure_cycles
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
    /// Collective packets that have not come to all their targets, by tag.
    open: Vec<Open>,
    unused: Vec<u32>,
    flows: Flows,
}

/// A collective packet.
#[derive(Debug, Clone, Copy)]
struct Open {
    created: u64,
    missing: u64,
}

/// Collective packets that ended while measuring.
#[derive(Debug, Default)]
struct Flows {
    completed: u64,
    received: u64,
    /// Sum over the measured cycles of those in flight.
    open_cycles: u64,
}

impl<'t> Measurement<'t> {
    pub(crate) fn new(traffic: &'t Traffic) -> Self {
        Self {
            traffic,
            open_deliveries: 0,
            latencies: Latencies::default(),
            delivered_beats: 0,
            packets: 0,
            open: Vec::new(),
            unused: Vec::new(),
            flows: Flows::default(),
        }
    }

    /// First cycle after the measured ones.
    pub(crate) const fn end(&self) -> u64 {
        measured_until(self.traffic)
    }

    const fn is_measured(&self, cycle: u64) -> bool {
        cycle >= self.traffic.warmup_cycles && cycle < self.end()
    }

    /// A packet is created that is delivered to so many tiles. Returns the tag by which its deliveries are known.
    pub(crate) fn create(&mut self, cycle: u64, deliveries: u64) -> u64 {
        let is_collective = self.traffic.pattern.is_collective();
        if self.is_measured(cycle) {
            self.packets += 1;
            self.open_deliveries += if is_collective { 1 } else { deliveries };
        }
        if !is_collective {
            return cycle;
        }
        let open = Open {
            created: cycle,
            missing: deliveries,
        };
        let Some(tag) = self.unused.pop() else {
            self.open.push(open);
            return self.open.len() as u64 - 1;
        };
        self.open[tag as usize] = open;
        u64::from(tag)
    }

    /// Beats have come to a tile.
    pub(crate) fn deliver(&mut self, cycle: u64, beats: u64) {
        if self.is_measured(cycle) {
            self.delivered_beats += beats;
        }
    }

    /// A tile has all of a packet.
    pub(crate) fn complete(&mut self, cycle: u64, tag: u64) {
        let mut created = tag;
        if self.traffic.pattern.is_collective() {
            let open = &mut self.open[tag as usize];
            created = open.created;
            open.missing -= 1;
            if open.missing > 0 {
                return;
            }
            self.unused.push(tag as u32);
            self.flows.completed += u64::from(self.is_measured(cycle));
        }
        if self.is_measured(created) {
            self.open_deliveries -= 1;
            self.latencies.add(cycle - created);
        }
    }

    /// A root has got so many contributions of a reduction, which is complete.
    pub(crate) fn reduce(&mut self, cycle: u64, received: u32, tag: u64) {
        self.deliver(cycle, 1);
        self.flows.received += u64::from(received) * u64::from(self.is_measured(cycle));
        self.complete(cycle, tag);
    }

    /// A cycle ends.
    pub(crate) fn end_cycle(&mut self, cycle: u64) {
        if self.is_measured(cycle) {
            self.flows.open_cycles += (self.open.len() - self.unused.len()) as u64;
        }
    }

    /// Have the measured packets ended, or has draining? A run at its limit of cycles has stalled, even if that is where it
    /// would end. A network in which packets are and nothing moves is watched on, until it moves or counts as stalled.
    pub(crate) fn is_over(&self, run: &impl Status) -> bool {
        let activity = run.activity();
        let cycle = activity.cycle;
        let is_quiet = !activity.has_event && activity.quiet_cycles > QUIET_CYCLES;
        let has_drained_for = cycle.saturating_sub(self.end());
        let is_drained = self.open_deliveries == 0
            || has_drained_for >= MAX_DRAIN_FACTOR * self.traffic.measure_cycles && !is_quiet;
        let max_cycles = run.config().max_cycles;
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
        let pattern = self.traffic.pattern;
        let sources = if pattern.is_of_mesh() { 1 } else { sources };
        let flows = &self.flows;
        let if_reduction = |value: f64| pattern.is_of_mesh().then_some(value);
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
            accepted_flows_per_cycle: pattern
                .is_collective()
                .then_some(flows.completed as f64 / measured),
            received_per_flow: if_reduction(flows.received as f64 / flows.completed.max(1) as f64),
            open_flows: if_reduction(flows.open_cycles as f64 / measured),
            contribution_wait_cycles: None,
        }
    }
}
