# SPDX-License-Identifier: Apache-2.0
"""From a preset name or a spec file to a network."""

from __future__ import annotations

import json
import os
import warnings
from typing import TYPE_CHECKING

from noccl import _native
from noccl.errors import ArgumentError
from noccl.tiles import Cluster, group_text
from noccl.values import kind_of, plain, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from noccl._native import Network
    from noccl.tiles import Group


def presets() -> list[str]:
    """Lists the names of the specs that ship with the library.

    >>> "collective_noc_4x4" in presets()
    True
    """
    return _native.presets()


def load(
    spec: str | os.PathLike[str],
    *,
    overrides: Mapping[str, str | int | float | bool] | None = None,
) -> Network:
    """Loads and elaborates a spec.

    >>> network = load("collective_noc_4x4", overrides={"router.merge_table_entries": 16})
    >>> network.width, network.height, network.num_memories
    (4, 4, 4)

    Args:
        spec: Preset name, or path of a TOML file (a path has a slash or ends in `.toml`).
        overrides: Dotted path of a field of the spec to its new value.

    Raises:
        SpecError: A key or a value of the spec is wrong, or there is no such preset.
        NetworkError: The spec describes no possible network.
        FileError: The file cannot be read.
    """
    # A JSON scalar is the same TOML scalar, so that a string stays a string.
    fields = {} if overrides is None else plain("overrides", overrides)
    if not isinstance(fields, dict):
        raise ArgumentError(f"overrides: {kind_of(overrides)}; accepted: a mapping of names")
    pairs = [(key, json.dumps(value)) for key, value in fields.items()]
    name = spec if isinstance(spec, str) else _path_text(spec)
    network = _native.load(text("spec", name), pairs)
    for note in network.old_names:
        warnings.warn(note, DeprecationWarning, stacklevel=2)
    return network


def members(network: Network, group: Group | str) -> list[Cluster]:
    """Lists the clusters of a group in rank order: x outer, y inner, ascending.

    >>> members(load("collective_noc_4x4"), "row:1")[:2]
    [Cluster(x=0, y=1), Cluster(x=1, y=1)]

    Args:
        network: Network.
        group: Group, or its text form: `all`, `row`, `row:Y`, `column:X`, `X,Y,W,H`.

    Raises:
        ArgumentError: The group is not on this network.
    """
    return [Cluster(x, y) for x, y in _native.members(network, group_text(group))]


def _path_text(path: os.PathLike[str]) -> str:
    if not isinstance(path, os.PathLike):
        raise ArgumentError(f"spec: {kind_of(path)}; accepted: a name or a path")
    name = os.fsdecode(path)
    return name if os.sep in name else os.path.join(os.curdir, name)
