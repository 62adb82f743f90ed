"""Runs the receivers of clients/receivers with the packages that users install, and sends deliveries to them.

Usage: python -m tools.ci.library_receivers

Needs what tools.ci.typescript and tools.ci.python_library make. It also checks the types of the receivers and of the snippets
of the documentation (clients/snippets).
"""

import base64
import contextlib
import json
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

from tools.ci import python_library, typescript
from tools.ci.receivers import Delivery
from tools.ci.steps import Steps, closing
from tools.stack.node import CLIENT, NODE, environment
from tools.stack.project import ROOT, TOOLS, free_port, say
from tools.stack.stop import Stop

SOURCES = ("receivers", "snippets")
FOLDER = ROOT / "target" / "receivers"
# The wheel, beside which the Python of the set `client` has the frameworks.
PACKAGES = FOLDER / "packages"
PYTHON = CLIENT / "bin" / "python"
# Of npm packages that the receivers import. What these need is found from their own place.
FRAMEWORKS = ("express", "hono", "@hono", "@types", "undici-types")
Command = tuple[object, ...]
# Each receiver, and how it is started. Those without the port in the command read it from PORT.
RECEIVERS: dict[str, Command] = {
    "express.ts": (NODE, "express.ts"),
    "hono.ts": (NODE, "hono.ts"),
    "fastapi_app.py": (PYTHON, "-m", "uvicorn", "fastapi_app:app", "--port", "{port}"),
    "flask_app.py": (PYTHON, "-m", "flask", "--app", "flask_app", "run", "--port", "{port}"),
}
SAMPLE = ROOT / "events" / "payloads" / "messages.chat.received.json"
TEXT = "Is my parcel on its way?"
LOGGED = f"Received: {TEXT}"
SECRETS = tuple("whsec_" + base64.b64encode(bytes([number] * 24)).decode() for number in (1, 2, 3))
# The time in which a receiver must listen, and respond.
PATIENCE = 30.0
# Express has no types of its own, and the set `client` has none: these are of what the receiver uses.
EXPRESS_TYPES = """\
declare module "express" {
  import type { IncomingMessage, Server, ServerResponse } from "node:http";
  interface Request extends IncomingMessage { body: Uint8Array }
  interface Response extends ServerResponse { status(code: number): this; send(text: string): this }
  type Handler = (request: Request, response: Response) => Promise<void>;
  type Middleware = { readonly isMiddleware: unique symbol };
  function express(): { post(path: string, before: Middleware, handler: Handler): void; listen(port: number): Server };
  namespace express { function raw(options: { type: string; limit: string }): Middleware }
  export default express;
}
"""


def prepare() -> None:
    """Makes a folder in which programs find the packages by their names."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    for name in SOURCES:
        shutil.copytree(ROOT / "clients" / name, FOLDER / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    modules = FOLDER / "node_modules"
    modules.mkdir()
    for package in FRAMEWORKS:
        (modules / package).symlink_to(CLIENT / "node_modules" / package)
    (modules / "@messaging-api").symlink_to(typescript.PROJECT / "node_modules" / "@messaging-api")
    (FOLDER / "package.json").write_text('{"private": true, "type": "module"}\n')
    (wheel,) = (python_library.FOLDER / "dist").glob("*.whl")
    uv = (TOOLS / "uv" / "bin" / "uv", "--quiet", "--offline", "--cache-dir", TOOLS / "cache", "pip", "install")
    typescript.run(*uv, "--no-deps", "--python", PYTHON, "--target", PACKAGES, wheel, folder=FOLDER)


@contextlib.contextmanager
def running(name: str, command: Command, folder: Path, stop: Stop) -> Iterator[tuple[str, Path]]:
    """Starts a receiver on a free port. Yields its URL, and the file with its output."""
    port = free_port()
    parts = [str(part).replace("{port}", str(port)) for part in command]
    variables = {**environment(), "PYTHONPATH": str(PACKAGES), "PYTHONDONTWRITEBYTECODE": "1"}
    # The first secret is the new one, the second one the previous one.
    variables |= {"PORT": str(port), "WEBHOOK_SECRET": " ".join(SECRETS[:2])}
    log = folder / f"{name}.log"
    with log.open("wb") as output:
        child = stop.start(parts, cwd=folder, env=variables, stdout=output, stderr=output)
    try:
        url = f"http://127.0.0.1:{port}/webhooks"
        wait_until(lambda: child.poll() is not None or status(Delivery("", {}, b"{}"), url) != 0)
        if child.poll() is not None:
            sys.exit(f"{name} ended with code {child.returncode}:\n{log.read_text()}")
        yield url, log
    finally:
        stop.finish(child)


def wait_until(holds: Callable[[], bool]) -> None:
    """Waits for a condition, for a limited time."""
    end = time.monotonic() + PATIENCE
    while not holds() and time.monotonic() < end:
        time.sleep(0.05)


def status(delivery: Delivery, url: str) -> int:
    """Posts a delivery as the service does. Returns the status of the response, or 0 without a connection."""
    headers = {"content-type": "application/json", **delivery.headers}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, delivery.body, headers), timeout=PATIENCE) as response:
            return response.status
    except urllib.error.HTTPError as error:
        error.close()
        return error.code
    except urllib.error.URLError:
        return 0


def deliveries(body: bytes) -> list[tuple[str, Delivery, int]]:
    """Returns the deliveries, each with its name and the status of the correct response."""
    now = int(time.time())
    first, second, other = (Delivery(secret, {"webhook-id": "evt_1"}, body).signed_at(now) for secret in SECRETS)
    changed = body.replace(TEXT.encode(), b"Is my parcel lost?")
    return [
        ("a delivery", first, 204),
        ("one that is signed with the previous secret", second, 204),
        ("one that is signed with another secret", other, 400),
        ("a changed body", replace(first, body=changed), 400),
        ("an old delivery", first.signed_at(now - 600), 400),
        ("a delivery from the future", first.signed_at(now + 600), 400),
        ("one without a signature", Delivery("", {}, body), 400),
        ("a body that is not JSON", replace(first, body=b"{"), 400),
    ]


def check_receiver(name: str, command: Command, folder: Path, stop: Stop) -> list[str]:
    """Sends the deliveries to a receiver. Returns the faults."""
    # Formatted as no serializer does it: a receiver that verifies anything but the bytes that came would reject it.
    body = json.dumps(json.loads(SAMPLE.read_bytes()), indent=3).encode()
    faults = []
    with running(name, command, folder, stop) as (url, log):
        cases = deliveries(body)
        for title, delivery, expected in cases:
            if (got := status(delivery, url)) != expected:
                faults.append(f"{name}, {title}: the status is {got}, not {expected}.")
        accepted = sum(expected == 204 for _, _, expected in cases)
        # They log before they respond.
        if (got := log.read_text().count(LOGGED)) != accepted:
            faults.append(f'{name}: the log has "{LOGGED}" {got} times, not {accepted} times:\n{log.read_text()}')
    return faults


def check_typescript() -> list[str]:
    """Checks the types of the programs in TypeScript, as a user's project does. Returns the faults."""
    (FOLDER / "express.d.ts").write_text(EXPRESS_TYPES)
    options = {**typescript.OF_A_PROJECT, "types": ["node"]}
    config = {"compilerOptions": options, "include": ["*.d.ts", *SOURCES]}
    (FOLDER / "tsconfig.json").write_text(json.dumps(config))
    return faults_of(*typescript.TSC, "--project", ".")


def check_python() -> list[str]:
    """Checks the types of the programs in Python. Returns the faults."""
    mypy = (PYTHON, "-m", "mypy", "--strict", "--python-executable", PYTHON, "--cache-dir", FOLDER / "mypy-cache")
    return faults_of(*mypy, "--explicit-package-bases", *SOURCES)


def faults_of(*command: object) -> list[str]:
    """Runs a checker. Returns its output, if it finds faults."""
    variables = {**environment(), "PYTHONPATH": str(PACKAGES), "NO_COLOR": "1"}
    parts = [str(part) for part in command]
    done = subprocess.run(parts, cwd=FOLDER, env=variables, capture_output=True, text=True, check=False)
    return [done.stdout + done.stderr] if done.returncode else []


def check(stop: Stop) -> int:
    """Runs all checks, one per core, and prints the faults. Returns the exit code."""
    prepare()
    folder = FOLDER / "receivers"
    receivers = [partial(check_receiver, name, command, folder, stop) for name, command in RECEIVERS.items()]
    checks = [check_typescript, check_python, *receivers]
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(lambda each: each(), checks))
    failed = sum(map(bool, found))
    for fault in sum(found, []):
        say(fault)
    say(closing({"passed": len(checks) - failed, "failed": failed}))
    return 1 if failed else 0


def run_receivers(steps: Steps) -> None:
    """Runs the receivers as a step; it needs both packages, and no stack."""
    command = [sys.executable, "-B", "-m", "tools.ci.library_receivers"]
    steps.command("Webhook receivers", *command, needs=(typescript.LIBRARY, python_library.LIBRARY))


if __name__ == "__main__":
    sys.exit(check(Stop.on_signals()))
