// SPDX-License-Identifier: Apache-2.0
//! `noccl order`: a set of destinations, random sets, and what it refuses.

use crate::common::{Folder, done, fails};
use noccl::study::{OrderDraw, OrderReport};

#[test]
fn a_source_among_its_destinations_gets_no_path_segment_and_every_order_a_row() {
    let run = done(
        &Folder::new(),
        "order --spec torrent_4x5 --destinations 0,0,3,2 --bytes 4KiB --json",
    );
    let report: OrderReport = serde_json::from_str(&run.stdout).unwrap();
    assert!(report.has_loopback);
    assert_eq!((report.num_destinations, report.multicast_hops), (5, 5));
    let names: Vec<&str> = report.rows.iter().map(|r| r.order.as_str()).collect();
    let all = noccl::collective::ChainOrder::ALL.map(noccl::collective::ChainOrder::name);
    assert_eq!(names, all);
    // Of the snakes through six clusters the one along the columns ends nearest to the source.
    let best = report.rows.iter().map(|r| r.cycles).min();
    let latency = report.rows.iter().find(|r| r.order == "latency").unwrap();
    assert_eq!(Some(latency.cycles), best);
    assert_eq!((latency.hops, latency.shared_links.len()), (5, 0));
    assert_eq!(latency.destinations.len(), 5);
}

#[test]
fn random_sets_are_the_same_each_time_and_others_with_another_seed() {
    let draws = |seed: u32| -> Vec<OrderDraw> {
        let run = done(
            &Folder::new(),
            &format!(
                "order --spec torrent_8x8 --counts 3,9 --draws 4 --seed {seed} --by id,nearest --json"
            ),
        );
        serde_json::from_str(&run.stdout).unwrap()
    };
    let once = draws(1);
    assert_eq!(once, draws(1));
    assert_ne!(once, draws(2));
    let counts: Vec<(u32, u32)> = once.iter().map(|d| (d.num_destinations, d.draw)).collect();
    assert_eq!(
        counts,
        [3, 9].map(|n| [0, 1, 2, 3].map(|d| (n, d))).concat()
    );
    for draw in once {
        assert_eq!(draw.destinations.len() as u32, draw.num_destinations);
        assert!(draw.multicast_hops <= draw.unicast_hops);
        assert_eq!(draw.hops.len(), 2);
    }
}

#[test]
fn means_of_all_clusters_are_those_of_the_one_set_there_is() {
    let run = done(
        &Folder::new(),
        "order --spec torrent_4x5 --counts 19 --draws 2 --by open_path",
    );
    let line = run
        .stdout
        .lines()
        .find(|l| l.trim().starts_with("19"))
        .unwrap();
    let cells: Vec<&str> = line.split_whitespace().collect();
    // Sum of x + y over 20 clusters: 70 of 19.
    assert_eq!(cells, ["19", "3.684", "1.000", "1.000"]);
}

#[test]
fn what_cannot_be_ordered_is_refused_with_what_would_be_accepted() {
    for (arguments, said) in [
        ("--by shortest", "open_path"),
        ("--source 9,9", "0"),
        ("--destinations 0,0,9,9", "5 x 4"),
        ("--counts 20", "1 to 19"),
        ("--counts 0", "1 to 19"),
    ] {
        let run = fails(
            &Folder::new(),
            2,
            &format!("order --spec torrent_4x5 {arguments}"),
        );
        assert!(run.stderr.contains(said), "{arguments}: {}", run.stderr);
    }
}
