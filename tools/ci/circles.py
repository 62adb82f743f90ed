"""Keeps module dependencies acyclic: between the files of each Rust crate, between the crates, and between the files of
tools/.

Usage: python -m tools.ci.circles
"""

import ast
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tools.ci.rust_modules import file_edges, read_crate
from tools.stack.project import ROOT

Edges = dict[tuple[Path, Path], set[str]]

# The layers (docs/architecture.md), from the bottom up. A crate may use only crates of lower layers.
LAYERS = [
    {"domain"},
    {"aws"},
    {"store"},
    {"views", "platform", "carrier", "runtime"},
    {"inbound", "api"},
    {"outbound", "accounts"},
]
# Only these crates may use a function's crate.
ABOVE_FUNCTIONS = {"contract", "tests", "fuzz"}


def circles(edges: Iterable[tuple[Path, Path]]) -> list[list[Path]]:
    """Returns the strongly connected components of more than one file."""
    following = defaultdict(set)
    for start, end in edges:
        following[start].add(end)
    index, low, stack, found = {}, {}, [], []

    def visit(node: Path) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in sorted(following[node]):
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            component = stack[at:]
            del stack[at:]
            if len(component) > 1:
                found.append(sorted(component))

    for node in sorted(following):
        if node not in index:
            visit(node)
    return sorted(found)


def described(circle: list[Path], edges: Edges, root: Path) -> str:
    lines = ["Circular dependency between " + ", ".join(str(path.relative_to(root)) for path in circle)]
    for (start, end), names in sorted(edges.items()):
        if start in circle and end in circle:
            used = ", ".join(sorted(names))
            lines.append(f"    {start.relative_to(root)} uses {used} of {end.relative_to(root)}")
    return "\n".join(lines)


def python_edges(root: Path) -> Edges:
    """Dependencies between the files of a package, including type-only imports and imports inside functions."""
    files = {path for path in root.rglob("*.py") if not path.name.startswith("test_")}
    edges: Edges = defaultdict(set)
    for path in files:
        for node in ast.walk(ast.parse(path.read_text())):
            for target, name in imported(node, path, root):
                if target in files and target != path:
                    edges[path, target].add(name)
    return edges


def imported(node: ast.AST, path: Path, root: Path) -> Iterable[tuple[Path, str]]:
    """Yields the file of each module that a statement imports, and the imported name."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield python_file(root.parent.joinpath(*alias.name.split("."))), alias.name
    elif isinstance(node, ast.ImportFrom):
        base = path.parents[node.level - 1] if node.level else root.parent
        module = base.joinpath(*(node.module or "").split(".")) if node.module else base
        for alias in node.names:
            submodule = python_file(module / alias.name)
            yield (submodule if submodule.exists() else python_file(module)), alias.name


def python_file(module: Path) -> Path:
    return module / "__init__.py" if module.is_dir() else module.with_name(f"{module.name}.py")


def metadata() -> list[dict]:
    command = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--offline", "--locked"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return json.loads(done.stdout)["packages"]


def rust_edges(packages: list[dict]) -> Edges:
    """Dependencies within each library and each program, without tests."""
    edges: Edges = defaultdict(set)
    for package in packages:
        for target in package["targets"]:
            if {"lib", "bin", "proc-macro"} & set(target["kind"]):
                for edge, names in file_edges(read_crate(Path(target["src_path"]))).items():
                    edges[edge] |= names
    return edges


def misplaced_crates(packages: list[dict], root: Path) -> list[str]:
    """Finds dependencies on higher layers, and shared crates without a layer."""
    functions = {package["name"] for package in packages if folder(package, root) == "functions"}
    shared = {package["name"] for package in packages if folder(package, root) == "shared"}
    heights = {name: height for height, names in enumerate(LAYERS) for name in names}
    faults = [f"shared/{name} has no layer in tools/ci/circles.py" for name in sorted(shared - set(heights))]
    for package in packages:
        name = package["name"]
        for used in sorted(each["name"] for each in package["dependencies"] if each["kind"] is None):
            if used in functions and name not in ABOVE_FUNCTIONS:
                faults.append(f"{name} uses the function crate {used}. Allowed: {', '.join(sorted(ABOVE_FUNCTIONS))}")
            if name in heights and used in heights and heights[used] >= heights[name]:
                faults.append(f"shared/{name} uses shared/{used}, which is not in a lower layer")
    return faults


def folder(package: dict, root: Path) -> str:
    """Returns the first folder of a package's path."""
    return Path(package["manifest_path"]).relative_to(root).parts[0]


def main() -> None:
    packages = metadata()
    edges = {**rust_edges(packages), **python_edges(ROOT / "tools")}
    faults = [described(circle, edges, ROOT) for circle in circles(edges)] + misplaced_crates(packages, ROOT)
    if faults:
        sys.exit("\n".join(faults))
    print(f"{len({path for edge in edges for path in edge})} files checked, no circular dependencies")


if __name__ == "__main__":
    main()
