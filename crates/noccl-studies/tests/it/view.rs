// SPDX-License-Identifier: Apache-2.0
//! Recorded runs: windows are the crossings of the simulator's record, totals and cycles those of other verbs.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use noccl_net::LinkId;
use noccl_run::{CycleRecord, FlitPlace, Mode, RunConfig};
use noccl_sim::run_schedule_recorded;
use noccl_studies::{
    CompareRequest, Error, LinkTrace, MAX_WINDOWS, Verified, View, ViewRequest, Watch, compare,
    load, parse_algorithms, parse_collective, parse_group, schedule, view, view_options,
    view_schedule,
};
use std::collections::BTreeMap;

fn request(network: &str, collective: &str, bytes: &str, algorithm: &str) -> ViewRequest {
    ViewRequest {
        network: network.to_owned(),
        collective: collective.to_owned(),
        bytes: bytes.to_owned(),
        algorithm: algorithm.to_owned(),
        element: "int32".to_owned(),
        ..ViewRequest::default()
    }
}

fn seen(request: &ViewRequest) -> View {
    view(request, Watch::quiet()).unwrap()
}

/// Flits by link: plane, from, to.
type Flits = BTreeMap<(String, [u16; 2], [u16; 2]), u32>;

/// Flits per window and link, from the trace: plane, from, to.
fn windows(trace: &LinkTrace) -> Vec<Flits> {
    let bytes = STANDARD.decode(&trace.windows).unwrap();
    let mut at = 0;
    let mut number = || {
        let mut read = 0;
        for shift in (0..).step_by(7) {
            let byte = bytes[at];
            at += 1;
            read |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        read
    };
    let mut all = Vec::new();
    for _ in 0..trace.num_windows {
        let mut index = 0;
        let mut window = BTreeMap::new();
        for _ in 0..number() {
            index += number();
            let link = &trace.links[index as usize];
            let flits = number();
            window.insert((link.plane.name().to_owned(), link.from, link.to), flits);
        }
        all.push(window);
    }
    assert_eq!(at, bytes.len());
    all
}

/// Flits of all windows together.
fn flits(trace: &LinkTrace) -> u64 {
    let all = windows(trace);
    all.iter()
        .flat_map(|w| w.values())
        .map(|f| u64::from(*f))
        .sum()
}

#[test]
fn windows_of_a_cycle_are_the_crossings_of_the_record() {
    for algorithm in ["in_network", "ring", "point_to_point:rings"] {
        let of = request("collective_noc_4x4", "all_reduce", "2KiB", algorithm);
        let trace = seen(&of).trace;
        assert_eq!(trace.window_cycles, 1);
        let network = load("collective_noc_4x4", &[]).unwrap().network;
        let group = parse_group(&network, "all").unwrap();
        let mut compared =
            CompareRequest::new(parse_collective("all_reduce").unwrap(), group, vec![2048]);
        compared.element = noccl_studies::parse_element("int32").unwrap();
        let choice = parse_algorithms(algorithm).unwrap()[0];
        let watch = Watch::quiet();
        let schedule = schedule(&network, &compared, 2048, choice, watch).unwrap();
        let mut crossed: BTreeMap<(u64, LinkId), u32> = BTreeMap::new();
        let mut on_cycle = |record: &CycleRecord| {
            for handshake in &record.handshakes {
                if let FlitPlace::Crosses(port) = handshake.place {
                    let link = LinkId::new(handshake.plane, handshake.tile, port);
                    *crossed.entry((record.cycle, link)).or_insert(0) += 1;
                }
            }
        };
        let config = RunConfig::new(Mode::Timing);
        run_schedule_recorded(&network, &schedule, &[], &config, &mut on_cycle).unwrap();
        let mut expected = vec![BTreeMap::new(); trace.num_windows as usize];
        for ((cycle, link), flits) in crossed {
            let from = network.coord(link.tile);
            let to = network.neighbour(from, link.port).unwrap();
            let key = (link.plane.name().to_owned(), [from.x, from.y], [to.x, to.y]);
            expected[cycle as usize].insert(key, flits);
        }
        assert_eq!(windows(&trace), expected, "{algorithm}");
    }
}

#[test]
fn totals_and_cycles_are_those_of_compare() {
    for (preset, collective, algorithm) in [
        ("collective_noc_4x4", "multicast", "in_network"),
        ("collective_noc_8x8_bypass", "reduce", "in_network"),
        ("smart_8x8", "all_reduce", "in_network"),
        ("torrent_4x5", "multicast", "chainwrite"),
        ("tilepro64_4x4", "all_to_all", "rounds"),
        ("esp_4x5", "multicast", "auto"),
    ] {
        let view = seen(&request(preset, collective, "1KiB", algorithm));
        let network = load(preset, &[]).unwrap().network;
        let group = parse_group(&network, "all").unwrap();
        let mut compared =
            CompareRequest::new(parse_collective(collective).unwrap(), group, vec![1024]);
        compared.element = noccl_studies::parse_element("int32").unwrap();
        compared.algorithms = parse_algorithms(algorithm).unwrap();
        compared.has_links = true;
        let rows = compare(&network, &compared, Watch::quiet()).unwrap().rows;
        let row = rows.iter().min_by_key(|row| row.cycles).unwrap();
        assert_eq!(view.cycles, Some(row.cycles), "{preset}");
        assert_eq!(
            view.lower_bound_cycles,
            Some(row.lower_bound_cycles),
            "{preset}"
        );
        assert_eq!(view.verified, Verified::Yes, "{preset}");
        let totals: u64 = view.trace.links.iter().map(|link| link.flits).sum();
        assert_eq!(totals, view.counters.flit_hops, "{preset}");
        let expected: u64 = row.links.iter().map(|link| link.flits).sum();
        assert_eq!(totals, expected, "{preset}");
        let traced = flits(&view.trace);
        assert_eq!(traced, totals, "{preset}");
    }
}

#[test]
fn long_runs_have_longer_windows_and_the_same_totals() {
    let long = seen(&request(
        "collective_noc_4x4",
        "all_reduce",
        "32KiB",
        "chain:1",
    ));
    let trace = &long.trace;
    assert!(long.cycles.unwrap() > MAX_WINDOWS as u64);
    assert!(
        trace.num_windows as usize <= MAX_WINDOWS && trace.num_windows as usize > MAX_WINDOWS / 4
    );
    assert!(trace.window_cycles.is_power_of_two() && trace.window_cycles > 1);
    let traced = flits(trace);
    assert_eq!(traced, long.counters.flit_hops);
    let most = windows(trace)
        .iter()
        .flat_map(|w| w.values().copied().collect::<Vec<_>>())
        .max();
    assert!(u64::from(most.unwrap()) <= trace.window_cycles);
}

#[test]
fn a_deadlock_is_a_picture_of_its_waits() {
    let stalled = seen(&request(
        "collective_noc_4x4_published",
        "all_gather",
        "4KiB",
        "in_network",
    ));
    let waits = stalled.stall.unwrap().waits;
    assert_eq!(stalled.cycles, None);
    assert_eq!(stalled.verified, Verified::NotChecked);
    assert!(waits.len() >= 2);
    assert!(
        stalled
            .actions
            .iter()
            .any(|action| action.finish_cycle.is_none())
    );
}

#[test]
fn a_schedule_is_shown_as_its_collective_is() {
    let of = request("collective_noc_4x4", "reduce", "2KiB", "tree:2");
    let by_request = seen(&of);
    let network = load("collective_noc_4x4", &[]).unwrap().network;
    let group = parse_group(&network, "all").unwrap();
    let mut compared = CompareRequest::new(parse_collective("reduce").unwrap(), group, vec![2048]);
    compared.element = noccl_studies::parse_element("int32").unwrap();
    let algorithm = parse_algorithms("tree:2").unwrap()[0];
    let mut made = schedule(&network, &compared, 2048, algorithm, Watch::quiet()).unwrap();
    let on_network = ViewRequest::default();
    let shown = view_schedule(&on_network, &made, Watch::quiet()).unwrap();
    assert_eq!(shown.trace, by_request.trace);
    assert_eq!(shown.tiles, by_request.tiles);
    assert_eq!(shown.lower_bound_cycles, by_request.lower_bound_cycles);
    assert_eq!(shown.verified, Verified::Yes);
    assert_eq!(
        (
            shown.request.collective.as_str(),
            shown.request.bytes.as_str()
        ),
        ("reduce", "2048")
    );
    made.collective = None;
    let unclaimed = view_schedule(&on_network, &made, Watch::quiet()).unwrap();
    assert_eq!(unclaimed.trace, by_request.trace);
    assert_eq!(unclaimed.tiles, by_request.tiles);
    assert_eq!(unclaimed.lower_bound_cycles, None);
    assert_eq!(unclaimed.verified, Verified::NotChecked);
    let small = request("collective_noc_3x5", "reduce", "2KiB", "auto");
    let error = view_schedule(&small, &made, Watch::quiet()).unwrap_err();
    assert!(error.to_string().contains("3,"), "{error}");
}

#[test]
fn options_are_what_runs() {
    for preset in [
        "collective_noc_4x4",
        "smart_8x8",
        "torrent_4x5",
        "tilepro64_4x4",
    ] {
        let of = request(preset, "multicast", "1KiB", "auto");
        let options = view_options(&of).unwrap();
        assert!(options.algorithms.len() > 1, "{preset}");
        for algorithm in &options.algorithms {
            let one = ViewRequest {
                algorithm: algorithm.clone(),
                ..of.clone()
            };
            assert_eq!(seen(&one).verified, Verified::Yes, "{preset} {algorithm}");
        }
    }
}

#[test]
fn a_spec_may_be_a_text() {
    let text = noccl_spec::preset_text("collective_noc_3x5").unwrap();
    let by_text = seen(&request(&text, "reduce", "1KiB", "in_network"));
    let by_name = seen(&request(
        "collective_noc_3x5",
        "reduce",
        "1KiB",
        "in_network",
    ));
    assert_eq!(by_text.trace, by_name.trace);
    assert_eq!(by_text.tiles.len(), 20);
    assert_eq!(
        by_text.tiles.iter().filter(|tile| tile.is_member).count(),
        15
    );
}

#[test]
fn wrong_requests_say_what_is_accepted() {
    let wrong: [(&str, ViewRequest); 5] = [
        ("preset", request("nothing", "reduce", "1KiB", "auto")),
        (
            "accepted",
            request("collective_noc_4x4", "reduces", "1KiB", "auto"),
        ),
        (
            "a whole number",
            request("collective_noc_4x4", "reduce", "many", "auto"),
        ),
        (
            "--algorithm",
            request("collective_noc_4x4", "reduce", "1KiB", "ring,tree"),
        ),
        (
            "flow = 3",
            request("[router]\nflow = 3\n", "reduce", "1KiB", "auto"),
        ),
    ];
    for (expected, one) in wrong {
        let error: Error = view(&one, Watch::quiet()).unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
