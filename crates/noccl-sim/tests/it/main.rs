// SPDX-License-Identifier: Apache-2.0
//! Tests of the crate through its public interface: one program, one module per subject.
#![allow(clippy::unwrap_used)]

mod all_reduce;
mod beat_widths;
mod checkpoint;
mod common;
mod conformance;
mod contributions;
mod diagnosis;
mod diagnosis_limits;
mod dma;
mod errors;
mod esp;
mod executed_checkpoint;
mod fifo_depths;
mod flags;
mod formula_bypass;
mod formula_published;
mod formula_reduction;
mod formula_unloaded;
mod golden_cycles;
mod ideal;
mod link_cycles;
mod merge_cycles;
mod messages;
mod open_run;
mod overlap;
mod prop_buffer_space;
mod prop_bypass;
mod prop_deadlock_check;
mod prop_deadlock_schedules;
mod prop_deliveries;
mod prop_messages;
mod prop_schedule;
mod prop_trace_limits;
mod record;
mod schedule_units;
mod smart;
mod streams;
mod threads;
mod torrent;
mod torrent_ideal;
mod torrent_lean;
mod torrent_parallel;
mod torrent_published;
mod traffic_deadlock;
