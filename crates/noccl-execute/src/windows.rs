// SPDX-License-Identifier: Apache-2.0
//! Windows: memory of ranks that others access by messages. The library of a rank carries them out in the order of their arrival, concurrently with what
//! the rank does (`docs/design/0017-one-sided.md`); the same messages and rules as `python/noccl/programs/window_server.py`.

use crate::combine::combine;
use crate::error::ExecuteError;
use crate::function::Element;
use crate::races::{Races, Use};
use crate::run::Driver;
use noccl_program::{RankId, Receive, RequestId, Send};
use noccl_riscv::Call;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Tag of messages that ask for an access, and the first tag of windows.
const FIRST_TAG: i64 = 1 << 40;
const RESPONSE: i64 = 1;
const GRANT: i64 = 2;

/// Kind, operator, type, fence, bytes of the list of runs (4), window (4), address of the call (4), first byte (8), number of bytes or kind of
/// lock (8).
const HEAD_BYTES: usize = 32;

/// A lock that several ranks may have at a time.
const SHARED: u64 = 2;

/// What a message asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AccessKind {
    Put,
    Get,
    Accumulate,
    GetAccumulate,
    Swap,
    Flush,
    Lock,
    Unlock,
    Complete,
}

impl AccessKind {
    /// By number.
    pub(crate) const ALL: [Self; 9] = [
        Self::Put,
        Self::Get,
        Self::Accumulate,
        Self::GetAccumulate,
        Self::Swap,
        Self::Flush,
        Self::Lock,
        Self::Unlock,
        Self::Complete,
    ];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::Accumulate => "accumulate",
            Self::GetAccumulate => "get_accumulate",
            Self::Swap => "swap",
            Self::Flush => "flush",
            Self::Lock => "lock",
            Self::Unlock => "unlock",
            Self::Complete => "complete",
        }
    }
}

/// A message.
struct Access<'m> {
    kind: AccessKind,
    operator: u8,
    element: Element,
    /// The last fence, by a number that changes from each to the next; 0: the access is under a lock or between groups.
    fence: u8,
    window: u64,
    /// Address of the call.
    site: u64,
    start: i64,
    bytes: u64,
    /// Distance of elements and their runs (offset, bytes); empty where all bytes follow each other.
    extent: i64,
    runs: Vec<(i64, i64)>,
    data: &'m [u8],
}

impl<'m> Access<'m> {
    fn read(message: &'m [u8]) -> Option<Self> {
        let (head, rest) = message.split_at_checked(HEAD_BYTES)?;
        let described = u32::from_le_bytes(head[4..8].try_into().ok()?);
        let (described, data) = rest.split_at_checked(described as usize)?;
        let (words, _) = head.as_chunks::<8>();
        let number = |word: usize| i64::from_le_bytes(words[word]);
        let (words, _) = described.as_chunks::<8>();
        let mut words = words.iter().map(|word| i64::from_le_bytes(*word));
        // 0: without runs there are no distances.
        let extent = words.next().unwrap_or(0);
        let mut runs = Vec::new();
        while let (Some(offset), Some(bytes)) = (words.next(), words.next()) {
            runs.push((offset, bytes));
        }
        Some(Self {
            kind: AccessKind::ALL.get(usize::from(head[0])).copied()?,
            operator: head[1],
            element: Element::ALL.get(usize::from(head[2])).copied()?,
            fence: head[3],
            window: number(1).cast_unsigned() & u64::from(u32::MAX),
            site: number(1).cast_unsigned() >> 32,
            start: number(2),
            bytes: number(3).cast_unsigned(),
            extent,
            runs,
            data,
        })
    }

    /// Where its bytes are in a window; `None` if they are not all there.
    fn ranges(&self, window_bytes: usize) -> Option<Vec<std::ops::Range<usize>>> {
        let range = |first: i64, bytes: i64| {
            let first = usize::try_from(first).ok()?;
            let end = first.checked_add(usize::try_from(bytes).ok()?)?;
            (bytes > 0 && end <= window_bytes).then_some(first..end)
        };
        let mut left = i64::try_from(self.bytes).ok()?;
        if left == 0 {
            return Some(Vec::new());
        }
        if self.runs.is_empty() {
            return Some(vec![range(self.start, left)?]);
        }
        let (mut found, mut element) = (Vec::new(), self.start);
        while left > 0 {
            for (offset, bytes) in &self.runs {
                found.push(range(element.checked_add(*offset)?, *bytes)?);
                left -= bytes;
            }
            element = element.checked_add(self.extent)?;
        }
        (left == 0).then_some(found)
    }
}

/// Who gets a lock.
#[derive(Debug)]
enum Waiter {
    /// A rank far away, by a message.
    Rank,
    /// The owner itself.
    Owner(RequestId),
}

/// Memory of a rank that others access.
#[derive(Debug, Default)]
struct Window {
    address: u64,
    bytes: u64,
    /// Ranks that have ended their accesses, and who waits for how many of them.
    num_ended: u64,
    awaited: VecDeque<(u64, RequestId)>,
    /// Is the lock shared that a rank has?
    holders: BTreeMap<RankId, bool>,
    races: Races,
    queue: VecDeque<(RankId, bool, Waiter)>,
}

impl Window {
    /// The next rank that gets the lock.
    fn grant(&mut self) -> Option<(RankId, Waiter)> {
        let (_, is_shared, _) = self.queue.front()?;
        let is_free =
            self.holders.is_empty() || *is_shared && self.holders.values().all(|one| *one);
        if !is_free {
            return None;
        }
        let (rank, is_shared, waiter) = self.queue.pop_front()?;
        self.holders.insert(rank, is_shared);
        Some((rank, waiter))
    }

    /// Who has waited for as many ranks as have ended.
    fn awaited(&mut self) -> Option<RequestId> {
        let (number, request) = *self.awaited.front()?;
        self.num_ended = self.num_ended.checked_sub(number)?;
        self.awaited.pop_front();
        Some(request)
    }
}

/// All windows.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    of_rank: BTreeMap<(RankId, u64), Window>,
    /// Ranks whose library waits for accesses.
    served: BTreeSet<RankId>,
}

impl Driver<'_, '_> {
    pub(crate) fn expose(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [address, bytes, number, ..] = call.arguments;
        if u32::try_from(number).is_err() {
            let what = format!("window {}", number.cast_signed());
            return Err(self.refused(id, call, what, "the number of a communicator"));
        }
        if bytes == u64::MAX {
            self.windows.of_rank.remove(&(id, number));
        } else {
            self.check_buffer(id, call, address, bytes)?;
            let window = Window {
                address,
                bytes,
                ..Window::default()
            };
            self.windows.of_rank.insert((id, number), window);
            if self.windows.served.insert(id) {
                self.receive_access(id)?;
            }
        }
        self.give(id, 0);
        Ok(true)
    }

    fn library() -> String {
        "the library of windows".to_owned()
    }

    /// The library of a rank is ready for the next message.
    fn receive_access(&mut self, id: RankId) -> Result<(), ExecuteError> {
        let receive = Receive {
            comm: self.session.world(),
            source: None,
            tag: Some(FIRST_TAG),
            max_bytes: None,
        };
        let request = self.session.irecv(id, receive, Self::library())?;
        self.serve_next(id, request, &Self::library())
    }

    /// A message has arrived at the library of a rank.
    pub(crate) fn serve(
        &mut self,
        id: RankId,
        source: RankId,
        message: &[u8],
    ) -> Result<(), ExecuteError> {
        self.receive_access(id)?;
        let access = self.access_of(id, message)?;
        if access.kind == AccessKind::Lock {
            return self.lock(id, source, &access, Waiter::Rank);
        }
        match self.carry_out(id, source, &access)? {
            Some(response) => self.respond_to(source, id, access.window, RESPONSE, response),
            None => Ok(()),
        }
    }

    /// An access of a rank to its own window.
    pub(crate) fn access_own(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [message, bytes, buffer, space, ..] = call.arguments;
        let message = self.bytes(id, call, message, bytes)?;
        self.check_buffer(id, call, buffer, space)?;
        let access = self.access_of(id, &message)?;
        let place = self.place(call);
        let name = "lock of its own window".to_owned();
        let request = self.session.begin_task(id, name, place);
        if access.kind == AccessKind::Lock {
            self.lock(id, id, &access, Waiter::Owner(request))?;
        } else {
            // 0: an access without a response.
            let response = self.carry_out(id, id, &access)?.unwrap_or_default();
            if response.len() as u64 > space {
                let what = format!("an access that gives {} bytes", response.len());
                return Err(self.refused(id, call, what, format!("up to {space}")));
            }
            self.write(id, buffer, &response)?;
            self.session.end_task(request);
        }
        self.give_request(id, request, None);
        Ok(true)
    }

    pub(crate) fn ended(&mut self, id: RankId, call: &Call) -> Result<bool, ExecuteError> {
        let [number, ranks, ..] = call.arguments;
        let place = self.place(call);
        let name = "wait for accesses to its window".to_owned();
        let request = self.session.begin_task(id, name, place);
        let Some(window) = self.windows.of_rank.get_mut(&(id, number)) else {
            let what = format!("window {}", number.cast_signed());
            return Err(self.refused(id, call, what, "one of the rank"));
        };
        window.awaited.push_back((ranks, request));
        if let Some(over) = window.awaited() {
            self.session.end_task(over);
        }
        self.give_request(id, request, None);
        Ok(true)
    }

    fn access_of<'m>(&self, id: RankId, message: &'m [u8]) -> Result<Access<'m>, ExecuteError> {
        let access = Access::read(message);
        let access = access.filter(|access| {
            let is_known = self.windows.of_rank.contains_key(&(id, access.window));
            is_known && access.bytes <= self.request.memory_bytes
        });
        access
            .ok_or_else(|| self.no_access(id, "an access to a window that the rank does not have"))
    }

    fn no_access(&self, id: RankId, reason: &str) -> ExecuteError {
        self.fault(id, self.ranks[id.0 as usize].core.pc, reason.to_owned())
    }

    fn window(&mut self, id: RankId, number: u64) -> &mut Window {
        self.windows.of_rank.entry((id, number)).or_default()
    }

    /// Does what a rank asks for; what it gets, `None` if it waits for nothing.
    fn carry_out(
        &mut self,
        id: RankId,
        source: RankId,
        access: &Access<'_>,
    ) -> Result<Option<Vec<u8>>, ExecuteError> {
        let window = self.window(id, access.window);
        match access.kind {
            AccessKind::Complete => {
                window.num_ended += 1;
                if let Some(over) = window.awaited() {
                    self.session.end_task(over);
                }
                Ok(None)
            }
            AccessKind::Unlock => {
                window.holders.remove(&source);
                self.grant_all(id, access.window)?;
                Ok(Some(Vec::new()))
            }
            AccessKind::Flush | AccessKind::Lock => Ok(Some(Vec::new())),
            AccessKind::Put | AccessKind::Accumulate => {
                self.change(id, source, access)?;
                Ok(None)
            }
            AccessKind::Get | AccessKind::GetAccumulate | AccessKind::Swap => {
                self.change(id, source, access).map(Some)
            }
        }
    }

    /// Reads bytes of a window and writes others; those before.
    fn change(
        &mut self,
        id: RankId,
        source: RankId,
        access: &Access<'_>,
    ) -> Result<Vec<u8>, ExecuteError> {
        let Window { address, bytes, .. } = *self.window(id, access.window);
        let core = &mut self.ranks[id.0 as usize].core;
        let memory = match bytes {
            0 => Ok(&mut [][..]),
            _ => core.write(self.request.program, address, bytes),
        };
        let places = memory.ok().and_then(|memory| {
            let places = access.ranges(memory.len())?;
            Some((memory, places))
        });
        let Some((memory, places)) = places else {
            return Err(self.no_access(id, "an access outside the window"));
        };
        let before: Vec<u8> = places
            .iter()
            .flat_map(|place| &memory[place.clone()])
            .copied()
            .collect();
        let Some(after) = changed(access, &before) else {
            return Err(self.no_access(id, "an access whose operator, type or length does not fit"));
        };
        let mut rest = &after[..];
        for place in &places {
            let (part, others) = rest.split_at(place.len());
            memory[place.clone()].copy_from_slice(part);
            rest = others;
        }
        self.compare_accesses(id, source, access, &places);
        Ok(before)
    }

    /// Warns of an access that conflicts with one since the same fence.
    fn compare_accesses(
        &mut self,
        id: RankId,
        source: RankId,
        access: &Access<'_>,
        places: &[std::ops::Range<usize>],
    ) {
        let used = match access.kind {
            AccessKind::Get => Use::Read,
            AccessKind::Put | AccessKind::Swap => Use::Write,
            AccessKind::Accumulate | AccessKind::GetAccumulate => Use::Combine(access.operator),
            AccessKind::Flush | AccessKind::Lock | AccessKind::Unlock | AccessKind::Complete => {
                return;
            }
        };
        if access.fence == 0 {
            return;
        }
        let races = &mut self.window(id, access.window).races;
        let Some(race) = races.note(access.fence, (used, source), access.site, places) else {
            return;
        };
        let [first, second] = race.ranks;
        let [call, other_call] = race.sites.map(|site| self.place_of_call(site));
        self.warnings.push(format!(
            "race: {first} in {call} and {second} in {other_call} access bytes {} to {} of a window of {id} between the same two fences, and one of them writes; MPI leaves the values undefined",
            race.bytes.start, race.bytes.end
        ));
    }

    fn lock(
        &mut self,
        id: RankId,
        source: RankId,
        access: &Access<'_>,
        waiter: Waiter,
    ) -> Result<(), ExecuteError> {
        let queued = (source, access.bytes == SHARED, waiter);
        self.window(id, access.window).queue.push_back(queued);
        self.grant_all(id, access.window)
    }

    fn grant_all(&mut self, id: RankId, number: u64) -> Result<(), ExecuteError> {
        while let Some((rank, waiter)) = self.window(id, number).grant() {
            match waiter {
                Waiter::Rank => self.respond_to(rank, id, number, GRANT, Vec::new())?,
                Waiter::Owner(request) => self.session.end_task(request),
            }
        }
        Ok(())
    }

    /// The library of a rank sends what another one has asked for.
    fn respond_to(
        &mut self,
        to: RankId,
        id: RankId,
        window: u64,
        kind: i64,
        data: Vec<u8>,
    ) -> Result<(), ExecuteError> {
        let send = Send {
            comm: self.session.world(),
            target: to.0,
            tag: FIRST_TAG + 4 * window.cast_signed() + kind,
            data,
            is_synchronous: false,
        };
        let request = self.session.isend(id, send, Self::library())?;
        self.forget_response(id, request, &Self::library())
    }
}

/// The bytes after an access; `None` if its data do not fit.
fn changed(access: &Access<'_>, before: &[u8]) -> Option<Vec<u8>> {
    match access.kind {
        AccessKind::Put => Some(access.data.to_vec()),
        AccessKind::Accumulate | AccessKind::GetAccumulate => {
            combine(access.operator, access.element, before, access.data)
        }
        AccessKind::Swap => {
            let (compared, new) = access.data.split_at_checked(before.len())?;
            Some(if before == compared { new } else { before }.to_vec())
        }
        AccessKind::Get
        | AccessKind::Flush
        | AccessKind::Lock
        | AccessKind::Unlock
        | AccessKind::Complete => Some(before.to_vec()),
    }
    .filter(|after| after.len() == before.len())
}
