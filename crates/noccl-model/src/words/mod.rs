// SPDX-License-Identifier: Apache-2.0
//! The backend `model` on core tiles (S4): a walk over messages, unit by unit, with the costs that the spec states.
//!
//! Nothing is fitted: costs per message, unit, word and element stand in `[core]`, cycles of a hop in `[router.udn]`. A core does one thing at a time,
//! packets hold the outputs on their path from head to tail ([`packets`]), multicasts over the static network are as late as
//! their latest member ([`stream`]). What the walk leaves out stands there; how near it comes to the simulator: `docs/model.md`.

mod core;
mod packets;
mod program;
mod stream;

use crate::{ModelError, Prediction};
use core::Core;
use core::Received;
use noccl_net::{Network, TileId};
use noccl_run::Counters;
use noccl_spec::{Core as CoreSpec, CoreTiles, FlowControl, UNIT_HEAD_WORDS, WORD_BYTES};
use noccl_workload::{ActionKind, Schedule, WordStream};
use packets::{Heard, PacketEvent, Packets};
use program::Program;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use stream::Stream;

/// A message as both ends see it.
#[derive(Debug, Clone, Copy)]
struct Message {
    target: TileId,
    /// The receiver's share; of other actions no share at all.
    receiving: u32,
    stream: WordStream,
    units: u64,
}

impl Message {
    /// Rows but the first of all that begin in a unit of so many bytes.
    fn next_rows(self, unit: u64, unit_bytes: u64) -> u64 {
        let start = unit * unit_bytes;
        let end = self.stream.bytes().min(start + unit_bytes);
        self.stream.rows_begun_in(start..end)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Packet(PacketEvent),
    /// A packet has come to the queues of a tile.
    Comes(u32, u32),
    /// A core looks, by an alarm of this number.
    Look(u32, u32),
}

/// Events by cycle; of one cycle in the order in which they became known.
#[derive(Debug, Default)]
struct Events {
    heap: BinaryHeap<Reverse<(u64, u64, Event)>>,
    num: u64,
}

impl Events {
    fn push(&mut self, cycle: u64, event: Event) {
        self.heap.push(Reverse((cycle, self.num, event)));
        self.num += 1;
    }
}

struct Walk<'a> {
    network: &'a Network,
    tiles: &'a CoreTiles,
    spec: &'a CoreSpec,
    schedule: &'a Schedule,
    program: Program,
    /// By action.
    messages: Vec<Message>,
    received: Vec<Received>,
    streams: Vec<Option<Stream>>,
    cores: Vec<Core>,
    packets: Packets<'a>,
    events: Events,
    now: u64,
}

/// Predicts a schedule of core tiles.
///
/// # Errors
/// [`ModelError::NotModelled`] for interrupts and acknowledgements; [`ModelError::Schedule`] for actions that cores do not do, and for a schedule that never ends.
pub(crate) fn predict(
    network: &Network,
    tiles: &CoreTiles,
    schedule: &Schedule,
) -> Result<Prediction, ModelError> {
    check_spec(&tiles.core)?;
    let mut walk = Walk::new(network, tiles, schedule)?;
    (0..walk.cores.len()).for_each(|tile| walk.look(tile, 0));
    walk.follow();
    while let Some(Reverse((cycle, _, event))) = walk.events.heap.pop() {
        walk.now = walk.now.max(cycle);
        walk.happen(event);
        walk.follow();
    }
    if !walk.program.instances.is_over() {
        let times = walk.program.times.iter();
        return Err(ModelError::Schedule {
            action: times.take_while(|times| times.is_some()).count(),
            reason: "it never begins or ends by the model; accepted: the simulator, which says who waits for whom".to_owned(),
        });
    }
    Ok(walk.prediction())
}

/// What the walk does not follow.
fn check_spec(core: &CoreSpec) -> Result<(), ModelError> {
    let refused = |field: &str, found: String, accepted: &str| {
        Err(ModelError::NotModelled {
            field: field.to_owned(),
            found,
            accepted: accepted.to_owned(),
        })
    };
    match core.flow_control {
        FlowControl::None if core.interrupt_cycles > 0 => refused(
            "core.interrupt_cycles",
            core.interrupt_cycles.to_string(),
            "0",
        ),
        FlowControl::None => Ok(()),
        FlowControl::ReadyAck => refused("core.flow_control", "ready_ack".to_owned(), "none"),
    }
}

impl<'a> Walk<'a> {
    fn new(
        network: &'a Network,
        tiles: &'a CoreTiles,
        schedule: &'a Schedule,
    ) -> Result<Self, ModelError> {
        let program = Program::new(network, schedule)?;
        let messages: Result<Vec<Message>, ModelError> = (0..schedule.actions.len())
            .map(|action| message(network, tiles, schedule, &program, action))
            .collect();
        let messages = messages?;
        let mut cores: Vec<Core> = (0..network.num_tiles()).map(|_| Core::default()).collect();
        for (number, share) in program.instances.all.iter() {
            if messages[share.action as usize].receiving != number {
                cores[share.tile.idx()].main.push(number);
            }
        }
        let streams = schedule.actions.iter().enumerate().map(|(index, action)| {
            let has_stream = action.kind.static_multicast().is_some();
            has_stream.then(|| Stream::new(program.instances.of(index as u32).len() as u32))
        });
        Ok(Self {
            network,
            tiles,
            spec: &tiles.core,
            schedule,
            received: vec![Received::default(); messages.len()],
            streams: streams.collect(),
            messages,
            program,
            cores,
            packets: Packets::new(network, tiles),
            events: Events::default(),
            now: 0,
        })
    }

    fn happen(&mut self, event: Event) {
        let now = self.now;
        match event {
            Event::Packet(event) => self.packets.happen(now, event),
            Event::Comes(packet, tile) => {
                self.cores[tile as usize].queue.push_back(packet);
                self.look(tile as usize, now);
            }
            Event::Look(tile, alarm) => {
                if self.cores[tile as usize].alarm == alarm {
                    self.look(tile as usize, now);
                }
            }
        }
    }

    /// Passes on what packets have caused.
    fn follow(&mut self) {
        for (cycle, event) in std::mem::take(&mut self.packets.events) {
            self.events.push(cycle.max(self.now), Event::Packet(event));
        }
        for heard in std::mem::take(&mut self.packets.heard) {
            match heard {
                Heard::Progress(packet, cycle) => {
                    let source = self.packets.packet(packet).source;
                    self.hear_progress(source.idx(), packet, cycle);
                }
                Heard::Comes(packet, tile, cycle) => {
                    self.events
                        .push(cycle.max(self.now), Event::Comes(packet, tile.0));
                }
                Heard::Ends(_, tile) => self.set_alarm(tile.idx()),
            }
        }
    }

    /// Cycles before the words of a unit, at either end.
    fn unit_cycles(&self, message: Message, unit: u64) -> u64 {
        let rows = message.next_rows(unit, self.spec.unit_bytes.into());
        u64::from(self.spec.unit_cycles) + rows * u64::from(self.spec.row_cycles)
    }

    /// Words of a unit of a message.
    fn unit_words(&self, bytes: u64, unit: u64) -> u64 {
        let unit_bytes = u64::from(self.spec.unit_bytes);
        let left = bytes.saturating_sub(unit * unit_bytes).min(unit_bytes);
        u64::from(UNIT_HEAD_WORDS) + left.div_ceil(WORD_BYTES.into())
    }

    fn prediction(&self) -> Prediction {
        let times = self.program.times.iter().flatten();
        let actions: Vec<(f64, f64)> = times.map(|(from, to)| (*from as f64, *to as f64)).collect();
        let links: Vec<_> = self.packets.loads().chain(self.static_loads()).collect();
        let mut counters = Counters {
            flit_hops: links.iter().map(|(_, flits)| flits).sum(),
            ..Counters::default()
        };
        for action in &self.schedule.actions {
            self.count(&action.kind, &mut counters);
        }
        Prediction {
            cycles: super::predict::runtime(self.schedule, &actions),
            actions,
            counters,
            link_flits: links,
        }
    }

    /// Events that a run counts.
    fn count(&self, kind: &ActionKind, counters: &mut Counters) {
        if let ActionKind::LocalReduce(reduce) = kind {
            let elements = reduce.bytes / reduce.element.bytes();
            counters.software_reduce_ops += elements * (reduce.inputs.len() as u64 - 1);
            counters.spm_write_bytes += reduce.bytes;
        } else if let Some(message) = kind.message() {
            counters.spm_write_bytes += message.data_bytes();
            let ends = (message.source.tile, message.destination.tile);
            if let (Some(from), Some(to)) = (self.network.find(ends.0), self.network.find(ends.1)) {
                let hops = u64::from(self.network.hops(from, to));
                counters.payload_byte_hops += message.data_bytes() * hops;
            }
        } else if let Some(sent) = kind.static_multicast() {
            let others = sent.set.len().saturating_sub(1);
            counters.spm_write_bytes += others * sent.bytes;
            counters.payload_byte_hops += others * sent.bytes;
        }
    }
}

/// A message's ends; of another action one that nobody receives.
fn message(
    network: &Network,
    tiles: &CoreTiles,
    schedule: &Schedule,
    program: &Program,
    action: usize,
) -> Result<Message, ModelError> {
    let kind = &schedule.actions[action].kind;
    let none = Message {
        target: TileId(0),
        receiving: u32::MAX,
        stream: WordStream::default(),
        units: 0,
    };
    if !kind.is_of_cores() {
        return Err(ModelError::Schedule {
            action,
            reason: format!(
                "cores pass messages and do no {}; accepted: message, static_multicast, local_reduce, compute",
                kind.words()
            ),
        });
    }
    let Some(sent) = kind.message().filter(|sent| !sent.is_copy()) else {
        return Ok(none);
    };
    let target = network.find(sent.destination.tile);
    let receiving = target.and_then(|tile| program.instances.at(action as u32, tile));
    let found = target
        .zip(receiving)
        .filter(|_| network.find(sent.source.tile).is_some());
    let (target, receiving) = found.ok_or_else(|| ModelError::Schedule {
        action,
        reason: "it names a tile that is not on the mesh; accepted: a tile of this network"
            .to_owned(),
    })?;
    let stream = sent.stream();
    Ok(Message {
        target,
        receiving,
        stream,
        units: tiles.core.units(stream.bytes()),
    })
}
