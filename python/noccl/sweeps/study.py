# SPDX-License-Identifier: Apache-2.0
"""What a study asks for: a TOML file, or the same as a mapping, read into points.

All of it is checked before anything runs: fields, names, sizes, specs with their overrides. A group
or a root has to be on one of the product's networks at least; where it is not on another one, the
points there are refused one by one.
"""

from __future__ import annotations

import itertools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from noccl import _native
from noccl.errors import ArgumentError, NocclError
from noccl.files import read_text
from noccl.networks import load
from noccl.sizes import size
from noccl.sweeps.fields import Fields, listed, near
from noccl.sweeps.points import DEFAULT_ROOT, OVERRIDE, Point, digest
from noccl.values import kind_of, plain, text, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from noccl._native import Network

BACKENDS = ("sim", "model")
"""Accepted backends: the simulator, cycle by cycle and verified, and the analytic model."""
MOST_POINTS = 1_000_000
"""Most points of a study."""
REDUCING = ("reduce", "all_reduce", "reduce_scatter")
"""Collectives with an operator and an element type."""
AXES = (
    *("specs", "collectives", "bytes", "groups", "roots"),
    *("algorithms", "operators", "elements", "backends"),
)
"""Fields of a product that are lists."""
_MOST_SEED = 2**63 - 1


@dataclass(frozen=True)
class Study:
    """Points in their order, and the specs that they are on.

    Attributes:
        points: Every point once, by its key.
        specs: Digest of a spec to its TOML text.
    """

    points: Mapping[str, Point]
    specs: Mapping[str, str]


@dataclass(frozen=True)
class _Variant:
    """A spec with one value of each override."""

    name: str
    network: Network
    text: str
    digest: str


def read_study(study: str | os.PathLike[str] | Mapping[str, Any]) -> Study:
    """Reads a study.

    Args:
        study: Path of a TOML file, or what such a file holds. Paths of specs in a file start at
            the folder of the file.

    Raises:
        ArgumentError: A field, a name or a size is not accepted, or a product is empty.
        SpecError: A spec or an override is wrong.
        NetworkError: A spec describes no possible network.
        FileError: A file cannot be read.
    """
    if isinstance(study, Mapping):
        return _read("study", dict(study), os.curdir)
    if not isinstance(study, (str, os.PathLike)) or "\0" in str(os.fspath(study)):
        raise ArgumentError(f"study: {kind_of(study)}; accepted: a TOML file or a mapping")
    path = os.fspath(study)
    try:
        fields = tomllib.loads(read_text(path))
    except tomllib.TOMLDecodeError as error:
        raise ArgumentError(f"{path}: {error}; accepted: a study in TOML") from error
    return _read(path, fields, os.path.dirname(path))


def _read(name: str, fields: dict[str, Any], folder: str) -> Study:
    Fields(name, "", fields).allow("product")
    products = fields.get("product")
    if not isinstance(products, list) or not products:
        found = "missing" if products is None else kind_of(products)
        raise ArgumentError(f"{name}: product: {found}; accepted: tables [[product]], one or more")
    points: dict[str, Point] = {}
    specs: dict[str, str] = {}
    total = 0
    for index, product in enumerate(products):
        reader = _Product(Fields(name, f"product[{index}]", product), folder)
        total += reader.size()
        if total > MOST_POINTS:
            raise ArgumentError(f"{name}: {total} points; accepted: at most {MOST_POINTS}")
        specs |= {variant.digest: variant.text for variant in reader.variants}
        for point in reader.points():
            points.setdefault(point.key, point)
    return Study(points, specs)


class _Product:
    """A product whose fields are all read and checked."""

    def __init__(self, fields: Fields, folder: str) -> None:
        fields.allow(*AXES, "overrides", "seed")
        self._fields = fields
        self.collectives = fields.each("collectives", _word("collective"))
        self.algorithms = fields.each("algorithms", _word("algorithm"))
        has_bytes = any(collective != "barrier" for collective in self.collectives)
        self.bytes = fields.each("bytes", _size, default=None if has_bytes else [0])
        self.operators = fields.each("operators", _word("operator"), default=["sum"])
        self.elements = fields.each("elements", _word("element"), default=["fp64"])
        self.backends = fields.each("backends", _backend, default=["sim"])
        seed = fields.get("seed", 1)
        self.seed = whole(fields.place("seed"), seed, most=_MOST_SEED)
        self.variants = self._read_variants(folder)
        self.groups = fields.each("groups", self._on_any(_native.members), default=["all"])
        self.roots = fields.each("roots", self._on_any(_find_root), default=[DEFAULT_ROOT])

    def size(self) -> int:
        """How many points it has, those that are the same counted each."""
        count = len(self.variants)
        axes = (self.collectives, self.bytes, self.groups, self.roots, self.algorithms)
        for axis in (*axes, self.operators, self.elements, self.backends):
            count *= len(axis)
        return count

    def points(self) -> Iterator[Point]:
        """Its points, specs outermost: a network is used many times before the next one."""
        for variant, backend, collective, num_bytes, group, root, algorithm in itertools.product(
            self.variants,
            self.backends,
            self.collectives,
            self.bytes,
            self.groups,
            self.roots,
            self.algorithms,
        ):
            reduces = collective in REDUCING
            for operator, element in itertools.product(self.operators, self.elements):
                yield Point(
                    spec=variant.name,
                    spec_digest=variant.digest,
                    backend=backend,
                    collective=collective,
                    algorithm=algorithm,
                    bytes=0 if collective == "barrier" else num_bytes,
                    group=group,
                    root=root,
                    operator=operator if reduces else None,
                    element=element if reduces else None,
                    seed=self.seed,
                )

    def _read_variants(self, folder: str) -> list[_Variant]:
        specs = self._fields.each("specs", text)
        settings = list(_settings(self._fields))
        return [
            self._load(f"specs[{index}]", folder, spec, setting)
            for index, spec in enumerate(specs)
            for setting in settings
        ]

    def _load(self, field: str, folder: str, spec: str, setting: dict[str, Any]) -> _Variant:
        is_path = "/" in spec or spec.endswith(".toml")
        place = os.path.join(folder or os.curdir, spec) if is_path else spec
        try:
            network = load(place, overrides=setting)
        except NocclError as error:
            raise type(error)(f"{self._fields.place(field)}: {error}") from error
        name = OVERRIDE.join([spec, *(f"{key}={value}" for key, value in setting.items())])
        whole_text = network.to_toml()
        return _Variant(name, network, whole_text, digest(whole_text.encode()))

    def _on_any(self, find: Callable[[Network, str], object]) -> Callable[[str, object], str]:
        """A reader of texts that name something on one of the networks at least."""

        def read(name: str, value: object) -> str:
            found = text(name, value)
            refusals = []
            for variant in self.variants:
                try:
                    find(variant.network, found)
                except NocclError as error:
                    refusals.append(error)
                else:
                    return found
            raise ArgumentError(f"{name}: {refusals[0]}")

        return read


def _find_root(network: Network, root: str) -> object:
    return root if root == DEFAULT_ROOT else _native.tile_name(network, root)


def _size(name: str, value: object) -> int:
    try:
        return size(name, value)
    except NocclError as error:
        message = str(error).removeprefix("--bytes ")
        raise ArgumentError(message if name in message else f"{name}: {message}") from error


def _word(kind: str) -> Callable[[str, object], str]:
    def read(name: str, value: object) -> str:
        found = text(name, value)
        try:
            return _native.point_word(kind, found)
        except NocclError as error:
            _, _, reason = str(error).rpartition(f"'{found}': ")
            raise ArgumentError(f"{name}: {found!r}: {reason}") from error

    return read


def _backend(name: str, value: object) -> str:
    other = {"simulator": "sim"}
    found = text(name, value)
    found = other.get(found, found)
    if found not in BACKENDS:
        raise ArgumentError(
            f"{name}: {found!r}; accepted: {listed(BACKENDS)}{near(found, BACKENDS)}"
        )
    return found


def _settings(fields: Fields) -> Iterator[dict[str, Any]]:
    """One value of each override, in all combinations."""
    overrides = fields.get("overrides", {})
    place = fields.place("overrides")
    if not isinstance(overrides, Mapping):
        raise ArgumentError(f"{place}: {kind_of(overrides)}; accepted: dotted fields and values")
    flat = dict(_flat(overrides))
    axes = [_values(f"{place}.{key}", value) for key, value in flat.items()]
    for values in itertools.product(*axes):
        yield dict(zip(flat, values, strict=True))


def _flat(fields: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """Fields of nested tables by their dotted paths: TOML reads dots as tables."""
    for key, value in fields.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _values(place: str, value: object) -> Sequence[object]:
    found = plain(place, value)
    if not isinstance(found, list):
        return [found]
    if not found:
        raise ArgumentError(f"{place}: empty; accepted: one value, or a list of at least one")
    return found
