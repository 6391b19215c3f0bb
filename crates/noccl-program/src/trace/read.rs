// SPDX-License-Identifier: Apache-2.0
//! Reads a message trace: its head, then the section of each rank.

use super::record::{Library, MessageTrace, Record, Unit};
use super::section::Section;
use super::section::{Line, quoted, wrong};
use super::{MAX_BLOCKED_CYCLES, MAX_TRACE_RANKS, MAX_WORD_CYCLES, MESSAGES_VERSION};
use crate::error::ProgramError;

/// First word of a trace.
const MAGIC: &str = "noccl-messages";

/// A trace of which some lines are read.
struct Reader<'t> {
    file: &'t str,
    has_begun: bool,
    ranks: Option<u32>,
    unit: Option<Unit>,
    source: Option<String>,
    library: Option<Library>,
    done: Vec<Option<Vec<Record>>>,
    section: Option<Section>,
}

/// Reads a message trace; `file` names it in errors.
///
/// # Errors
/// [`ProgramError::Trace`] with the line, what stands there and what would be accepted.
///
/// A trace of one record: `"noccl-messages 1\nranks 1\nunit cycles\nrank 0\ncompute 5\nend 1\n"`.
pub fn parse_messages(file: &str, text: &str) -> Result<MessageTrace, ProgramError> {
    let mut reader = Reader {
        file,
        has_begun: false,
        ranks: None,
        unit: None,
        source: None,
        library: None,
        done: Vec::new(),
        section: None,
    };
    let mut last = 0;
    for (number, content) in (1..).zip(text.lines()) {
        last = number;
        let mut line = Line::new(file, number, content);
        match line.next() {
            None => {}
            Some(word) if word.starts_with('#') => {}
            Some(word) => reader.take(word, line, content)?,
        }
    }
    reader.end(last)
}

impl Reader<'_> {
    fn take(&mut self, word: &str, line: Line<'_>, content: &str) -> Result<(), ProgramError> {
        if !self.has_begun {
            return self.begin(word, line);
        }
        let Some(mut section) = self.section.take() else {
            return self.outside(word, line, content);
        };
        if word == "end" {
            section.end(self.file, line)?;
            self.done[section.rank as usize] = Some(section.records);
            return Ok(());
        }
        section.read(word, line)?;
        self.section = Some(section);
        Ok(())
    }

    fn begin(&mut self, word: &str, mut line: Line<'_>) -> Result<(), ProgramError> {
        let accepted = format!("{MAGIC} {MESSAGES_VERSION}, as a message trace begins");
        let version = line.next();
        if word != MAGIC {
            return Err(line.wrong(&quoted(word), accepted));
        }
        if version != Some(&*MESSAGES_VERSION.to_string()) {
            let what = format!(
                "version {}",
                version.map_or_else(|| "left out".into(), quoted)
            );
            return Err(line.wrong(&what, accepted));
        }
        self.has_begun = true;
        line.end()
    }

    /// A line of the head, or the first one of a section.
    fn outside(
        &mut self,
        word: &str,
        mut line: Line<'_>,
        content: &str,
    ) -> Result<(), ProgramError> {
        let is_head = self.done.is_empty();
        match word {
            "ranks" if is_head && self.ranks.is_none() => {
                let ranks: u32 = line.number("ranks", u64::from(MAX_TRACE_RANKS))?;
                if ranks == 0 {
                    return Err(line.wrong("0 ranks", format!("1 to {MAX_TRACE_RANKS}")));
                }
                self.ranks = Some(ranks);
            }
            "unit" if is_head && self.unit.is_none() => {
                self.unit = Some(match line.word("ns, cycles")? {
                    "ns" => Unit::Nanoseconds,
                    "cycles" => Unit::Cycles,
                    other => return Err(line.wrong(&quoted(other), "ns, cycles")),
                });
            }
            "source" if is_head && self.source.is_none() => {
                let text = content.trim_start();
                let text = text.strip_prefix(word).unwrap_or(text);
                self.source = Some(text.trim().to_owned());
                return Ok(());
            }
            "library" if is_head && self.library.is_none() => {
                self.library = Some(library(&mut line)?)
            }
            "rank" => self.section = Some(self.section(&mut line)?),
            _ => {
                let accepted = if is_head {
                    "ranks, unit, source and library, once each, then rank"
                } else {
                    "rank"
                };
                return Err(line.wrong(&quoted(word), accepted));
            }
        }
        line.end()
    }

    fn section(&mut self, line: &mut Line<'_>) -> Result<Section, ProgramError> {
        let (Some(ranks), Some(_)) = (self.ranks, self.unit) else {
            return Err(line.wrong("rank", "ranks and unit before it"));
        };
        if self.done.is_empty() {
            self.done = vec![None; ranks as usize];
        }
        let rank: u32 = line.number("a rank", u64::from(ranks) - 1)?;
        if self.done[rank as usize].is_some() {
            let what = format!("rank {rank} for the second time");
            return Err(line.wrong(&what, "each rank once"));
        }
        Ok(Section::new(rank, ranks, line.number))
    }

    fn end(self, last: u32) -> Result<MessageTrace, ProgramError> {
        let cut_off =
            |accepted: String| wrong(self.file, last, "the file ends too early", accepted);
        if let Some(section) = self.section {
            let (rank, line) = (section.rank, section.line);
            let accepted = format!("the end of rank {rank}, which begins in line {line}");
            return Err(cut_off(accepted));
        }
        let Some(unit) = self.unit.filter(|_| !self.done.is_empty()) else {
            return Err(cut_off(format!("{MAGIC}, ranks, unit, and each rank")));
        };
        let mut ranks = Vec::with_capacity(self.done.len());
        for (rank, records) in self.done.into_iter().enumerate() {
            match records {
                Some(records) => ranks.push(records),
                None => {
                    let accepted = format!("rank {rank}");
                    return Err(wrong(self.file, last, "the file ends too early", accepted));
                }
            }
        }
        Ok(MessageTrace {
            unit,
            // 0: no text, as a trace need not say where it is from.
            source: self.source.unwrap_or_default(),
            library: self.library,
            ranks,
        })
    }
}

/// Network, and cycles of words, of the library's records.
fn library(line: &mut Line<'_>) -> Result<Library, ProgramError> {
    let network = line.word("the name of a network")?.to_owned();
    let mut cycles = |name| match line.number(name, MAX_WORD_CYCLES)? {
        0 => Err(line.wrong("'0'", format!("{name}, 1 to {MAX_WORD_CYCLES}"))),
        cycles => Ok(cycles),
    };
    Ok(Library {
        network,
        written_word_cycles: cycles("cycles of a word that is written")?,
        read_word_cycles: cycles("cycles of a word that is read")?,
        blocked_cycles: line.number("cycles at a full port", MAX_BLOCKED_CYCLES)?,
    })
}

#[cfg(test)]
mod tests {
    use super::super::collectives::Lengths;
    use super::super::{Event, NewCommunicator, RecordedCollective};
    use super::*;
    use crate::CollectiveName;
    use noccl_workload::{ElementType, Operator};

    const HEAD: &str = "noccl-messages 1\nranks 2\nunit ns\nsource any text\n";

    fn refused(text: &str) -> String {
        match parse_messages("t", text) {
            Ok(trace) => panic!("read: {trace:?}"),
            Err(error) => error.to_string(),
        }
    }

    /// A trace of two ranks, the first of which has these records.
    fn with(records: &str) -> String {
        let lines = records.lines().count();
        format!("{HEAD}rank 1\nend 0\nrank 0\n{records}\nend {lines}\n")
    }

    #[test]
    fn each_record_is_read_as_it_was_called() {
        let records = "compute 12\n  isend 0 1 3 8 5  \nirecv 0 1 4 0 6 any\nwait 6 5\nssend 1 0 0 1\nsplit 0 7 1 0\nreduce 7 1 sum fp64 16\nalltoallv 7 3 4\nscatterv 0 1\nsplit 7 -\ngroup 8 0";
        let trace = parse_messages("t", &with(records)).expect("it is right");
        assert_eq!(
            (trace.unit, &*trace.source),
            (Unit::Nanoseconds, "any text")
        );
        let events: Vec<Event> = trace.ranks[0].iter().map(|r| r.event.clone()).collect();
        let collective = |name, comm, root, fold, bytes: &[u64]| {
            Event::Collective(RecordedCollective {
                name,
                comm,
                root,
                fold,
                bytes: bytes.to_vec(),
            })
        };
        let send = |comm, target, tag, bytes, is_synchronous, request| Event::Send {
            comm,
            target,
            tag,
            bytes,
            is_synchronous,
            request,
        };
        let receive = Event::Receive {
            comm: 0,
            source: 1,
            tag: 4,
            bytes: 0,
            is_any_source: true,
            request: Some(6),
        };
        let made = Some(NewCommunicator {
            number: 7,
            ranks: vec![1, 0],
        });
        let fold = Some((Some(Operator::Sum), ElementType::Fp64));
        let expected = [
            Event::Compute(12),
            send(0, 1, 3, 8, false, Some(5)),
            receive,
            Event::Wait(vec![6, 5]),
            send(1, 0, 0, 1, true, None),
            Event::Split { comm: 0, made },
            collective(CollectiveName::Reduce, 7, 1, fold, &[16]),
            collective(CollectiveName::Alltoallv, 7, 0, None, &[3, 4]),
            collective(CollectiveName::Scatterv, 0, 1, None, &[]),
            Event::Split {
                comm: 7,
                made: None,
            },
            Event::Group(NewCommunicator {
                number: 8,
                ranks: vec![0],
            }),
        ];
        assert_eq!(events, expected);
        assert_eq!(trace.ranks[0][0].line, 8);
        assert!(trace.ranks[1].is_empty());
    }

    #[test]
    fn every_collective_is_known_by_its_name() {
        for name in CollectiveName::ALL {
            let root = if name.has_root() { " 0" } else { "" };
            let fold = if name.reduces() { " other int8" } else { "" };
            let bytes = match name.lengths() {
                Lengths::None => "",
                Lengths::One => " 4",
                Lengths::PerRank | Lengths::AtRoot => " 4 4",
            };
            let line = format!("{} 0{root}{fold}{bytes}", name.name());
            let trace = parse_messages("t", &with(&line)).expect("it is right");
            let Event::Collective(call) = &trace.ranks[0][0].event else {
                panic!("{line}");
            };
            assert_eq!(call.name, name);
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_line() {
        for (records, line, what) in [
            ("compute -1", 8, "'-1'; accepted: a time, 0 to"),
            ("compute +1", 8, "'+1'"),
            ("compute 68719476737", 8, "'68719476737'"),
            (
                "send 0 2 0 0",
                8,
                "'2'; accepted: a rank of the communicator, 0 to 1",
            ),
            ("send 0 1 0", 8, "ends too early; accepted: bytes"),
            ("send 0 1 0 1 1", 8, "'1'; accepted: the end of the line"),
            ("send 0 1 4294967296 1", 8, "accepted: a tag"),
            ("send 0 1 0 268435457", 8, "accepted: bytes, 0 to 268435456"),
            ("send 2 1 0 0", 8, "communicator 2; accepted: 0 (all ranks)"),
            (
                "barrier 0\nfoo",
                9,
                "'foo'; accepted: library, compute, send",
            ),
            ("wait 1", 8, "request 1; accepted: requests that are open"),
            ("wait", 8, "accepted: requests"),
            ("isend 0 1 0 0 1\nwait 1 1", 9, "request 1"),
            (
                "isend 0 1 0 0 1\nisend 0 1 0 0 1",
                9,
                "request 1 is open since line 8",
            ),
            ("isend 0 1 0 0 1", 8, "request 1 is never waited for"),
            ("recv 0 1 0 0 all", 8, "'all'; accepted: any"),
            (
                "split 0 1 0",
                8,
                "communicator 1; accepted: a number that is free",
            ),
            (
                "split 0 2 1",
                8,
                "members of communicator 2; accepted: different ranks, and rank 0",
            ),
            ("split 0 2 0 0", 8, "members of communicator 2"),
            (
                "reduce 0 0 plus fp64 8",
                8,
                "'plus'; accepted: sum, min, max, and, or, other",
            ),
            ("reduce 0 0 sum double 8", 8, "'double'; accepted: fp64"),
            ("alltoallv 0 1", 8, "1 lengths; accepted: 2"),
            (
                "alltoall 0 200000000",
                8,
                "400000000 bytes; accepted: at most",
            ),
        ] {
            let found = refused(&with(records));
            let place = format!("t, line {line}: ");
            assert!(found.starts_with(&place) && found.contains(what), "{found}");
        }
        for (text, what) in [
            (String::new(), "line 0: the file ends too early"),
            ("{}".to_owned(), "line 1: '{}'; accepted: noccl-messages 1"),
            ("noccl-messages 2\n".to_owned(), "version '2'"),
            ("noccl-messages 1\nranks 0\n".to_owned(), "line 2: 0 ranks"),
            (
                "noccl-messages 1\nrank 0\n".to_owned(),
                "ranks and unit before it",
            ),
            (format!("{HEAD}unit ns\n"), "line 5: 'unit'"),
            (format!("{HEAD}rank 0\nend 0\n"), "accepted: rank 1"),
            (
                format!("{HEAD}rank 0\nend 0\nrank 0\n"),
                "rank 0 for the second time",
            ),
            (
                format!("{HEAD}rank 0\nbarrier 0\n"),
                "the end of rank 0, which begins in line 5",
            ),
            (
                format!("{HEAD}rank 0\nend 1\n"),
                "ends after 1 records; accepted: 0",
            ),
        ] {
            let found = refused(&text);
            assert!(found.contains(what), "{found}");
        }
    }
}
