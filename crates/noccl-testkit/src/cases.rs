// SPDX-License-Identifier: Apache-2.0
//! How many random cases a property is tested with.

use proptest::test_runner::Config;

/// Few cases by default, many in long runs (`NOCCL_CASES=long`).
///
/// # Panics
///
/// If `NOCCL_CASES` has another value: a misspelt value would silently test little.
#[must_use]
pub fn cases(default: u32, long: u32) -> u32 {
    match std::env::var("NOCCL_CASES").as_deref() {
        Err(_) | Ok("") => default,
        Ok("long") => long,
        Ok(other) => panic!("NOCCL_CASES is '{other}'; accepted: long, or nothing"),
    }
}

/// Configuration of a property with that many cases.
///
/// `PROPTEST_CASES`, where it is set, decides instead.
#[must_use]
pub fn config(default: u32, long: u32) -> Config {
    let mut config = Config::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases(default, long);
    }
    config
}
