// SPDX-License-Identifier: Apache-2.0
//! Bounds of many collectives, as a committed record.
//!
//! `NOCCL_WRITE_GOLDEN=1 cargo test --release -p noccl-model --test it record` writes it again.

use noccl_model::bounds;
use noccl_net::Network;
use noccl_testkit::schedules::Case;
use noccl_testkit::schedules::Record;
use std::path::Path;

const HEAD: &str = "\
# network collective group root bytes output | cycles: lower bound, of software, of the payload
";

fn line(network: &Network, case: &Case) -> String {
    match bounds(network, &case.collective) {
        Ok(found) => {
            let (least, payload) = (found.lower_bound_cycles, found.payload_bound_cycles);
            format!("{least} {} {payload}", found.software_bound_cycles)
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn bounds_are_those_of_the_record() {
    let record = Record {
        path: Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/golden/bounds.txt"
        )),
        head: HEAD,
        recorded_one_in: 1,
        compared_one_in: 1,
    };
    record.compare(|network, case| vec![line(network, case)]);
}
