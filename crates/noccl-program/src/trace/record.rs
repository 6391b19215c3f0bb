// SPDX-License-Identifier: Apache-2.0
//! What a message trace holds.

use super::MESSAGES_VERSION;
use super::collectives::RecordedCollective;
use noccl_workload::Operator;
use std::fmt;

/// What the times of a trace count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds of the machine that recorded.
    Nanoseconds,
    /// Cycles of a core.
    Cycles,
}

/// First tag of messages of windows (`docs/design/0017-one-sided.md`).
const FIRST_WINDOW_TAG: i64 = 1 << 40;

/// Calls of all ranks of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageTrace {
    /// Unit of its computations.
    pub unit: Unit,
    /// Where it comes from, in the recorder's words.
    pub source: String,
    /// Of what the message library's own records are, if there are such.
    pub library: Option<Library>,
    /// By rank: its calls in their order.
    pub ranks: Vec<Vec<Record>>,
}

/// The message library of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Name of the network on whose cores it was executed.
    pub network: String,
    /// Cycles of each word that a core writes to a port: they are not in the records, a replay takes them for the words.
    pub written_word_cycles: u32,
    /// The same of each word that it reads.
    pub read_word_cycles: u32,
    /// The same before it reads what has come while it stands still at a full port.
    pub blocked_cycles: u32,
}

/// Whose costs of messages a replay takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LibraryCosts {
    /// Those of the network's description: the library's records are left out.
    #[default]
    Modelled,
    /// Those that were recorded: the library's records are replayed, in place of the collectives that they carry out.
    Recorded,
}

/// A call, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Line of the file, from 1.
    pub line: u32,
    /// Is it of the message library, within a call of the program?
    pub is_library: bool,
    /// The call.
    pub event: Event,
}

/// A call of a rank. Communicators and requests have numbers of the rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// Time between two calls.
    Compute(u64),
    /// A send; without a request it is waited for at once.
    Send {
        /// Communicator.
        comm: u32,
        /// Receiver, by rank of the communicator.
        target: u32,
        /// Tag.
        tag: i64,
        /// Length.
        bytes: u64,
        /// Is it over only when the message has met its receive?
        is_synchronous: bool,
        /// Number to be waited for.
        request: Option<u32>,
    },
    /// A receive, with the message that it has got; without a request it is waited for at once.
    Receive {
        /// Communicator.
        comm: u32,
        /// Who has sent, by rank of the communicator.
        source: u32,
        /// Tag of the message.
        tag: i64,
        /// Its length.
        bytes: u64,
        /// Would the program have taken a message of any rank?
        is_any_source: bool,
        /// Number to be waited for.
        request: Option<u32>,
    },
    /// All these requests are over.
    Wait(Vec<u32>),
    /// A collective.
    Collective(RecordedCollective),
    /// A non-blocking collective that a network's algorithm carries out: a comment of the text, which no replay calls.
    Begun(RecordedCollective),
    /// A communicator is made of a part of another one's ranks; `None` for a rank that is in none.
    Split {
        /// The communicator whose ranks all call.
        comm: u32,
        /// What the rank gets.
        made: Option<NewCommunicator>,
    },
    /// A communicator that its members alone make.
    Group(NewCommunicator),
}

/// A communicator that a rank gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommunicator {
    /// Its number from here on, for this rank.
    pub number: u32,
    /// Its members, by rank of the whole program, in the order of the communicator.
    pub ranks: Vec<u32>,
}

/// Records that a replay calls.
fn num_calls(records: &[Record]) -> u64 {
    let is_called = |record: &&Record| !matches!(record.event, Event::Begun(_));
    records.iter().filter(is_called).count() as u64
}

impl MessageTrace {
    /// Has it messages of windows? They are concurrent with the calls of their target, so a replay would send them at another time.
    #[must_use]
    pub fn has_windows(&self) -> bool {
        let is_of_window = |record: &Record| match record.event {
            Event::Send { tag, .. } | Event::Receive { tag, .. } => tag >= FIRST_WINDOW_TAG,
            Event::Compute(_)
            | Event::Wait(_)
            | Event::Collective(_)
            | Event::Begun(_)
            | Event::Split { .. }
            | Event::Group(_) => false,
        };
        self.ranks.iter().flatten().any(is_of_window)
    }

    /// Number of all records.
    #[must_use]
    pub fn num_records(&self) -> u64 {
        self.ranks.iter().map(|records| num_calls(records)).sum()
    }

    /// Leaves out the library's records, or the collectives that they carry out: a replay takes one of both.
    pub fn take_costs(&mut self, costs: LibraryCosts) {
        for records in &mut self.ranks {
            let next = records.iter().skip(1).map(|record| record.is_library);
            let next: Vec<bool> = next.chain([false]).collect();
            let mut is_next_library = next.into_iter();
            records.retain(|record| {
                let is_carried_out = is_next_library.next().unwrap_or(false)
                    && !record.is_library
                    && matches!(record.event, Event::Collective(_));
                match costs {
                    LibraryCosts::Modelled => !record.is_library,
                    LibraryCosts::Recorded => !is_carried_out,
                }
            });
        }
    }
}

// A message trace as text.

impl fmt::Display for MessageTrace {
    /// As `docs/formats/messages.md` states; what is written is read again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = match self.unit {
            Unit::Nanoseconds => "ns",
            Unit::Cycles => "cycles",
        };
        writeln!(f, "noccl-messages {MESSAGES_VERSION}")?;
        writeln!(f, "ranks {}\nunit {unit}", self.ranks.len())?;
        let source: String = self.source.split_whitespace().collect::<Vec<_>>().join(" ");
        writeln!(f, "source {source}")?;
        if let Some(library) = &self.library {
            let (written, read) = (library.written_word_cycles, library.read_word_cycles);
            let blocked = library.blocked_cycles;
            writeln!(f, "library {} {written} {read} {blocked}", library.network)?;
        }
        for (rank, records) in self.ranks.iter().enumerate() {
            writeln!(f, "rank {rank}")?;
            for record in records {
                let library = if record.is_library { "library " } else { "" };
                writeln!(f, "{library}{}", record.event)?;
            }
            writeln!(f, "end {}", num_calls(records))?;
        }
        Ok(())
    }
}

fn numbers<N: fmt::Display>(f: &mut fmt::Formatter<'_>, numbers: &[N]) -> fmt::Result {
    numbers.iter().try_for_each(|number| write!(f, " {number}"))
}

fn request(f: &mut fmt::Formatter<'_>, request: Option<u32>) -> fmt::Result {
    numbers(f, request.as_slice())
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Compute(time) => write!(f, "compute {time}"),
            Self::Send {
                comm,
                target,
                tag,
                bytes,
                is_synchronous,
                request: number,
            } => {
                let begins = if number.is_some() { "i" } else { "" };
                let kind = if *is_synchronous { "s" } else { "" };
                write!(f, "{begins}{kind}send {comm} {target} {tag} {bytes}")?;
                request(f, *number)
            }
            Self::Receive {
                comm,
                source,
                tag,
                bytes,
                is_any_source,
                request: number,
            } => {
                let begins = if number.is_some() { "i" } else { "" };
                write!(f, "{begins}recv {comm} {source} {tag} {bytes}")?;
                request(f, *number)?;
                f.write_str(if *is_any_source { " any" } else { "" })
            }
            Self::Wait(requests) => {
                f.write_str("wait")?;
                numbers(f, requests)
            }
            Self::Begun(collective) => write!(f, "# begins {collective}"),
            Self::Collective(call) => call.fmt(f),
            Self::Split { comm, made: None } => write!(f, "split {comm} -"),
            Self::Split {
                comm,
                made: Some(made),
            } => {
                write!(f, "split {comm} {}", made.number)?;
                numbers(f, &made.ranks)
            }
            Self::Group(made) => {
                write!(f, "group {}", made.number)?;
                numbers(f, &made.ranks)
            }
        }
    }
}

impl fmt::Display for RecordedCollective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name.name(), self.comm)?;
        if self.name.has_root() {
            write!(f, " {}", self.root)?;
        }
        if let Some((operator, element)) = self.fold {
            let operator = operator.map_or("other", Operator::name);
            write!(f, " {operator} {}", element.name())?;
        }
        numbers(f, &self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse_messages;
    use super::*;

    const TEXT: &str = "noccl-messages 1\nranks 1\nunit cycles\nsource \nlibrary net 4 3 60\nrank 0\n\
        compute 5\nbarrier 0\nlibrary compute 7\nbarrier 0\nend 4\n";

    #[test]
    fn a_replay_takes_the_librarys_records_or_the_collectives_that_they_follow() {
        let all = parse_messages("t", TEXT).expect("it is a trace");
        assert_eq!(all.to_string(), TEXT);
        let lines = |costs| {
            let mut trace = all.clone();
            trace.take_costs(costs);
            let lines = trace.ranks[0].iter().map(|record| record.line);
            lines.collect::<Vec<_>>()
        };
        assert_eq!(lines(LibraryCosts::Modelled), [7, 8, 10]);
        assert_eq!(lines(LibraryCosts::Recorded), [7, 9, 10]);
    }

    #[test]
    fn what_is_no_record_of_a_library_is_refused_with_its_line() {
        for (from, to, what) in [
            (
                "library compute",
                "library wait",
                "t, line 9: 'wait'; accepted: compute, send, recv, bcast",
            ),
            (
                "net 4 3 60",
                "net 4 0 60",
                "t, line 5: '0'; accepted: cycles of a word that is read, 1 to 1000",
            ),
            (
                "net 4 3 60",
                "net 4 3 100001",
                "t, line 5: '100001'; accepted: cycles at a full port, 0 to 100000",
            ),
        ] {
            let wrong = TEXT.replace(from, to);
            let error = parse_messages("t", &wrong).expect_err(to).to_string();
            assert_eq!(error, what);
        }
    }
}
