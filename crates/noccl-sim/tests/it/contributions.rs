// SPDX-License-Identifier: Apache-2.0
//! Contributions that do not fit together (`docs/errors.md`): members that disagree, barriers that bear a name in use.

use crate::common::{cluster, cube, disagree, network, reduction, run_trace as run};
use noccl_run::RunError;
use noccl_testkit::traces::barrier as port_barrier;
use noccl_workload::{Difference, ElementType, Fault, Operator, PortKind};

const OKAY: u8 = 0;
const SLVERR: u8 = 2;

#[test]
fn members_that_say_the_same_agree_until_they_meet_others() {
    let net = network("collective_noc_4x4");
    let other = |member| disagree(member, Difference::Element(ElementType::Fp64));
    // Whoever comes first says what a sum is; the burst fails in any case.
    for members in [0..2, 0..15, 15..16] {
        let faults = members.map(other).collect();
        let result = run(&net, vec![reduction(65)], faults).expect("completes");
        assert_eq!(result.responses, [SLVERR]);
    }
}

/// A barrier over a row or a column of clusters from (0, 0) on, its members' starts from one to the other.
fn barrier(mask: (u16, u16), first: u64, last: u64) -> (Vec<Option<u64>>, PortKind) {
    let kind = port_barrier(cube(0, 0, mask.0, mask.1), cluster(2, 2));
    let members = u64::from(mask.0 + mask.1 + 1);
    let start = |m| first + (last - first) * m / (members - 1);
    ((0..members).map(|m| Some(start(m))).collect(), kind)
}

#[test]
fn a_barrier_that_finds_its_name_in_use_gets_an_error() {
    let net = network("collective_noc_4x4");
    let named = vec![Fault::Name {
        transaction: 1,
        of: 0,
    }];
    let row = || barrier((3, 0), 0, 400);
    for (second, expected) in [
        // While the first one is open; each second somewhere; after the first one.
        (barrier((0, 3), 100, 150), [OKAY, SLVERR]),
        (barrier((0, 1), 100, 600), [SLVERR, SLVERR]),
        (barrier((0, 3), 800, 900), [OKAY, OKAY]),
    ] {
        let entries = vec![row(), second.clone()];
        let result = run(&net, entries, named.clone()).expect("completes");
        assert_eq!(result.responses, expected, "{second:?}");
        let result = run(&net, vec![row(), second], Vec::new()).expect("completes");
        assert_eq!(result.responses, [OKAY, OKAY], "names of their own");
    }
    let entries = vec![barrier((3, 0), 100, 150), barrier((0, 3), 0, 400)];
    let result = run(&net, entries, named).expect("completes");
    assert_eq!(result.responses, [SLVERR, OKAY], "whichever comes second");
}

#[test]
fn faults_that_make_no_difference_are_refused() {
    let net = network("collective_noc_4x4");
    let kinds = [1, 2, 3, 4].map(|bytes| disagree(bytes - 1, Difference::EnabledBytes(bytes)));
    let max = Difference::Operator(Operator::Max);
    let name = |of| Fault::Name { transaction: 0, of };
    let other_root = port_barrier(cube(0, 0, 3, 3), cluster(1, 1));
    let row = || vec![barrier((3, 0), 0, 3), barrier((3, 0), 0, 3)];
    for (entries, faults, reason) in [
        (
            vec![reduction(4)],
            (0..16).map(|m| disagree(m, max)).collect(),
            "all say the same",
        ),
        (vec![reduction(4)], kinds.to_vec(), "more than three kinds"),
        (
            vec![reduction(4)],
            vec![
                disagree(3, Difference::Operator(Operator::And)),
                disagree(3, Difference::Element(ElementType::Fp64)),
            ],
            "not defined",
        ),
        (
            vec![reduction(4), barrier((3, 0), 0, 3)],
            vec![name(1)],
            "only barriers",
        ),
        (row(), vec![name(1)], "different groups"),
        (row(), vec![name(0)], "different groups"),
        (
            vec![barrier((3, 0), 0, 3), (vec![Some(0); 16], other_root)],
            vec![name(1)],
            "one root",
        ),
    ] {
        let result = run(&net, entries, faults);
        let Err(RunError::Refused { reason: found, .. }) = result else {
            panic!("{reason}: should be refused, {result:?}")
        };
        assert!(found.contains(reason), "{found}");
    }
}
