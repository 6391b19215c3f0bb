// SPDX-License-Identifier: Apache-2.0
//! `gemm` and `attention`: rows, results, bad input.

use crate::common::{Folder, done, fails, json};

#[test]
fn rows_come_by_mesh_and_by_who_communicates_with_the_speedup_over_software() {
    let rows = json("gemm summa --mesh 4x4,8x8 --collectives all --json");
    let rows = rows.as_array().unwrap();
    let names: Vec<(&str, &str)> = rows
        .iter()
        .map(|r| {
            (
                r["mesh"].as_str().unwrap(),
                r["collectives"].as_str().unwrap(),
            )
        })
        .collect();
    let all = |mesh| ["software", "deliveries", "in_network"].map(|who| (mesh, who));
    assert_eq!(names, [all("4x4"), all("8x8")].concat());
    for row in rows {
        assert_eq!(row["compute_cycles"], 743);
        assert_eq!(row["bound_by"], "computation");
        assert!(row["speedup"].as_f64().unwrap() >= 1.0);
    }
}

#[test]
fn the_published_equations_give_the_speedups_that_their_authors_print() {
    let speedups = |backend: &str| -> Vec<String> {
        let meshes = "4x4,8x8,16x16,32x32,64x64,128x128,256x256";
        let rows = json(&format!(
            "gemm summa --mesh {meshes} --backend {backend} --json"
        ));
        let rows = rows.as_array().unwrap().iter();
        let in_network = rows.filter(|r| r["collectives"] == "in_network");
        in_network
            .map(|r| format!("{:.2}", r["speedup"].as_f64().unwrap()))
            .collect()
    };
    assert_eq!(
        speedups("published"),
        ["1.00", "1.00", "1.11", "1.36", "1.61", "1.87", "2.12"]
    );
    assert_eq!(
        speedups("published_with_distance"),
        ["1.00", "1.00", "1.19", "1.53", "1.95", "2.55", "3.49"]
    );
}

#[test]
fn backends_stand_beside_each_other_with_their_distance_from_the_simulation() {
    for kernel in ["summa", "fused_concat_linear"] {
        let rows = json(&format!(
            "gemm {kernel} --mesh 4x4,8x8 --backend all --json"
        ));
        let rows = rows.as_array().unwrap();
        // Deliveries have no equations.
        assert_eq!(rows.len(), 2 * (4 * 2 + 1));
        for row in rows {
            let cycles = |row: &serde_json::Value| row["iteration_cycles"].as_f64().unwrap();
            let is_same = |r: &&serde_json::Value| {
                r["backend"] == "sim"
                    && ["mesh", "collectives"]
                        .iter()
                        .all(|name| r[name] == row[name])
            };
            let simulated = cycles(rows.iter().find(is_same).unwrap());
            let error = row["sim_error"].as_f64();
            if row["backend"] == "sim" {
                assert_eq!(error, None, "{row}");
                continue;
            }
            let error = error.unwrap();
            assert!(
                (error + 1.0 - cycles(row) / simulated).abs() < 1e-9,
                "{row}"
            );
            // Ours knows distances and barriers, the paper's equations do not.
            if row["backend"] == "model" {
                assert!(error.abs() <= 0.01, "{row}");
                assert!(row["energy_pj"].as_f64().unwrap() > 0.0, "{row}");
            }
        }
    }
    let alone = json("gemm summa --backend model --json");
    assert!(alone[0]["sim_error"].is_null(), "{alone}");
}

#[test]
fn value_mode_says_that_products_and_attention_are_right() {
    let said = done(
        &Folder::new(),
        "gemm summa --mesh 4x4 --mode value --submatrix 3x5x7 --element fp16",
    );
    assert!(said.stdout.contains("all products are right"), "{said:?}");
    let layer = "attention --mesh 4x4 --tokens 32 --head-columns 8 --heads 2 --mode value";
    let said = done(&Folder::new(), layer);
    assert!(said.stdout.contains("right, bit by bit"), "{said:?}");
    assert_eq!(json(&format!("{layer} --json"))["verified"], "yes");
}

#[test]
fn impossible_products_are_refused_with_what_would_be_accepted() {
    for (arguments, accepted) in [
        ("gemm summa --mesh 3x4", "powers of two"),
        ("gemm summa --mesh 4", "WxH"),
        ("gemm cannon", "summa"),
        ("gemm summa --prefetch 1", "at least 2"),
        ("gemm summa --prefetch 200", "needs"),
        ("gemm summa --prefetch 4294967295", "1 to 1024"),
        ("gemm summa --iterations 0", "1 to"),
        ("gemm summa --submatrix 4294967295x1x1", "65536"),
        ("gemm summa --collectives hardware", "in_network"),
        ("gemm summa --collectives deliveries --backend model", "sim"),
        ("gemm summa --sync locks", "flags"),
        ("gemm summa --shape gpt", "llama_3_1_8b.gate"),
        ("gemm summa --submatrix 18x18", "ROWSxCOLUMNSxINNER"),
        (
            "gemm summa --submatrix 8x8x8 --element int8",
            "floating-point",
        ),
        ("gemm summa --utilisation 2", "at most 1"),
        ("gemm summa --backend equations", "published_with_distance"),
        (
            "gemm summa --backend model -P cluster.dma.start_cycles=9",
            "noccl calibrate",
        ),
        ("attention --mesh 4x4 --tokens 30", "multiple of both sides"),
        ("attention --mesh 4x4 --element fp8_e4m3", "fp16"),
        ("attention --mesh 4x4 --tokens 4294967292", "1 to"),
        ("attention --mesh 4x4 --tokens 65536", "needs"),
    ] {
        let said = fails(&Folder::new(), 2, arguments);
        assert!(
            said.stderr.contains(accepted),
            "{arguments}: {}",
            said.stderr
        );
    }
}
