"""Checks receivers that are wrong as `make test` checks those of clients/receivers, which need the libraries."""

import sys
import tempfile
import unittest
from pathlib import Path

from tools.ci.library_receivers import LOGGED, SECRETS, check_receiver, deliveries
from tools.stack.stop import Stop

RECEIVER = """
import http.server, os, sys

class Receiver(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        status = {status}
        if status == 204:
            print("{logged}", flush=True)
        self.send_response(status)
        self.end_headers()

http.server.HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Receiver).serve_forever()
"""


class Receivers(unittest.TestCase):
    def faults(self, status: str, logged: str = LOGGED) -> list[str]:
        """Returns the faults of a receiver that responds with a status, and logs a line if it accepts a delivery."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "receiver.py").write_text(RECEIVER.format(status=status, logged=logged))
            return check_receiver("receiver.py", (sys.executable, "-B", "receiver.py"), folder, Stop())

    def test_one_that_accepts_everything(self) -> None:
        faults = self.faults("204")
        rejected = [title for title, _, expected in deliveries(b"") if expected == 400]
        for title, fault in zip(rejected, faults):
            self.assertIn(f"receiver.py, {title}: the status is 204, not 400.", fault)
        self.assertIn(f'the log has "{LOGGED}"', faults[-1])

    def test_one_that_rejects_everything(self) -> None:
        faults = self.faults("400")
        self.assertIn("receiver.py, a delivery: the status is 400, not 204.", faults)
        self.assertIn("receiver.py, one that is signed with the previous secret: the status is 400, not 204.", faults)

    def test_one_that_fails_instead_of_rejecting(self) -> None:
        self.assertIn("receiver.py, an old delivery: the status is 500, not 400.", self.faults("500"))

    def test_one_that_does_not_start(self) -> None:
        with self.assertRaisesRegex(SystemExit, "receiver.py ended with code 1:\n(.*\n)+SyntaxError"):
            self.faults("204 if")

    def test_three_secrets_that_differ(self) -> None:
        self.assertEqual(len(set(SECRETS)), 3)


if __name__ == "__main__":
    unittest.main()
