// SPDX-License-Identifier: Apache-2.0
//! S3's claims 4 and 5 by closed forms: a chain against repeated copies and ESP's multicast.

use super::Found;
use super::figure::{Line, line_chart};
use super::snake::Snake;
use crate::Error;
use noccl_coll::stops::{ChainCycles, chain_report};
use noccl_model::rivals::{ListMulticast, RepeatedCopies, efficiency};

/// S3's payloads.
const KIB: [u64; 8] = [1, 2, 4, 8, 16, 32, 64, 128];
/// S3's numbers of destinations.
const DESTINATIONS: std::ops::RangeInclusive<u32> = 2..=16;
/// Payload of the plot.
const PLOTTED_KIB: u64 = 64;
const BEAT_BYTES: u64 = 64;

/// Cycles of every mechanism, by number of destinations and payload.
struct Mesh {
    snake: Snake,
}

impl Mesh {
    fn chain(&self, num: u32, bytes: u64) -> u64 {
        let Snake {
            network, source, ..
        } = &self.snake;
        let constants = ChainCycles::of(network);
        chain_report(network, *source, self.snake.stops(num), &constants, bytes).cycles
    }

    fn list(&self, setting: ListMulticast, num: u32, bytes: u64) -> u64 {
        let stops = self.snake.stops(num).iter();
        let hops = stops.map(|to| self.snake.network.hops(self.snake.source, *to));
        setting.cycles(num, hops.max().unwrap_or(0), bytes / BEAT_BYTES)
    }

    /// The first number of destinations from which on the chain is faster.
    fn crossover(&self, setting: ListMulticast, bytes: u64) -> Option<u32> {
        let is_slower = |num: &u32| self.chain(*num, bytes) >= self.list(setting, *num, bytes);
        let mut all = DESTINATIONS;
        let last_slower = all.rfind(is_slower);
        let first = last_slower.map_or(*DESTINATIONS.start(), |num| num + 1);
        DESTINATIONS.contains(&first).then_some(first)
    }
}

pub(super) fn rivals(found: &mut Found) -> Result<(), Error> {
    let mesh = Mesh {
        snake: Snake::new("torrent_4x5", &[])?,
    };
    let copies = |num: u32, bytes: u64| RepeatedCopies::ASSUMED.cycles(num, bytes / BEAT_BYTES);
    let eta = |num, bytes, cycles| efficiency(num, bytes / BEAT_BYTES, cycles);
    let at = |kib: u64| eta(8, kib << 10, copies(8, kib << 10));
    let detail: Vec<String> = KIB
        .iter()
        .map(|kib| format!("{:.3} at {kib} KiB", at(*kib)))
        .collect();
    let out = &mut found.outcomes;
    out.put("4-copies", at(16), &detail.join(", "));
    let crossover = |kib: &u64| mesh.crossover(ListMulticast::CALIBRATED, kib << 10);
    let latest = KIB[..4]
        .iter()
        .map(|kib| crossover(kib).unwrap_or(u32::MAX));
    let detail: Vec<String> = KIB
        .iter()
        .map(|kib| {
            crossover(kib).map_or_else(
                || format!("never at {kib} KiB"),
                |n| format!("{n} at {kib} KiB"),
            )
        })
        .collect();
    let latest = f64::from(latest.max().unwrap_or(u32::MAX));
    out.put("5-crossover", latest, &detail.join(", "));
    let faster = (5..=*DESTINATIONS.end()).filter(|num| {
        KIB.iter().any(|kib| {
            let rival = mesh.list(ListMulticast::HARDWARE_ONLY, *num, kib << 10);
            mesh.chain(*num, kib << 10) < rival
        })
    });
    let bytes = PLOTTED_KIB << 10;
    let detail = format!(
        "8 destinations, {PLOTTED_KIB} KiB: chain {}, ESP hardware_only {}, calibrated {}, copies {} cycles",
        mesh.chain(8, bytes),
        mesh.list(ListMulticast::HARDWARE_ONLY, 8, bytes),
        mesh.list(ListMulticast::CALIBRATED, 8, bytes),
        copies(8, bytes)
    );
    out.put("5-hardware-only", faster.count() as f64, &detail);
    let line = |name: &str, cycles: &dyn Fn(u32) -> u64| Line {
        name: name.to_owned(),
        points: DESTINATIONS
            .map(|num| (f64::from(num), eta(num, bytes, cycles(num))))
            .collect(),
    };
    found.figures.push(line_chart(
        "fig_5",
        "S3 Fig. 5, closed forms: efficiency at 64 KiB on torrent_4x5",
        "destinations",
        "efficiency",
        &[
            line("copies (iDMA)", &|num| copies(num, bytes)),
            line("chain", &|num| mesh.chain(num, bytes)),
            line("ESP, calibrated", &|num| {
                mesh.list(ListMulticast::CALIBRATED, num, bytes)
            }),
            line("ESP, hardware_only", &|num| {
                mesh.list(ListMulticast::HARDWARE_ONLY, num, bytes)
            }),
        ],
    ));
    Ok(())
}
