// SPDX-License-Identifier: Apache-2.0
//! What has no model behind the AXI ports is refused before a run, by its field and with what is accepted.

use noccl_cosim::Arithmetic;
use noccl_cosim::endpoints::{places_of, refuse_schedule};
use noccl_net::{Coord, TileRef};
use noccl_rtl::{RtlConfig, RtlError};
use noccl_testkit::schedules::at_once as schedule;
use noccl_testkit::traces::{entry, narrow_multicast, trace, wide_write};
use noccl_testkit::{actions, cluster, cube, network_with};
use noccl_workload::{ActionKind, Difference, Fault, Trace};

const TILE: TileRef = cluster(0, 0);

/// The field and what is accepted instead.
fn refusal<T: std::fmt::Debug>(outcome: Result<T, RtlError>) -> (String, String) {
    match outcome.unwrap_err() {
        RtlError::Refused {
            field,
            found,
            accepted,
        } => (format!("{field} = {found}"), accepted),
        other @ (RtlError::Sources { .. } | RtlError::Circle { .. }) => panic!("{other}"),
    }
}

#[test]
fn links_and_fifos_of_any_length_have_hardware() {
    let network = |field: &str, value: u32| network_with("collective_noc_4x4", &[(field, value)]);
    for cycles in [1, 3, 8] {
        let of = |plane| RtlConfig::new(&network(plane, cycles)).unwrap();
        assert_eq!(of("router.link_cycles.req").req_link_cycles, cycles);
        assert_eq!(of("router.link_cycles.rsp").rsp_link_cycles, cycles);
        assert_eq!(of("router.link_cycles.wide").wide_link_cycles, cycles);
    }
    for depth in [1, 3, 16] {
        let config = RtlConfig::new(&network("router.input_fifo_flits", depth));
        assert_eq!(config.unwrap().input_fifo_flits, depth);
        let config = RtlConfig::new(&network("router.output_fifo_flits", depth));
        assert_eq!(config.unwrap().output_fifo_flits, depth);
    }
}

#[test]
fn chains_are_refused_at_the_axi_ports_with_the_boundary_that_takes_them() {
    assert_eq!(refuse_schedule(&schedule(Vec::new())), Ok(()));
    let chain = ActionKind::Chain(actions::chain(TILE, &[], 0, 64));
    let schedule = schedule(vec![chain]);
    assert!(Arithmetic::of_schedule(&schedule).is_ok());
    let (what, accepted) = refusal(refuse_schedule(&schedule));
    assert_eq!(what, "actions[0] = chain");
    assert!(accepted.contains("Torrent endpoints"), "{accepted}");
    assert!(accepted.ends_with("else --boundary router"), "{accepted}");
}

#[test]
fn multicasts_by_a_list_have_no_hardware_at_any_boundary() {
    let list = ActionKind::ListMulticast(actions::list_multicast(TILE, Vec::new(), 0, 64));
    let (what, accepted) = refusal(Arithmetic::of_schedule(&schedule(vec![list])));
    assert_eq!(what, "actions[0] = list_multicast");
    assert!(accepted.contains("multi-address") && accepted.contains("esp"));
    assert!(!accepted.contains("--boundary"), "{accepted}");
}

#[test]
fn faults_that_are_none_of_a_memory_are_refused_at_the_axi_ports() {
    let faults = |faults: Vec<Fault>| Trace {
        transactions: vec![entry(
            vec![Some(0)],
            narrow_multicast(TILE, cube(0, 0, 1, 0)),
        )],
        faults,
    };
    let memory = || Fault::Memory {
        tile: TILE,
        offset: 0,
        bytes: 1,
    };
    assert!(places_of(&faults(vec![memory()])).is_ok());
    let mask = Coord::new(1, 0);
    for (fault, name) in [
        (Fault::Unmapped { transaction: 0 }, "unmapped"),
        (
            Fault::Mask {
                transaction: 0,
                mask,
            },
            "mask",
        ),
        (
            Fault::Disagree {
                transaction: 0,
                member: 0,
                difference: Difference::Beats(1),
            },
            "disagree in beats",
        ),
    ] {
        let (what, accepted) = refusal(places_of(&faults(vec![memory(), fault])));
        assert_eq!(what, format!("faults[1] = {name}"));
        assert!(
            accepted
                .contains("with network interfaces: memory, disagree (but for beats) and name."),
            "{accepted}"
        );
    }
}

#[test]
fn more_wide_data_than_a_memory_has_are_refused_with_their_number() {
    let write = entry(vec![Some(0)], wide_write(TILE, TILE, 257));
    let transactions = vec![write; 1 << 16];
    let (what, accepted) = refusal(places_of(&trace(transactions)));
    assert_eq!(what, "transactions = 16842752 wide beats");
    assert!(accepted.contains("1 GiB"), "{accepted}");
}
