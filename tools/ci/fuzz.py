"""`make fuzz`: builds the targets of fuzz/ and runs each for a while, starting from the kept inputs and
earlier findings.

Usage: python -m tools.ci.fuzz [SECONDS [TARGET...]]   (15 seconds per target, all targets)
       python -m tools.ci.fuzz --short   (as in `make check`: the kept inputs and hundreds to thousands more)
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tools.stack.project import ROOT, say, target_directory

FUZZ = ROOT / "fuzz"
BUILT = target_directory() / "debug"
# The folder for findings (new inputs and failing ones), from which the next run starts.
FOUND = ROOT / "target" / "fuzz"
# The maximum input size in bytes; smaller for slow targets.
LONGEST = {"multipart": 16384, "notification": 8192, "request": 4096}
DEFAULT_LONGEST = 2048
SHOWN = 2000
# The number of inputs for `--short`: the kept inputs and some more. Rare findings are left to `make fuzz`, so that
# they do not fail unrelated changes.
INPUTS = {"credential": 5_000, "cursor": 5_000, "body": 5_000, "webhook": 3_000, "values": 3_000}
DEFAULT_INPUTS = 500
LATEST = 60


def targets() -> list[str]:
    return sorted(path.stem for path in (FUZZ / "fuzz_targets").glob("*.rs"))


def instrument() -> Path:
    """Writes the compiler wrapper under a name derived from its content: cargo identifies a wrapper only by its path,
    and must rebuild when the content changes."""
    content = (FUZZ / "instrument").read_bytes()
    path = FOUND / f"instrument-{hashlib.sha256(content).hexdigest()[:8]}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    path.chmod(0o755)
    return path


def build(names: list[str]) -> None:
    """Builds the targets. Only workspace crates are instrumented; dependencies are shared with other dev builds."""
    environment = {**os.environ, "RUSTC_WORKSPACE_WRAPPER": str(instrument()), "CARGO_INCREMENTAL": "0"}
    programs = [argument for name in names for argument in ("--bin", name)]
    # libFuzzer's own code runs after every input and need not be debugged, so it is optimized.
    quick = ["--config", "profile.dev.package.libfuzzer-sys.opt-level=3"]
    command = ["cargo", "build", "--locked", "--workspace", *quick, "--features", "fuzz/libfuzzer", *programs]
    if subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode != 0:
        sys.exit("The fuzz targets could not be built.")


def command(name: str, seconds: int, found: Path, corpus: Path) -> list[str]:
    return [
        str(BUILT / name),
        str(corpus),
        str(FUZZ / "corpus" / name),
        f"-dict={FUZZ / 'dictionaries' / name}.dict",
        f"-artifact_prefix={found}/",
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST.get(name, DEFAULT_LONGEST)}",
        f"-seed={os.environ.get('SEED', '1')}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        "-use_value_profile=1",
        "-print_final_stats=1",
    ]


def run(name: str, seconds: int, is_short: bool) -> str | None:
    """Runs a target. Returns a description of the problem, or None."""
    found = FOUND / name
    corpus = found / ("short" if is_short else "corpus")
    if is_short:
        shutil.rmtree(corpus, ignore_errors=True)
    corpus.mkdir(parents=True, exist_ok=True)
    before = set(found.glob("*-*"))
    log = found / "log.txt"
    with log.open("wb") as output:
        bound = [f"-runs={INPUTS.get(name, DEFAULT_INPUTS)}", "-seed=1"] if is_short else []
        code = subprocess.run(
            [*command(name, seconds, found, corpus), *bound], cwd=found, stdout=output, stderr=output, check=False
        ).returncode
    text = log.read_text(errors="replace")
    if code != 0:
        return complaint(name, text, sorted(set(found.glob("*-*")) - before))
    counters = re.search(r"\((\d+) inline 8-bit counters\)", text)
    if counters is None or int(counters[1]) < 1000:
        return f"{name} is not instrumented: its inputs were random, without coverage feedback.\n{text[-SHOWN:]}"
    runs = re.search(r"stat::number_of_executed_units: (\d+)", text)
    covered = re.findall(r"cov: (\d+)", text)
    say(
        f"   {name}: {int(runs[1]) if runs else 0:,} inputs, "
        f"{covered[-1] if covered else 0} of {counters[1]} code locations covered"
    )
    return None


def complaint(name: str, text: str, inputs: list[Path]) -> str:
    """Describes the panic, the failing input, and how to reproduce it."""
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    shown = "\n".join(lines[-60:])[-4 * SHOWN :]
    for path in inputs:
        content = path.read_bytes()
        more = "" if len(content) <= SHOWN else f" ... and {len(content) - SHOWN} bytes more"
        shown += f"\n\n{path.relative_to(ROOT)}\n{content[:SHOWN]!r}{more}\nReproduce with: {BUILT / name} {path}"
    return f"{name} found a failing input:\n{shown}"


def main() -> None:
    arguments = sys.argv[1:]
    is_short = arguments[:1] == ["--short"]
    seconds = LATEST if is_short else int(arguments[0]) if arguments else 15
    names = arguments[1:] or targets()
    unknown = set(names) - set(targets())
    if unknown:
        sys.exit(f"Unknown target: {', '.join(sorted(unknown))}. Allowed: {', '.join(targets())}.")
    if shutil.which(os.environ.get("CXX", "c++")) is None:
        say(
            "   No C++ compiler found: nothing was FUZZED. Install a C++ compiler. "
            "The tests run the inputs in fuzz/corpus."
        )
        return
    build(names)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        complaints = [found for found in pool.map(lambda name: run(name, seconds, is_short), names) if found]
    if complaints:
        sys.exit("\n\n".join(complaints))


if __name__ == "__main__":
    main()
