// SPDX-License-Identifier: Apache-2.0
//! What serves the others: benchmarks, pages, schemas, help.

pub mod bench;
pub mod build;
pub mod doctor;
pub mod help_markdown;
pub mod report;
pub mod schema;
