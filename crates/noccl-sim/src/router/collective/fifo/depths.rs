// SPDX-License-Identifier: Apache-2.0
//! Sizes of the FIFOs and lengths of the links that the routers of a plane have.

use noccl_net::AxiNetwork;
use noccl_spec::Plane;

/// Sizes of a plane's FIFOs and lengths of its links.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Depths {
    pub input_flits: usize,
    pub output_flits: usize,
    pub link_cycles: usize,
}

impl Depths {
    pub(crate) fn of(network: AxiNetwork<'_>, plane: Plane) -> Self {
        let router = &network.axi().router;
        Self {
            input_flits: router.input_fifo_flits as usize,
            output_flits: router.output_fifo_flits as usize,
            link_cycles: network.plane(plane).link_cycles as usize,
        }
    }
}
