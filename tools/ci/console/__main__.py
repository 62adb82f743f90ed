"""Tests the console in headless Chromium. Runs in the virtual environment of the browser tools.

Usage: CONSOLE_TEST_VALUES=... python -m tools.ci.console [slow | NAME...]

The variable has the values of a demo organization as JSON. A name selects one check.
"""

import sys
import time
import traceback
from collections.abc import Callable

from playwright.sync_api import Browser, sync_playwright

from tools.ci.browser import find_browser
from tools.ci.console import hostile, limits, many_shown, more_tasks, tasks, weather
from tools.ci.console.member import PICTURES, World
from tools.ci.pages import FLAGS
from tools.ci.steps import closing
from tools.stack.project import say

Check = Callable[[Browser, World], None]
MOST_IMPORTANT: list[Check] = [
    tasks.signs_in_sends_and_answers,
    tasks.finds_out_why_a_delivery_failed,
    tasks.creates_a_key_with_two_scopes,
    tasks.works_with_the_keyboard_alone,
    tasks.works_on_a_phone,
    tasks.shows_as_code,
    tasks.recovers_deliveries,
    tasks.makes_a_message_fail,
    tasks.finds_by_id,
    tasks.follows_the_mode,
    weather.keeps_what_was_typed,
    limits.check_desk,
]
SLOW: list[Check] = [
    more_tasks.connects_an_account_with_a_link,
    more_tasks.writes_a_template_with_three_mistakes,
    more_tasks.sees_a_number_in_trouble,
    more_tasks.invites_a_colleague_who_reads_no_texts,
    more_tasks.finds_who_changed_a_webhook,
    more_tasks.reads_off_failures_by_code,
    limits.check_views,
    limits.check_roles,
    hostile.shows_texts_as_texts,
    weather.says_that_it_waits,
    weather.tells_that_the_api_fails,
    weather.asks_again_with_a_new_key,
    weather.asks_for_nothing_unseen,
    weather.loads_a_part_again,
    many_shown.shows_an_empty_organization,
    many_shown.shows_very_much,
]


def selected(arguments: list[str]) -> list[Check]:
    if not arguments:
        return MOST_IMPORTANT
    if arguments == ["slow"]:
        return SLOW
    return [check for check in [*MOST_IMPORTANT, *SLOW] if check.__name__ in arguments]


def main() -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    world, failed = World.from_environment(), []
    checks = selected(sys.argv[1:])
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=FLAGS)
        for check in checks:
            started = time.monotonic()
            try:
                check(browser, world)
            except Exception:  # noqa: BLE001
                failed.append(f"{check.__name__}\n{traceback.format_exc(limit=-4)}")
                for number, page in enumerate(page for context in browser.contexts for page in context.pages):
                    page.screenshot(path=PICTURES / f"{check.__name__}-{number}.png")
            for context in browser.contexts:
                context.close()
            say(f"{check.__name__}: {time.monotonic() - started:.1f} s")
        browser.close()
    say("\n".join(failed))
    say(closing({"passed": len(checks) - len(failed), "failed": len(failed)}))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
