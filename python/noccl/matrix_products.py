# SPDX-License-Identifier: Apache-2.0
"""Matrix products on meshes: cycles of an iteration, and products of the caller's own matrices."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from noccl import _native
from noccl.arrays import element_of, require_shape
from noccl.errors import ArgumentError
from noccl.networks import override_pairs
from noccl.results import Result
from noccl.run_reports import Counters
from noccl.runs import native_progress
from noccl.values import are_equal, items, request_text, several, text, whole
from noccl.verified import Verified

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from noccl.networks import Overrides
    from noccl.runs import OnProgress


@dataclass(frozen=True)
class GemmRow:
    """One matrix product on one mesh; cycles are per iteration.

    Attributes:
        kernel: `summa` or `fused_concat_linear`.
        backend: `sim`, `model`, `published` or `published_with_distance`.
        shape: Name of the problem, or of the paper's submatrices.
        network: The network, with what was set beside its preset.
        mesh: Clusters, `WxH`.
        submatrix: `ROWSxCOLUMNSxINNER` of one cluster and iteration.
        element: Element of A and B.
        collectives: `software`, `deliveries` or `in_network`.
        spread: Algorithm that moves the submatrices, or that reduces.
        sync: `barriers` or `flags`; empty for a fused product.
        prefetch: Slots per input in every cluster.
        iterations: Steady-state iterations that were timed.
        iteration_cycles: From the end of one iteration's kernels to the end of the next one's.
        compute_cycles: One kernel.
        communication_cycles: From an iteration's first transfer to the end of its last one.
        sync_cycles: Barrier after the last of transfers and kernels.
        compute_share: Compute cycles by iteration cycles.
        utilisation: Share of the FPUs' peak.
        bound_by: `communication` if an iteration takes longer than its kernel and the barrier
            behind it, else `computation` if the kernel takes at least 90 % of it, else
            `synchronisation`; of a fused product the longer one of kernel and reduction.
        speedup: Over software on the same mesh, if both were asked for.
        sim_error: Distance of the iteration cycles from the simulator's, as a share of these, if
            both were asked for.
        problem_cycles: Cycles of a whole problem at this rate; None for the paper's submatrices.
        run_cycles: Cycles of the whole run.
        run_iterations: Iterations of the whole run.
        counters: Events of the whole run.
        energy_pj: Energy of these events.
        iteration_energy_pj: The same over the iterations.
        line_energy_pj: Energy of an iteration by the paper's method, if asked for.
        verified: Value mode: is every element what the kernels yield in their order?
    """

    kernel: str
    backend: str
    shape: str
    network: str
    mesh: str
    submatrix: str
    element: str
    collectives: str
    spread: str
    sync: str
    prefetch: int
    iterations: int
    iteration_cycles: float
    compute_cycles: int
    communication_cycles: float
    sync_cycles: float
    compute_share: float
    utilisation: float
    bound_by: str
    speedup: float | None
    sim_error: float | None
    problem_cycles: float | None
    run_cycles: int
    run_iterations: int
    counters: Counters
    energy_pj: float
    iteration_energy_pj: float
    line_energy_pj: float | None
    verified: Verified


@dataclass(frozen=True, eq=False, repr=False)
class Product(Result):
    """A product that the simulated clusters computed.

    Attributes:
        values: C, shape (num_rows, num_columns); float64 for float64 inputs, else float32.
        cycles: Cycles of the whole run.
    """

    values: npt.NDArray[Any]
    cycles: int

    def _title(self) -> str:
        rows, columns = self.values.shape
        return f"{rows} x {columns} of {self.values.dtype}, {self.cycles:,} cycles"

    def _facts(self) -> dict[str, str]:
        return {"cycles": f"{self.cycles:,}", "values": f"shape {self.values.shape}"}

    def _row(self) -> dict[str, Any]:
        rows, columns = self.values.shape
        return {"rows": rows, "columns": columns, "cycles": self.cycles}

    def __eq__(self, other: object) -> bool:
        """Are all fields equal, arrays by their elements?"""
        if not isinstance(other, Product):
            return NotImplemented
        return all(are_equal(value, vars(other)[name]) for name, value in vars(self).items())

    __hash__: ClassVar[None] = None  # type: ignore[assignment] # An array has no hash.


def gemm(
    kernel: str,
    *,
    meshes: str | Sequence[str],
    collectives: str = "all",
    backend: str = "sim",
    shape: str = "collective_noc",
    submatrix: tuple[int, int, int] | None = None,
    element: str = "fp64",
    prefetch: int = 2,
    sync: str = "barriers",
    iterations: int = 4,
    mode: str = "timing",
    seed: int = 1,
    root: str = "best",
    has_line_energy: bool = False,
    overrides: Overrides = (),
    on_progress: OnProgress | None = None,
) -> list[GemmRow]:
    """Measures matrix products on meshes of `collective_noc`.

    >>> rows = gemm("summa", meshes=["4x4"])
    >>> [row.bound_by for row in rows]
    ['computation', 'computation', 'computation']

    Args:
        kernel: `summa` or `fused_concat_linear`.
        meshes: Clusters as `WxH`, powers of two.
        collectives: `software`, `deliveries`, `in_network` or `all`.
        backend: `sim`, `model` (ours, of the same schedule), `published` (the paper's equations),
            `published_with_distance`, several with commas between, or `all`.
        shape: `collective_noc` or a product of a language model; see `noccl gemm --help`.
        submatrix: Rows, columns and inner dimension of one cluster and iteration, instead of the
            shape's.
        element: Element of A and B with `submatrix`.
        prefetch: Slots per input in every cluster; 2 is double buffering.
        sync: `barriers` or `flags`.
        iterations: Steady-state iterations that are timed.
        mode: `timing` or `value`, which also verifies.
        seed: Seed of the inputs in value mode.
        root: Where a fused product's sum is wanted: `best` or `corner`.
        has_line_energy: Price an iteration by the paper's method too; square meshes only.
        overrides: Fields of the spec that differ from the preset, as `load` takes them.
        on_progress: Called now and then; returning False ends the call.

    Returns:
        One row per mesh, backend, kind of communication and synchronisation.

    Raises:
        ArgumentError: An argument is outside what is accepted.
        AlgorithmError: The mesh or its memories cannot hold such a product.
        DeadlockError: A run cannot finish.

    Source:
        S1 section 4.3.
    """
    request = request_text(
        locals(),
        meshes=several("meshes", meshes),
        submatrix=_submatrix(submatrix),
        overrides=override_pairs(overrides),
    )
    rows = json.loads(_native.gemm(request, native_progress(on_progress)))
    return [
        GemmRow(
            **{
                **row,
                "counters": Counters(**row["counters"]),
                "verified": Verified(row["verified"]),
            }
        )
        for row in rows
    ]


def multiply(
    a: npt.NDArray[Any],
    b: npt.NDArray[Any],
    *,
    mesh: str = "4x4",
    inner: int,
    collectives: str = "in_network",
    sync: str = "barriers",
    prefetch: int = 2,
    element: str | None = None,
    on_progress: OnProgress | None = None,
) -> Product:
    """Multiplies two matrices by SUMMA, cycle by cycle.

    >>> import numpy as np
    >>> a, b = np.eye(8), np.arange(64.0).reshape(8, 8)
    >>> bool((multiply(a, b, inner=4).values == b).all())
    True

    Args:
        a: Shape (num_rows, num_inner), floating point; whole submatrices for the mesh's rows.
        b: Shape (num_inner, num_columns), of the same type; whole submatrices for its columns.
        mesh: Clusters as `WxH`, powers of two.
        inner: Inner dimension of one iteration's submatrices; divides num_inner.
        collectives: `in_network`; `software`, a tree with barriers; or `deliveries`, one without.
        sync: `barriers` or `flags`.
        prefetch: Slots per input in every cluster.
        element: Element type, where the array's type does not say it.
        on_progress: Called now and then; returning False ends the call.

    Raises:
        ArgumentError: Shapes do not fit the mesh, or types are not floating point.
        AlgorithmError: The memories cannot hold such a product.
    """
    a = require_shape("a", a, "(num_rows, num_inner)", num_dimensions=2)
    b = require_shape("b", b, "(num_inner, num_columns)", num_dimensions=2)
    inner = whole("inner", inner)
    if a.dtype != b.dtype or a.shape[1] != b.shape[0]:
        raise ArgumentError(
            f"a: {a.dtype} {a.shape}, b: {b.dtype} {b.shape}; accepted: one type, and as many "
            "rows of b as a has columns"
        )
    width, height = _sides(mesh)
    if a.shape[0] % height or b.shape[1] % width or inner < 1 or a.shape[1] % inner:
        raise ArgumentError(
            f"a {a.shape}, b {b.shape}, inner {inner} on {mesh}; accepted: rows of a a multiple "
            f"of {height}, columns of b of {width}, and inner a divisor of {a.shape[1]}"
        )
    submatrix = (a.shape[0] // height, b.shape[1] // width, inner)
    name = element_of(a.dtype, element)
    request = request_text(
        kernel="summa",
        meshes=[mesh],
        collectives=collectives,
        prefetch=prefetch,
        sync=sync,
        submatrix=_submatrix(submatrix),
        element=name,
    )
    rows, columns, cycles, c = _native.multiply(
        request, a.tobytes(), b.tobytes(), native_progress(on_progress)
    )
    sums = np.float64 if name == "fp64" else np.float32
    return Product(values=np.frombuffer(c, dtype=sums).reshape(rows, columns), cycles=cycles)


def _submatrix(sides: tuple[int, int, int] | None) -> str | None:
    if sides is None:
        return None
    return "x".join(str(whole("submatrix", side)) for side in items("submatrix", sides))


def _sides(mesh: str) -> tuple[int, int]:
    sides = re.fullmatch(r"([1-9][0-9]{0,4})x([1-9][0-9]{0,4})", text("mesh", mesh))
    if sides is None:
        raise ArgumentError(f"mesh '{mesh}'; accepted: WxH, e.g. 4x4")
    return int(sides[1]), int(sides[2])
