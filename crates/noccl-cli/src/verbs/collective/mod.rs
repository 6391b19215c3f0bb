// SPDX-License-Identifier: Apache-2.0
//! One collective: its schedule, its proof, its run, and algorithms beside each other.

pub mod baselines;
pub mod check;
pub mod compare;
pub mod demo;
pub mod matrix;
pub mod order;
mod rows;
pub mod run;
pub mod schedule;
