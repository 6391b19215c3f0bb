# SPDX-License-Identifier: Apache-2.0
"""When ranks compute, send, receive and wait: `make systems-pictures`.

Writes a picture of each program of `systems.py` on all systems into docs/systems, and the shares of
docs/systems.md. Small problems; a picture shows a part of the timed time, since programs have more
slices than a picture has points.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from systems import PAGE, PROGRAMS, RANKS, ROOT, SYSTEMS, System, block, build, said

from noccl.timelines import Timeline, plot_times, read_timeline, svg

FOLDER = ROOT / "docs" / "systems"
NAMES = {"Jacobi": "jacobi", "CG": "cg", "sample sort": "sample_sort"}
NAMES["tensor-parallel layers"] = "tensor_parallel"
SHOWN = {"Jacobi": 0.06, "CG": 0.004, "sample sort": 1.0, "tensor-parallel layers": 0.2}
"""Which part of the time a picture shows, from its middle."""
WAITS = ("wait", "wait for words", "wait for space")


def timeline_of(system: System, program: str, folder: Path) -> Timeline:
    """The timeline of a compiled program on a system."""
    file = folder / "timeline.json"
    arguments = ["run", program, "--program", "--ranks", str(RANKS), "--spec", system.spec]
    arguments += ["--collectives", system.collectives] if system.collectives else []
    said([*arguments, "--timeline", str(file), "--json"])
    return read_timeline(file)


def timed(timeline: Timeline) -> int:
    """The cycle up to which all ranks work: rank 0 may check the result alone afterwards."""
    alone = [part for part in timeline.ranks[0] if part[2] not in WAITS]
    start, end, _ = max(alone, key=lambda part: part[1] - part[0])
    return start if end - start > timeline.cycles / 5 else timeline.cycles


def window(timeline: Timeline, part: float) -> tuple[int, int]:
    """The middle of the timed time."""
    end = timed(timeline)
    return round(end * (1 - part) / 2), round(end * (1 + part) / 2)


def share(timeline: Timeline, *kinds: str) -> float:
    """Per cent of the timed time that ranks spend on something, on average."""
    until = (0, timed(timeline))

    def spent(kinds: Iterable[str]) -> int:
        return sum(timeline.cycles_of(rank, kind, until) for rank in range(RANKS) for kind in kinds)

    return 100 * spent(kinds) / spent(timeline.kinds)


def cell(timeline: Timeline) -> str:
    """Computing, sending, receiving, waiting; of executed cores executing and waiting."""
    if "execute" in timeline.kinds:
        return f"{share(timeline, 'execute'):.0f} / {share(timeline, *WAITS):.0f}"
    kinds = ("compute", "send", "receive", "wait")
    return " / ".join(f"{share(timeline, kind):.0f}" for kind in kinds)


def main() -> None:
    """Runs everything and writes pictures and table."""
    found: dict[str, list[Timeline]] = {}
    FOLDER.mkdir(exist_ok=True)
    for name, (sources, small, _) in PROGRAMS.items():
        with tempfile.TemporaryDirectory() as folder:
            ports = build(sources, small, Path(folder), calls=False)
            calls = build(sources, small, Path(folder), calls=True)
            found[name] = [
                timeline_of(system, calls if system.collectives else ports, Path(folder))
                for system in SYSTEMS
            ]
        print(name, [cell(of) for of in found[name]], file=sys.stderr, flush=True)
        windows = [window(of, SHOWN[name]) for of in found[name]]
        titles = [f"{system.label} ({system.spec})" for system in SYSTEMS]
        picture = svg(plot_times(found[name], titles, windows))
        (FOLDER / f"{NAMES[name]}.svg").write_bytes(picture)
    lines = ["| system | " + " | ".join(PROGRAMS) + " |", "|---" * (len(PROGRAMS) + 1) + "|"]
    for row, system in enumerate(SYSTEMS):
        cells = [cell(of[row]) for of in found.values()]
        lines.append(f"| {system.label} | " + " | ".join(cells) + " |")
    text = PAGE.read_text(encoding="utf-8")
    text = block("shares").replaced(text, "\n".join([*lines, ""]))
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
