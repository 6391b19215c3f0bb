// SPDX-License-Identifier: Apache-2.0
//! What a run says of AXI responses.

use crate::common::{Folder, noccl_in};

#[test]
fn a_run_says_the_worst_response_of_every_transaction() {
    let folder = Folder::new();
    let write = |x: u32| {
        format!(
            r#"{{"start_cycles":[0],"kind":{{"wide_write":{{"from":{{"cluster":{{"x":0,"y":0}}}},
            "to":{{"cluster":{{"x":{x},"y":0}}}},"beats":2}}}}}}"#
        )
    };
    let fault = r#"{"memory":{"tile":{"cluster":{"x":2,"y":0}},"offset":1048576,"bytes":64}}"#;
    let trace = format!(
        r#"{{"format":1,"trace":{{"transactions":[{},{}],"faults":[{fault}]}}}}"#,
        write(1),
        write(2)
    );
    folder.file("trace.json", &trace);
    let said = noccl_in(&folder.0, "run --trace trace.json --json");
    let report: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["responses"], serde_json::json!([0, 2]), "{report}");
    assert_eq!(report["counters"]["error_responses"], 1, "{report}");
}
