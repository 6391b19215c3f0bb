// SPDX-License-Identifier: Apache-2.0
//! Cycles that a plan reckons with: those of an idle network. They decide what is tried first, never what is right.

use noccl_net::Network;
use noccl_spec::Cluster;

/// Cycles of messages and additions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs {
    pub(crate) beat_bytes: u64,
    longest_burst: u64,
    /// Flits of an address before each burst.
    address_flits: u64,
    /// Instructions that start a transfer.
    pub(crate) start: u64,
    /// From the engine's start to the destination's notice, without hops and beats.
    ends: u64,
    /// Per hop.
    hop: u64,
    add_start: u64,
    millicycles_per_beat: u64,
}

impl Costs {
    pub(crate) fn new(network: &Network) -> Self {
        let cluster = &network.axi().cluster;
        let ends = cluster.dma.start_cycles
            + cluster.request_path_cycles
            + cluster.l1_latency_cycles
            + cluster.instructions.poll;
        Self {
            beat_bytes: network.beat_bytes(),
            longest_burst: u64::from(network.axi().ni.max_burst_beats).max(1),
            address_flits: u64::from(network.routers().address_flits),
            start: u64::from(cluster.instructions.dma_start),
            ends: u64::from(ends),
            hop: 2,
            add_start: u64::from(cluster.instructions.compute_start),
            millicycles_per_beat: u64::from(cluster.compute_millicycles_per_beat),
        }
    }

    pub(crate) const fn beats(&self, bytes: u64) -> u64 {
        bytes.div_ceil(self.beat_bytes)
    }

    /// Cycles that a port or link is busy with so many bytes.
    pub(crate) const fn flits(&self, bytes: u64) -> u64 {
        let beats = self.beats(bytes);
        beats + beats.div_ceil(self.longest_burst) * self.address_flits
    }

    /// Nothing takes time but beats: plans in steps.
    #[cfg(test)]
    pub(crate) const fn in_steps(beat_bytes: u64) -> Self {
        Self {
            beat_bytes,
            longest_burst: 1 << 20,
            address_flits: 0,
            start: 0,
            ends: 0,
            hop: 0,
            add_start: 0,
            millicycles_per_beat: 0,
        }
    }

    /// Until the first beat is on the n-th link of its path.
    pub(crate) const fn until_link(&self, hop: usize) -> u64 {
        self.start + self.hop * hop as u64
    }

    /// From a sender's first instruction until the first beat is there.
    pub(crate) const fn head(&self, hops: u64) -> u64 {
        self.start + self.ends + self.hop * (hops + 1)
    }

    /// How long a sender is busy.
    pub(crate) fn busy(&self, beats: u64) -> u64 {
        self.start.max(beats)
    }

    /// Cores add one operand of so many bytes.
    pub(crate) const fn add(&self, bytes: u64) -> u64 {
        let beats = bytes.div_ceil(Cluster::COMPUTE_BEAT_BYTES);
        self.add_start + (beats * self.millicycles_per_beat).div_ceil(1000)
    }
}
