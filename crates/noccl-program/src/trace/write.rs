// SPDX-License-Identifier: Apache-2.0
//! A message trace as text.

use super::MESSAGES_VERSION;
use super::collectives::RecordedCollective;
use super::record::{Event, MessageTrace, Unit};
use noccl_workload::Operator;
use std::fmt;

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
            writeln!(f, "end {}", records.len())?;
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
            Self::Collective(call) => call.fmt(f),
            Self::Split { comm, made: None } => write!(f, "split {comm} -"),
            Self::Split {
                comm,
                made: Some(made),
            } => {
                write!(f, "split {comm} {}", made.number)?;
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
