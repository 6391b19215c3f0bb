# SPDX-License-Identifier: Apache-2.0
"""Unchanged scripts, each rank with modules of its own.

The script is compiled once and executed per rank as `__main__`. It and the modules beside it stand
in `sys.modules` only while their rank runs, so that pickling, dataclasses and imports find the
rank's own. All other modules are shared by the ranks, as those of Python are.
"""

from __future__ import annotations

import contextlib
import importlib.abc
import importlib.machinery
import os
import sys
import types
from typing import TYPE_CHECKING, Any

from noccl.errors import ArgumentError, FileError
from noccl.files import read_text
from noccl.programs.clocks import simulated_time
from noccl.values import kind_of, text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from noccl.programs.hub import Hub


class Script:
    """A script that ranks run.

    Args:
        path: Of the script; call sites are shown with it as it stands here.
        args: What it sees in `sys.argv[1:]`.
        has_prefix: Begin each line that a rank prints with its number.

    Raises:
        FileError: It cannot be read, or is no Python.
    """

    def __init__(
        self, path: str | os.PathLike[str], args: Sequence[str], *, has_prefix: bool
    ) -> None:
        if not isinstance(path, str | os.PathLike):
            raise ArgumentError(f"path: {kind_of(path)}; accepted: a path")
        self._path = text("path", os.fsdecode(path))
        self._args = list(args)
        self._has_prefix = has_prefix
        try:
            self._code = compile(read_text(self._path), self._path, "exec", dont_inherit=True)
        except SyntaxError as error:
            raise FileError(f"{self._path}: {error}") from error

    def run(self, _: Any) -> None:
        """Executes the script in the rank that calls."""
        exec(self._code, sys.modules["__main__"].__dict__)  # noqa: S102 - what it is for

    @contextlib.contextmanager
    def around(self, hub: Hub) -> Iterator[None]:
        """Has ranks see their own modules, arguments and output, until the block is left."""
        folder = os.path.dirname(os.path.abspath(self._path))
        ranks = range(len(hub.links))
        clock = simulated_time(hub)
        modules = _Modules(folder, [{"__main__": self._main(folder), "time": clock} for _ in ranks])
        output = _Prefixed(sys.stdout, hub) if self._has_prefix else sys.stdout
        before = sys.argv, sys.path, sys.stdout
        sys.argv, sys.path = [self._path, *self._args], [folder, *sys.path]
        sys.stdout = output
        sys.meta_path.insert(0, modules)
        hub.on_switch = modules.switch
        try:
            yield
        finally:
            modules.switch(None)
            sys.meta_path.remove(modules)
            sys.argv, sys.path, sys.stdout = before
            if isinstance(output, _Prefixed):
                output.end()

    def _main(self, folder: str) -> types.ModuleType:
        main = types.ModuleType("__main__")
        main.__file__ = os.path.join(folder, os.path.basename(self._path))
        return main


class _Modules(importlib.abc.MetaPathFinder):
    """Which modules are a rank's own, and whose stand in `sys.modules`.

    Args:
        folder: Of the script: what lies in it is a rank's own.
        own: Per rank, its modules by name.
    """

    def __init__(self, folder: str, own: list[dict[str, types.ModuleType]]) -> None:
        self._folder = folder
        self._own = own
        self._names = {"__main__", "time"}
        self._rank: int | None = None
        self._before: dict[str, types.ModuleType] = {
            name: sys.modules[name] for name in ("__main__", "time")
        }

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: types.ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Notes what lies beside the script; the usual finder then finds it."""
        top = fullname.partition(".")[0]
        if top in self._names:
            self._names.add(fullname)
            return None
        if path is not None:
            return None
        found = importlib.machinery.PathFinder.find_spec(fullname, [self._folder], target)
        # A folder without code, found by name only, is left to whoever comes later in the path.
        if found is None or found.origin is None:
            return None
        self._names.add(fullname)
        return found

    def switch(self, rank: int | None) -> None:
        """Puts a rank's modules into `sys.modules`; None: those of before."""
        if self._rank is not None:
            self._own[self._rank] = self._removed()
        elif rank is not None:
            # What was imported before the run under the name of a module beside the script.
            self._before.update(self._removed())
        self._rank = rank
        sys.modules.update(self._before if rank is None else self._own[rank])

    def _removed(self) -> dict[str, types.ModuleType]:
        modules = sys.modules
        return {name: modules.pop(name) for name in self._names if name in modules}


class _Prefixed:
    """Standard output on which each line begins with the rank that printed it."""

    def __init__(self, inner: Any, hub: Hub) -> None:
        self._inner = inner
        self._hub = hub
        self._begun: dict[int | None, str] = {}

    def write(self, text: str) -> int:
        """Writes whole lines; keeps the rest until its line ends."""
        rank = self._hub.current
        *lines, rest = (self._begun.get(rank, "") + text).split("\n")
        for line in lines:
            self._inner.write(f"{self._label(rank)}{line}\n")
        self._begun[rank] = rest
        return len(text)

    def end(self) -> None:
        """Writes lines that were not ended."""
        for rank, rest in sorted(
            self._begun.items(), key=lambda item: -1 if item[0] is None else item[0]
        ):
            if rest:
                self._inner.write(f"{self._label(rank)}{rest}\n")

    @staticmethod
    def _label(rank: int | None) -> str:
        return "" if rank is None else f"[{rank}] "

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)
