// SPDX-License-Identifier: Apache-2.0
//! The named runs from which the constants follow: one to three actions each, on an idle network.
//!
//! Each run belongs to a law and says how often each constant is in it. What the model predicts for larger
//! things is made of these; how well, is checked on runs that are not in this list.

mod actions;

use crate::ModelError;
use crate::constants::{Constant, Law, cycles_per_beat};
use actions::{ORIGIN, OUTPUT, additions, block, line, one, place, row_of, run, transfer};
use noccl_net::pairs::FoldOrder;
use noccl_net::{AxiNetwork, Coord, MultiAddress, Network, TileRef};
use noccl_workload::{
    ActionKind, Arrival, Destination, ElementType, InNetworkReduction, Operator, Place, Schedule,
};

/// A run whose cycles are a sum of constants.
#[derive(Debug, Clone, PartialEq)]
pub struct CalibrationRun {
    /// What runs, in words; unique.
    pub name: String,
    /// Law that it serves.
    pub law: Law,
    /// What to run.
    pub schedule: Schedule,
    /// Each constant with its factor.
    pub terms: Vec<(Constant, f64)>,
}

/// The runs for a network: four columns and two rows of clusters in its south-west corner.
///
/// # Errors
/// [`ModelError::TooSmall`] if there are fewer.
pub fn calibration_runs(network: AxiNetwork<'_>) -> Result<Vec<CalibrationRun>, ModelError> {
    let (width, height) = (network.cluster_width(), network.cluster_height());
    if width < 4 || height < 2 {
        return Err(ModelError::TooSmall { width, height });
    }
    let mut runs = transfers(network);
    runs.extend(inside_a_cluster(network));
    runs.extend(sequences(network));
    runs.push(two_reads(network));
    runs.extend(actions::barriers(network)?);
    runs.extend(notices(network));
    runs.extend(reductions(network));
    Ok(runs)
}

fn transfers(network: AxiNetwork<'_>) -> Vec<CalibrationRun> {
    use Constant::{Beta, Hop, PullAlpha, PushAlpha, RelayAlpha};
    let mut out = Vec::new();
    // With bypass one path reaches as far as three hops: two paths tell what one costs.
    let far = Coord::new(3, u16::from(network.path_links() > 1));
    for (beats, far) in [(1, NEAR), (64, NEAR), (1, far), (64, far)] {
        let (paths, hops) = (paths(&network, far), far.hops_to(ORIGIN));
        let terms = |alpha| vec![(alpha, 1.0), (Hop, paths), (Beta, beats as f64)];
        let pull = transfer(network, place(far, 0), one(ORIGIN), beats, 1);
        let name = format!("{beats} beats read over {hops} hops");
        out.push(run(name, Law::Transfer, vec![pull], terms(PullAlpha)));
        let push = transfer(network, place(ORIGIN, 0), one(far), beats, 1);
        let name = format!("{beats} beats written over {hops} hops");
        out.push(run(name, Law::Transfer, vec![push], terms(PushAlpha)));
    }
    let (source, source_tile) = match network.memories().next() {
        Some(tile) => (TileRef::Memory(0), tile),
        None => {
            let far = Coord::new(3, 0);
            (
                TileRef::Cluster(far),
                network.tile_at(network.mesh_coord(far)),
            )
        }
    };
    let at = network.tile_at(network.mesh_coord(ORIGIN));
    let source_paths = network.paths_between(source_tile, at);
    for beats in [1, 64] {
        let from = Place {
            tile: source,
            offset: 0,
        };
        let row = Destination::Multicast {
            set: row_of(4),
            offset: OUTPUT,
        };
        let hops = f64::from(source_paths) + paths(&network, Coord::new(3, 0));
        out.push(run(
            format!("{beats} beats read from {source}, multicast to a row of 4"),
            Law::Transfer,
            vec![transfer(network, from, row, beats, 1)],
            vec![(RelayAlpha, 1.0), (Hop, hops), (Beta, beats as f64)],
        ));
    }
    out
}

/// The neighbour of the cluster that acts.
const NEAR: Coord = Coord::new(1, 0);

/// Paths from the cluster that acts; hops, without bypass.
fn paths(network: &Network, to: Coord) -> f64 {
    f64::from(network.paths(network.mesh_coord(ORIGIN), network.mesh_coord(to)))
}

fn inside_a_cluster(network: AxiNetwork<'_>) -> Vec<CalibrationRun> {
    use Constant::{Beta, ComputeAlpha, ComputeBeta, CopyAlpha};
    let mut out: Vec<CalibrationRun> = [1u64, 64]
        .map(|beats| {
            run(
                format!("{beats} beats copied within an L1"),
                Law::Copy,
                vec![transfer(network, place(ORIGIN, 0), one(ORIGIN), beats, 1)],
                vec![(CopyAlpha, 1.0), (Beta, beats as f64)],
            )
        })
        .into();
    // Multiples of 25: at the presets' pace the additions take a whole number of cycles.
    out.extend([25u64, 50, 100, 200].map(|beats| {
        run(
            format!("{beats} beats added by the cores"),
            Law::Compute,
            vec![additions(ORIGIN, beats)],
            vec![(ComputeAlpha, 1.0), (ComputeBeta, beats as f64)],
        )
    }));
    out
}

/// Two actions of one cluster, the second behind the first.
fn sequences(network: AxiNetwork<'_>) -> [CalibrationRun; 4] {
    use Constant::{Beta, ComputeAlpha, ComputeBeta, Hop, Issue, IssueLines, PushAlpha, Wait};
    let push = |lines| transfer(network, place(ORIGIN, 0), one(Coord::new(1, 0)), 1, lines);
    let one_push = [(PushAlpha, 1.0), (Hop, 1.0), (Beta, 1.0)];
    let twice = one_push.map(|(constant, factor)| (constant, 2.0 * factor));
    let one_fold = [(ComputeAlpha, 1.0), (ComputeBeta, 25.0)];
    let with = |parts: &[&[(Constant, f64)]]| parts.concat();
    [
        run(
            "write, then write".to_owned(),
            Law::Agent,
            vec![push(1), push(1)],
            with(&[&twice, &[(Issue, 1.0), (Wait, 1.0)]]),
        ),
        run(
            "write, then additions".to_owned(),
            Law::Agent,
            vec![push(1), additions(ORIGIN, 25)],
            with(&[&one_push, &one_fold, &[(Wait, 1.0)]]),
        ),
        run(
            "additions, then write".to_owned(),
            Law::Agent,
            vec![additions(ORIGIN, 25), push(1)],
            with(&[&one_push, &one_fold, &[(Issue, 1.0)]]),
        ),
        run(
            "additions, then write of 2 lines".to_owned(),
            Law::Agent,
            vec![additions(ORIGIN, 25), push(2)],
            with(&[&one_push, &one_fold, &[(Beta, 1.0), (IssueLines, 1.0)]]),
        ),
    ]
}

/// One engine reads from two tiles: it asks the second when the first has responded.
fn two_reads(network: AxiNetwork<'_>) -> CalibrationRun {
    use Constant::{Beta, Hop, PullAlpha, ReadsOverlap};
    let read = |x: u16, to: u64| {
        let destination = Destination::One(place(ORIGIN, to));
        transfer(network, place(Coord::new(x, 0), 0), destination, 16, 1)
    };
    let paths = paths(&network, NEAR) + paths(&network, Coord::new(2, 0));
    let mut both = run(
        "16 beats read over 1 hop and 16 over 2, at once".to_owned(),
        Law::Agent,
        vec![read(1, OUTPUT), read(2, 2 * OUTPUT)],
        vec![
            (PullAlpha, 2.0),
            (Hop, paths),
            (Beta, 32.0),
            (ReadsOverlap, -1.0),
        ],
    );
    for action in &mut both.schedule.actions {
        action.after.clear();
    }
    both
}

/// What is noticed without a response; additions that take longer than any response show when.
fn notices(network: AxiNetwork<'_>) -> Vec<CalibrationRun> {
    use Constant::{
        ArrivalAlpha, Beta, ComputeAlpha, ComputeBeta, DeliveryAlpha, Enter, Hop, Poll,
    };
    let long = [(Poll, 1.0), (ComputeAlpha, 1.0), (ComputeBeta, 100.0)];
    let far = Coord::new(3, 0);
    let arrival = || {
        ActionKind::Arrival(Arrival {
            group: row_of(4),
            root: TileRef::Cluster(ORIGIN),
        })
    };
    let arrived = [(ArrivalAlpha, 1.0), (Hop, paths(&network, far) / 2.0)];
    let mut out: Vec<CalibrationRun> = [1u16, 3]
        .map(|hops| {
            let at = Coord::new(hops, 0);
            let path = [
                (DeliveryAlpha, 1.0),
                (Hop, paths(&network, at) / 2.0),
                (Beta, 1.0),
            ];
            run(
                format!("delivery over {hops} hops, then additions there"),
                Law::Notice,
                vec![
                    ActionKind::Delivery(line(network, place(ORIGIN, 0), one(at), 1, 1)),
                    additions(at, 100),
                ],
                [&path[..], &long].concat(),
            )
        })
        .into();
    out.push(run(
        "arrival over a row of 4".to_owned(),
        Law::Notice,
        vec![arrival()],
        arrived.to_vec(),
    ));
    out.push(run(
        "arrival over a row of 4, then additions at its root".to_owned(),
        Law::Notice,
        vec![arrival(), additions(ORIGIN, 100)],
        [&arrived[..], &long].concat(),
    ));
    out.push(run(
        "arrival over a row of 4, then additions at a member".to_owned(),
        Law::Notice,
        vec![arrival(), additions(far, 100)],
        [&[(Enter, 1.0)][..], &long].concat(),
    ));
    out
}

fn reductions(network: AxiNetwork<'_>) -> Vec<CalibrationRun> {
    let axi = network.axi();
    let kind = axi.router.wide_reduction.kind;
    let shared = f64::from(axi.cluster.cycles_per_wide_addition(&axi.ni));
    use Constant::{Addition8, Addition16, Addition32, Addition64, Beta, Cut, Hop, ReductionAlpha};
    // Operands of the routers that add on the path of the farthest member, and the same in pairs.
    let shapes: [(MultiAddress, &[u32], &[u32]); 3] = [
        (row_of(2), &[2], &[2]),
        (row_of(4), &[2, 2, 2], &[2, 2]),
        (block(2, 2), &[2, 3], &[2, 2]),
    ];
    let root = network.mesh_coord(ORIGIN);
    let reduce = |(set, by_router, in_pairs): (MultiAddress, _, _), beats, element, addition| {
        let operands: &[u32] = match network.fold_order(set, root, beats) {
            FoldOrder::ByRouter => by_router,
            FoldOrder::InPairs => in_pairs,
        };
        let additions: u32 = operands.iter().map(|o| o - 1).sum();
        // A path there for each router that adds, and those of the response.
        let hops = (operands.len() as f64 + paths(&network, set.max())) / 2.0;
        let most = operands.iter().copied().max().unwrap_or(1);
        // Three operands at most: no partial sums, whatever an addition takes.
        let further = (beats - 1) as f64 * shared * cycles_per_beat(kind, most, 1.0);
        run(
            format!("reduction of {beats} beats, {element:?}, over {set}"),
            Law::Reduction,
            vec![ActionKind::InNetworkReduction(InNetworkReduction {
                group: set,
                source_offset: 0,
                root: place(ORIGIN, OUTPUT),
                bytes: beats * axi.ni.wide_beat(),
                operator: Operator::Sum,
                element,
            })],
            vec![
                (ReductionAlpha, 1.0),
                (Hop, hops),
                (Beta, 1.0 + further),
                (Cut, operands.len() as f64),
                (addition, f64::from(additions)),
            ],
        )
    };
    let mut out: Vec<CalibrationRun> = shapes
        .iter()
        .flat_map(|shape| [1, 64].map(|beats| reduce(*shape, beats, ElementType::Fp64, Addition64)))
        .collect();
    for (element, addition) in [
        (ElementType::Fp32, Addition32),
        (ElementType::Fp16, Addition16),
        (ElementType::Fp8E4m3, Addition8),
    ] {
        out.push(reduce(shapes[1], 1, element, addition));
    }
    out
}
