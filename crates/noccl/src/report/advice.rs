// SPDX-License-Identifier: Apache-2.0
//! Advice as a page: the conclusion, the mechanisms with the evidence of their numbers, time over area, and the command behind each number.

use super::pareto::pareto;
use super::svg::Markup;
use crate::study::{Advice, AdviceEvidence, AdvicePart, AdviceRow};

const STYLE: &str = include_str!("style.css");

const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
     <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
     <title>NoCCL advice</title>\n<style>\n";
const BODY: &str = "</style></head><body>\n";
const END: &str = "</body></html>\n";

const METHOD: &str = "Cycles are those of the fastest algorithm that a mechanism has hardware for, times the calls of the \
     workload; nothing overlaps. Simulated: cycle by cycle, with the bytes of every output compared. Estimated: by the \
     model, whose error stands beside each number. Bound: where that alone is slower than another mechanism, no \
     algorithm was looked for. The bound is proved for all that the mechanism has hardware for. Energy counts \
     the events of the collectives by S1's table. Area and critical path are post-synthesis numbers of open tools \
     (Yosys; FO4 in the OSU 180 nm library), without place-and-route and without memories; where a mechanism was not \
     synthesised there is no number. Freedom of deadlock is proved for whatever is in flight \
     together, or checked for each schedule alone.";

/// The page of advice, one self-contained file.
#[must_use]
pub fn advice_page(advice: &Advice) -> String {
    let [columns, rows] = advice.mesh;
    let title = format!("{} on {columns}×{rows} clusters", advice.workload);
    let about = format!(
        "{}. Source: {}. Computation between the collectives: {:.1} µs.",
        advice.about, advice.source, advice.compute_us
    );
    let conclusion = sentence(&advice.conclusion.sentence);
    let changes = advice.conclusion.changes.iter();
    let changes: Markup = changes
        .map(|change| Markup::element("li", &[], Markup::text(sentence(change))).line())
        .collect();
    let left_out: Markup = (advice.left_out.iter())
        .map(|one| {
            let text = format!("Not compared: {}: {}", one.mechanism.name(), one.reason);
            paragraph("muted-text", &text)
        })
        .collect();
    Markup::raw(HEAD)
        .then(&Markup::raw(STYLE))
        .then(&Markup::raw(BODY))
        .then(&heading("h1", &title))
        .then(&paragraph("muted-text", &about))
        .then(&Markup::element("p", &[], bold(&conclusion)).line())
        .then(&Markup::element("ul", &[], Markup::new().line().then(&changes)).line())
        .then(&heading("h2", "Mechanisms"))
        .then(&mechanisms(advice))
        .then(&left_out)
        .then(&heading("h2", "Time over area"))
        .then(&pareto(advice).finish())
        .then(&heading(
            "h2",
            "Collectives, and the command behind each number",
        ))
        .then(&parts(advice))
        .then(&paragraph("muted-text", METHOD))
        .then(&Markup::raw(END))
        .into_string()
}

/// The plot alone, as a file: time of the workload over area.
#[must_use]
pub fn advice_plot(advice: &Advice) -> String {
    pareto(advice).into_file(STYLE)
}

fn heading(name: &'static str, text: &str) -> Markup {
    Markup::element(name, &[], Markup::text(text)).line()
}

fn paragraph(class: &str, text: &str) -> Markup {
    Markup::element("p", &[("class", class)], Markup::text(text)).line()
}

fn bold(text: &str) -> Markup {
    Markup::element("strong", &[], Markup::text(text))
}

/// Begins with a capital letter and ends as a sentence does.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), letters.as_str()),
        None => String::new(),
    }
}

/// Columns with whether they hold words.
const COLUMNS: [(&str, bool); 14] = [
    ("mechanism", true),
    ("evidence", true),
    ("collectives [cycles]", false),
    ("whole [µs]", false),
    ("speedup", false),
    ("of collectives", false),
    ("cycles / bound", false),
    ("energy [µJ]", false),
    ("area [kGE/tile]", false),
    ("critical path [FO4]", false),
    ("allows [MHz]", false),
    ("synthesised", true),
    ("free of deadlock", true),
    ("remark", true),
];

fn mechanisms(advice: &Advice) -> Markup {
    let lines = advice.rows.iter().map(|row| {
        let date = [
            row.area.as_ref().map(|a| &a.date),
            row.path.as_ref().map(|p| &p.date),
        ];
        let date = date.into_iter().flatten().min();
        let evidence = match row.evidence {
            AdviceEvidence::Simulated => "simulated",
            AdviceEvidence::Estimated => "estimated",
            AdviceEvidence::Bound => "bound: at least",
        };
        vec![
            row.mechanism.name().to_owned(),
            evidence.to_owned(),
            row.cycles.to_string(),
            format!("{:.1}", row.time_us),
            format!("{:.3}", row.speedup),
            format!("{:.2}", row.collectives_speedup),
            format!("{:.2}", row.cycles_over_bound),
            or_dash(row.energy_uj.map(|energy| format!("{energy:.1}"))),
            or_dash(row.area.as_ref().map(|area| format!("{:.1}", area.kge))),
            or_dash(row.path.as_ref().map(|path| format!("{:.1}", path.fo4))),
            or_dash(row.path.as_ref().map(|path| format!("{:.0}", path.mhz))),
            or_dash(date.cloned()),
            row.deadlock_freedom.words().to_owned(),
            row.remark.clone(),
        ]
    });
    table(&COLUMNS, lines.collect())
}

const PARTS: [(&str, bool); 7] = [
    ("mechanism", true),
    ("step", true),
    ("collective", true),
    ("calls", false),
    ("cycles", false),
    ("evidence", true),
    ("command", true),
];

fn parts(advice: &Advice) -> Markup {
    let line = |(row, part): (&AdviceRow, &AdvicePart)| {
        vec![
            row.mechanism.name().to_owned(),
            part.step.clone(),
            part.call.clone(),
            part.count.to_string(),
            part.cycles.to_string(),
            evidence(part),
            part.command.clone(),
        ]
    };
    let all = advice.rows.iter();
    let all = all.flat_map(|row| row.parts.iter().map(move |part| (row, part)));
    table(&PARTS, all.map(line).collect())
}

/// What says how long a part takes, and how well.
fn evidence(part: &AdvicePart) -> String {
    match (part.evidence, &part.error) {
        (AdviceEvidence::Simulated, _) => "simulated".to_owned(),
        (AdviceEvidence::Estimated, Some(error)) => format!("estimated, error {error}"),
        (AdviceEvidence::Estimated, None) => "estimated".to_owned(),
        (AdviceEvidence::Bound, _) => "bound".to_owned(),
    }
}

fn or_dash(text: Option<String>) -> String {
    text.unwrap_or_else(|| "–".to_owned())
}

fn table(columns: &[(&'static str, bool)], lines: Vec<Vec<String>>) -> Markup {
    let cell = |name: &'static str, is_word: bool, text: &str| {
        let class: &[_] = if is_word { &[("class", "word")] } else { &[] };
        Markup::element(name, class, Markup::text(text))
    };
    let head: Markup = columns
        .iter()
        .map(|(name, is_word)| cell("th", *is_word, name))
        .collect();
    let head = Markup::element("tr", &[], head);
    let mut body = Markup::new().line();
    for line in lines {
        let cells = line.iter().zip(columns);
        let cells: Markup = cells
            .map(|(text, (_, is_word))| cell("td", *is_word, text))
            .collect();
        body.push(&Markup::element("tr", &[], cells).line());
    }
    let all = Markup::element("thead", &[], head).then(&Markup::element("tbody", &[], body));
    let table = Markup::element("table", &[], all);
    Markup::element("div", &[("class", "wide-table")], table).line()
}
