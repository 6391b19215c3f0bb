// SPDX-License-Identifier: Apache-2.0
//! S3's chain and its rivals on one topology, width and workload: one table.
//!
//! A payload goes from one cluster to its first N neighbours along a snake. Every mechanism runs cycle by cycle on the
//! network that it needs (Torrent endpoints, ESP's routers, S1's routers), all with the same clusters and 64-byte beats; every byte is
//! checked. What each one's cycles begin and end with: `docs/baselines.md`.

use crate::compare::compare;
use crate::plots::figure::{Figure, Line, line_chart};
use crate::{AlgorithmRequest, CompareRequest, CompareRow, Error, format_bytes, load};
use noccl_coll::chain::order::{StopOrder, stop_order};
use noccl_coll::{Algorithm, Choice};
use noccl_model::rivals::efficiency;
use noccl_net::{Coord, Network, TileId, TileRef, TileSet};
use noccl_run::{Tally, Watch};
use noccl_workload::CollectiveKind;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Bytes of a beat, the same on all networks.
const BEAT_BYTES: u64 = 64;

/// What is compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RivalsRequest {
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

impl RivalsRequest {
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

impl Default for RivalsRequest {
    fn default() -> Self {
        Self::new()
    }
}

/// A mechanism of the table.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Rival {
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

impl Rival {
    /// All of them in the order of the table.
    pub const ALL: [Rival; 8] = [
        Rival::Unicast,
        Rival::Tree,
        Rival::DoubleTree,
        Rival::Chainwrite,
        Rival::ChainwriteParallel,
        Rival::EspHardwareOnly,
        Rival::EspCalibrated,
        Rival::InNetwork,
    ];

    /// Name in tables.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Rival::Unicast => "unicast (iDMA)",
            Rival::Tree => "software tree",
            Rival::DoubleTree => "software double tree",
            Rival::Chainwrite => "chainwrite (Torrent)",
            Rival::ChainwriteParallel => "chainwrite, parallel control",
            Rival::EspHardwareOnly => "ESP, hardware only",
            Rival::EspCalibrated => "ESP, calibrated",
            Rival::InNetwork => "in network (S1)",
        }
    }

    const fn preset(self, (rows, columns): (u16, u16)) -> Preset {
        let (prefix, sides, suffix) = match self {
            Rival::Unicast | Rival::Tree | Rival::DoubleTree | Rival::Chainwrite => {
                ("torrent", (rows, columns), "")
            }
            Rival::ChainwriteParallel => ("torrent", (rows, columns), "_parallel"),
            Rival::EspHardwareOnly => ("esp", (rows, columns), ""),
            Rival::EspCalibrated => ("esp", (rows, columns), "_calibrated"),
            // S1 writes columns first.
            Rival::InNetwork => ("collective_noc", (columns, rows), "_large"),
        };
        Preset {
            prefix,
            sides,
            suffix,
        }
    }

    const fn algorithm(self) -> AlgorithmRequest {
        match self {
            Rival::Unicast => AlgorithmRequest::Search(Algorithm::Unicast),
            Rival::Tree => AlgorithmRequest::Search(Algorithm::Tree),
            Rival::DoubleTree => AlgorithmRequest::Search(Algorithm::DoubleTree),
            Rival::Chainwrite | Rival::ChainwriteParallel => {
                AlgorithmRequest::Fixed(Choice::chainwrite(StopOrder::Latency))
            }
            Rival::EspHardwareOnly | Rival::EspCalibrated => {
                AlgorithmRequest::Fixed(Choice::new(Algorithm::InNetworkList, 1))
            }
            Rival::InNetwork => AlgorithmRequest::Fixed(Choice::new(Algorithm::InNetwork, 1)),
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

/// One mechanism, number of destinations and payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RivalRow {
    /// Mechanism.
    pub rival: Rival,
    /// Destinations, the source not among them.
    pub num_destinations: u32,
    /// S3 eq. (1): destinations times beats by cycles. At most 1 for repeated copies.
    pub efficiency: f64,
    /// Flits over links in all, every plane.
    pub link_flits: u64,
    /// What was measured, as `noccl compare` reports it.
    pub row: CompareRow,
}

/// Runs every mechanism; rows by payload, then number of destinations, then mechanism.
///
/// # Errors
/// [`Error::Argument`] for a mesh, source or number that does not exist; otherwise as [`crate::compare()`].
///
/// ```
/// let mut request = noccl_studies::RivalsRequest::new();
/// (request.destinations, request.bytes) = (vec![3], vec![1024]);
/// let rows = noccl_studies::rivals(&request, noccl_studies::Watch::quiet())?;
/// assert!(rows.len() == 8 && rows.iter().all(|row| row.row.verified.is_yes()));
/// # Ok::<(), noccl_studies::Error>(())
/// ```
pub fn rivals(request: &RivalsRequest, watch: Watch<'_>) -> Result<Vec<RivalRow>, Error> {
    check(request)?;
    let meshes: Vec<(Rival, Network)> = Rival::ALL
        .into_iter()
        .map(|rival| {
            Ok((
                rival,
                load(&rival.preset(request.size).name(), &[])?.network,
            ))
        })
        .collect::<Result<_, Error>>()?;
    let sets = sets(request, &meshes[0].1)?;
    let total = request.bytes.len() * sets.len() * meshes.len();
    let tally = Tally::new(watch, total as u64);
    let mut rows = Vec::new();
    for bytes in &request.bytes {
        for set in &sets {
            for (rival, network) in &meshes {
                rows.push(measure(request, (*rival, network), set, *bytes)?);
                tally.finish_unit()?;
            }
        }
    }
    Ok(rows)
}

fn measure(
    request: &RivalsRequest,
    (rival, network): (Rival, &Network),
    set: &TileSet,
    bytes: u64,
) -> Result<RivalRow, Error> {
    let members = network.members(set)?.into_iter();
    let num = members.filter(|at| *at != request.source).count() as u32;
    let mut asked = CompareRequest::new(CollectiveKind::Multicast, set.clone(), vec![bytes]);
    asked.root = Some(TileRef::Cluster(request.source));
    asked.algorithms = vec![rival.algorithm()];
    asked.seed = request.seed;
    asked.has_links = true;
    let mut rows = compare(network, &asked, Watch::quiet())?.rows;
    let Some(mut row) = rows.pop() else {
        return Err(Error::argument("rivals", rival.title(), "has no row"));
    };
    let beats = bytes.div_ceil(BEAT_BYTES);
    Ok(RivalRow {
        rival,
        num_destinations: num,
        efficiency: efficiency(num, beats, row.cycles),
        link_flits: std::mem::take(&mut row.links).iter().map(|l| l.flits).sum(),
        row,
    })
}

/// The sets of destinations.
fn sets(request: &RivalsRequest, network: &Network) -> Result<Vec<TileSet>, Error> {
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
    let order = stop_order(network, source, &others, StopOrder::Nearest)?;
    let places = order.into_iter().map(|tile| network.coord(tile));
    Ok(places.filter_map(|at| network.cluster_coord(at)).collect())
}

fn check(request: &RivalsRequest) -> Result<(), Error> {
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
    let most_listed = load(&Rival::EspHardwareOnly.preset(request.size).name(), &[])?
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
pub fn rival_figures(rows: &[RivalRow]) -> Vec<Figure> {
    let mut sizes: Vec<u64> = rows.iter().map(|r| r.row.bytes).collect();
    sizes.dedup();
    let lines = |bytes: u64| -> Vec<Line> {
        let of = |name: &str, rivals: &[Rival]| Line {
            name: name.to_owned(),
            points: best_points(rows, bytes, rivals),
        };
        let mut lines = vec![of("software trees", &[Rival::Tree, Rival::DoubleTree])];
        for rival in Rival::ALL {
            if !matches!(rival, Rival::Tree | Rival::DoubleTree) {
                lines.push(of(rival.title(), &[rival]));
            }
        }
        lines
    };
    let figure = |bytes: u64| {
        let size = format_bytes(bytes);
        line_chart(
            &format!("rivals_{}", size.replace(' ', "")),
            &format!("One payload of {size} to many destinations"),
            "destinations",
            "efficiency",
            &lines(bytes),
        )
    };
    sizes.into_iter().map(figure).collect()
}

fn best_points(rows: &[RivalRow], bytes: u64, rivals: &[Rival]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let found = rows
        .iter()
        .filter(|r| r.row.bytes == bytes && rivals.contains(&r.rival));
    for row in found {
        let x = f64::from(row.num_destinations);
        match points.iter_mut().find(|p| p.0 == x) {
            Some(point) => point.1 = point.1.max(row.efficiency),
            None => points.push((x, row.efficiency)),
        }
    }
    points
}
