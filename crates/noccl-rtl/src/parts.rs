// SPDX-License-Identifier: Apache-2.0
//! Which files below `rtl` are the hardware. The build script reads this file too.

/// Folders, and the ends of the names that count there.
pub const PARTS: [Part; 4] = [
    ("src", &["sv"]),
    ("include", &["svh"]),
    ("cosim", &["sv", "cpp", "h", "f", "vlt"]),
    ("lint", &["vlt"]),
];

/// A folder with these ends.
pub type Part = (&'static str, &'static [&'static str]);
