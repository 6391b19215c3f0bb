# SPDX-License-Identifier: Apache-2.0
"""Whatever is passed: a result, or an exception of this package.

A `TypeError` is left for calls that Python itself refuses: missing or unknown arguments, and a
network that is none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

import noccl
from tests.hostile_values import HOSTILE

Call = Callable[[noccl.Network, Any], object]

BUILDER = noccl.ScheduleBuilder("empty")
EMPTY = BUILDER.build()
ORIGIN = noccl.Cluster(0, 0)
PLACE = noccl.Place(ORIGIN, 0)
SMALL: dict[str, Any] = {"loads": [0.1], "has_saturation": False, "measure_cycles": 20}


CORES = "tilepro64_2x2"


def _nothing(comm: object) -> None:
    """A program that calls nothing."""


def _built(make: Callable[[noccl.ScheduleBuilder], object]) -> noccl.Schedule:
    builder = noccl.ScheduleBuilder("hostile")
    make(builder)
    return builder.build()


CALLS: dict[str, Call] = {
    "load spec": lambda _, x: noccl.load(x),
    "load overrides": lambda _, x: noccl.load("collective_noc_2x2", overrides=x),
    "load one override": lambda _, x: noccl.load("collective_noc_2x2", overrides={"mesh.width": x}),
    "members": noccl.members,
    "compare collective": lambda n, x: noccl.compare(n, x, sizes_bytes=[64]),
    "compare sizes": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=x, group="row", algorithms=["in_network"]
    ),
    "compare group": lambda n, x: noccl.compare(n, "reduce", sizes_bytes=[64], group=x),
    "compare root": lambda n, x: noccl.compare(n, "reduce", sizes_bytes=[64], root=x, group="row"),
    "compare algorithms": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=[64], group="row", algorithms=x
    ),
    "compare operator": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=[64], group="row", operator=x, algorithms=["in_network"]
    ),
    "compare element": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=[64], group="row", element=x, algorithms=["in_network"]
    ),
    "compare seed": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=[64], group="row", seed=x, algorithms=["in_network"]
    ),
    "compare links": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=[64], group="row", has_links=x, algorithms=["in_network"]
    ),
    "compare progress": lambda n, x: noccl.compare(
        n, "reduce", sizes_bytes=[64], group="row", on_progress=x, algorithms=["in_network"]
    ),
    "synth collective": lambda n, x: noccl.synth(n, x, num_bytes=64, tries=2),
    "synth bytes": lambda n, x: noccl.synth(n, "reduce", num_bytes=x, groups="row", tries=2),
    "synth groups": lambda n, x: noccl.synth(n, "reduce", num_bytes=64, groups=x, tries=2),
    "synth objective": lambda n, x: noccl.synth(n, "reduce", objective=x, tries=2),
    "synth seed": lambda n, x: noccl.synth(n, "reduce", num_bytes=64, seed=x, tries=2),
    "synth time": lambda n, x: noccl.synth(n, "reduce", time_limit_seconds=x, tries=2),
    "synth tries": lambda n, x: noccl.synth(n, "reduce", tries=x, time_limit_seconds=0.01),
    "synth faulty links": lambda n, x: noccl.synth(n, "reduce", faulty_links=x, tries=2),
    "synth faulty tiles": lambda n, x: noccl.synth(n, "reduce", faulty_tiles=x, tries=2),
    "synth progress": lambda n, x: noccl.synth(n, "reduce", on_progress=x, tries=2),
    "traffic pattern": lambda n, x: noccl.traffic(n, x, **SMALL),
    "traffic loads": lambda n, x: noccl.traffic(n, "uniform", **{**SMALL, "loads": x}),
    "traffic beats": lambda n, x: noccl.traffic(n, "uniform", beats=x, **SMALL),
    "traffic seed": lambda n, x: noccl.traffic(n, "uniform", seed=x, **SMALL),
    "traffic threads": lambda n, x: noccl.traffic(n, "uniform", threads=x, **SMALL),
    "stress first seed": lambda n, x: noccl.stress(n, num_seeds=1, first_seed=x),
    "stress kinds": lambda n, x: noccl.stress(n, num_seeds=1, kinds=x),
    "check": noccl.check,
    "run": noccl.run,
    "run mode": lambda n, x: noccl.run(n, EMPTY, mode=x),
    "run threads": lambda n, x: noccl.run(n, EMPTY, threads=x),
    "run max cycles": lambda n, x: noccl.run(n, EMPTY, max_cycles=x),
    "run backend": lambda n, x: noccl.run(n, EMPTY, backend=x),
    "run values schedule": lambda n, x: noccl.run_values(n, x, [], []),
    "run values inputs": lambda n, x: noccl.run_values(n, EMPTY, x, []),
    "run values place": lambda n, x: noccl.run_values(n, EMPTY, [(x, np.zeros(8))], []),
    "run values data": lambda n, x: noccl.run_values(n, EMPTY, [(PLACE, x)], []),
    "run values outputs": lambda n, x: noccl.run_values(n, EMPTY, [], x),
    "run values length": lambda n, x: noccl.run_values(n, EMPTY, [], [(PLACE, x)]),
    "make schedule collective": lambda n, x: noccl.make_schedule(n, x, num_bytes=64),
    "make schedule bytes": lambda n, x: noccl.make_schedule(n, "reduce", num_bytes=x),
    "make schedule algorithm": lambda n, x: noccl.make_schedule(
        n, "reduce", num_bytes=64, group="row", algorithm=x
    ),
    "multicast": lambda n, x: noccl.multicast(n, x, group="row"),
    "multicast root": lambda n, x: noccl.multicast(n, np.ones(8), group="row", root=x),
    "reduce": lambda n, x: noccl.reduce(n, x, group="row"),
    "reduce element": lambda n, x: noccl.reduce(n, np.ones((4, 8)), group="row", element=x),
    "all reduce": lambda n, x: noccl.all_reduce(n, x, group="row"),
    "all gather": lambda n, x: noccl.all_gather(n, x, group="row"),
    "reduce scatter": lambda n, x: noccl.reduce_scatter(n, x, group="row"),
    "all to all": lambda n, x: noccl.all_to_all(n, x, group="row"),
    "scatter": lambda n, x: noccl.scatter(n, x, group="row"),
    "scatter root": lambda n, x: noccl.scatter(n, np.ones((4, 8)), group="row", root=x),
    "gather": lambda n, x: noccl.gather(n, x, group="row"),
    "scan": lambda n, x: noccl.scan(n, x, group="row"),
    "scan operator": lambda n, x: noccl.scan(n, np.ones((4, 8)), group="row", operator=x),
    "builder delivery": lambda n, x: noccl.check(n, _built(lambda b: b.delivery(x, PLACE, 64))),
    "barrier": lambda n, x: noccl.barrier(n, group=x),
    "gemm kernel": lambda _, x: noccl.gemm(x, meshes=["2x2"]),
    "gemm meshes": lambda _, x: noccl.gemm("summa", meshes=x),
    "gemm submatrix": lambda _, x: noccl.gemm("summa", meshes=["2x2"], submatrix=x),
    "gemm overrides": lambda _, x: noccl.gemm("summa", meshes=["2x2"], overrides=x),
    "multiply a": lambda _, x: noccl.multiply(x, np.eye(8), inner=4, mesh="2x2"),
    "multiply mesh": lambda _, x: noccl.multiply(np.eye(8), np.eye(8), inner=4, mesh=x),
    "multiply inner": lambda _, x: noccl.multiply(np.eye(8), np.eye(8), inner=x, mesh="2x2"),
    "chain orders source": lambda n, x: noccl.chain_orders(
        n, source=x, destinations="row", by=["id"]
    ),
    "chain orders destinations": lambda n, x: noccl.chain_orders(
        n, source="0,0", destinations=x, by=["id"]
    ),
    "chain orders by": lambda n, x: noccl.chain_orders(n, source="0,0", destinations="row", by=x),
    "chain orders bytes": lambda n, x: noccl.chain_orders(
        n, source="0,0", destinations="row", by=["id"], payload_bytes=x
    ),
    "draws counts": lambda n, x: noccl.destination_draws(
        n, source="0,0", counts=x, draws=1, by=["id"]
    ),
    "draws seed": lambda n, x: noccl.destination_draws(
        n, source="0,0", counts=[2], draws=1, seed=x, by=["id"]
    ),
    "barrier study": lambda _, x: noccl.barrier_study(clusters=x),
    "barrier study count": lambda _, x: noccl.barrier_study(clusters=[x]),
    "attention mesh": lambda _, x: noccl.attention(mesh=x, tokens=8, head_columns=8, heads=1),
    "attention tokens": lambda _, x: noccl.attention(mesh="2x2", tokens=x, head_columns=8, heads=1),
    "attention utilisation": lambda _, x: noccl.attention(
        mesh="2x2", tokens=8, head_columns=8, heads=1, utilisation=x
    ),
    "builder transfer": lambda n, x: noccl.check(
        n, _built(lambda b: b.transfer(x, PLACE, PLACE, 64))
    ),
    "builder bytes": lambda n, x: noccl.check(
        n, _built(lambda b: b.transfer(ORIGIN, PLACE, noccl.Place(ORIGIN, 64), x))
    ),
    "builder offset": lambda n, x: noccl.check(
        n, _built(lambda b: b.transfer(ORIGIN, PLACE, noccl.Place(ORIGIN, x), 64))
    ),
    "builder after": lambda n, x: noccl.check(
        n, _built(lambda b: b.compute(ORIGIN, cycles=1, after=x))
    ),
    "builder reduction": lambda n, x: noccl.check(
        n, _built(lambda b: b.in_network_reduction(x, 0, PLACE, 64))
    ),
    "builder local": lambda n, x: noccl.check(
        n, _built(lambda b: b.local_reduce(ORIGIN, x, 0, 64))
    ),
    "builder barrier": lambda n, x: noccl.check(n, _built(lambda b: b.barrier(x, ORIGIN))),
    "builder claim": lambda n, x: noccl.check(n, BUILDER.build(x)),
    "builder parameters": lambda n, x: noccl.check(n, noccl.ScheduleBuilder("x", x).build()),
    "schedule fields": lambda _, x: noccl.Schedule(x).num_actions,
    "schedule open": lambda _, x: noccl.Schedule.open(x) if isinstance(x, str) else None,
    "run program": lambda _, x: noccl.run_program(x, CORES, ranks=2, host_seconds=5.0),
    "run program network": lambda _, x: noccl.run_program(_nothing, x, ranks=1),
    "run program ranks": lambda _, x: noccl.run_program(_nothing, CORES, ranks=x),
    "run program collectives": lambda _, x: noccl.run_program(
        _nothing, CORES, ranks=2, collectives=x
    ),
    "run program cycles": lambda _, x: noccl.run_program(_nothing, CORES, ranks=2, max_cycles=x),
    "run program seed": lambda _, x: noccl.run_program(_nothing, CORES, ranks=2, noise_seed=x),
    "run program seconds": lambda _, x: noccl.run_program(_nothing, CORES, ranks=2, host_seconds=x),
    "run script": lambda _, x: noccl.run_script(x, CORES, ranks=1),
    "plot timeline": lambda _, x: noccl.plot_timeline(x),
    "explain": lambda n, x: noccl.explain(n, x, has_reruns=False),
    "explain bytes": lambda n, x: noccl.explain(n, "reduce", num_bytes=x, has_reruns=False),
    "explain group": lambda n, x: noccl.explain(n, "reduce", group=x, has_reruns=False),
    "explain root": lambda n, x: noccl.explain(n, "reduce", root=x, has_reruns=False),
    "explain algorithm": lambda n, x: noccl.explain(n, "reduce", algorithm=x, has_reruns=False),
    "explain operator": lambda n, x: noccl.explain(n, "reduce", operator=x, has_reruns=False),
    "explain element": lambda n, x: noccl.explain(n, "reduce", element=x, has_reruns=False),
    "view": lambda n, x: noccl.view(n, x, num_bytes=64),
    "view network": lambda _, x: noccl.view(x, "barrier"),
    "view bytes": lambda n, x: noccl.view(n, "reduce", num_bytes=x),
    "view group": lambda n, x: noccl.view(n, "reduce", group=x),
    "view root": lambda n, x: noccl.view(n, "reduce", root=x),
    "view algorithms": lambda n, x: noccl.view(n, "reduce", algorithms=x),
    "view operator": lambda n, x: noccl.view(n, "reduce", operator=x),
    "view element": lambda n, x: noccl.view(n, "reduce", element=x),
    "view progress": lambda n, x: noccl.view(n, "barrier", on_progress=x),
    "plot explanation": lambda _, x: noccl.plot_explanation(x),
    "plot cycles": lambda _, x: noccl.plot_cycles(x),
    "plot latency": lambda _, x: noccl.plot_latency(x),
    "plot figure": lambda _, x: noccl.plot_figure(x),
    "plot link load": lambda _, x: noccl.plot_link_load(x),
    "plot gantt": lambda _, x: noccl.plot_gantt(x),
    "plot load over time": lambda _, x: noccl.plot_load_over_time(x),
    "read recording": lambda _, x: noccl.read_recording(x),
    "sweep": lambda _, x: noccl.sweep(x, folder="/dev/null/none"),
    "read sweep": lambda _, x: noccl.read_sweep(x),
    "sweep status": lambda _, x: noccl.sweep_status(x),
    "plot pareto": lambda _, x: noccl.plot_pareto(x),
}
"""One argument of one public function each; the others are as they should be, and small."""


@pytest.fixture(scope="module")
def network() -> noccl.Network:
    return noccl.load("collective_noc_4x4")


@pytest.mark.parametrize("name", CALLS)
@given(value=HOSTILE)
@example(value=10**5000)
def test_any_value_gives_a_result_or_an_error_of_the_package(
    name: str, network: noccl.Network, value: Any
) -> None:
    # A callback's own error reaches its owner.
    own = TypeError if name.endswith("progress") and callable(value) else noccl.NocclError
    with contextlib.suppress(noccl.NocclError, own):
        CALLS[name](network, value)


def test_public_functions_are_all_called_with_hostile_values() -> None:
    functions = {
        name
        for name in noccl.__all__
        if callable(getattr(noccl, name)) and name[0].islower() and name != "presets"
    }
    sources = Path(__file__).read_text(encoding="utf-8")
    missing = {name for name in functions if f"noccl.{name}" not in sources}
    assert not missing


def test_whole_numbers_of_numpy_and_sequences_of_any_kind_are_taken(
    mesh4x4_collective: noccl.Network,
) -> None:
    network = mesh4x4_collective
    one: Any = np.int64(1)
    given: list[tuple[Any, Any]] = [
        ([np.int64(64)], ["in_network"]),
        ((64,), ("in_network",)),
        (np.array([64]), np.array(["in_network"])),
    ]
    tables = [
        noccl.compare(network, "reduce", sizes_bytes=sizes, group="row", algorithms=names, seed=one)
        for sizes, names in given
    ]
    assert all(table == tables[0] for table in tables)
    rows: Any = [[1.0, 2.0], [3.0, 4.0], (5.0, 6.0), np.array([7.0, 8.0])]
    assert noccl.reduce(network, rows, group="row").values.tolist() == [16.0, 20.0]
    builder = noccl.ScheduleBuilder("numpy")
    cycles: Any = np.uint16(5)
    first = builder.compute(noccl.Cluster(one, one), cycles=cycles)
    after: Any = np.array([first])
    builder.compute(noccl.Cluster(1, 1), cycles=5, after=after)
    assert noccl.run(network, builder.build(), threads=one).cycles >= 10


def test_results_are_equal_if_all_their_fields_are(mesh4x4_collective: noccl.Network) -> None:
    inputs = np.ones((4, 8))
    one, same = (noccl.reduce(mesh4x4_collective, inputs, group="row") for _ in range(2))
    assert one == same
    assert one.report == same.report
    assert one not in (noccl.reduce(mesh4x4_collective, 2 * inputs, group="row"), 5)
    a, b = (noccl.multiply(np.eye(8), np.eye(8), inner=4, mesh="2x2") for _ in range(2))
    assert a == b


@pytest.mark.parametrize("result", [False, np.False_])
def test_a_callback_that_says_no_ends_the_call(
    result: object, mesh4x4_collective: noccl.Network
) -> None:
    with pytest.raises(noccl.InterruptedRunError):
        noccl.stress(mesh4x4_collective, num_seeds=100_000, on_progress=lambda _: result)  # type: ignore[arg-type, return-value]
