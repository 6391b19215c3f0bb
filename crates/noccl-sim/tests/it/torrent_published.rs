// SPDX-License-Identifier: Apache-2.0
//! Where published Torrent endpoints deadlock, that the checker refuses it, and what the diagnosis of a run without it says.

use crate::common::chains::{apart, schedule};
use crate::common::{network, run_alone, stalled};
use noccl_net::Coord;
use noccl_run::{Diagnosis, Mode, RunConfig, WaitEdge};
use noccl_workload::Chain;

/// Why a set of chains cannot finish with published endpoints.
fn wedge(chains: &[Chain]) -> Diagnosis {
    let net = network("torrent_4x5_published");
    let schedule = schedule(chains);
    let refused = noccl_workload::check(&net, &schedule);
    assert!(refused.is_err(), "accepted: {refused:?}");
    stalled(run_alone(&net, &schedule, &RunConfig::new(Mode::Timing)))
}

/// Every wait of a cycle is on the next one's waiter, the last on the first.
fn is_cycle(diagnosis: &Diagnosis) -> bool {
    let waits = &diagnosis.waits;
    let next = waits.iter().cycle().skip(1);
    waits.len() > 1 && waits.iter().zip(next).all(|(w, n)| w.awaited == n.waiter)
}

#[test]
fn published_endpoints_deadlock_on_followers_in_opposite_orders_and_name_the_cycle() {
    let at = Coord::new;
    let destinations = [at(1, 1), at(2, 2), at(3, 1)];
    let mut back = destinations;
    back.reverse();
    let diagnosis = wedge(&[
        apart(0, at(0, 0), &destinations, 6400),
        apart(1, at(4, 3), &back, 6400),
    ]);
    assert!(is_cycle(&diagnosis), "{diagnosis}");
    assert_eq!(
        diagnosis.summary,
        "deadlock of the chains: the chain of action #0 from cluster (0,0) and the chain of action #1 from cluster \
         (4,3) wait for each other"
    );
    let places: Vec<&str> = diagnosis.waits.iter().map(|w| w.place.as_str()).collect();
    assert_eq!(
        places,
        [
            "the endpoint of cluster (3,1), which serves that one",
            "the endpoint of cluster (1,1), which serves that one"
        ]
    );
}

#[test]
fn published_endpoints_deadlock_on_initiators_that_are_each_others_middle_destinations() {
    let at = Coord::new;
    let diagnosis = wedge(&[
        apart(0, at(0, 0), &[at(4, 0), at(1, 1)], 6400),
        apart(1, at(4, 0), &[at(0, 0), at(3, 1)], 6400),
    ]);
    assert!(is_cycle(&diagnosis), "{diagnosis}");
    let reads = |w: &WaitEdge| w.place.ends_with("whose reader is busy with its own");
    assert!(diagnosis.waits.iter().all(reads), "{diagnosis}");
}

/// The AW of the last segment takes the links that the first segment's needs, and its data has to come through there.
#[test]
fn published_endpoints_deadlock_on_segments_that_share_a_link() {
    let at = |x| Coord::new(x, 1);
    let diagnosis = wedge(&[apart(0, at(0), &[at(4), at(1), at(3)], 0x4000)]);
    assert!(is_cycle(&diagnosis), "{diagnosis}");
    let holds = |w: &WaitEdge| w.place.starts_with("link wide") && w.place.ends_with("holds");
    assert!(diagnosis.waits.iter().any(holds), "{diagnosis}");
}

#[test]
fn published_endpoints_never_send_a_single_beat_and_say_so() {
    let at = Coord::new;
    let diagnosis = wedge(&[apart(0, at(0, 0), &[at(0, 1), at(1, 1)], 64)]);
    let never = "a burst of one beat, which the published endpoint never sends";
    assert!(diagnosis.summary.contains(never), "{diagnosis}");
}
