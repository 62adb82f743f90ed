"""Keeps the chat platform's own field names inside the crates that know them, platform and inbound. All other crates of the
product use the names of docs/openapi.json.

Usage: python -m tools.ci.platform_words
"""

import re
import sys
from collections.abc import Iterable
from pathlib import Path, PurePath

from tools.stack.project import ROOT

# The list of the platform's names, and the document whose names are never reported.
LIST = "shared/platform/field-names.txt"
DOCUMENT = "docs/openapi.json"
KNOWING = ("shared/platform", "shared/inbound")
CRATES = ("cli", "clients/*", "contract", "functions/*", "shared/*", "tools/operate")

# Comments and characters are matched, too, because quotation marks in them begin no string.
TOKEN = re.compile(
    r"""
    //[^\n]* | /\*.*?\*/
    | '(?:\\.[^']*|[^'\\\n])'
    | r(?P<hashes>\#*)"(?P<raw>.*?)"(?P=hashes)
    | "(?P<text>(?:\\.|[^"\\])*)"
    """,
    re.DOTALL | re.VERBOSE,
)
TESTS = re.compile(r"^#\[cfg\(test\)\]\nmod \w+ \{\n.*?^\}", re.DOTALL | re.MULTILINE)
ESCAPE = re.compile(r"\\.")
WORD = re.compile(r"\w+")


def listed(text: str) -> list[str]:
    """Returns the names of a list, which has comments and empty lines."""
    lines = (line.partition("#")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def words(text: str) -> set[str]:
    """Returns the words of a text in which a backslash begins an escape, such as `\\n`."""
    return set(WORD.findall(ESCAPE.sub("  ", text)))


def own_names(root: Path) -> set[str]:
    """Returns the platform's names that our document does not have."""
    return set(listed((root / LIST).read_text())) - words((root / DOCUMENT).read_text())


def sources(root: Path, crates: Iterable[str]) -> list[Path]:
    """Returns the Rust files of crates, without those of their tests."""
    folders = [folder for crate in crates for folder in root.glob(f"{crate}/src")]
    files = {file for folder in folders for file in folder.rglob("*.rs")}
    return sorted(file for file in files if not is_test(file.relative_to(root)))


def is_test(file: PurePath) -> bool:
    return "tests" in file.with_suffix("").parts


def product_sources(root: Path) -> list[Path]:
    """Returns the files in which the platform's names do not belong."""
    return sorted(set(sources(root, CRATES)) - set(sources(root, KNOWING)))


def occurrences(source: str, names: set[str]) -> list[tuple[int, str]]:
    """Returns each of the names that is in a string of Rust code, with its line. Tests in the file do not count."""
    code = TESTS.sub(lambda tests: "\n" * tests[0].count("\n"), source)
    found = []
    for token in TOKEN.finditer(code):
        group = "raw" if token["raw"] is not None else "text"
        text = ESCAPE.sub("  ", token[group] or "")
        for word in WORD.finditer(text):
            if word[0] in names:
                line = code.count("\n", 0, token.start(group) + word.start()) + 1
                found.append((line, word[0]))
    return found


def misplaced(root: Path, names: set[str]) -> list[str]:
    """Returns a message for each place where a crate that should not know the platform's names writes one."""
    allowed = " and ".join(KNOWING)
    return [
        f"{file.relative_to(root)}:{line}: {name} is a field name of the chat platform. Only {allowed} may write it."
        for file in product_sources(root)
        for line, name in occurrences(file.read_text(), names)
    ]


def faults_of_list(root: Path) -> list[str]:
    """Finds names that are listed twice, and names that the crates which may write them do not have."""
    known = {word for file in sources(root, KNOWING) for word in words(file.read_text())}
    names = listed((root / LIST).read_text())
    twice = [f"{LIST}: {name} is listed twice." for name in sorted(set(names)) if names.count(name) > 1]
    unused = [f"{LIST}: {name} is not in {' or '.join(KNOWING)}. Remove it." for name in sorted(set(names) - known)]
    return twice + unused


def main() -> None:
    names = own_names(ROOT)
    if faults := misplaced(ROOT, names) + faults_of_list(ROOT):
        sys.exit("\n".join(faults))
    files = len(product_sources(ROOT))
    print(f"{files} files checked, none has one of the platform's {len(names)} field names")


if __name__ == "__main__":
    main()
