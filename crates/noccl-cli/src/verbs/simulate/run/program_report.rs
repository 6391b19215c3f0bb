// SPDX-License-Identifier: Apache-2.0
//! The report of a program of ranks as text: what the ranks printed, then a table of ranks, one of collectives, and the totals.

use crate::output;
use crate::table::{Align, grouped, table};
use noccl::Error;
use noccl::program::{
    CollectiveUse, ConsoleStreams, MessagesLibrary, ProgramRankRow, ProgramReport,
};

/// A number of a rank, which not all programs have.
type Number = fn(&ProgramRankRow) -> Option<u64>;

/// Columns of the table of ranks; one that no rank has is left out.
const NUMBERS: [(&str, Number); 13] = [
    ("exit", |rank| rank.exit_code),
    ("cycles", |rank| Some(rank.finish_cycle)),
    ("computing", |rank| Some(rank.compute_cycles)),
    ("sending", |rank| rank.send_cycles),
    ("receiving", |rank| rank.receive_cycles),
    ("waiting", |rank| Some(rank.wait_cycles)),
    ("waits to send", |rank| rank.send_wait_cycles),
    ("waits for words", |rank| rank.receive_wait_cycles),
    ("instructions", |rank| rank.instructions),
    ("messages", |rank| rank.messages),
    ("bytes", |rank| rank.bytes),
    ("packets", |rank| rank.packets),
    ("words sent", |rank| rank.sent_words),
];

/// Standard output has that of the program alone, as outside of a simulation; standard error that of the program, then the summary.
pub fn print(report: &ProgramReport) -> Result<(), Error> {
    let consoles = report.ranks.iter().map(|rank| rank.console.as_deref());
    let outputs = by_rank(consoles);
    if !outputs.is_empty() {
        output::result(&outputs)?;
    }
    log(&by_rank(
        report.ranks.iter().map(|rank| rank.errors.as_deref()),
    ));
    for warning in &report.warnings {
        output::log(&format!("warning: {warning}"));
    }
    output::log(&summary(report));
    Ok(())
}

/// What ranks of a program that fails have printed: kept, where JSON is expected on standard error.
pub fn print_failed(printed: &[ConsoleStreams], is_json: bool) {
    let outputs = by_rank(printed.iter().map(|rank| Some(&*rank.output)));
    if is_json {
        log(&outputs);
    } else if !outputs.is_empty() {
        // The program's own error is told in any case.
        let _ = output::result(&outputs);
    }
    log(&by_rank(printed.iter().map(|rank| Some(&*rank.errors))));
}

/// Standard error gets lines, if there are any.
fn log(lines: &str) {
    if !lines.is_empty() {
        output::log(lines.trim_end_matches('\n'));
    }
}

/// What ranks have printed, each line with its rank.
fn by_rank<'a>(ranks: impl Iterator<Item = Option<&'a str>>) -> String {
    let printed = ranks.enumerate().map(|(rank, text)| {
        let lines = text.into_iter().flat_map(str::lines);
        let lines = lines.map(|line| format!("rank {rank}: {line}\n"));
        lines.collect::<String>()
    });
    printed.collect()
}

/// Tables of ranks and collectives, and the totals.
pub fn summary(report: &ProgramReport) -> String {
    let collectives = collectives_table(&report.collectives);
    format!(
        "{}\n{collectives}{}",
        ranks_table(&report.ranks),
        totals(report)
    )
}

fn ranks_table(ranks: &[ProgramRankRow]) -> String {
    let is_there = |(_, of): &(&str, Number)| ranks.iter().any(|rank| of(rank).is_some());
    let numbers: Vec<(&str, Number)> = NUMBERS.into_iter().filter(is_there).collect();
    let mut header = vec![("rank", Align::Right), ("tile", Align::Left)];
    header.extend(numbers.iter().map(|(title, _)| (*title, Align::Right)));
    let row = |rank: &ProgramRankRow| {
        let first = [
            rank.rank.to_string(),
            format!("{},{}", rank.tile.x, rank.tile.y),
        ];
        let others = numbers.iter().map(|(_, of)| of(rank));
        let others = others.map(|number| number.map_or_else(|| "-".to_owned(), grouped));
        first.into_iter().chain(others).collect()
    };
    let rows: Vec<Vec<String>> = ranks.iter().map(row).collect();
    table(&header, &rows)
}

/// How the collectives of a program were carried out; nothing if it calls none.
fn collectives_table(uses: &[CollectiveUse]) -> String {
    if uses.is_empty() {
        return String::new();
    }
    let header = [
        ("collective", Align::Left),
        ("ranks", Align::Right),
        ("bytes", Align::Right),
        ("calls", Align::Right),
        ("algorithm", Align::Left),
        ("reason", Align::Left),
    ];
    let row = |one: &CollectiveUse| {
        vec![
            one.collective.clone(),
            one.ranks.to_string(),
            one.bytes.map_or_else(|| "various".to_owned(), grouped),
            grouped(one.calls),
            one.algorithm.clone(),
            // 0: an empty cell: nothing was refused.
            one.reason.clone().unwrap_or_default(),
        ]
    };
    let rows: Vec<Vec<String>> = uses.iter().map(row).collect();
    format!("{}\n", table(&header, &rows))
}

fn totals(report: &ProgramReport) -> String {
    let mut text = format!("network    {}\n", report.network);
    if let Some(source) = &report.source {
        text += &format!("source     {}\n", noccl::files::visible_line(source));
    }
    if report.library == Some(MessagesLibrary::Recorded) {
        text += "library    recorded\n";
    }
    let cycles = grouped(report.cycles);
    text += &format!("cycles     {cycles} ({:.0} ns)\n", report.time_ns);
    let sum = |of: Number| -> u64 { report.ranks.iter().filter_map(of).sum() };
    if report.source.is_some() {
        text += &format!(
            "messages   {} of {} bytes, {} received\n",
            grouped(sum(|rank| rank.messages)),
            grouped(sum(|rank| rank.bytes)),
            grouped(sum(|rank| rank.received_messages)),
        );
    }
    text += &format!("flit-hops  {}\n", grouped(report.flit_hops));
    if let Some(bytes) = report.program_bytes {
        let bytes = grouped(bytes);
        text += &format!("program    {bytes} bytes of code and data per core\n");
    }
    text
}
