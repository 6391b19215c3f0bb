// SPDX-License-Identifier: Apache-2.0
//! A program of messages under construction: who sends what to whom, and for what of it a core has received it waits before.
//!
//! A core sends and reduces in the order of the file, so only what it has received needs an `after`.

use crate::plan::exchange::Moved;
use crate::steps::{at, local_reduce};
use crate::task::CoreTask;
use noccl_workload::{Action, ActionId, ActionKind, Collective, Message, MessageRows};

/// What a core waits for before it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wait {
    /// Nothing.
    Nothing,
    /// All that it receives up to here.
    All,
    /// All that it receives up to this step.
    UpTo(u32),
}

/// Bytes of one memory that become bytes of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MessagePart {
    pub(crate) from: u64,
    pub(crate) to: u64,
    pub(crate) bytes: u64,
}

impl MessagePart {
    /// No bytes: the message itself is what it says.
    pub(crate) const NOTHING: Self = Self {
        from: 0,
        to: 0,
        bytes: 0,
    };

    /// Input and output of every rank.
    pub(crate) const fn whole(collective: &Collective) -> Self {
        Self {
            from: collective.input_offset,
            to: collective.output_offset,
            bytes: collective.bytes,
        }
    }

    /// The n-th chunk of so many bytes, the last one shorter; all of it if chunks have none.
    pub(crate) fn chunk(self, number: u64, chunk_bytes: u64) -> Self {
        if chunk_bytes == 0 {
            return self;
        }
        let start = self.bytes.min(number * chunk_bytes);
        Self {
            from: self.from + start,
            to: self.to + start,
            bytes: chunk_bytes.min(self.bytes - start),
        }
    }

    /// The same with its ranks.
    pub(crate) const fn between(self, from: usize, to: usize) -> Moved {
        Moved {
            from,
            to,
            source: self.from,
            destination: self.to,
            bytes: self.bytes,
            rows: 1,
            stride: 0,
        }
    }
}

/// Actions so far, and what each core has received that none of its sends has waited for, by step.
#[derive(Debug)]
pub(crate) struct Program<'a> {
    task: &'a CoreTask<'a>,
    actions: Vec<Action>,
    received: Vec<Vec<(u32, ActionId)>>,
    /// Step of what is sent now.
    pub(crate) step: u32,
    /// Round of what is sent now, if there are rounds.
    pub(crate) round: Option<u32>,
}

impl<'a> Program<'a> {
    pub(crate) fn new(task: &'a CoreTask<'a>) -> Self {
        Self {
            task,
            actions: Vec::new(),
            received: vec![Vec::new(); task.members().len()],
            step: 0,
            round: None,
        }
    }

    pub(crate) fn add(&mut self, kind: ActionKind, after: Vec<ActionId>) -> ActionId {
        let id = ActionId(self.actions.len() as u32);
        self.actions.push(Action { kind, after });
        id
    }

    /// A message between ranks.
    pub(crate) fn send(
        &mut self,
        (from, to): (usize, usize),
        part: MessagePart,
        wait: Wait,
    ) -> ActionId {
        self.send_rows(&part.between(from, to), wait)
    }

    /// A message between ranks, of one row or several.
    pub(crate) fn send_rows(&mut self, moved: &Moved, wait: Wait) -> ActionId {
        let (from, to) = (moved.from, moved.to);
        let after = self.waited_for(from, wait);
        let rows = (moved.rows > 1).then_some(MessageRows {
            count: moved.rows as u32,
            source_stride: moved.stride,
            destination_stride: moved.stride,
        });
        let message = Message {
            source: at(self.task.members()[from], moved.source),
            destination: at(self.task.members()[to], moved.destination),
            bytes: moved.bytes,
            rows,
            round: self.round.filter(|_| from != to),
        };
        let id = self.add(ActionKind::Message(message), after);
        if from != to {
            self.received[to].push((self.step, id));
        }
        id
    }

    /// Lets an action wait for earlier ones too.
    pub(crate) fn wait(&mut self, action: ActionId, earlier: impl Iterator<Item = ActionId>) {
        self.actions[action.0 as usize].after.extend(earlier);
    }

    /// A rank's core reduces, left operand first.
    pub(crate) fn fold(&mut self, rank: usize, inputs: Vec<u64>, output: u64, bytes: u64) {
        let after = self.waited_for(rank, Wait::All);
        let core = self.task.members()[rank];
        let fold = local_reduce(self.task.collective, core, inputs, output, bytes);
        self.add(ActionKind::LocalReduce(fold), after);
    }

    /// The rank's own bytes go to their place, if they are not there.
    pub(crate) fn keep(&mut self, rank: usize, part: MessagePart) {
        if part.from != part.to && part.bytes > 0 {
            self.send((rank, rank), part, Wait::Nothing);
        }
    }

    /// What a rank has received and waits for, each once.
    pub(crate) fn waited_for(&mut self, rank: usize, wait: Wait) -> Vec<ActionId> {
        let is_waited_for = |step: u32| match wait {
            Wait::Nothing => false,
            Wait::All => true,
            Wait::UpTo(last) => step <= last,
        };
        let received = &mut self.received[rank];
        let waited = received.extract_if(.., |(step, _)| is_waited_for(*step));
        waited.map(|(_, id)| id).collect()
    }

    pub(crate) fn finish(self) -> Vec<Action> {
        self.actions
    }
}
