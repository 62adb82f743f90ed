"""Checks the documentation: relative links have a target, each alarm has a runbook entry and each entry its alarm, the README
and the deployment guide run only programs that a fresh checkout has, the pages that CI runs have commands, their programs are
those of the files that CI runs, and each ADR has a status line that agrees with the index and with the ADRs that it names."""

import re
import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tools.ci.snippets import PAGES, snippet_faults
from tools.stack.project import ROOT

# Targets have no spaces; a regular expression in a page may have.
LINK = re.compile(r"\]\((?!https?://|#)([^)#\s\[\]]+)[)#]")


def broken_links() -> list[str]:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
    links = [(page, link) for page in pages for link in LINK.findall(page.read_text())]
    return [f"{page.relative_to(ROOT)}: {link}" for page, link in links if not (page.parent / link).exists()]


def alarms_without_entry() -> list[str]:
    """Finds alarms without a runbook entry, and entries without an alarm."""
    template = (ROOT / "infra" / "template.yaml").read_text()
    runbook = (ROOT / "docs" / "runbook.md").read_text()
    alarms = set(re.findall(r"^  (\w+):\n    Type: AWS::CloudWatch::Alarm", template, re.MULTILINE))
    entries = set(re.findall(r"\w+Alarm\b", runbook))
    missing = [f"runbook.md has no entry for {alarm}" for alarm in sorted(alarms - entries)]
    return missing + [f"runbook.md has an entry for {alarm}, which does not exist" for alarm in sorted(entries - alarms)]


# Programs that a fresh checkout does not have.
FOREIGN = re.compile(r"(?:^|[;&|(`]\s*)(aws|sam|docker|jq|npm|terraform) ", re.MULTILINE)


def foreign_commands() -> list[str]:
    """Finds commands that a reader of the README or of the deployment guide cannot run."""
    pages = [ROOT / "README.md", ROOT / "docs" / "deploying.md"]
    return [f"{page.name} runs {name}, which a fresh checkout does not have" for page in pages for name in FOREIGN.findall(page.read_text())]


def shell_lines(text: str) -> str:
    """Returns the content of a page's shell code blocks."""
    return "".join(re.findall(r"^```bash\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


ADRS = ROOT / "docs" / "adr"
DAY = r"(\d{4}-\d\d-\d\d)"
OTHER = r"\[ADR (\d+)\]\(([^)]+)\)"
ACCEPTED = re.compile(rf"Status: accepted, {DAY}")
REWRITTEN = re.compile(rf"rewritten in place, {DAY}: [^;]+")
CHANGES = re.compile(rf"(amends|supersedes) {OTHER}")
PASSIVE = {"amends": "amended", "supersedes": "superseded"}
CHANGED = re.compile(rf"(?:(amended) by {OTHER}, {DAY}: [^;]+|(superseded) by {OTHER}, {DAY})")
FORM = """\
line 3 must be a status line: "Status: accepted, <date>", then any of "; amends [ADR n](file)", "; supersedes [ADR n](file)", \
"; amended by [ADR n](file), <date>: <what changed>", "; superseded by [ADR n](file), <date>" and \
"; rewritten in place, <date>: <what changed>", then a full stop. Dates are written as 2026-11-21, in order, and no part holds a semicolon."""


@dataclass
class Adr:
    """A decision. Both lists hold what its status line says of other ADRs: "amended" or "superseded", number, file, and for `by` the day."""

    file: str
    number: int
    title: str
    day: str
    others: list[tuple[str, int, str]]
    by: list[tuple[str, int, str, str]]

    def row(self) -> str:
        """Returns the ADR's row in the index."""
        superseded = [other for other in self.by if other[0] == "superseded"]
        named = ", ".join(f"[ADR {number}]({file})" for _, number, file, _ in superseded or self.by)
        status = f"{'superseded' if superseded else 'amended'} by {named}" if named else "accepted"
        return f"| [{self.number}]({self.file}) | {self.title} | {status} | {self.day} |"


def read_adr(path: Path) -> Adr | str:
    """Returns the ADR, or what is wrong with its first lines."""
    title, empty, line, after = (path.read_text().split("\n") + [""] * 3)[:4]
    number = path.name[:4]
    heading = re.fullmatch(r"# (\d+)\. (.+)", title)
    if not number.isdigit() or not heading or int(heading[1]) != int(number):
        return 'the name must begin with a number of four digits, and line 1 must be "# <the same number>. <title>".'
    accepted, *parts = line.removesuffix(".").split("; ")
    first = ACCEPTED.fullmatch(accepted)
    if empty or after or not first or not line.endswith("."):
        return FORM
    days, others, by = [first[1]], [], []
    for part in parts:
        if match := CHANGES.fullmatch(part):
            others.append((PASSIVE[match[1]], int(match[2]), match[3]))
        elif match := CHANGED.fullmatch(part):
            verb, other, file, day = (group for group in match.groups() if group)
            by.append((verb, int(other), file, day))
            days.append(day)
        elif match := REWRITTEN.fullmatch(part):
            days.append(match[1])
        else:
            return FORM
    if any(day > later for day, later in pairwise(days)):
        return FORM
    return Adr(path.name, int(number), heading[2], days[0], others, by)


def one_sided(adrs: list[Adr]) -> list[str]:
    """Finds ADRs whose status line names another ADR that does not exist, has another date, or does not name them."""
    said = {(verb, adr.number, adr.file, number, file) for adr in adrs for verb, number, file in adr.others}
    confirmed = {(verb, number, file, adr.number, adr.file) for adr in adrs for verb, number, file, _ in adr.by}
    active = {passive: verb for verb, passive in PASSIVE.items()}
    faults = [
        f'{later}: it {active[verb]} ADR {number}, so {file} must exist and say "{verb} by [ADR {of}]({later}), <date>".'
        for verb, of, later, number, file in said - confirmed
    ]
    faults += [
        f'{file}: it is {verb} by ADR {of}, so {later} must exist and say "{active[verb]} [ADR {number}]({file})".'
        for verb, of, later, number, file in confirmed - said
    ]
    days = {adr.number: adr.day for adr in adrs}
    other_day = [(adr, number, day) for adr in adrs for _, number, _, day in adr.by if days.get(number, day) != day]
    return sorted(faults) + [f"{adr.file}: the date of ADR {number} is {days[number]}, not {day}." for adr, number, day in other_day]


def adr_faults(folder: Path = ADRS) -> list[str]:
    """Finds ADRs without a correct status line, one-sided references, and differences to the index."""
    paths = sorted(path for path in folder.glob("*.md") if path.name != "README.md")
    read = {path.name: read_adr(path) for path in paths}
    faults = [f"{name}: {fault}" for name, fault in read.items() if isinstance(fault, str)]
    adrs = [adr for adr in read.values() if isinstance(adr, Adr)]
    faults += [f"{adr.file}: {before.file} has the same number." for before, adr in pairwise(adrs) if before.number == adr.number]
    rows = [adr.row() for adr in adrs]
    index = [line for line in (folder / "README.md").read_text().splitlines() if line.startswith("| [")]
    faults += [f"README.md lacks this row: {row}" for row in rows if row not in index]
    faults += [f"README.md has a row that no ADR has: {row}" for row in index if row not in rows]
    if set(rows) == set(index) and rows != index:
        faults.append("README.md: the rows are not in the order of the numbers, or a row is there twice.")
    return [f"docs/adr/{fault}" for fault in faults + one_sided(adrs)]


if __name__ == "__main__":
    faults = broken_links() + alarms_without_entry() + foreign_commands() + adr_faults() + snippet_faults()
    faults += [f"{page} has no commands" for page in PAGES if "curl" not in shell_lines((ROOT / page).read_text())]
    if faults:
        sys.exit("\n".join(faults))
