// SPDX-License-Identifier: Apache-2.0
//! S3's chain and its rivals in one table: right everywhere, in the order that S3's protocol and the hardware allow; ESP's
//! cycles by the model's closed form.
#![allow(clippy::unwrap_used)]

use noccl_model::list_multicast_cycles;
use noccl_net::Coord;
use noccl_net::TileId;
use noccl_run::Watch;
use noccl_studies::{Error, Rival, RivalRow, RivalsRequest, rival_figures, rivals};

fn request(size: (u16, u16), destinations: &[u32], bytes: &[u64]) -> RivalsRequest {
    RivalsRequest {
        size,
        destinations: destinations.to_vec(),
        bytes: bytes.to_vec(),
        ..RivalsRequest::new()
    }
}

fn cycles(rows: &[RivalRow], rival: Rival, num: u32, bytes: u64) -> u64 {
    let of = |r: &&RivalRow| (r.rival, r.num_destinations, r.row.bytes) == (rival, num, bytes);
    rows.iter().find(of).unwrap().row.cycles
}

#[test]
fn every_rival_is_right_and_no_mechanism_beats_its_bounds() {
    let rows = rivals(&request((4, 5), &[1, 5, 19], &[64, 4000]), Watch::quiet()).unwrap_err();
    // A chain moves whole beats.
    assert!(rows.to_string().contains("multiple of 64"), "{rows}");
    let rows = rivals(&request((4, 5), &[1, 5, 19], &[64, 4096]), Watch::quiet()).unwrap();
    assert_eq!(rows.len(), 3 * 2 * Rival::ALL.len());
    for row in &rows {
        assert!(row.row.verified.is_yes(), "{row:?}");
        assert!(row.row.cycles >= row.row.payload_bound_cycles, "{row:?}");
        assert!(row.efficiency <= f64::from(row.num_destinations), "{row:?}");
        if row.rival == Rival::Unicast {
            assert!(row.efficiency <= 1.0, "{row:?}");
        }
        let mesh = row.row.cluster_region;
        assert_eq!((mesh[2], mesh[3]), (5, 4), "{row:?}");
    }
    let figures = rival_figures(&rows);
    assert_eq!(figures.len(), 2);
    assert!(figures.iter().all(|f| f.svg.contains("ESP, calibrated")));
}

#[test]
fn copies_pay_per_destination_and_the_rest_pay_once() {
    let big = 64 << 10;
    let rows = rivals(&request((4, 5), &[4, 16], &[big]), Watch::quiet()).unwrap();
    let of = |rival, num| cycles(&rows, rival, num, big);
    assert!(of(Rival::Unicast, 16) > 3 * of(Rival::Unicast, 4));
    for rival in [
        Rival::Chainwrite,
        Rival::EspHardwareOnly,
        Rival::EspCalibrated,
    ] {
        assert!(of(rival, 16) < of(Rival::Unicast, 16) / 4, "{rival:?}");
    }
    // 82 cycles per stop against 3, or 100, per consumer.
    let further = |rival| of(rival, 16) - of(rival, 4);
    assert!((12 * 75..=12 * 90).contains(&further(Rival::Chainwrite)));
    assert!(further(Rival::ChainwriteParallel) < 12 * 45);
    assert!(further(Rival::EspHardwareOnly) < 12 * 5);
    assert!((12 * 95..=12 * 105).contains(&further(Rival::EspCalibrated)));
}

/// One aligned block is one multi-address: S1's routers send the payload once.
#[test]
fn a_block_is_as_good_to_masks_as_to_lists() {
    let mut asked = request((4, 5), &[], &[64 << 10]);
    asked.set = Some("0,0,4,4".to_owned());
    let rows = rivals(&asked, Watch::quiet()).unwrap();
    assert_eq!(rows.len(), Rival::ALL.len());
    assert!(
        rows.iter()
            .all(|r| r.row.verified.is_yes() && r.num_destinations == 15)
    );
    let of = |rival| cycles(&rows, rival, 15, 64 << 10);
    assert!(of(Rival::InNetwork) < of(Rival::EspHardwareOnly));
    assert!(of(Rival::EspHardwareOnly) < of(Rival::ChainwriteParallel));
    asked.set = Some("0,0,9,9".to_owned());
    assert!(rivals(&asked, Watch::quiet()).is_err());
}

/// The model's law is the simulator's to the cycle, in both settings, for any number of consumers.
#[test]
fn esp_takes_the_closed_form_of_the_model() {
    let counts: Vec<u32> = (1..=19).collect();
    let rows = rivals(&request((4, 5), &counts, &[1024]), Watch::quiet()).unwrap();
    let mut compared = 0;
    for row in &rows {
        let name = match row.rival {
            Rival::EspHardwareOnly => "esp_4x5",
            Rival::EspCalibrated => "esp_4x5_calibrated",
            Rival::Unicast
            | Rival::Tree
            | Rival::DoubleTree
            | Rival::Chainwrite
            | Rival::ChainwriteParallel
            | Rival::InNetwork => continue,
        };
        let net = noccl_studies::load(name, &[]).unwrap().network;
        let source = net.tile_at(net.mesh_coord(Coord::new(0, 0)));
        let others: Vec<TileId> = net.clusters().filter(|t| *t != source).collect();
        let nearest = noccl_coll::chain::order::stop_order(
            &net,
            source,
            &others,
            noccl_coll::chain::order::StopOrder::Nearest,
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
fn what_does_not_exist_is_refused_by_name() {
    let ask = |change: &dyn Fn(&mut RivalsRequest)| {
        let mut asked = RivalsRequest::new();
        change(&mut asked);
        rivals(&asked, Watch::quiet()).unwrap_err().to_string()
    };
    for (error, part) in [
        (ask(&|r| r.size = (0, 5)), "--size"),
        (ask(&|r| r.source = Coord::new(5, 0)), "--source"),
        (ask(&|r| r.destinations = vec![20]), "1 to 19"),
        (ask(&|r| r.destinations = Vec::new()), "at least one"),
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
