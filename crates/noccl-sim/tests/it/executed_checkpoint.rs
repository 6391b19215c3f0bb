// SPDX-License-Identifier: Apache-2.0
//! Runs of compiled programs, interrupted between any two cycles, go on to the same end.
//!
//! The programs exchange packets of random lengths over all receive queues, broadcast over the static network, and use all state that
//! a core has.

use crate::common::listed_program::{DATA, MEMORY_BYTES, Operation, image};
use crate::common::network;
use crate::common::saved::{self, digest, refused_contents, refuses_damage, save, step};
use noccl_net::{Coord, Network, TileId};
use noccl_riscv::{CostTable, Port, Program};
use noccl_run::{Mode, RunConfig, RunError};
use noccl_sim::checkpoint::{CheckpointError, FORMAT, Identity, Part, Saved};
use noccl_sim::{ExecutedRequest, ExecutedResult, RankFault};
use noccl_testkit::random::Random;
use proptest::prelude::*;
use std::sync::LazyLock;

static CORES: LazyLock<Network> = LazyLock::new(|| network("tilepro64_4x4"));
const RANKS: u16 = 16;

/// Rank after rank along the rows.
fn at(rank: u16) -> Coord {
    Coord::new(rank % 4, rank / 4)
}

fn places() -> Vec<TileId> {
    (0..RANKS).map(|rank| CORES.tile_at(at(rank))).collect()
}

/// A packet to a rank: header, tag, and numbers.
fn packet(list: &mut Vec<Operation>, random: &mut Random, to: u16, words: u64, tag: u64) {
    let send = Port::Send.address();
    let to = at(to);
    let header = u64::from(to.x) | u64::from(to.y) << 8 | (words - 1) << 16;
    let mut word = |place: u64| match place {
        0 => header,
        1 => tag,
        _ => random.below(1 << 32),
    };
    let mut next = 0;
    while next < words {
        if next + 1 < words && next % 3 != 1 {
            list.push(Operation::Store64(send, word(next) | word(next + 1) << 32));
            next += 2;
        } else {
            list.push(Operation::Store32(send, word(next)));
            next += 1;
        }
    }
}

/// Loads so many words from a port, two at once where there are two.
fn words(list: &mut Vec<Operation>, port: Port, words: u64) {
    let pairs = (0..words / 2).map(|_| Operation::Load64(port.address()));
    list.extend(pairs);
    list.extend((0..words % 2).map(|_| Operation::Load32(port.address())));
}

/// The crossbar of a rank: the first of a row sends to all others of it.
fn configure(rank: u16) -> Operation {
    let (east, local) = (1 << 1, 1 << 4);
    let outputs = match rank % 4 {
        0 => east << 20,
        3 => local << 15,
        _ => (east | local) << 15,
    };
    Operation::Store64(Port::StaticConfigure.address(), outputs)
}

/// Something of a core alone.
fn own(random: &mut Random) -> Operation {
    let address = DATA + 8 * random.below(0x3000);
    match random.below(11) {
        0 => Operation::Store64(address, random.below(u64::MAX)),
        1 => Operation::Load64(address),
        2 => Operation::Spin(1 + random.below(300)),
        3 => Operation::Reserve(DATA),
        4 => Operation::Conditional(DATA, random.below(1 << 40)),
        5 => Operation::Flags(random.below(2) * 0x60),
        6 => Operation::Print,
        7 => Operation::AddFloat(0.1 * random.below(100) as f64),
        8 => Operation::ReadFloat,
        9 => Operation::Load64(Port::Cycle.address()),
        _ => Operation::Load64(Port::Status.address()),
    }
}

/// Lists of all ranks, which send to each other in rounds.
fn lists(seed: u64, rounds: u64) -> Vec<Vec<Operation>> {
    let mut random = Random(seed);
    let mut lists: Vec<_> = (0..RANKS).map(|rank| vec![configure(rank)]).collect();
    for _ in 0..rounds {
        let distance = random.below(RANKS.into()) as u16;
        let (length, tag) = (1 + random.below(9), random.below(8));
        let queue = if length == 1 || tag > 3 {
            Port::ReceiveOther
        } else {
            Port::Receive(tag as u8)
        };
        let broadcast = random.below(12);
        for (rank, list) in (0..).zip(&mut lists) {
            list.extend((0..random.below(4)).map(|_| own(&mut random)));
            packet(list, &mut random, (rank + distance) % RANKS, length, tag);
            if rank % 4 == 0 {
                let sent = (0..broadcast).map(|_| random.below(1 << 32));
                let send = Port::StaticSend.address();
                list.extend(sent.map(|word| Operation::Store32(send, word)));
            } else {
                words(list, Port::StaticReceive, broadcast);
            }
            if random.below(2) == 0 {
                list.push(Operation::Load64(Port::Wait.address()));
            }
            words(list, queue, length);
        }
    }
    lists
}

fn costs() -> CostTable {
    CostTable {
        load_cycles: 2,
        branch_taken_cycles: 3,
        ..CostTable::uniform(1)
    }
}

/// A run of these lists.
struct Case {
    program: Program,
    places: Vec<TileId>,
    config: RunConfig,
}

impl Case {
    fn of(lists: &[Vec<Operation>]) -> Self {
        let program = Program::new(image(lists), &costs());
        Self {
            program: program.expect("the program is sound"),
            places: places(),
            config: RunConfig {
                stall_cycles: 1000,
                ..RunConfig::new(Mode::Value)
            },
        }
    }

    fn request(&self) -> ExecutedRequest<'_> {
        ExecutedRequest {
            network: &CORES,
            program: &self.program,
            places: &self.places,
            memory_bytes: MEMORY_BYTES,
            config: &self.config,
            has_times: false,
        }
    }

    fn whole(&self) -> Result<Result<ExecutedResult, RankFault>, RunError> {
        let mut run = self.request().start().expect("is accepted");
        step(&mut run, u64::MAX)?;
        Ok(run.outcome())
    }

    fn len(&self) -> u64 {
        saved::len(&self.request()).expect("is accepted")
    }

    /// Interrupts after `first` steps, and after `second` more.
    fn check(&self, first: u64, second: u64) {
        let request = self.request();
        let checked = saved::check([&request; 2], [first, second], |run| run.outcome());
        checked.expect("is accepted");
    }
}

proptest! {
    #![proptest_config(noccl_testkit::config(12, 48))]

    #[test]
    fn a_resumed_run_is_the_run_that_was_not_interrupted(
        seed in any::<u64>(),
        rounds in 1u64..8,
        steps in (any::<u64>(), 0u64..200),
    ) {
        let case = Case::of(&lists(seed, rounds));
        case.check(steps.0 % (case.len() + 1), steps.1);
    }
}

/// Among them those in the middle of a packet, of a broadcast, and of the receipt of its words.
#[test]
fn every_cycle_of_a_short_run_can_be_gone_on_from() {
    let case = Case::of(&lists(5, 2));
    let whole = case
        .whole()
        .expect("does not stall")
        .expect("does not fail");
    assert!(whole.ranks.iter().any(|rank| rank.send_wait_cycles > 0));
    assert!(whole.ranks.iter().any(|rank| rank.receive_wait_cycles > 0));
    assert!(whole.ranks.iter().any(|rank| !rank.console.is_empty()));
    assert!(whole.flit_hops > 0);
    let len = case.len();
    assert!(len > 100, "{len}");
    // 7 is no divisor of a core's costs.
    (0..=len)
        .step_by(noccl_testkit::one_in(7))
        .for_each(|first| case.check(first, 3));
}

#[test]
fn a_run_that_stalls_or_fails_does_so_after_an_interruption() {
    let mut stalling = lists(7, 3);
    stalling[6].push(Operation::Load32(Port::Receive(2).address()));
    let mut failing = lists(7, 3);
    failing[6].push(Operation::Load32(Port::Send.address()));
    let (stalling, failing) = (Case::of(&stalling), Case::of(&failing));
    assert!(matches!(stalling.whole(), Err(RunError::Stall(_))));
    assert!(matches!(
        failing.whole(),
        Ok(Err(RankFault { rank: 6, .. }))
    ));
    for case in [stalling, failing] {
        let len = case.len();
        for eighth in 0..=8 {
            case.check(len * eighth / 8, 7);
        }
        // The fault is part of the state too.
        case.check(len + 1, 1);
    }
}

/// A run in its middle.
fn sample(case: &Case) -> Vec<u8> {
    let mut run = case.request().start().expect("is accepted");
    step(&mut run, 150).expect("does not stall");
    assert!(
        !run.outcome().is_ok_and(|run| run.cycles > 0),
        "worth saving"
    );
    save::<ExecutedRequest<'_>>(&run)
}

/// As for schedules: another state or another simulator is another format.
#[test]
fn the_format_number_stands_for_these_bytes() {
    let found = (FORMAT, digest(&sample(&Case::of(&lists(11, 6)))));
    assert_eq!(found, (19, 0x87ae_a242_3735_4ade), "{found:#x?}");
}

#[test]
fn files_hold_what_ranks_have_written_and_not_their_memories() {
    let bytes = sample(&Case::of(&lists(11, 6))).len() as u64;
    let memories = MEMORY_BYTES * u64::from(RANKS);
    assert!((1000..memories / 2).contains(&bytes), "{bytes}");
    let nothing = Case::of(&vec![Vec::new(); RANKS.into()]);
    let run = nothing.request().start().expect("is accepted");
    let bytes = save::<ExecutedRequest<'_>>(&run).len();
    assert!(bytes < 20_000, "{bytes}");
}

#[test]
fn a_truncated_extended_or_changed_checkpoint_is_refused() {
    let case = Case::of(&lists(11, 6));
    refuses_damage(&case.request(), &sample(&case), 4001);
}

#[test]
fn contents_that_no_run_has_written_are_refused_or_loaded_but_never_a_panic() {
    let case = Case::of(&lists(11, 6));
    let refused = refused_contents(&case.request(), &sample(&case), 403);
    assert!(refused > 0, "no length was hit");
}

#[test]
fn a_checkpoint_on_another_network_or_memory_is_refused_by_its_lengths() {
    let case = Case::of(&lists(11, 6));
    let sound = sample(&case);
    let other = network("tilepro64_5x4");
    let request = case.request();
    let fewer = &case.places[..15];
    let others = [
        ExecutedRequest {
            network: &other,
            ..request
        },
        ExecutedRequest {
            places: fewer,
            ..request
        },
        ExecutedRequest {
            memory_bytes: 0x2_2000,
            ..request
        },
    ];
    for (other, words) in others.iter().zip(["tiles", "ranks", "memory"]) {
        let refused = saved::load(other, &sound).err().expect("is refused");
        assert!(
            matches!(refused, CheckpointError::Damaged { .. }),
            "{refused}"
        );
        assert!(refused.to_string().contains(words), "{refused}");
    }
}

#[test]
fn a_checkpoint_of_another_run_is_refused_and_says_what_differs() {
    let (case, other) = (Case::of(&lists(1, 2)), Case::of(&lists(2, 2)));
    let (of, request) = (Identity::of_program, case.request());
    let own = of(&request);
    let network = network("tilepro64_5x4");
    let costs = Program::new(case.program.image().clone(), &CostTable::uniform(2));
    let costs = costs.expect("the program is sound");
    let config = RunConfig {
        max_cycles: 1000,
        ..case.config.clone()
    };
    let others = [
        (
            ExecutedRequest {
                network: &network,
                ..request
            },
            Part::Spec,
        ),
        (other.request(), Part::Program),
        (
            ExecutedRequest {
                places: &case.places[..15],
                ..request
            },
            Part::Ranks,
        ),
        (
            ExecutedRequest {
                program: &costs,
                ..request
            },
            Part::Costs,
        ),
        (
            ExecutedRequest {
                memory_bytes: 1 << 20,
                ..request
            },
            Part::Memory,
        ),
        (
            ExecutedRequest {
                config: &config,
                ..request
            },
            Part::Limits,
        ),
    ];
    for (other, part) in others {
        assert_eq!(
            own.compare(&of(&other)),
            Err(CheckpointError::Differs(part))
        );
    }
    assert_eq!(own.compare(&of(&request)), Ok(()));
}
