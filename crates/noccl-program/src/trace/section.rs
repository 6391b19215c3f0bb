// SPDX-License-Identifier: Apache-2.0
//! The records of one rank: each is checked against the communicators and the open requests that the rank has there.

use super::collectives::{CollectiveName, Lengths, RecordedCollective};
use super::record::{Event, NewCommunicator, Record};
use super::{MAX_COMPUTE, MAX_RECORD_BYTES};
use crate::error::ProgramError;
use noccl_workload::{ElementType, Operator};
use std::collections::BTreeMap;
use std::str::SplitAsciiWhitespace;

/// Most that a tag may be. From 2^31 on they are those of composed collectives.
const MAX_TAG: u64 = u32::MAX as u64;
/// Numbers of communicators and requests.
const MAX_NUMBER: u64 = u32::MAX as u64;
const RECORDS: &str = "library, compute, send, ssend, isend, issend, recv, irecv, wait, split, group, end, barrier, bcast, reduce, allreduce, reduce_scatter_block, reduce_scatter, scan, exscan, gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv";

/// Before a record of the message library.
const LIBRARY: &str = "library";
/// What the library's records are: nothing that has to be waited for later.
const OF_LIBRARY: [&str; 4] = ["compute", "send", "recv", "bcast"];

/// The records of a rank so far.
pub(super) struct Section {
    pub(super) rank: u32,
    ranks: u32,
    /// Line in which it begins.
    pub(super) line: u32,
    pub(super) records: Vec<Record>,
    /// Ranks in each communicator, by its number.
    comms: BTreeMap<u32, u32>,
    /// Line in which each open request began, by its number.
    open: BTreeMap<u32, u32>,
}

impl Section {
    /// Nothing of this rank has been read.
    pub(super) fn new(rank: u32, ranks: u32, line: u32) -> Self {
        Self {
            rank,
            ranks,
            line,
            records: Vec::new(),
            comms: BTreeMap::from([(0, ranks), (1, 1)]),
            open: BTreeMap::new(),
        }
    }

    /// A record that begins with this word, or with `library` and then this word.
    pub(super) fn read(&mut self, word: &str, mut line: Line<'_>) -> Result<(), ProgramError> {
        let number = line.number;
        let is_library = word == LIBRARY;
        let word = if is_library {
            library_word(&mut line)?
        } else {
            word
        };
        let event = match word {
            "compute" => Event::Compute(line.number("a time", MAX_COMPUTE)?),
            "send" | "ssend" | "isend" | "issend" => self.send(word, &mut line)?,
            "recv" | "irecv" => self.receive(word, &mut line)?,
            "wait" => self.wait(&mut line)?,
            "split" => self.split(&mut line)?,
            "group" => self.group(&mut line)?,
            _ => {
                let found = CollectiveName::ALL.into_iter().find(|c| c.name() == word);
                let name = found.ok_or_else(|| line.wrong(&quoted(word), RECORDS))?;
                self.collective(name, &mut line)?
            }
        };
        line.end()?;
        self.records.push(Record {
            line: number,
            is_library,
            event,
        });
        Ok(())
    }

    /// The last line of the section: the number of its records. No request may be open.
    pub(super) fn end(&self, file: &str, mut line: Line<'_>) -> Result<(), ProgramError> {
        let stated: u64 = line.number("the number of the rank's records", MAX_NUMBER)?;
        if stated != self.records.len() as u64 {
            let what = format!("rank {} ends after {stated} records", self.rank);
            return Err(line.wrong(&what, format!("{}, as stand here", self.records.len())));
        }
        if let Some((request, opened)) = self.open.first_key_value() {
            let what = format!("request {request} is never waited for");
            return Err(wrong(file, *opened, &what, "a wait for every request"));
        }
        line.end()
    }

    /// A communicator of the rank, and its number of ranks.
    fn comm(&self, line: &mut Line<'_>) -> Result<(u32, u32), ProgramError> {
        let comm: u32 = line.number("a communicator", MAX_NUMBER)?;
        let size = self.comms.get(&comm).copied();
        let size = size.ok_or_else(|| {
            let accepted = "0 (all ranks), 1 (the rank alone), and those of split and group above";
            line.wrong(&format!("communicator {comm}"), accepted)
        })?;
        Ok((comm, size))
    }

    /// Communicator, other rank, tag and bytes of a message.
    fn message(&self, line: &mut Line<'_>) -> Result<(u32, u32, i64, u64), ProgramError> {
        let (comm, size) = self.comm(line)?;
        let other = line.number("a rank of the communicator", u64::from(size) - 1)?;
        let tag = line.number("a tag", MAX_TAG)?;
        let bytes = line.number("bytes", MAX_RECORD_BYTES)?;
        Ok((comm, other, tag, bytes))
    }

    fn send(&mut self, word: &str, line: &mut Line<'_>) -> Result<Event, ProgramError> {
        let (comm, target, tag, bytes) = self.message(line)?;
        let is_open = word.starts_with('i');
        Ok(Event::Send {
            comm,
            target,
            tag,
            bytes,
            is_synchronous: word.ends_with("ssend"),
            request: is_open.then(|| self.request(line)).transpose()?,
        })
    }

    fn receive(&mut self, word: &str, line: &mut Line<'_>) -> Result<Event, ProgramError> {
        let (comm, source, tag, bytes) = self.message(line)?;
        let is_open = word.starts_with('i');
        let request = is_open.then(|| self.request(line)).transpose()?;
        let is_any_source = match line.next() {
            None => false,
            Some("any") => true,
            Some(word) => return Err(line.wrong(&quoted(word), "any, or the end of the line")),
        };
        Ok(Event::Receive {
            comm,
            source,
            tag,
            bytes,
            is_any_source,
            request,
        })
    }

    /// The number of a request that begins.
    fn request(&mut self, line: &mut Line<'_>) -> Result<u32, ProgramError> {
        let request = line.number("a request", MAX_NUMBER)?;
        match self.open.insert(request, line.number) {
            None => Ok(request),
            Some(opened) => {
                let what = format!("request {request} is open since line {opened}");
                Err(line.wrong(&what, "a number that is free"))
            }
        }
    }

    fn wait(&mut self, line: &mut Line<'_>) -> Result<Event, ProgramError> {
        let requests: Vec<u32> = line.numbers("a request", MAX_NUMBER)?;
        if requests.is_empty() {
            return Err(line.wrong("the line ends too early", "requests"));
        }
        for request in &requests {
            if self.open.remove(request).is_none() {
                let what = format!("request {request}");
                return Err(line.wrong(&what, "requests that are open"));
            }
        }
        Ok(Event::Wait(requests))
    }

    fn split(&mut self, line: &mut Line<'_>) -> Result<Event, ProgramError> {
        let (comm, _) = self.comm(line)?;
        let accepted = "a number that is free, or - for a rank in no part";
        let word = line.word(accepted)?;
        if word == "-" {
            return Ok(Event::Split { comm, made: None });
        }
        let made = Some(self.members(word, accepted, line)?);
        Ok(Event::Split { comm, made })
    }

    fn group(&mut self, line: &mut Line<'_>) -> Result<Event, ProgramError> {
        let accepted = "a number that is free";
        let word = line.word(accepted)?;
        Ok(Event::Group(self.members(word, accepted, line)?))
    }

    fn members(
        &mut self,
        word: &str,
        accepted: &str,
        line: &mut Line<'_>,
    ) -> Result<NewCommunicator, ProgramError> {
        let number: u32 = line.parsed(word, MAX_NUMBER, || accepted.to_owned())?;
        if self.comms.contains_key(&number) {
            return Err(line.wrong(&format!("communicator {number}"), accepted));
        }
        let most = u64::from(self.ranks) - 1;
        let ranks: Vec<u32> = line.numbers("ranks of the program", most)?;
        let mut sorted = ranks.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() != ranks.len() || !ranks.contains(&self.rank) {
            let accepted = format!("different ranks, and rank {} with them", self.rank);
            return Err(line.wrong(&format!("members of communicator {number}"), accepted));
        }
        self.comms.insert(number, ranks.len() as u32);
        Ok(NewCommunicator { number, ranks })
    }

    fn collective(&self, name: CollectiveName, line: &mut Line<'_>) -> Result<Event, ProgramError> {
        let (comm, size) = self.comm(line)?;
        let root = if name.has_root() {
            line.number("a root", u64::from(size) - 1)?
        } else {
            0
        };
        let fold = if name.reduces() {
            Some(fold(line)?)
        } else {
            None
        };
        let bytes: Vec<u64> = match name.lengths() {
            Lengths::None => Vec::new(),
            Lengths::One => vec![line.number("bytes", MAX_RECORD_BYTES)?],
            Lengths::PerRank | Lengths::AtRoot => line.numbers("bytes", MAX_RECORD_BYTES)?,
        };
        let is_left_out = bytes.is_empty() && name.lengths() == Lengths::AtRoot;
        let is_per_rank = matches!(name.lengths(), Lengths::PerRank | Lengths::AtRoot);
        if is_per_rank && !is_left_out && bytes.len() != size as usize {
            let accepted = format!("{size}, one per rank of the communicator");
            return Err(line.wrong(&format!("{} lengths", bytes.len()), accepted));
        }
        let copies = if name.has_equal_blocks() { size } else { 1 };
        let all = bytes.iter().sum::<u64>().saturating_mul(u64::from(copies));
        if all > MAX_RECORD_BYTES {
            let accepted = format!("at most {MAX_RECORD_BYTES} in a rank");
            return Err(line.wrong(&format!("{all} bytes"), accepted));
        }
        Ok(Event::Collective(RecordedCollective {
            name,
            comm,
            root,
            fold,
            bytes,
        }))
    }
}

/// What stands behind `library`.
fn library_word<'t>(line: &mut Line<'t>) -> Result<&'t str, ProgramError> {
    let accepted = OF_LIBRARY.join(", ");
    let word = line.word(&accepted)?;
    if OF_LIBRARY.contains(&word) {
        return Ok(word);
    }
    Err(line.wrong(&quoted(word), accepted))
}

/// Operator and element type of a reduction.
fn fold(line: &mut Line<'_>) -> Result<(Option<Operator>, ElementType), ProgramError> {
    let operators = Operator::ALL.map(Operator::name).join(", ") + ", other";
    let word = line.word(&operators)?;
    let operator = Operator::ALL.into_iter().find(|o| o.name() == word);
    if operator.is_none() && word != "other" {
        return Err(line.wrong(&quoted(word), operators));
    }
    let elements = ElementType::ALL.map(ElementType::name).join(", ");
    let word = line.word(&elements)?;
    let element = ElementType::ALL.into_iter().find(|e| e.name() == word);
    let element = element.ok_or_else(|| line.wrong(&quoted(word), elements))?;
    Ok((operator, element))
}

// Words of one line, each read as what is expected there.

/// Longest part of a line that a message repeats.
const SHOWN_CHARS: usize = 60;

/// A line that is being read.
pub(super) struct Line<'t> {
    /// From 1.
    pub(super) number: u32,
    file: &'t str,
    words: SplitAsciiWhitespace<'t>,
}

impl<'t> Line<'t> {
    pub(super) fn new(file: &'t str, number: u32, text: &'t str) -> Self {
        Self {
            number,
            file,
            words: text.split_ascii_whitespace(),
        }
    }

    /// Something in this line is wrong.
    pub(super) fn wrong(&self, what: &str, accepted: impl Into<String>) -> ProgramError {
        wrong(self.file, self.number, what, accepted)
    }

    /// The next word, if there is one.
    pub(super) fn next(&mut self) -> Option<&'t str> {
        self.words.next()
    }

    /// The next word.
    pub(super) fn word(&mut self, accepted: &str) -> Result<&'t str, ProgramError> {
        let found = self.words.next();
        found.ok_or_else(|| self.wrong("the line ends too early", accepted))
    }

    /// The next word, a number in a range; `name` is what it is.
    pub(super) fn number<N: TryFrom<u64>>(
        &mut self,
        name: &str,
        most: u64,
    ) -> Result<N, ProgramError> {
        let accepted = || format!("{name}, 0 to {most}");
        let word = match self.words.next() {
            Some(word) => word,
            None => return Err(self.wrong("the line ends too early", accepted())),
        };
        self.parsed(word, most, accepted)
    }

    /// A word as a number in a range.
    pub(super) fn parsed<N: TryFrom<u64>>(
        &self,
        word: &str,
        most: u64,
        accepted: impl Fn() -> String,
    ) -> Result<N, ProgramError> {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let found = word.parse::<u64>().ok();
        let found = found.filter(|found| is_number && *found <= most);
        let found = found.and_then(|found| N::try_from(found).ok());
        found.ok_or_else(|| self.wrong(&quoted(word), accepted()))
    }

    /// All numbers that are left.
    pub(super) fn numbers<N: TryFrom<u64>>(
        &mut self,
        name: &str,
        most: u64,
    ) -> Result<Vec<N>, ProgramError> {
        let accepted = || format!("{name}, 0 to {most}");
        let words = std::mem::replace(&mut self.words, "".split_ascii_whitespace());
        words
            .map(|word| self.parsed(word, most, accepted))
            .collect()
    }

    /// The line is over.
    pub(super) fn end(mut self) -> Result<(), ProgramError> {
        match self.words.next() {
            None => Ok(()),
            Some(word) => Err(self.wrong(&quoted(word), "the end of the line")),
        }
    }
}

/// A line of a file is wrong.
pub(super) fn wrong(
    file: &str,
    line: u32,
    what: &str,
    accepted: impl Into<String>,
) -> ProgramError {
    ProgramError::Trace {
        file: file.to_owned(),
        line,
        what: what.to_owned(),
        accepted: accepted.into(),
    }
}

/// As messages repeat a word: not all of a long one, and no control characters.
pub(super) fn quoted(word: &str) -> String {
    let shown: String = word.chars().take(SHOWN_CHARS).collect();
    format!("'{}'", shown.escape_debug())
}
