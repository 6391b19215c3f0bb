# SPDX-License-Identifier: Apache-2.0
"""`noccl sweep` from Python: `python -m noccl.sweeps run study.toml`, `status`, `plot`.

Exit codes are those of the command line: 0 fine; 1 a point failed; 2 wrong input, nothing ran;
3 interrupted, and what was finished is stored; 4 a result could not be written.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

from noccl.drawings import repeatable, with_dark_colours
from noccl.errors import ArgumentError, NocclError
from noccl.sweeps.pareto import plot_pareto
from noccl.sweeps.run import sweep
from noccl.sweeps.status import SweepStatus, sweep_status
from noccl.sweeps.store import NotWrittenError, read_sweep

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from noccl.runs import Progress

FINE, FAILED, BAD_INPUT, SAVED, NOT_WRITTEN = range(5)
_PICTURES = (".svg", ".png", ".pdf")
_SECONDS_BETWEEN_LINES = 0.2
_MINUTE = 60


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        return {"run": _run, "status": _status, "plot": _plot}[options.action](options)
    except NotWrittenError as error:
        return _report(error, NOT_WRITTEN)
    except NocclError as error:
        return _report(error, BAD_INPUT)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m noccl.sweeps", allow_abbrev=False)
    actions = parser.add_subparsers(dest="action", required=True)
    run = actions.add_parser("run", help="run a study, or what is left of it")
    run.add_argument("study", help="the study, a TOML file")
    run.add_argument("--output", help="folder of the results")
    run.add_argument("--processes", type=int, help="processes of the local pool")
    run.add_argument("--ray", help="address of a Ray cluster, or auto")
    run.add_argument("--json", action="store_true", help="print the state as JSON")
    run.add_argument(
        "--ends-with-input", action="store_true", help="end when the standard input does"
    )
    status = actions.add_parser("status", help="what is done, refused, failed and missing")
    status.add_argument("folder", help="folder of the results")
    status.add_argument("--json", action="store_true", help="print it as JSON")
    plot = actions.add_parser("plot", help="draw cycles over energy")
    plot.add_argument("folder", help="folder of the results")
    plot.add_argument("--output", default="pareto.svg", help="where to write it")
    for name in ("collective", "backend", "bytes", "network", "group"):
        plot.add_argument(f"--{name}", help=f"only this {name}")
    plot.add_argument("--algorithms", help="only these, with commas between them")
    return parser


def _run(options: argparse.Namespace) -> int:
    folder = options.output or f"{Path(options.study).stem}.sweep"
    # SIGTERM ends as Ctrl-C does, and so does the end of whoever called.
    _ASKED.clear()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)
    if options.ends_with_input:
        threading.Thread(target=_end_with_input, daemon=True).start()
    line = _Line()
    try:
        sweep(
            options.study,
            folder,
            processes=options.processes,
            ray=options.ray,
            on_progress=lambda progress: _shown(line, progress),
        )
    except KeyboardInterrupt:
        line.clear()
        sys.stderr.write(f"interrupted: {_stored(folder)}\ngo on with the same command\n")
        return SAVED
    finally:
        line.clear()
    found = sweep_status(folder)
    _print(found, is_json=options.json)
    return FAILED if found.all.failed else FINE


def _status(options: argparse.Namespace) -> int:
    found = sweep_status(options.folder)
    _print(found, is_json=options.json)
    return FAILED if found.all.failed else FINE


def _plot(options: argparse.Namespace) -> int:
    _check_picture("--output", options.output)
    figure = plot_pareto(
        read_sweep(options.folder),
        collective=options.collective,
        num_bytes=options.bytes,
        network=options.network,
        group=options.group,
        algorithms=options.algorithms.split(",") if options.algorithms else None,
        backend=options.backend,
    )
    _save(figure, options.output)
    return FINE


def _check_picture(name: str, path: str) -> None:
    if not path.endswith(_PICTURES):
        raise ArgumentError(f"{name}: {path}; accepted: a file {', '.join(_PICTURES)}")


def _save(figure: Figure, path: str) -> None:
    try:
        with repeatable():
            if path.endswith(".svg"):
                text = io.StringIO()
                # Without the date: the same rows are the same file.
                figure.savefig(text, format="svg", metadata={"Date": None})
                Path(path).write_text(with_dark_colours(text.getvalue()), encoding="utf-8")
            else:
                figure.savefig(path, dpi=150)
    except OSError as error:
        raise NotWrittenError(f"{path}: cannot write: {error}") from error


def _stored(folder: str) -> str:
    try:
        found = sweep_status(folder).all
    except NocclError:
        return "no point begun"
    return f"{folder} has {found.total - found.missing} of {found.total} points"


_ASKED = threading.Event()
"""Set by the interrupt that ends the sweep."""


def _shown(line: _Line, progress: Progress) -> None:
    """Shows the progress; raises an interrupt that Python has ignored, as in a destructor."""
    line.show(progress)
    if _ASKED.is_set():
        raise KeyboardInterrupt


def _interrupt(_number: int, _frame: object) -> None:
    """Ends the sweep; once: what follows while it ends would cut that short."""
    _ASKED.set()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_with_input() -> None:
    while os.read(sys.stdin.fileno(), 1):
        pass
    os.kill(os.getpid(), signal.SIGINT)


def _print(status: SweepStatus, *, is_json: bool) -> None:
    if is_json:
        sys.stdout.write(json.dumps(status.to_json(), indent=2) + "\n")
        return
    names = ("spec", "points", "done", "refused", "failed", "missing")
    lines: list[tuple[str, ...]] = [names]
    for spec in (*status.specs, status.all):
        counts = (spec.total, spec.done, spec.refused, spec.failed, spec.missing)
        lines.append((spec.spec, *(f"{count:,}".replace(",", " ") for count in counts)))
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        sys.stdout.write("  ".join([first.ljust(widths[0]), *cells]) + "\n")
    if status.next_missing:
        state = "running" if status.is_running else "not running; the same `noccl sweep` goes on"
        sys.stdout.write(f"{state}; missing, among others:\n")
        sys.stdout.writelines(f"  {point}\n" for point in status.next_missing)


class _Line:
    """How far a sweep is, in one line of a terminal."""

    def __init__(self) -> None:
        self._done = 0
        self._total = 0
        self._first: tuple[float, int] | None = None
        self._shown = 0.0
        self._is_terminal = sys.stderr.isatty()

    def show(self, progress: Progress) -> None:
        """Draws it anew."""
        self._done, self._total = progress.done, progress.total
        now = time.monotonic()
        if self._first is None:
            self._first = (now, progress.done)
        is_due = now - self._shown >= _SECONDS_BETWEEN_LINES
        if not self._is_terminal or not is_due or not progress.total:
            return
        self._shown = now
        width = 30
        full = width * progress.done // progress.total
        bar = "#" * full + "-" * (width - full)
        left = self._left(now)
        sys.stderr.write(f"\r\x1b[K[{bar}] {progress.done}/{progress.total} points{left}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Removes it."""
        if self._is_terminal and self._shown:
            sys.stderr.write("\r\x1b[K")
            self._shown = 0.0

    def _left(self, now: float) -> str:
        if self._first is None or self._done == self._first[1]:
            return ""
        rate = (self._done - self._first[1]) / (now - self._first[0])
        seconds = round((self._total - self._done) / rate)
        return f", {seconds // _MINUTE}:{seconds % _MINUTE:02} left"


def _report(error: NocclError, code: int) -> int:
    sys.stdout.flush()
    sys.stderr.write(f"error: {error}\n")
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
