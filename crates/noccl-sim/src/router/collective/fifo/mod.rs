// SPDX-License-Identifier: Apache-2.0
//! FIFOs of any depth and links of any length, and since when flits stand at heads.

pub(crate) mod depths;
pub(crate) mod head_age;
pub(crate) mod link_stages;
pub(crate) mod store;
pub(crate) mod tails;
#[cfg(test)]
mod tests;
