// SPDX-License-Identifier: Apache-2.0
//! Cycles → time, bytes in cycles → bandwidth. A run counts cycles; what a cycle takes is the spec's `clock_ghz`.

/// Time of cycles at a clock.
///
/// ```
/// assert_eq!(noccl_run::time_ns(173.0, 2.0), 86.5);
/// ```
#[must_use]
pub fn time_ns(cycles: f64, clock_ghz: f64) -> f64 {
    cycles / clock_ghz
}

/// Bandwidth in GB/s (10^9 bytes per second) of bytes per cycle at a clock.
///
/// ```
/// assert_eq!(noccl_run::gb_per_s(64.0, 1.5), 96.0);
/// ```
#[must_use]
pub fn gb_per_s(bytes_per_cycle: f64, clock_ghz: f64) -> f64 {
    bytes_per_cycle * clock_ghz
}
