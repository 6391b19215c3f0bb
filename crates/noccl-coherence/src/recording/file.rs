// SPDX-License-Identifier: Apache-2.0
//! The file form of a recording (`docs/formats/recording.md`).
//!
//! Eight bytes `NOCCLREF`, version, number of threads (4 bytes each); for each thread the bytes and the number of its events (8 bytes
//! each); the events of one thread after the other; a checksum of all that (FNV-1a, 8 bytes). Numbers are little-endian.

use super::{Log, Recorder};

/// The version that is written and read.
pub const VERSION: u32 = 1;
/// The machine has so many cores, a thread each.
pub const MAX_THREADS: usize = 64;

const MAGIC: &[u8; 8] = b"NOCCLREF";
const HEADER_BYTES: usize = 16;
const CHECKSUM_BYTES: usize = 8;

/// Why a recording is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("recording, {field}: {found}; accepted: {accepted}")]
pub struct RecordingError {
    /// Which part of it.
    pub field: String,
    /// What it holds.
    pub found: String,
    /// What it may hold.
    pub accepted: String,
}

impl RecordingError {
    pub(super) fn new(
        field: impl Into<String>,
        found: impl Into<String>,
        accepted: impl Into<String>,
    ) -> Self {
        Self {
            field: field.into(),
            found: found.into(),
            accepted: accepted.into(),
        }
    }
}

pub(super) fn check_threads(threads: u64) -> Result<(), RecordingError> {
    if (1..=MAX_THREADS as u64).contains(&threads) {
        return Ok(());
    }
    let accepted = format!("1 to {MAX_THREADS}, a core each");
    Err(RecordingError::new(
        "threads",
        threads.to_string(),
        accepted,
    ))
}

impl Log {
    /// As a file.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.threads.len() as u32).to_le_bytes());
        for thread in &self.threads {
            bytes.extend((thread.bytes.len() as u64).to_le_bytes());
            bytes.extend(thread.events.to_le_bytes());
        }
        for thread in &self.threads {
            bytes.extend(&thread.bytes);
        }
        bytes.extend(checksum(&bytes).to_le_bytes());
        bytes
    }

    /// From a file.
    ///
    /// # Errors
    /// [`RecordingError`] for files that are damaged, of another version, or of too many threads.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, RecordingError> {
        let mut reader = Reader::new(bytes)?;
        let threads = u64::from(reader.u32());
        check_threads(threads)?;
        let sizes = reader.sizes(threads as usize)?;
        let mut recorders = Vec::new();
        for (thread, (size, events)) in sizes.into_iter().enumerate() {
            let field = || format!("thread {thread}");
            let recorder = Recorder::from_bytes(reader.take(size))
                .map_err(|found| RecordingError::new(field(), found, "the code of events"))?;
            if recorder.events != events {
                let found = format!("{} events", recorder.events);
                return Err(RecordingError::new(
                    field(),
                    found,
                    format!("{events}, as its header says"),
                ));
            }
            recorders.push(recorder);
        }
        Log::new(recorders)
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// What has not been read yet.
struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Behind magic and version, without the checksum, which holds.
    fn new(bytes: &'a [u8]) -> Result<Self, RecordingError> {
        if !bytes.starts_with(MAGIC) {
            let accepted = "NOCCLREF: is this a recording?";
            return Err(RecordingError::new("first bytes", "others", accepted));
        }
        if bytes.len() < HEADER_BYTES + CHECKSUM_BYTES {
            let found = format!("{} bytes", bytes.len());
            let accepted = "at least 24: the file is cut off";
            return Err(RecordingError::new("length", found, accepted));
        }
        let mut reader = Self {
            rest: &bytes[MAGIC.len()..],
        };
        let version = reader.u32();
        if version != VERSION {
            let accepted = VERSION.to_string();
            return Err(RecordingError::new(
                "version",
                version.to_string(),
                accepted,
            ));
        }
        let (body, end) = bytes.split_at(bytes.len() - CHECKSUM_BYTES);
        let found = Self { rest: end }.u64();
        if found != checksum(body) {
            let accepted = format!("{:016x}: the file is damaged or cut off", checksum(body));
            return Err(RecordingError::new(
                "checksum",
                format!("{found:016x}"),
                accepted,
            ));
        }
        reader.rest = &body[MAGIC.len() + 4..];
        Ok(reader)
    }

    fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        taken
    }

    fn u32(&mut self) -> u32 {
        let bytes = self.take(4).try_into();
        u32::from_le_bytes(bytes.expect("four bytes are taken"))
    }

    fn u64(&mut self) -> u64 {
        let bytes = self.take(8).try_into();
        u64::from_le_bytes(bytes.expect("eight bytes are taken"))
    }

    /// Bytes and events of each thread; the bytes are what is left.
    fn sizes(&mut self, threads: usize) -> Result<Vec<(usize, u64)>, RecordingError> {
        let wrong = |found: String, accepted: String| {
            Err(RecordingError::new("bytes of the threads", found, accepted))
        };
        if self.rest.len() < 16 * threads {
            return wrong("missing".to_owned(), "a size for each thread".to_owned());
        }
        let sizes: Vec<(u64, u64)> = (0..threads).map(|_| (self.u64(), self.u64())).collect();
        let sum = sizes
            .iter()
            .try_fold(0_u64, |sum, (size, _)| sum.checked_add(*size));
        if sum != Some(self.rest.len() as u64) {
            let found = sum.map_or("more than 64 bits hold".to_owned(), |sum| sum.to_string());
            return wrong(found, format!("{}, what the file holds", self.rest.len()));
        }
        Ok(sizes
            .into_iter()
            .map(|(size, events)| (size as usize, events))
            .collect())
    }
}
