// SPDX-License-Identifier: Apache-2.0
//! Changes to bytes and to the structure of a text, seeded.

use noccl_testkit::Random;
use serde_json::Value;

const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "63",
    "64",
    "65",
    "255",
    "256",
    "65535",
    "65536",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "1e400",
    "0.5",
];
const STRINGS: [&str; 16] = [
    "",
    " ",
    "a",
    "all",
    "row:0",
    "0,0",
    "mem:0",
    "mem:4294967295",
    "65535,65535",
    "1x1",
    "1024x1024",
    "\u{0}",
    "\u{1b}[31m",
    "\u{202e}\u{1f600}",
    "</script><b>",
    "set:",
];
const VALUES: [&str; 9] = [
    "null", "true", "[]", "{}", "\"x\"", "[[[[]]]]", "-0", "1e-300", "NaN",
];

/// A text with one more change.
pub fn change(text: &[u8], random: &mut Random) -> Vec<u8> {
    match random.index(10) {
        0..4 => number(text, random),
        4 => string(text, random),
        5 => line(text, random),
        6 | 7 => tree(text, random).unwrap_or_else(|| byte(text, random)),
        8 => nest(text, random),
        _ => byte(text, random),
    }
}

/// A binary with one more change.
pub fn byte(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut out = text.to_vec();
    if out.is_empty() {
        return vec![random.draw() as u8];
    }
    let at = random.index(out.len());
    let length = 1 + random.index(16).min(out.len() - at - 1);
    match random.index(8) {
        0 => out[at] ^= 1 << random.index(8),
        1 => out[at] = *random.pick(&[0, 1, 0x7f, 0x80, 0xff]),
        2 => out.truncate(at),
        3 => drop(out.drain(at..at + length)),
        4 => out.insert(at, random.draw() as u8),
        5 => {
            let copy = out[at..at + length].to_vec();
            let to = random.index(out.len());
            out.splice(to..to, copy);
        }
        6 => out[at..at + length].fill(0xff),
        _ => out[at] = out[at].wrapping_add(1),
    }
    out
}

/// A command line's words with one more change. What follows `-o` stays: it says where is written.
pub fn words(words: &[String], random: &mut Random) -> Vec<String> {
    let mut out = words.to_vec();
    let at = random.index(out.len());
    if at > 0 && (out[at - 1] == "-o" || out[at] == "-o") {
        return out;
    }
    match random.index(8) {
        0 => drop(out.remove(at)),
        1 => out.insert(at, out[at].clone()),
        2 => out.swap(at, random.index(words.len())),
        3 => out[at] = (*random.pick(&STRINGS)).replace('\0', "\u{fffd}"),
        4 => out[at] += *random.pick(&[",", ":", ",0", "KiB", "GiB", "=", ";", "\u{e9}", "x"]),
        _ => {
            let changed = number(out[at].as_bytes(), random);
            out[at] = String::from_utf8_lossy(&changed).replace('\0', "");
        }
    }
    out
}

/// Another number, or one beside it.
fn number(text: &[u8], random: &mut Random) -> Vec<u8> {
    let is_part = |b: &u8| b.is_ascii_digit() || *b == b'_';
    let is_start = |i: &usize| {
        text[*i].is_ascii_digit()
            && (*i == 0 || !(text[*i - 1].is_ascii_alphanumeric() || text[*i - 1] == b'_'))
    };
    let starts: Vec<usize> = (0..text.len()).filter(is_start).collect();
    if starts.is_empty() {
        return byte(text, random);
    }
    let at = *random.pick(&starts);
    let length = text[at..].iter().take_while(|b| is_part(b)).count();
    let old = String::from_utf8_lossy(&text[at..at + length]).replace('_', "");
    let new = match (random.index(5), old.parse::<u64>()) {
        (0, Ok(old)) => old.wrapping_add(1).to_string(),
        (1, Ok(old)) => old.wrapping_sub(1).to_string(),
        (2, Ok(old)) => old.wrapping_mul(2).to_string(),
        (_, _) => (*random.pick(&NUMBERS)).to_owned(),
    };
    [&text[..at], new.as_bytes(), &text[at + length..]].concat()
}

/// Another string in place of a quoted one: hostile, very long, or another one of the text.
fn string(text: &[u8], random: &mut Random) -> Vec<u8> {
    let quotes: Vec<usize> = (0..text.len()).filter(|i| text[*i] == b'"').collect();
    if quotes.len() < 2 {
        return byte(text, random);
    }
    let first = random.index(quotes.len() - 1);
    let inside = quotes[first] + 1..quotes[first + 1];
    let new = match random.index(8) {
        0 => "a".repeat(100_000).into_bytes(),
        1..4 => {
            let other = random.index(quotes.len() - 1);
            text[quotes[other] + 1..quotes[other + 1]].to_vec()
        }
        _ => random
            .pick(&STRINGS)
            .escape_default()
            .to_string()
            .into_bytes(),
    };
    [&text[..inside.start], &new, &text[inside.end..]].concat()
}

/// A line or, without lines, a part between commas: dropped, twice, or at another place.
fn line(text: &[u8], random: &mut Random) -> Vec<u8> {
    let lines = text.iter().filter(|b| **b == b'\n').count();
    let separator = if lines > 2 { b'\n' } else { b',' };
    let mut parts: Vec<&[u8]> = text.split(|b| *b == separator).collect();
    let at = random.index(parts.len());
    match random.index(3) {
        0 => drop(parts.remove(at)),
        1 => parts.insert(at, parts[at]),
        _ => {
            let other = random.index(parts.len());
            parts.swap(at, other);
        }
    }
    parts.join(&separator)
}

/// Deep nesting somewhere.
fn nest(text: &[u8], random: &mut Random) -> Vec<u8> {
    let at = random.index(text.len() + 1);
    let depth = *random.pick(&[3, 100, 127, 128, 129, 10_000]);
    let (open, close) = *random.pick(&[("[", "]"), ("{\"a\":", "}"), ("(", ")")]);
    let inside = if random.index(2) == 0 { "1" } else { "" };
    let nested = [open.repeat(depth).as_str(), inside, &close.repeat(depth)].concat();
    [&text[..at], nested.as_bytes(), &text[at..]].concat()
}

/// JSON with another value: of another type, a copy of a value elsewhere, gone, or under another key.
fn tree(text: &[u8], random: &mut Random) -> Option<Vec<u8>> {
    let mut root: Value = serde_json::from_slice(text).ok()?;
    let values = count(&root);
    let other = find(&mut root, &mut random.index(values))?.clone();
    let value = find(&mut root, &mut random.index(values))?;
    match (random.index(5), &mut *value) {
        (0, Value::Array(all)) if !all.is_empty() => drop(all.remove(random.index(all.len()))),
        (0, Value::Object(all)) if !all.is_empty() => {
            let key = all.keys().nth(random.index(all.len()))?.clone();
            all.remove(&key);
        }
        (1, Value::Array(all)) if !all.is_empty() => {
            let copy = all[random.index(all.len())].clone();
            let copies = *random.pick(&[1, 2, 300]);
            all.extend(vec![copy; copies]);
        }
        (1, Value::Object(all)) if !all.is_empty() => {
            let key = all.keys().nth(random.index(all.len()))?.clone();
            let value = all.remove(&key)?;
            all.insert(key + "_", value);
        }
        (2, value) => {
            *value = serde_json::from_str(random.pick::<&str>(&VALUES)).unwrap_or(Value::Null)
        }
        (_, value) => *value = other,
    }
    serde_json::to_vec(&root).ok()
}

fn count(value: &Value) -> usize {
    let below = match value {
        Value::Array(all) => all.iter().map(count).sum(),
        Value::Object(all) => all.values().map(count).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    };
    1 + below
}

/// The value with this number, in the order of the text.
fn find<'v>(value: &'v mut Value, left: &mut usize) -> Option<&'v mut Value> {
    if *left == 0 {
        return Some(value);
    }
    *left -= 1;
    match value {
        Value::Array(all) => all.iter_mut().find_map(|n| find(n, left)),
        Value::Object(all) => all.values_mut().find_map(|n| find(n, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}
