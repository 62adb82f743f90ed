"""The AWS emulator: its application in uvicorn, whose HTTP takes a fraction of the processor time of the server that it
brings along; and the guard in the same process, which passes most requests to the application without HTTP between the
two (docs/adr/0031-test-time.md). Runs in the emulator's virtual environment.

Usage: python -m tools.stack.emulator --port 4566 [--guard-port 4567 [--stale-reads]]
"""

import argparse
import asyncio
import functools
import os
import sys
from pathlib import Path

from tools.stack.project import ROOT, TOOLS

# The time in seconds for requests in flight to end after a request to stop.
GRACE_SECONDS = 3


def command(port: int, *options: str) -> list[str]:
    return [str(TOOLS / "emulator" / "bin" / "python"), "-B", "-m", "tools.stack.emulator", "--port", str(port), *options]


def environment(surrounding: dict[str, str], port: int, files: Path, state: Path | None = None) -> dict[str, str]:
    """The environment of the emulator, without any settings for other clients of AWS. An emulator with a folder for its
    state writes it there when it ends, and reads it when it starts. The folder for its files is for whoever starts it to
    remove: the programs of all deployed functions, 300 MB, are among its temporary files, and it leaves them behind."""
    temporary = files / "temporary"
    temporary.mkdir(parents=True, exist_ok=True)
    persistence = {"PERSIST_STATE": "1", "STATE_DIR": str(state), "S3_PERSIST": "1"} if state else {}
    return {
        **surrounding,
        **persistence,
        "PYTHONPATH": str(ROOT),
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "LOG_LEVEL": "WARNING",
        "S3_DATA_DIR": str(files / "s3"),
        "TMPDIR": str(temporary),
    }


async def serve(port: int, guard_port: int | None, has_stale_reads: bool) -> None:
    """Serves until a signal ends the process."""
    # Only the emulator's virtual environment has these.
    import uvicorn
    from ministack.app import app
    from ministack.services import dynamodb

    # The emulator checks the expression again for every item that a query looks at: half of the query's time.
    dynamodb._condition_syntax_error = functools.lru_cache(maxsize=1024)(dynamodb._condition_syntax_error)
    name_shards()
    config = uvicorn.Config(
        app, host="127.0.0.1", port=port, http="httptools", ws="wsproto", backlog=512, timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS, proxy_headers=False, server_header=False, date_header=False,
        access_log=False, log_level="warning",
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started and not serving.done():
        await asyncio.sleep(0.02)
    if "PERSIST_STATE" in os.environ:
        rewind_streams()
    if guard_port is None or serving.done():
        return await serving
    guard = guarded(port, guard_port, has_stale_reads, app)
    guarding = asyncio.create_task(guard.main())
    await asyncio.wait({serving, guarding}, return_when=asyncio.FIRST_COMPLETED)
    guard.ended.set()
    await guarding
    await serving


def name_shards() -> None:
    """Adds to the records of a table's stream what Lambda adds for mappings with a tumbling window: the emulator has no windows.
    A stream of the emulator has a single shard."""
    from ministack.services import lambda_svc

    execute = lambda_svc._execute_function

    def execute_with_shard(function, event, *args, **kwargs):
        records = event.get("Records") if isinstance(event, dict) else None
        if records and records[0].get("eventSource") == "aws:dynamodb":
            window = {"shardId": "shardId-00000000000000000000-00000001", "state": {}, "isFinalInvokeForWindow": False}
            event = event | window | {"eventSourceARN": records[0]["eventSourceARN"], "Records": of_stream(records)}
        return execute(function, event, *args, **kwargs)

    lambda_svc._execute_function = execute_with_shard


def of_stream(records: list[dict]) -> list[dict]:
    """Returns the records with the view type that the table's stream has now. On AWS, another view type is another stream; the emulator
    keeps the records of both in one."""
    from ministack.services import dynamodb

    table = dynamodb._tables.get(records[0]["eventSourceARN"].split("/")[1]) or {}
    view = (table.get("StreamSpecification") or {}).get("StreamViewType")
    return [record for record in records if view is None or record["dynamodb"].get("StreamViewType", view) == view]


def rewind_streams() -> None:
    """Moves the readers of tables' streams to the beginning. Of an earlier state, the emulator knows their positions, but not
    the streams, which begin again: without this, the readers would skip as many records as they have read."""
    from ministack.services import lambda_svc

    positions = lambda_svc._dynamodb_stream_positions._data
    positions.update(dict.fromkeys(positions, 0))


def guarded(port: int, guard_port: int, has_stale_reads: bool, application):
    from tools.guard import Guard, allow_connections

    allow_connections()
    return Guard(f"http://127.0.0.1:{port}", guard_port, has_stale_reads, application=application)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.stack.emulator")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--guard-port", type=int, help="without it, there is no guard")
    parser.add_argument("--stale-reads", action="store_true", help="eventually consistent reads are one write old")
    options = parser.parse_args()
    # Functions that the emulator starts must not find this project's modules.
    os.environ.pop("PYTHONPATH", None)
    import uvloop

    uvloop.run(serve(options.port, options.guard_port, options.stale_reads))


if __name__ == "__main__":
    sys.exit(main())
