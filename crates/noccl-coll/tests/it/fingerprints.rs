// SPDX-License-Identifier: Apache-2.0
//! Every schedule of the library, every refusal and every list of candidates, as a committed record of numbers.
//!
//! A change that is meant to change no schedule changes no line. After a change that is meant to, the differences of the file say
//! which algorithms it reaches: `NOCCL_WRITE_GOLDEN=1 cargo test --release -p noccl-tests --test coll fingerprints` writes it again.

use noccl_coll::{Algorithm, Choice, offered, schedule};
use noccl_net::Network;
use noccl_testkit::schedules::Case;
use noccl_testkit::schedules::{Record, fnv_1a};
use noccl_workload::Postcondition;
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "\
# network collective group root bytes output | algorithm: choices, schedules made, actions, number of them all
# 'all' numbers what the collective asks for, the candidates in their order, and what algorithms without a schedule say.
";

/// Parameters that no candidate has, so that they are recorded too.
const OTHERS: [&str; 34] = [
    "chain:3:push:software",
    "tree:5:pull:software",
    "tree:neighbour",
    "tree:ternary:root",
    "tree:2",
    "row_column:3:tree:pull:software",
    "row_column:2:push",
    "row_column:direct",
    "row_column:lag=1",
    "row_column:barrier",
    "double_tree:2:pull:software",
    "ring:software",
    "point_to_point:3:rings+direct",
    "point_to_point:2:swing+bine",
    "point_to_point:5:ring",
    "point_to_point:radix=3",
    "point_to_point:combine=3",
    "point_to_point:3:trees=3",
    "chainwrite:3:greedy",
    "chainwrite:2:id:blocks",
    "counter:row_column",
    "counter:pairwise:centre",
    "in_network:quads",
    "in_network:5",
    "in_network_once:centre",
    "unicast:lag=0",
    "pairwise:barrier",
    "pairwise:receive",
    "torus:lag=3",
    "torus:send",
    "rounds:literal:barrier",
    "planned:barrier",
    "dissemination",
    "in_network_static",
];

#[derive(Default)]
struct Sum {
    choices: usize,
    made: usize,
    actions: usize,
    text: String,
}

impl Sum {
    fn add(&mut self, network: &Network, case: &Case, choice: Choice) {
        self.choices += 1;
        let _ = write!(self.text, "{choice} ");
        match schedule(network, &case.collective, choice) {
            Ok(made) => {
                self.made += 1;
                self.actions += made.actions.len();
                let (first, claims, print) = (made.first, made.claims_rounds, made.fingerprint());
                let (name, parameters) = (&made.algorithm, &made.parameters);
                let _ = writeln!(
                    self.text,
                    "{name} {parameters:?} {first:?} {claims} {print:x}"
                );
            }
            Err(error) => {
                let _ = writeln!(self.text, "{error}");
            }
        }
    }
}

/// What the library makes of a case.
fn lines(network: &Network, case: &Case) -> Vec<String> {
    let asked = Postcondition::new(network, &case.collective);
    let (values, outputs) = (asked.values.len(), asked.outputs.len());
    let asked = fnv_1a(format!("{asked:?}").bytes());
    let offered = offered(network, &case.collective);
    let names: Vec<String> = offered.iter().map(ToString::to_string).collect();
    let others: Vec<Choice> = OTHERS.iter().filter_map(|text| text.parse().ok()).collect();
    let (mut lines, mut refused) = (Vec::new(), String::new());
    for algorithm in Algorithm::ALL {
        let plain = [Choice::new(algorithm, 1)];
        let all = plain.iter().chain(&offered).chain(&others);
        let mut sum = Sum::default();
        for choice in all.filter(|choice| choice.algorithm == algorithm) {
            sum.add(network, case, *choice);
        }
        if sum.made == 0 {
            refused += &sum.text;
            continue;
        }
        let (choices, made, actions) = (sum.choices, sum.made, sum.actions);
        let number = fnv_1a(sum.text.bytes());
        lines.push(format!(
            "{algorithm}: {choices} choices, {made} made, {actions} actions, {number:016x}"
        ));
    }
    lines.push(format!(
        "all: {values} values, {outputs} outputs, {asked:016x}; {} offered, {:016x}; refused, {:016x}",
        names.len(),
        fnv_1a(names.join(" ").bytes()),
        fnv_1a(refused.bytes())
    ));
    lines
}

#[test]
fn schedules_refusals_and_candidates_are_those_of_the_record() {
    let record = Record {
        path: Path::new(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../noccl-coll/tests/golden/schedules.txt"
        )),
        head: HEAD,
        recorded_one_in: 1,
        compared_one_in: 7,
    };
    record.compare(lines);
}

#[test]
fn parameters_of_the_record_are_read() {
    let wrong = OTHERS.iter().filter(|text| text.parse::<Choice>().is_err());
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}
