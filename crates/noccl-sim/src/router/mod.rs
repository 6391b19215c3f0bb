// SPDX-License-Identifier: Apache-2.0
//! One folder per kind of router; a kind states what interfaces have to know of it as a [`behaviour::Behaviour`].
//!
//! [`collective`] forks multicasts and merges contributions without blocking a FIFO; [`published`] adds to its planes what
//! the authors' routers do otherwise; [`ideal`] puts a crossbar in place of routers; [`esp`] is a network of its own.

pub(crate) mod behaviour;
pub(crate) mod collective;
pub(crate) mod esp;
pub(crate) mod ideal;
pub(crate) mod mesh;
pub(crate) mod published;
pub(crate) mod smart;
