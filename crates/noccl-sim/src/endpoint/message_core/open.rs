// SPDX-License-Identifier: Apache-2.0
//! Actions that programs submit while cores act (`noccl_run::OpenRun`).
//!
//! A core whose share has ended asks before it chooses what comes next, so a submitted action begins in the cycle in which it would begin if it
//! had been known: the program's response takes no time.

use super::program::Program;
use super::{Cores, Planes};
use noccl_net::{Network, TileId};
use noccl_run::{Busy, Ended, Order, RunError, TimeSlices};
use noccl_spec::{Core as CoreSpec, UNIT_HEAD_WORDS};
use noccl_workload::{Action, ActionId, Message as Sent, Place, WordStream};
use std::ops::Range;

impl Cores<'_> {
    /// Do cores do such an action?
    ///
    /// # Errors
    /// [`RunError::Refused`].
    pub(crate) fn accepts(&self, action: &Action) -> Result<(), RunError> {
        refuse(self.network, action, self.messages.next_number())
    }

    /// Submits an action; the shares of held tiles stand in no list until they are released.
    ///
    /// # Errors
    /// [`RunError::Refused`]; then nothing has changed.
    pub(crate) fn submit(
        &mut self,
        action: Action,
        is_held: &dyn Fn(TileId) -> bool,
        order: Order,
    ) -> Result<ActionId, RunError> {
        self.take_in(&action, is_held, order)?;
        let number = self.actions.push(action);
        for share in self.program.instances.of(number) {
            self.wake_now(self.program.instances.all[share].tile.0);
        }
        Ok(ActionId(number))
    }

    /// A held share may begin as soon as it waits for nothing else.
    pub(crate) fn release(&mut self, action: ActionId, tile: TileId, order: Order) {
        let Some(share) = self.program.instances.at(action.0, tile) else {
            return;
        };
        let is_ready = self.program.instances.release(share);
        let message = self.messages.get(action.0);
        match message.filter(|message| message.receiving == share) {
            Some(message) if is_ready && !message.listed.is_empty() => {
                self.cores[tile.idx()].copies.push_back(action.0);
            }
            Some(_) => {}
            None => self.cores[tile.idx()].stand(share, order),
        }
        self.wake_now(tile.0);
    }

    /// A sleeping core acts in this cycle still.
    fn wake_now(&mut self, tile: u32) {
        if self.wake(tile as usize) {
            self.asking.push(tile);
        }
    }

    /// Does any core act once more in this cycle?
    pub(crate) fn asks(&self) -> bool {
        !self.asking.is_empty()
    }

    /// The cores go on whose programs have had their say.
    pub(crate) fn act_again(&mut self, now: u64, planes: &mut Planes) -> bool {
        let mut has_acted = false;
        let mut asking = std::mem::take(&mut self.asking);
        asking.sort_unstable();
        asking.dedup();
        for tile in asking {
            has_acted |= self.act_at(tile as usize, now, planes);
        }
        has_acted
    }

    /// Shares that have ended since the last call.
    pub(crate) fn take_ended(&mut self, to: &mut Vec<Ended>) {
        self.program.take_ended(to);
    }

    pub(crate) fn busy(&self, tile: TileId) -> Busy {
        self.cores[tile.idx()].busy
    }

    /// From now on each core keeps when it sends and receives.
    pub(crate) fn record_times(&mut self) {
        for core in &mut self.cores {
            core.times = Some(Box::default());
        }
    }

    pub(crate) fn times_of(&self, tile: TileId) -> TimeSlices {
        let times = self.cores[tile.idx()].times.as_deref();
        // 0: times of nothing where they are not recorded.
        times.cloned().unwrap_or_default()
    }
}

// What cores do: which actions they take, and the messages of these.

/// The message of an action, if it is one that crosses the network.
pub(super) fn message_of(
    network: &Network,
    spec: &CoreSpec,
    action: &Action,
    program: &Program,
    number: u32,
) -> Option<Message> {
    let sent = action.kind.message()?;
    let source = network.find(sent.source.tile)?;
    let target = network.find(sent.destination.tile)?;
    let share = program
        .instances
        .at(number, target)
        .filter(|_| source != target)?;
    Some(Message::new(sent, (source.0, target.0), share, spec))
}

/// Refuses what cores do not do.
///
/// # Errors
/// [`RunError::Refused`].
pub(super) fn refuse(network: &Network, action: &Action, number: u32) -> Result<(), RunError> {
    let kind = &action.kind;
    let refused = |reason: &str| RunError::Refused {
        backend: "sim",
        what: format!("actions[{number}] ({})", kind.name()),
        reason: format!(
            "{reason}; accepted on core tiles: message, static_multicast, local_reduce, compute"
        ),
    };
    if !kind.is_of_cores() {
        return Err(refused("cores pass messages and have no DMA"));
    }
    let is_on_mesh = |place: Place| network.find(place.tile).is_some();
    let ends = kind.message().map(|sent| [sent.source, sent.destination]);
    if ends.is_some_and(|ends| !ends.into_iter().all(is_on_mesh)) {
        return Err(refused("it names a tile that is not on the mesh"));
    }
    Ok(())
}

// A message in progress: units of a header, a tag and up to `unit_bytes` of payload.

/// Bytes of a word.
pub(super) const WORD_BYTES: u64 = noccl_spec::WORD_BYTES as u64;

/// A message in progress.
#[derive(Debug)]
pub(super) struct Message {
    pub source: u32,
    pub target: u32,
    pub rows: Rows,
    pub round: Option<u32>,
    pub units: u32,
    unit_bytes: u64,
    /// The receiver's share.
    pub receiving: u32,
    /// Units that the receiver has read, those that stand at their place, and those that stand in its list.
    pub read: u32,
    pub placed: u32,
    pub listed: Range<u32>,
    /// Has the receiver begun with it?
    pub is_begun: bool,
    /// Words that are sent (value mode), rows one after the other.
    pub payload: Vec<u8>,
}

impl Message {
    pub(super) fn new(sent: &Sent, tiles: (u32, u32), receiving: u32, core: &CoreSpec) -> Self {
        let unit_bytes = u64::from(core.unit_bytes);
        let rows = Rows::of(sent);
        Self {
            source: tiles.0,
            target: tiles.1,
            rows,
            round: sent.round,
            units: core.units(rows.stream_bytes()) as u32,
            unit_bytes,
            receiving,
            read: 0,
            placed: 0,
            listed: 0..0,
            is_begun: false,
            payload: Vec::new(),
        }
    }

    /// Its bytes that a unit carries.
    pub(super) fn range(&self, unit: u32) -> Range<u64> {
        let from = u64::from(unit) * self.unit_bytes;
        from..self.rows.stream_bytes().min(from + self.unit_bytes)
    }

    /// Words of payload in a unit.
    pub(super) fn payload_words(&self, unit: u32) -> u32 {
        let range = self.range(unit);
        (range.end - range.start).div_ceil(WORD_BYTES) as u32
    }

    /// Rows that a core goes on to within a unit.
    pub(super) fn next_rows(&self, unit: u32) -> u64 {
        self.rows.begun_in(self.range(unit))
    }

    /// Words of a unit on the network.
    pub(super) fn words(&self, unit: u32) -> u32 {
        UNIT_HEAD_WORDS + self.payload_words(unit)
    }

    /// Is everything at its place?
    pub(super) fn is_placed(&self) -> bool {
        self.placed == self.units
    }
}

// Rows of a message: where the bytes of its stream of words stand in the memories of both ends.
//
// In the stream rows follow each other, each from a word of its own on, so that no word holds bytes of two rows.

/// Rows of a message.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rows {
    /// First byte read, and first byte written.
    from: u64,
    to: u64,
    stream: WordStream,
    /// Bytes between the starts of rows at the source and at the destination.
    source_stride: u64,
    destination_stride: u64,
}

/// Bytes of one row that follow each other everywhere.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RowsPart {
    /// In the stream.
    pub sent: Range<u64>,
    /// First byte read, and first byte written.
    pub from: u64,
    pub to: u64,
}

impl Rows {
    pub(super) fn of(sent: &noccl_workload::Message) -> Self {
        let strides = sent.rows.map(|r| (r.source_stride, r.destination_stride));
        // 0: a message of one row has no stride.
        let (source_stride, destination_stride) = strides.unwrap_or_default();
        Self {
            from: sent.source.offset,
            to: sent.destination.offset,
            stream: sent.stream(),
            source_stride,
            destination_stride,
        }
    }

    /// Bytes of the stream of words.
    pub(super) const fn stream_bytes(&self) -> u64 {
        self.stream.bytes()
    }

    /// Rows that begin in a range of the stream, but for the first of all.
    pub(super) fn begun_in(&self, stream: Range<u64>) -> u64 {
        self.stream.rows_begun_in(stream)
    }

    /// The bytes of a range of the stream, row by row.
    pub(super) fn parts(self, stream: Range<u64>) -> impl Iterator<Item = RowsPart> {
        let WordStream { row_bytes, rows } = self.stream;
        let pitch = self.stream.pitch_bytes();
        let rows = match pitch {
            0 => 0..0,
            pitch => stream.start / pitch..stream.end.div_ceil(pitch).min(rows),
        };
        rows.map(move |row| {
            let first = row * pitch;
            let start = stream.start.max(first);
            let sent = start..stream.end.min(first + row_bytes).max(start);
            let within = start - first;
            RowsPart {
                sent,
                from: self.from + row * self.source_stride + within,
                to: self.to + row * self.destination_stride + within,
            }
        })
    }
}
