// SPDX-License-Identifier: Apache-2.0
//! Workloads: which collectives a program calls, how often, of which size, and what is computed between them.
//!
//! A file states totals of the whole program, so that it holds for every mesh; what a cluster gets of them is worked out here. Those that
//! ship with the library say in their text which published shape they come from.

use crate::{Error, parse_collective};
use noccl_files::{FileError, MAX_TOML_BYTES, read_bounded};
use noccl_spec::{nearest, toml_message};
use noccl_workload::{CollectiveKind, ElementType, Operator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Version of the format.
pub const WORKLOAD_FORMAT: u32 = 1;
/// Neighbours on the mesh exchange borders.
pub(super) const HALO: &str = "halo";
/// Most calls of a step, so that cycles of all calls stay in their type.
pub(super) const MOST_CALLS: u64 = 1_000_000_000;
/// Most operations or bytes of a step.
const MOST_AMOUNT: f64 = 1e18;
const MOST_STEPS: usize = 1000;

const SHIPPED: [(&str, &str); 5] = [
    (
        "llama3-8b-decode",
        include_str!("../../workloads/llama3-8b-decode.toml"),
    ),
    (
        "llama3-8b-prefill",
        include_str!("../../workloads/llama3-8b-prefill.toml"),
    ),
    (
        "mixtral-moe",
        include_str!("../../workloads/mixtral-moe.toml"),
    ),
    ("fft", include_str!("../../workloads/fft.toml")),
    ("stencil", include_str!("../../workloads/stencil.toml")),
];

/// Names of the workloads that ship with the library.
pub const WORKLOAD_NAMES: [&str; 5] = [
    SHIPPED[0].0,
    SHIPPED[1].0,
    SHIPPED[2].0,
    SHIPPED[3].0,
    SHIPPED[4].0,
];

/// A program as collectives and computation, in totals over all clusters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviceWorkload {
    /// Format version; this library reads version 1.
    pub format: u32,
    /// Name in reports.
    pub name: String,
    /// What it does, in one line.
    pub about: String,
    /// Where its dimensions come from.
    pub source: String,
    /// Operations of a cluster in a cycle of 1 GHz; needed where a step has `flops`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops_per_cluster_cycle: Option<f64>,
    /// Bytes that all clusters together read from memory in a cycle of 1 GHz; needed where a step has `memory_bytes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes_per_cycle: Option<f64>,
    /// What it does; nothing overlaps.
    pub step: Vec<AdviceStep>,
}

/// A collective, or computation, so many times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AdviceStep {
    /// What it is for.
    pub name: String,
    /// How often.
    pub count: u64,
    /// A collective as `noccl compare` names it, or `halo`: borders to the neighbours on the mesh. Without it the step computes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<String>,
    /// Payload per participant, of collectives of blocks one block, of `halo` one border.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// In place of `bytes`: all blocks together, of `halo` a line of the whole grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// Element of what is reduced; FP64 if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<ElementType>,
    /// Operator of what is reduced; the sum if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operator: Option<Operator>,
    /// Participants as `noccl compare --group` reads them; all clusters if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
    /// Operations, over all clusters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flops: Option<f64>,
    /// Bytes read from memory meanwhile, over all clusters; the longer of both counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<f64>,
}

/// What a step calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Called {
    Collective(CollectiveKind),
    Halo,
}

impl AdviceStep {
    /// A step of which only name and a count of 1 are stated.
    pub(super) fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            count: 1,
            collective: None,
            bytes: None,
            total_bytes: None,
            element: None,
            operator: None,
            group: None,
            flops: None,
            memory_bytes: None,
        }
    }

    /// What it calls; nothing if it computes.
    pub(super) fn called(&self) -> Result<Option<Called>, Error> {
        match self.collective.as_deref() {
            None => Ok(None),
            Some(HALO) => Ok(Some(Called::Halo)),
            Some(name) => Ok(Some(Called::Collective(parse_collective(name)?))),
        }
    }
}

/// Reads a workload: the name of one that ships with the library, or a TOML file.
///
/// # Errors
/// [`Error::Argument`] with the names, [`Error::File`] with line, field and what is accepted.
///
/// ```
/// let fft = noccl_studies::read_workload("fft")?;
/// assert!(fft.step.iter().any(|step| step.collective.is_some()));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn read_workload(name_or_file: &str) -> Result<AdviceWorkload, Error> {
    if is_file(name_or_file) {
        let text = read_bounded(Path::new(name_or_file), MAX_TOML_BYTES)?;
        return parse_workload(name_or_file, &text);
    }
    parse_workload(name_or_file, workload_text(name_or_file)?)
}

/// Is it the path of a file? No shipped name has a dot.
pub(super) fn is_file(name_or_file: &str) -> bool {
    name_or_file.contains('/') || Path::new(name_or_file).extension().is_some()
}

/// A workload as a file, to be changed and read again.
///
/// # Errors
/// [`Error::File`] if a number has no form in TOML.
pub fn workload_toml(workload: &AdviceWorkload) -> Result<String, Error> {
    toml::to_string(workload).map_err(|e| {
        Error::File(FileError::Content {
            path: workload.name.clone(),
            expected: "workload",
            reason: e.to_string(),
        })
    })
}

/// The file of a workload that ships with the library, to be copied and changed.
///
/// # Errors
/// [`Error::Argument`] with the names.
pub fn workload_text(name: &str) -> Result<&'static str, Error> {
    let found = SHIPPED.iter().find(|(known, _)| *known == name);
    found.map(|(_, text)| *text).ok_or_else(|| {
        let names = WORKLOAD_NAMES.join(", ");
        let hint = nearest(name, WORKLOAD_NAMES.into_iter());
        Error::argument(
            "--workload",
            name,
            format!("accepted: {names}, a TOML file, a script (.py) or a message trace{hint}"),
        )
    })
}

/// As [`read_workload`], from text; `path` names it in errors.
///
/// # Errors
/// [`Error::File`] with line, field and what is accepted.
pub fn parse_workload(path: &str, text: &str) -> Result<AdviceWorkload, Error> {
    let content = |reason: String| {
        Error::File(FileError::Content {
            path: path.to_owned(),
            expected: "workload",
            reason,
        })
    };
    let workload: AdviceWorkload =
        toml::from_str(text).map_err(|e| content(toml_message(text, &e)))?;
    check(&workload).map_err(|wrong| content(wrong.message(text)))?;
    Ok(workload)
}

/// A field that says nothing possible.
struct Wrong {
    /// Which step, from 0; none of the whole file.
    step: Option<usize>,
    field: &'static str,
    found: String,
    accepted: String,
}

impl Wrong {
    fn new(field: &'static str, found: impl ToString, accepted: impl Into<String>) -> Self {
        Self {
            step: None,
            field,
            found: found.to_string(),
            accepted: accepted.into(),
        }
    }

    fn message(&self, text: &str) -> String {
        let path = match self.step {
            Some(step) => format!("step.{step}.{}", self.field),
            None => self.field.to_owned(),
        };
        let (found, accepted) = (&self.found, &self.accepted);
        let line = line_of(text, self.step, self.field);
        let line = line.map_or_else(String::new, |line| format!("line {line}: "));
        format!("{line}{path} = {found}: accepted: {accepted}")
    }
}

/// The line of a field, or that of its step's head where the field does not stand.
fn line_of(text: &str, step: Option<usize>, field: &str) -> Option<usize> {
    let is_head = |line: &str| line.trim_start().starts_with("[[step]]");
    let heads: Vec<usize> = (text.lines().enumerate())
        .filter_map(|(index, line)| is_head(line).then_some(index))
        .collect();
    let begin = match step {
        Some(step) => *heads.get(step)?,
        None => 0,
    };
    let next = heads.iter().find(|head| **head > begin).copied();
    let mut lines = text.lines().enumerate().skip(begin);
    let names_field = |line: &str| {
        let name = line.split('=').next().unwrap_or(line);
        line.contains('=') && name.trim() == field
    };
    let found = lines.find(|(index, line)| next.is_none_or(|n| *index < n) && names_field(line));
    let index = found.map(|(index, _)| index).or(step.map(|_| begin))?;
    Some(index + 1)
}

fn check(workload: &AdviceWorkload) -> Result<(), Wrong> {
    if workload.format != WORKLOAD_FORMAT {
        let accepted = WORKLOAD_FORMAT.to_string();
        return Err(Wrong::new("format", workload.format, accepted));
    }
    if workload.step.is_empty() || workload.step.len() > MOST_STEPS {
        let accepted = format!("1 to {MOST_STEPS} steps");
        return Err(Wrong::new("step", workload.step.len(), accepted));
    }
    for (field, rate) in [
        ("flops_per_cluster_cycle", workload.flops_per_cluster_cycle),
        ("memory_bytes_per_cycle", workload.memory_bytes_per_cycle),
    ] {
        positive(field, rate)?;
    }
    for (index, step) in workload.step.iter().enumerate() {
        check_step(workload, step).map_err(|wrong| Wrong {
            step: Some(index),
            ..wrong
        })?;
    }
    let mut calls = workload.step.iter();
    match calls.any(|step| step.collective.is_some()) {
        true => Ok(()),
        false => {
            let accepted = "at least one step with a collective";
            Err(Wrong::new("step", "no collective", accepted))
        }
    }
}

fn positive(field: &'static str, number: Option<f64>) -> Result<(), Wrong> {
    match number {
        // What is no number fails too.
        Some(number) if !(number > 0.0 && number <= MOST_AMOUNT) => Err(Wrong::new(
            field,
            number,
            format!("above 0, at most {MOST_AMOUNT:e}"),
        )),
        Some(_) | None => Ok(()),
    }
}

fn check_step(workload: &AdviceWorkload, step: &AdviceStep) -> Result<(), Wrong> {
    if !(1..=MOST_CALLS).contains(&step.count) {
        let accepted = format!("1 to {MOST_CALLS}");
        return Err(Wrong::new("count", step.count, accepted));
    }
    let kind = step.called().map_err(|error| {
        let found = step.collective.as_deref().unwrap_or("").to_owned();
        let known = error.to_string();
        let accepted = known.split("accepted: ").nth(1).unwrap_or(&known);
        Wrong::new("collective", found, format!("{HALO}, {accepted}"))
    })?;
    match kind {
        Some(kind) => check_collective(step, kind),
        None => check_computation(workload, step),
    }
}

fn check_computation(workload: &AdviceWorkload, step: &AdviceStep) -> Result<(), Wrong> {
    for (field, is_given) in [
        ("bytes", step.bytes.is_some()),
        ("total_bytes", step.total_bytes.is_some()),
        ("element", step.element.is_some()),
        ("operator", step.operator.is_some()),
        ("group", step.group.is_some()),
    ] {
        if is_given {
            return Err(Wrong::new(field, "given", "a step with a collective"));
        }
    }
    positive("flops", step.flops)?;
    positive("memory_bytes", step.memory_bytes)?;
    if step.flops.is_none() && step.memory_bytes.is_none() {
        let accepted = "collective, or flops or memory_bytes";
        return Err(Wrong::new("name", &step.name, accepted));
    }
    if step.flops.is_some() && workload.flops_per_cluster_cycle.is_none() {
        let accepted = "with flops_per_cluster_cycle at the head of the file";
        return Err(Wrong::new("flops", "given", accepted));
    }
    if step.memory_bytes.is_some() && workload.memory_bytes_per_cycle.is_none() {
        let accepted = "with memory_bytes_per_cycle at the head of the file";
        return Err(Wrong::new("memory_bytes", "given", accepted));
    }
    Ok(())
}

fn check_collective(step: &AdviceStep, called: Called) -> Result<(), Wrong> {
    if step.flops.is_some() || step.memory_bytes.is_some() {
        let field = if step.flops.is_some() {
            "flops"
        } else {
            "memory_bytes"
        };
        return Err(Wrong::new(field, "given", "a step without a collective"));
    }
    let (has_blocks, has_payload, reduces) = match called {
        Called::Halo => (true, true, false),
        Called::Collective(CollectiveKind::Custom) => {
            let accepted = "halo, or a collective that needs no definition";
            return Err(Wrong::new("collective", "custom", accepted));
        }
        Called::Collective(kind) => (
            kind.has_blocks() || kind.gives_blocks() || kind == CollectiveKind::Gather,
            kind.has_payload(),
            kind.reduces(),
        ),
    };
    if called == Called::Halo && step.group.is_some() {
        return Err(Wrong::new("group", "given", "no group: all clusters"));
    }
    if !reduces && (step.element.is_some() || step.operator.is_some()) {
        let field = if step.element.is_some() {
            "element"
        } else {
            "operator"
        };
        let accepted = "a collective that combines something";
        return Err(Wrong::new(field, "given", accepted));
    }
    check_size(step, has_blocks, has_payload)?;
    let element_bytes = step.element.unwrap_or(ElementType::Fp64).bytes();
    match step.bytes.or(step.total_bytes) {
        Some(bytes) if reduces && !bytes.is_multiple_of(element_bytes) => {
            let field = if step.bytes.is_some() {
                "bytes"
            } else {
                "total_bytes"
            };
            let accepted = format!("a multiple of the element, which has {element_bytes} bytes");
            Err(Wrong::new(field, bytes, accepted))
        }
        Some(_) | None => Ok(()),
    }
}

fn check_size(step: &AdviceStep, has_blocks: bool, has_payload: bool) -> Result<(), Wrong> {
    let sizes = [("bytes", step.bytes), ("total_bytes", step.total_bytes)];
    for (field, size) in sizes {
        match size {
            Some(_) if !has_payload => {
                let accepted = "no size: a barrier has no payload";
                return Err(Wrong::new(field, "given", accepted));
            }
            Some(size) if !(1..=1 << 50).contains(&size) => {
                return Err(Wrong::new(field, size, "1 byte to 1 PiB"));
            }
            Some(_) | None => {}
        }
    }
    match (step.bytes, step.total_bytes) {
        (Some(_), Some(_)) => Err(Wrong::new("total_bytes", "given", "bytes or total_bytes")),
        (None, None) if has_payload => Err(Wrong::new(
            "bytes",
            "missing",
            "bytes, or total_bytes of blocks",
        )),
        (None, Some(_)) if !has_blocks => {
            let accepted = "bytes: every participant has the whole payload";
            Err(Wrong::new("total_bytes", "given", accepted))
        }
        (Some(_) | None, Some(_) | None) => Ok(()),
    }
}
