// SPDX-License-Identifier: Apache-2.0
//! Numbers in sentences of the pages are those of their commands.

use noccl_run::Watch;
use noccl_studies::{CompareRequest, compare, load, parse_algorithms, parse_group, parse_root};
use noccl_workload::CollectiveKind;
use std::path::Path;

fn page(name: &str) -> String {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let text = std::fs::read_to_string(docs.join(name)).unwrap();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cycles_of_several_chains() {
    let network = load("torrent_4x5_parallel", &[]).unwrap().network;
    let group = parse_group(&network, "all").unwrap();
    let mut request =
        CompareRequest::new(CollectiveKind::Multicast, group, vec![1 << 10, 64 << 10]);
    request.root = Some(parse_root(&network, "0,0").unwrap());
    request.algorithms =
        parse_algorithms("chainwrite:1,chainwrite:2,chainwrite:4,chainwrite:8").unwrap();
    let found = compare(&network, &request, Watch::quiet()).unwrap();
    let cycles: Vec<u64> = found.rows.iter().map(|row| row.cycles).collect();
    let [a, b, c, d, e, f, g, h] = cycles[..] else {
        panic!("two sizes of four: {cycles:?}")
    };
    let text = page("papers/S3.md");
    let short = format!("{a}, {b}, {c} and {d} cycles;");
    let long = format!("64 KiB: {e}, {f}, {g} and {h}.");
    assert!(
        text.contains(&short) && text.contains(&long),
        "{short} {long}"
    );
}

/// The largest speedup of FusedConcatLinear stands on three pages; that of the matrix products has the command.
#[test]
fn the_speedup_of_fused_concat_linear_is_the_same_on_all_pages() {
    let products = page("gemm.md");
    let (_, row) = products.split_once("| 256×256 | 34549 |").unwrap();
    let speedup = row.split('|').nth(4).unwrap().trim();
    for (name, before) in [
        ("papers/S1.md", "and the sum in the middle, come to "),
        ("developer/status.md", "FusedConcatLinear to 256×256, "),
    ] {
        let sentence = format!("{before}{speedup} ");
        assert!(page(name).contains(&sentence), "{name}: {sentence}");
    }
}
