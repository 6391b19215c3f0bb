// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its command: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod claims;
mod pages;
