// SPDX-License-Identifier: Apache-2.0
//! S4's machine of squares and rectangles, its two layers of software, and runs on it.

use super::collectives::{ALL_TO_ALL, BARRIER, BROADCAST, REDUCE};
use super::star;
use super::star::STAR;
use crate::statistics::Outcomes;
use noccl_coll::Choice;
use noccl_net::{Network, TileRef};
use noccl_run::{Mode, RunConfig, RunResult, Tally};
use noccl_sim::{route_writes, run_schedule};
use noccl_spec::Core;
use noccl_studies::Error;
use noccl_studies::parts::{Runner, network, typed};
use noccl_workload::{CheckError, Collective, CollectiveKind, ElementType, Schedule, check};
use rayon::prelude::*;

#[cfg(test)]
use noccl_studies::Watch;

/// Sides of S4's squares.
pub(super) const SIDES: [u16; 6] = [2, 3, 4, 5, 6, 7];
/// The largest, at which most claims are made.
pub(super) const LARGEST: u16 = 7;
/// Data of a single packet in bytes.
pub(super) const PACKET: u64 = 128;
/// A field of the cores of a network of this paper, which all have cores.
pub(super) fn core_field(network: &Network, field: fn(&Core) -> u32) -> Result<u32, Error> {
    let cores = network.cores();
    cores.map(|tiles| field(&tiles.core)).ok_or_else(|| {
        let accepted = "accepted: a network of core tiles";
        Error::argument("network", network.spec().label(), accepted)
    })
}

/// Clock in cycles per microsecond.
const CYCLES_PER_US: f64 = 700.0;

/// What passes messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layer {
    /// S4's: cores poll their queues.
    Polling,
    /// The vendor's library: a message interrupts its receiver. Its barrier and broadcast are binomial trees.
    Interrupt,
    /// The same library read otherwise: in its barrier and broadcast everybody speaks with the root alone, it moves a word per cycle, and the
    /// cycles of an interrupt are fitted to the barrier with that ([`super::fit`]).
    Flat,
}

/// What the second reading of the library has in place of the presets' fields.
const FLAT: [(&str, &str); 2] = [("core.interrupt_cycles", "260"), ("core.word_cycles", "1")];

impl Layer {
    pub(super) const BOTH: [Self; 2] = [Self::Polling, Self::Interrupt];

    const fn suffix(self) -> &'static str {
        match self {
            Self::Polling => "",
            Self::Interrupt | Self::Flat => "_interrupt",
        }
    }

    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Polling => "polling",
            Self::Interrupt => "interrupts",
            Self::Flat => "interrupts, flat",
        }
    }

    /// Of the library's readings, by what their rows end in.
    pub(super) const LIBRARIES: [(Self, &'static str); 2] =
        [(Self::Interrupt, ""), (Self::Flat, "-flat")];
    /// All layers, by what rows over them end in.
    pub(super) const ROWS: [(Self, &'static str); 3] = [
        (Self::Interrupt, ""),
        (Self::Polling, "-same-layer"),
        (Self::Flat, "-flat"),
    ];

    /// A mesh of cores with it; fields that are given replace its own.
    pub(super) fn mesh(
        self,
        (columns, rows): (u16, u16),
        fields: &[(&str, &str)],
    ) -> Result<Network, Error> {
        let own: &[(&str, &str)] = match self {
            Self::Flat => &FLAT,
            Self::Polling | Self::Interrupt => &[],
        };
        let given = |name: &str| fields.iter().any(|field| field.0 == name);
        let own = own.iter().filter(|field| !given(field.0));
        let all: Vec<(&str, &str)> = own.chain(fields).copied().collect();
        network(
            &format!("tilepro64_{columns}x{rows}{}", self.suffix()),
            &all,
        )
    }

    pub(super) fn square(self, side: u16) -> Result<Network, Error> {
        self.mesh((side, side), &[])
    }
}

/// A collective of all cores. Elements are integers of a word; a broadcast has one buffer, as in MPI, so that its root copies nothing.
pub(super) fn collective(
    network: &Network,
    kind: CollectiveKind,
    bytes: u64,
) -> Result<Collective, Error> {
    let mut made = typed(network, kind, "all", bytes, ElementType::Int32)?;
    if kind == CollectiveKind::Multicast {
        made.output_offset = made.input_offset;
    }
    Ok(made)
}

/// A schedule by the name of an algorithm: one of the library, or [`STAR`].
pub(super) fn schedule(
    network: &Network,
    kind: CollectiveKind,
    bytes: u64,
    algorithm: &str,
) -> Result<Schedule, Error> {
    if algorithm == STAR {
        return star::schedule(network, &collective(network, kind, bytes)?);
    }
    let choice: Choice = algorithm.parse()?;
    let collective = collective(network, kind, bytes)?;
    Ok(noccl_coll::schedule(network, &collective, choice)?)
}

/// The same with the root at a tile.
pub(super) fn schedule_at(
    network: &Network,
    kind: CollectiveKind,
    (bytes, root): (u64, TileRef),
    algorithm: &str,
) -> Result<Schedule, Error> {
    let mut collective = collective(network, kind, bytes)?;
    collective.root = root;
    Ok(noccl_coll::schedule(
        network,
        &collective,
        algorithm.parse()?,
    )?)
}

/// From the first cycle to the end of the last action.
pub(super) fn cycles(
    runner: Runner<'_>,
    network: &Network,
    kind: CollectiveKind,
    bytes: u64,
    algorithm: &str,
) -> Result<u64, Error> {
    let schedule = schedule(network, kind, bytes, algorithm)?;
    Ok(runner.run(network, &schedule)?.cycles)
}

/// A run; in lock-step, a round begins when those before have come.
pub(super) fn observe(
    tally: &Tally<'_>,
    network: &Network,
    schedule: &Schedule,
    is_lock_step: bool,
) -> Result<RunResult, Error> {
    let mut config = RunConfig::new(Mode::Timing);
    config.is_lock_step = is_lock_step;
    Ok(tally.run(|on_progress| run_schedule(network, schedule, &[], &[], &config, on_progress))?)
}

pub(super) const fn microseconds(cycles: u64) -> f64 {
    cycles as f64 / CYCLES_PER_US
}

/// Part of a baseline's time that is saved; below 0 if it is faster.
pub(super) const fn saving(ours: u64, baseline: u64) -> f64 {
    1.0 - ours as f64 / baseline as f64
}

/// Runs that nobody follows.
#[cfg(test)]
pub(super) fn quietly<T>(body: impl FnOnce(Runner<'_>) -> T) -> T {
    let tally = Tally::new(Watch::quiet(), 1);
    body(Runner { tally: &tally })
}

// S4's claim 16: cycles in which words wait for a link, by collective and reading.

/// Id, collective, bytes, algorithm.
const READINGS: [(&str, CollectiveKind, u64, &str); 6] = [
    (
        "16-alltoall-blocked",
        ALL_TO_ALL.kind,
        PACKET,
        "rounds:split",
    ),
    ("16-broadcast", BROADCAST.kind, PACKET, "in_network_static"),
    ("16-barrier", BARRIER.kind, 0, "tree:neighbour"),
    ("16-barrier-ternary", BARRIER.kind, 0, "tree:ternary"),
    ("16-reduce", REDUCE.kind, PACKET, "row_column:direct"),
    ("16-reduce-chain", REDUCE.kind, PACKET, "row_column:chain"),
];

pub(super) fn claims(tally: &Tally<'_>, out: &mut Outcomes) -> Result<(), Error> {
    for (id, kind, bytes, algorithm) in READINGS {
        let at = |side: &u16| blocked(tally, *side, (kind, bytes, algorithm), true);
        let found: Result<Vec<u64>, Error> = SIDES.par_iter().map(at).collect();
        put(id, &found?, out);
    }
    for (id, algorithm) in [
        ("16-alltoall", "rounds:split"),
        ("16-alltoall-literal", "rounds:literal"),
    ] {
        shared_links(id, algorithm, out)?;
    }
    // As S4 runs it: nothing keeps the rounds apart.
    let at = |side: &u16| {
        blocked(
            tally,
            *side,
            (ALL_TO_ALL.kind, PACKET, "rounds:split"),
            false,
        )
    };
    let found: Result<Vec<u64>, Error> = SIDES.par_iter().map(at).collect();
    put("16-alltoall-drifting", &found?, out);
    Ok(())
}

/// Squares on which the checker proves that messages of a round share no link.
fn shared_links(id: &str, algorithm: &str, out: &mut Outcomes) -> Result<(), Error> {
    let (mut proved, mut first) = (0_usize, String::new());
    for side in SIDES {
        let network = Layer::Polling.square(side)?;
        let mut rounds = schedule(&network, ALL_TO_ALL.kind, PACKET, algorithm)?;
        rounds.claims_rounds = true;
        match check::check(&network, &rounds) {
            Ok(_) => proved += 1,
            Err(found @ CheckError::Rounds(_)) if first.is_empty() => {
                first = format!("first on {side}×{side}: {found}");
            }
            Err(CheckError::Rounds(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    out.put(id, proved as f64, &first);
    Ok(())
}

fn put(id: &str, blocked: &[u64], out: &mut Outcomes) {
    let words = blocked.iter().zip(SIDES);
    let words: Vec<String> = words
        .map(|(cycles, side)| format!("{cycles} on {side}×{side}"))
        .collect();
    let sum: u64 = blocked.iter().sum();
    out.put(
        id,
        sum as f64,
        &format!("blocked cycles: {}", words.join(", ")),
    );
}

/// Blocked cycles of one collective on a square, over all links between routers.
fn blocked(
    tally: &Tally<'_>,
    side: u16,
    (kind, bytes, algorithm): (CollectiveKind, u64, &str),
    is_lock_step: bool,
) -> Result<u64, Error> {
    let network = Layer::Polling.square(side)?;
    let schedule = schedule(&network, kind, bytes, algorithm)?;
    let result = observe(tally, &network, &schedule, is_lock_step)?;
    result.blocked_link_cycles.ok_or_else(|| {
        let accepted = "accepted: a run that counts the cycles in which links are blocked";
        Error::argument("blocked_link_cycles", "none", accepted)
    })
}

/// Claim 23: routes that cores write for a broadcast, per task.
pub(super) fn routes(tally: &Tally<'_>, out: &mut Outcomes) -> Result<(), Error> {
    let mut writes = Vec::new();
    for side in SIDES {
        let network = Layer::Polling.square(side)?;
        let sent = schedule(&network, BROADCAST.kind, PACKET, BROADCAST.ours)?;
        let config = RunConfig::new(Mode::Timing);
        let count = tally.run(|on| route_writes(&network, &sent, &config, on))?;
        writes.push((side, count));
    }
    let per_task = writes
        .iter()
        .map(|(side, writes)| *writes as f64 / f64::from(side * side));
    let most = per_task.fold(0.0, f64::max);
    let words = writes
        .iter()
        .map(|(side, writes)| format!("{writes} on {side}×{side}"));
    let words: Vec<String> = words.collect();
    out.put(
        "23-routes",
        most,
        &format!("routes written: {}", words.join(", ")),
    );
    Ok(())
}
