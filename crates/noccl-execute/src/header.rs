// SPDX-License-Identifier: Apache-2.0
//! The header of `programs/calls`, made from the numbers here.

use crate::function::{Element, Fold, Function};
use crate::number::{COLLECTIVE_BEGINS, Number, WAIT_KEEP, WAIT_LOOK, WAIT_ONE};
use crate::windows::AccessKind;
use std::fmt::Write;

/// The header that gives C the numbers of calls.
#[must_use]
pub fn c_header() -> String {
    let mut text = String::from(
        "// SPDX-License-Identifier: Apache-2.0\n\
         // Numbers of calls. Made from crates/noccl-execute/src/number.rs and function.rs; a test of that crate compares them.\n\
         #ifndef NOCCL_CALLS_NUMBERS_H\n#define NOCCL_CALLS_NUMBERS_H\n\n",
    );
    for number in Number::ALL {
        let _ = writeln!(text, "#define {} {}", number.c_name(), number.code());
    }
    let _ = write!(
        text,
        "\n// Bits of CALL_WAIT.\n#define WAIT_ONE {WAIT_ONE}\n#define WAIT_LOOK {WAIT_LOOK}\n\
         #define WAIT_KEEP {WAIT_KEEP}\n\n\
         // Bit of a function of CALL_COLLECTIVE: it is non-blocking.\n#define COLLECTIVE_BEGINS {COLLECTIVE_BEGINS}\n"
    );
    let functions = Function::ALL.map(Function::name);
    numbered(&mut text, "Collective functions.", "FUNCTION", &functions);
    let operators = Fold::ALL.map(Fold::name);
    numbered(
        &mut text,
        "Operators, in bits 8 to 15 of a function.",
        "FOLD",
        &operators,
    );
    let elements = Element::ALL.map(Element::name);
    numbered(
        &mut text,
        "Types, in bits 16 to 23 of a function.",
        "ELEMENT",
        &elements,
    );
    let kinds = AccessKind::ALL.map(AccessKind::name);
    numbered(&mut text, "Accesses to windows.", "ACCESS", &kinds);
    text + "\n#endif\n"
}

fn numbered(text: &mut String, what: &str, prefix: &str, names: &[&str]) {
    let _ = writeln!(text, "\n// {what}");
    for (number, name) in names.iter().enumerate() {
        let _ = writeln!(text, "#define {prefix}_{} {number}", name.to_uppercase());
    }
}
