# SPDX-License-Identifier: Apache-2.0
"""From a preset name or a spec file to a network."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from noccl import _native
from noccl.errors import ArgumentError
from noccl.tiles import Cluster, group_text
from noccl.values import kind_of, plain, several, text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from noccl._native import Network
    from noccl.tiles import AnyGroup

DEFAULT_SPEC = "collective_noc_4x4"
"""The network of the command line, where none is named."""
AnyNetwork: TypeAlias = "Network | str | os.PathLike[str]"
"""A network, or what `load` makes one of."""
Overrides: TypeAlias = (
    "Mapping[str, str | int | float | bool] | str | Sequence[str | tuple[str, str]]"
)
"""Fields of a spec with new values: a mapping, or texts `KEY=VALUE`."""


def presets() -> list[str]:
    """Lists the names of the specs that ship with the library.

    >>> "collective_noc_4x4" in presets()
    True
    """
    return _native.presets()


def load(
    spec: str | os.PathLike[str] = DEFAULT_SPEC,
    *,
    overrides: Overrides | None = None,
) -> Network:
    """Loads and elaborates a spec.

    >>> network = load("collective_noc_4x4", overrides={"router.merge_table_entries": 16})
    >>> network.width, network.height, network.num_memories
    (4, 4, 4)

    Args:
        spec: Preset name, or path of a TOML file (a path has a slash or ends in `.toml`).
        overrides: Dotted path of a field of the spec to its new value; or `"KEY=VALUE"`, or a list
            of such texts.

    Raises:
        SpecError: A key or a value of the spec is wrong, or there is no such preset.
        NetworkError: The spec describes no possible network.
        FileError: The file cannot be read.
    """
    name = spec if isinstance(spec, str) else _path_text(spec)
    network = _native.load(text("spec", name), override_pairs(overrides))
    for note in network.old_names:
        warnings.warn(note, DeprecationWarning, stacklevel=2)
    return network


def network_of(network: object) -> Network:
    """The network, loaded if it is the name or the path of a spec.

    Raises:
        ArgumentError: It is none.
        NocclError: As `load`.
    """
    if isinstance(network, _native.Network):
        return network
    if isinstance(network, (str, os.PathLike)):
        return load(network)
    accepted = "accepted: what noccl.load returns, or the name or the path of a spec"
    raise ArgumentError(f"network: {kind_of(network)}; {accepted}")


def override_pairs(overrides: Overrides | None) -> list[tuple[str, str]]:
    """Overrides as the engine takes them: dotted path and TOML text of each.

    >>> override_pairs({"router.x": 4}), override_pairs("router.x=4")
    ([('router.x', '4')], [('router.x', '4')])

    Raises:
        ArgumentError: They have none of the forms.
    """
    if overrides is None:
        return []
    if isinstance(overrides, Mapping):
        fields = ((text("overrides", key), value) for key, value in overrides.items())
        # A JSON scalar is the same TOML scalar, so that a string stays a string.
        return [(key, json.dumps(plain(f"overrides.{key}", value))) for key, value in fields]
    return [_pair(setting) for setting in several("overrides", overrides)]


def _pair(setting: object) -> tuple[str, str]:
    accepted = "accepted: {'router.x': 4}, 'router.x=4', or a list of such texts"
    if isinstance(setting, (tuple, list)) and len(setting) == 2:  # noqa: PLR2004 - a pair
        return text("overrides", setting[0]), text("overrides", setting[1])
    if not isinstance(setting, str):
        raise ArgumentError(f"overrides: {kind_of(setting)}; {accepted}")
    key, equals, value = text("overrides", setting).partition("=")
    if not key or not equals:
        raise ArgumentError(f"overrides: {setting!r}; {accepted}")
    return key.strip(), value.strip()


def members(network: AnyNetwork, group: AnyGroup) -> list[Cluster]:
    """Lists the clusters of a group in rank order: x outer, y inner, ascending.

    >>> members(load("collective_noc_4x4"), "row:1")[:2]
    [Cluster(x=0, y=1), Cluster(x=1, y=1)]

    Args:
        network: Network, or what `load` takes.
        group: Group, or its text form: `all`, `row`, `row:Y`, `column:X`, `X,Y,W,H`.

    Raises:
        ArgumentError: The group is not on this network.
    """
    found = _native.members(network_of(network), group_text(group))
    return [Cluster(x, y) for x, y in found]


def _path_text(path: os.PathLike[str]) -> str:
    if not isinstance(path, os.PathLike):
        raise ArgumentError(f"spec: {kind_of(path)}; accepted: a name or a path")
    name = os.fsdecode(path)
    return name if os.sep in name else os.path.join(os.curdir, name)
