"""Paths and names that all tools share. Uses only the standard library."""

import contextlib
import os
import random
import socket
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Logs, credentials and other files of running stacks.
LOCAL = ROOT / ".local"
# The values that `make run` writes for tools and people; tests use files of their own.
ENV = Path(os.environ.get("LOCAL_ENV", LOCAL / "env"))
# The virtual environments that install.py creates.
TOOLS = ROOT / ".tools"
FUNCTIONS = [
    "organization",
    "people",
    "insight",
    "apps",
    "chat",
    "sending",
    "notifications",
    "worker",
    "dispatch",
    "meter",
    "deliver",
    "sweep",
    "media",
    "playground",
    "reference",
    "operator",
]


def package(function: str) -> str:
    """Returns the package that contains a function."""
    return "delivery" if function in ("dispatch", "deliver", "sweep") else function


PACKAGES = sorted({package(function) for function in FUNCTIONS})
REGION = "us-east-1"


def shown(path: Path) -> Path:
    """A path as people see it: relative to the checkout, if it is in there."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def say(text: str) -> None:
    # A single write keeps lines of several threads apart.
    print(f"{text}\n", end="", flush=True)


def function_log(port: int | str) -> Path:
    """Returns the file to which `make run` on this port writes the functions' logs."""
    return LOCAL / f"functions-{port}.log"


def free_port() -> int:
    """Returns a port below the ranges from which systems choose ports themselves (32768 and 49152 upwards), so that no
    other process is given it before the caller binds it."""
    while True:
        port = random.SystemRandom().randrange(20000, 32768)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def target_directory() -> Path:
    """Returns cargo's target directory."""
    return Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
