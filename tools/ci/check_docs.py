"""Checks the documentation: relative links have a target, each alarm has a runbook entry and each entry its alarm, the README
and the deployment guide run only programs that a fresh checkout has, and the pages that CI runs have commands."""

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


# Programs that a fresh checkout does not have.
FOREIGN = re.compile(r"(?:^|[;&|(`]\s*)(aws|sam|docker|jq|npm|terraform) ", re.MULTILINE)


def foreign_commands() -> list[str]:
    """Finds commands that a reader of the README or of the deployment guide cannot run."""
    pages = [ROOT / "README.md", ROOT / "docs" / "deploying.md"]
    return [f"{page.name} runs {name}, which a fresh checkout does not have" for page in pages for name in FOREIGN.findall(page.read_text())]


def commands_of(page: str) -> str:
    """Returns the shell commands of a page in docs."""
    return shell_lines((ROOT / "docs" / page).read_text())


def shell_lines(text: str) -> str:
    """Returns the content of a page's shell code blocks."""
    return "".join(re.findall(r"^```bash\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


if __name__ == "__main__":
    faults = broken_links() + alarms_without_entry() + foreign_commands()
    faults += [f"docs/{page} has no commands" for page in ("tour.md", "testing.md") if "curl" not in commands_of(page)]
    if faults:
        sys.exit("\n".join(faults))
