// SPDX-License-Identifier: Apache-2.0
//! When the counter of a software barrier is seen full by the cluster that it lies in.
//!
//! That cluster polls the counter in rounds, from the response to its own atomic on. So it sees a full counter at the end of a round:
//! up to a round later than it is full. Over links of a cycle the members keep the counter busy, and an atomic takes as long as a
//! round, so this never shows; over longer links it does.

use noccl_spec::AxiTiles;

/// Cycles from the execution of an atomic in a cluster's own L1 to its response at the interface.
const OWN_RESPONSE_CYCLES: u32 = 2;

/// From the execution of the cluster's own atomic until it polls.
pub(crate) fn response_cycles(axi: &AxiTiles) -> f64 {
    f64::from(OWN_RESPONSE_CYCLES + axi.cluster.response_path_cycles)
}

/// Begin of the round that sees the counter full: polling begins `response_cycles` after the cluster's own atomic at `own`.
pub(crate) fn seen_full(own: f64, full: f64, response_cycles: f64, round_cycles: f64) -> f64 {
    /// Sums of fractions of a hop are not exact.
    const ROUNDING: f64 = 1e-6;
    let begin = own + response_cycles;
    let rounds = ((full - begin) / round_cycles.max(1.0) - ROUNDING).ceil();
    begin + rounds.max(0.0) * round_cycles
}

#[cfg(test)]
mod tests {
    use super::seen_full;

    #[test]
    fn a_full_counter_is_seen_at_the_next_round() {
        for (full, seen) in [
            (3.0, 6.0),
            (6.0, 6.0),
            (6.5, 9.0),
            (7.0, 9.0),
            (9.0, 9.0),
            (10.0, 12.0),
        ] {
            assert_eq!(seen_full(3.0, full, 3.0, 3.0), seen, "{full}");
        }
        assert_eq!(seen_full(3.0, 7.0, 3.0, 1.0), 7.0);
    }
}
