"""The Lambda Runtime API for one execution environment, whose bootstrap is measured."""

import os
import queue
import re
import subprocess
import tempfile
import threading
import time
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PREFIX = "/2018-06-01/runtime"
ARN = "arn:aws:lambda:us-east-1:000000000000:function:bench"
# As long as a real session token, because signing reads it.
SESSION_TOKEN = "IQoJb3JpZ2luX2Vj" * 56
TRACE = "Root=1-5bef4de7-ad49b0e87f6ef6c87fc2e700;Parent=9a9197af755a6419;Sampled=0"
COLLECTED = re.compile(r"Collected : (\d+)")


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Ignores closed connections: a stopped bootstrap closes its own."""


class Environment:
    """One execution environment: the process, its events and their responses."""

    def __init__(self, binary: Path, variables: dict[str, str], count: bool = False):
        self.events: queue.Queue = queue.Queue()
        self.answers: queue.Queue = queue.Queue()
        self.polled = threading.Event()
        self.server = Server(("127.0.0.1", 0), self.handler())
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        with tempfile.NamedTemporaryFile(suffix=".log", delete=False) as log:
            self.log = Path(log.name)
        command = [str(binary)]
        if count:
            command = [
                "valgrind",
                "--tool=callgrind",
                "--callgrind-out-file=/dev/null",
                f"--log-file={self.log}",
                *command,
            ]
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, env=self.environment(variables), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def environment(self, variables: dict[str, str]) -> dict[str, str]:
        """The environment variables that Lambda sets, together with the function's own."""
        return {
            "PATH": os.environ["PATH"],
            "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self.server.server_port}",
            "AWS_LAMBDA_FUNCTION_NAME": "bench",
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "256",
            "_HANDLER": "bootstrap",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "ASIAEXAMPLEEXAMPLE00",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_SESSION_TOKEN": SESSION_TOKEN,
            **variables,
        }

    def handler(environment):  # noqa: N805, the server makes instances of what is returned
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Send events of up to this size in one piece; a bootstrap that reads two pieces executes more instructions.
            wbufsize = 2**20

            def do_GET(self) -> None:
                environment.polled_at = time.perf_counter()
                environment.polled.set()
                event = environment.events.get()
                self.answer(
                    200,
                    event,
                    {
                        "Lambda-Runtime-Aws-Request-Id": str(uuid.uuid4()),
                        "Lambda-Runtime-Deadline-Ms": str(int(time.time() * 1000) + 29_000),
                        "Lambda-Runtime-Invoked-Function-Arn": ARN,
                        "Lambda-Runtime-Trace-Id": TRACE,
                    },
                )

            def do_POST(self) -> None:
                body = (
                    self.rfile.read(int(self.headers.get("Content-Length") or 0))
                    if "Content-Length" in self.headers
                    else self.chunks()
                )
                environment.answers.put((self.path, body))
                self.answer(202, b"{}", {})

            def chunks(self) -> bytes:
                body = b""
                while size := int(self.rfile.readline().strip() or b"0", 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
                self.send_response(status)
                for name, value in {
                    **headers,
                    "Content-Type": "application/json",
                    "Content-Length": str(len(body)),
                }.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        return Handler

    def wait_until_ready(self) -> float:
        """Returns the seconds from the start to the first poll."""
        if not self.polled.wait(120):
            raise TimeoutError("the bootstrap never polled for an event")
        return self.polled_at - self.started

    def invoke(self, event: bytes) -> bytes:
        self.events.put(event)
        path, body = self.answers.get(timeout=120)
        if not path.endswith("/response"):
            raise RuntimeError(f"{path}: {body[:300]!r}")
        return body

    def peak_memory(self) -> int:
        """Returns the peak resident memory of the process in bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) * 1024

    def stop(self) -> int | None:
        """Ends the process; returns its number of instructions, if they were counted."""
        self.process.terminate()
        self.process.wait(timeout=60)
        self.server.shutdown()
        self.server.server_close()
        counted = COLLECTED.search(self.log.read_text())
        self.log.unlink()
        return int(counted[1]) if counted else None
