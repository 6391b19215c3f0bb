// SPDX-License-Identifier: Apache-2.0
//! An instruction takes what its class costs.

use crate::common::{COSTS, DATA, addi, i_type, load, lui, machine, r_type, store};
use noccl_riscv::{CostTable, RiscvError};
use noccl_spec::{INSTRUCTION_COSTS, instruction_costs_text};
use std::error::Error;

fn cycles(word: u32) -> Result<u64, RiscvError> {
    let (program, mut core) = machine(&[lui(5, DATA as u32), word, addi(0, 0, 0), addi(0, 0, 0)])?;
    core.run(&program, 2);
    Ok(core.cycle - u64::from(COSTS.integer_cycles))
}

#[test]
fn instructions_cost_what_their_class_says() -> Result<(), RiscvError> {
    let float = |f7, f3, rs2| r_type(0x53, f3, f7, 1, 2, rs2);
    let costs = [
        (addi(1, 1, 1), COSTS.integer_cycles),
        (0x0000_000f, COSTS.integer_cycles),
        (i_type(0x73, 2, 1, 0, 3), COSTS.integer_cycles),
        (r_type(0x33, 0, 1, 1, 2, 3), COSTS.multiply_cycles),
        (r_type(0x33, 3, 1, 1, 2, 3), COSTS.multiply_cycles),
        (r_type(0x3b, 0, 1, 1, 2, 3), COSTS.multiply_cycles),
        (r_type(0x33, 4, 1, 1, 2, 3), COSTS.divide_cycles),
        (r_type(0x3b, 7, 1, 1, 2, 3), COSTS.divide_cycles),
        (load(3, 1, 5, 0), COSTS.load_cycles),
        (i_type(0x07, 3, 1, 5, 0), COSTS.load_cycles),
        (store(3, 1, 5, 0), COSTS.store_cycles),
        // beq x0, x0, +4 and bne x0, x0, +4.
        (0x0000_0263, COSTS.branch_taken_cycles),
        (0x0000_1263, COSTS.branch_not_taken_cycles),
        // jal x1, +4.
        (0x0040_00ef, COSTS.jump_cycles),
        (r_type(0x2f, 3, 0, 1, 5, 2), COSTS.atomic_cycles),
        (float(0x01, 0, 3), COSTS.float_add_cycles),
        (float(0x04, 0, 3), COSTS.float_add_cycles),
        (float(0x09, 0, 3), COSTS.float_multiply_cycles),
        (r_type(0x43, 0, 1, 1, 2, 3), COSTS.float_fused_cycles),
        (float(0x0d, 0, 3), COSTS.float_divide_cycles),
        (float(0x2d, 0, 0), COSTS.float_sqrt_cycles),
        (float(0x61, 0, 0), COSTS.float_convert_cycles),
        (float(0x69, 0, 0), COSTS.float_convert_cycles),
        (float(0x21, 0, 0), COSTS.float_convert_cycles),
        (float(0x51, 0, 3), COSTS.float_compare_cycles),
        (float(0x15, 0, 3), COSTS.float_compare_cycles),
        (float(0x71, 1, 0), COSTS.float_compare_cycles),
        (float(0x71, 0, 0), COSTS.float_move_cycles),
        (float(0x11, 0, 3), COSTS.float_move_cycles),
        (float(0x79, 0, 0), COSTS.float_move_cycles),
    ];
    for (word, cost) in costs {
        assert_eq!(cycles(word)?, u64::from(cost), "{word:#010x}");
    }
    Ok(())
}

// The spec's named tables are tables of this core: every class, and no other.

fn table(name: &str) -> Result<CostTable, Box<dyn Error>> {
    let text = instruction_costs_text(name).ok_or("no such table")?;
    Ok(toml::from_str(text)?)
}

#[test]
fn named_tables_have_all_classes() -> Result<(), Box<dyn Error>> {
    for (name, text) in INSTRUCTION_COSTS {
        table(name)?;
        for line in text.lines().filter(|line| line.contains(" = ")) {
            let without = text.replace(line, "");
            let refused = toml::from_str::<CostTable>(&without).is_err();
            assert!(refused, "{name} without {line}");
        }
    }
    assert_eq!(table("one_cycle")?, CostTable::uniform(1));
    let (with_unit, without) = (table("in_order")?, table("tilepro64")?);
    assert!(with_unit.float_divide_cycles > 1);
    assert!(without.float_add_cycles > 10 * with_unit.float_add_cycles);
    assert_eq!(instruction_costs_text("other"), None);
    Ok(())
}
