// SPDX-License-Identifier: Apache-2.0
//! Names in tables are those that `--algorithms` takes, and tell apart what differs.
#![allow(clippy::unwrap_used)]

use noccl::Watch;
use noccl::collective::{CollectiveKind, CompareRequest, compare};
use noccl::network::{load, parse_group};

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
        (
            "collective_noc_4x4",
            CollectiveKind::Reduce,
            "0,0",
            "chain:1,chain:4,chain:4:push,tree:2,tree:2:pull:software,row_column:2,row_column:4:tree,double_tree:1,in_network",
        ),
        (
            "collective_noc_4x4",
            CollectiveKind::Barrier,
            "0,0",
            "counter,counter:row_column:centre,in_network:centre",
        ),
    ] {
        let net = load(spec, &[]).unwrap().network;
        let group = parse_group(&net, "0,0,4,4").unwrap();
        let mut request = CompareRequest::new(kind, group, vec![1024]);
        request.root = Some(noccl::network::parse_root(&net, root).unwrap());
        let asked: Vec<&str> = names.split(',').collect();
        for name in &asked {
            request
                .algorithms
                .push(noccl::collective::AlgorithmRequest::Fixed(
                    name.parse().unwrap(),
                ));
        }
        let rows = compare(&net, &request, Watch::quiet()).unwrap().rows;
        let told: Vec<String> = rows.iter().map(noccl::algorithm).collect();
        assert_eq!(told, asked);
    }
}
