// SPDX-License-Identifier: Apache-2.0
//! Driver for open-loop traffic: sources create wide writes whatever the network does.
//!
//! Injection skips from packet to packet by a geometric draw instead of flipping a coin per tile and
//! cycle. Latency counts from creation, so it includes the wait in the source queue; sources go on while
//! the measured packets drain, as load that ends would flatter the tail.

use crate::diagnose::diagnose;
use crate::diagnose::view::Driver;
use crate::driver::drain_done;
use crate::driver::measurement::{Measurement, gap_cycles, other_source};
use crate::kernel::random::Stream;
use crate::machine::Machine;
use crate::machine::event::{Done, DriverEvent};
use crate::ni::axi::issue::Target;
use crate::ni::axi::state::Source;
use crate::transport::transaction::Owner;
use noccl_net::{Coord, MultiAddress};
use noccl_run::{Diagnosis, Progress, Run, RunError, Status, TrafficResult};
use noccl_workload::{MAX_TRAFFIC_CYCLES, Pattern, Place, Traffic, check_pattern};

#[derive(Debug)]
struct TrafficDriver<'t> {
    traffic: &'t Traffic,
    sources: Vec<(u32, Coord, Stream)>,
    width: u16,
    height: u16,
    measurement: Measurement<'t>,
}

/// Keeps the end of the run in its type, drain included.
fn check_cycles(traffic: &Traffic) -> Result<(), RunError> {
    for (what, cycles) in [
        ("warmup_cycles", traffic.warmup_cycles),
        ("measure_cycles", traffic.measure_cycles),
    ] {
        if cycles > MAX_TRAFFIC_CYCLES {
            return Err(RunError::Refused {
                backend: "sim",
                what: format!("{what} = {cycles}"),
                reason: format!("accepted: at most 2^36 = {MAX_TRAFFIC_CYCLES}"),
            });
        }
    }
    Ok(())
}

impl<'t> TrafficDriver<'t> {
    fn new(traffic: &'t Traffic, machine: &mut Machine<'_>) -> Result<Self, RunError> {
        let network = machine.network;
        let (width, height) = (network.cluster_width(), network.cluster_height());
        check_cycles(traffic)?;
        check_pattern(&network, traffic.pattern).map_err(|error| RunError::Refused {
            backend: "sim",
            what: "traffic".to_owned(),
            reason: error.to_string(),
        })?;
        let sources: Vec<_> = network
            .clusters()
            .map(|t| {
                let at = network
                    .cluster_coord(network.coord(t))
                    .expect("a cluster lies in the cluster region");
                (t.0, at, Stream::new(traffic.seed ^ u64::from(t.0) << 20))
            })
            .collect();
        let mut driver = Self {
            traffic,
            sources,
            width,
            height,
            measurement: Measurement::new(traffic),
        };
        if traffic.offered_beats_per_cycle > 0.0 {
            for source in 0..driver.sources.len() as u32 {
                if traffic
                    .pattern
                    .sends(driver.sources[source as usize].1, width, height)
                {
                    driver.schedule_next(source, machine);
                    machine.sources += 1;
                }
            }
        }
        Ok(driver)
    }

    fn schedule_next(&mut self, source: u32, machine: &mut Machine<'_>) {
        let gap = gap_cycles(self.traffic, &mut self.sources[source as usize].2);
        machine.call_driver(
            machine.clock.now() + 1 + gap,
            DriverEvent::Create { source },
        );
    }

    /// An event of this driver is due.
    fn on_event(&mut self, event: DriverEvent, machine: &mut Machine<'_>) {
        match event {
            DriverEvent::Create { source } => self.create(source, machine),
            DriverEvent::Core(_) | DriverEvent::Start { .. } => {}
        }
    }

    /// A source creates a packet.
    fn create(&mut self, source: u32, machine: &mut Machine<'_>) {
        self.schedule_next(source, machine);
        let (tile, at, _) = self.sources[source as usize];
        let to = match self.traffic.pattern {
            Pattern::RowMulticast => {
                let row = MultiAddress::new(Coord::new(0, at.y), Coord::new(self.width - 1, 0));
                Target::Set(machine.network.cube(row))
            }
            Pattern::Broadcast | Pattern::CornerBroadcast => {
                let last = Coord::new(self.width - 1, self.height - 1);
                let all = MultiAddress::new(Coord::new(0, 0), last);
                Target::Set(machine.network.cube(all))
            }
            // The last two are refused before they begin.
            Pattern::Uniform
            | Pattern::Transpose
            | Pattern::BitComplement
            | Pattern::Neighbour
            | Pattern::Tornado
            | Pattern::Hotspot
            | Pattern::RandomMulticast
            | Pattern::ManyToOne => Target::Tile(self.destination(source, at, machine)),
        };
        let deliveries = match to {
            Target::Set(set) => u64::from(set.set.len()),
            Target::Tile(_) => 1,
        };
        let created = machine.clock.now();
        let tag = self.measurement.create(created, deliveries) as u32;
        let owner = Owner::Traffic { created, tag };
        let seed = u64::from(source) << 32 ^ machine.clock.now();
        machine.issue_write(
            tile,
            to,
            0,
            machine.beat.bytes_of(u64::from(self.traffic.beats)) as u32,
            owner,
            Source::Pattern(seed),
        );
    }

    fn destination(&mut self, source: u32, at: Coord, machine: &Machine<'_>) -> u32 {
        let pattern = self.traffic.pattern;
        if let Some(to) = pattern.destination(at, self.width, self.height) {
            return machine.network.tile_at(machine.network.mesh_coord(to)).0;
        }
        let count = self.sources.len();
        let other = other_source(source, count, &mut self.sources[source as usize].2);
        self.sources[other].0
    }

    fn on_done(&mut self, done: Done, machine: &Machine<'_>) {
        let Done::Delivered {
            owner: Owner::Traffic { created, tag },
            beats,
            ..
        } = done
        else {
            return;
        };
        let now = machine.clock.now();
        self.measurement.deliver(now, u64::from(beats));
        let is_collective = self.traffic.pattern.is_collective();
        let tag = if is_collective {
            u64::from(tag)
        } else {
            created
        };
        self.measurement.complete(now, tag);
    }
}

/// A run of traffic between two cycles.
pub(crate) struct TrafficRun<'a> {
    machine: Machine<'a>,
    driver: TrafficDriver<'a>,
    created: Vec<DriverEvent>,
}

impl<'a> TrafficRun<'a> {
    /// A run before its first cycle.
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn new(mut machine: Machine<'a>, traffic: &'a Traffic) -> Result<Self, RunError> {
        let driver = TrafficDriver::new(traffic, &mut machine)?;
        Ok(Self {
            machine,
            driver,
            created: Vec::new(),
        })
    }
}

impl Run for TrafficRun<'_> {
    type Result = TrafficResult;

    fn status(&self) -> &dyn Status {
        &self.machine
    }

    fn step(&mut self) {
        let Self {
            machine,
            driver,
            created,
        } = self;
        machine.begin_cycle(created);
        drain_done(machine, |done, machine| driver.on_done(done, machine));
        for event in created.iter() {
            driver.on_event(*event, machine);
        }
        machine.end_cycle();
    }

    fn is_over(&self) -> bool {
        (self.driver.measurement).is_over(&self.machine)
    }

    fn progress(&self) -> Progress {
        self.driver.measurement.progress(self.machine.clock.now())
    }

    fn diagnose(&self) -> Diagnosis {
        diagnose(&self.machine, Driver::Traffic)
    }

    fn result(&self, _outputs: &[(Place, u64)]) -> TrafficResult {
        let (machine, sources) = (&self.machine, self.driver.sources.len());
        (self.driver.measurement).result(machine.clock.now(), sources, machine.flit_hops())
    }
}
