// SPDX-License-Identifier: Apache-2.0
//! How many random cases a property is tested with.
//!
//! A plain `cargo test` draws few, so that whoever changes the code knows in minutes whether it holds; `NOCCL_CASES=long`
//! draws many.

use proptest::test_runner::Config;

/// Is this a long run (`NOCCL_CASES=long`)?
///
/// # Panics
///
/// If `NOCCL_CASES` has another value: a misspelt value would silently test little.
#[must_use]
pub fn is_long() -> bool {
    match std::env::var("NOCCL_CASES").as_deref() {
        Err(_) | Ok("") => false,
        Ok("long") => true,
        Ok(other) => panic!("NOCCL_CASES is '{other}'; accepted: long, or nothing"),
    }
}

/// Few cases by default, many in long runs.
///
/// # Panics
///
/// As [`is_long`].
#[must_use]
pub fn cases(default: u32, long: u32) -> u32 {
    if is_long() { long } else { default }
}

/// Of a list of cases one in so many by default, all in long runs.
///
/// # Panics
///
/// As [`is_long`].
#[must_use]
pub fn one_in(number: usize) -> usize {
    if is_long() { 1 } else { number }
}

/// Configuration of a property with that many cases.
#[must_use]
pub fn config(default: u32, long: u32) -> Config {
    Config {
        cases: cases(default, long),
        ..Config::default()
    }
}

/// Configuration of a property whose cases are cheap: 32 cases, 256 in long runs, or as many as `PROPTEST_CASES` says.
#[must_use]
pub fn cheap() -> Config {
    if std::env::var_os("PROPTEST_CASES").is_some() {
        return Config::default();
    }
    config(32, 256)
}
