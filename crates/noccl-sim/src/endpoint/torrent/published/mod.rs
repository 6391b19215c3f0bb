// SPDX-License-Identifier: Apache-2.0
//! The endpoint with the stages of the published hardware.
//!
//! [`endpoint`] is its state, with a [`head`] for every chain that it leads and a [`follower`] for every chain that it
//! belongs to; [`lead`], [`follow`] and [`acknowledge`] are the parts of a [`cycle`].

mod acknowledge;
mod cycle;
pub(crate) mod endpoint;
mod follow;
pub(crate) mod follower;
pub(crate) mod head;
mod lead;
mod wait;
