// SPDX-License-Identifier: Apache-2.0
//! What every run on the machine tells of itself, whichever driver it has.

use super::Machine;
use noccl_run::{Activity, Counters, RunConfig, Status};
use noccl_spec::Plane;

impl Status for Machine<'_> {
    fn config(&self) -> &RunConfig {
        &self.config
    }

    fn activity(&self) -> Activity {
        let (clock, is_idle) = (&self.clock, self.is_idle());
        // An empty network waits for its sources.
        let ignored = if is_idle { 0 } else { self.sources };
        Activity {
            cycle: clock.now(),
            quiet_cycles: clock.now() - clock.last_progress(),
            has_event: clock.num_events() > ignored,
            can_move: !is_idle,
        }
    }

    fn flit_hops(&self) -> u64 {
        self.mesh.flit_hops()
    }

    fn num_tiles(&self) -> usize {
        self.network.num_tiles()
    }

    fn counters(&self) -> Counters {
        let wide = &self.mesh.planes[Plane::Wide.idx()];
        Counters {
            flit_hops: self.mesh.flit_hops(),
            dca_ops: wide.added_elements(),
            payload_byte_hops: self.beat.bytes_of(wide.flit_hops),
            ..self.checks.counters
        }
    }
}
