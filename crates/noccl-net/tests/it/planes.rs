// SPDX-License-Identifier: Apache-2.0
//! Each plane says what it carries and what it takes.

use noccl_net::{AxiChannel, Network};
use noccl_spec::Plane;
use noccl_testkit::{network, network_with};

#[test]
fn every_channel_of_the_axi_ports_has_one_plane() {
    let network = network("collective_noc_4x4");
    let planes = network.planes();
    assert_eq!(planes.len(), Plane::ALL.len());
    let mut carried: Vec<AxiChannel> = Vec::new();
    for (at, (one, plane)) in planes.iter().zip(Plane::ALL).enumerate() {
        assert_eq!(plane.idx(), at);
        assert_eq!(network.as_axi().unwrap().plane(plane), one);
        let new = one.channels.iter().filter(|c| !carried.contains(c));
        assert_eq!(new.count(), one.channels.len(), "{one:?}");
        carried.extend(one.channels);
    }
    assert_eq!(carried.len(), 8);
    assert_eq!(
        planes.iter().map(|p| p.data_bytes).collect::<Vec<_>>(),
        [8, 8, 64]
    );
}

#[test]
fn a_hop_takes_the_registers_of_router_and_link() {
    let link = [("router.link_cycles.wide", "3")];
    let hops = |network: &Network| {
        Plane::ALL.map(|plane| network.as_axi().unwrap().plane(plane).hop_cycles)
    };
    let slow = network_with("collective_noc_4x4", &link);
    assert_eq!(
        (hops(&slow), slow.as_axi().unwrap().router_cycles()),
        ([2, 2, 4], 2)
    );
    let ideal = network("ideal_8x4");
    assert_eq!(
        (hops(&ideal), ideal.as_axi().unwrap().router_cycles()),
        ([0; 3], 1)
    );
}

#[test]
fn a_fifo_of_one_slot_passes_a_flit_every_second_cycle() {
    let one = [("router.input_fifo_flits", "1")];
    assert_eq!(network_with("collective_noc_4x4", &one).flit_cycles(), 2);
    assert_eq!(network("collective_noc_4x4").flit_cycles(), 1);
}

#[test]
fn a_flit_of_the_wide_plane_is_a_beat_and_with_bypass_what_its_field_says() {
    let wide = |name: &str| {
        network(name)
            .as_axi()
            .unwrap()
            .plane(Plane::Wide)
            .data_bytes
    };
    assert_eq!(wide("collective_noc_4x4"), 64);
    assert_eq!(wide("smart_8x8"), 16);
}
