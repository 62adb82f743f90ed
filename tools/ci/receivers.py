"""Runs the reference's code for receivers against a real signed delivery of the stack: it must accept the delivery, and
reject one that was changed, is old, or was signed with another secret."""

import base64
import hashlib
import hmac
import json
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

from tools.stack.node import NODE
from tools.stack.stack import Stack

# The heading of the chapter with the code.
CHAPTER = "\n## Receive events\n"
# The time that the stack has for one delivery.
WAIT_SECONDS = 120


@dataclass(frozen=True)
class Delivery:
    secret: str
    headers: dict[str, str]
    body: bytes

    def signed_at(self, timestamp: int) -> "Delivery":
        """Returns the delivery, correctly signed at another time."""
        key = base64.b64decode(self.secret.removeprefix("whsec_"))
        text = f"{self.headers['webhook-id']}.{timestamp}.".encode() + self.body
        signature = "v1," + base64.b64encode(hmac.new(key, text, hashlib.sha256).digest()).decode()
        headers = {**self.headers, "webhook-timestamp": str(timestamp), "webhook-signature": signature}
        return replace(self, headers=headers)

    def with_headers(self, **headers: str) -> "Delivery":
        return replace(self, headers={**self.headers, **{name.replace("_", "-"): headers[name] for name in headers}})

    def write(self, path: Path) -> None:
        body = base64.b64encode(self.body).decode()
        path.write_text(json.dumps({"secret": self.secret, "headers": self.headers, "body": body}))


def cases(real: Delivery) -> list[tuple[str, Delivery, bool]]:
    """The deliveries, each with its name and whether it must be accepted."""
    sent = int(real.headers["webhook-timestamp"])
    signature = real.headers["webhook-signature"]
    other = f"v1,{base64.b64encode(bytes(32)).decode()}"
    return [
        ("the delivery", real, True),
        ("two signatures", real.with_headers(webhook_signature=f"{other} {signature}"), True),
        ("a changed body", replace(real, body=real.body.replace(b'"mode":"test"', b'"mode":"live"')), False),
        ("another id", real.with_headers(webhook_id="evt_other"), False),
        ("another secret", replace(real, secret="whsec_" + base64.b64encode(bytes(32)).decode()), False),
        ("another signature", real.with_headers(webhook_signature=other), False),
        ("an old delivery", real.signed_at(sent - 600), False),
        ("a delivery from the future", real.signed_at(sent + 600), False),
        ("no time", real.with_headers(webhook_timestamp="now"), False),
    ]


PYTHON_MAIN = """
import sys
sent = json.load(open(sys.argv[1]))
print(verify(sent["secret"], sent["headers"], base64.b64decode(sent["body"]))["type"])
"""
NODE_MAIN = """
import { readFileSync } from "node:fs";
const sent = JSON.parse(readFileSync(process.argv[2]));
console.log(verify(sent.secret, sent.headers, Buffer.from(sent.body, "base64")).type);
"""
GO_MAIN = """package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"receiver/receiver"
)

func main() {
	text, _ := os.ReadFile(os.Args[1])
	var sent struct {
		Secret  string
		Headers map[string]string
		Body    []byte
	}
	if err := json.Unmarshal(text, &sent); err != nil {
		panic(err)
	}
	header := http.Header{}
	for name, value := range sent.Headers {
		header.Set(name, value)
	}
	if err := receiver.Verify(sent.Secret, header, sent.Body); err != nil {
		panic(err)
	}
	var event struct{ Type string }
	if err := json.Unmarshal(sent.Body, &event); err != nil {
		panic(err)
	}
	fmt.Println(event.Type)
}
"""


def python_program(code: str, folder: Path) -> list[object]:
    (folder / "receiver.py").write_text(code + PYTHON_MAIN)
    return [sys.executable, "-B", folder / "receiver.py"]


def node_program(code: str, folder: Path) -> list[object]:
    (folder / "receiver.mjs").write_text(code + NODE_MAIN)
    return [NODE, folder / "receiver.mjs"]


def go_program(code: str, folder: Path) -> list[object]:
    (folder / "receiver").mkdir()
    (folder / "receiver" / "receiver.go").write_text(code)
    (folder / "main.go").write_text(GO_MAIN)
    (folder / "go.mod").write_text("module receiver\n\ngo 1.20\n")
    unformatted = subprocess.run(["gofmt", "-l", "."], cwd=folder, capture_output=True, text=True, check=True).stdout
    if unformatted:
        sys.exit(f"gofmt would change the reference's code: {unformatted}")
    subprocess.run(["go", "vet", "./..."], cwd=folder, check=True)
    subprocess.run(["go", "build", "-o", "verify", "."], cwd=folder, check=True)
    return [folder / "verify"]


# Each language: the program that must be installed, and how its code becomes a program that takes a delivery's file.
LANGUAGES: dict[str, tuple[str, Callable[[str, Path], list[object]]]] = {
    "python": (sys.executable, python_program),
    "javascript": (str(NODE), node_program),
    "go": ("go", go_program),
}


def code(guide: str, language: str) -> str:
    """The code of a language in the reference."""
    _, _, chapter = guide.partition(CHAPTER)
    found = re.search(rf"^```{language}\n(.*?)^```", chapter, re.DOTALL | re.MULTILINE)
    if found is None:
        sys.exit(f"The reference has no {language} code that verifies a delivery.")
    return found[1]


def check(guide: str, real: Delivery) -> str:
    """Runs the code of each installed language. Returns a note that names the languages that were run."""
    notes = []
    for language, (program, build) in LANGUAGES.items():
        source = code(guide, language)
        if shutil.which(program) is None:
            notes.append(f"{language} NOT run: {program} is not installed")
            continue
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            command = [str(part) for part in build(source, folder)]
            for title, delivery, is_accepted in cases(real):
                delivery.write(folder / "delivery.json")
                done = subprocess.run(
                    [*command, str(folder / "delivery.json")], capture_output=True, text=True, check=False
                )
                expected = json.loads(real.body)["type"] if is_accepted else ""
                if (done.returncode == 0) != is_accepted or done.stdout.strip() != expected:
                    sys.exit(f"{language}, {title}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        notes.append(f"{language} run")
    return ", ".join(notes)


def receive(stack: Stack, values: dict[str, str]) -> Delivery:
    """Registers a webhook for a receiver in this process, and returns the test event that it gets."""
    received: list[Delivery] = []
    arrived = threading.Event()

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append(Delivery("", {name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(204)
            self.end_headers()
            arrived.set()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    admin, hooks = values["ADMIN_KEY"], f"/v1/organization/apps/{values['TEST_APP_ID']}/webhooks"
    try:
        url = f"http://127.0.0.1:{server.server_port}/"
        hook = stack.call("POST", hooks, admin, {"url": url, "events": ["messages.chat.received"]})
        stack.call("POST", f"{hooks}/{hook['id']}/test", admin, {})
        if not arrived.wait(WAIT_SECONDS):
            sys.exit(f"The stack delivered nothing within {WAIT_SECONDS} s.")
        stack.call("DELETE", f"{hooks}/{hook['id']}", admin)
    finally:
        server.shutdown()
        server.server_close()
    return replace(received[0], secret=hook["secret"])


def run(stack: Stack, values: dict[str, str]) -> str:
    with urllib.request.urlopen(f"{stack.base_url}/v1/openapi.json", timeout=60) as answer:
        guide = json.load(answer)["info"]["description"]
    return check(guide, receive(stack, values))
