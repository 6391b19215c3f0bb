// SPDX-License-Identifier: Apache-2.0
//! The frame of a checkpoint: letters, format number, values, SHA-256 of all that.
//!
//! Values follow each other in postcard's form (numbers of few bits take few bytes, so that registers in
//! which nothing stands cost a byte each). They go through a buffer of fixed size in both directions.

use super::{CheckpointError, Part};
use crate::router::udn::ExecutedRequest;
use noccl_run::{MemoryImage, Request, RunConfig};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::io;
use std::io::{BufReader, BufWriter, Read, Seek, SeekFrom, Sink, Write, sink};

/// Version of the format. It grows with every change of what is stored, and with every change of what the
/// simulator does with it: both would make a resumed run differ from one without interruption.
pub const FORMAT: u32 = 19;

const LETTERS: &[u8; 8] = b"NOCCLCKP";
const HEAD_BYTES: u64 = 12;
const DIGEST_BYTES: u64 = 32;
const BUFFER_BYTES: usize = 1 << 20;

/// Passes bytes on and hashes them.
#[derive(Debug)]
pub(super) struct Hashed<W> {
    inner: W,
    hash: Sha256,
    /// Why the first write failed; the encoder only says that one did.
    failure: Option<String>,
}

impl<W: Write> Hashed<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            failure: None,
        }
    }

    pub(super) fn digest(self) -> [u8; 32] {
        self.hash.finalize().into()
    }
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes);
        match &written {
            Ok(len) => self.hash.update(&bytes[..*len]),
            Err(e) => self.failure = Some(e.to_string()),
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Writes a checkpoint value by value.
pub struct Writer<W: Write> {
    out: BufWriter<Hashed<W>>,
}

impl<W: Write> Writer<W> {
    /// Begins a checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn new(inner: W) -> Result<Self, CheckpointError> {
        let mut out = BufWriter::with_capacity(BUFFER_BYTES, Hashed::new(inner));
        let begun = out.write_all(LETTERS);
        let begun = begun.and_then(|()| out.write_all(&FORMAT.to_le_bytes()));
        begun.map_err(|e| CheckpointError::io(&e))?;
        Ok(Self { out })
    }

    /// Appends a value.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn put<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), CheckpointError> {
        match postcard::to_io(value, &mut self.out) {
            Ok(_) => Ok(()),
            Err(e) => {
                let failure = &self.out.get_ref().failure;
                let reason = failure.clone().unwrap_or_else(|| e.to_string());
                Err(CheckpointError::Io { reason })
            }
        }
    }

    pub(crate) fn put_word(&mut self, word: u64) -> Result<(), CheckpointError> {
        let written = self.out.write_all(&word.to_le_bytes());
        written.map_err(|e| CheckpointError::io(&e))
    }

    /// Ends the checkpoint.
    ///
    /// # Errors
    /// [`CheckpointError::Io`].
    pub fn finish(self) -> Result<W, CheckpointError> {
        let hashed = self.out.into_inner();
        let Hashed {
            mut inner, hash, ..
        } = hashed.map_err(|e| CheckpointError::io(e.error()))?;
        let ended = inner.write_all(&hash.finalize());
        let ended = ended.and_then(|()| inner.flush());
        ended.map_err(|e| CheckpointError::io(&e))?;
        Ok(inner)
    }
}

/// Reads a checkpoint value by value.
pub struct Reader<R: Read> {
    body: BufReader<io::Take<R>>,
}

impl<R: Read + Seek> Reader<R> {
    /// Checks the frame of a checkpoint, digest included.
    ///
    /// # Errors
    /// [`CheckpointError::NotACheckpoint`], [`CheckpointError::Format`], [`CheckpointError::Damaged`],
    /// [`CheckpointError::Io`].
    pub fn open(mut source: R) -> Result<Self, CheckpointError> {
        let io = |e: io::Error| CheckpointError::io(&e);
        let len = source.seek(SeekFrom::End(0)).map_err(io)?;
        source.rewind().map_err(io)?;
        let mut head = Vec::new();
        source
            .by_ref()
            .take(HEAD_BYTES)
            .read_to_end(&mut head)
            .map_err(io)?;
        let Some(format) = head.strip_prefix(LETTERS) else {
            return Err(CheckpointError::NotACheckpoint);
        };
        let truncated = || CheckpointError::damaged("it ends too early");
        let found = u32::from_le_bytes(format.try_into().map_err(|_| truncated())?);
        if found != FORMAT {
            return Err(CheckpointError::Format {
                found,
                accepted: FORMAT,
            });
        }
        let body_bytes = len.checked_sub(HEAD_BYTES + DIGEST_BYTES);
        let body_bytes = body_bytes.ok_or_else(truncated)?;
        let mut hashed = Hashed::new(io::sink());
        hashed.write_all(&head).map_err(io)?;
        let mut body = BufReader::with_capacity(BUFFER_BYTES, source.by_ref().take(body_bytes));
        io::copy(&mut body, &mut hashed).map_err(io)?;
        let mut expected = [0; DIGEST_BYTES as usize];
        source.read_exact(&mut expected).map_err(io)?;
        if hashed.digest() != expected {
            return Err(CheckpointError::damaged(
                "its SHA-256 is not that of its contents",
            ));
        }
        source.seek(SeekFrom::Start(HEAD_BYTES)).map_err(io)?;
        let body = BufReader::with_capacity(BUFFER_BYTES, source.take(body_bytes));
        Ok(Self { body })
    }
}

impl<R: Read> Reader<R> {
    /// The next value.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`].
    pub fn take<T: DeserializeOwned>(&mut self) -> Result<T, CheckpointError> {
        let decoded = postcard::from_io((&mut self.body, &mut []));
        let (value, _) = decoded.map_err(CheckpointError::damaged)?;
        Ok(value)
    }

    pub(crate) fn take_word(&mut self) -> Result<u64, CheckpointError> {
        let mut bytes = [0; 8];
        let read = self.body.read_exact(&mut bytes);
        read.map_err(|e| CheckpointError::io(&e))?;
        Ok(u64::from_le_bytes(bytes))
    }

    /// Ends reading.
    ///
    /// # Errors
    /// [`CheckpointError::Damaged`] if something is left.
    pub fn finish(mut self) -> Result<(), CheckpointError> {
        match self.body.read(&mut [0]) {
            Ok(0) => Ok(()),
            Ok(_) => Err(CheckpointError::damaged("it holds more than a run")),
            Err(e) => Err(CheckpointError::io(&e)),
        }
    }
}

// What a run is of, as a checkpoint says it: a digest per part.

/// SHA-256 of everything that a run's result follows from.
///
/// The number of threads is not in it: a run may go on with another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity(Vec<(Part, [u8; 32])>);

impl Identity {
    /// The identity of a schedule's run.
    #[must_use]
    pub fn of(request: &Request<'_>) -> Self {
        let Request {
            network,
            schedule,
            inputs,
            config,
        } = request;
        let RunConfig {
            mode,
            stall_seed,
            stalls,
            port_stall_per_256,
            max_cycles,
            stall_cycles,
            // Of schedules on core tiles, whose runs cannot be saved.
            is_lock_step: _,
            noise_seed: _,
            start_skew_cycles: _,
            threads: _,
        } = config;
        let stalls = format!("{stall_seed} {stalls:?} {port_stall_per_256}");
        Self(vec![
            (Part::Spec, of_json(network.spec())),
            (Part::Schedule, of_json(schedule)),
            (Part::Mode, of_json(&format!("{mode:?}"))),
            (Part::Stalls, of_json(&stalls)),
            (Part::Limits, of_limits(*max_cycles, *stall_cycles)),
            (Part::Inputs, of_inputs(inputs)),
        ])
    }

    /// The identity of a compiled program's run.
    #[must_use]
    pub fn of_program(request: &ExecutedRequest<'_>) -> Self {
        let ExecutedRequest {
            network,
            program,
            places,
            memory_bytes,
            config,
            // Only what is told of the run depends on it.
            has_times: _,
        } = request;
        let RunConfig {
            max_cycles,
            stall_cycles,
            // Executing cores have nothing of these.
            mode: _,
            stall_seed: _,
            stalls: _,
            port_stall_per_256: _,
            is_lock_step: _,
            noise_seed: _,
            start_skew_cycles: _,
            threads: _,
        } = config;
        Self(vec![
            (Part::Spec, of_json(network.spec())),
            (Part::Program, of_json(program.image())),
            (Part::Ranks, of_json(places)),
            (Part::Costs, of_json(program.costs())),
            (Part::Memory, of_json(memory_bytes)),
            (Part::Limits, of_limits(*max_cycles, *stall_cycles)),
        ])
    }

    /// Are both of the same run?
    ///
    /// # Errors
    /// [`CheckpointError::Differs`] with the first part that is not the same.
    pub fn compare(&self, other: &Self) -> Result<(), CheckpointError> {
        let parts = |of: &Self| of.0.iter().map(|(part, _)| *part).collect::<Vec<_>>();
        if parts(self) != parts(other) {
            return Err(CheckpointError::Differs(Part::Kind));
        }
        let different = self.0.iter().zip(&other.0).find(|(own, of)| own != of);
        different.map_or(Ok(()), |((part, _), _)| {
            Err(CheckpointError::Differs(*part))
        })
    }
}

fn of_limits(max_cycles: u64, stall_cycles: u64) -> [u8; 32] {
    of_json(&format!("{max_cycles} {stall_cycles}"))
}

fn of_inputs(inputs: &[MemoryImage]) -> [u8; 32] {
    let mut hashed = Hashed::new(sink());
    for MemoryImage {
        tile,
        offset,
        bytes,
    } in inputs
    {
        let place = format!("{tile} {offset} {} ", bytes.len());
        let written = hashed.write_all(place.as_bytes());
        written.and_then(|()| hashed.write_all(bytes)).expect(SINK);
    }
    hashed.digest()
}

const SINK: &str = "a hash takes any bytes";

/// SHA-256 of the JSON form.
fn of_json(value: &(impl Serialize + ?Sized)) -> [u8; 32] {
    let mut buffer: BufWriter<Hashed<Sink>> = BufWriter::new(Hashed::new(sink()));
    serde_json::to_writer(&mut buffer, value).expect("artefacts have a JSON form");
    let hashed = buffer.into_inner();
    hashed.expect(SINK).digest()
}
