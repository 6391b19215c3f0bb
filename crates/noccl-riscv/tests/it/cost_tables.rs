// SPDX-License-Identifier: Apache-2.0
//! The spec's named tables are tables of this core: every class, and no other.

use noccl_riscv::CostTable;
use noccl_spec::{INSTRUCTION_COSTS, instruction_costs_text};
use std::error::Error;

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
