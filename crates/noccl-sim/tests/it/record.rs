// SPDX-License-Identifier: Apache-2.0
//! Laws of the record of a run's cycles.

use crate::common::{cluster, network, stalling};
use noccl_net::Port;
use noccl_run::{FlitPlace, Handshake, Mode, RecordedKind, RunConfig, RunResult};
use noccl_sim::{run_trace, run_trace_recorded};
use noccl_testkit::random::random_trace;
use noccl_testkit::traces::{entry, narrow_write, trace};
use noccl_workload::Trace;

const PRESET: &str = "collective_noc_4x4";

fn with_stalls(mode: Mode) -> RunConfig {
    RunConfig {
        stalls: Some(stalling(80, 40)),
        ..RunConfig::new(mode)
    }
}

fn record(trace: &Trace, config: &RunConfig) -> (RunResult, Vec<(u64, Handshake)>) {
    let mut all = Vec::new();
    let net = network(PRESET);
    let mut sink = |record: &noccl_run::CycleRecord| {
        all.extend(record.handshakes.iter().map(|h| (record.cycle, h.clone())));
    };
    let result = run_trace_recorded(&net, trace, config, &mut sink).expect("the trace completes");
    (result, all)
}

#[test]
fn a_recorded_run_is_the_same_run() {
    for mode in [Mode::Value, Mode::Timing] {
        let net = network(PRESET);
        let trace = random_trace(&net, 7, 200, 800);
        let plain =
            run_trace(&net, &trace, &with_stalls(mode), &mut |_| true).expect("it completes");
        assert_eq!(record(&trace, &with_stalls(mode)).0, plain);
    }
}

#[test]
fn every_hop_is_recorded_once() {
    let trace = random_trace(&network(PRESET), 8, 200, 800);
    let (result, all) = record(&trace, &with_stalls(Mode::Value));
    let crosses = |h: &&(u64, Handshake)| matches!(h.1.place, FlitPlace::Crosses(_));
    let hops = all.iter().filter(crosses).count();
    assert_eq!(hops as u64, result.counters.flit_hops);
}

#[test]
fn a_refused_flit_is_offered_again_in_the_next_cycle() {
    let trace = random_trace(&network(PRESET), 9, 200, 800);
    let (_, all) = record(&trace, &with_stalls(Mode::Value));
    let mut num_refused = 0;
    for (cycle, refused) in all.iter().filter(|(_, h)| h.place == FlitPlace::Refused) {
        num_refused += 1;
        let is_next = |(at, h): &&(u64, Handshake)| {
            let is_offer = matches!(h.place, FlitPlace::Refused | FlitPlace::Leaves);
            *at == cycle + 1 && (h.plane, h.tile) == (refused.plane, refused.tile) && is_offer
        };
        let (_, next) = all.iter().find(is_next).expect("it is still offered");
        assert_eq!(next.flit, refused.flit);
    }
    assert!(num_refused > 100, "{num_refused} refusals are too few");
}

/// A unicast flit needs two cycles per router, and crosses the links of its XY path.
#[test]
fn an_unloaded_write_is_seen_at_every_port_of_its_path() {
    let kind = narrow_write(cluster(0, 0), cluster(1, 1));
    let trace = trace(vec![entry(vec![Some(5)], kind)]);
    let (_, all) = record(&trace, &RunConfig::new(Mode::Value));
    let request = all
        .iter()
        .filter(|(_, h)| h.flit.kind == RecordedKind::Write)
        .map(|(cycle, h)| (*cycle, h.place));
    let expected = [
        (5, FlitPlace::Enters),
        (7, FlitPlace::Crosses(Port::East)),
        (9, FlitPlace::Crosses(Port::North)),
        (11, FlitPlace::Leaves),
    ];
    assert_eq!(request.collect::<Vec<_>>(), expected);
}
