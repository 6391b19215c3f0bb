// SPDX-License-Identifier: Apache-2.0
//! Whether results were compared with what they must be.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize, de};
use std::fmt;

/// Were the outputs compared with what they must be, and are they right?
///
/// Files of older versions say `true`, `false` or `null`; they are read as `yes`, `no` and `not_checked`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verified {
    /// Compared, and all of them are right.
    Yes,
    /// Compared, and at least one of them is wrong.
    No,
    /// Nothing was compared: no bytes moved, or nobody knows what they must be.
    #[default]
    NotChecked,
}

impl Verified {
    /// The outcome of a comparison.
    #[must_use]
    pub const fn compared(is_right: bool) -> Self {
        if is_right { Self::Yes } else { Self::No }
    }

    /// Compared and right?
    #[must_use]
    pub const fn is_yes(self) -> bool {
        matches!(self, Self::Yes)
    }

    /// Compared and wrong?
    #[must_use]
    pub const fn is_no(self) -> bool {
        matches!(self, Self::No)
    }
}

impl fmt::Display for Verified {
    /// As tables show it: `yes`, `NO` or `not checked`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Yes => "yes",
            Self::No => "NO",
            Self::NotChecked => "not checked",
        })
    }
}

impl<'de> Deserialize<'de> for Verified {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Word)
    }
}

/// Reads the word, or what older versions wrote in its place.
struct Word;

impl de::Visitor<'_> for Word {
    type Value = Verified;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"yes\", \"no\" or \"not_checked\"")
    }

    fn visit_str<E: de::Error>(self, word: &str) -> Result<Verified, E> {
        match word {
            "yes" => Ok(Verified::Yes),
            "no" => Ok(Verified::No),
            "not_checked" => Ok(Verified::NotChecked),
            _ => Err(E::invalid_value(de::Unexpected::Str(word), &self)),
        }
    }

    fn visit_bool<E: de::Error>(self, is_right: bool) -> Result<Verified, E> {
        Ok(Verified::compared(is_right))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Verified, E> {
        Ok(Verified::NotChecked)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back_and_so_does_what_older_versions_wrote() {
        for verified in [Verified::Yes, Verified::No, Verified::NotChecked] {
            let text = serde_json::to_string(&verified).unwrap();
            assert_eq!(serde_json::from_str::<Verified>(&text).unwrap(), verified);
        }
        let old = [
            ("true", Verified::Yes),
            ("false", Verified::No),
            ("null", Verified::NotChecked),
        ];
        for (text, verified) in old {
            assert_eq!(serde_json::from_str::<Verified>(text).unwrap(), verified);
        }
        for text in ["\"maybe\"", "1", "[]"] {
            let error = serde_json::from_str::<Verified>(text).unwrap_err();
            assert!(error.to_string().contains("not_checked"), "{error}");
        }
    }
}
