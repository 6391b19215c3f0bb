// SPDX-License-Identifier: Apache-2.0
//! Runs that accept actions during the simulation, on routers of every kind that offers them.

use crate::driver::open::OpenMachineRun;
use crate::machine::Machine;
use crate::router::{RouterEngine, engine_of, esp, smart, udn};
use noccl_net::Network;
use noccl_run::{OpenRun, RunConfig, RunError};

/// A run before its first cycle, in which nothing has been submitted.
///
/// # Errors
/// [`RunError::Refused`] by routers that run whole schedules only.
pub fn open_run<'a>(
    network: &'a Network,
    config: &RunConfig,
) -> Result<Box<dyn OpenRun + 'a>, RunError> {
    config.check()?;
    let what = "actions submitted while it goes on";
    match engine_of(network) {
        RouterEngine::Machine(network, behaviour) => {
            let machine = Machine::new(network, config.clone(), behaviour);
            Ok(Box::new(OpenMachineRun::new(machine)))
        }
        RouterEngine::Cores => Ok(Box::new(udn::open_run(network, config)?)),
        RouterEngine::Esp(_) => Err(esp::refused(what)),
        RouterEngine::Smart => Ok(Box::new(smart::open_run(network, config)?)),
    }
}
