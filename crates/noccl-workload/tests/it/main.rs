// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod check_accepts;
mod check_all_reduce;
mod check_blocks;
mod check_buffer_space;
mod check_chain;
mod check_deadlock;
mod check_form;
mod check_order;
mod check_own;
mod check_proof;
mod check_trace;
mod check_words;
mod common;
mod fingerprint;
mod layout;
mod number;
mod old_names;
mod prop_schedule;
mod read;
