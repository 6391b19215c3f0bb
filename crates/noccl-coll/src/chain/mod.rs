// SPDX-License-Identifier: Apache-2.0
//! Chains of Torrent endpoints: the multicast over them, and the order in which they visit their destinations (S3 §III).

pub(crate) mod chainwrite;
pub mod order;
