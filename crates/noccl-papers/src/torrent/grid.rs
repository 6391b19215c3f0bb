// SPDX-License-Identifier: Apache-2.0
//! The points of S3's Fig. 5: cycles and efficiency of its three systems by payload and number of destinations.

use super::snake::Snake;
use noccl_coll::{Algorithm, Choice};
use noccl_model::baselines::efficiency;
use noccl_studies::Error;
use noccl_studies::parts::Runner;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// S3's payloads.
pub(super) const KIB: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// S3's numbers of destinations; it names the first and the last, and that there are 192 points.
pub(super) const COUNTS: [u32; 8] = [2, 4, 6, 8, 10, 12, 14, 16];
/// Every number between, for crossovers.
pub(super) const ALL_COUNTS: std::ops::RangeInclusive<u32> = 2..=16;
const BEAT_BYTES: u64 = 64;

/// What S3 compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum System {
    /// One engine copies to one destination after the other.
    Copies,
    /// A chain.
    Chain,
    /// ESP's multicast with consumers that a CPU starts one after the other.
    EspCalibrated,
    /// ESP's multicast, its hardware alone.
    EspHardwareOnly,
}

impl System {
    pub(super) const ALL: [System; 4] = [
        System::Copies,
        System::Chain,
        System::EspCalibrated,
        System::EspHardwareOnly,
    ];

    /// As plots call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            System::Copies => "copies (iDMA)",
            System::Chain => "chain (Torrent)",
            System::EspCalibrated => "ESP, calibrated",
            System::EspHardwareOnly => "ESP, hardware_only",
        }
    }

    /// The network that it runs on; all have the same clusters and links of the same width.
    const fn preset(self) -> &'static str {
        match self {
            System::Copies | System::Chain => "torrent_4x5_published",
            System::EspCalibrated => "esp_4x5_calibrated",
            System::EspHardwareOnly => "esp_4x5",
        }
    }

    const fn choice(self) -> Choice {
        match self {
            System::Copies => Choice::new(Algorithm::Unicast, 1),
            System::Chain => Snake::CHAIN,
            System::EspCalibrated | System::EspHardwareOnly => {
                Choice::new(Algorithm::InNetworkList, 1)
            }
        }
    }
}

/// Cycles at every point.
pub(super) struct Grid {
    snakes: BTreeMap<System, Snake>,
    cycles: BTreeMap<(System, u32, u64), u64>,
}

impl Grid {
    pub(super) fn measure(runner: Runner<'_>) -> Result<Self, Error> {
        let snake = |system: System| Ok((system, Snake::new(system.preset(), &[])?));
        let systems = System::ALL.into_iter();
        let snakes: BTreeMap<System, Snake> = systems.map(snake).collect::<Result<_, Error>>()?;
        let points: Vec<(System, u32, u64)> = System::ALL
            .into_iter()
            .flat_map(|system| ALL_COUNTS.flat_map(move |num| KIB.map(|kib| (system, num, kib))))
            .filter(|(system, num, _)| *system != System::Copies || COUNTS.contains(num))
            .collect();
        let measured = points.par_iter().map(|point| {
            let (system, num, kib) = *point;
            let snake = &snakes[&system];
            let schedule = snake.multicast(num, kib << 10, system.choice())?;
            Ok((*point, runner.cycles(&snake.network, &schedule)?))
        });
        let cycles = measured.collect::<Result<_, Error>>()?;
        Ok(Self { snakes, cycles })
    }

    /// The mesh of a system.
    pub(super) fn snake(&self, system: System) -> &Snake {
        &self.snakes[&system]
    }

    /// Cycles at a measured point.
    ///
    /// # Panics
    /// For any other point: no number may stand for it.
    pub(super) fn cycles(&self, system: System, num: u32, kib: u64) -> u64 {
        self.cycles[&(system, num, kib)]
    }

    /// S3's eq. (1) at a measured point.
    pub(super) fn eta(&self, system: System, num: u32, kib: u64) -> f64 {
        let beats = (kib << 10) / BEAT_BYTES;
        efficiency(num, beats, self.cycles(system, num, kib))
    }

    /// Efficiencies of a system at all of its 64 points, with their limits, the numbers of destinations.
    pub(super) fn etas(&self, system: System) -> impl Iterator<Item = (u32, f64)> + '_ {
        let points = COUNTS.into_iter();
        points.flat_map(move |num| KIB.map(|kib| (num, self.eta(system, num, kib))))
    }
}
