// SPDX-License-Identifier: Apache-2.0
//! Words that users write for closed sets of values; they are the words of the JSON formats.

use crate::Error;
use noccl_net::{Coord, NetError, Network, TileRef, TileSet};
use noccl_run::{MAX_THREADS, Mode};
use noccl_spec::nearest;
use noccl_workload::{CollectiveClass, CollectiveKind, ElementType, Operator, Pattern};
use serde::de::DeserializeOwned;

/// Reads `multicast`, `reduce`, `all_reduce`, `all_gather`, `reduce_scatter`, `all_to_all`, `scatter`, `gather`, `scan`, `barrier` or
/// `custom`; also the names that other libraries have for them, such as `broadcast`, `allreduce`, `reduce-scatter`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words and the nearest one.
///
/// ```
/// assert_eq!(noccl_studies::parse_collective("AllReduce")?, noccl_workload::CollectiveKind::AllReduce);
/// assert_eq!(noccl_studies::parse_collective("broadcast")?, noccl_workload::CollectiveKind::Multicast);
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn parse_collective(text: &str) -> Result<CollectiveKind, Error> {
    let kinds = CollectiveKind::ALL
        .into_iter()
        .chain([CollectiveKind::Custom]);
    let classes: Vec<_> = kinds.map(CollectiveKind::class).collect();
    let accepted: Vec<&str> = classes.iter().map(|class| class.name).collect();
    let of = |class: &'static CollectiveClass| {
        class.other_names.iter().map(|other| (*other, class.name))
    };
    let others: Vec<(&str, &str)> = classes.iter().copied().flat_map(of).collect();
    parse("collective", text, &accepted.join(", "), &others)
}

/// Other names, lower case, words joined by `_`, and ours.
type Synonyms = [(&'static str, &'static str)];

const ELEMENTS: [(&str, &str); 8] = [
    ("f64", "fp64"),
    ("float64", "fp64"),
    ("double", "fp64"),
    ("f32", "fp32"),
    ("float32", "fp32"),
    ("float", "fp32"),
    ("f16", "fp16"),
    ("bfloat16", "bf16"),
];

const OPERATORS: [(&str, &str); 5] = [
    ("add", "sum"),
    ("plus", "sum"),
    ("+", "sum"),
    ("minimum", "min"),
    ("maximum", "max"),
];

const PATTERNS: [(&str, &str); 4] = [
    ("random", "uniform"),
    ("neighbor", "neighbour"),
    ("uniform_random", "uniform"),
    ("bitcomp", "bit_complement"),
];

/// Reads `sum`, `min`, `max`, `and` or `or`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_operator(text: &str) -> Result<Operator, Error> {
    parse("--operator", text, "sum, min, max, and, or", &OPERATORS)
}

/// Reads an element type such as `fp64` or `int8`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_element(text: &str) -> Result<ElementType, Error> {
    let accepted = "fp64, fp32, fp16, bf16, fp8_e4m3, fp8_e5m2, int8, int16, int32, int64";
    parse("--element", text, accepted, &ELEMENTS)
}

/// Reads a traffic pattern such as `uniform`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_pattern(text: &str) -> Result<Pattern, Error> {
    let accepted = Pattern::ALL.map(Pattern::name).join(", ");
    parse("pattern", text, &accepted, &PATTERNS)
}

/// Reads `value` or `timing`.
///
/// # Errors
/// [`Error::Argument`] with the accepted words.
pub fn parse_mode(text: &str) -> Result<Mode, Error> {
    match text {
        "value" => Ok(Mode::Value),
        "timing" => Ok(Mode::Timing),
        _ => Err(Error::argument("--mode", text, "accepted: value, timing")),
    }
}

/// Reads the threads of one run.
///
/// # Errors
/// [`Error::Argument`] with the accepted numbers.
pub fn parse_threads(text: &str) -> Result<usize, Error> {
    let threads = text.parse().ok();
    let threads = threads.filter(|threads| (1..=MAX_THREADS).contains(threads));
    threads.ok_or_else(|| {
        let accepted = format!("accepted: 1 to {MAX_THREADS}");
        Error::argument("--threads", text, accepted)
    })
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

/// A unit variant by the name that serde gives it, or by another one.
fn parse<T: DeserializeOwned>(
    argument: &str,
    text: &str,
    accepted: &str,
    synonyms: &Synonyms,
) -> Result<T, Error> {
    let word = text.to_lowercase().replace(['-', ' '], "_");
    let known = synonyms.iter().find(|(other, _)| *other == word);
    let word = known.map_or(word.clone(), |(_, ours)| (*ours).to_owned());
    serde_json::from_value(serde_json::Value::String(word.clone())).map_err(|_| {
        let hint = nearest(&word, accepted.split(", "));
        Error::argument(argument, text, format!("accepted: {accepted}{hint}"))
    })
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

// Groups and roots as users write them.

/// Reads a group: `all`, `row`, `row:Y`, `column:X`, `X,Y,W,H`, or any other form of a tile set.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or the group reaches outside the mesh.
pub fn parse_group(network: &Network, text: &str) -> Result<TileSet, Error> {
    parse_set(network, "--group", text)
}

/// As [`parse_group`], for another argument that takes a set.
///
/// # Errors
/// As [`parse_group`].
pub fn parse_set(network: &Network, argument: &str, text: &str) -> Result<TileSet, Error> {
    let set = network.parse_tile_set(text);
    set.map_err(|e| as_argument(argument, text, e))
}

/// Reads a root: `X,Y` or `mem:N`.
///
/// # Errors
/// [`Error::Argument`] if the form is unknown or there is no such tile.
pub fn parse_root(network: &Network, text: &str) -> Result<TileRef, Error> {
    parse_tile(network, "--root", text)
}

/// As [`parse_root`], for another argument that takes a tile.
///
/// # Errors
/// As [`parse_root`].
pub fn parse_tile(network: &Network, argument: &str, text: &str) -> Result<TileRef, Error> {
    let tile = network.parse_tile_ref(text);
    tile.map_err(|e| as_argument(argument, text, e))
}

/// Members of a group in cluster coordinates, x outer, y inner, ascending.
///
/// # Errors
/// [`Error::Net`] if the set is empty or reaches outside the mesh.
pub fn members(network: &Network, set: &TileSet) -> Result<Vec<Coord>, Error> {
    Ok(network.members(set)?)
}

/// The paper's choice: a multicast comes from memory tile 0, everything else ends at the group's south-west cluster.
///
/// # Errors
/// [`Error::Net`] if the group is empty or reaches outside the mesh.
pub fn default_root(
    network: &Network,
    kind: CollectiveKind,
    group: &TileSet,
) -> Result<TileRef, Error> {
    let members = network.members(group)?;
    let corner = members.first().copied().unwrap_or(Coord::new(0, 0));
    let is_from_memory = kind == CollectiveKind::Multicast && network.memories().next().is_some();
    Ok(match is_from_memory {
        true => TileRef::Memory(0),
        false => TileRef::Cluster(corner),
    })
}

/// A group as tables show it: `all`, or the form that [`parse_group`] reads.
#[must_use]
pub fn group_name(network: &Network, set: &TileSet) -> String {
    match set {
        TileSet::Rectangle {
            x: 0,
            y: 0,
            width,
            height,
        } if *width == network.cluster_width() && *height == network.cluster_height() => {
            "all".to_owned()
        }
        TileSet::Tile(_)
        | TileSet::Row(_)
        | TileSet::Column(_)
        | TileSet::Rectangle { .. }
        | TileSet::Cube(_)
        | TileSet::Arbitrary(_) => set.to_string(),
    }
}

/// A root as users write it: `0,0` or `mem:0`.
#[must_use]
pub fn root_name(root: TileRef) -> String {
    match root {
        TileRef::Cluster(at) => format!("{},{}", at.x, at.y),
        TileRef::Memory(n) => format!("mem:{n}"),
    }
}

/// The same complaint with the name of the option that holds the text.
fn as_argument(argument: &str, text: &str, error: NetError) -> Error {
    match &error {
        NetError::Set { reason, .. } => Error::argument(argument, text, reason.as_str()),
        NetError::Field { .. } | NetError::Coverage { .. } | NetError::AddressOverlap { .. } => {
            Error::Net(error)
        }
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
        assert!(!list.contains("mean"), "{list}");
        for word in list.split(", ") {
            assert!(read(word).is_ok(), "{word}");
        }
    }

    #[test]
    fn other_names_mean_one_of_ours_and_near_misses_name_it() {
        for kind in CollectiveKind::ALL {
            for other in kind.class().other_names {
                assert_eq!(parse_collective(other), Ok(kind));
            }
        }
        assert_eq!(parse_collective("Broadcast"), Ok(CollectiveKind::Multicast));
        for (other, ours) in ELEMENTS {
            assert_eq!(super::word(&parse_element(other).unwrap()), ours);
        }
        for (other, ours) in OPERATORS {
            assert_eq!(super::word(&parse_operator(other).unwrap()), ours);
        }
        for (other, ours) in PATTERNS {
            assert_eq!(super::word(&parse_pattern(other).unwrap()), ours);
        }
        for text in ["All-Reduce", "all reduce", "ALLREDUCE"] {
            assert_eq!(super::word(&parse_collective(text).unwrap()), "all_reduce");
        }
        let message = parse_collective("all_reduse").err().unwrap().to_string();
        assert!(message.contains("did you mean `all_reduce`?"), "{message}");
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
