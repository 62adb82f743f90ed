"""Checks the documentation: relative links have a target, alarms have a runbook entry, the tour has commands."""

import re
import sys

from tools.stack.project import ROOT

LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")


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


def tour() -> str:
    """Returns the shell commands of the tour."""
    return shell_lines((ROOT / "docs" / "tour.md").read_text())


def shell_lines(text: str) -> str:
    """Returns the content of a page's shell code blocks."""
    return "".join(re.findall(r"^```bash\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


if __name__ == "__main__":
    faults = broken_links() + alarms_without_entry()
    if "curl" not in tour():
        faults.append("docs/tour.md has no commands")
    if faults:
        sys.exit("\n".join(faults))
