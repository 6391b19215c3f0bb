// SPDX-License-Identifier: Apache-2.0
//! Files with names of older versions are read as those with today's; today's alone are written.

use noccl_workload::{read_schedule, to_json};

/// A schedule of one chain, with the name of its list of destinations.
fn schedule(destinations: &str) -> String {
    let cluster = |x: u32| format!(r#"{{"cluster": {{"x": {x}, "y": 0}}}}"#);
    let pattern = |offset: u32| format!(r#"{{"offset": {offset}, "word_stride": 8, "loops": []}}"#);
    let chain = format!(
        r#"{{"initiator": {}, "source": {}, "bytes": 64, "{destinations}": [{{"tile": {}, "pattern": {}}}]}}"#,
        cluster(0),
        pattern(0),
        cluster(1),
        pattern(4096)
    );
    format!(
        r#"{{"format": 1, "algorithm": "chain", "parameters": {{}}, "collective": null,
            "actions": [{{"after": [], "kind": {{"chain": {chain}}}}}]}}"#
    )
}

#[test]
fn destinations_of_a_chain_are_read_under_their_old_name_too() {
    let old = read_schedule("old", &schedule("stops")).unwrap();
    let new = read_schedule("new", &schedule("destinations")).unwrap();
    assert_eq!(old, new);
    let written = to_json(&old);
    assert!(
        written.contains("\"destinations\"") && !written.contains("\"stops\""),
        "{written}"
    );
    assert!(read_schedule("both", &schedule("targets")).is_err());
}
