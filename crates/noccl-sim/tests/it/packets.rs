// SPDX-License-Identifier: Apache-2.0
//! Networks of packets: a lone packet in closed form, one copy of a multicast per member, a reduction complete with its last contribution.

use crate::common::network;
use noccl_net::TileId;
use noccl_sim::{Arrival, PacketNetwork, packet_network};

/// What arrives until nothing is in flight, with the cycle behind it.
fn arrivals(network: &mut dyn PacketNetwork) -> Vec<(u64, Arrival)> {
    let mut all = Vec::new();
    while !network.is_idle() {
        network.step();
        let cycle = network.cycle();
        let arrived = network.take_arrivals();
        all.extend(arrived.iter().map(|arrival| (cycle, *arrival)));
        network.return_arrivals(arrived);
    }
    all
}

#[test]
fn a_lone_packet_between_cores_takes_its_closed_form() {
    let net = network("tilepro64_8x8");
    for (from, to, flits) in [(0, 63, 2), (28, 29, 18), (49, 1, 1)] {
        let (from, to) = (TileId(from), TileId(to));
        let mut packets = packet_network(&net).unwrap();
        packets.skip_to(1000);
        packets.send(from, to, flits, 7);
        let arrival = Arrival {
            tile: to,
            tag: 7,
            reduction: None,
        };
        let cycles = net.lone_packet_cycles(from, to, flits.into()).unwrap();
        assert_eq!(arrivals(&mut *packets), [(1000 + cycles + 1, arrival)]);
        let hops = u64::from(net.hops(from, to)) * u64::from(flits);
        assert_eq!(packets.flit_hops(), hops);
        assert_eq!(packets.buffered_flits(), hops + u64::from(flits));
        assert_eq!(packets.delivered_flits(), u64::from(flits));
    }
}

#[test]
fn a_multicast_arrives_once_at_each_member_and_a_reduction_once_at_its_root() {
    for (preset, is_forked, is_counted) in [
        ("smart_8x8", true, true),
        ("smart_8x8_unicast", false, false),
        ("tilepro64_8x8", false, false),
    ] {
        let net = network(preset);
        let mut packets = packet_network(&net).unwrap();
        let root = TileId(27);
        let members: Vec<TileId> = (0..64).map(TileId).filter(|tile| *tile != root).collect();
        let set = packets.add_multicast(root, &members);
        assert_eq!(packets.send_multicast(set, 5, 3), 63);
        let copies = arrivals(&mut *packets);
        let mut tiles: Vec<TileId> = copies.iter().map(|(_, copy)| copy.tile).collect();
        tiles.sort_unstable();
        assert_eq!(tiles, members, "{preset}");
        assert!(copies.iter().all(|(_, copy)| copy.tag == 3));
        // The port of the source passes a flit per cycle.
        let last = copies.iter().map(|(cycle, _)| *cycle).max();
        assert_eq!(last < Some(63 * 5), is_forked, "{preset}: {last:?}");

        let tree = packets.add_reduction_tree(root, &members);
        let reduction = packets.open_reduction(tree, 9);
        assert_eq!(packets.has_entry(reduction), is_counted, "{preset}");
        for member in &members[1..] {
            packets.contribute(*member, reduction, 1);
        }
        assert_eq!(arrivals(&mut *packets), [], "{preset}: one is missing");
        packets.contribute(members[0], reduction, 1);
        let complete = Arrival {
            tile: root,
            tag: 9,
            reduction: Some(reduction),
        };
        let found = arrivals(&mut *packets);
        assert_eq!(found.len(), 1, "{preset}");
        assert_eq!(found[0].1, complete, "{preset}");
        assert_eq!(packets.close(reduction), if is_counted { 1 } else { 63 });
    }
}

#[test]
fn routers_of_transactions_and_lists_are_refused() {
    for preset in ["collective_noc_4x4", "esp_4x4"] {
        let net = network(preset);
        let refused = packet_network(&net).map(drop).unwrap_err().to_string();
        assert!(refused.contains("accepted: router.flow = \"smart\""));
    }
}
