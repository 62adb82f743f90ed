"""Keeps dependencies pointing one way: between the crates of the workspace, which are in layers, and between the files of
tools/, which must not depend on each other in a circle.

Usage: python -m tools.ci.circles
"""

import ast
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from tools.stack.project import ROOT

Edges = dict[tuple[Path, Path], set[str]]

# The layers from the top down, as in docs/architecture.md. A crate may use only crates of lower layers, and none of another
# group. `functions` are all crates of that folder.
SERVICE = [
    ["fuzz", "soak"],
    ["tests"],
    ["contract"],
    ["functions", "operate", "bench"],
    ["outbound", "accounts"],
    ["inbound", "api"],
    ["views", "platform", "carrier", "issuer", "runtime"],
    ["store"],
    ["aws"],
    ["domain", "web"],
]
CLIENTS = [["cli"], ["messaging-client"]]


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


def misplaced_crates(packages: list[dict], root: Path) -> list[str]:
    """Finds crates without a layer, and dependencies that do not lead to a lower layer."""
    below = {}
    for group in (SERVICE, CLIENTS):
        for height, layer in enumerate(group):
            below.update(dict.fromkeys(layer, [name for lower in group[height + 1 :] for name in lower]))
    folders = {package["name"]: Path(package["manifest_path"]).parent.relative_to(root) for package in packages}
    places = {name: "functions" if folder.parts[0] == "functions" else name for name, folder in folders.items()}
    faults = []
    for package in sorted(packages, key=lambda package: folders[package["name"]]):
        folder, place = folders[package["name"]], places[package["name"]]
        if place not in below:
            faults.append(f"{folder} has no layer. Add it to tools/ci/circles.py and docs/architecture.md.")
            continue
        for used in sorted(used_crates(package) & set(places)):
            if places[used] not in below[place]:
                allowed = ", ".join(below[place]) or "no crate of the workspace"
                faults.append(f"{folder} uses {folders[used]}, which is not in a lower layer. Allowed: {allowed}.")
    return faults


def used_crates(package: dict) -> set[str]:
    """Returns the local crates that a crate needs to be built. Dependencies of its tests may have any direction: Cargo allows
    it, and no other crate gets them."""
    dependencies = package["dependencies"]
    return {each["name"] for each in dependencies if each["kind"] != "dev" and each.get("path") is not None}


def main() -> None:
    packages, edges = metadata(), python_edges(ROOT / "tools")
    faults = [described(circle, edges, ROOT) for circle in circles(edges)] + misplaced_crates(packages, ROOT)
    if faults:
        sys.exit("\n".join(faults))
    files = {path for edge in edges for path in edge}
    print(f"{len(packages)} crates and {len(files)} files of tools/ checked, all dependencies point one way")


if __name__ == "__main__":
    main()
