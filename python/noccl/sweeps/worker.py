# SPDX-License-Identifier: Apache-2.0
"""A process of the local pool: a request per line of its input, a response per line of its output.

Input that ends means that the pool is gone, however it ended: the process ends at once, in the
middle of a point if need be.
"""

from __future__ import annotations

import os
import queue
import sys
import threading

from noccl.sweeps.execute import respond


def main() -> None:
    """Responds until the input ends."""
    # What anything prints goes where messages go.
    output = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    requests: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_read, args=[requests], daemon=True).start()
    while True:
        output.write(respond(requests.get()) + "\n")
        output.flush()


def _read(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)


if __name__ == "__main__":
    main()
