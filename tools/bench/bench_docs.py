"""Generates the tables and plots of docs/performance.md from tests/bench/measured.json.

Usage: python -m tools.bench.bench_docs [--check]
"""

import json
import re
import sys
from pathlib import Path

from tools.stack.project import ROOT

MEASURED = ROOT / "tests" / "bench" / "measured.json"
PAGE = ROOT / "docs" / "performance.md"
PLOTS = ROOT / "docs" / "plots"
# Published Init Durations in milliseconds: 128 MB, zip, arm64 (https://github.com/maxday/lambda-perf, data/last.json of
# 2026-08-22).
PUBLISHED_STARTS = {"Rust, hello": 13.9, "Go": 42, ".NET 10 AOT": 63, "Python 3.13": 81, "Node 24": 116, "Java 21": 254}
# Published zip size in MiB with the SDK's default features (https://shinyaz.com, 2026-03-31).
PUBLISHED_ZIP = {"Rust with the DynamoDB SDK's default features": 11.0}
BAR, ROW, LEFT = 420, 22, 330


def mib(size: int | None) -> str:
    return "" if size is None else f"{size / 2**20:.2f}"


def decimal(number: float | None, of: float = 1) -> str:
    return "" if number is None else f"{number / of:.2f}"


def functions_table(functions: dict) -> str:
    head = (
        "| function | bootstrap MiB | zip MiB | init M instr. | x hello | without its reads | first request / steady "
        "| start ms | x hello | memory MiB | growth MiB |"
    )
    rows = [head, "|---" * 11 + "|"]
    for name, row in functions.items():
        rows.append(
            f"| {name} | {mib(row['bootstrapBytes'])} | {mib(row['zipBytes'])} | {row['initInstructions'] / 1e6:.2f} | "
            f"{row['initInstructionsRatio']:.2f} | {row['initWithoutReadsRatio']:.2f} | "
            f"{row['firstRequestRatio'] or '':.4} | {row['initWallMs']:.1f} | {row['initWallRatio']:.2f} | "
            f"{mib(row['rssBytes'])} | {mib(row['rssGrowthBytes'])} |"
        )
    return "\n".join(rows)


def operations_table(operations: dict) -> str:
    head = "| operation | calls | in sequence | read units | write units | M instr. | ratio | $ per million |"
    rows = [head, "|---" * 8 + "|"]
    for name, row in operations.items():
        rows.append(
            f"| `{name}` | {row['dynamodbCalls']} | {row['sequentialDepth']} | "
            f"{row['readUnits']:g} | {row['writeUnits']:g} | "
            f"{decimal(row['instructions'], 1e6)} | {decimal(row['instructionsRatio'])} | {row['costPerMillionUsd']:.2f} |"
        )
    return "\n".join(rows)


def baselines_text(base: dict) -> str:
    return (
        f"A warm request of `bench-hello` is {base['hello'] / 1e6:.3f} M instructions; "
        f"of `bench-bare` with a GetItem {base['get'] / 1e6:.3f} M, "
        f"with a BatchGetItem of two keys {base['batch'] / 1e6:.3f} M "
        f"and {base['batchItem'] / 1e6:.3f} M for each more, "
        f"with a PutItem {base['put'] / 1e6:.3f} M, "
        f"with a transaction of two puts {base['transact'] / 1e6:.3f} M "
        f"and {base['transactItem'] / 1e6:.3f} M for each more, with a Query {base['query'] / 1e6:.3f} M."
    )


def bars(title: str, unit: str, values: dict[str, float], ours: set[str]) -> str:
    """Draws horizontal bars; this project's are blue."""
    most, height = max(values.values()), ROW * len(values) + 46
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + BAR + 90}" height="{height}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="100%" height="100%" fill="white"/><text x="10" y="22" font-size="15">{title}</text>',
    ]
    for index, (name, value) in enumerate(values.items()):
        y, width = 36 + index * ROW, max(1, value / most * BAR)
        colour = "#1f77b4" if name in ours else "#b0b0b0"
        lines.append(
            f'<text x="{LEFT - 8}" y="{y + 14}" text-anchor="end">{name}</text>'
            f'<rect x="{LEFT}" y="{y + 2}" width="{width:.1f}" height="{ROW - 6}" fill="{colour}"/>'
            f'<text x="{LEFT + width + 6:.1f}" y="{y + 14}">{value:.2f} {unit}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def plots(measured: dict) -> dict[Path, str]:
    functions, hello = measured["functions"], measured["functions"]["bench-hello"]
    own = {name: row for name, row in functions.items() if name != "bench-hello"}
    zips = {f"{name} (here)": row["zipBytes"] / 2**20 for name, row in own.items()}
    # Only the published number includes the time that Lambda needs before the function's code runs.
    starts = {
        f"{name} (here, added)": PUBLISHED_STARTS["Rust, hello"] + row["initWallMs"] - hello["initWallMs"]
        for name, row in own.items()
    }
    prices = {name: row["costPerMillionUsd"] for name, row in measured["operations"].items()}
    prices = dict(sorted(prices.items(), key=lambda item: item[1]))
    shown = {name.replace("{", "").replace("}", "").replace("/v1/", "/"): value for name, value in prices.items()}
    by_value = lambda values: dict(sorted(values.items(), key=lambda item: item[1]))  # noqa: E731
    return {
        PLOTS / "size.svg": bars("Zip of a function", "MiB", by_value({**PUBLISHED_ZIP, **zips}), set(zips)),
        PLOTS / "start.svg": bars(
            "Start of a function: published numbers, and this project's functions",
            "ms",
            by_value({**PUBLISHED_STARTS, **starts}),
            set(starts),
        ),
        PLOTS / "cost.svg": bars(
            "Cost per million requests",
            "USD",
            {name[-46:]: value for name, value in shown.items()},
            {name[-46:] for name in shown},
        ),
    }


def page(measured: dict) -> str:
    parts = {
        "functions": functions_table(measured["functions"]),
        "baselines": baselines_text(measured["baselines"]),
        "operations": operations_table(measured["operations"]),
    }
    text = PAGE.read_text()
    for name, made in parts.items():
        text = re.sub(
            rf"(<!-- {name} -->\n).*?(\n<!-- end -->)", lambda found: found[1] + made + found[2], text, flags=re.S
        )
    return text


def main() -> None:
    measured = json.loads(MEASURED.read_text())
    files = {PAGE: page(measured), **plots(measured)}
    if "--check" in sys.argv:
        stale = [path.name for path, made in files.items() if not path.exists() or path.read_text() != made]
        if stale:
            sys.exit(
                f"Out of date with tests/bench/measured.json: {', '.join(stale)}. Run python -m tools.bench.bench_docs."
            )
        return
    PLOTS.mkdir(exist_ok=True)
    for path, made in files.items():
        path.write_text(made)


if __name__ == "__main__":
    main()
