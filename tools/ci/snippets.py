"""Compares the code on pages of the documentation with the files that CI runs: clients/snippets and clients/receivers.

A comment before code blocks names what they show. `<!-- clients/snippets/lists -->` stands before a block for each language
in which there is such a file, in the order of `LANGUAGES` and with nothing but empty lines between them.
`<!-- clients/receivers/hono.ts -->` stands before the block of one file. A block shows the whole file, or what follows a line
that says `snippet`, so that programs can begin with what a page has shown before.
"""

import re
from itertools import takewhile
from pathlib import Path

from tools.stack.project import ROOT

PAGES = ("README.md", "docs/tour.md", "docs/testing.md", "docs/libraries.md")
FOLDERS = ("clients/snippets", "clients/receivers")
# The language of a block, by the ending of the file that it shows.
LANGUAGES = {".sh": "bash", ".ts": "typescript", ".py": "python"}
# Blocks in these languages show a file in any case.
PROGRAMS = ("typescript", "python")
NAME = re.compile(rf"<!-- ((?:{'|'.join(FOLDERS)})/[\w.]+) -->")
BLOCK = re.compile(r"\n*```(\w*)\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
SHOWN = re.compile(r"^(?://|#) snippet\n", re.MULTILINE)


def shown(file: Path) -> str:
    """Returns what a page shows of a file."""
    *_, part = SHOWN.split(file.read_text(), maxsplit=1)
    return part.strip("\n") + "\n"


def files_of(name: str, root: Path) -> list[Path]:
    """Returns the files that a comment names, in the order in which a page shows them."""
    path = root / name
    candidates = [path] if path.suffix else [path.with_suffix(ending) for ending in LANGUAGES]
    return [file for file in candidates if file.exists()]


def faults_of(page: str, root: Path) -> tuple[list[str], set[Path]]:
    """Returns the faults of a page, and the files that it shows."""
    text = (root / page).read_text()
    faults, files, places = [], set(), set()
    for comment in NAME.finditer(text):
        named = files_of(comment[1], root)
        if not named:
            faults.append(f"{page} names {comment[1]}, but there is no such file.")
        at = comment.end()
        for file in named:
            files.add(file)
            block = BLOCK.match(text, at)
            if fault := difference(file.relative_to(root), shown(file), LANGUAGES[file.suffix], block):
                faults.append(f"{page}, line {text.count(chr(10), 0, at) + 1}: {fault}")
            if block:
                places.add(block.start(1))
                at = block.end()
    for block in BLOCK.finditer(text):
        if block[1] in PROGRAMS and block.start(1) not in places:
            line = text.count("\n", 0, block.start(1)) + 1
            faults.append(f"{page}, line {line}: no comment names the file in {FOLDERS[0]} that this {block[1]} block shows.")
    return faults, files


def difference(file: Path, content: str, language: str, block: re.Match | None) -> str:
    """Returns what differs between the shown part of a file and the block where it must be; empty if nothing does."""
    if block is None or block[1] != language:
        return f"the {language} block of {file} must come here."
    if block[2] == content:
        return ""
    page, own = block[2].splitlines(), content.splitlines()
    same = takewhile(lambda pair: pair[0] == pair[1], zip(page, own))
    number = sum(1 for _ in same)
    lines = [part[number] if number < len(part) else "(nothing)" for part in (page, own)]
    return f"the block differs from {file}. Its line {number + 1} is\n  {lines[0]}\nand not\n  {lines[1]}"


def snippet_faults(root: Path = ROOT, pages: tuple[str, ...] = PAGES) -> list[str]:
    """Finds blocks that differ from their files, blocks without a file, and files that no page shows."""
    faults, used = [], set()
    for page in pages:
        found, files = faults_of(page, root)
        faults += found
        used |= files
    files = sorted(file for folder in FOLDERS for file in (root / folder).glob("*") if file.suffix in LANGUAGES)
    return faults + [f"No page shows {file.relative_to(root)}." for file in files if file not in used]
