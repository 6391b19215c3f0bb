// SPDX-License-Identifier: Apache-2.0
//! S3's chain and what it is compared with in one table: right everywhere, in the order that S3's protocol and the hardware allow; ESP's
//! cycles by the model's closed form.

use noccl_model::list_multicast_cycles;
use noccl_net::Coord;
use noccl_net::TileId;
use noccl_run::Watch;
use noccl_studies::{
    BaselineAlgorithm, BaselineRow, BaselinesRequest, Content, Error, Figure, baseline_figures,
    baselines,
};
use noccl_testkit::cases;

use noccl_workload::CollectiveKind;

const MULTICASTS: &[BaselineAlgorithm] = BaselineAlgorithm::of(CollectiveKind::Multicast);

fn request(size: (u16, u16), destinations: &[u32], bytes: &[u64]) -> BaselinesRequest {
    BaselinesRequest {
        size,
        destinations: destinations.to_vec(),
        bytes: bytes.to_vec(),
        ..BaselinesRequest::new()
    }
}

fn cycles(rows: &[BaselineRow], baseline: BaselineAlgorithm, num: u32, bytes: u64) -> u64 {
    let of =
        |r: &&BaselineRow| (r.algorithm, r.num_destinations, r.row.bytes) == (baseline, num, bytes);
    rows.iter().find(of).unwrap().row.cycles
}

#[test]
fn every_algorithm_is_right_and_none_beats_its_bounds() {
    let rows = baselines(&request((4, 5), &[1, 5, 19], &[64, 4000]), Watch::quiet()).unwrap_err();
    // A chain moves whole beats.
    assert!(rows.to_string().contains("multiple of 64"), "{rows}");
    let rows = baselines(&request((4, 5), &[1, 5, 19], &[64, 4096]), Watch::quiet())
        .unwrap()
        .rows;
    assert_eq!(rows.len(), 3 * 2 * MULTICASTS.len());
    for row in &rows {
        assert!(row.row.verified.is_yes(), "{row:?}");
        assert!(row.row.cycles >= row.row.payload_bound_cycles, "{row:?}");
        assert!(row.efficiency <= f64::from(row.num_destinations), "{row:?}");
        if row.algorithm == BaselineAlgorithm::Unicast {
            assert!(row.efficiency <= 1.0, "{row:?}");
        }
        let mesh = row.row.cluster_region;
        assert_eq!((mesh[2], mesh[3]), (5, 4), "{row:?}");
    }
    let figures = baseline_figures(&rows);
    assert_eq!(figures.len(), 2);
    let lines = |f: &Figure| match &f.content {
        Content::Panels(panels) => panels[0].lines.iter().map(|l| l.name.clone()).collect(),
        Content::Bars(_) => Vec::new(),
    };
    assert!(
        figures
            .iter()
            .all(|f| lines(f).contains(&"esp_calibrated".to_owned()))
    );
}

#[test]
fn copies_cost_per_destination_and_the_rest_once() {
    let big = u64::from(cases(16, 64)) << 10;
    let rows = baselines(&request((4, 5), &[4, 16], &[big]), Watch::quiet())
        .unwrap()
        .rows;
    let of = |baseline, num| cycles(&rows, baseline, num, big);
    assert!(of(BaselineAlgorithm::Unicast, 16) > 3 * of(BaselineAlgorithm::Unicast, 4));
    for baseline in [
        BaselineAlgorithm::Chainwrite,
        BaselineAlgorithm::EspHardwareOnly,
        BaselineAlgorithm::EspCalibrated,
    ] {
        assert!(
            of(baseline, 16) < of(BaselineAlgorithm::Unicast, 16) / u64::from(cases(2, 4)),
            "{baseline:?}"
        );
    }
    // 82 cycles per destination against 3, or 100, per consumer.
    let further = |baseline| of(baseline, 16) - of(baseline, 4);
    assert!((12 * 75..=12 * 90).contains(&further(BaselineAlgorithm::Chainwrite)));
    assert!(further(BaselineAlgorithm::ChainwriteParallel) < 12 * 45);
    assert!(further(BaselineAlgorithm::EspHardwareOnly) < 12 * 5);
    assert!((12 * 95..=12 * 105).contains(&further(BaselineAlgorithm::EspCalibrated)));
}

#[test]
fn reductions_and_barriers_are_right_by_every_mechanism() {
    for (collective, bytes) in [
        (CollectiveKind::Reduce, &[64, 1024][..]),
        (CollectiveKind::Barrier, &[64, 1024]),
    ] {
        let mut asked = request((4, 4), &[], bytes);
        asked.collective = collective;
        asked.set = Some("all".to_owned());
        let rows = baselines(&asked, Watch::quiet()).unwrap().rows;
        let algorithms = BaselineAlgorithm::of(collective);
        let is_barrier = collective == CollectiveKind::Barrier;
        let sizes = if is_barrier { 1 } else { bytes.len() };
        assert_eq!(rows.len(), sizes * algorithms.len());
        for row in &rows {
            assert!(row.row.verified.is_yes() || is_barrier, "{row:?}");
            assert!(row.row.cycles >= row.row.lower_bound_cycles, "{row:?}");
            // Core tiles have no cost per event: their energy is unknown, not 0.
            let is_unknown = row.algorithm == BaselineAlgorithm::Cores;
            assert_eq!(row.num_destinations, 15);
            assert_eq!(row.row.energy_pj.is_none(), is_unknown, "{row:?}");
            let has_energy = row.row.energy_pj.is_some_and(|pj| pj > 0.0);
            assert_eq!(has_energy, !is_barrier && !is_unknown, "{row:?}");
        }
        // In the network, whichever, it is faster than by software; wide flits are no slower than narrow ones.
        let of = |algorithm| cycles(&rows, algorithm, 15, rows[0].row.bytes);
        let smart = of(BaselineAlgorithm::Smart16Bytes);
        assert!(of(BaselineAlgorithm::Smart64Bytes) <= smart);
        assert!(smart < of(BaselineAlgorithm::InNetwork));
        assert!(of(BaselineAlgorithm::InNetwork) < of(algorithms[0]));
        assert!(of(BaselineAlgorithm::InNetworkBypass) < of(BaselineAlgorithm::InNetwork));
        // The same operands over the same links, and the same prices.
        let energy = |algorithm| {
            rows.iter()
                .find(|r| r.algorithm == algorithm)
                .unwrap()
                .row
                .energy_pj
                .unwrap()
        };
        let (ours, others) = (
            energy(BaselineAlgorithm::Smart64Bytes),
            energy(BaselineAlgorithm::InNetwork),
        );
        assert!(
            (ours - others).abs() < 1e-6 * others.max(1.0),
            "{ours} {others}"
        );
    }
}

/// A path of a cycle for all hops of a dimension, and flits of 16 bytes with a head for every four: short payloads are there sooner than
/// anywhere else, and long ones take five cycles per beat.
#[test]
fn flits_of_s2_are_first_with_short_payloads_and_as_long_as_others_with_their_width() {
    let rows = baselines(&request((4, 5), &[16], &[64, 64 << 10]), Watch::quiet())
        .unwrap()
        .rows;
    let of = |algorithm, bytes| cycles(&rows, algorithm, 16, bytes);
    let first = rows
        .iter()
        .filter(|r| r.row.bytes == 64)
        .min_by_key(|r| r.row.cycles);
    assert_eq!(first.unwrap().algorithm, BaselineAlgorithm::Smart64Bytes);
    let long = of(BaselineAlgorithm::Smart16Bytes, 64 << 10);
    assert!(long > 4 * of(BaselineAlgorithm::InNetwork, 64 << 10));
}

/// One aligned block is one multi-address: S1's routers send the payload once.
#[test]
fn a_block_is_as_good_to_masks_as_to_lists() {
    let mut asked = request((4, 5), &[], &[64 << 10]);
    asked.set = Some("0,0,4,4".to_owned());
    let rows = baselines(&asked, Watch::quiet()).unwrap().rows;
    assert_eq!(rows.len(), MULTICASTS.len());
    assert!(
        rows.iter()
            .all(|r| r.row.verified.is_yes() && r.num_destinations == 15)
    );
    let of = |baseline| cycles(&rows, baseline, 15, 64 << 10);
    assert!(of(BaselineAlgorithm::InNetwork) < of(BaselineAlgorithm::EspHardwareOnly));
    assert!(of(BaselineAlgorithm::EspHardwareOnly) < of(BaselineAlgorithm::ChainwriteParallel));
    asked.set = Some("0,0,9,9".to_owned());
    assert!(baselines(&asked, Watch::quiet()).is_err());
}

/// The model's law is the simulator's to the cycle, in both settings, for any number of consumers.
#[test]
fn esp_takes_the_closed_form_of_the_model() {
    let counts: Vec<u32> = (1..=19).collect();
    let rows = baselines(&request((4, 5), &counts, &[1024]), Watch::quiet())
        .unwrap()
        .rows;
    let mut compared = 0;
    for row in &rows {
        let name = match row.algorithm {
            BaselineAlgorithm::EspHardwareOnly => "esp_4x5",
            BaselineAlgorithm::EspCalibrated => "esp_4x5_calibrated",
            BaselineAlgorithm::Unicast
            | BaselineAlgorithm::Tree
            | BaselineAlgorithm::DoubleTree
            | BaselineAlgorithm::Chainwrite
            | BaselineAlgorithm::Counter
            | BaselineAlgorithm::ChainwriteParallel
            | BaselineAlgorithm::InNetwork
            | BaselineAlgorithm::InNetworkBypass
            | BaselineAlgorithm::Smart16Bytes
            | BaselineAlgorithm::Smart64Bytes
            | BaselineAlgorithm::Cores => continue,
        };
        let net = noccl_studies::load(name, &[]).unwrap().network;
        let source = net.tile_at(net.mesh_coord(Coord::new(0, 0)));
        let others: Vec<TileId> = net.clusters().filter(|t| *t != source).collect();
        let nearest = noccl_coll::chain::order::chain_order(
            &net,
            source,
            &others,
            noccl_coll::chain::order::ChainOrder::Nearest,
        );
        // Members of a group are started in ascending order.
        let mut consumers = nearest.unwrap()[..row.num_destinations as usize].to_vec();
        consumers.sort_unstable_by_key(|t| net.cluster_coord(net.coord(*t)));
        let expected = list_multicast_cycles(&net, source, &consumers, 1024);
        assert_eq!(
            Some(row.row.cycles),
            expected,
            "{name}, {} consumers",
            row.num_destinations
        );
        compared += 1;
    }
    assert_eq!(compared, 38);
}

#[test]
fn reductions_and_barriers_have_sets_that_all_mechanisms_do_and_others_name_who_does_not() {
    for collective in [CollectiveKind::Reduce, CollectiveKind::Barrier] {
        let mut asked = request((2, 5), &[], &[64]);
        (asked.collective, asked.source) = (collective, Coord::new(3, 1));
        let done = baselines(&asked, Watch::quiet()).unwrap();
        for num in [1, 3, 7] {
            let rows = done.rows.iter().filter(|r| r.num_destinations == num);
            assert_eq!(rows.count(), BaselineAlgorithm::of(collective).len());
        }
        assert!(done.skipped.is_empty(), "{:?}", done.skipped);
    }
    // Six clusters are two multi-addresses; the first two of a snake are not even one together.
    for (collective, set, num, skipped) in [
        (
            CollectiveKind::Reduce,
            Some("0,0,3,2"),
            5,
            BaselineAlgorithm::Smart64Bytes,
        ),
        (
            CollectiveKind::Barrier,
            None,
            2,
            BaselineAlgorithm::InNetwork,
        ),
    ] {
        let mut asked = request((4, 5), &[2], &[64]);
        (asked.collective, asked.set) = (collective, set.map(str::to_owned));
        let done = baselines(&asked, Watch::quiet()).unwrap();
        assert!(done.skipped.contains(&(skipped, num)), "{:?}", done.skipped);
        let num_all = done.rows.len() + done.skipped.len();
        assert_eq!(num_all, BaselineAlgorithm::of(collective).len());
        assert!(
            done.rows
                .iter()
                .any(|r| r.algorithm == BaselineAlgorithm::Cores)
        );
    }
}

#[test]
fn what_does_not_exist_is_refused_by_name() {
    let ask = |change: &dyn Fn(&mut BaselinesRequest)| {
        let mut asked = BaselinesRequest::new();
        change(&mut asked);
        baselines(&asked, Watch::quiet()).unwrap_err().to_string()
    };
    for (error, part) in [
        (ask(&|r| r.size = (0, 5)), "--size"),
        (ask(&|r| r.source = Coord::new(5, 0)), "--source"),
        (ask(&|r| r.destinations = vec![20]), "1 to 19"),
        (ask(&|r| r.destinations = Vec::new()), "at least one"),
        (
            ask(&|r| r.collective = CollectiveKind::AllToAll),
            "--collective",
        ),
        (
            ask(&|r| (r.size, r.destinations) = ((8, 8), vec![33])),
            "1 to 32",
        ),
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(matches!(
        noccl_studies::parse_pair("--size", "4by5", 'x'),
        Err(Error::Argument { .. })
    ));
}
