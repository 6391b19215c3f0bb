// SPDX-License-Identifier: Apache-2.0
//! Names in tables tell apart what differs.
#![allow(clippy::unwrap_used)]

use noccl::{CollectiveKind, CompareRequest, Watch, compare, load, parse_group};

#[test]
fn tables_tell_the_variants_of_an_algorithm_by_name() {
    for (spec, kind, root, names) in [
        (
            "torrent_4x5",
            CollectiveKind::Multicast,
            "0,0",
            "chainwrite:id,chainwrite,chainwrite:2,chainwrite:blocks,unicast",
        ),
        (
            "collective_noc_4x4",
            CollectiveKind::AllReduce,
            "0,0",
            "in_network_once:centre,in_network_once",
        ),
    ] {
        let net = load(spec, &[]).unwrap().network;
        let group = parse_group(&net, "0,0,4,4").unwrap();
        let mut request = CompareRequest::new(kind, group, vec![1024]);
        request.root = Some(noccl::parse_root(&net, root).unwrap());
        let asked: Vec<&str> = names.split(',').collect();
        for name in &asked {
            request
                .algorithms
                .push(noccl::AlgorithmRequest::Fixed(name.parse().unwrap()));
        }
        let rows = compare(&net, &request, Watch::quiet()).unwrap().rows;
        let told: Vec<String> = rows.iter().map(noccl::mechanism).collect();
        assert_eq!(told, asked);
    }
}
