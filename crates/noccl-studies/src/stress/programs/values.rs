// SPDX-License-Identifier: Apache-2.0
//! What ranks give and what they must get, computed from the program alone.

use noccl_workload::number::mix;
use noccl_workload::{CollectiveKind, ElementType, Holders, Operator};
use std::collections::BTreeMap;

/// Bytes that depend on what they are for, and on their place.
fn drawn(what: [u64; 3], bytes: u64) -> Vec<u8> {
    let key = what.iter().fold(0, |key, part| mix(key ^ part));
    let word = |index: u64| mix(key.wrapping_add(index)).to_le_bytes();
    let words = (0..bytes.div_ceil(8)).flat_map(word);
    words.take(bytes as usize).collect()
}

/// Payload of a message.
pub(super) fn payload(plan: &Plan, message: usize) -> Vec<u8> {
    drawn([1, message as u64, 0], plan.messages[message].bytes)
}

/// What a rank passes on around its group where the network has no algorithm for a collective.
pub(super) fn ring_payload(step: usize, position: u32) -> Vec<u8> {
    drawn([2, step as u64, position.into()], 1 + step as u64 % 70)
}

/// A rank's payload of a collective, all its blocks.
pub(super) fn given(plan: &Plan, step: usize, position: u32) -> Vec<u8> {
    let of = &plan.collectives[step];
    let size = plan.groups[of.group].members.len() as u32;
    if !of.kind.input_holders().include(position == of.root) {
        // What it holds, but for its length, is nobody's.
        let holds = of.kind.output_holders().include(false) && of.is_length_known;
        return vec![0xa5; if holds { of.bytes as usize } else { 0 }];
    }
    let block = |to| match of.kind.reduces() {
        true => encoded(of.element, &numbers(of, step, position, to)),
        false => raw(of, step, position, to),
    };
    // 0: inputs of a custom collective are in its definition, and have no blocks.
    let blocks = of.kind.input_blocks(size.into()).unwrap_or(0) as u32;
    (0..blocks).flat_map(block).collect()
}

/// What it gets.
pub(super) fn expected(plan: &Plan, step: usize, position: u32) -> Vec<u8> {
    let of = &plan.collectives[step];
    let size = plan.groups[of.group].members.len() as u32;
    if !of.kind.output_holders().include(position == of.root) {
        return Vec::new();
    }
    let block = if of.kind.gives_blocks() { position } else { 0 };
    if of.kind.reduces() {
        return reduced(of, step, size, block);
    }
    let is_from_root = of.kind.input_holders() == Holders::Root;
    let givers = if is_from_root {
        of.root..of.root + 1
    } else {
        0..size
    };
    givers.flat_map(|from| raw(of, step, from, block)).collect()
}

fn raw(of: &CollectiveStep, step: usize, from: u32, block: u32) -> Vec<u8> {
    let place = u64::from(from) << 32 | u64::from(block);
    drawn([3, step as u64, place], of.bytes)
}

/// Elements as integers: any that the type has, or small ones if it is a floating-point type.
fn numbers(of: &CollectiveStep, step: usize, from: u32, block: u32) -> Vec<i64> {
    let count = of.bytes / of.element.bytes();
    let place = u64::from(from) << 32 | u64::from(block);
    let words = drawn([4, step as u64, place], 8 * count);
    let numbers = words.chunks_exact(8).map(|word| {
        let word = word.iter().fold(0, |all, byte| all << 8 | i64::from(*byte));
        if of.element.is_float() {
            word % 1000
        } else {
            let unused_bits = 64 - 8 * of.element.bytes();
            word << unused_bits >> unused_bits
        }
    });
    numbers.collect()
}

fn reduced(of: &CollectiveStep, step: usize, size: u32, block: u32) -> Vec<u8> {
    let mut all = numbers(of, step, 0, block);
    for from in 1..size {
        let operands = all.iter_mut().zip(numbers(of, step, from, block));
        for (into, operand) in operands {
            *into = match of.operator {
                Operator::Sum => into.wrapping_add(operand),
                Operator::Min => operand.min(*into),
                Operator::Max => operand.max(*into),
                Operator::And => operand & *into,
                Operator::Or => operand | *into,
            };
        }
    }
    encoded(of.element, &all)
}

fn encoded(element: ElementType, numbers: &[i64]) -> Vec<u8> {
    let encode = |number: &i64| match element {
        ElementType::Fp64 => (*number as f64).to_le_bytes().to_vec(),
        ElementType::Fp32 => (*number as f32).to_le_bytes().to_vec(),
        ElementType::Fp16
        | ElementType::Bf16
        | ElementType::Fp8E4m3
        | ElementType::Fp8E5m2
        | ElementType::Int8
        | ElementType::Int16
        | ElementType::Int32
        | ElementType::Int64 => number.to_le_bytes()[..element.bytes() as usize].to_vec(),
    };
    numbers.iter().flat_map(encode).collect()
}

// What every rank of a program has got, and when.

/// What a receive has got.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Got {
    pub source: u32,
    pub tag: i64,
    pub data: Vec<u8>,
    pub cycle: u64,
}

/// When a rank called something that others take part in, when its call was over, and what it got.
#[derive(Debug, Clone, Default)]
pub(super) struct Took {
    pub from_cycle: u64,
    pub until_cycle: u64,
    pub output: Vec<u8>,
    /// Where the network has no such algorithm: passed around instead.
    pub is_ring: bool,
}

/// The same of a split, with the own rank and the size.
pub(super) type SplitTook = (Took, Option<(u32, u32)>);

/// What has come of a program.
#[derive(Debug)]
pub(super) struct Seen {
    /// By message: when its send began and was over.
    pub sent: Vec<(u64, Option<u64>)>,
    /// By stream and place: when the receive began, and what it got.
    pub received: Vec<Vec<(u64, Option<Got>)>>,
    /// By stream and place: what a probe found.
    pub probed: BTreeMap<(usize, usize), (u32, i64, u64)>,
    /// By collective and rank of its group.
    pub collectives: Vec<Vec<Option<Took>>>,
    /// By split and rank of the group that is split: own rank and size.
    pub splits: Vec<Vec<SplitTook>>,
    pub cycles: u64,
}

impl Seen {
    /// Nothing has been seen yet.
    pub fn new(plan: &Plan) -> Self {
        let streams = plan.streams.iter();
        let sizes = |group: usize| plan.groups[group].members.len();
        let collectives = plan.collectives.iter();
        let splits = plan.splits.iter();
        Self {
            sent: vec![(0, None); plan.messages.len()],
            received: streams
                .map(|stream| vec![(0, None); stream.messages.len()])
                .collect(),
            probed: BTreeMap::new(),
            collectives: collectives
                .map(|step| vec![None; sizes(step.group)])
                .collect(),
            splits: splits
                .map(|step| vec![(Took::default(), None); sizes(step.group)])
                .collect(),
            cycles: 0,
        }
    }
}

// A program as it is drawn: what every rank calls, and who takes part in what.

/// A whole program.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// Groups of ranks; the first one is that of all.
    pub groups: Vec<Group>,
    pub messages: Vec<Message>,
    pub streams: Vec<Stream>,
    pub collectives: Vec<CollectiveStep>,
    pub splits: Vec<SplitStep>,
    /// By rank: its calls, in order.
    pub calls: Vec<Vec<Call>>,
}

/// Ranks of the program, by their number in a communicator.
#[derive(Debug)]
pub(super) struct Group {
    pub members: Vec<u32>,
}

/// A message between two ranks of the program.
#[derive(Debug)]
pub(super) struct Message {
    pub group: usize,
    pub from: u32,
    pub to: u32,
    pub tag: i64,
    pub bytes: u64,
    pub is_synchronous: bool,
}

/// Messages that receives of one form take: the receive of each number is over when as many messages have been sent.
#[derive(Debug)]
pub(super) struct Stream {
    pub group: usize,
    pub to: u32,
    /// The only sender that the receives take, if they name one.
    pub from: Option<u32>,
    /// The only tag that the receives take, if they name one.
    pub tag: Option<i64>,
    /// In the order in which each sender sends them.
    pub messages: Vec<usize>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct CollectiveStep {
    pub group: usize,
    pub kind: CollectiveKind,
    pub root: u32,
    pub operator: Operator,
    pub element: ElementType,
    /// Of a payload, or of one block.
    pub bytes: u64,
    /// Do ranks that get a multicast say how long it is?
    pub is_length_known: bool,
}

/// Which communicator is split, and what each of its ranks states.
#[derive(Debug)]
pub(super) struct SplitStep {
    pub group: usize,
    pub stated: Vec<(Option<u32>, i64)>,
    /// The group that each of its ranks is in then.
    pub made: Vec<Option<usize>>,
}

/// A send or a receive that a rank has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Request {
    Send { message: usize },
    Receive { stream: usize, place: usize },
}

/// How a rank waits for several requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitForm {
    All,
    /// For any of them, until none is left.
    Any,
    /// One after the other.
    Single,
}

#[derive(Debug, Clone)]
pub(super) enum Call {
    Compute {
        cycles: u64,
    },
    Begin(Request),
    /// Waits for the message of a receive that comes next; receives of its stream name their sender and their tag.
    Probe {
        stream: usize,
        place: usize,
    },
    Wait {
        requests: Vec<Request>,
        form: WaitForm,
    },
    Collective {
        step: usize,
    },
    Split {
        step: usize,
    },
}

impl Plan {
    /// Number of a rank of the program in a group.
    pub fn position(&self, group: usize, rank: u32) -> Option<u32> {
        let members = &self.groups[group].members;
        let found = members.iter().position(|member| *member == rank);
        found.map(|position| position as u32)
    }

    /// Messages, collectives and splits.
    pub fn num_steps(&self) -> u64 {
        (self.messages.len() + self.collectives.len() + self.splits.len()) as u64
    }
}
