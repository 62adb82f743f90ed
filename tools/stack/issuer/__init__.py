"""The identity provider of the local stack and of the tests: npm's oidc-provider, which is certified for OpenID Connect."""

import secrets
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tools.stack.node import CLIENT, NODE, environment
from tools.stack.project import LOCAL
from tools.stack.stop import Stop

PROGRAM = Path(__file__).parent / "provider.mjs"
CLIENT_ID = "local-stack"
PATIENCE_SECONDS = 30


class Issuer:
    """An identity provider on a port, for the stack with a base URL."""

    def __init__(self, port: int, base_url: str):
        self.port, self.base_url = port, base_url
        self.url = f"http://localhost:{port}"
        self.secret = secrets.token_urlsafe(24)

    def parameters(self) -> dict[str, str]:
        """The parameters of the template."""
        return {"SignInIssuer": self.url, "SignInClientId": CLIENT_ID, "SignInClientSecret": self.secret}

    @contextmanager
    def running(self, stop: Stop) -> Iterator[None]:
        LOCAL.mkdir(exist_ok=True)
        command = [NODE, PROGRAM, str(self.port), f"{self.base_url}/v1/sign-in/callback"]
        variables = {**environment(), "CLIENT_SECRET": self.secret, "TOOLS": str(CLIENT)}
        with (LOCAL / f"issuer-{self.port}.log").open("w") as log:
            process = subprocess.Popen(command, env=variables, stdout=log, stderr=subprocess.STDOUT)
            try:
                self._await(process, stop)
                yield
            finally:
                process.terminate()
                process.wait()

    def _await(self, process: subprocess.Popen, stop: Stop) -> None:
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until and process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/.well-known/openid-configuration", timeout=1).close()
                return
            except (urllib.error.URLError, OSError):
                stop.sleep(0.1)
        raise SystemExit(f"The identity provider did not start; see issuer-{self.port}.log in {LOCAL}.")
