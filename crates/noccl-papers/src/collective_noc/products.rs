// SPDX-License-Identifier: Apache-2.0
//! Claims 8 and 9: matrix products on square meshes, as simulated by `noccl gemm`.

use crate::statistics::Outcomes;
use noccl_model::published::{Extent, MulticastConstants};
use noccl_run::Tally;
use noccl_studies::gemm::{Backend, Collectives, FusedRoot, GemmKernel};
use noccl_studies::parts::line_chart;
use noccl_studies::parts::{Runner, collective, network};
use noccl_studies::{Error, Figure, GemmRequest, GemmRow, Line, Watch, gemm};
use noccl_workload::CollectiveKind;

/// Sides of the paper's meshes.
const SIDES: [u32; 7] = [4, 8, 16, 32, 64, 128, 256];
/// Largest side on which software without barriers is run: each of its candidates has a message per cluster and step.
const MAX_DELIVERED_SIDE: u32 = 64;
/// Deepest prefetch that is tried where double buffering does not suffice.
const MAX_PREFETCH: u32 = 6;

/// Software and in-network row of one mesh.
struct ProductPair {
    side: u32,
    software: GemmRow,
    in_network: GemmRow,
    /// Software without barriers within a collective, up to [`MAX_DELIVERED_SIDE`] and simulated.
    deliveries: Option<GemmRow>,
}

/// Whose numbers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProductSetting {
    /// S1's: two operands per reducing router, the sum in cluster (0, 0).
    Papers,
    /// The default network, the sum wherever it is fastest.
    Ours,
}

fn measure(
    (kernel, setting, backend): (GemmKernel, ProductSetting, Backend),
    side: u32,
    watch: Watch<'_>,
) -> Result<ProductPair, Error> {
    let one = |collectives| {
        let meshes = vec![(side, side)];
        let mut request = GemmRequest::new(kernel, meshes, vec![collectives]);
        request.backends = vec![backend];
        if setting == ProductSetting::Papers {
            request.root = FusedRoot::Corner;
            let operands = ("router.wide_reduction.kind", "\"two_operand\"");
            request.overrides = vec![(operands.0.to_owned(), operands.1.to_owned())];
        }
        single(gemm(&request, watch)?)
    };
    Ok(ProductPair {
        side,
        software: one(Collectives::Software)?,
        in_network: one(Collectives::InNetwork)?,
        deliveries: (backend == Backend::Sim && side <= MAX_DELIVERED_SIDE)
            .then(|| one(Collectives::Deliveries))
            .transpose()?,
    })
}

fn single(rows: Vec<GemmRow>) -> Result<GemmRow, Error> {
    let row = rows.into_iter().next();
    row.ok_or_else(|| Error::argument("gemm", "", "accepted: one mesh, one kind of communication"))
}

/// Slots per input with which the network's multicasts keep the cores busy, on the largest mesh.
fn sufficient_prefetch(side: u32, watch: Watch<'_>) -> Result<Option<u32>, Error> {
    for prefetch in 3..=MAX_PREFETCH {
        let meshes = vec![(side, side)];
        let mut request = GemmRequest::new(GemmKernel::Summa, meshes, vec![Collectives::InNetwork]);
        request.prefetch = prefetch;
        if single(gemm(&request, watch)?)?.bound_by.hides_transfers() {
            return Ok(Some(prefetch));
        }
    }
    Ok(None)
}

fn all(
    what: (GemmKernel, ProductSetting, Backend),
    watch: Watch<'_>,
) -> Result<Vec<ProductPair>, Error> {
    let sides = SIDES.iter();
    sides.map(|side| measure(what, *side, watch)).collect()
}

fn highest(pairs: &[ProductPair], ratio: impl Fn(&ProductPair) -> f64) -> f64 {
    pairs.iter().map(ratio).fold(0.0, f64::max)
}

fn per_mesh(pairs: &[ProductPair], value: impl Fn(&ProductPair) -> String) -> String {
    let words: Vec<String> = pairs
        .iter()
        .map(|p| format!("{} at {side}x{side}", value(p), side = p.side))
        .collect();
    words.join(", ")
}

/// Gains over software without barriers, and where they are known.
fn over_deliveries(pairs: &[ProductPair], gain: impl Fn(&GemmRow, &ProductPair) -> f64) -> String {
    let known = pairs
        .iter()
        .filter_map(|p| Some((p, p.deliveries.as_ref()?)));
    let words: Vec<String> = known
        .map(|(p, row)| format!("{:.2} at {side}x{side}", gain(row, p), side = p.side))
        .collect();
    format!(
        "over software that waits for deliveries instead of barriers {}",
        words.join(", ")
    )
}

fn speedup(pair: &ProductPair) -> f64 {
    pair.software.iteration_cycles / pair.in_network.iteration_cycles
}

/// Beats of one submatrix of B, 18×18 FP64.
const B_BEATS: f64 = 41.0;

/// As S1 counts it: the loads of B, one after the other from a row's memory tile, hide behind the kernel or
/// the kernel behind them; the reduction comes on top.
fn with_loads(row: &GemmRow, side: u32) -> f64 {
    let compute = row.compute_cycles as f64;
    (f64::from(side) * B_BEATS).max(compute) + row.iteration_cycles - compute
}

/// Claim 9 and figure 9b.
pub(crate) fn fused(
    watch: Watch<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let kernel = GemmKernel::FusedConcatLinear;
    let pairs = all((kernel, ProductSetting::Papers, Backend::Sim), watch)?;
    let best = all((kernel, ProductSetting::Ours, Backend::Sim), watch)?;
    let published = all((kernel, ProductSetting::Ours, Backend::Published), watch)?;
    let loaded =
        |p: &ProductPair| with_loads(&p.software, p.side) / with_loads(&p.in_network, p.side);
    outcomes.put(
        "9",
        highest(&pairs, loaded),
        &format!(
            "{}; without the loads of B {}; three operands per router and the sum in the middle: at most {:.2}, \
             without the loads {:.2}; by equations (14) and (15), two α fitted: at most {:.2}, without the loads {:.2}; {}",
            per_mesh(&pairs, |p| format!("{:.2}", loaded(p))),
            per_mesh(&pairs, |p| format!("{:.2}", speedup(p))),
            highest(&best, loaded),
            highest(&best, speedup),
            highest(&published, loaded),
            highest(&published, speedup),
            over_deliveries(&pairs, |row, p| {
                with_loads(row, p.side) / with_loads(&p.in_network, p.side)
            })
        ),
    );
    let line = |name: &str, value: &dyn Fn(&ProductPair) -> f64| Line {
        name: name.to_owned(),
        points: pairs
            .iter()
            .map(|p| (f64::from(p.side), value(p)))
            .collect(),
    };
    figures.push(line_chart(
        "fig_9b",
        "S1 Fig. 9b: FusedConcatLinear, software over in_network",
        "side of the mesh",
        "speedup",
        &[
            line("with S1's loads of B", &loaded),
            line("kernel and reduction", &speedup),
        ],
    ));
    Ok(())
}

/// Claim 8 and figure 9a.
pub(crate) fn summa(
    watch: Watch<'_>,
    outcomes: &mut Outcomes,
    figures: &mut Vec<Figure>,
) -> Result<(), Error> {
    let kernel = GemmKernel::Summa;
    let pairs = all((kernel, ProductSetting::Ours, Backend::Sim), watch)?;
    let [plain, distant] = [Backend::Published, Backend::PublishedWithDistance]
        .map(|backend| all((kernel, ProductSetting::Ours, backend), watch));
    let (plain, distant) = (plain?, distant?);
    let onset = pairs
        .iter()
        .find(|p| !p.software.bound_by.hides_transfers());
    outcomes.put(
        "8-onset-software",
        // 0: transfers are hidden on every mesh.
        onset.map_or(0.0, |p| f64::from(p.side)),
        &format!(
            "cycles per iteration: {}; a kernel takes {}",
            per_mesh(&pairs, |p| format!("{:.0}", p.software.iteration_cycles)),
            pairs[0].software.compute_cycles
        ),
    );
    let bound = pairs
        .iter()
        .take_while(|p| p.in_network.bound_by.hides_transfers());
    // 0: on no mesh.
    let largest = bound.last().map_or(0, |p| p.side);
    let mut detail = format!(
        "cycles per iteration: {}",
        per_mesh(&pairs, |p| format!("{:.0}", p.in_network.iteration_cycles))
    );
    let widest = SIDES[SIDES.len() - 1];
    if largest < widest {
        detail += &match sufficient_prefetch(widest, watch)? {
            Some(prefetch) => {
                format!(
                    "; with {prefetch} buffers per input bound by computation at {widest}x{widest}"
                )
            }
            None => {
                format!("; not even with {MAX_PREFETCH} buffers per input at {widest}x{widest}")
            }
        };
    }
    let (simulated, equation) = published_multicast(widest, watch)?;
    detail += &format!(
        "; one multicast of {B_BEATS} beats over a row of {widest}: {simulated} cycles on the published router, \
         {equation} by eq. (4), twice which is less than a kernel"
    );
    outcomes.put("8-onset-in-network", f64::from(largest), &detail);
    outcomes.put(
        "8-speedup",
        highest(&pairs, speedup),
        &format!(
            "{}; by S1's equations at most {:.2}, with its sources' term for the distance {:.2}; {}",
            per_mesh(&pairs, |p| format!("{:.2}", speedup(p))),
            highest(&plain, speedup),
            highest(&distant, speedup),
            over_deliveries(&pairs, |row, p| {
                row.iteration_cycles / p.in_network.iteration_cycles
            })
        ),
    );
    let bound = pairs
        .iter()
        .filter(|p| !p.software.bound_by.hides_transfers());
    outcomes.put(
        "8-speedup-lowest",
        bound.map(speedup).fold(f64::INFINITY, f64::min),
        &format!("of {}", per_mesh(&pairs, |p| format!("{:.2}", speedup(p)))),
    );
    let widest_software = &pairs[pairs.len() - 1].software;
    outcomes.put(
        "8-utilisation",
        widest_software.utilisation,
        &per_mesh(&pairs, |p| format!("{:.3}", p.software.utilisation)),
    );
    figures.push(figure(&pairs));
    Ok(())
}

/// A submatrix's multicast along a row, on the published router and by S1's equation.
fn published_multicast(side: u32, watch: Watch<'_>) -> Result<(u64, f64), Error> {
    let row = network(&format!("collective_noc_{side}x1_published"), &[])?;
    let bytes = B_BEATS as u64 * 64;
    let of = collective(&row, CollectiveKind::Multicast, "row", bytes)?;
    let tally = Tally::new(watch, 1);
    let cycles = Runner { tally: &tally }.in_network_cycles(&row, &of)?;
    let constants = MulticastConstants::PUBLISHED;
    Ok((
        cycles,
        constants.in_network_cycles(Extent::row(side), B_BEATS),
    ))
}

fn figure(pairs: &[ProductPair]) -> Figure {
    let line = |name: &str, cycles: &dyn Fn(&ProductPair) -> f64| Line {
        name: name.to_owned(),
        points: pairs
            .iter()
            .map(|p| (f64::from(p.side), cycles(p)))
            .collect(),
    };
    line_chart(
        "fig_9a",
        "S1 Fig. 9a: SUMMA, an iteration on square meshes",
        "side of the mesh",
        "runtime [cycles]",
        &[
            line("software multicast", &|p| p.software.iteration_cycles),
            line("in_network multicast", &|p| p.in_network.iteration_cycles),
            line("computation", &|p| p.in_network.compute_cycles as f64),
        ],
    )
}
