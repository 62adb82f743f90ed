"""The steps of CI that use the console in a browser, on a running stack."""

import json
import os

from tools.ci.browser import find_browser
from tools.ci.console.many import seed
from tools.ci.steps import Counted, Steps, unchecked
from tools.stack.project import TOOLS
from tools.stack.stack import Stack

COMMAND = (TOOLS / "browser" / "bin" / "python", "-B", "-m", "tools.ci.console")
ENVIRONMENT = "CONSOLE_TEST_VALUES"


def on_stack(steps: Steps, stack: Stack) -> None:
    """The most important tasks, from signing in to the effect as the API shows it."""
    browse(steps, stack, "Console")


def slow(steps: Steps, stack: Stack) -> None:
    """Everything else: all screens, roles, hostile texts, a bad API, and much to show."""
    browse(steps, stack, "Console, whole", "slow")


def browse(steps: Steps, stack: Stack, title: str, *arguments: str) -> None:
    def run() -> Counted | None:
        if find_browser() is None:
            raise unchecked("Chromium is not installed: the console was NOT tested. Install it, or set CHROMIUM to its path.")
        # Organizations of their own: what other steps leave behind is not shown.
        values = stack.populate()
        if arguments:
            values["MANY"] = json.dumps(seed(stack))
        environment = {**os.environ, ENVIRONMENT: json.dumps({**values, "BASE_URL": stack.base_url})}
        return steps.execute(title, (*COMMAND, *arguments), {"env": environment})

    steps.run(title, run)
