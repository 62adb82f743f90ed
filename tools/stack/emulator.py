"""How the AWS emulator is started: its application in uvicorn, whose HTTP takes a fraction of the processor time of the
server that it brings along, which was more than its own work (docs/adr/0031-test-time.md)."""

import os
from pathlib import Path

from tools.stack.project import TOOLS

# The time in seconds for requests in flight to end after a request to stop.
GRACE_SECONDS = 3


def command(port: int) -> list[str]:
    return [
        str(TOOLS / "emulator" / "bin" / "python"),
        *("-m", "uvicorn", "ministack.app:app"),
        *("--host", "127.0.0.1", "--port", str(port)),
        *("--http", "httptools", "--loop", "uvloop", "--ws", "wsproto"),
        *("--no-server-header", "--no-date-header", "--no-access-log", "--log-level", "warning"),
        *("--timeout-keep-alive", "75", "--timeout-graceful-shutdown", str(GRACE_SECONDS), "--backlog", "512"),
    ]


def environment(surrounding: dict[str, str], port: int, files: Path) -> dict[str, str]:
    """The environment of the emulator, without any settings for other clients of AWS."""
    return {
        **surrounding,
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "LOG_LEVEL": "WARNING",
        "S3_DATA_DIR": str(files),
    }
