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

use behaviour::Behaviour;
use noccl_net::Network;
use noccl_spec::RouterFlow;

/// What the routers ask of the machine around them; none if they are simulated without it. The one place that asks
/// for the kind of the routers.
pub(crate) fn behaviour_of(network: &Network) -> Option<Behaviour> {
    let can = network.routers();
    match network.spec().router.flow {
        RouterFlow::NonBlocking => Some(collective::behaviour(can)),
        RouterFlow::Published => Some(published::behaviour(can)),
        RouterFlow::Ideal => Some(ideal::behaviour(can)),
        RouterFlow::Esp => None,
    }
}
