// SPDX-License-Identifier: Apache-2.0
//! Words that users write for closed sets of values; they are the words of the JSON formats.

use crate::Error;
use noccl_workload::{CollectiveKind, ElementType, Operator, Pattern};
use serde::de::DeserializeOwned;

/// Reads `multicast`, `reduce`, `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all` or `barrier`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_collective(text: &str) -> Result<CollectiveKind, Error> {
    let accepted = "multicast, reduce, all_reduce, all_gather, reduce_scatter, all_to_all, barrier";
    parse("collective", text, accepted)
}

/// Reads `sum`, `min`, `max`, `and` or `or`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_operator(text: &str) -> Result<Operator, Error> {
    parse("--operator", text, "sum, min, max, and, or")
}

/// Reads an element type such as `fp64` or `int8`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_element(text: &str) -> Result<ElementType, Error> {
    let accepted = "fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8, int16, int32, int64";
    parse("--element", text, accepted)
}

/// Reads a traffic pattern such as `uniform`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_pattern(text: &str) -> Result<Pattern, Error> {
    let accepted = "uniform, transpose, bit_complement, neighbour, hotspot, row_multicast";
    parse("pattern", text, accepted)
}

/// Splits `key=value` of an override.
///
/// # Errors
/// [`Error::Argument`] if there is no equals sign.
pub fn parse_override(text: &str) -> Result<(String, String), Error> {
    text.split_once('=')
        .map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned()))
        .filter(|(key, _)| !key.is_empty())
        .ok_or_else(|| {
            let accepted = "accepted: KEY=VALUE with a dotted path, e.g. -P ni.max_burst_beats=32";
            Error::argument("-P", text, accepted)
        })
}

/// A unit variant by the name that serde gives it.
fn parse<T: DeserializeOwned>(argument: &str, text: &str, accepted: &str) -> Result<T, Error> {
    serde_json::from_value(serde_json::Value::String(text.to_owned()))
        .map_err(|_| Error::argument(argument, text, format!("accepted: {accepted}")))
}

/// The word of a unit variant, as the JSON formats write it.
#[must_use]
pub fn word<T: serde::Serialize>(value: &T) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(other) => other.to_string(),
        Err(error) => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_word_is_accepted_and_others_name_the_list() {
        check_list(parse_element);
        check_list(parse_pattern);
        for word in ["multicast", "reduce", "all_reduce", "barrier"] {
            assert_eq!(super::word(&parse_collective(word).unwrap()), word);
        }
        for word in ["sum", "min", "max", "and", "or"] {
            assert_eq!(super::word(&parse_operator(word).unwrap()), word);
        }
    }

    fn check_list<T>(read: fn(&str) -> Result<T, Error>) {
        let text = read("x").err().unwrap().to_string();
        let list = text.split("accepted: ").nth(1).unwrap();
        for word in list.split(", ") {
            assert!(read(word).is_ok(), "{word}");
        }
    }

    #[test]
    fn overrides_need_a_key_and_an_equals_sign() {
        assert_eq!(
            parse_override("a.b = 3"),
            Ok(("a.b".to_owned(), "3".to_owned()))
        );
        assert!(parse_override("a.b").is_err());
        assert!(parse_override("=3").is_err());
    }
}
