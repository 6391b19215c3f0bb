// SPDX-License-Identifier: Apache-2.0
//! The routers of all planes, and the threads that share their cycles.

use crate::kernel::threads::{PARTS_PER_THREAD, Threads};
use crate::router::behaviour::Behaviour;
use crate::router::collective::bypass::Bypass;
use crate::router::collective::control::block::LANES;
use crate::router::collective::fifo::depths::Depths;
use crate::router::collective::merge::point::Joins;
use crate::router::collective::merge::types::JoinConfig;
use crate::router::collective::phases::sizes::{AnySizes, Sizes, TwoSlots};
use crate::router::collective::plane::{PlaneState, packed_coords};
use crate::router::published::packets::PublishedPackets;
use crate::router::published::reduction::Published;
use crate::transport::transaction::Trees;
use noccl_net::AxiNetwork;
use noccl_net::deadlock::{Windows, merge_timeout_cycles, reduction_flows};
use noccl_spec::{Plane, WideReductionKind};

/// Below this number of active blocks handing work to another thread costs more than it saves.
const MIN_PARALLEL_BLOCKS: usize = 64;

/// The planes, and what their routers share with the tiles.
pub(crate) struct Mesh {
    pub planes: [PlaneState; 3],
    /// Per tile: the cores or the network use the FPUs until this cycle.
    pub fpu_busy_until: Vec<u64>,
    threads: Threads,
}

impl Mesh {
    pub(crate) fn new(network: AxiNetwork<'_>, behaviour: &Behaviour, threads: usize) -> Self {
        let tiles = network.num_tiles();
        let join = join_config(network);
        let coords = packed_coords(network.width(), network.height());
        let height = network.height();
        let partitions = partition_count(threads);
        let blocks = tiles.div_ceil(LANES);
        // A path of one link passes no router.
        let max_links = Some(network.path_links() as usize).filter(|links| *links > 1);
        let plane = |plane| {
            let depths = Depths::of(network, plane);
            let published = behaviour.is_wormhole.then(|| Published::new(join));
            let joins = Joins::new(tiles, join, published);
            let mut plane =
                PlaneState::new(height, coords.clone(), tiles, joins, depths, partitions);
            plane.bypass = max_links.map(|links| Box::new(Bypass::new(blocks, links)));
            plane.direct = behaviour.direct.map(|of| of(&network));
            plane.published = behaviour
                .is_wormhole
                .then(|| Box::new(PublishedPackets::new(tiles)));
            plane.head_ages = behaviour.is_wormhole.then(|| plane.new_head_ages());
            plane
        };
        Self {
            planes: Plane::ALL.map(plane),
            fpu_busy_until: vec![0; tiles],
            threads: Threads::new(threads),
        }
    }

    /// What a checkpoint holds of it: everything but the threads.
    pub(crate) const fn state(&self) -> (&[PlaneState; 3], &Vec<u64>) {
        let Self {
            planes,
            fpu_busy_until,
            threads: _,
        } = self;
        (planes, fpu_busy_until)
    }

    /// Has no router a flit?
    pub(crate) fn is_idle(&self) -> bool {
        self.planes.iter().all(PlaneState::is_idle)
    }

    /// Links crossed so far, over all planes.
    pub(crate) fn flit_hops(&self) -> u64 {
        self.planes.iter().map(|p| p.flit_hops).sum()
    }

    /// Is there enough to do in this cycle for several threads?
    fn is_large(&self) -> bool {
        let active_blocks: usize = self.planes.iter().map(|p| p.active.len()).sum();
        active_blocks >= MIN_PARALLEL_BLOCKS
    }

    /// First phase of a cycle: which flits move.
    pub(crate) fn evaluate(&mut self, cycle: u64, is_value: bool) {
        self.planes.iter_mut().for_each(|p| p.begin(cycle));
        if self.has_two_slots() {
            self.evaluate_sizes::<TwoSlots>(is_value);
        } else {
            self.evaluate_sizes::<AnySizes>(is_value);
        }
    }

    /// Have all FIFOs two slots, and do links take one cycle?
    fn has_two_slots(&self) -> bool {
        self.planes.iter().all(PlaneState::has_two_slots)
    }

    fn evaluate_sizes<S: Sizes>(&mut self, is_value: bool) {
        let is_large = self.is_large();
        let planes = self.planes.each_mut();
        let parts = planes.map(|p| p.evaluate_parts::<S>(is_value));
        self.threads.run(parts, is_large);
    }

    /// Do flits pass routers in flight?
    pub(crate) fn has_bypass(&self) -> bool {
        self.planes.iter().any(|plane| plane.bypass.is_some())
    }

    /// Second and third phase: flits cross links and switches. Returns whether any has crossed a link.
    pub(crate) fn commit(&mut self, trees: &Trees, counts_deliveries: bool) -> bool {
        if self.has_two_slots() {
            self.commit_sizes::<TwoSlots>(trees, counts_deliveries)
        } else {
            self.commit_sizes::<AnySizes>(trees, counts_deliveries)
        }
    }

    fn commit_sizes<S: Sizes>(&mut self, trees: &Trees, counts_deliveries: bool) -> bool {
        let is_large = self.is_large();
        let planes = self.planes.each_mut();
        let parts = planes.map(|p| p.receive_parts::<S>(trees));
        self.threads.run(parts, is_large);
        let hops_before = self.flit_hops();
        self.planes.iter_mut().for_each(PlaneState::finish_receive);
        let has_crossed = self.flit_hops() != hops_before;
        let parts = self.planes.each_mut();
        let parts = parts.map(|p| p.switch_parts::<S>(counts_deliveries));
        self.threads.run(parts, is_large);
        self.planes.iter_mut().for_each(PlaneState::finish_switch);
        has_crossed
    }
}

/// Sizes and latencies of the merge and reduction units.
fn join_config(network: AxiNetwork<'_>) -> JoinConfig {
    let (router, cluster) = (&network.axi().router, &network.axi().cluster);
    let ni = &network.axi().ni;
    let (wide, fpu) = (&router.wide_reduction, &cluster.fpu);
    let cycles = [
        fpu.bits64_cycles,
        fpu.bits32_cycles,
        fpu.bits16_cycles,
        fpu.bits8_cycles,
    ];
    let row = cycles.into_iter().max().unwrap_or(1) as usize;
    let (adds_per_pass, second_row) = match wide.kind {
        WideReductionKind::TwoOperand => (1, 0),
        WideReductionKind::ThreeOperand => (2, row),
    };
    JoinConfig {
        merge_entries: router.merge_table_entries as usize,
        merge_timeout_cycles: merge_timeout_cycles(network).into(),
        merge_has_registers: router.merge_cycles > 1,
        slots: reduction_flows(network),
        windows: Windows::of(network),
        cut_cycles: u64::from(wide.cut_cycles),
        // More cut registers are places too.
        first_row: row + (wide.cut_cycles as usize).saturating_sub(2),
        second_row,
        cycles_per_add: u64::from(cluster.cycles_per_wide_addition(ni)),
        beat_bytes: ni.wide_beat_bytes,
        adds_per_pass,
    }
}

/// Ranges that the blocks of a plane are cut into.
const fn partition_count(threads: usize) -> usize {
    if threads > 1 {
        threads * PARTS_PER_THREAD
    } else {
        1
    }
}
