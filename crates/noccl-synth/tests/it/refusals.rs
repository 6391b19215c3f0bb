// SPDX-License-Identifier: Apache-2.0
//! What no search can do is refused with what was found and what is accepted.

use crate::common::{collective, network, problem};
use noccl_net::TileId;
use noccl_synth::{Faults, Part, Problem};
use noccl_testkit::{assert_says, cluster};
use noccl_workload::{CollectiveKind, Operand, Output, Postcondition};

/// The refusal of a postcondition on a row of four.
fn refused(change: impl FnOnce(&mut Postcondition)) -> String {
    let network = network("collective_noc_4x4");
    let asked = collective(&network, CollectiveKind::Reduce, "row:0", cluster(0, 0), 64);
    let mut wanted = Postcondition::new(&network, &asked);
    change(&mut wanted);
    let part = Part {
        collective: asked,
        wanted,
    };
    let found = Problem::new(&network, vec![part], Faults::default());
    found.unwrap_err().to_string()
}

#[test]
fn impossible_postconditions_are_refused_by_field() {
    let no_operands = refused(|w| w.values.push(Vec::new()));
    assert_says(&no_operands, &["no operands; accepted:"]);
    let no_value = refused(|w| w.outputs[0].value = 7);
    assert_says(&no_value, &["output.value: 7; accepted: below 1"]);
    let no_tile = refused(|w| {
        w.values[0].push(Operand {
            tile: TileId(999),
            offset: 0,
        });
    });
    assert_says(&no_tile, &["tile: 999; accepted: below 20"]);
    let overlap = refused(|w| {
        let first: Output = w.outputs[0];
        w.outputs.push(Output {
            offset: first.offset + 8,
            ..first
        });
    });
    assert_says(&overlap, &["outputs that overlap neither"]);
    let beyond = refused(|w| w.outputs[0].offset = u64::MAX - 3);
    assert!(beyond.contains("cluster.l1_bytes"), "{beyond}");
}

#[test]
fn faults_that_nobody_can_avoid_are_refused() {
    let network = network("collective_noc_2x2");
    let links = [
        (cluster(0, 0), cluster(1, 0)),
        (cluster(0, 0), cluster(0, 1)),
    ];
    let faults = Faults::new(&network, &links, &[]).unwrap();
    let asked = collective(
        &network,
        CollectiveKind::AllGather,
        "all",
        cluster(0, 0),
        64,
    );
    let text = problem(&network, vec![asked.clone()], faults)
        .unwrap_err()
        .to_string();
    assert_says(&text, &["cut off from each other; accepted:"]);
    let faults = Faults::new(&network, &[], &[cluster(1, 1)]).unwrap();
    let text = problem(&network, vec![asked], faults)
        .unwrap_err()
        .to_string();
    assert_says(&text, &["takes part; accepted: tiles that take no part"]);
    let far = Faults::new(&network, &[(cluster(0, 0), cluster(1, 1))], &[]);
    let text = far.unwrap_err().to_string();
    assert!(
        text.contains("2 hops apart; accepted: a link between two neighbours"),
        "{text}"
    );
    let absent = Faults::new(&network, &[], &[cluster(5, 0)]);
    assert_says(absent.unwrap_err(), &["accepted: one of 2x2 clusters"]);
}

#[test]
fn groups_that_share_a_cluster_and_core_tiles_are_refused() {
    let small = network("collective_noc_4x4");
    let asked = |group| collective(&small, CollectiveKind::AllGather, group, cluster(0, 0), 64);
    let both = vec![asked("row:0"), asked("column:0")];
    let text = problem(&small, both, Faults::default())
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("in groups 0 and 1; accepted: groups without common"),
        "{text}"
    );
    let cores = network("tilepro64_2x2");
    let found = Problem::new(&cores, Vec::new(), Faults::default());
    let text = found.unwrap_err().to_string();
    assert!(
        text.contains("tilepro64_2x2; accepted: clusters with DMA engines"),
        "{text}"
    );
}
