// SPDX-License-Identifier: Apache-2.0
//! What a program asks of the network: its actions as transactions, each a partial order of the places that it takes.

mod activity;
mod build;
mod transaction;

pub use activity::{Activity, Program, Work};
pub use transaction::Part;

pub(crate) use activity::Builder;
pub(crate) use activity::link_taken_twice;
pub(crate) use build::{CutIns, Rules};
#[cfg(test)]
pub(crate) use transaction::KeptUntil;
pub(crate) use transaction::{Behind, Transaction, Why};
