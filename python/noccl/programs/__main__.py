# SPDX-License-Identifier: Apache-2.0
"""Runs a script from the command line: `python -m noccl.programs --ranks 16 jacobi.py 64`.

Standard output is the script's alone; a summary follows on standard error. With `--json` the
summary is standard output, and what the script prints goes to standard error. An error of the
program is one line after the stack of the rank that raised; the exit status is the rank's own if
it has given one (`sys.exit`, `Abort`), else 1.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from noccl.errors import ArgumentError, NocclError, ProgramError
from noccl.networks import load
from noccl.programs.run import run_script

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from noccl.programs.result import ProgramResult


def _unsaved(value: str) -> NoReturn:
    """Refuses the value of an option of runs that can be saved."""
    raise argparse.ArgumentTypeError(
        f"{value!r}: the Python objects of a script's ranks cannot be stored; accepted: with "
        "noccl run of a schedule, or of a compiled program over ports"
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m noccl.programs",
        description="Runs an mpi4py script on a simulated network, as mpiexec would.",
    )
    parser.add_argument("--ranks", "-n", type=int, required=True, help="number of ranks")
    parser.add_argument("--spec", default="collective_noc_4x4", help="preset or spec file")
    parser.add_argument(
        "--override", action="append", default=[], metavar="KEY=VALUE", help="a field of the spec"
    )
    parser.add_argument("--collectives", default="auto", help="algorithm of collectives")
    parser.add_argument("--max-cycles", type=int, help="give up after this many cycles")
    parser.add_argument("--noise-seed", type=int, help="seed of the network's noise")
    parser.add_argument(
        "--host-seconds", type=float, default=60.0, help="longest time without a call of any rank"
    )
    parser.add_argument("--prefix", action="store_true", help="begin lines with their rank")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    parser.add_argument(
        "--timeline",
        metavar="FILE",
        help="write what ranks did to this file: .json for ui.perfetto.dev, else a picture",
    )
    parser.add_argument(
        "--record", metavar="FILE", help="write what ranks called to this file, a message trace"
    )
    parser.add_argument(
        "--record-run",
        metavar="FILE",
        help="write what ranks and the network did over time to this file: .json or .parquet",
    )
    parser.add_argument(
        "--checkpoint",
        "--checkpoint-every",
        "--resume",
        type=_unsaved,
        help="not for scripts: their runs cannot be saved",
    )
    parser.add_argument("script", help="the script")
    parser.add_argument("args", nargs=argparse.REMAINDER, help="its arguments")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Runs the command; returns the exit status."""
    options = _parser().parse_args(arguments)
    own_output = contextlib.redirect_stdout(sys.stderr)
    try:
        with own_output if options.json else contextlib.nullcontext():
            name, result = _run(options)
    except NocclError as error:
        stack = error.rank_traceback if isinstance(error, ProgramError) else ""
        sys.stdout.flush()
        sys.stderr.write(f"{stack}error: {error}\n")
        return error.exit_status if isinstance(error, ProgramError) else 1
    except KeyboardInterrupt:
        sys.stdout.flush()
        sys.stderr.write("error: interrupted\n")
        return 130
    sys.stdout.flush()
    if options.json:
        sys.stdout.write(_json(name, result))
    else:
        sys.stderr.write(_text(name, result))
    return 0


def _run(options: argparse.Namespace) -> tuple[str, ProgramResult]:
    """Runs the script, and writes its timeline; the name of the network, and the result."""
    network = load(options.spec, overrides=dict(map(_override, options.override)))
    result = run_script(
        options.script,
        network,
        ranks=options.ranks,
        collectives=options.collectives,
        args=options.args,
        max_cycles=options.max_cycles,
        noise_seed=options.noise_seed,
        host_seconds=options.host_seconds,
        has_prefix=options.prefix,
        has_timeline=bool(options.record) or (options.timeline or "").endswith(".json"),
        record=bool(options.record_run),
    )
    if options.timeline:
        _write_timeline(result, options.timeline)
    if options.record:
        result.write_messages(options.record)
    if options.record_run:
        _write_recording(result, options.record_run)
    return network.name, result


def _write_timeline(result: ProgramResult, path: str) -> None:
    if path.endswith(".json"):
        result.write_timeline(path)
        return
    from noccl.plots import plot_timeline  # noqa: PLC0415 - only when it is asked for

    plot_timeline(result.timeline).savefig(path)


def _write_recording(result: ProgramResult, path: str) -> None:
    assert result.recording is not None  # noqa: S101 - the script was run with `record`
    if path.lower().endswith(".parquet"):
        result.recording.to_parquet(path)
    else:
        result.recording.to_perfetto(path)


def _override(text: str) -> tuple[str, str | int | float | bool]:
    """A field of the spec and its value: a number or a truth value if it reads as one."""
    key, is_there, value = text.partition("=")
    if not is_there:
        raise ArgumentError(f"--override {text}: accepted: KEY=VALUE")
    try:
        found = json.loads(value)
    except ValueError:
        return key, value
    return key, found if isinstance(found, (bool, int, float, str)) else value


def _text(network: str, result: ProgramResult) -> str:
    ranks = result.ranks
    finish = int(sum(ranks["finish_cycle"])) or 1
    lines = [
        ("network", network),
        ("ranks", str(len(ranks))),
        ("cycles", _grouped(result.cycles)),
        ("time", f"{result.time_ns / 1000:.3f} us"),
        (
            "messages",
            f"{_grouped(ranks['messages'].sum())} of {_grouped(ranks['bytes'].sum())} bytes",
        ),
        ("flit-hops", _grouped(result.flit_hops)),
    ]
    for part in ("compute", "send", "receive", "wait"):
        share = 100 * ranks[f"{part}_cycles"].sum() / finish
        lines.append((f"{part} time", f"{share:.1f} % of all ranks' cycles"))
    lines += [("collective", _use(one)) for one in result.collectives.rows()]
    return "".join(f"{name:<13} {value}\n" for name, value in lines)


def _use(one: Mapping[str, Any]) -> str:
    """How collectives were carried out, in a line."""
    length = "of various lengths" if one["bytes"] is None else f"of {_grouped(one['bytes'])} bytes"
    text = (
        f"{_grouped(one['calls'])} x {one['collective']} {length} in {one['ranks']} ranks: "
        f"{one['algorithm']}"
    )
    return text if one["reason"] is None else f"{text} ({one['reason']})"


def _json(network: str, result: ProgramResult) -> str:
    form = {
        "network": network,
        "cycles": result.cycles,
        "time_ns": result.time_ns,
        "flit_hops": result.flit_hops,
        "ranks": result.ranks.rows(),
        "collectives": result.collectives.rows(),
        "timeline": result.timeline.rows(),
    }
    return json.dumps(form) + "\n"


def _grouped(number: int) -> str:
    """A whole number with its digits in groups of three."""
    return f"{int(number):,}".replace(",", " ")


if __name__ == "__main__":
    if hasattr(signal, "SIGPIPE"):
        # Whoever reads the output may end first, as `head` does: no error of the program.
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    # The stack of a rank that ends the process by a memory fault.
    faulthandler.enable()
    # What ranks have printed is kept, however they end.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
