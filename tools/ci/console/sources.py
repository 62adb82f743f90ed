"""Checks the console without a stack: types, forbidden markup and code, the length of files, the size of what a browser loads,
and the licences of what is in the bundle.

Usage: python -m tools.ci.console.sources

Builds the console first, unless it is built.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

from tools.ci.steps import Steps, closing
from tools.stack import console
from tools.stack.node import environment
from tools.stack.project import TOOLS, say
from tools.stack.stop import Stop

TITLE = "The console's sources"
CODE = (".svelte", ".ts", ".css", ".html")
# Shorter than other files of the project: who does not know Svelte must find the place.
MOST_LINES = 200
# Each with the reason. The content security policy of the page forbids most of it, too, but only when it runs.
FORBIDDEN = {
    r"\{@html\b": "{@html} shows text of strangers as markup",
    r"(?<![\w.$-])style=|\s\{style\}|(?<![\w.$-])style:(?=[\w-])": "styles belong into a class: the policy of the page rejects style attributes",
    r"\b(?:inner|outer)HTML\b|\binsertAdjacentHTML\b|\bcreateContextualFragment\b|\bsrcdoc\b|\bdocument\.write": "markup is not made from text",
    r"\beval\(|\bnew Function\b": "text is not run as code",
    r"\b(?:sessionStorage|indexedDB)\b|\bdocument\.cookie\b": "the console remembers no data and no credential",
}
# The only file that may remember something in the browser, such as the theme. It remembers no key, which any script of the origin could
# read.
REMEMBERS = {"src/core/remember.ts"}
# Compressed.
MOST_FIRST_LOAD, MOST_OF_A_SCREEN = 120_000, 60_000
MOST_REQUESTS = 6
SCREENS = "src/screens/"
LICENCES = {"MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0"}
# A heading of the file that Vite writes, and the text below it.
LICENCE = re.compile(r"^## (\S+) - (\S+) \((.+)\)\n+((?:(?!## ).*\n)*)", re.MULTILINE)
# Names of the console's own files in its code and in the page.
NAMED = re.compile(r"""["'`]\./((?:console/)?[\w-]+(?:\.[\w-]+)*\.(?:js|css|svg|woff2))["'`]""")
Check = Callable[[], list[str]]


def sources(folder: Path = console.SOURCE) -> dict[str, str]:
    """Returns the text of each file of code, by its path in the folder."""
    files = [file for file in console.files_of(folder) if file.suffix in CODE]
    return {str(file.relative_to(folder)): file.read_text() for file in files}


def forbidden(files: dict[str, str]) -> list[str]:
    """Finds forbidden markup and code. CSS can contain neither."""
    faults = []
    for name, text in files.items():
        for number, line in enumerate(text.splitlines() if not name.endswith(".css") else [], 1):
            faults += [f"console/{name}:{number}: {why}" for pattern, why in FORBIDDEN.items() if re.search(pattern, line)]
            if "localStorage" in line and name not in REMEMBERS:
                faults.append(f"console/{name}:{number}: localStorage is used only by {', '.join(sorted(REMEMBERS))}")
    return faults


def too_long(files: dict[str, str]) -> list[str]:
    lengths = {name: len(text.splitlines()) for name, text in files.items()}
    message = "console/{} has {} lines, but the limit is {}. Split it by subject."
    return [message.format(name, lines, MOST_LINES) for name, lines in lengths.items() if lines > MOST_LINES]


class Built:
    """A build, as its manifest describes it."""

    def __init__(self, folder: Path):
        self.pages, self.compressed = console.pages(folder), console.compressed(folder)
        self.manifest: dict[str, dict] = json.loads((self.pages / ".vite" / "manifest.json").read_text())

    def files(self, entry: str) -> set[str]:
        """Returns the files that an entry needs: its own, and those of what it imports."""
        seen, waiting, found = set(), [entry], set()
        while waiting:
            if (name := waiting.pop()) not in seen:
                seen.add(name)
                chunk = self.manifest[name]
                found |= {chunk["file"], *chunk.get("css", []), *chunk.get("assets", [])}
                waiting += chunk.get("imports", [])
        return found

    def first_load(self) -> set[str]:
        """Returns the files that the page loads, itself included. The common style sheet is in no list of the manifest."""
        page = (self.pages / "index.html").read_text()
        return {"index.html", *self.files("index.html"), *re.findall(r"\./console/([\w.-]+)", page)}

    def later(self) -> dict[str, set[str]]:
        """Returns the further files of each part that is loaded when it is needed."""
        parts = [name for name, chunk in self.manifest.items() if chunk.get("isDynamicEntry")]
        return {name: self.files(name) - self.first_load() for name in sorted(parts)}

    def size(self, files: set[str]) -> int:
        return sum((self.compressed / f"{file}.gz").stat().st_size for file in files)


def too_large(built: Built) -> list[str]:
    """Prints the sizes, and finds those above the limits."""
    first, later, faults = built.first_load(), built.later(), []
    screens = {name: files for name, files in later.items() if name.startswith(SCREENS)}
    requests = len(first) + max(map(len, screens.values()), default=0)
    say(f"first load: {built.size(first):7,} bytes compressed; {requests} requests, with those of a screen")
    if built.size(first) > MOST_FIRST_LOAD:
        faults.append(f"The first load has {built.size(first):,} bytes, but the limit is {MOST_FIRST_LOAD:,}: {', '.join(sorted(first))}")
    if requests > MOST_REQUESTS:
        faults.append(f"The first load makes {requests} requests, but the limit is {MOST_REQUESTS}.")
    for name, files in later.items():
        say(f"            {built.size(files):7,} bytes more: {name}")
        if built.size(files) > MOST_OF_A_SCREEN:
            faults.append(f"{name} loads {built.size(files):,} bytes, but the limit is {MOST_OF_A_SCREEN:,}.")
    return faults


def wrong_addresses(built: Built) -> list[str]:
    """Finds names of files that do not lead to one: the page is beside the folder of its files, which are beside each other."""
    faults = []
    for file in sorted(built.pages.glob("*.*")):
        prefix = "console/" if file.name == "index.html" else ""
        names = NAMED.findall(file.read_text()) if file.suffix in (".js", ".html") else []
        wrong = [name for name in names if not name.startswith(prefix) or not (built.pages / name.removeprefix(prefix)).is_file()]
        faults += [f"{file.name} of the build names {name}, which is no file of the console." for name in wrong]
    page = (built.pages / "index.html").read_text()
    if re.search(r"<style|<script(?![^>]* src=)|\son\w+=", page):
        faults.append("index.html contains a script or a style, which the policy of the page rejects.")
    return faults


def unfit_licences(built: Built) -> list[str]:
    """Checks the licences of all packages in the bundle, whose texts are part of the build."""
    packages = LICENCE.findall((built.pages / "licences.txt").read_text())
    say(f"in the bundle: {', '.join(f'{name} {version} ({licence})' for name, version, licence, _ in packages)}")
    faults = [f"{name} has the licence {licence}. Allowed: {', '.join(sorted(LICENCES))}." for name, _, licence, _ in packages if licence not in LICENCES]
    faults += [f"{name} has no text of its licence." for name, _, _, text in packages if not text.strip()]
    return faults or ([] if any(name == "svelte" for name, *_ in packages) else ["licences.txt does not name Svelte."])


def faults_of(*command: object) -> list[str]:
    """Runs a checker of types. Returns its output, if it finds faults."""
    parts = [str(part) for part in (TOOLS / console.SET / "bin" / "node", *command)]
    variables = {**environment(TOOLS / console.SET), "NO_COLOR": "1"}
    done = subprocess.run(parts, cwd=console.SOURCE, env=variables, capture_output=True, text=True, check=False)
    return [done.stdout + done.stderr] if done.returncode else []


def checks(stop: Stop) -> list[Check]:
    # Whoever builds has the packages linked, but not who has built before.
    console.link_modules()
    types = (console.MODULES / "svelte-check" / "bin" / "svelte-check", "--tsconfig", "tsconfig.json", "--fail-on-warnings", "--output", "human")
    of_build = (console.MODULES / "typescript" / "bin" / "tsc", "--noEmit", "--pretty", "false", "--project", "tsconfig.node.json")
    files, built = sources(), Built(console.build(stop))
    return [
        partial(faults_of, *types),
        partial(faults_of, *of_build),
        partial(forbidden, files),
        partial(too_long, files),
        partial(too_large, built),
        partial(wrong_addresses, built),
        partial(unfit_licences, built),
    ]


def check(stop: Stop) -> int:
    """Runs all checks, and prints the faults. Returns the exit code."""
    if not console.is_installed():
        sys.exit("The console's tools are not installed. Run `make ready`.")
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda each: each(), checks(stop)))
    for fault in sum(found, []):
        say(fault)
    failed = sum(map(bool, found))
    say(closing({"passed": len(found) - failed, "failed": failed}))
    return 1 if failed else 0


def check_sources(steps: Steps) -> None:
    """Checks the sources as a step, which needs no stack."""
    steps.command(TITLE, sys.executable, "-B", "-m", "tools.ci.console.sources")


if __name__ == "__main__":
    sys.exit(check(Stop.on_signals()))
