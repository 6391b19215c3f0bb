# SPDX-License-Identifier: Apache-2.0
"""Long suites of `noccl stress`: random transactions, chains and programs."""

from __future__ import annotations

import noccl
from long_summary import Outcome


def ended(suite: str, report: noccl.StressReport, units: str) -> Outcome:
    """What seeds have come to."""
    return Outcome(
        suite,
        f"{report.runs} seeds, {report.transactions} {units}: {report.completed} completed, "
        f"{report.stalled} stalled, {report.wrong} wrong",
        tuple(failure.reproducer for failure in report.failures),
    )


def stress(preset: str, seeds: int) -> Outcome:
    """Random overlapping transactions of all kinds: all complete, all values right."""
    report = noccl.stress(noccl.load(preset), num_seeds=seeds)
    return ended(
        f"stress on `{preset}`: everything completes with the right bytes",
        report,
        "transactions",
    )


def published_control(seeds: int) -> Outcome:
    """The negative control: most runs of the published router stall, each with a diagnosis."""
    preset = "collective_noc_4x4_published"
    report = noccl.stress(noccl.load(preset), num_seeds=seeds, kinds=["multicast"])
    silent = [f for f in report.failures if f.diagnosis is None or not f.diagnosis.waits]
    failures = [f"stalls without a cycle of waits: {f.reproducer}" for f in silent]
    if 2 * report.stalled <= report.runs:
        failures.append(f"only {report.stalled} of {report.runs} runs stall")
    return Outcome(
        f"negative control, multicasts on `{preset}`: most runs stall, each with a diagnosis",
        f"{report.runs} seeds: {report.stalled} stalled, {report.completed} completed",
        tuple(failures),
    )


def chains(preset: str, seeds: int) -> Outcome:
    """Random sets of overlapping chains of Torrent endpoints: all end, all bytes right."""
    report = noccl.stress(noccl.load(preset), num_seeds=seeds, kinds=["chain"])
    return Outcome(
        f"stress on `{preset}`, chains: every set ends with the right bytes",
        f"{report.runs} sets, {report.transactions} chains and writes: {report.completed} "
        f"completed, {report.stalled} stalled, {report.wrong} wrong",
        tuple(failure.reproducer for failure in report.failures),
    )


def variants(preset: str, seeds: int) -> Outcome:
    """Meshes up to the preset's with any variant of its routers: all complete, all values right."""
    report = noccl.stress(noccl.load(preset), num_seeds=seeds, has_variants=True)
    return ended(
        f"stress on variants of `{preset}` drawn by seed, with their meshes: everything completes "
        "with the right bytes",
        report,
        "transactions",
    )


def programs(preset: str, kind: str, seeds: int, *, has_variants: bool = False) -> Outcome:
    """Random programs of ranks: all end, all bytes right, order kept, barriers safe."""
    network = noccl.load(preset)
    report = noccl.stress(network, num_seeds=seeds, kinds=[kind], has_variants=has_variants)
    where = f"meshes up to that of `{preset}`" if has_variants else f"`{preset}`"
    what = "compiled C on executed cores" if kind == "executed_program" else "calls of ranks"
    return ended(
        f"random programs, {what}, on {where}: right bytes, order of messages, safe barriers",
        report,
        "steps",
    )
