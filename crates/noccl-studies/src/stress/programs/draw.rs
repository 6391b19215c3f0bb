// SPDX-License-Identifier: Apache-2.0
//! Random programs that are right by construction.
//!
//! All calls stand on one line of slots, and every rank calls its own in that order. Nobody waits in a slot for what anybody begins in a
//! later one, so some rank can always go on. Of the receives that take the same messages the n-th begins no earlier than the one before it, and
//! is waited for no earlier than n of the messages are sent.

use super::values::WaitForm;
use super::values::{Call, CollectiveStep, Group, Message, Plan, Request, SplitStep, Stream};
use noccl_run::Rng;
use noccl_workload::{CollectiveKind, ElementType, Operator};
use std::collections::BTreeMap;

/// Slots over which the sends and receives of a step are spread, and by which their waits follow.
const SPREAD: u64 = 4;
const MOST_LATE: u64 = 9;
/// Behind all steps.
const LAST_SLOT: u64 = u64::MAX;
/// Tags of messages whose receives name them; those of receives of any sender follow.
const TAGS: u64 = 3;
/// Most splits of a program.
const MOST_SPLITS: usize = 3;
/// Most bytes of a collective, and of each of its blocks.
const MOST_COLLECTIVE_BYTES: u64 = 2048;
const MOST_BLOCK_BYTES: u64 = 256;

const KINDS: [CollectiveKind; 7] = [
    CollectiveKind::Barrier,
    CollectiveKind::Multicast,
    CollectiveKind::Reduce,
    CollectiveKind::AllReduce,
    CollectiveKind::AllGather,
    CollectiveKind::ReduceScatter,
    CollectiveKind::AllToAll,
];

/// Order of the calls of a rank within a slot: what it begins stands before what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Compute,
    Begin,
    Wait,
    All,
}

type Entry = (u64, Phase, Call);

/// The slots in which a message is sent and its receive begins.
#[derive(Clone, Copy)]
struct Slots {
    send: u64,
    receive: u64,
}

/// Which receives take the messages between two ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Form {
    /// Those that name sender and tag.
    Named { from: u32, tag: i64 },
    /// Those of any sender that name the tag.
    AnySender { tag: i64 },
    /// Those of any sender and any tag.
    Any,
}

struct ProgramGenerator {
    rng: Rng,
    plan: Plan,
    entries: Vec<Vec<Entry>>,
    /// By rank and slot: what is waited for.
    due: BTreeMap<(u32, u64), Vec<Request>>,
    streams: BTreeMap<(usize, u32, Form), usize>,
    /// By stream: slots of its last send and of its last receive.
    last: Vec<Slots>,
    /// The group whose receives take any message.
    any_group: Option<usize>,
    next_tag: i64,
    most_splits: usize,
}

/// What a program may be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    pub most_ranks: u32,
    pub most_steps: u32,
    /// Else there is one group, of a power of two.
    pub is_any_group: bool,
}

/// The program of a seed.
pub(super) fn draw(seed: u64, limits: Limits) -> Plan {
    let mut rng = Rng::new(seed, "stress program");
    let most = limits.most_ranks;
    let ranks = match rng.below(3) {
        _ if !limits.is_any_group => 1 << rng.below(u64::from(most.ilog2()) + 1),
        0 => most,
        _ => 1 + rng.below(most.into()) as u32,
    };
    let members = (0..ranks).collect();
    let mut generator = ProgramGenerator {
        rng,
        plan: Plan {
            groups: vec![Group { members }],
            ..Plan::default()
        },
        entries: vec![Vec::new(); ranks as usize],
        due: BTreeMap::new(),
        streams: BTreeMap::new(),
        last: Vec::new(),
        any_group: None,
        next_tag: TAGS as i64,
        most_splits: if limits.is_any_group { MOST_SPLITS } else { 0 },
    };
    let steps = 1 + generator.rng.below(limits.most_steps.into());
    if limits.is_any_group && generator.rng.one_in(2) {
        // The same ranks in another order.
        let made = generator.plan.groups.len();
        generator.split(0, 0, 1);
        generator.any_group = Some(made);
    }
    (1..=steps).for_each(|slot| generator.step(slot));
    generator.finish()
}

impl ProgramGenerator {
    fn step(&mut self, slot: u64) {
        for rank in 0..self.entries.len() {
            if self.rng.one_in(4) {
                let cycles = self.octaves(1 << 12);
                self.entries[rank].push((slot, Phase::Compute, Call::Compute { cycles }));
            }
        }
        match self.rng.below(14) {
            0..6 => (0..=self.rng.below(5)).for_each(|_| self.message(slot)),
            6 | 7 => self.collect(slot),
            8 => self.ring(slot),
            9 if self.plan.splits.len() < self.most_splits => {
                let group = self.group();
                let colours = 1 + self.rng.below(3);
                self.split(slot, group, colours);
            }
            _ => self.collective(slot),
        }
    }

    /// The group of all in half of the cases.
    fn group(&mut self) -> usize {
        if self.rng.one_in(2) {
            return 0;
        }
        self.rng.below(self.plan.groups.len() as u64) as usize
    }

    fn member(&mut self, group: usize) -> u32 {
        *self.rng.pick(&self.plan.groups[group].members)
    }

    /// From one rank to any, also itself.
    fn message(&mut self, slot: u64) {
        let group = self.group();
        let (from, to) = (self.member(group), self.member(group));
        let tag = self.rng.below(TAGS) as i64;
        let form = if self.any_group == Some(group) {
            Form::Any
        } else {
            Form::Named { from, tag }
        };
        let slots = self.slots(slot);
        self.send((group, form), (from, to), tag, slots);
    }

    /// Several messages for one rank, which receives them from anybody.
    fn collect(&mut self, slot: u64) {
        let group = self.group();
        let to = self.member(group);
        let tag = self.next_tag;
        self.next_tag += 1;
        for _ in 0..=self.rng.below(6) {
            let from = self.member(group);
            let form = if self.any_group == Some(group) {
                Form::Any
            } else {
                Form::AnySender { tag }
            };
            let slots = self.slots(slot);
            self.send((group, form), (from, to), tag, slots);
        }
    }

    /// Everybody sends and receives at once.
    fn ring(&mut self, slot: u64) {
        let group = self.group();
        if self.any_group == Some(group) {
            return;
        }
        let members = self.plan.groups[group].members.clone();
        let (tag, distance) = (self.rng.below(TAGS) as i64, self.member(group) as usize);
        for (position, from) in members.iter().enumerate() {
            let to = members[(position + distance) % members.len()];
            let form = Form::Named { from: *from, tag };
            let (send, receive) = (slot, slot);
            self.send((group, form), (*from, to), tag, Slots { send, receive });
        }
    }

    fn slots(&mut self, slot: u64) -> Slots {
        Slots {
            send: slot + self.rng.below(SPREAD),
            receive: slot + self.rng.below(SPREAD),
        }
    }

    fn send(&mut self, (group, form): (usize, Form), (from, to): (u32, u32), tag: i64, at: Slots) {
        let stream = self.stream(group, to, form);
        let last = &mut self.last[stream];
        last.send = last.send.max(at.send);
        last.receive = last.receive.max(at.receive);
        let at = *last;
        let message = self.plan.messages.len();
        let place = self.plan.streams[stream].messages.len();
        self.plan.streams[stream].messages.push(message);
        let bytes = self.message_bytes();
        self.plan.messages.push(Message {
            group,
            from,
            to,
            tag,
            bytes,
            is_synchronous: self.rng.one_in(6),
        });
        let (sent, received) = (
            Request::Send { message },
            Request::Receive { stream, place },
        );
        self.begin(from, at.send, sent);
        let is_named = matches!(form, Form::Named { .. });
        if is_named && at.send < at.receive && self.rng.one_in(5) {
            let probe = Call::Probe { stream, place };
            self.entries[to as usize].push((at.receive, Phase::Begin, probe));
        }
        self.begin(to, at.receive, received);
        for (rank, request) in [(from, sent), (to, received)] {
            let late = self.rng.below(MOST_LATE);
            let slot = at.send.max(at.receive) + if late < 3 { 0 } else { late };
            // Which receive of any sender takes a message is not known: its send is over when all of them have begun.
            let slot = if is_named || request == received {
                slot
            } else {
                LAST_SLOT
            };
            self.due.entry((rank, slot)).or_default().push(request);
        }
    }

    fn begin(&mut self, rank: u32, slot: u64, request: Request) {
        self.entries[rank as usize].push((slot, Phase::Begin, Call::Begin(request)));
    }

    fn stream(&mut self, group: usize, to: u32, form: Form) -> usize {
        let known = self.streams.len();
        let found = *self.streams.entry((group, to, form)).or_insert(known);
        if found == known {
            let (from, tag) = match form {
                Form::Named { from, tag } => (Some(from), Some(tag)),
                Form::AnySender { tag } => (None, Some(tag)),
                Form::Any => (None, None),
            };
            let messages = Vec::new();
            self.plan.streams.push(Stream {
                group,
                to,
                from,
                tag,
                messages,
            });
            let (send, receive) = (0, 0);
            self.last.push(Slots { send, receive });
        }
        found
    }

    /// None, some, many more than any queue holds.
    fn message_bytes(&mut self) -> u64 {
        match self.rng.below(16) {
            0 | 1 => 0,
            2..6 => 1 + self.rng.below(8),
            6..15 => self.octaves(1 << 10),
            _ => self.octaves(1 << 15),
        }
    }

    /// 1 to below `most`, short and long ones equally likely in octaves.
    fn octaves(&mut self, most: u64) -> u64 {
        let low = 1_u64 << self.rng.below(most.ilog2().into());
        low + self.rng.below(low)
    }

    fn collective(&mut self, slot: u64) {
        let group = self.group();
        let kind = *self.rng.pick(&KINDS);
        // Sums of small numbers are exact in these, whatever their order.
        let floats = [ElementType::Fp32, ElementType::Fp64];
        let usual = { ElementType::ALL.into_iter() }
            .filter(|element| !element.is_float() || floats.contains(element));
        let element = *self.rng.pick(&usual.collect::<Vec<_>>());
        let operators: &[Operator] = if element.is_float() {
            &[Operator::Sum, Operator::Min, Operator::Max]
        } else {
            &Operator::ALL
        };
        let operator = *self.rng.pick(operators);
        let most = if kind.has_blocks() {
            MOST_BLOCK_BYTES
        } else {
            MOST_COLLECTIVE_BYTES
        };
        let bytes = if kind == CollectiveKind::Barrier || self.rng.one_in(16) {
            0
        } else if kind.reduces() {
            self.octaves(most).next_multiple_of(element.bytes())
        } else {
            self.octaves(most)
        };
        let members = self.plan.groups[group].members.clone();
        let step = self.plan.collectives.len();
        self.plan.collectives.push(CollectiveStep {
            group,
            kind,
            root: self.rng.below(members.len() as u64) as u32,
            operator,
            element,
            bytes,
            is_length_known: self.rng.one_in(2),
        });
        for rank in members {
            self.entries[rank as usize].push((slot, Phase::All, Call::Collective { step }));
        }
    }

    /// Into as many groups or fewer, in a random order; with several colours some ranks may be in none.
    fn split(&mut self, slot: u64, group: usize, colours: u64) {
        let members = self.plan.groups[group].members.clone();
        let mut stated = Vec::new();
        let mut of_colour: BTreeMap<u32, Vec<(i64, usize, u32)>> = BTreeMap::new();
        for (position, rank) in members.iter().enumerate() {
            let colour = self.rng.below(colours + u64::from(colours > 1)) as u32;
            let key = self.rng.below(9) as i64 - 4;
            let colour = (u64::from(colour) < colours).then_some(7 * colour);
            if let Some(colour) = colour {
                let ranks = of_colour.entry(colour).or_default();
                ranks.push((key, position, *rank));
            }
            stated.push((colour, key));
        }
        let mut made = vec![None; members.len()];
        for (_, mut ranks) in of_colour {
            ranks.sort_unstable();
            for (_, position, _) in &ranks {
                made[*position] = Some(self.plan.groups.len());
            }
            let members = ranks.into_iter().map(|(_, _, rank)| rank).collect();
            self.plan.groups.push(Group { members });
        }
        let step = self.plan.splits.len();
        self.plan.splits.push(SplitStep {
            group,
            stated,
            made,
        });
        for rank in members {
            self.entries[rank as usize].push((slot, Phase::All, Call::Split { step }));
        }
    }

    fn finish(mut self) -> Plan {
        for ((rank, slot), mut requests) in std::mem::take(&mut self.due) {
            for place in (1..requests.len()).rev() {
                requests.swap(place, self.rng.below(place as u64 + 1) as usize);
            }
            let form = *(self.rng).pick(&[WaitForm::All, WaitForm::Any, WaitForm::Single]);
            let wait = Call::Wait { requests, form };
            self.entries[rank as usize].push((slot, Phase::Wait, wait));
        }
        let ordered = |mut entries: Vec<Entry>| {
            // Stable: what a stream takes begins in its order.
            entries.sort_by_key(|(slot, phase, _)| (*slot, *phase));
            entries.into_iter().map(|(_, _, call)| call).collect()
        };
        self.plan.calls = self.entries.into_iter().map(ordered).collect();
        self.plan
    }
}
