// SPDX-License-Identifier: Apache-2.0
//! Flits on one line of routers, cycle by cycle: nobody is overtaken.

use crate::machine::Machine;
use crate::router::behaviour_for;
use crate::router::collective::control::block::LOCAL;
use crate::transport::flit::{Flit, FlitKind, pack};
use noccl_net::{Coord, Network, elaborate};
use noccl_run::{Mode, RunConfig};
use noccl_spec::{Plane, parse_spec, preset_text};

/// Five tiles in a row, with inputs of four slots.
fn line() -> Network {
    let name = "collective_noc_4x1_bypass";
    let depth = ("router.input_fifo_flits".to_owned(), "4".to_owned());
    let spec = parse_spec(name, &preset_text(name).unwrap(), &[depth]).unwrap();
    elaborate(&spec).unwrap()
}

/// What interfaces do in a cycle: tile and flit that one sends to a column, tiles whose flits are taken.
struct Cycle<'a> {
    sends: &'a [(usize, u16, u32)],
    takes: &'a [usize],
}

/// One cycle of the request plane. Returns the numbers of the flits taken.
fn step(machine: &mut Machine<'_>, cycle: &Cycle<'_>) -> Vec<u32> {
    machine.mesh.evaluate(0, false);
    for plane in Plane::ALL {
        let (state, mut context) = machine.split(plane);
        state.finish_evaluate(&mut context);
    }
    let (state, context) = machine.split(Plane::Req);
    let mut taken = Vec::new();
    for tile in cycle.takes {
        if state.fifo(*tile, false, LOCAL).next().is_some() {
            taken.push(state.local_head(*tile).txn);
            state.pop_local(0, 1 << tile);
        }
    }
    for (tile, column, number) in cycle.sends {
        let flit = Flit {
            txn: *number,
            dst: pack(Coord::new(*column, 0)),
            kind: FlitKind::NarrowWrite,
            ..Flit::default()
        };
        state.push_local(*tile, flit, context.trees);
    }
    for plane in Plane::ALL {
        let (state, mut context) = machine.split(plane);
        state.pass_in_flight(&mut context);
    }
    machine.mesh.commit(&machine.interfaces.txns.trees, false);
    taken
}

/// Tile 2 takes nothing, so that a flit to it stands at its input from tile 1. A flit that comes behind it while tile 2 sends over the
/// link eastwards stays there too. One more of the same source comes when that link is free: it may not go by.
#[test]
fn a_flit_does_not_pass_others_that_stand_at_an_input() {
    let network = line();
    let (network, behaviour) = behaviour_for(&network, "a test").unwrap();
    let mut machine = Machine::new(network, RunConfig::new(Mode::Timing), behaviour);
    let quiet = Cycle {
        sends: &[],
        takes: &[4],
    };
    for number in 1..=3 {
        let sends = [(1, 2, number)];
        step(
            &mut machine,
            &Cycle {
                sends: &sends,
                ..quiet
            },
        );
    }
    for _ in 0..10 {
        assert!(step(&mut machine, &quiet).is_empty());
    }
    let mut taken = Vec::new();
    for sends in [&[(1, 4, 10), (2, 4, 20)][..], &[(1, 4, 11)]] {
        taken.extend(step(&mut machine, &Cycle { sends, ..quiet }));
    }
    for _ in 0..10 {
        taken.extend(step(&mut machine, &quiet));
    }
    assert_eq!(taken, [20], "the others wait behind flit 3");
    let takes = Cycle {
        sends: &[],
        takes: &[2, 4],
    };
    for _ in 0..20 {
        taken.extend(step(&mut machine, &takes));
    }
    assert_eq!(taken, [20, 1, 2, 3, 10, 11]);
}
