// SPDX-License-Identifier: Apache-2.0
//! One collective by every mechanism here, on one topology and workload: one table.
//!
//! A payload goes from one cluster to its first N neighbours along a snake, or comes from them, or all of them meet. Every algorithm runs
//! cycle by cycle on the network that it needs (Torrent endpoints, the routers of ESP, S1 and S2, S4's core tiles), all with as many tiles; every
//! byte is checked. What each one's cycles begin and end with: `docs/baselines.md`.

mod algorithm;
mod figures;

pub use algorithm::BaselineAlgorithm;
pub use figures::baseline_figures;

use crate::compare::{compare, is_refusal};
use crate::{CompareRequest, CompareRow, Error, load, load_spec};
use noccl_coll::chain::order::{ChainOrder, chain_order};
use noccl_model::baselines::efficiency;
use noccl_net::{Coord, Network, TileId, TileRef, TileSet, cover, elaborate};
use noccl_run::{Tally, Watch};
use noccl_spec::EnergyTable;
use noccl_workload::{CollectiveKind, ElementType};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a beat, the same on all networks.
const BEAT_BYTES: u64 = 64;

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselinesRequest {
    /// Multicast, reduce or barrier.
    pub collective: CollectiveKind,
    /// Rows and columns of clusters, each at most 64.
    pub size: (u16, u16),
    /// Cluster that holds the payload, gets the sum, or is the counter.
    pub source: Coord,
    /// Numbers of destinations along a snake; of contributors, of members. Empty: of reductions and barriers the blocks of [`baselines`].
    pub destinations: Vec<u32>,
    /// One set of them instead, as [`crate::parse_group`] reads it; the source in it keeps a copy, or contributes.
    pub set: Option<String>,
    /// Payloads; a barrier has none.
    pub bytes: Vec<u64>,
    /// Seed of the random payloads.
    pub seed: u64,
}

impl BaselinesRequest {
    /// Multicasts on S3's mesh of 4 rows and 5 columns, from a corner.
    #[must_use]
    pub fn new() -> Self {
        Self {
            collective: CollectiveKind::Multicast,
            size: (4, 5),
            source: Coord::new(0, 0),
            destinations: vec![2, 4, 8, 16],
            set: None,
            bytes: vec![64, 1 << 10, 64 << 10],
            seed: 1,
        }
    }
}

impl Default for BaselinesRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// One algorithm, number of destinations and payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaselineRow {
    /// Algorithm.
    #[serde(alias = "rival")]
    pub algorithm: BaselineAlgorithm,
    /// Destinations, contributors or members, the source not among them.
    pub num_destinations: u32,
    /// S3 eq. (1): destinations times beats by cycles. At most 1 for repeated copies. The same of contributors; 0 of barriers.
    pub efficiency: f64,
    /// Flits over links in all, every plane.
    pub link_flits: u64,
    /// What was measured, as `noccl compare` reports it.
    pub row: CompareRow,
}

/// Rows, and who could not make one.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselines {
    /// By payload, then number of destinations, then algorithm.
    pub rows: Vec<BaselineRow>,
    /// Algorithms that do not reduce or meet over a set, with its number of destinations: it is not one multi-address.
    pub skipped: Vec<(BaselineAlgorithm, u32)>,
}

/// Runs every algorithm. A reduction or barrier without sets has blocks of 2, 4, 8 … clusters about the source.
///
/// # Errors
/// [`Error::Argument`] for a mesh, source or number that does not exist; otherwise as [`crate::compare()`].
///
/// ```
/// let mut request = noccl_studies::BaselinesRequest::new();
/// (request.destinations, request.bytes) = (vec![3], vec![1024]);
/// let rows = noccl_studies::baselines(&request, noccl_studies::Watch::quiet())?.rows;
/// assert!(rows.len() == 12 && rows.iter().all(|row| row.row.verified.is_yes()));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn baselines(request: &BaselinesRequest, watch: Watch<'_>) -> Result<Baselines, Error> {
    check(request)?;
    let energy = energy(request.size)?;
    let meshes: Vec<(BaselineAlgorithm, Network)> = BaselineAlgorithm::of(request.collective)
        .iter()
        .map(|algorithm| Ok((*algorithm, network_of(*algorithm, request.size, &energy)?)))
        .collect::<Result<_, Error>>()?;
    let sets = sets(request, &meshes[0].1)?;
    let sizes = match request.collective.has_payload() {
        true => &request.bytes[..],
        false => &[0][..],
    };
    let total = sizes.len() * sets.len() * meshes.len();
    let tally = Tally::new(watch, total as u64);
    let mut out = Baselines {
        rows: Vec::new(),
        skipped: Vec::new(),
    };
    for bytes in sizes {
        for set in &sets {
            for (algorithm, network) in &meshes {
                match measure(request, (*algorithm, network), set, *bytes) {
                    Ok(row) => out.rows.push(row),
                    Err(error) if lacks_multi_address(request, network, set, &error)? => {
                        let num = num_destinations(request, network, set)?;
                        out.skipped.push((*algorithm, num));
                    }
                    Err(error) => return Err(error),
                }
                tally.finish_unit()?;
            }
        }
    }
    out.skipped.sort_unstable();
    out.skipped.dedup();
    Ok(out)
}

/// Is it a refusal of a set that is several multi-addresses, by routers that reduce or meet over one?
fn lacks_multi_address(
    request: &BaselinesRequest,
    network: &Network,
    set: &TileSet,
    error: &Error,
) -> Result<bool, Error> {
    let is_refusal = is_refusal(network, error) || matches!(error, Error::Coll(_));
    Ok(request.collective != CollectiveKind::Multicast
        && is_refusal
        && cover(network, set)?.len() > 1)
}

/// Members of a set without the source.
fn num_destinations(
    request: &BaselinesRequest,
    network: &Network,
    set: &TileSet,
) -> Result<u32, Error> {
    let members = network.members(set)?;
    Ok(members.len() as u32 - u32::from(members.contains(&request.source)))
}

/// S1's energies.
fn energy(size: (u16, u16)) -> Result<EnergyTable, Error> {
    let spec = load_spec(&BaselineAlgorithm::InNetwork.preset(size), &[])?;
    let table = spec.axi().map(|axi| axi.energy.clone());
    table.ok_or_else(|| {
        let accepted = "accepted: a network of clusters, which has a table of energies";
        Error::argument("energy", &spec.name, accepted)
    })
}

/// The network of an algorithm. All networks of clusters have the same energies; as overrides they would fill the rows, which name
/// what differs between networks.
fn network_of(
    algorithm: BaselineAlgorithm,
    size: (u16, u16),
    energy: &EnergyTable,
) -> Result<Network, Error> {
    let mut spec = load_spec(&algorithm.preset(size), &algorithm.overrides())?;
    if let Some(axi) = spec.axi_mut() {
        axi.energy = energy.clone();
    }
    Ok(elaborate(&spec)?)
}

fn measure(
    request: &BaselinesRequest,
    (algorithm, network): (BaselineAlgorithm, &Network),
    set: &TileSet,
    bytes: u64,
) -> Result<BaselineRow, Error> {
    let mut members = network.members(set)?;
    let has_source = members.contains(&request.source);
    let num = num_destinations(request, network, set)?;
    let mut set = set.clone();
    if algorithm == BaselineAlgorithm::Cores && !has_source {
        // A core that sends takes part.
        members.push(request.source);
        set = TileSet::Arbitrary(members);
    }
    let mut asked = CompareRequest::new(request.collective, set, vec![bytes]);
    // A sum that has one result in any order: S2's routers add operands as they come.
    asked.element = ElementType::Int64;
    asked.root = Some(TileRef::Cluster(request.source));
    asked.algorithms = vec![algorithm.request()];
    asked.seed = request.seed;
    asked.has_links = true;
    let mut rows = compare(network, &asked, Watch::quiet())?.rows;
    let Some(mut row) = rows.pop() else {
        return Err(Error::argument("baselines", algorithm.name(), "has no row"));
    };
    let beats = bytes.div_ceil(BEAT_BYTES);
    Ok(BaselineRow {
        algorithm,
        num_destinations: num,
        efficiency: efficiency(num, beats, row.cycles),
        link_flits: std::mem::take(&mut row.links).iter().map(|l| l.flits).sum(),
        row,
    })
}

/// The sets of destinations.
fn sets(request: &BaselinesRequest, network: &Network) -> Result<Vec<TileSet>, Error> {
    if let Some(text) = &request.set {
        return Ok(vec![crate::parse_set(network, "--set", text)?]);
    }
    if request.destinations.is_empty() {
        return Ok(blocks(request.size, request.source));
    }
    let snake = snake(network, request.source)?;
    let counts = request.destinations.iter();
    Ok(counts
        .map(|num| TileSet::Arbitrary(snake[..*num as usize].to_vec()))
        .collect())
}

/// Blocks of 2, 4, 8 … clusters that hold the source, each one multi-address: sides are powers of two, and begin at multiples of themselves.
fn blocks((rows, columns): (u16, u16), source: Coord) -> Vec<TileSet> {
    let start = |at: u16, side: u16| at & !(side - 1);
    let fits = |at: u16, side: u16, most: u16| start(at, side) + side <= most;
    let (mut width, mut height) = (1, 1);
    let mut out = Vec::new();
    loop {
        let has_columns = fits(source.x, 2 * width, columns);
        let has_rows = fits(source.y, 2 * height, rows);
        if has_columns && (width <= height || !has_rows) {
            width *= 2;
        } else if has_rows {
            height *= 2;
        } else {
            return out;
        }
        out.push(TileSet::Rectangle {
            x: start(source.x, width),
            y: start(source.y, height),
            width,
            height,
        });
    }
}

/// Clusters in the order in which destinations are added: always the nearest one that is left.
fn snake(network: &Network, source: Coord) -> Result<Vec<Coord>, Error> {
    let source = network.tile_at(network.mesh_coord(source));
    let others: Vec<TileId> = network.clusters().filter(|t| *t != source).collect();
    let order = chain_order(network, source, &others, ChainOrder::Nearest)?;
    let places = order.into_iter().map(|tile| network.coord(tile));
    Ok(places.filter_map(|at| network.cluster_coord(at)).collect())
}

fn check(request: &BaselinesRequest) -> Result<(), Error> {
    if BaselineAlgorithm::of(request.collective).is_empty() {
        let accepted = "accepted: multicast, reduce or barrier";
        return Err(Error::argument(
            "--collective",
            crate::word(&request.collective),
            accepted,
        ));
    }
    let (rows, columns) = request.size;
    let sides = 1..=64;
    if !sides.contains(&rows) || !sides.contains(&columns) {
        let accepted = "accepted: rows and columns from 1 to 64, e.g. 4x5";
        return Err(Error::argument(
            "--size",
            format!("{rows}x{columns}"),
            accepted,
        ));
    }
    let source = request.source;
    if source.x >= columns || source.y >= rows {
        let accepted = format!("accepted: x below {columns}, y below {rows}");
        return Err(Error::argument("--source", source, accepted));
    }
    let most = u32::from(rows) * u32::from(columns) - 1;
    let most = match request.collective == CollectiveKind::Multicast {
        true => {
            let esp = BaselineAlgorithm::EspHardwareOnly.preset(request.size);
            most.min(load(&esp, &[])?.network.max_listed().unwrap_or(most))
        }
        false => most,
    };
    let is_multicast = request.collective == CollectiveKind::Multicast;
    let has_sets = request.set.is_some()
        || !request.destinations.is_empty()
        || (!is_multicast && rows.max(columns) > 1);
    if !has_sets || request.bytes.is_empty() {
        let accepted = "accepted: at least one number of destinations and one size";
        return Err(Error::argument(
            "--destinations, --bytes",
            "nothing",
            accepted,
        ));
    }
    let torn = |bytes: &&u64| **bytes == 0 || !bytes.is_multiple_of(BEAT_BYTES);
    if let Some(bytes) = request.bytes.iter().find(torn) {
        let accepted = format!("accepted: a multiple of {BEAT_BYTES}, the bytes of a chain's beat");
        return Err(Error::argument("--bytes", bytes, accepted));
    }
    let mut wrong = request.destinations.iter();
    match wrong.find(|n| request.set.is_none() && !(1..=most).contains(*n)) {
        Some(num) => Err(Error::argument(
            "--destinations",
            num,
            format!(
                "accepted: 1 to {most}, the other clusters of the mesh, and in a multicast what ESP's header holds"
            ),
        )),
        None => Ok(()),
    }
}

/// Reads two numbers with a sign between them: `4x5`, `0,0`.
///
/// # Errors
/// [`Error::Argument`] with the accepted form.
pub fn parse_pair(name: &'static str, text: &str, sign: char) -> Result<(u16, u16), Error> {
    let number = |part: &str| part.trim().parse::<u16>().ok();
    let pair = text.split_once(sign);
    pair.and_then(|(a, b)| number(a).zip(number(b)))
        .ok_or_else(|| {
            let accepted = format!("accepted: two whole numbers with {sign} between them");
            Error::argument(name, text, accepted)
        })
}
