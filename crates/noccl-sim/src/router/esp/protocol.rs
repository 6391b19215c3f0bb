// SPDX-License-Identifier: Apache-2.0
//! Who asks and who sends: consumers are started, request; the producer notes all requests and sends packets.
//!
//! Mirrors `esp_acc_dma` and the socket's request and data queues: a request is a header and a length flit; a
//! producer sends nothing before every consumer has asked, so data are taken wherever they arrive.

use super::planes::{EspPacket, EspPlane, EspPlanes};
use crate::endpoint::memory::Memories;
use crate::kernel::random::mix;
use noccl_net::{AxiNetwork, Network, TileId};
use noccl_run::{ActionTime, Counters, MemoryImage, RunError};
use noccl_spec::EspEndpoint;
use noccl_workload::{ActionKind, ListMulticast, Place, Schedule, participants};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

/// Header and length.
const REQUEST_FLITS: u32 = 2;

#[derive(Debug, Clone, Copy)]
enum EspEvent {
    /// A consumer's request leaves.
    Request { action: u32, consumer: TileId },
    /// The producer has noted one more request.
    Noted { action: u32 },
    /// The first beat has been read.
    Send { action: u32 },
    /// The producer has sent everything, or a consumer has everything.
    Over { action: u32, tile: TileId },
}

/// All endpoints of a run.
pub(super) struct Protocol<'s> {
    network: AxiNetwork<'s>,
    endpoint: EspEndpoint,
    packet_beats: u64,
    beat_bytes: u64,
    is_value: bool,
    tasks: Vec<EspTask<'s>>,
    /// Actions that a tile has before it, the current one first.
    queues: BTreeMap<TileId, VecDeque<u32>>,
    /// Consumers that the CPU may start, by action and place in its list.
    startable: BTreeSet<(u32, usize)>,
    cpu_free_cycle: u64,
    events: BTreeMap<u64, Vec<EspEvent>>,
    memories: Memories,
    pub counters: Counters,
    pub checksum: u64,
}

impl<'s> Protocol<'s> {
    pub(super) fn new(
        network: AxiNetwork<'s>,
        schedule: &'s Schedule,
        is_value: bool,
    ) -> Result<Self, RunError> {
        let axi = network.axi();
        let (Some(router), Some(endpoint)) = (&axi.router.esp, &axi.cluster.esp) else {
            return Err(refused(
                "the network",
                "has no [router.esp] and [cluster.esp]",
            ));
        };
        let tasks: Result<Vec<EspTask<'s>>, RunError> = schedule
            .actions
            .iter()
            .enumerate()
            .map(|(index, action)| EspTask::new(network.network(), index, &action.kind))
            .collect();
        let tasks = tasks?;
        let mut protocol = Self {
            network,
            endpoint: endpoint.clone(),
            packet_beats: match router.worm_flits {
                0 => u64::MAX,
                flits => u64::from(flits),
            },
            beat_bytes: u64::from(axi.ni.wide_beat_bytes),
            is_value,
            tasks,
            queues: BTreeMap::new(),
            startable: BTreeSet::new(),
            cpu_free_cycle: 0,
            events: BTreeMap::new(),
            memories: Memories::default(),
            counters: Counters::default(),
            checksum: 0,
        };
        for (index, action) in schedule.actions.iter().enumerate() {
            for tile in participants(&network, &action.kind) {
                let queue = protocol.queues.entry(tile).or_default();
                queue.push_back(index as u32);
                if queue.len() == 1 {
                    protocol.begin(index as u32, tile, 0);
                }
            }
        }
        Ok(protocol)
    }

    /// Writes the inputs into the memories.
    pub(super) fn fill(&mut self, inputs: &[MemoryImage]) -> Result<(), RunError> {
        self.memories.fill(&self.network, inputs)
    }

    pub(super) const fn network(&self) -> &'s Network {
        self.network.network()
    }

    pub(super) const fn num_actions(&self) -> usize {
        self.tasks.len()
    }

    /// Memory after the run.
    pub(super) fn read(&self, outputs: &[(Place, u64)]) -> Vec<MemoryImage> {
        self.memories.images(&self.network, outputs)
    }

    pub(super) fn is_over(&self) -> bool {
        self.tasks.iter().all(|task| task.open == 0)
    }

    pub(super) fn num_done(&self) -> usize {
        self.tasks.iter().filter(|task| task.open == 0).count()
    }

    pub(super) fn times(&self) -> Vec<ActionTime> {
        let time = |task: &EspTask<'_>| ActionTime {
            // 0: a task that nobody has begun.
            start_cycle: task.start_cycle.unwrap_or(0),
            finish_cycle: task.finish_cycle,
        };
        self.tasks.iter().map(time).collect()
    }

    /// The next cycle in which something happens at an endpoint, after this one.
    pub(super) fn next_event(&self, cycle: u64) -> Option<u64> {
        let start = self.cpu_free_cycle.max(cycle + 1);
        let start = (!self.startable.is_empty()).then_some(start);
        self.events
            .keys()
            .next()
            .copied()
            .into_iter()
            .chain(start)
            .min()
    }

    /// What is due in this cycle; whatever that causes in the same cycle too.
    pub(super) fn begin_cycle(&mut self, cycle: u64, planes: &mut EspPlanes) {
        loop {
            self.start_consumers(cycle);
            let Some(due) = self.events.remove(&cycle) else {
                break;
            };
            for event in due {
                match event {
                    EspEvent::Request { action, consumer } => {
                        self.request(action, consumer, planes)
                    }
                    EspEvent::Noted { action } => {
                        self.tasks[action as usize].unnoted -= 1;
                        self.send_if_all_asked(action, cycle);
                    }
                    EspEvent::Send { action } => self.send(action, cycle, planes),
                    EspEvent::Over { action, tile } => self.over(action, tile, cycle),
                }
            }
        }
    }

    fn at(&mut self, cycle: u64, event: EspEvent) {
        self.events.entry(cycle).or_default().push(event);
    }

    /// An action is the first one that a tile has before it.
    fn begin(&mut self, action: u32, tile: TileId, cycle: u64) {
        let task = &mut self.tasks[action as usize];
        task.start_cycle = Some(task.start_cycle.map_or(cycle, |c| c.min(cycle)));
        if task.list.bytes == 0 {
            self.at(cycle, EspEvent::Over { action, tile });
            return;
        }
        if tile == task.source {
            task.is_producer_ready = true;
            self.send_if_all_asked(action, cycle);
        } else if let Some(place) = task.consumers.iter().position(|c| *c == tile) {
            self.startable.insert((action, place));
        }
    }

    /// The CPU starts consumers, all at once or one after the other.
    fn start_consumers(&mut self, cycle: u64) {
        while cycle >= self.cpu_free_cycle {
            let Some((action, place)) = self.startable.pop_first() else {
                break;
            };
            self.cpu_free_cycle = cycle + u64::from(self.endpoint.consumer_start_cycles);
            let consumer = self.tasks[action as usize].consumers[place];
            let leaves = cycle + u64::from(self.endpoint.setup_cycles);
            self.at(leaves, EspEvent::Request { action, consumer });
        }
    }

    fn request(&mut self, action: u32, consumer: TileId, planes: &mut EspPlanes) {
        let source = self.tasks[action as usize].source;
        let packet = EspPacket {
            action,
            source: consumer,
            flits: REQUEST_FLITS,
            first_beat: 0,
        };
        let outputs = self.outputs(consumer, &[source]);
        planes.requests.send(packet, &outputs, 1);
    }

    /// Output ports per tile, from one tile to others.
    fn outputs(&self, from: TileId, to: &[TileId]) -> Arc<[u8]> {
        let mut outputs = vec![0; self.network.num_tiles()];
        for (tile, ports) in self.network.outputs_to(from, to) {
            outputs[tile.idx()] = ports;
        }
        outputs.into()
    }

    /// Requests whose length flit has reached the producer: it notes one after the other.
    pub(super) fn requests_arrived(&mut self, plane: &EspPlane, cycle: u64) {
        for (_, flit) in plane.delivered() {
            let packet = plane.packet(flit.packet());
            if !flit.is_tail() {
                continue;
            }
            let task = &mut self.tasks[packet.action as usize];
            let noted = task.noted_cycle.max(cycle + 1) + u64::from(self.endpoint.request_cycles);
            task.noted_cycle = noted;
            let action = packet.action;
            self.at(noted, EspEvent::Noted { action });
        }
    }

    fn send_if_all_asked(&mut self, action: u32, cycle: u64) {
        let task = &self.tasks[action as usize];
        if task.is_producer_ready && task.unnoted == 0 {
            let read = u64::from(self.network.axi().cluster.l1_latency_cycles);
            self.at(cycle + read, EspEvent::Send { action });
        }
    }

    /// Queues the packets of a payload at the producer's injection port; the own copy takes as long as reading.
    fn send(&mut self, action: u32, cycle: u64, planes: &mut EspPlanes) {
        let task = &mut self.tasks[action as usize];
        let bytes = task.list.bytes;
        let beats = bytes.div_ceil(self.beat_bytes);
        if self.is_value {
            task.payload = vec![0; bytes as usize];
            let offset = task.list.source_offset;
            self.memories.read(task.source.0, offset, &mut task.payload);
        }
        self.counters.dma_load_bytes += bytes;
        self.counters.dma_store_bytes += bytes;
        let keeps_copy = task.list.destinations.len() > task.consumers.len();
        if keeps_copy {
            let payload = std::mem::take(&mut task.payload);
            self.memories
                .write(task.source.0, task.list.offset, &payload);
            task.payload = payload;
            self.counters.spm_write_bytes += bytes;
        }
        if task.consumers.is_empty() {
            let tile = task.source;
            self.at(cycle + beats, EspEvent::Over { action, tile });
            return;
        }
        task.missing = task.consumers.iter().map(|tile| (*tile, beats)).collect();
        let (source, num_consumers) = (task.source, task.consumers.len());
        let consumers = std::mem::take(&mut task.consumers);
        let outputs = self.outputs(source, &consumers);
        let task = &mut self.tasks[action as usize];
        task.consumers = consumers;
        let mut first_beat = 0;
        while first_beat < beats {
            let now = self.packet_beats.min(beats - first_beat);
            task.packets_to_send += 1;
            let packet = EspPacket {
                action,
                source,
                flits: now as u32 + 1,
                first_beat,
            };
            planes.data.send(packet, &outputs, num_consumers);
            first_beat += now;
        }
    }

    /// Beats are delivered; producers see that they have sent everything.
    pub(super) fn data_moved(&mut self, plane: &EspPlane, cycle: u64) {
        for action in plane.injected().iter().copied() {
            let task = &mut self.tasks[action as usize];
            task.packets_to_send -= 1;
            if task.packets_to_send == 0 {
                let tile = task.source;
                self.at(cycle + 1, EspEvent::Over { action, tile });
            }
        }
        for (tile, flit) in plane.delivered() {
            if !flit.is_head() {
                let packet = plane.packet(flit.packet());
                let beat = packet.first_beat + u64::from(flit.index() - 1);
                self.beat_delivered(packet.action, *tile, beat, cycle);
            }
        }
    }

    fn beat_delivered(&mut self, action: u32, tile: TileId, beat: u64, cycle: u64) {
        let task = &mut self.tasks[action as usize];
        let from = beat * self.beat_bytes;
        let to = (from + self.beat_bytes).min(task.list.bytes);
        let key = (u64::from(action) << 32 | u64::from(tile.0)) ^ beat.wrapping_mul(0x9e37_79b9);
        self.checksum = self.checksum.wrapping_add(mix(key));
        self.counters.spm_write_bytes += to - from;
        if self.is_value {
            let bytes = &task.payload[from as usize..to as usize];
            self.memories.write(tile.0, task.list.offset + from, bytes);
        }
        if let Some(missing) = task.missing.get_mut(&tile) {
            *missing -= 1;
            if *missing == 0 {
                self.at(cycle + 1, EspEvent::Over { action, tile });
            }
        }
    }

    /// A participant is done with its action: its next one begins.
    fn over(&mut self, action: u32, tile: TileId, cycle: u64) {
        let task = &mut self.tasks[action as usize];
        task.open -= 1;
        task.finish_cycle = task.finish_cycle.max(cycle);
        if task.open == 0 {
            task.payload = Vec::new();
        }
        let next = self.queues.get_mut(&tile).and_then(|queue| {
            queue.pop_front();
            queue.front().copied()
        });
        if let Some(next) = next {
            self.begin(next, tile, cycle);
        }
    }
}

// One list multicast in progress.

/// One list multicast.
pub(super) struct EspTask<'s> {
    pub(super) list: &'s ListMulticast,
    pub source: TileId,
    pub(super) consumers: Vec<TileId>,
    pub start_cycle: Option<u64>,
    pub finish_cycle: u64,
    /// Participants that have not finished.
    pub open: usize,
    pub(super) is_producer_ready: bool,
    pub(super) unnoted: usize,
    /// Cycle at which the producer has noted the last request so far.
    pub(super) noted_cycle: u64,
    /// What is sent (value mode).
    pub payload: Vec<u8>,
    pub(super) packets_to_send: usize,
    /// Beats that each consumer still waits for.
    pub(super) missing: BTreeMap<TileId, u64>,
}

impl<'s> EspTask<'s> {
    pub(super) fn new(
        network: &'s Network,
        index: usize,
        kind: &'s ActionKind,
    ) -> Result<Self, RunError> {
        let what = format!("actions[{index}] ({})", kind.name());
        let Some(list) = kind.list_multicast() else {
            return Err(refused(&what, "routers of flow esp carry nothing else"));
        };
        let find = |tile| {
            let found = network.find(tile);
            found.ok_or_else(|| refused(&what, "it names a tile that is not on the mesh"))
        };
        let consumers: Result<Vec<TileId>, RunError> = list.consumers().map(find).collect();
        let consumers = consumers?;
        // 0: routers without lists have space for none.
        let most = network.max_listed().unwrap_or(0) as usize;
        if consumers.len() > most {
            let reason = format!("the header has space for {most} of its {}", consumers.len());
            return Err(refused(&what, &reason));
        }
        Ok(Self {
            list,
            source: find(list.source)?,
            start_cycle: None,
            finish_cycle: 0,
            open: participants(network, kind).len(),
            is_producer_ready: false,
            unnoted: consumers.len(),
            consumers,
            noted_cycle: 0,
            payload: Vec::new(),
            packets_to_send: 0,
            missing: BTreeMap::new(),
        })
    }
}

pub(super) fn refused(what: &str, reason: &str) -> RunError {
    RunError::Refused {
        backend: "sim",
        what: what.to_owned(),
        reason: format!(
            "{reason}; accepted: list_multicast, to as many clusters as fit into router.esp.header_bits"
        ),
    }
}
