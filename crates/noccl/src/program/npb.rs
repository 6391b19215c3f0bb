// SPDX-License-Identifier: Apache-2.0
//! The NAS Parallel Benchmarks on executed cores: compiled, run, and what their rank 0 prints of the results read back.

use crate::program::{
    CalledRequest, ExecutedRequest, ProgramRankRow, ProgramReport, run_called, run_executed,
};
use crate::{Error, Watch};
use noccl_compile::{InterruptCosts, NpbBuild, NpbClass, NpbKernel, NpbLibrary, OnStep};
use noccl_files::Scratch;
use noccl_net::Network;
use noccl_studies::{NpbRow, load};

mod lines;

/// Which kernels run, and on what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NpbRequest {
    /// Kernels, in the order in which they run.
    pub kernels: Vec<NpbKernel>,
    /// Their size.
    pub class: NpbClass,
    /// Further macros of the kernels' sources.
    pub define: Vec<String>,
    /// Number of ranks.
    pub ranks: u32,
    /// Libraries, in the order in which they run.
    pub libraries: Vec<NpbLibrary>,
    /// Spec of the network; `None` for the smallest of the presets `tilepro64_WxH` that holds the ranks.
    pub spec: Option<String>,
    /// Fields of the spec.
    pub overrides: Vec<(String, String)>,
    /// Table of instruction costs, by name or file.
    pub costs: String,
    /// Bytes of each core's memory.
    pub memory_bytes: u64,
}

/// Parses kernels: names between commas, or `all`.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_npb_kernels(text: &str) -> Result<Vec<NpbKernel>, Error> {
    if text == "all" {
        return Ok(NpbKernel::ALL.to_vec());
    }
    let find = |name: &str| {
        let kernel = NpbKernel::ALL
            .into_iter()
            .find(|kernel| kernel.name() == name);
        kernel.ok_or_else(|| {
            Error::argument(
                "KERNELS",
                name,
                "accepted: is, cg, mg, ft, lu, between commas, or all",
            )
        })
    };
    text.split(',').map(find).collect()
}

/// Parses a class.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_npb_class(text: &str) -> Result<NpbClass, Error> {
    let class = NpbClass::ALL
        .into_iter()
        .find(|class| text.eq_ignore_ascii_case(&class.letter().to_string()));
    class.ok_or_else(|| Error::argument("--class", text, "accepted: S, W, A, X"))
}

/// Parses libraries: names between commas, or `all`: those on core tiles.
///
/// # Errors
/// [`Error::Argument`].
pub fn parse_npb_libraries(text: &str) -> Result<Vec<NpbLibrary>, Error> {
    use NpbLibrary::{Interrupt, Nocmsg, Plain};
    if text == "all" {
        return Ok(vec![Nocmsg, Plain, Interrupt]);
    }
    let find = |name: &str| {
        let library = NpbLibrary::ALL
            .into_iter()
            .find(|library| library.name() == name);
        library.ok_or_else(|| {
            let accepted = "accepted: nocmsg, plain, interrupt, calls, between commas, or all";
            Error::argument("--library", name, accepted)
        })
    };
    text.split(',').map(find).collect()
}

/// Runs kernels with libraries, each a row.
///
/// # Errors
/// [`Error`] with the kernel's own words for a number of ranks that it does not take; those of compiling and running.
pub fn npb(
    request: &NpbRequest,
    on_step: OnStep<'_>,
    watch: Watch<'_>,
) -> Result<Vec<NpbRow>, Error> {
    let spec = match &request.spec {
        Some(spec) => spec.clone(),
        None => smallest(request.ranks)?,
    };
    let network = load(&spec, &request.overrides)?.network;
    let has_ports = |library: &NpbLibrary| *library != NpbLibrary::Calls;
    if network.cores().is_none() && request.libraries.iter().any(has_ports) {
        let accepted = "its tiles have no ports of words; accepted: a network of core tiles, or --library calls";
        return Err(Error::argument("--spec", spec, accepted));
    }
    let mut rows = Vec::new();
    for kernel in &request.kernels {
        for library in &request.libraries {
            rows.push(row(request, &network, (*kernel, *library), on_step, watch)?);
        }
    }
    Ok(rows)
}

/// The preset with the fewest tiles, as near to a square as there is, more columns than rows.
fn smallest(ranks: u32) -> Result<String, Error> {
    const SIDE: u32 = 64;
    let sizes = (1..=SIDE).flat_map(|columns| (1..=columns).map(move |rows| (columns, rows)));
    let holds = sizes.filter(|(columns, rows)| columns * rows >= ranks);
    let best = holds.min_by_key(|(columns, rows)| (columns * rows, columns - rows));
    let (columns, rows) = best
        .filter(|_| ranks > 0)
        .ok_or_else(|| Error::argument("--ranks", ranks, "accepted: 1 to 4096"))?;
    Ok(format!("tilepro64_{columns}x{rows}"))
}

/// What an interrupt-driven library costs stands in the preset of modelled cores, whose words include their load or store.
fn interrupt_costs() -> Result<InterruptCosts, Error> {
    let preset = load("tilepro64_8x8_interrupt", &[])?.network;
    let core = preset.cores().map(|of| &of.core).ok_or_else(|| {
        Error::argument(
            "tilepro64_8x8_interrupt",
            "no cores",
            "accepted: core tiles",
        )
    })?;
    Ok(InterruptCosts {
        message_cycles: core.interrupt_cycles.into(),
        word_cycles: u64::from(core.word_cycles).saturating_sub(1),
    })
}

fn row(
    request: &NpbRequest,
    network: &Network,
    (kernel, library): (NpbKernel, NpbLibrary),
    on_step: OnStep<'_>,
    watch: Watch<'_>,
) -> Result<NpbRow, Error> {
    let scratch = Scratch::new(std::env::temp_dir().join(format!(
        "noccl-npb-{}-{}-{}",
        std::process::id(),
        kernel.name(),
        library.name()
    )));
    let build = NpbBuild {
        kernel,
        class: request.class,
        library,
        interrupt: interrupt_costs()?,
        define: request.define.clone(),
        output: scratch.path("kernel.elf"),
    };
    noccl_compile::compile_kernel(&build, on_step)?;
    let executed = ExecutedRequest {
        program: build.output,
        arguments: Vec::new(),
        environment: Vec::new(),
        files: Vec::new(),
        ranks: request.ranks,
        costs: request.costs.clone(),
        memory_bytes: request.memory_bytes,
        max_cycles: Some(u64::MAX),
        checkpoint: None,
    };
    let ran = if library == NpbLibrary::Calls {
        let called = CalledRequest {
            executed,
            collectives: None,
            noise_seed: None,
        };
        run_called(network, &called, watch)?
    } else {
        run_executed(network, &executed, watch)?
    };
    let consoles = ran.ranks.iter().filter_map(|rank| rank.console.as_deref());
    let texts: Vec<&str> = consoles.collect();
    let printed = lines::read(&texts, kernel, library)?;
    Ok(made(request, &ran, printed, (kernel, library)))
}

fn made(
    request: &NpbRequest,
    ran: &ProgramReport,
    printed: lines::Printed,
    (kernel, library): (NpbKernel, NpbLibrary),
) -> NpbRow {
    let sum =
        |of: fn(&ProgramRankRow) -> Option<u64>| -> u64 { ran.ranks.iter().filter_map(of).sum() };
    // Over ports sends and receives are instructions, of which the backend sees the waits alone.
    let send_cycles = sum(|rank| rank.send_cycles.or(rank.send_wait_cycles));
    let receive_cycles = sum(|rank| rank.receive_cycles.or(rank.receive_wait_cycles));
    let mut row = NpbRow {
        kernel: kernel.name().to_owned(),
        class: request.class.letter().to_string(),
        define: request.define.clone(),
        ranks: request.ranks,
        library: library.name().to_owned(),
        network: ran.network.clone(),
        cycles: ran.cycles,
        timed_cycles: printed.timed_cycles,
        compute_cycles: sum(|rank| Some(rank.compute_cycles)),
        send_cycles,
        receive_cycles,
        wait_cycles: sum(|rank| Some(rank.wait_cycles)),
        messages: sum(|rank| rank.messages),
        bytes: sum(|rank| rank.bytes),
        instructions: sum(|rank| rank.instructions),
        // Every compiled program has them.
        program_bytes: ran.program_bytes.into_iter().sum(),
        verification: printed.quantities,
        verified: printed.verified,
    };
    // Over ports the backend sees executing and waiting; the library counts cycles within its calls, waits included.
    if let Some(counts) = printed.counts {
        let within_calls = counts.send_cycles + counts.receive_cycles;
        row.compute_cycles = (row.compute_cycles + row.wait_cycles).saturating_sub(within_calls);
        row.send_cycles = counts.send_cycles.saturating_sub(send_cycles);
        row.receive_cycles = counts.receive_cycles.saturating_sub(receive_cycles);
        row.messages = counts.messages;
        row.bytes = counts.bytes;
    }
    row
}
