// SPDX-License-Identifier: Apache-2.0
//! One folder per kind of router; a kind states what interfaces have to know of it as a [`behaviour::Behaviour`].
//!
//! [`collective`] forks multicasts and merges contributions without blocking a FIFO; [`published`] adds to its planes what
//! the authors' routers do otherwise; [`ideal`] puts a crossbar in place of routers ([`direct`]); [`esp`], [`smart`] and
//! [`udn`] are networks of their own. [`wormhole`] is the engine of input-queued wormhole routers, ESP's and those between cores.

pub(crate) mod behaviour;
pub(crate) mod collective;
mod direct;
pub(crate) mod esp;
pub(crate) mod ideal;
pub(crate) mod mesh;
pub(crate) mod published;
pub(crate) mod smart;
pub(crate) mod stalls;
pub(crate) mod udn;
pub(crate) mod wormhole;

use behaviour::Behaviour;
use direct::DirectNetwork;
use noccl_net::{AxiNetwork, Network, TypedNetwork};
use noccl_run::RunError;
use noccl_spec::RouterFlow;
use serde::{Deserialize, Serialize};

/// What simulates routers of a kind.
pub(crate) enum RouterEngine<'n> {
    /// The machine, of which they ask this.
    Machine(AxiNetwork<'n>, Behaviour),
    /// ESP's.
    Esp(AxiNetwork<'n>),
    /// That of routers with bypass.
    Smart,
    /// Cores and the routers between them.
    Cores,
}

/// The one place that asks for the kind of the routers.
pub(crate) fn engine_of(network: &Network) -> RouterEngine<'_> {
    let can = network.routers();
    let network = match network.by_tiles() {
        TypedNetwork::Axi(network) => network,
        TypedNetwork::Cores(_) => return RouterEngine::Cores,
    };
    match network.axi().router.flow {
        RouterFlow::NonBlocking => RouterEngine::Machine(network, collective::behaviour(can)),
        RouterFlow::Published => RouterEngine::Machine(network, published::behaviour(can)),
        RouterFlow::Ideal => RouterEngine::Machine(network, ideal::behaviour(can)),
        RouterFlow::Esp => RouterEngine::Esp(network),
        RouterFlow::Smart => RouterEngine::Smart,
    }
}

/// The network in the machine with what its routers ask of that, or the refusal of `what` by those that are simulated without it.
pub(crate) fn behaviour_for<'n>(
    network: &'n Network,
    what: &str,
) -> Result<(AxiNetwork<'n>, Behaviour), RunError> {
    match engine_of(network) {
        RouterEngine::Machine(network, behaviour) => Ok((network, behaviour)),
        RouterEngine::Esp(_) => Err(esp::refused(what)),
        RouterEngine::Smart => Err(smart::refused(what)),
        RouterEngine::Cores => Err(udn::refused(what)),
    }
}

/// One plane of a network without routers, of every kind that has none; a checkpoint stores it.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Direct {
    /// A crossbar without limits.
    Ideal(Box<ideal::Crossbar>),
}

impl Direct {
    fn network(&self) -> &dyn DirectNetwork {
        match self {
            Self::Ideal(crossbar) => &**crossbar,
        }
    }

    fn network_mut(&mut self) -> &mut dyn DirectNetwork {
        match self {
            Self::Ideal(crossbar) => &mut **crossbar,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{RouterEngine, engine_of};
    use noccl_net::elaborate;
    use noccl_spec::{PRESET_NAMES, parse_spec, preset_text};

    #[test]
    fn a_network_in_the_machine_has_links_or_is_a_direct_one() {
        let mut num_direct = 0;
        for name in PRESET_NAMES {
            let spec = parse_spec(name, &preset_text(name).unwrap(), &[]).unwrap();
            let network = elaborate(&spec).unwrap();
            if let RouterEngine::Machine(_, behaviour) = engine_of(&network) {
                let is_direct = behaviour.direct.is_some();
                assert_ne!(is_direct, network.routers().has_links, "{name}");
                num_direct += usize::from(is_direct);
            }
        }
        assert_ne!(num_direct, 0);
    }
}
