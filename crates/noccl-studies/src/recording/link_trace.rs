// SPDX-License-Identifier: Apache-2.0
//! Numbers per window as a file has them: flits of links, blocked cycles of ports.

use crate::runs::link_flits;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use noccl_net::Network;
use noccl_run::Recording;
use noccl_spec::PlaneName;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A directed link between two routers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TracedLink {
    /// Plane of the link.
    pub plane: PlaneName,
    /// Mesh coordinate of the router that drives it: x, y.
    pub from: [u16; 2],
    /// Mesh coordinate of the router at its other end: x, y.
    pub to: [u16; 2],
    /// Flits in the whole run.
    pub flits: u64,
}

/// Flits per link and window of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinkTrace {
    /// Cycles per window: a power of two.
    pub window_cycles: u64,
    /// Windows; number `w` begins with cycle `w * window_cycles`.
    pub num_windows: u32,
    /// Links that carried a flit.
    pub links: Vec<TracedLink>,
    /// Base64 of LEB128 numbers. Of each window the number of its entries, then for each entry the index into `links` less that of
    /// the entry before (0 for the first), and the flits. A run has millions of entries, of which JSON arrays take six times the space.
    pub windows: String,
}

impl LinkTrace {
    /// The links of a recording.
    pub(crate) fn of(network: &Network, recording: &Recording) -> Self {
        let windows = recording.windows.iter().map(|window| &window.flits[..]);
        let links = link_flits(network, &recording.links).into_iter();
        Self {
            window_cycles: recording.window_cycles,
            num_windows: recording.windows.len() as u32,
            links: links.map(TracedLink::from).collect(),
            windows: encoded(windows),
        }
    }
}

impl From<crate::LinkFlits> for TracedLink {
    fn from(link: crate::LinkFlits) -> Self {
        Self {
            plane: link.plane,
            from: link.from,
            to: link.to,
            flits: link.flits,
        }
    }
}

/// Windows as [`LinkTrace::windows`] has them.
pub(super) fn encoded<'a>(windows: impl Iterator<Item = &'a [(u32, u32)]>) -> String {
    let mut bytes = Vec::new();
    for window in windows {
        leb128(window.len() as u32, &mut bytes);
        let mut before = 0;
        for (index, count) in window {
            leb128(index - before, &mut bytes);
            leb128(*count, &mut bytes);
            before = *index;
        }
    }
    STANDARD.encode(bytes)
}

/// Appends a number, seven bits to a byte, lowest first; the highest bit says that more follow.
fn leb128(mut number: u32, to: &mut Vec<u8>) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// The entries of windows that [`encoded`] has written, whose indices are below `num_rows`.
///
/// # Errors
/// What is wrong, and in which window.
pub(super) fn decoded(
    text: &str,
    num_windows: u32,
    num_rows: usize,
) -> Result<Vec<Vec<(u32, u32)>>, String> {
    let bytes = STANDARD.decode(text).map_err(|error| error.to_string())?;
    let mut rest = bytes.iter();
    let mut windows = Vec::with_capacity(num_windows as usize);
    for w in 0..num_windows {
        let at = |what: String| format!("window {w} of {num_windows}: {what}");
        let mut number = || take_leb128(&mut rest).ok_or_else(|| at("the text ends".to_owned()));
        let (mut index, mut window) = (0_u32, Vec::new());
        for _ in 0..number()? {
            index = index.saturating_add(number()?);
            if index as usize >= num_rows {
                return Err(at(format!("row {index}; accepted: below {num_rows}")));
            }
            window.push((index, number()?));
        }
        windows.push(window);
    }
    match rest.len() {
        0 => Ok(windows),
        more => Err(format!("{more} bytes behind window {num_windows}")),
    }
}

fn take_leb128(bytes: &mut std::slice::Iter<'_, u8>) -> Option<u32> {
    let mut number = 0;
    for shift in (0..u32::BITS).step_by(7) {
        let byte = bytes.next()?;
        number |= u32::from(byte & 0x7f) << shift;
        if *byte < 0x80 {
            return Some(number);
        }
    }
    None
}
