// SPDX-License-Identifier: Apache-2.0
//! Numbers from outside are compared with what networks and hosts hold before anything is made of them.

use crate::common::{Folder, done, fails, noccl_in, refused as refuses_in};

fn refuses(arguments: &str, words: &[&str]) {
    refuses_in(&Folder::new(), arguments, words);
}

#[test]
fn threads_have_a_bound_wherever_they_are_asked_for() {
    for verb in ["run x.json", "traffic uniform", "gemm summa", "attention"] {
        for threads in ["0", "257", "10000", "18446744073709551615"] {
            let words = &["--threads", threads, "1 to 256"];
            refuses(&format!("{verb} --threads {threads}"), words);
        }
    }
}

#[test]
fn a_collective_of_more_bytes_than_a_memory_is_refused_before_its_inputs_are_made() {
    let folder = Folder::new();
    for bytes in ["9007199254740992", "9223372036854775808"] {
        let promise = format!(
            r#"{{"format":1,"algorithm":"x","parameters":{{}},"collective":{{"kind":"multicast",
            "group":{{"row":0}},"root":{{"memory":0}},"bytes":{bytes},"input_offset":0,
            "output_offset":0,"operator":"sum","element":"fp64"}},"actions":[]}}"#
        );
        folder.file("promise.json", &promise);
        let said = fails(&folder, 1, "run promise.json");
        assert!(said.stderr.contains("collective.input_offset"), "{said:?}");
        assert!(said.stderr.contains("1048576"), "{said:?}");
    }
}

#[test]
fn payloads_that_no_host_holds_are_refused_where_bytes_move() {
    let large = "-P cluster.l1_bytes=1099511627776 -P mesh.regions.1.stride_bytes=1099511627776 \
                 -P mesh.regions.1.base_address=0x100000000000";
    let words = &["--bytes", "68719476736", "1073741824 together"];
    refuses(
        &format!("compare reduce --bytes 64GiB --algorithms in_network {large}"),
        words,
    );
    let folder = Folder::new();
    let make = format!("schedule reduce --bytes 64GiB {large} -o reduce.json");
    done(&folder, &make);
    refuses_in(&folder, &format!("run reduce.json {large}"), words);
}

#[test]
fn traces_write_no_more_than_a_host_holds_and_only_where_bytes_move() {
    let folder = Folder::new();
    let multicast = r#"{"start_cycles":[0],"kind":{"wide_multicast":{"from":{"cluster":{"x":0,"y":0}},
        "to":{"base":{"x":0,"y":0},"mask":{"x":3,"y":3}},"beats":16384}}}"#;
    let all = vec![multicast; 65].join(",");
    let trace = format!(r#"{{"format":1,"trace":{{"transactions":[{all}]}}}}"#);
    folder.file("trace.json", &trace);
    let words = &["transactions[64]", "1073741824", "timing mode"];
    refuses_in(&folder, "run --trace trace.json", words);
    let beats = trace.replacen("16384", "4294967295", 1);
    folder.file("trace.json", &beats);
    refuses_in(&folder, "run --trace trace.json", &["transactions[0]"]);
    let set = trace.replacen(r#""x":3,"y":3"#, r#""x":65535,"y":65535"#, 1);
    folder.file("trace.json", &set);
    refuses_in(&folder, "run --trace trace.json", &["transactions[0]"]);
}

#[test]
fn counts_of_random_work_have_bounds() {
    refuses(
        "order --counts 3 --draws 4294967295",
        &["--draws", "4294967295", "at most 1333333"],
    );
    refuses(
        "stress --transactions 4294967295",
        &["--transactions", "64 to 16384"],
    );
    refuses(
        "stress --seeds 18446744073709551615",
        &["--seeds", "1 to 1000000"],
    );
}

#[test]
fn stress_needs_two_tiles() {
    refuses("stress --spec torrent_1x1", &["torrent_1x1", "two tiles"]);
    refuses(
        "stress --spec torrent_1x1 --only chain",
        &["torrent_1x1", "two tiles"],
    );
}

#[test]
fn a_barrier_takes_no_payload() {
    for bytes in ["1", "18446744073709551615"] {
        let arguments = format!("schedule barrier --bytes {bytes}");
        refuses(&arguments, &["--bytes", "no effect on a barrier"]);
    }
}

#[test]
fn messages_name_the_argument_that_holds_the_text() {
    refuses(
        "order --destinations 9,9,9,9",
        &["--destinations '9,9,9,9'", "4 x 4"],
    );
    refuses("order --source 9,9", &["--source '9,9'"]);
    refuses("baselines --set 9,9,9,9", &["--set '9,9,9,9'"]);
    for collective in ["all_gather", "reduce_scatter", "all_to_all"] {
        refuses(
            &format!("compare {collective} --root 1,1"),
            &["--root '1,1'", "no root"],
        );
    }
    for spec in [
        "torrent_4x5",
        "esp_4x5",
        "collective_noc_4x4_published",
        "ideal_4x4",
    ] {
        let words = &["router.flow", "non_blocking", "calibration"];
        refuses(&format!("calibrate --spec {spec}"), words);
    }
}

#[test]
fn a_schedule_that_claims_no_collective_is_not_called_right() {
    let folder = Folder::new();
    folder.file(
        "nothing.json",
        r#"{"format":1,"algorithm":"x","parameters":{},"collective":null,"actions":[]}"#,
    );
    let said = done(&folder, "check nothing.json");
    assert!(said.stdout.starts_with("claims no collective"), "{said:?}");
    assert!(said.stdout.contains("EMPTY: 0 actions"), "{said:?}");
    done(
        &folder,
        "schedule reduce --bytes 64 --group row -o reduce.json",
    );
    let said = noccl_in(&folder.0, "check reduce.json");
    assert!(said.stdout.starts_with("right: reduce"), "{said:?}");
    assert!(!said.stdout.contains("EMPTY"), "{said:?}");
}
