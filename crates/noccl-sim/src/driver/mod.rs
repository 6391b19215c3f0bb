// SPDX-License-Identifier: Apache-2.0
//! What gives the machine something to do: a schedule, a trace, or traffic.

pub(crate) mod schedule;
pub(crate) mod trace;
pub(crate) mod traffic;
