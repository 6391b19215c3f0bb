// SPDX-License-Identifier: Apache-2.0
//! Names of element types, operators and collectives: the words of the file formats and of the command line.

use crate::{CollectiveKind, ElementType, Operator};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A name that stands for nothing.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown {what} `{found}`; accepted: {accepted}")]
pub struct UnknownName {
    /// What was looked for, e.g. "element type".
    pub what: &'static str,
    /// The name as written.
    pub found: String,
    /// All accepted names.
    pub accepted: String,
}

impl ElementType {
    /// Name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            ElementType::Fp64 => "fp64",
            ElementType::Fp32 => "fp32",
            ElementType::Fp16 => "fp16",
            ElementType::Bf16 => "bf16",
            ElementType::Fp8E4m3 => "fp8_e4m3",
            ElementType::Fp8E5m2 => "fp8_e5m2",
            ElementType::Int8 => "int8",
            ElementType::Int16 => "int16",
            ElementType::Int32 => "int32",
            ElementType::Int64 => "int64",
        }
    }
}

impl Operator {
    /// Name in files and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Operator::Sum => "sum",
            Operator::Min => "min",
            Operator::Max => "max",
            Operator::And => "and",
            Operator::Or => "or",
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Operator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for CollectiveKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for ElementType {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        find("element type", text, &Self::ALL, Self::name)
    }
}

impl FromStr for Operator {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        find("operator", text, &Self::ALL, Self::name)
    }
}

impl FromStr for CollectiveKind {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        let mut all = Self::ALL.to_vec();
        all.push(Self::Custom);
        find("collective", text, &all, Self::name)
    }
}

/// The value with this name.
pub(crate) fn find<T: Copy>(
    what: &'static str,
    text: &str,
    all: &[T],
    name: impl Fn(T) -> &'static str,
) -> Result<T, UnknownName> {
    let known = all.iter().copied().find(|v| name(*v) == text);
    known.ok_or_else(|| UnknownName {
        what,
        found: text.to_owned(),
        accepted: all.iter().map(|v| name(*v)).collect::<Vec<_>>().join(", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_the_word_of_the_file_format() {
        for e in ElementType::ALL {
            assert_eq!(serde_json::to_value(e).unwrap(), e.name());
            assert_eq!(e.name().parse(), Ok(e));
        }
        for o in Operator::ALL {
            assert_eq!(serde_json::to_value(o).unwrap(), o.name());
            assert_eq!(o.name().parse(), Ok(o));
        }
        for c in CollectiveKind::ALL {
            assert_eq!(serde_json::to_value(c).unwrap(), c.name());
            assert_eq!(c.name().parse(), Ok(c));
        }
    }

    #[test]
    fn an_unknown_name_lists_the_accepted_ones() {
        let error = "float".parse::<ElementType>().unwrap_err().to_string();
        assert_eq!(
            error,
            "unknown element type `float`; accepted: fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, \
             int8, int16, int32, int64"
        );
    }
}
