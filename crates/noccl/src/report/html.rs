// SPDX-License-Identifier: Apache-2.0
//! The page around the drawings: summary, plots, link loads, table.

use super::chart::chart;
use super::heat::heat_maps;
use super::svg::escape;
use super::{Case, chunks, mechanism, size_label, verdict};
use crate::Verified;
use crate::compare::CompareRow;

const STYLE: &str = include_str!("style.css");

const METHOD: &str = "Cycles run from the start of the first transfer (of a barrier: the first arrival) to the \
     last participant's last instruction, in a cycle-accurate simulation that moves the real bytes, or, where \
    the title says so, by the analytic model, which moves none: its rows are not checked. Verified means \
    that every output is bit-equal to the fold in the schedule's documented order; a floating-point \
    sum must also lie within the error bound of the exact sum. The lower bound is the payload's \
    serialisation at one port plus the zero-load latency of the farthest leg; it leaves out software, \
    arbitration and address flits. Speedups compare with the fastest software algorithm at the same size. \
    Tiles are named as --root names them, also at both ends of a link: X,Y counts clusters from the south-west one, mem:N is a memory tile.";

pub(super) fn page(cases: &[Case<'_>]) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>NoCCL results</title>\n<style>\n{STYLE}</style></head><body>\n\
         <h1>NoCCL results</h1>\n{}\n<p class=\"muted-text\">{METHOD}</p>\n",
        summary(cases)
    );
    for case in cases {
        out += &format!("<h2>{}</h2>\n", escape(&case.title));
        out += &chart(case);
        let maps = heat_maps(case);
        if !maps.is_empty() {
            out += "<h3>Link loads at the largest size (each arrow is one directed link; X,Y: clusters, m: memory tiles)</h3>\n";
            out += &maps;
        }
        out += &table(&case.rows);
    }
    out + "</body></html>\n"
}

fn summary(cases: &[Case<'_>]) -> String {
    let rows = || cases.iter().flat_map(|c| &c.rows);
    let count = |verified: Verified| rows().filter(|r| r.verified == verified).count();
    let total = rows().count();
    let mut verdict = match (count(Verified::No), count(Verified::Yes)) {
        (0, 0) => String::new(),
        (0, right) if right == total => format!("All {total} results are verified. "),
        (0, right) => format!("{right} of {total} results are verified. "),
        (wrong, _) => {
            format!("<span class=\"wrong\">{wrong} of {total} results are wrong.</span> ")
        }
    };
    let unchecked = count(Verified::NotChecked);
    if unchecked > 0 {
        verdict += &format!("{unchecked} of {total} results are not checked.");
    }
    let mut lines = vec![format!("<p>{}</p><ul>", verdict.trim_end())];
    for case in cases {
        let speedups = || {
            let in_network = case.rows.iter().filter(|r| r.is_in_network);
            in_network.filter_map(|r| r.speedup_over_best_software)
        };
        let (low, high) = (
            speedups().fold(f64::INFINITY, f64::min),
            speedups().fold(0.0, f64::max),
        );
        if high > 0.0 {
            lines.push(format!(
                "<li>{}: in the network {low:.2} to {high:.2} times as fast as the best software.</li>",
                escape(&case.title)
            ));
        }
    }
    lines.join("\n") + "</ul>"
}

const COLUMNS: [(&str, bool); 12] = [
    ("payload", false),
    ("mechanism", true),
    ("chunks", false),
    ("cycles", false),
    ("speedup over<br>best software", false),
    ("lower bound<br>[cycles]", false),
    ("cycles /<br>bound", false),
    ("payload bound<br>[cycles]", false),
    ("energy<br>[nJ]", false),
    ("busiest link", true),
    ("its flits", false),
    ("verified", true),
];

fn table(rows: &[&CompareRow]) -> String {
    let class = |is_word: bool| if is_word { " class=\"word\"" } else { "" };
    let head: String = COLUMNS
        .iter()
        .map(|(name, is_word)| format!("<th{}>{name}</th>", class(*is_word)))
        .collect();
    let mut out =
        format!("<div class=\"wide-table\"><table><thead><tr>{head}</tr></thead><tbody>\n");
    let mut last_bytes = None;
    for row in rows {
        let mut classes = Vec::new();
        if last_bytes.is_some_and(|b| b != row.bytes) {
            classes.push("first");
        }
        if row.is_in_network {
            classes.push("in-network");
        }
        last_bytes = Some(row.bytes);
        let body: String = cells(row)
            .into_iter()
            .zip(COLUMNS)
            .map(|(cell, (_, is_word))| format!("<td{}>{cell}</td>", class(is_word)))
            .collect();
        out += &format!("<tr class=\"{}\">{body}</tr>\n", classes.join(" "));
    }
    out + "</tbody></table></div>\n"
}

fn cells(row: &CompareRow) -> Vec<String> {
    let dash = || "–".to_owned();
    let link = row.busiest_link.as_ref();
    vec![
        size_label(row.bytes),
        escape(&mechanism(row)),
        chunks(row).map_or_else(dash, |c| escape(&c)),
        row.cycles.to_string(),
        row.speedup_over_best_software
            .map_or_else(dash, |s| format!("{s:.2}")),
        row.lower_bound_cycles.to_string(),
        format!("{:.2}", row.cycles_over_lower_bound),
        row.payload_bound_cycles.to_string(),
        format!("{:.1}", row.energy_pj / 1e3),
        link.map_or_else(dash, |l| escape(&l.name())),
        link.map_or_else(dash, |l| l.flits.to_string()),
        match (row.verified, row.sum_error) {
            (Verified::No, _) => format!("<span class=\"wrong\">{}</span>", verdict(row)),
            (Verified::NotChecked, _) | (Verified::Yes, None) => verdict(row).to_owned(),
            (Verified::Yes, Some(error)) => {
                format!(
                    "{}, error {:.2} of limit",
                    verdict(row),
                    error.largest_of_bound
                )
            }
        },
    ]
}
