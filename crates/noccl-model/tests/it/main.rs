// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod bounds;
mod flow;
mod published;
mod record;
