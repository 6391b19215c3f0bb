// SPDX-License-Identifier: Apache-2.0
//! What `auto` takes for many collectives, by the model and by runs, as a committed record.
//!
//! `NOCCL_WRITE_GOLDEN=1 cargo test --release -p noccl-studies --test it auto_record` writes it again.

use noccl_model::Calibration;
use noccl_net::Network;
use noccl_studies::{AlgorithmRequest, CompareRequest, Watch, compare_by_model, schedule};
use noccl_testkit::schedules::Case;
use noccl_testkit::schedules::Record;
use std::path::Path;

const HEAD: &str = "\
# network collective group root bytes output | 'runs' or 'model' may decide: what auto takes
";
fn request(case: &Case) -> CompareRequest {
    let of = case.collective.clone();
    CompareRequest {
        root: of.kind.has_root().then_some(of.root),
        algorithms: vec![AlgorithmRequest::Auto],
        operator: of.operator,
        element: of.element,
        definition: of.definition,
        ..CompareRequest::new(of.kind, of.group, vec![of.bytes])
    }
}

fn lines(network: &Network, case: &Case, calibration: &Calibration) -> Vec<String> {
    let request = request(case);
    let (bytes, auto) = (case.collective.bytes, AlgorithmRequest::Auto);
    let by_runs = match schedule(network, &request, bytes, auto, Watch::new(&|_| true)) {
        Ok(made) => format!("{} {:?}", made.algorithm, made.parameters),
        Err(error) => error.to_string(),
    };
    let by_model = match compare_by_model(network, &request, calibration) {
        Ok(found) => {
            let rows = found.rows.iter();
            let words = rows.map(|row| {
                let (name, parameters) = (&row.algorithm, &row.parameters);
                format!("{name} {parameters:?} {} cycles", row.cycles)
            });
            words.collect::<Vec<_>>().join("; ")
        }
        Err(error) => error.to_string(),
    };
    let flat = |text: String| text.replace('\n', " ");
    vec![
        format!("runs: {}", flat(by_runs)),
        format!("model: {}", flat(by_model)),
    ]
}

#[test]
fn auto_takes_what_the_record_says() {
    let calibration = Calibration::shipped().unwrap();
    let record = Record {
        path: Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/golden/auto.txt"
        )),
        head: HEAD,
        recorded_one_in: 4,
        compared_one_in: 7,
    };
    record.compare(|network, case| lines(network, case, &calibration));
}
