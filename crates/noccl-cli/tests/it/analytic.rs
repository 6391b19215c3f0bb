// SPDX-License-Identifier: Apache-2.0
//! `calibrate`, `validation` and the backend `model` of `compare`.

use crate::common::{Folder, done, fails, json, json_in};
use noccl_testkit::assert_says;

#[test]
fn compare_by_model_gives_the_rows_of_the_simulator_marked_as_the_models() {
    let arguments =
        "compare multicast --group row --bytes 4KiB --algorithms tree:1,in_network --json";
    let simulated = json(arguments);
    let predicted = json(&format!("{arguments} --backend model"));
    let names = |rows: &serde_json::Value| -> Vec<String> {
        let fields = rows[0].as_object().unwrap();
        fields.keys().cloned().collect()
    };
    assert_eq!(names(&simulated), names(&predicted));
    for (index, (backend, rows)) in [("sim", &simulated), ("model", &predicted)]
        .iter()
        .enumerate()
    {
        let rows = rows.as_array().unwrap();
        assert_eq!(rows.len(), 2, "{index}");
        assert!(rows.iter().all(|row| row["backend"] == *backend));
    }
}

#[test]
fn constants_written_by_calibrate_are_those_that_compare_reads() {
    let folder = Folder::new();
    let change = "-P cluster.dma.start_cycles=9";
    done(&folder, &format!("calibrate {change} -o mine.toml --json"));
    assert_eq!(folder.names(), ["mine.toml"]);
    let compare = format!(
        "compare multicast --group row --bytes 1KiB --algorithms in_network --json {change}"
    );
    let cycles = |text: &str| -> u64 {
        let rows = json_in(&folder, text);
        rows[0]["cycles"].as_u64().unwrap()
    };
    let predicted = cycles(&format!(
        "{compare} --backend model --calibration mine.toml"
    ));
    assert_eq!(predicted, cycles(&compare));
    let refused = fails(&folder, 2, &format!("{compare} --backend model"));
    assert_says(&refused.stderr, &["cluster.dma.start_cycles"]);
}

#[test]
fn the_validation_holds_and_names_the_meshes_on_which_equations_and_simulator_deviate() {
    let validation = json("validation --max-side 4 --json");
    assert_eq!(validation["model"]["holds"], true);
    let published = validation["published"].as_array().unwrap();
    assert!(published.iter().all(|row| row["holds"] == true));
    let deviations = validation["deviations"].as_array().unwrap();
    assert!(deviations.iter().all(|row| row["side"] == 4) && !deviations.is_empty());
}

#[test]
fn an_unknown_backend_and_a_file_that_is_no_calibration_are_refused() {
    let said = fails(&Folder::new(), 2, "compare barrier --backend rtl");
    assert!(said.stderr.contains("sim, model"), "{said:?}");
    let folder = Folder::new();
    std::fs::write(folder.0.join("wrong.toml"), "format = 1\n").unwrap();
    let said = fails(
        &folder,
        2,
        "compare barrier --backend model --calibration wrong.toml",
    );
    assert_says(&said.stderr, &["wrong.toml", "noccl calibrate"]);
}
