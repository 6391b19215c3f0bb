// SPDX-License-Identifier: Apache-2.0
//! What a program has come to.

use noccl_program::RankReport;

/// What a rank has done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledRank {
    /// What its program has ended with.
    pub exit_code: u64,
    /// Instructions that it has executed.
    pub instructions: u64,
    /// What it has printed.
    pub console: Vec<u8>,
    /// Where its time went, and what it has sent.
    pub report: RankReport,
}

/// What a program has come to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalledResult {
    /// When the last rank ended.
    pub cycles: u64,
    /// By rank.
    pub ranks: Vec<CalledRank>,
    /// Flits or words times links.
    pub flit_hops: u64,
    /// Accesses to windows that conflict, with both calls.
    pub warnings: Vec<String>,
}
