// SPDX-License-Identifier: Apache-2.0
//! Symbolic execution: what every memory holds, and whether the collective's postcondition is met.

mod content;
mod execute;
mod post;
mod words;

pub(crate) use content::RequiredOrder;
pub(crate) use execute::execute;
pub(crate) use post::check_postcondition;
