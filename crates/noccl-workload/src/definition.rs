// SPDX-License-Identifier: Apache-2.0
//! Collectives of a user's own: which chunk of whose output is made of which chunks of whose inputs.

use noccl_net::counts::{len_of, max_or_zero};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// What a custom collective asks for, in chunks of the collective's `bytes` each. Chunks of an input or output lie one behind the
/// other; ranks are the members in ascending order (x outer).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// Name in reports.
    pub name: String,
    /// Chunks of the inputs: one number for all ranks, or a list with one for each.
    pub inputs: InputChunks,
    /// Per rank: what each chunk of its output has to hold in the end.
    pub outputs: Vec<Vec<Want>>,
}

/// Chunks of the inputs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum InputChunks {
    /// As many at every rank.
    Each(u32),
    /// By rank.
    ByRank(Vec<u32>),
}

/// A chunk of an input: `[rank, chunk]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, JsonSchema)]
#[serde(into = "[u32; 2]")]
#[schemars(with = "[u32; 2]")]
pub struct ChunkRef {
    /// Whose input.
    pub rank: u32,
    /// Which of its chunks.
    pub chunk: u32,
}

/// What a chunk of an output has to hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(untagged)]
#[schemars(deny_unknown_fields)]
pub enum Want {
    /// Anything: `null`.
    Nothing,
    /// A copy: `[rank, chunk]`.
    Copy(ChunkRef),
    /// The reduction of several chunks, each once, in any order: `[[rank, chunk], ...]`.
    Reduction(Vec<ChunkRef>),
    /// The reduction of this chunk of every rank: `{"all": chunk}`.
    All {
        /// Which chunk of every input.
        all: u32,
    },
}

/// Forms of [`Want`], for errors.
const WANTS: &str = "null, [rank, chunk], [[rank, chunk], ...] or {\"all\": chunk}";

impl From<ChunkRef> for [u32; 2] {
    fn from(chunk: ChunkRef) -> Self {
        [chunk.rank, chunk.chunk]
    }
}

impl InputChunks {
    /// Chunks of a rank's input.
    #[must_use]
    pub fn of(&self, rank: usize) -> u32 {
        match self {
            Self::Each(chunks) => *chunks,
            // 0: lists that lack a rank are refused by `check_definition`; a rank that is not there has nothing.
            Self::ByRank(all) => all.get(rank).copied().unwrap_or(0),
        }
    }

    /// Chunks of the longest input.
    #[must_use]
    pub fn most(&self) -> u32 {
        match self {
            Self::Each(chunks) => *chunks,
            Self::ByRank(all) => max_or_zero(all.iter().copied()),
        }
    }
}

impl Want {
    /// The chunks that it is made of among so many ranks.
    #[must_use]
    pub fn operands(&self, num_ranks: usize) -> Vec<ChunkRef> {
        match self {
            Self::Nothing => Vec::new(),
            Self::Copy(chunk) => vec![*chunk],
            Self::Reduction(chunks) => chunks.clone(),
            Self::All { all } => {
                let of = |rank: usize| ChunkRef {
                    rank: rank as u32,
                    chunk: *all,
                };
                (0..num_ranks).map(of).collect()
            }
        }
    }

    /// Does nobody ask for it?
    #[must_use]
    pub const fn is_nothing(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Reduction(chunks) => chunks.is_empty(),
            Self::Copy(_) | Self::All { .. } => false,
        }
    }

    /// Is it made of more than one chunk?
    #[must_use]
    pub const fn is_reduction(&self, num_ranks: usize) -> bool {
        match self {
            Self::Nothing | Self::Copy(_) => false,
            Self::Reduction(chunks) => chunks.len() > 1,
            Self::All { .. } => num_ranks > 1,
        }
    }
}

impl Definition {
    /// Chunks of a rank's output.
    #[must_use]
    pub fn output_chunks(&self, rank: usize) -> u64 {
        len_of(self.outputs.get(rank)) as u64
    }

    /// Chunks of the longest output.
    #[must_use]
    pub fn most_output_chunks(&self) -> u64 {
        max_or_zero(self.outputs.iter().map(|chunks| chunks.len() as u64))
    }

    /// Is some chunk a reduction?
    #[must_use]
    pub fn reduces(&self) -> bool {
        let num_ranks = self.outputs.len();
        let mut all = self.outputs.iter().flatten();
        all.any(|want| want.is_reduction(num_ranks))
    }
}

impl<'de> Deserialize<'de> for InputChunks {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(reader)?;
        let list = || -> Option<Vec<u32>> { value.as_array()?.iter().map(as_u32).collect() };
        let chunks = as_u32(&value).map(Self::Each);
        chunks.or_else(|| list().map(Self::ByRank)).ok_or_else(|| {
            D::Error::custom(format!(
                "inputs = {value}: accepted: a number of chunks for all ranks, or a list with one for each"
            ))
        })
    }
}

impl<'de> Deserialize<'de> for Want {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(reader)?;
        want(&value).ok_or_else(|| D::Error::custom(format!("{value}: accepted: {WANTS}")))
    }
}

fn want(value: &Value) -> Option<Want> {
    match value {
        Value::Null => Some(Want::Nothing),
        Value::Object(fields) if fields.len() == 1 => {
            let all = as_u32(fields.get("all")?)?;
            Some(Want::All { all })
        }
        Value::Array(list) if list.is_empty() => Some(Want::Nothing),
        Value::Array(list) if list.iter().all(Value::is_number) => Some(Want::Copy(chunk(value)?)),
        Value::Array(list) => {
            let chunks: Option<Vec<ChunkRef>> = list.iter().map(chunk).collect();
            Some(Want::Reduction(chunks?))
        }
        Value::Object(_) | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn chunk(value: &Value) -> Option<ChunkRef> {
    let [rank, chunk] = value.as_array()?.as_slice() else {
        return None;
    };
    Some(ChunkRef {
        rank: as_u32(rank)?,
        chunk: as_u32(chunk)?,
    })
}

fn as_u32(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_read_and_written_as_a_person_writes_it() {
        let text =
            r#"{"name":"mix","inputs":[2,1],"outputs":[[null,[1,0],{"all":0}],[[[0,1],[1,0]]]]}"#;
        let definition: Definition = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&definition).unwrap(), text);
        let chunk = |rank, chunk| ChunkRef { rank, chunk };
        let sum = vec![chunk(0, 0), chunk(1, 0)];
        assert_eq!(definition.outputs[0][2].operands(2), sum);
        assert_eq!(definition.outputs[1][0].operands(2)[0], chunk(0, 1));
        assert!(definition.reduces());
        let empty: Want = serde_json::from_str("[]").unwrap();
        assert_eq!(empty, Want::Nothing);
    }

    #[test]
    fn other_forms_are_refused_with_those_that_are_accepted() {
        for text in [
            "1",
            "\"all\"",
            "[0]",
            "[0,1,2]",
            "[0,-1]",
            "[[0,1],2]",
            "{\"all\":0,\"of\":1}",
        ] {
            let error = serde_json::from_str::<Want>(text).unwrap_err().to_string();
            assert!(error.contains("accepted: null, [rank, chunk]"), "{error}");
        }
        for text in ["-1", "\"2\"", "[1,null]"] {
            let error = serde_json::from_str::<InputChunks>(text).unwrap_err();
            assert!(error.to_string().contains("accepted: a number"), "{error}");
        }
    }
}
