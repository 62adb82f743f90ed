"""`make verify`: checks a deployment from the outside and prints a table of what holds (docs/first-deployment.md).

Usage: python -m tools.verify [SUBJECT...]
"""

import sys
import time

from tools.stack.project import say
from tools.verify.organization import Organization
from tools.verify.report import Broken, Report, Subject
from tools.verify.settings import Settings
from tools.verify.subjects import credentials, deployment, events, gateway, operations, stack, throttling, transactions, uploads, usage
from tools.verify.target import Target

# The two assumptions on which the design depends come first.
SUBJECTS: dict[str, Subject] = {
    module.__name__.rsplit(".", 1)[-1]: module.SUBJECT
    for module in (transactions, throttling, operations, credentials, uploads, events, usage, gateway, deployment, stack)
}


def verify(target: Target, names: list[str], report: Report) -> None:
    """Runs the checks of the named subjects, and deletes the objects that were created for them."""
    # The limit of the stage is so low in this case that setting organizations up would exceed it.
    organizations = [] if names == ["throttling"] else [target.first, target.second]
    try:
        for organization in organizations:
            begin(organization)
        for name in names:
            report.run(SUBJECTS[name], target)
    finally:
        for organization in organizations:
            organization.clean_up()
        if target.receiver:
            target.receiver.close()


def begin(organization: Organization) -> None:
    try:
        organization.set_up()
    except (Broken, OSError) as error:
        sys.exit(f"The verification could not begin: {error}")


def main() -> None:
    names = sys.argv[1:] or list(SUBJECTS)
    unknown = [name for name in names if name not in SUBJECTS]
    if unknown:
        sys.exit(f"Unknown subject {', '.join(unknown)}. Subjects: {', '.join(SUBJECTS)}")
    settings = Settings.read()
    say(f"Verifying {settings.base_url}")
    report, started = Report(say), time.monotonic()
    verify(settings.target(), names, report)
    say(f"\n{report.summary()}, in {time.monotonic() - started:.0f} s")
    sys.exit(1 if report.broken() else 0)


if __name__ == "__main__":
    main()
