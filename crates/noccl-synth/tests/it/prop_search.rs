// SPDX-License-Identifier: Apache-2.0
//! Random groups, sizes, collectives and faults: every schedule that a search makes is proved, moves what is asked for, and meets no fault.

use crate::common::{Proving, collective, network, problem, settings};
use noccl_net::{Coord, Network, TileRef};
use noccl_synth::{Faults, search};
use noccl_testkit::schedules::KINDS;
use noccl_workload::CollectiveKind;
use proptest::prelude::*;

/// Some clusters of 4×4 as a set, from a mask.
fn group(mask: u16) -> String {
    let members = (0..16).filter(|bit| mask >> bit & 1 == 1);
    let members: Vec<String> = members
        .map(|bit| format!("{},{}", bit / 4, bit % 4))
        .collect();
    format!("set:{}", members.join(";"))
}

fn cluster(number: u16) -> TileRef {
    noccl_testkit::cluster(number / 4, number % 4)
}

/// Faulty links between neighbouring clusters.
fn faults(network: &Network, numbers: &[u16]) -> Faults {
    let links: Vec<(TileRef, TileRef)> = numbers
        .iter()
        .map(|number| {
            let (x, y) = (number % 3, number / 3 % 4);
            let along_x = (Coord::new(x, y), Coord::new(x + 1, y));
            let along_y = (Coord::new(y, x), Coord::new(y, x + 1));
            let (a, b) = if *number < 12 { along_x } else { along_y };
            (TileRef::Cluster(a), TileRef::Cluster(b))
        })
        .collect();
    Faults::new(network, &links, &[]).unwrap()
}

proptest! {
    #![proptest_config(noccl_testkit::config(10, 40))]

    #[test]
    fn every_schedule_is_proved_and_meets_no_fault(
        kind in prop::sample::select(KINDS[..6].to_vec()),
        mask in 1_u16..,
        root in 0_u16..17,
        elements in 1_u64..300,
        broken in prop::collection::vec(0_u16..24, 0..3),
        seed in any::<u64>(),
    ) {
        let network = network("collective_noc_4x4");
        let root = if root < 16 { cluster(root) } else { TileRef::Memory(1) };
        let asked = collective(&network, kind, &group(mask), root, elements * 8);
        let faults = faults(&network, &broken);
        let found = problem(&network, vec![asked], faults.clone());
        // Three broken links can cut a corner off.
        prop_assume!(found.is_ok());
        let problem = found.unwrap();
        let mut evaluator = Proving::new(&network, faults);
        let found = search(&problem, settings(seed, 40), &mut evaluator).unwrap();
        prop_assert!(!found.best.is_empty());
        prop_assert!(evaluator.num_proved > 0);
        let cycles: Vec<u64> = found.best.iter().map(|c| c.rating.cycles).collect();
        prop_assert!(cycles.is_sorted(), "{:?}", cycles);
        if let Some(library) = &found.library {
            prop_assert!(cycles[0] <= library.rating.cycles);
        }
    }
}

#[test]
fn the_same_seed_finds_the_same_schedule() {
    let network = network("collective_noc_4x4");
    let asked = || collective(&network, CollectiveKind::Multicast, "all", cluster(0), 4096);
    let run = |seed| {
        let problem = problem(&network, vec![asked()], Faults::default()).unwrap();
        let mut evaluator = Proving::new(&network, Faults::default());
        let found = search(&problem, settings(seed, 120), &mut evaluator).unwrap();
        let all: Vec<_> = found
            .best
            .into_iter()
            .map(|c| (c.name, c.schedule))
            .collect();
        all
    };
    assert_eq!(run(5), run(5));
    assert_ne!(run(5), run(6));
}
