// SPDX-License-Identifier: Apache-2.0
//! What the threads of a program have referenced, and how they have synchronised: recorded, written, read, checked.
//!
//! The addresses that a thread references must not depend on time: work is divided statically, and between synchronisations no two
//! threads reference the same bytes if one of them writes. [`Log::check`] refuses everything else, as its replay would prove nothing.

pub use file::{MAX_THREADS, RecordingError, VERSION};

pub(crate) use race::Mixer;

mod file;
mod order;
mod race;

/// A recording that has been checked for its form: every event can be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    threads: Vec<Recorder>,
}

impl Log {
    /// What threads have recorded.
    ///
    /// # Errors
    /// [`RecordingError`] for a number of threads that does not fit.
    pub fn new(threads: Vec<Recorder>) -> Result<Self, RecordingError> {
        file::check_threads(threads.len() as u64)?;
        Ok(Self { threads })
    }

    /// Number of threads.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.threads.len()
    }

    /// References of all threads.
    #[must_use]
    pub fn num_references(&self) -> u64 {
        self.threads.iter().map(|thread| thread.references()).sum()
    }

    /// What a thread has done.
    #[must_use]
    pub fn events(&self, thread: usize) -> Cursor<'_> {
        self.threads[thread].events()
    }

    /// Do synchronisations fit together, and do they order all references that conflict?
    ///
    /// # Errors
    /// [`RecordingError`] for the first that do not.
    pub fn check(&self) -> Result<(), RecordingError> {
        order::replay(self, &mut race::Races::new(self.num_threads()))
    }
}

// Events of a thread, and their code: a number of variable length each, addresses as differences.
//
// A number is kind | payload << 3, in groups of seven bits, lowest first, the high bit set in all but the last. The payload of a
// reference is the base-2 logarithm of its bytes | zigzag(address − the one before) << 2; of all others their id.

/// Addresses of data lie below.
pub const MAX_ADDRESS: u64 = 1 << 48;

/// Something that a thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordedEvent {
    /// Reads at an address so many bytes: 1, 2, 4 or 8.
    Read(u64, u8),
    /// Writes.
    Write(u64, u8),
    /// Takes a lock.
    Lock(u32),
    /// Returns it.
    Unlock(u32),
    /// Waits for all threads that ever do so at this barrier.
    Barrier(u32),
    /// Starts another thread.
    Start(u32),
    /// Waits for the end of another thread.
    Join(u32),
}

/// Events of a thread, coded.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Recorder {
    bytes: Vec<u8>,
    events: u64,
    references: u64,
    last_address: u64,
}

impl Recorder {
    /// Adds an event.
    pub fn push(&mut self, event: RecordedEvent) {
        let (kind, payload) = match event {
            RecordedEvent::Read(address, bytes) => (0, self.reference(address, bytes)),
            RecordedEvent::Write(address, bytes) => (1, self.reference(address, bytes)),
            RecordedEvent::Lock(id) => (2, u64::from(id)),
            RecordedEvent::Unlock(id) => (3, u64::from(id)),
            RecordedEvent::Barrier(id) => (4, u64::from(id)),
            RecordedEvent::Start(thread) => (5, u64::from(thread)),
            RecordedEvent::Join(thread) => (6, u64::from(thread)),
        };
        self.events += 1;
        let mut number = kind | payload << 3;
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    fn reference(&mut self, address: u64, bytes: u8) -> u64 {
        debug_assert!(address < MAX_ADDRESS && bytes.is_power_of_two() && bytes <= 8);
        let difference = address.wrapping_sub(self.last_address) as i64;
        self.last_address = address;
        self.references += 1;
        let zigzag = ((difference << 1) ^ (difference >> 63)) as u64;
        u64::from(bytes.trailing_zeros()) | zigzag << 2
    }

    /// Reads and writes.
    #[must_use]
    pub const fn references(&self) -> u64 {
        self.references
    }

    /// All events, in order.
    #[must_use]
    pub fn events(&self) -> Cursor<'_> {
        Cursor {
            bytes: &self.bytes,
            last_address: 0,
        }
    }

    /// From the bytes of a file: the reason why they are no events, if so.
    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut cursor = Cursor {
            bytes,
            last_address: 0,
        };
        let (mut events, mut references) = (0, 0);
        while !cursor.bytes.is_empty() {
            let at = bytes.len() - cursor.bytes.len();
            let event = cursor.decode().ok_or(format!("no event at byte {at}"))?;
            events += 1;
            references += u64::from(matches!(
                event,
                RecordedEvent::Read(..) | RecordedEvent::Write(..)
            ));
        }
        Ok(Self {
            bytes: bytes.to_vec(),
            events,
            references,
            last_address: cursor.last_address,
        })
    }
}

/// Decodes events one after the other.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    last_address: u64,
}

impl Cursor<'_> {
    fn decode(&mut self) -> Option<RecordedEvent> {
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            if shift > 56 {
                return None;
            }
            number |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                break;
            }
        }
        let payload = number >> 3;
        let id = u32::try_from(payload).ok();
        match number & 7 {
            0 => self
                .reference(payload)
                .map(|(at, n)| RecordedEvent::Read(at, n)),
            1 => self
                .reference(payload)
                .map(|(at, n)| RecordedEvent::Write(at, n)),
            2 => id.map(RecordedEvent::Lock),
            3 => id.map(RecordedEvent::Unlock),
            4 => id.map(RecordedEvent::Barrier),
            5 => id.map(RecordedEvent::Start),
            6 => id.map(RecordedEvent::Join),
            _ => None,
        }
    }

    fn reference(&mut self, payload: u64) -> Option<(u64, u8)> {
        let zigzag = payload >> 2;
        let difference = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
        let address = self.last_address.wrapping_add(difference as u64);
        self.last_address = address;
        (address < MAX_ADDRESS).then_some((address, 1 << (payload & 3)))
    }
}

impl Iterator for Cursor<'_> {
    type Item = RecordedEvent;

    fn next(&mut self) -> Option<RecordedEvent> {
        if self.bytes.is_empty() {
            return None;
        }
        self.decode()
    }
}
