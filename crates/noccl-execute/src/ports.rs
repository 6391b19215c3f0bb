// SPDX-License-Identifier: Apache-2.0
//! Ports of a core whose messages are calls: its place, its console, its end. Ports into a network of core tiles are not there.

use crate::error::ExecuteError;
use crate::run::Driver;
use noccl_program::RankId;
use noccl_riscv::{Access, AccessKind, MAX_PAUSE_CYCLES, Port};

impl Driver<'_, '_> {
    /// Carries a port access out; the code with which the program ends, if it does.
    pub(crate) fn access(
        &mut self,
        id: RankId,
        access: Access,
    ) -> Result<Option<u64>, ExecuteError> {
        let port = Port::at(access.address);
        let wrong = |driver: &Self, what: String| Err(driver.fault(id, access.pc, what));
        let Some(port) = port.filter(|port| port.is_load() == is_load(access.kind)) else {
            let what = match (port, access.kind) {
                (Some(port), AccessKind::Load) => {
                    format!("a load from {}, to which one stores", port.c_name())
                }
                (Some(port), AccessKind::Store { .. }) => {
                    format!("a store to {}, from which one loads", port.c_name())
                }
                (None, _) => format!("no port at {:#010x}", access.address),
            };
            return wrong(self, what);
        };
        let coord = self.coords[id.0 as usize];
        let network = self.request.network;
        let mut go_on_cycle = access.cycle;
        let value = match (port, access.kind) {
            (Port::Cycle, _) => access.cycle,
            (Port::Rank, _) => u64::from(id.0),
            (Port::Ranks, _) => u64::from(self.request.ranks),
            (Port::Column, _) => u64::from(coord.x),
            (Port::Row, _) => u64::from(coord.y),
            (Port::Columns, _) => u64::from(network.cluster_width()),
            (Port::Rows, _) => u64::from(network.cluster_height()),
            (Port::Console, AccessKind::Store { value }) => {
                self.ranks[id.0 as usize].console.push(value as u8);
                0
            }
            (Port::End, AccessKind::Store { value }) => return Ok(Some(value & 0xffff_ffff)),
            (Port::Pause, AccessKind::Store { value }) => {
                go_on_cycle += value.min(MAX_PAUSE_CYCLES);
                0
            }
            (
                Port::Send
                | Port::Receive(_)
                | Port::ReceiveOther
                | Port::Status
                | Port::StaticSend
                | Port::StaticReceive
                | Port::StaticConfigure
                | Port::Console
                | Port::End
                | Port::Wait
                | Port::StaticIdle
                | Port::Waited
                | Port::WaitedUntil
                | Port::Untimed
                | Port::Pause,
                _,
            ) => {
                let what = format!(
                    "{} is a port into a network of core tiles; a program made with --calls has none of these: accepted: functions of mpi.h, or noccl build without --calls",
                    port.c_name()
                );
                return wrong(self, what);
            }
        };
        let core = &mut self.ranks[id.0 as usize].core;
        let _ = core.finish_load(value, access.cycle) || core.finish_store(go_on_cycle);
        Ok(None)
    }
}

const fn is_load(kind: AccessKind) -> bool {
    match kind {
        AccessKind::Load => true,
        AccessKind::Store { .. } => false,
    }
}
