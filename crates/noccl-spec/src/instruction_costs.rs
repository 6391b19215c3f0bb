// SPDX-License-Identifier: Apache-2.0
//! Named tables of what instructions of executed cores cost, as TOML.
//!
//! The core (`noccl-riscv`) knows no numbers of its own and this crate no core; a test of `noccl-riscv` reads each table
//! into its type.

/// Names and texts of the tables.
pub const INSTRUCTION_COSTS: [(&str, &str); 3] = [
    (
        "in_order",
        include_str!("../presets/instruction_costs/in_order.toml"),
    ),
    (
        "one_cycle",
        include_str!("../presets/instruction_costs/one_cycle.toml"),
    ),
    (
        "tilepro64",
        include_str!("../presets/instruction_costs/tilepro64.toml"),
    ),
];

/// The text of a table.
#[must_use]
pub fn instruction_costs_text(name: &str) -> Option<&'static str> {
    let found = INSTRUCTION_COSTS.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text)
}
