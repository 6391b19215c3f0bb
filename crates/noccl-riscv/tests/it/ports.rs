// SPDX-License-Identifier: Apache-2.0
//! Accesses to ports end the run; the caller says what they return and when the core goes on.

use crate::common::{COSTS, DATA, EBREAK, addi, i_type, load, lui, machine, r_type, store};
use noccl_riscv::{
    Access, AccessKind, Core, MEMORY_BASE, Outside, PORTS_BASE, Port, RiscvError, Stopped, c_header,
};
use noccl_testkit::generated::assert_fresh;
use std::error::Error;
use std::path::Path;

#[test]
fn a_load_waits_for_its_value_and_its_cycle() -> Result<(), RiscvError> {
    let base = lui(5, PORTS_BASE as u32);
    let words = [
        base,
        load(3, 6, 5, 8),
        load(2, 7, 5, 8),
        load(6, 8, 5, 16),
        EBREAK,
    ];
    let (program, mut core) = machine(&words)?;
    let access = Access {
        pc: MEMORY_BASE + 4,
        address: Port::Receive(0).address(),
        bytes: 8,
        kind: AccessKind::Load,
        cycle: 1,
        ready_cycle: 3,
    };
    assert_eq!(core.run(&program, 50), Stopped::Port(access));
    assert_eq!(
        core.run(&program, 50),
        Stopped::Port(access),
        "it still waits"
    );
    assert!(!core.finish_store(10), "no store waits");
    assert!(core.finish_load(0x8000_0000_8000_0000, 10));
    assert!(!core.finish_load(0, 11), "done already");
    assert_eq!(
        (core.cycle, core.registers.x[6]),
        (10, 0x8000_0000_8000_0000)
    );
    // Words: signed and unsigned. A response for a cycle that has passed takes what the load costs.
    let stopped = core.run(&program, 50);
    assert!(matches!(
        stopped,
        Stopped::Port(Access {
            bytes: 4,
            cycle: 10,
            ..
        })
    ));
    core.finish_load(0x8000_0000, 0);
    assert_eq!(
        (core.cycle, core.registers.x[7]),
        (12, 0xffff_ffff_8000_0000)
    );
    core.run(&program, 50);
    core.finish_load(0x8000_0000, 12);
    assert_eq!(core.registers.x[8], 0x8000_0000);
    assert_eq!(core.retired_instructions, 4);
    Ok(())
}

#[test]
fn a_store_brings_one_word_or_two() -> Result<(), RiscvError> {
    let base = lui(5, PORTS_BASE as u32);
    let words = [
        base,
        addi(6, 0, -2),
        store(2, 6, 5, 0),
        store(3, 6, 5, 0),
        EBREAK,
    ];
    let (program, mut core) = machine(&words)?;
    let mut values = Vec::new();
    while let Stopped::Port(access) = core.run(&program, 1000) {
        values.push((access.bytes, access.kind, access.ready_cycle - access.cycle));
        assert!(core.finish_store(access.ready_cycle + 3));
    }
    let cost = u64::from(COSTS.store_cycles);
    let value = u64::MAX - 1;
    let word = AccessKind::Store { value: 0xffff_fffe };
    let double = AccessKind::Store { value };
    assert_eq!(values, [(4, word, cost), (8, double, cost)]);
    assert_eq!(core.cycle, 2 + 2 * (cost + 3));
    Ok(())
}

#[test]
fn a_core_that_waits_is_the_same_after_being_saved() -> Result<(), Box<dyn Error>> {
    let base = lui(5, PORTS_BASE as u32);
    let reserve = r_type(0x2f, 3, 2 << 2, 8, 7, 0);
    let conditional = r_type(0x2f, 3, 3 << 2, 9, 7, 5);
    let words = [
        base,
        lui(7, DATA as u32),
        store(3, 5, 7, 2040),
        // csrrwi fcsr, 5: an inexact underflow.
        i_type(0x73, 5, 0, 3, 3),
        reserve,
        load(3, 6, 5, 8),
        conditional,
        EBREAK,
    ];
    let (program, mut core) = machine(&words)?;
    let (_, start) = machine(&words)?;
    assert!(matches!(core.run(&program, 100), Stopped::Port(_)));
    let text = serde_json::to_string(&core.saved(&start))?;
    assert_eq!(
        text.matches("\"address\"").count(),
        2,
        "a page and the access"
    );
    let mut loaded = start.clone();
    loaded.restore(serde_json::from_str(&text)?)?;
    assert_eq!(loaded, core);
    for core in [&mut core, &mut loaded] {
        assert!(core.finish_load(7, 40));
        core.run(&program, 1000);
    }
    assert_eq!(loaded, core);
    assert_eq!(
        core.registers.x[9], 0,
        "the reservation is part of the state"
    );
    let mut small = Core::new(&program, 1 << 12, 3)?;
    let refused = small.restore(serde_json::from_str(&text)?);
    let outside = Outside::Memory {
        address: DATA,
        bytes: 4096,
    };
    assert_eq!(refused, Err(outside));
    Ok(())
}

#[test]
fn no_instruction_begins_at_the_limit_or_later() -> Result<(), RiscvError> {
    let words = [
        addi(1, 1, 1),
        r_type(0x33, 0, 1, 2, 1, 1),
        addi(1, 1, 1),
        EBREAK,
    ];
    // One cycle, then three, then one.
    for (limit, cycle, retired) in [(0, 0, 0), (1, 1, 1), (2, 4, 2), (4, 4, 2), (5, 5, 3)] {
        let (program, mut core) = machine(&words)?;
        assert_eq!(core.run(&program, limit), Stopped::CycleLimit);
        assert_eq!(
            (core.cycle, core.retired_instructions),
            (cycle, retired),
            "{limit}"
        );
    }
    Ok(())
}

#[test]
fn ports_have_addresses_of_their_own_and_the_runtime_knows_them() {
    for port in Port::ALL {
        assert_eq!(Port::at(port.address()), Some(port));
        assert!(port.address() % 8 == 0 && port.address() < PORTS_BASE + noccl_riscv::PORTS_BYTES);
    }
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs");
    assert_fresh(&programs.join("runtime/include/noccl_ports.h"), &c_header());
}
