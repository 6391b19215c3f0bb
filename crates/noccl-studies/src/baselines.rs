// SPDX-License-Identifier: Apache-2.0
//! S3's chain and the baselines it is compared with on one topology, width and workload: one table.
//!
//! A payload goes from one cluster to its first N neighbours along a snake. Every algorithm runs cycle by cycle on the
//! network that it needs (Torrent endpoints, ESP's routers, S1's routers), all with the same clusters and 64-byte beats; every byte is
//! checked. What each one's cycles begin and end with: `docs/baselines.md`.

use crate::compare::compare;
use crate::figure::{Figure, Line, line_chart};
use crate::{AlgorithmRequest, CompareRequest, CompareRow, Error, format_bytes, load};
use noccl_coll::chain::order::{ChainOrder, chain_order};
use noccl_coll::{Algorithm, Choice};
use noccl_model::baselines::efficiency;
use noccl_net::{Coord, Network, TileId, TileRef, TileSet};
use noccl_run::{Tally, Watch};
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a beat, the same on all networks.
const BEAT_BYTES: u64 = 64;

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselinesRequest {
    /// Rows and columns of clusters, each at most 64.
    pub size: (u16, u16),
    /// Cluster that holds the payload.
    pub source: Coord,
    /// Numbers of destinations along a snake.
    pub destinations: Vec<u32>,
    /// One set of destinations instead, as [`crate::parse_group`] reads it; the source in it keeps a copy.
    pub set: Option<String>,
    /// Payloads.
    pub bytes: Vec<u64>,
    /// Seed of the random payloads.
    pub seed: u64,
}

impl BaselinesRequest {
    /// S3's mesh of 4 rows and 5 columns, from a corner.
    #[must_use]
    pub fn new() -> Self {
        Self {
            size: (4, 5),
            source: Coord::new(0, 0),
            destinations: vec![2, 4, 8, 16],
            set: None,
            bytes: vec![1 << 10, 64 << 10],
            seed: 1,
        }
    }
}

impl Default for BaselinesRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// An algorithm of the table, with the network that it needs.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum BaselineAlgorithm {
    /// One DMA engine, a copy per destination (iDMA).
    Unicast,
    /// A binary tree of DMA transfers with barriers.
    Tree,
    /// Two binary trees, half of the payload each.
    DoubleTree,
    /// A chain of Torrent endpoints.
    Chainwrite,
    /// The same with overlapped control.
    ChainwriteParallel,
    /// ESP's routers, all consumers started at once.
    EspHardwareOnly,
    /// ESP's routers, consumers started one by one by a CPU, 100 cycles each: fitted to what S3 says of ESP.
    EspCalibrated,
    /// S1's routers: forks by masks.
    InNetwork,
}

impl BaselineAlgorithm {
    /// All of them in the order of the table.
    pub const ALL: [BaselineAlgorithm; 8] = [
        BaselineAlgorithm::Unicast,
        BaselineAlgorithm::Tree,
        BaselineAlgorithm::DoubleTree,
        BaselineAlgorithm::Chainwrite,
        BaselineAlgorithm::ChainwriteParallel,
        BaselineAlgorithm::EspHardwareOnly,
        BaselineAlgorithm::EspCalibrated,
        BaselineAlgorithm::InNetwork,
    ];

    /// Name in tables, plots and rows.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BaselineAlgorithm::Unicast => "unicast",
            BaselineAlgorithm::Tree => "tree",
            BaselineAlgorithm::DoubleTree => "double_tree",
            BaselineAlgorithm::Chainwrite => "chainwrite",
            BaselineAlgorithm::ChainwriteParallel => "chainwrite_parallel",
            BaselineAlgorithm::EspHardwareOnly => "esp_hardware_only",
            BaselineAlgorithm::EspCalibrated => "esp_calibrated",
            BaselineAlgorithm::InNetwork => "in_network",
        }
    }

    const fn preset(self, (rows, columns): (u16, u16)) -> Preset {
        let (prefix, sides, suffix) = match self {
            BaselineAlgorithm::Unicast
            | BaselineAlgorithm::Tree
            | BaselineAlgorithm::DoubleTree
            | BaselineAlgorithm::Chainwrite => ("torrent", (rows, columns), ""),
            BaselineAlgorithm::ChainwriteParallel => ("torrent", (rows, columns), "_parallel"),
            BaselineAlgorithm::EspHardwareOnly => ("esp", (rows, columns), ""),
            BaselineAlgorithm::EspCalibrated => ("esp", (rows, columns), "_calibrated"),
            // S1 writes columns first.
            BaselineAlgorithm::InNetwork => ("collective_noc", (columns, rows), "_large"),
        };
        Preset {
            prefix,
            sides,
            suffix,
        }
    }

    const fn request(self) -> AlgorithmRequest {
        match self {
            BaselineAlgorithm::Unicast => AlgorithmRequest::Search(Algorithm::Unicast),
            BaselineAlgorithm::Tree => AlgorithmRequest::Search(Algorithm::Tree),
            BaselineAlgorithm::DoubleTree => AlgorithmRequest::Search(Algorithm::DoubleTree),
            BaselineAlgorithm::Chainwrite | BaselineAlgorithm::ChainwriteParallel => {
                AlgorithmRequest::Fixed(Choice::chainwrite(ChainOrder::Latency))
            }
            BaselineAlgorithm::EspHardwareOnly | BaselineAlgorithm::EspCalibrated => {
                AlgorithmRequest::Fixed(Choice::new(Algorithm::InNetworkList, 1))
            }
            BaselineAlgorithm::InNetwork => {
                AlgorithmRequest::Fixed(Choice::new(Algorithm::InNetwork, 1))
            }
        }
    }
}

struct Preset {
    prefix: &'static str,
    sides: (u16, u16),
    suffix: &'static str,
}

impl Preset {
    fn name(&self) -> String {
        format!(
            "{}_{}x{}{}",
            self.prefix, self.sides.0, self.sides.1, self.suffix
        )
    }
}

/// One algorithm, number of destinations and payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaselineRow {
    /// Algorithm.
    #[serde(alias = "rival")]
    pub algorithm: BaselineAlgorithm,
    /// Destinations, the source not among them.
    pub num_destinations: u32,
    /// S3 eq. (1): destinations times beats by cycles. At most 1 for repeated copies.
    pub efficiency: f64,
    /// Flits over links in all, every plane.
    pub link_flits: u64,
    /// What was measured, as `noccl compare` reports it.
    pub row: CompareRow,
}

/// Runs every algorithm; rows by payload, then number of destinations, then algorithm.
///
/// # Errors
/// [`Error::Argument`] for a mesh, source or number that does not exist; otherwise as [`crate::compare()`].
///
/// ```
/// let mut request = noccl_studies::BaselinesRequest::new();
/// (request.destinations, request.bytes) = (vec![3], vec![1024]);
/// let rows = noccl_studies::baselines(&request, noccl_studies::Watch::quiet())?;
/// assert!(rows.len() == 8 && rows.iter().all(|row| row.row.verified.is_yes()));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn baselines(request: &BaselinesRequest, watch: Watch<'_>) -> Result<Vec<BaselineRow>, Error> {
    check(request)?;
    let meshes: Vec<(BaselineAlgorithm, Network)> = BaselineAlgorithm::ALL
        .into_iter()
        .map(|algorithm| {
            Ok((
                algorithm,
                load(&algorithm.preset(request.size).name(), &[])?.network,
            ))
        })
        .collect::<Result<_, Error>>()?;
    let sets = sets(request, &meshes[0].1)?;
    let total = request.bytes.len() * sets.len() * meshes.len();
    let tally = Tally::new(watch, total as u64);
    let mut rows = Vec::new();
    for bytes in &request.bytes {
        for set in &sets {
            for (algorithm, network) in &meshes {
                rows.push(measure(request, (*algorithm, network), set, *bytes)?);
                tally.finish_unit()?;
            }
        }
    }
    Ok(rows)
}

fn measure(
    request: &BaselinesRequest,
    (algorithm, network): (BaselineAlgorithm, &Network),
    set: &TileSet,
    bytes: u64,
) -> Result<BaselineRow, Error> {
    let members = network.members(set)?.into_iter();
    let num = members.filter(|at| *at != request.source).count() as u32;
    let mut asked = CompareRequest::new(CollectiveKind::Multicast, set.clone(), vec![bytes]);
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
    let snake = snake(network, request.source)?;
    let counts = request.destinations.iter();
    Ok(counts
        .map(|num| TileSet::Arbitrary(snake[..*num as usize].to_vec()))
        .collect())
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
    let most_listed = load(
        &BaselineAlgorithm::EspHardwareOnly
            .preset(request.size)
            .name(),
        &[],
    )?
    .network
    .max_listed();
    let most = most.min(most_listed.unwrap_or(most));
    let has_sets = request.set.is_some() || !request.destinations.is_empty();
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
                "accepted: 1 to {most}, the other clusters of the mesh and what ESP's header holds"
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

/// A plot per payload: efficiency over the number of destinations; of the software trees the faster one.
#[must_use]
pub fn baseline_figures(rows: &[BaselineRow]) -> Vec<Figure> {
    let mut sizes: Vec<u64> = rows.iter().map(|r| r.row.bytes).collect();
    sizes.dedup();
    let lines = |bytes: u64| -> Vec<Line> {
        let of = |name: &str, algorithms: &[BaselineAlgorithm]| Line {
            name: name.to_owned(),
            points: best_points(rows, bytes, algorithms),
        };
        let mut lines = vec![of(
            "tree, double_tree",
            &[BaselineAlgorithm::Tree, BaselineAlgorithm::DoubleTree],
        )];
        for algorithm in BaselineAlgorithm::ALL {
            if !matches!(
                algorithm,
                BaselineAlgorithm::Tree | BaselineAlgorithm::DoubleTree
            ) {
                lines.push(of(algorithm.name(), &[algorithm]));
            }
        }
        lines
    };
    let figure = |bytes: u64| {
        let size = format_bytes(bytes);
        line_chart(
            &format!("baselines_{}", size.replace(' ', "")),
            &format!("One payload of {size} to many destinations"),
            "destinations",
            "efficiency",
            &lines(bytes),
        )
    };
    sizes.into_iter().map(figure).collect()
}

fn best_points(
    rows: &[BaselineRow],
    bytes: u64,
    algorithms: &[BaselineAlgorithm],
) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let found = rows
        .iter()
        .filter(|r| r.row.bytes == bytes && algorithms.contains(&r.algorithm));
    for row in found {
        let x = f64::from(row.num_destinations);
        match points.iter_mut().find(|p| p.0 == x) {
            Some(point) => point.1 = point.1.max(row.efficiency),
            None => points.push((x, row.efficiency)),
        }
    }
    points
}
