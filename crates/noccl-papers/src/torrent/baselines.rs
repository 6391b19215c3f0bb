// SPDX-License-Identifier: Apache-2.0
//! S3's claims 3, 4, 5 and 10: efficiency of a chain, of repeated copies and of ESP's multicast (Fig. 5).

use crate::Found;
use crate::statistics::{Outcomes, range};
use noccl_coll::chain::order::{ChainOrder, chain_order};
use noccl_coll::{Algorithm, Choice};
use noccl_model::baselines::{RepeatedCopies, efficiency};
use noccl_net::{Coord, Network, TileId, TileSet};
use noccl_spec::AxiTiles;
use noccl_studies::parts::{Runner, network, panels};
use noccl_studies::{Error, Line, Panel};
use noccl_workload::{Collective, CollectiveKind, ElementType, Operator, Schedule};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Destinations and payload of the claim on copies.
const COPIES_AT: (u32, u64) = (8, 16);

pub(super) fn baselines(runner: Runner<'_>, found: &mut Found) -> Result<(), Error> {
    let grid = Grid::measure(runner)?;
    shape(&grid, &mut found.outcomes);
    copies(runner, &grid, &mut found.outcomes)?;
    crossovers(&grid, &mut found.outcomes);
    let panel = |kib: u64| Panel {
        title: format!("{kib} KiB"),
        lines: System::ALL.map(|system| line(&grid, system, kib)).into(),
    };
    found.figures.push(panels(
        "fig_5",
        "S3 Fig. 5: efficiency on 4x5 clusters (torrent_4x5_published, esp_4x5)",
        "destinations",
        "efficiency (eq. 1)",
        &KIB.map(panel),
    ));
    Ok(())
}

fn line(grid: &Grid, system: System, kib: u64) -> Line {
    Line {
        name: system.name().to_owned(),
        points: COUNTS
            .map(|num| (f64::from(num), grid.eta(system, num, kib)))
            .into(),
    }
}

/// Claims 3 and 10: how a chain approaches the limit.
fn shape(grid: &Grid, out: &mut Outcomes) {
    let share = |num: u32, kib: u64| grid.eta(System::Chain, num, kib) / f64::from(num);
    let by_count = |kib: u64| {
        let words = COUNTS.map(|num| format!("{:.2} at {num}", share(num, kib)));
        words.join(", ")
    };
    let nearer = |pairs: &mut dyn Iterator<Item = (f64, f64)>| pairs.filter(|p| p.1 > p.0).count();
    let larger = nearer(&mut COUNTS.into_iter().flat_map(|num| {
        let steps = KIB.windows(2);
        steps.map(move |pair| (share(num, pair[0]), share(num, pair[1])))
    }));
    let eta = |num: u32, kib: u64| grid.eta(System::Chain, num, kib);
    let more = nearer(&mut KIB.into_iter().flat_map(|kib| {
        let steps = COUNTS.windows(2);
        steps.map(move |pair| (eta(pair[0], kib), eta(pair[1], kib)))
    }));
    let detail = |kib: u64| format!("share of the limit with {kib} KiB: {}", by_count(kib));
    out.put("3-size", larger as f64, &detail(1));
    let etas = COUNTS.map(|num| format!("{:.2} at {num}", eta(num, 128)));
    let detail = format!(
        "efficiency with 128 KiB: {}; {}",
        etas.join(", "),
        detail(128)
    );
    out.put("3-destinations", more as f64, &detail);
    let shares: Vec<f64> = grid
        .etas(System::Chain)
        .map(|(num, eta)| eta / f64::from(num))
        .collect();
    let (low, high) = range(&shares);
    out.put(
        "10-limit",
        high,
        &format!("{low:.3} to {high:.3} of the limit"),
    );
}

/// Claim 4: copies queued in one engine, copies one by one, and the closed form.
fn copies(runner: Runner<'_>, grid: &Grid, out: &mut Outcomes) -> Result<(), Error> {
    let (num, kib) = COPIES_AT;
    let queued = KIB.map(|kib| grid.eta(System::Copies, num, kib));
    let sums: Vec<f64> = KIB
        .iter()
        .map(|kib| one_by_one(runner, grid, *kib))
        .collect::<Result<_, _>>()?;
    let closed = KIB.map(|kib| {
        let beats = (kib << 10) / 64;
        efficiency(num, beats, RepeatedCopies::ASSUMED.cycles(num, beats))
    });
    let list = |etas: &[f64]| {
        let words = etas.iter().map(|eta| format!("{eta:.3}"));
        words.collect::<Vec<_>>().join(", ")
    };
    let detail = format!(
        "1 to 128 KiB: {}; one by one and added up {}; by the closed form {}",
        list(&queued),
        list(&sums),
        list(&closed)
    );
    out.put("4-copies", grid.eta(System::Copies, num, kib), &detail);
    let etas: Vec<f64> = grid.etas(System::Copies).map(|(_, eta)| eta).collect();
    let (low, high) = range(&etas);
    let is_faster = |num: u32, kib: u64| {
        grid.cycles(System::Copies, num, kib) < grid.cycles(System::Chain, num, kib)
    };
    let faster = KIB.map(|kib| {
        COUNTS
            .into_iter()
            .filter(|num| is_faster(*num, kib))
            .count()
    });
    let detail = format!(
        "{low:.3} to {high:.3}; faster than a chain at {} of 64 points, by payload {faster:?}",
        faster.iter().sum::<usize>()
    );
    out.put("4-at-most", high, &detail);
    Ok(())
}

/// Efficiency if every copy is a run of its own and their cycles are added up.
fn one_by_one(runner: Runner<'_>, grid: &Grid, kib: u64) -> Result<f64, Error> {
    let (num, bytes) = (COPIES_AT.0, kib << 10);
    let mut cycles = 0;
    let snake = grid.snake(System::Copies);
    for tile in snake.destinations(num) {
        let unicast = Choice::new(Algorithm::Unicast, 1);
        let one = snake.multicast_to(&[*tile], bytes, unicast)?;
        cycles += runner.cycles(&snake.network, &one)?;
    }
    Ok(efficiency(num, bytes / 64, cycles))
}

/// Claim 5: from which number of destinations on a chain is faster than ESP.
fn crossovers(grid: &Grid, out: &mut Outcomes) {
    let crossover = |kib: u64| {
        let is_slower = |num: &u32| {
            grid.cycles(System::Chain, *num, kib) >= grid.cycles(System::EspCalibrated, *num, kib)
        };
        let mut all = ALL_COUNTS;
        let last_slower = all.rfind(is_slower);
        let first = last_slower.map_or(*ALL_COUNTS.start(), |num| num + 1);
        ALL_COUNTS.contains(&first).then_some(first)
    };
    let latest = KIB[..4]
        .iter()
        .map(|kib| crossover(*kib).unwrap_or(u32::MAX));
    let latest = f64::from(latest.max().unwrap_or(u32::MAX));
    let detail = KIB.map(|kib| {
        let first = crossover(kib).map_or("never".to_owned(), |n| n.to_string());
        format!("{first} at {kib} KiB")
    });
    out.put("5-crossover", latest, &detail.join(", "));
    let is_faster = |num: &u32| {
        KIB.iter().any(|kib| {
            let esp = grid.cycles(System::EspHardwareOnly, *num, *kib);
            grid.cycles(System::Chain, *num, *kib) < esp
        })
    };
    let faster = (5..=*ALL_COUNTS.end()).filter(is_faster);
    let words = System::ALL.map(|s| format!("{} {}", s.name(), grid.cycles(s, 8, 64)));
    let detail = format!("cycles of 64 KiB to 8 destinations: {}", words.join(", "));
    out.put("5-hardware-only", faster.count() as f64, &detail);
}

// The points of S3's Fig. 5: cycles and efficiency of its three systems by payload and number of destinations.

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

// Multicasts from the corner of a Torrent mesh to destinations that are neighbour after neighbour, as S3 has them.

/// A mesh, its corner and the path through all other clusters.
pub(super) struct Snake {
    pub(super) network: Network,
    pub(super) source: TileId,
    destinations: Vec<TileId>,
}

impl Snake {
    /// A chain along the snake.
    pub(super) const CHAIN: Choice = Choice::chainwrite(ChainOrder::Nearest);

    pub(super) fn new(preset: &str, overrides: &[(&str, &str)]) -> Result<Self, Error> {
        let network = network(preset, overrides)?;
        let source = network.tile_at(Coord::new(0, 0));
        let others: Vec<TileId> = network.clusters().filter(|t| *t != source).collect();
        let destinations = chain_order(&network, source, &others, ChainOrder::Nearest)?;
        Ok(Self {
            network,
            source,
            destinations,
        })
    }

    /// Tables of its clusters.
    pub(super) fn axi(&self) -> Result<&AxiTiles, Error> {
        Ok(Error::axi(&self.network, "Torrent endpoints")?.axi())
    }

    /// The first destinations, all if there are fewer.
    pub(super) fn destinations(&self, num: u32) -> &[TileId] {
        &self.destinations[..self.destinations.len().min(num as usize)]
    }

    /// A multicast from the corner to the first destinations.
    pub(super) fn multicast(
        &self,
        num: u32,
        bytes: u64,
        choice: Choice,
    ) -> Result<Schedule, Error> {
        self.multicast_to(self.destinations(num), bytes, choice)
    }

    /// A multicast from the corner to these.
    pub(super) fn multicast_to(
        &self,
        destinations: &[TileId],
        bytes: u64,
        choice: Choice,
    ) -> Result<Schedule, Error> {
        let tiles = destinations.iter().chain([&self.source]);
        let at = |tile: &TileId| self.network.cluster_coord(self.network.coord(*tile));
        let collective = Collective {
            kind: CollectiveKind::Multicast,
            group: TileSet::Arbitrary(tiles.filter_map(at).collect()),
            root: self.network.tile_ref(self.source),
            bytes,
            input_offset: 0,
            output_offset: 0,
            operator: Operator::Sum,
            element: ElementType::Int8,
            lengths: None,
            definition: None,
        };
        Ok(noccl_coll::schedule(&self.network, &collective, choice)?)
    }
}
