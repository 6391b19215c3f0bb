// SPDX-License-Identifier: Apache-2.0
//! Searched schedules beside the library's, on groups side by side and around faults, within their time.

use noccl_net::{Network, TileRef};
use noccl_run::Watch;
use noccl_studies::{
    CompareRequest, SearchEnd, SynthRequest, compare, parse_faulty_link, parse_group,
    parse_time_limit, synth,
};
use noccl_testkit::schedules::KINDS;
use noccl_testkit::{assert_says, network, one_in};
use noccl_workload::{CollectiveKind, Place, check};
use std::time::{Duration, Instant};

fn request(network: &Network, kind: CollectiveKind, group: &str, bytes: u64) -> SynthRequest {
    let groups = vec![parse_group(network, group).unwrap()];
    SynthRequest {
        time_limit: Duration::from_secs(300),
        ..SynthRequest::new(kind, groups, bytes)
    }
}

#[test]
fn nothing_of_a_comparison_is_faster_by_more_than_two_percent() {
    let network = network("collective_noc_4x4");
    let mut case = 0;
    for kind in &KINDS[..6] {
        let kind = *kind;
        // Groups rotate.
        let groups = [("all", 4096), ("0,0,3,2", 512), ("row:1", 2048)].into_iter();
        let every = one_in(3);
        case += 1;
        for (group, bytes) in groups.skip(case % every).step_by(every) {
            let mut asked = request(&network, kind, group, bytes);
            asked.is_software = true;
            asked.tries = Some(200);
            let (report, schedule) = synth(&network, &asked, Watch::quiet()).unwrap();
            assert!(report.verified.is_yes());
            check(&network, &schedule).unwrap();
            let compared = CompareRequest::new(kind, asked.groups[0].clone(), vec![bytes]);
            let rows = compare(&network, &compared, Watch::quiet()).unwrap().rows;
            let software = rows.iter().filter(|row| !row.is_in_network);
            let best = software.map(|row| row.cycles).min().unwrap();
            let name = format!("{kind} {group} {bytes}: {} against {best}", report.cycles);
            assert!(report.cycles * 100 <= best * 102, "{name}");
            assert!(report.cycles >= report.lower_bound_cycles, "{name}");
            assert_eq!(report.num_untried, 0, "{name}");
        }
    }
}

/// What the network does by itself is searched, too.
#[test]
fn with_the_network_nothing_is_slower_than_in_the_network() {
    let network = network("collective_noc_4x4");
    let mut asked = request(&network, CollectiveKind::AllReduce, "all", 2048);
    asked.tries = Some(80);
    let (report, _) = synth(&network, &asked, Watch::quiet()).unwrap();
    assert!(report.library.unwrap().algorithm.starts_with("in_network"));
    assert!(report.cycles < report.software_bound_cycles + 100);
}

/// Long blocks on 3×3: each tile has to receive the others' through one port, which no schedule can do in less; what is left above that
/// are the first message's path and the addresses between beats.
#[test]
fn on_3x3_a_long_all_gather_takes_what_its_ports_take() {
    let network = network("collective_noc_3x3");
    let mut asked = request(&network, CollectiveKind::AllGather, "all", 8192);
    asked.tries = Some(150);
    asked.is_software = true;
    let (report, _) = synth(&network, &asked, Watch::quiet()).unwrap();
    let beats = 8 * 8192 / 64;
    let addresses = 8 * 8192 / 4096;
    assert!(report.cycles >= beats);
    assert!(report.cycles <= beats + addresses + 60, "{}", report.cycles);
}

#[test]
fn groups_run_side_by_side_and_every_byte_is_compared() {
    let network = network("collective_noc_4x4");
    for kind in [CollectiveKind::AllReduce, CollectiveKind::Multicast] {
        let mut asked = request(&network, kind, "0,0,2,4", 1024);
        asked.groups.push(parse_group(&network, "2,0,2,4").unwrap());
        asked.tries = Some(120);
        let (report, schedule) = synth(&network, &asked, Watch::quiet()).unwrap();
        assert!(report.verified.is_yes());
        assert_eq!((report.groups.len(), report.roots.len()), (2, 2));
        assert!(schedule.collective.is_none());
        check(&network, &schedule).unwrap();
        let alone = SynthRequest {
            groups: vec![asked.groups[0].clone()],
            ..asked.clone()
        };
        let (alone, _) = synth(&network, &alone, Watch::quiet()).unwrap();
        assert!(
            report.cycles <= 2 * alone.cycles,
            "{} {}",
            report.cycles,
            alone.cycles
        );
    }
}

#[test]
fn faults_are_avoided_by_relays_outside_the_group() {
    let network = network("collective_noc_4x4");
    let mut asked = request(&network, CollectiveKind::AllGather, "row:1", 512);
    asked.faulty_links = vec![parse_faulty_link("1,1-2,1").unwrap()];
    asked.tries = Some(60);
    let (report, schedule) = synth(&network, &asked, Watch::quiet()).unwrap();
    assert!(report.verified.is_yes());
    assert_eq!(report.faults, ["1,1-2,1"]);
    let outside = |place: &Place| matches!(place.tile, TileRef::Cluster(c) if c.y != 1);
    let sources = schedule.actions.iter().filter_map(|a| a.kind.transfer());
    assert!(sources.map(|t| t.source).any(|place| outside(&place)));
}

#[test]
fn a_search_ends_in_time_and_an_interrupted_one_leaves_its_best() {
    let network = network("collective_noc_8x8");
    let mut asked = request(&network, CollectiveKind::Multicast, "all", 32_768);
    asked.time_limit = Duration::from_millis(1500);
    let start = Instant::now();
    let (report, _) = synth(&network, &asked, Watch::quiet()).unwrap();
    // The proof and the run with bytes come after the limit.
    assert!(
        start.elapsed() < Duration::from_secs(30),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(report.end, SearchEnd::TimeLimit);
    asked.time_limit = Duration::from_secs(300);
    let until = Instant::now() + Duration::from_millis(1500);
    let on_step = |_| Instant::now() < until;
    let (report, _) = synth(&network, &asked, Watch::new(&on_step)).unwrap();
    assert_eq!(report.end, SearchEnd::Interrupted);
    assert!(report.verified.is_yes());
    let never = synth(&network, &asked, Watch::new(&|_| false));
    assert!(never.unwrap_err().to_string().contains("interrupted"));
}

#[test]
fn bad_requests_are_refused_with_what_is_accepted() {
    let network = network("collective_noc_4x4");
    let good = request(&network, CollectiveKind::Reduce, "all", 64);
    let refused = |change: &dyn Fn(&mut SynthRequest)| {
        let mut asked = good.clone();
        change(&mut asked);
        let found = synth(&network, &asked, Watch::quiet());
        found.unwrap_err().to_string()
    };
    let barrier = refused(&|r| r.collective = CollectiveKind::Barrier);
    assert_says(&barrier, &["accepted: collectives that move data"]);
    let no_time = refused(&|r| r.time_limit = Duration::ZERO);
    assert!(no_time.contains("accepted: a time above 0"), "{no_time}");
    assert_says(refused(&|r| r.tries = Some(0)), &["accepted: 1 or more"]);
    let no_groups = refused(&|r| r.groups.clear());
    assert_says(&no_groups, &["accepted: at least one group"]);
    assert_says(refused(&|r| r.bytes = 80_000), &["cluster.l1_bytes"]);
    let odd = refused(&|r| r.bytes = 63);
    assert!(odd.contains("accepted: a multiple of the element"), "{odd}");
    for text in ["0", "0s", "-1s", "nan", "1h", "", "1e300"] {
        let error = parse_time_limit(text).unwrap_err().to_string();
        assert!(
            error.contains("accepted: a time above 0"),
            "{text}: {error}"
        );
    }
    for text in ["1,1", "1,1-x", "mem:-0,0", ""] {
        let error = parse_faulty_link(text).unwrap_err().to_string();
        assert!(
            error.contains("accepted: two neighbouring tiles"),
            "{text}: {error}"
        );
    }
    assert_eq!(
        parse_time_limit("500ms").unwrap(),
        Duration::from_millis(500)
    );
    assert_eq!(parse_time_limit("2min").unwrap(), Duration::from_secs(120));
    assert_eq!(
        parse_time_limit("1.5").unwrap(),
        Duration::from_millis(1500)
    );
}
