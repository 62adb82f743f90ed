import contextlib
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import time
import unittest

from tools.stack.project import ROOT
from tools.stack.stop import Stop, Stopped

# The time from the signal to the end of the process, on a busy machine.
BOUND_SECONDS = 20
SEED = 7

# The loop that follows the functions' logs, with the AWS client that `make run` uses.
FOLLOW_LOGS = """
from types import SimpleNamespace
from tools.stack.stop import Stop, Stopped
stop = Stop.on_signals()
import sys
from tools.stack import serve
from tools.stack.stack import Stack
stack = Stack(int(sys.argv[1]))
stack.emulator = SimpleNamespace(poll=lambda: None)
stack.resource = lambda name: name
stop.sleep = lambda seconds: stop.check()
try:
    serve.follow_logs(stack, stop)
except Stopped:
    print("Stopped.")
"""

# Waits for the flag; the signal comes between any two instructions.
WAIT = """
from tools.stack.stop import Stop, Stopped
stop = Stop.on_signals()
print("ready", flush=True)
try:
    while True:
        stop.sleep(0.0001)
except Stopped:
    print("Stopped.")
"""

# Runs destructors, in which Python ignores exceptions: KeyboardInterrupt would be lost there.
IN_DESTRUCTORS = """
import time
from tools.stack.stop import Stop, Stopped
class Slow:
    def __del__(self):
        time.sleep(0.05)
stop = Stop.on_signals()
print("ready", flush=True)
try:
    while True:
        Slow()
        stop.check()
except Stopped:
    print("Stopped.")
"""

CHILD = """
import subprocess, sys
from tools.stack.stop import Stop, Stopped
stop = Stop.on_signals()
try:
    stop.run(["sh", "-c", "trap '' INT; sleep 300 & echo $$ $!; wait"])
except Stopped:
    print("Stopped.")
"""


class Logs(http.server.BaseHTTPRequestHandler):
    """A stand-in for CloudWatch Logs with an endless series of events."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        body = json.dumps({"events": [{"timestamp": 1, "message": "an event"}]}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/x-amz-json-1.1")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):
            self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


class Signals(unittest.TestCase):
    def start(self, program: str, *arguments: object) -> subprocess.Popen:
        process = subprocess.Popen(
            [sys.executable, "-B", "-c", textwrap.dedent(program), *map(str, arguments)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process

    def ends(self, process: subprocess.Popen, number: int = signal.SIGINT) -> None:
        """Checks that a single signal ends the process, without error output."""
        process.send_signal(number)
        output, errors = process.communicate(timeout=BOUND_SECONDS)
        self.assertEqual((process.returncode, output.splitlines()[-1], errors), (0, "Stopped.", ""))

    def test_while_the_aws_client_works(self) -> None:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Logs)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        moments = random.Random(SEED)
        # A few at a time, because most of their time is the import of the client.
        for _ in range(3):
            running = [self.start(FOLLOW_LOGS, server.server_port) for _ in range(4)]
            for process in running:
                self.assertIn("an event", process.stdout.readline())
            for process in running:
                # Signal in the middle of requests, which take a few milliseconds each.
                for _ in range(moments.randrange(40)):
                    process.stdout.readline()
                time.sleep(moments.random() * 0.01)
                self.ends(process)

    def test_at_any_moment(self) -> None:
        moments = random.Random(SEED)
        for index in range(12):
            process = self.start(WAIT)
            process.stdout.readline()
            time.sleep(moments.random() * 0.01)
            self.ends(process, signal.SIGTERM if index % 3 == 0 else signal.SIGINT)

    def test_where_exceptions_are_ignored(self) -> None:
        for _ in range(3):
            process = self.start(IN_DESTRUCTORS)
            process.stdout.readline()
            time.sleep(0.02)
            self.ends(process)

    def test_children_and_their_children_end(self) -> None:
        process = self.start(CHILD)
        pids = [int(pid) for pid in process.stdout.readline().split()]
        self.ends(process)
        for _ in range(50):
            if not any(map(is_alive, pids)):
                return
            time.sleep(0.1)
        self.fail(f"still there: {pids}")


class Requests(unittest.TestCase):
    def test_a_command_is_over_at_once(self) -> None:
        stop = Stop()
        threading.Timer(0.3, stop.request).start()
        started = time.monotonic()
        with self.assertRaises(Stopped):
            stop.run(["sleep", "60"])
        self.assertLess(time.monotonic() - started, BOUND_SECONDS)

    def test_nothing_starts_after_a_request(self) -> None:
        stop = Stop()
        stop.request()
        with self.assertRaises(Stopped):
            stop.start(["sleep", "60"])
        with self.assertRaises(Stopped):
            stop.sleep(60)

    def test_a_patient_child_goes_on_for_a_while(self) -> None:
        stop = Stop()
        child = stop.start(["sleep", "60"], patience=1.0)
        requested = time.monotonic()
        threading.Thread(target=stop.request, daemon=True).start()
        time.sleep(0.5)
        self.assertIsNone(child.poll())
        child.wait(timeout=BOUND_SECONDS)
        self.assertGreaterEqual(time.monotonic() - requested, 1.0)

    def test_its_owner_may_end_it_first(self) -> None:
        stop = Stop()
        child = stop.start(["sleep", "60"], patience=60.0)
        request = threading.Thread(target=stop.request)
        request.start()
        stop.finish(child)
        request.join(timeout=BOUND_SECONDS)
        self.assertFalse(request.is_alive())

    def test_exit_codes(self) -> None:
        stop = Stop()
        self.assertEqual((stop.run(["true"]), stop.run(["false"])), (0, 1))
        self.assertEqual(stop.children, {})

    def test_a_stubborn_child_is_killed(self) -> None:
        from tools.stack.stop import end

        child = subprocess.Popen(
            [
                sys.executable,
                "-c",
                "import signal, time; signal.signal(15, lambda *_: None); print(1, flush=True); time.sleep(60)",
            ],
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        child.stdout.readline()
        end(child, grace=0.5)
        child.stdout.close()
        self.assertEqual(child.returncode, -signal.SIGKILL)


if __name__ == "__main__":
    unittest.main()
