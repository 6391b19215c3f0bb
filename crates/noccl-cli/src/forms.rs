// SPDX-License-Identifier: Apache-2.0
//! Rows in the form that is asked for: `--format`, `--columns`, `--wide` and `--json` of all verbs that print rows.
//!
//! A verb states each column once: its name, its title, and what readers and programs see of a row.

use crate::effects::{self, Idle};
use crate::table::{Align, csv, grouped, markdown, table_dropping, whole};
use crate::{output, width};
use clap::Args;
use noccl::Error;
use serde::Serialize;

/// A cell: for readers, and for programs, which see no groups of digits and no units.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Value {
    shown: String,
    raw: String,
}

impl Value {
    /// The same for both.
    pub fn words(text: impl Into<String>) -> Self {
        let shown: String = text.into();
        let raw = shown.clone();
        Self { shown, raw }
    }

    /// A number of things.
    pub fn count(number: impl Into<u64>) -> Self {
        let number = number.into();
        let (shown, raw) = (grouped(number), number.to_string());
        Self { shown, raw }
    }

    /// A size.
    pub fn bytes(bytes: u64) -> Self {
        let (shown, raw) = (noccl::files::format_bytes(bytes), bytes.to_string());
        Self { shown, raw }
    }

    /// A number with so many decimals.
    pub fn fixed(number: f64, decimals: usize) -> Self {
        Self::words(format!("{number:.decimals$}"))
    }

    /// A fraction in percent, with one decimal.
    pub fn percent(fraction: f64) -> Self {
        let raw = format!("{:.1}", 100.0 * fraction);
        let shown = format!("{raw} %");
        Self { shown, raw }
    }

    /// Of what may be absent.
    pub fn of<T>(value: Option<T>, make: impl FnOnce(T) -> Self) -> Self {
        value.map_or_else(Self::default, make)
    }

    /// Readers see a sign before it or behind it.
    pub fn signed(self, before: &str, behind: &str) -> Self {
        let shown = format!("{before}{}{behind}", self.shown);
        Self { shown, ..self }
    }

    /// Readers see a word or nothing, programs yes or no.
    pub fn flag(is_set: bool, word: &str) -> Self {
        let (shown, raw) = if is_set { (word, "yes") } else { ("", "no") };
        Self {
            shown: shown.to_owned(),
            raw: raw.to_owned(),
        }
    }

    /// What there could be but is not: its column stays, with a dash.
    pub fn missing() -> Self {
        Self {
            shown: "-".to_owned(),
            raw: String::new(),
        }
    }

    fn is_empty(&self) -> bool {
        self.shown.is_empty() && self.raw.is_empty()
    }

    fn or_dash(self) -> String {
        if self.is_empty() {
            return "-".to_owned();
        }
        self.shown
    }
}

/// In which tables a column stands, if it has a value in some row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Shows {
    /// In all.
    Always,
    /// In wide ones, and in CSV.
    Wide,
    /// In CSV: the title says it too.
    File,
}

/// A column of rows of one kind.
#[derive(Debug)]
pub struct RowColumn<R: 'static> {
    /// As `--columns` takes it, and as it is called in CSV.
    pub name: &'static str,
    title: &'static str,
    align: Align,
    shows: Shows,
    value: fn(&R) -> Value,
    /// What the legend says of it.
    pub legend: &'static str,
}

impl<R: 'static> RowColumn<R> {
    /// A column of words.
    pub const fn words(name: &'static str, title: &'static str, value: fn(&R) -> Value) -> Self {
        Self {
            name,
            title,
            align: Align::Left,
            shows: Shows::Always,
            value,
            legend: "",
        }
    }

    /// A column of numbers.
    pub const fn number(name: &'static str, title: &'static str, value: fn(&R) -> Value) -> Self {
        Self {
            align: Align::Right,
            ..Self::words(name, title, value)
        }
    }

    /// In wide tables only.
    pub const fn wide(self) -> Self {
        Self {
            shows: Shows::Wide,
            ..self
        }
    }

    /// In CSV only.
    pub const fn in_files(self) -> Self {
        Self {
            shows: Shows::File,
            ..self
        }
    }

    /// With words in the legend.
    pub const fn with_legend(self, legend: &'static str) -> Self {
        Self { legend, ..self }
    }
}

/// Columns of rows of one kind, in the order of a wide table.
#[derive(Debug)]
pub struct RowTable<R: 'static> {
    /// The columns.
    pub columns: &'static [RowColumn<R>],
    /// Names of those that a narrow output lacks first.
    pub dropped_first: &'static [&'static str],
}

/// Columns that are shown.
pub type ShownColumns<R> = Vec<&'static RowColumn<R>>;

/// How rows are printed.
#[derive(Debug, Args)]
pub struct FormArgs {
    /// table, csv (all columns), json or md
    #[arg(long, value_name = "table|csv|json|md", default_value = "table", value_parser = ["table", "csv", "json", "md"])]
    format: String,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// All columns. Without it the table has those that fit the terminal, or COLUMNS characters, or 120
    #[arg(long, conflicts_with = "columns")]
    wide: bool,
    /// These columns, in this order, by the names that --format csv prints; a wrong name lists all
    #[arg(long, value_name = "NAME,...")]
    columns: Option<String>,
}

impl FormArgs {
    /// Options that have no effect on the form.
    pub fn idle(&self) -> Vec<Idle> {
        let (json, csv) = ("JSON, which has all fields", "CSV, which has all columns");
        [
            effects::idle(
                self.is_json(),
                &["wide", "columns"],
                json,
                "a table, csv, md",
            ),
            effects::idle(self.is_csv(), &["wide"], csv, "a table, md"),
        ]
        .concat()
    }

    /// Does a program read fields?
    pub fn is_json(&self) -> bool {
        self.json || self.format == "json"
    }

    /// Does a program read columns?
    pub fn is_csv(&self) -> bool {
        self.format == "csv"
    }

    /// Is each row one of the output? Otherwise readers get an overview, of verbs that have one.
    pub fn is_by_row(&self) -> bool {
        self.is_json() || self.is_csv() || self.columns.is_some()
    }

    /// Refuses names of columns that these rows do not have; asked before the work begins.
    ///
    /// # Errors
    /// [`Error::Argument`] with the names that exist.
    pub fn check<R: 'static>(&self, table: &RowTable<R>) -> Result<(), Error> {
        self.named(table).map(|_| ())
    }

    fn named<R: 'static>(&self, table: &RowTable<R>) -> Result<Option<ShownColumns<R>>, Error> {
        let read = |name: &str| {
            let word = name.trim().to_lowercase().replace('-', "_");
            let found = table.columns.iter().find(|column| column.name == word);
            found.ok_or_else(|| {
                let names: Vec<&str> = table.columns.iter().map(|column| column.name).collect();
                let hint = noccl::network::nearest(&word, names.iter().copied());
                let accepted = format!("accepted: {}{hint}", names.join(", "));
                Error::argument("--columns", name, accepted)
            })
        };
        let names = self.columns.as_deref().map(|text| text.split(','));
        names.map(|names| names.map(read).collect()).transpose()
    }

    /// The columns that are shown of these rows; readers see those with `hidden` names elsewhere.
    ///
    /// # Errors
    /// As [`FormArgs::check`].
    pub fn shown<R: 'static>(
        &self,
        table: &RowTable<R>,
        rows: &[&R],
        hidden: &[&str],
    ) -> Result<ShownColumns<R>, Error> {
        if let Some(named) = self.named(table)? {
            return Ok(named);
        }
        let most = match (self.is_csv(), self.wide) {
            (true, _) => Shows::File,
            (false, true) => Shows::Wide,
            (false, false) => Shows::Always,
        };
        let has = |column: &RowColumn<R>| rows.iter().any(|row| !(column.value)(row).is_empty());
        let is_shown = |column: &&'static RowColumn<R>| {
            let is_hidden = hidden.contains(&column.name) && !self.is_csv();
            column.shows <= most && !is_hidden && has(column)
        };
        Ok(table.columns.iter().filter(is_shown).collect())
    }

    /// Rows with these columns as table, Markdown or CSV.
    pub fn laid_out<R: 'static>(
        &self,
        table: &RowTable<R>,
        columns: &[&'static RowColumn<R>],
        rows: &[&R],
    ) -> String {
        let names: Vec<&str> = columns.iter().map(|column| column.name).collect();
        let cells = |row: &&R| columns.iter().map(|c| (c.value)(row)).collect();
        let body: Vec<Vec<Value>> = rows.iter().map(cells).collect();
        if self.is_csv() {
            let raw = |row: Vec<Value>| row.into_iter().map(|value| value.raw).collect();
            return csv(&names, &body.into_iter().map(raw).collect::<Vec<_>>());
        }
        let header: Vec<_> = columns.iter().map(|c| (c.title, c.align)).collect();
        let shown = |row: Vec<Value>| row.into_iter().map(Value::or_dash).collect();
        let body: Vec<Vec<String>> = body.into_iter().map(shown).collect();
        let titles = table.dropped_first.iter().filter_map(|name| {
            let found = columns.iter().find(|column| column.name == *name);
            found.map(|column| column.title)
        });
        self.text(&header, &body, &titles.collect::<Vec<_>>())
    }

    /// A table for readers, aligned or in Markdown, of which a narrow output lacks columns with these titles first.
    pub fn text(
        &self,
        header: &[(&str, Align)],
        body: &[Vec<String>],
        dropped_first: &[&str],
    ) -> String {
        if self.format == "md" {
            markdown(header, body)
        } else if self.wide || self.columns.is_some() {
            whole(header, body)
        } else {
            table_dropping(header, body, dropped_first, Some("--wide, --columns"))
        }
    }

    /// Prints rows as table, Markdown or CSV, or `json` where that is asked for. Readers get the texts above and below too.
    ///
    /// # Errors
    /// As [`FormArgs::check`]; an output that cannot be written.
    pub fn print<R: 'static, J: Serialize>(
        &self,
        table: &RowTable<R>,
        rows: &[R],
        json: &J,
        (above, below): (&str, &str),
    ) -> Result<(), Error> {
        if self.is_json() {
            return output::json(json);
        }
        let rows: Vec<&R> = rows.iter().collect();
        let columns = self.shown(table, &rows, &[])?;
        let text = self.laid_out(table, &columns, &rows);
        if self.is_csv() {
            return output::data(&text);
        }
        let (above, below) = (width::prose(above), width::prose(below));
        output::result(&(above + &text + &below))
    }
}
