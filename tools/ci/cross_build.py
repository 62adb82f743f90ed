"""Builds one function as `make build` does for arm64, and checks that Lambda's runtime `provided.al2023` can run it."""

import json
import os
from pathlib import Path

from tools.bench.bench_docs import MEASURED
from tools.bench.release import IDLY
from tools.ci import elf
from tools.ci.steps import Failed, Steps, unchecked
from tools.stack import target
from tools.stack.project import target_directory

ARCHITECTURE, TARGET = "arm64", "aarch64-unknown-linux-gnu"
# A typical function. All of them have the same C code and the same AWS client.
FUNCTION = "organization"
# Amazon Linux 2023 has this version.
GLIBC = (2, 34)
# How much larger the function may be than the accepted one for x86_64 (tests/bench/measured.json).
LARGER = 1.25
FOLDER = target_directory() / "cross"


def cross_build(steps: Steps) -> None:
    steps.run("Cross-build for arm64", lambda: build(steps))


def build(steps: Steps) -> str:
    try:
        target.add(TARGET)
    except target.Missing as missing:
        raise unchecked(f"{missing} The build for arm64 was NOT checked.") from None
    # Clippy's compiler, with which `make check` builds, does not build for Lambda.
    environment = {name: value for name, value in os.environ.items() if name not in ("RUSTC_WORKSPACE_WRAPPER", "MAKEFLAGS")}
    make = [*IDLY, "make", "build", f"ARCHITECTURE={ARCHITECTURE}", f"ONLY={FUNCTION}", f"LAMBDA_DIR={FOLDER}"]
    steps.execute("Cross-build for arm64", tuple(make), {"env": environment})
    bootstrap = FOLDER / FUNCTION / "bootstrap"
    complaints = faults(bootstrap, accepted_size())
    if complaints:
        raise Failed("\n".join(f"{FUNCTION}: {complaint}" for complaint in complaints))
    found = elf.read(bootstrap)
    return f"{found.architecture}, glibc {shown(found.glibc or ())}, {found.size / 1024 / 1024:.2f} MiB"


def accepted_size() -> int:
    return json.loads(MEASURED.read_text())["functions"][FUNCTION]["bootstrapBytes"]


def faults(bootstrap: Path, accepted: int, architecture: str = ARCHITECTURE) -> list[str]:
    """Returns why Lambda could not run the file, or why it is not what was meant to be built."""
    try:
        found = elf.read(bootstrap)
    except (OSError, elf.Unreadable) as error:
        return [str(error)]
    complaints = []
    if found.architecture != architecture:
        complaints.append(f"is for {found.architecture}, not for {architecture}")
    if found.glibc is None:
        complaints.append("names no version of glibc: it is not linked as `make build` links functions")
    elif found.glibc > GLIBC:
        complaints.append(f"needs glibc {shown(found.glibc)}; the runtime provided.al2023 has {shown(GLIBC)}")
    if found.size > accepted * LARGER:
        complaints.append(
            f"has {found.size:,} bytes, more than {LARGER} times the {accepted:,} that are accepted for x86_64. Is it stripped? If "
            "the change is intended, run `make bench ACCEPT=1`"
        )
    return complaints


def shown(version: elf.Version) -> str:
    return ".".join(map(str, version))
