// SPDX-License-Identifier: Apache-2.0
//! What S3's baselines take for one payload to many destinations, in closed form.
//!
//! S3 compares a chain with a DMA engine that copies once per destination (iDMA) and with the multicast of
//! another platform's routers (ESP). Nothing of either is simulated here; the constants are said to be what they
//! are. Source: S3 §IV-B; the open sources of ESP 2025.1.0 for header, limits and protocol.

/// One copy per destination, queued back to back in one engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RepeatedCopies {
    /// Cycles of the first beat's path and of the last response.
    pub start_cycles: u32,
    /// Cycles between two transfers.
    pub gap_cycles: u32,
    /// Beats of a burst, each of which takes a flit more for its address.
    pub burst_beats: u64,
}

impl RepeatedCopies {
    /// Assumed: 40 cycles for the first beat and the last response, 8 between transfers (4 to 12 are plausible).
    pub const ASSUMED: Self = Self {
        start_cycles: 40,
        gap_cycles: 8,
        burst_beats: 64,
    };

    /// Cycles of all copies.
    #[must_use]
    pub fn cycles(&self, num_destinations: u32, beats: u64) -> u64 {
        let copy = beats + beats.div_ceil(self.burst_beats) + u64::from(self.gap_cycles);
        u64::from(self.start_cycles) + u64::from(num_destinations) * copy
    }
}

/// Multicast by ESP's routers: one packet with a list of destinations in its header, which reserves all outputs of a
/// router at once and then moves in lock-step.
///
/// The producer waits for a request of every consumer before it sends; consumers are started one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListMulticast {
    /// Cycles from the first consumer's start to the header's injection.
    pub start_cycles: u32,
    /// Cycles of each further consumer.
    pub consumer_cycles: u32,
}

impl ListMulticast {
    /// What the hardware takes for a consumer's request: 3 cycles.
    pub const HARDWARE_ONLY: Self = Self {
        start_cycles: 30,
        consumer_cycles: 3,
    };

    /// With consumers that a core starts by register writes, about 100 cycles each: fitted to the one thing that S3
    /// says, that ESP is faster than a chain for 2 to 4 destinations and slower beyond.
    pub const CALIBRATED: Self = Self {
        start_cycles: 30,
        consumer_cycles: 100,
    };

    /// Cycles from the first consumer's start to the last beat at the farthest destination: a cycle per hop, one flit
    /// for the header.
    #[must_use]
    pub fn cycles(&self, num_destinations: u32, farthest_hops: u32, beats: u64) -> u64 {
        let further = u64::from(num_destinations.saturating_sub(1));
        let starts = u64::from(self.start_cycles) + further * u64::from(self.consumer_cycles);
        starts + u64::from(farthest_hops) + 1 + beats
    }
}

/// S3 eq. (1): the time that copies at a beat per cycle would take by the time that was taken; at most 1 for copies, at most the
/// number of destinations for anything.
#[must_use]
pub fn efficiency(num_destinations: u32, beats: u64, cycles: u64) -> f64 {
    f64::from(num_destinations) * beats as f64 / cycles.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_stay_below_one_and_approach_it() {
        let of = |beats| efficiency(8, beats, RepeatedCopies::ASSUMED.cycles(8, beats));
        assert!(of(16) < 0.6 && of(256) > 0.9 && of(1 << 20) < 1.0);
    }

    #[test]
    fn a_further_consumer_costs_its_start_and_data_are_sent_once() {
        let of = ListMulticast::CALIBRATED;
        assert_eq!(of.cycles(5, 4, 64) - of.cycles(4, 4, 64), 100);
        assert_eq!(of.cycles(4, 4, 128) - of.cycles(4, 4, 64), 64);
        assert_eq!(ListMulticast::HARDWARE_ONLY.cycles(1, 1, 1), 33);
    }
}
