"""Serves the local stack until it is stopped."""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tools.operate.logs import line_of
from tools.stack import console
from tools.stack.build import build
from tools.stack.environment import write_environment
from tools.stack.issuer import Issuer
from tools.stack.project import ENV, FUNCTIONS, free_port, function_log, say, shown
from tools.stack.stack import Stack
from tools.stack.stop import Stop

# Lambda's own log lines around every invocation, and the sweep's metrics, of which there are 42 a minute.
PLATFORM_LINES = ("START ", "END ", "REPORT ", '{"Class":')

# The first message of the README, another look at it, and a refusal. Tests run them as they are printed.
TRY = """\
  curl -s $BASE_URL/v1/chat/messages -H "Authorization: Bearer $TEST_APP_KEY" -H "Content-Type: application/json" \
-d '{"from": "'$TEST_CHAT_NUMBER_ID'", "to": "+12025550123", "type": "text", "text": {"body": "Hello!"}}'
  curl -s "$BASE_URL/v1/chat/messages?chatPhoneNumberId=$TEST_CHAT_NUMBER_ID&limit=1" -H "Authorization: Bearer $TEST_APP_KEY"
  curl -s $BASE_URL/v1/organization/settings -H "Authorization: Bearer sk_admin_wrong"
"""


def announce(stack: Stack, values: dict[str, str], seconds: float) -> None:
    owner = {"operation": "createSignInLink", "organizationId": values["ORGANIZATION_ID"], "email": "owner@example.com"}
    place = "Open the console" if console.is_placed() else "Sign in"
    say(f"\nReady after {seconds:.0f} s.")
    say(f"{place} as the owner of the demo organization, once, within 15 minutes: {stack.operate(owner)['url']}")
    if stack.issuer:
        say(f"Or as any address, with the identity provider {stack.issuer.url}: {stack.base_url}/sign-in")
    say(f"\nBase URL: {stack.base_url}")
    say(f"API reference: {stack.base_url}/api_reference\n")
    for name in ("ADMIN_KEY", "TEST_ADMIN_KEY", "SESSION_TOKEN", "APP_ID", "APP_KEY", "TEST_APP_ID", "TEST_APP_KEY", "TEST_CHAT_NUMBER_ID"):
        say(f"  {name:19} {values[name]}")
    say(f"""
The same as shell variables: . {shown(ENV)}

Try:
{TRY}
Ctrl-C stops everything. The functions' logs follow.
""")


def follow_logs(stack: Stack, stop: Stop) -> None:
    """Shows the functions' logs, and writes them to a file for `make logs`, until an exception ends it: `Stopped`, or the
    end of the emulator."""
    logs = stack.client("logs")
    groups = {stack.resource(f"{function.capitalize()}Logs"): function for function in FUNCTIONS}
    since = {group: 0 for group in groups}
    path = function_log(stack.port)
    path.parent.mkdir(exist_ok=True)
    # Line-buffered, so that the file always contains what was shown.
    with path.open("w", buffering=1) as file:
        while stack.emulator.poll() is None:
            for group, function in groups.items():
                stop.check()
                try:
                    events = logs.filter_log_events(logGroupName=group, startTime=since[group]).get("events", [])
                except logs.exceptions.ResourceNotFoundException:
                    continue
                for event in events:
                    if event["message"].startswith(PLATFORM_LINES):
                        continue
                    since[group] = max(since[group], event["timestamp"] + 1)
                    line = line_of(event["timestamp"], function, event["message"])
                    file.write(f"{line}\n")
                    say(line)
            stop.sleep(1)
    sys.exit("The emulator ended unexpectedly; see its log in .local/.")


@contextmanager
def identity_provider(stack: Stack, stop: Stop) -> Iterator[None]:
    """Runs an identity provider for the stack, if SIGN_IN=oidc asks for one."""
    if os.environ.get("SIGN_IN", "links") != "oidc":
        yield
        return
    stack.issuer = Issuer(free_port(), stack.base_url)
    with stack.issuer.running(stop):
        yield


def serve(port: int, stop: Stop) -> None:
    started, is_ours = time.monotonic(), False
    try:
        build(stop)
        with Stack(port, stop) as stack, identity_provider(stack, stop):
            stack.start()
            stack.deploy()
            values = stack.populate()
            stop.check()
            write_environment(ENV, values)
            is_ours = True
            announce(stack, values, time.monotonic() - started)
            follow_logs(stack, stop)
    finally:
        # Never overwrite the file of another running stack.
        if is_ours:
            ENV.unlink(missing_ok=True)
