"""Runs the guard: `python -m tools.guard --upstream http://127.0.0.1:4566 [--port 0] [--stale-reads] [--record FILE]`.

`GET /_guard/refusals` lists all refusals so far. With `--stale-reads`, a read that is not strongly consistent
returns the items of the table's last write as they were before it: once for the table and once for each index, as if
the read came from a replica that has not seen the write yet. A caller that retries sees the write, as on AWS.
"""

import argparse
import signal
import threading
from pathlib import Path

from .connections import allow_connections
from .guard import Guard


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tools.guard",
        description="Rejects requests that AWS would reject and forwards the rest to the emulator.",
    )
    parser.add_argument("--upstream", required=True, help="address of the emulator")
    parser.add_argument("--port", type=int, default=0, help="port to listen on; 0 chooses a free one")
    parser.add_argument("--stale-reads", action="store_true", help="eventually consistent reads are one write old")
    parser.add_argument("--record", type=Path, help="file that gets a line of JSON for each refusal")
    options = parser.parse_args()
    allow_connections()
    ended = threading.Event()
    for end in (signal.SIGTERM, signal.SIGINT):
        signal.signal(end, lambda *_: ended.set())
    with Guard(options.upstream, options.port, options.stale_reads, options.record) as guard:
        print(f"Listening on {guard.url}", flush=True)
        ended.wait()


if __name__ == "__main__":
    main()
