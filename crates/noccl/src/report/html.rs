// SPDX-License-Identifier: Apache-2.0
//! The page around the drawings: summary, plots, link loads, table.

use super::chart::chart;
use super::heat::heat_maps;
use super::svg::Markup;
use super::{Case, algorithm, size_label, verification};
use crate::collective::{CompareRow, LinkFlits, Verified};

const STYLE: &str = include_str!("style.css");

const METHOD: &str = "Cycles run from the start of the first transfer (of a barrier: the first arrival) to the \
     last participant's last instruction, in a cycle-accurate simulation that moves the real bytes, or, where \
    the title says so, by the analytic model, which moves none: its rows are not checked. Verified means \
    that every output is bit-exact to the result in the schedule's documented order; a floating-point \
    sum must also lie within the error bound of the exact sum. The lower bound is the payload's \
    serialisation at one port plus the zero-load latency of the longest path; it leaves out software, \
    arbitration and address flits. Speedups compare with the fastest software algorithm at the same size. \
    Tiles are named as --root names them, also at both ends of a link: X,Y counts clusters from the south-west one, mem:N is a memory tile.";

/// Up to the style sheet, from there to the summary, and the end.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
     <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
     <title>NoCCL results</title>\n<style>\n";
const BODY: &str = "</style></head><body>\n<h1>NoCCL results</h1>\n";
const END: &str = concat!(
    "<p class=\"muted-text\">Written by NoCCL ",
    env!("CARGO_PKG_VERSION"),
    ".</p>\n</body></html>\n"
);

const LOADS: &str = "Link loads at the largest size (each arrow is one directed link; X,Y: clusters, m: memory tiles)";

pub(super) fn page(cases: &[Case<'_>]) -> String {
    let method = Markup::element("p", &[("class", "muted-text")], Markup::text(METHOD));
    let mut out = Markup::raw(HEAD)
        .then(&Markup::raw(STYLE))
        .then(&Markup::raw(BODY))
        .then(&summary(cases))
        .then(&method.line());
    for case in cases {
        out.push(&Markup::element("h2", &[], Markup::text(&case.title)).line());
        out.push(&chart(case));
        let maps = heat_maps(case);
        if !maps.is_empty() {
            out.push(&Markup::element("h3", &[], Markup::text(LOADS)).line());
            out.push(&maps);
        }
        out.push(&table(&case.rows));
    }
    out.then(&Markup::raw(END)).into_string()
}

fn summary(cases: &[Case<'_>]) -> Markup {
    let rows = || cases.iter().flat_map(|c| &c.rows);
    let count = |verified: Verified| rows().filter(|r| r.verified == verified).count();
    let total = rows().count();
    let checked = match (count(Verified::No), count(Verified::Yes)) {
        (0, 0) => Markup::new(),
        (0, right) if right == total => Markup::text(format!("All {total} results are verified.")),
        (0, right) => Markup::text(format!("{right} of {total} results are verified. ")),
        (wrong, _) => {
            let text = format!("{wrong} of {total} results are wrong.");
            alarm(&text).then(&Markup::raw(" "))
        }
    };
    let unchecked = match count(Verified::NotChecked) {
        0 => Markup::new(),
        rows => Markup::text(format!("{rows} of {total} results are not checked.")),
    };
    let lines: Markup = cases.iter().filter_map(speedups).collect();
    let list = Markup::element("ul", &[], Markup::new().line().then(&lines));
    Markup::element("p", &[], checked.then(&unchecked))
        .then(&list)
        .line()
}

/// How much faster the network is, if it took part.
fn speedups(case: &Case<'_>) -> Option<Markup> {
    let speedups = || {
        let in_network = case.rows.iter().filter(|r| r.is_in_network);
        in_network.filter_map(|r| r.speedup_over_best_software)
    };
    let low = speedups().fold(f64::INFINITY, f64::min);
    let high = speedups().fold(0.0, f64::max);
    let text = format!(
        "{}: in the network {low:.2} to {high:.2} times as fast as the best software.",
        case.title
    );
    (high > 0.0).then(|| Markup::element("li", &[], Markup::text(text)).line())
}

fn alarm(text: &str) -> Markup {
    Markup::element("span", &[("class", "wrong")], Markup::text(text))
}

/// Lines of a column's name, and whether it holds words.
///
/// What decides comes first: on a phone the box of the table shows it before anything is scrolled.
const COLUMNS: [(&[&str], bool); 14] = [
    (&["payload"], false),
    (&["algorithm"], true),
    (&["verified"], true),
    (&["cycles"], false),
    (&["speedup over", "best software"], false),
    (&["cycles /", "bound"], false),
    (&["energy", "[nJ]"], false),
    (&["lower bound", "[cycles]"], false),
    (&["software", "bound [cycles]"], false),
    (&["payload bound", "[cycles]"], false),
    (&["busiest link"], true),
    (&["its flits"], false),
    (&["error of sum,", "of its limit"], false),
    (&["synchronisation"], true),
];

fn table(rows: &[&CompareRow]) -> Markup {
    let head = COLUMNS.iter().map(|(lines, is_word)| {
        let mut name = Markup::new();
        for (index, line) in lines.iter().enumerate() {
            name.push(&Markup::raw(if index > 0 { "<br>" } else { "" }));
            name.push(&Markup::text(line));
        }
        cell("th", *is_word, name)
    });
    let head = Markup::element("tr", &[], head.collect());
    let mut body = Markup::new().line();
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
        let cells = cells(row).into_iter().zip(COLUMNS);
        let line: Markup = cells
            .map(|(content, (_, is_word))| cell("td", is_word, content))
            .collect();
        body.push(&Markup::element("tr", &[("class", &classes.join(" "))], line).line());
    }
    let parts = Markup::element("thead", &[], head).then(&Markup::element("tbody", &[], body));
    let table = Markup::element("table", &[], parts);
    let scrolled = [
        ("class", "scrolled"),
        ("tabindex", "0"),
        ("role", "region"),
        ("aria-label", "Results"),
    ];
    Markup::element("div", &scrolled, table).line()
}

fn cell(name: &'static str, is_word: bool, content: Markup) -> Markup {
    let class: &[_] = if is_word { &[("class", "word")] } else { &[] };
    Markup::element(name, class, content)
}

fn cells(row: &CompareRow) -> Vec<Markup> {
    let or_dash = |text: Option<String>| Markup::text(text.unwrap_or_else(|| "–".to_owned()));
    let link = row.busiest_link.as_ref();
    let shown = Markup::text(verification(row));
    vec![
        Markup::text(size_label(row.bytes)),
        Markup::text(algorithm(row)),
        match row.verified {
            Verified::No => alarm(verification(row)),
            Verified::NotChecked | Verified::Yes => shown,
        },
        Markup::text(row.cycles),
        or_dash(row.speedup_over_best_software.map(|s| format!("{s:.2}"))),
        Markup::text(format!("{:.2}", row.cycles_over_lower_bound)),
        or_dash(row.energy_pj.map(|pj| format!("{:.1}", pj / 1e3))),
        Markup::text(row.lower_bound_cycles),
        or_dash(row.software_bound_cycles.map(|c| c.to_string())),
        Markup::text(row.payload_bound_cycles),
        or_dash(link.map(LinkFlits::name)),
        or_dash(link.map(|l| l.flits.to_string())),
        or_dash(row.sum_error.map(|e| format!("{:.2}", e.largest_of_bound))),
        or_dash(row.synchronisation.map(|s| s.words().to_owned())),
    ]
}

#[cfg(test)]
mod tests {
    use crate::Watch;
    use crate::collective::CompareRow;
    use crate::report;
    use serde_json::Value;

    const HOSTILE: &str =
        "x\"'><script>alert(1)</script><img src=x onerror=alert(2)>&lt;\u{1b}[31m</style>";

    /// All places of texts in a value.
    fn texts(value: &Value, path: String, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(path),
            Value::Array(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(i, item)| texts(item, format!("{path}/{i}"), found));
            }
            Value::Object(fields) => {
                fields
                    .iter()
                    .for_each(|(name, v)| texts(v, format!("{path}/{name}"), found));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Names of all elements of a page.
    fn elements(page: &str) -> Vec<&str> {
        let names = page.split('<').skip(1);
        let mut names: Vec<&str> = names
            .map(|rest| rest.split([' ', '>', '\n']).next().unwrap())
            .collect();
        names.sort_unstable();
        names
    }

    #[test]
    fn no_text_of_a_stored_row_becomes_markup() {
        let network = crate::network::load("collective_noc_4x4", &[])
            .unwrap()
            .network;
        let mut tried = 0;
        for (kind, algorithms) in [
            ("multicast", "chain:2,in_network"),
            ("reduce", "chain:1,tree:1,in_network"),
            ("all_reduce", "row_column:1:tree,in_network_once"),
            ("barrier", "counter,in_network"),
        ] {
            let group = crate::network::parse_group(&network, "row").unwrap();
            let mut request = crate::collective::CompareRequest::new(
                crate::collective::parse_collective(kind).unwrap(),
                group,
                vec![1024, 2048],
            );
            request.algorithms = crate::collective::parse_algorithms(algorithms).unwrap();
            request.has_links = true;
            let rows = crate::collective::compare(&network, &request, Watch::quiet())
                .unwrap()
                .rows;
            let honest = report::page(&rows).unwrap();
            let stored = serde_json::to_value(&rows).unwrap();
            let mut paths = Vec::new();
            texts(&stored, String::new(), &mut paths);
            // Links are many and alike: those of the first row stand for all.
            paths.retain(|p| !p.contains("/links/") || p.starts_with("/0/links/0/"));
            for path in paths {
                let mut changed = stored.clone();
                *changed.pointer_mut(&path).unwrap() = HOSTILE.into();
                let Ok(rows) = serde_json::from_value::<Vec<CompareRow>>(changed) else {
                    continue; // one of a few words
                };
                tried += 1;
                check(&honest, &report::page(&rows).unwrap(), &path);
            }
            let mut rows = rows;
            for row in &mut rows {
                row.parameters
                    .insert(HOSTILE.to_owned(), HOSTILE.to_owned());
                for name in [
                    "inner",
                    "order",
                    "to",
                    "setting",
                    "root",
                    "structure",
                    "counters",
                    "chains",
                ] {
                    row.parameters.insert(name.to_owned(), HOSTILE.to_owned());
                }
            }
            check(&honest, &report::page(&rows).unwrap(), "parameters");
        }
        assert!(tried > 20, "{tried}");
    }

    /// A page with hostile texts has no element that the honest page has not.
    fn check(honest: &str, page: &str, path: &str) {
        let mut known = elements(honest);
        // An algorithm of another name has another marker.
        known.extend(["circle", "/circle", "polygon", "/polygon"]);
        for name in elements(page) {
            assert!(known.contains(&name), "{path} makes <{name}>");
        }
        assert!(!page.contains('\u{1b}'), "{path}");
        let attributes = page
            .split('<')
            .skip(1)
            .filter_map(|rest| rest.split('>').next());
        for attribute in attributes {
            let outside: String = attribute.split('"').step_by(2).collect();
            assert!(!outside.contains("onerror"), "{path}: <{attribute}>");
        }
    }
}
