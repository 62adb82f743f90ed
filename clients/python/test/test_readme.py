"""The README: its blocks are one program, which runs here against a stand-in, with frameworks that are installed."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import hmac
import importlib
import io
import json
import os
import re
import sys
import tempfile
import time
import types
import unittest
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

from standin import Answer, Received, StandIn

README = Path(__file__).parents[1] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)
FRAMEWORKS = ("fastapi", "flask")
SECRET = "whsec_" + base64.b64encode(bytes([7] * 24)).decode()
CHAT = {"id": "msg_wa_1", "outcome": "ACCEPTED", "recipients": [{"status": "READ"}]}
SMS = {"id": "msg_sms_1", "outcome": "ACCEPTED", "status": "DELIVERED", "text": "Hello!"}
EVENT = {"id": "evt_1", "type": "messages.chat.read", "sequence": 1, "data": {"textBody": "Hello!"}}


def answer(request: Received, _: int) -> Answer:
    """Answers as the service does, as far as the README needs it."""
    path = request.path.partition("?")[0]
    if path == "/v1/events":
        return Answer(json={"data": [EVENT], "nextAfter": "p1"})
    if request.method == "GET" and path in ("/v1/organization/apps", "/v1/sms", "/v1/chat/messages"):
        return Answer(json={"data": [{"id": "app_1", "name": "Shop", "text": "Hello!"}], "nextCursor": None})
    if path == "/v1/organization/apps":
        return Answer(201, {"id": "app_1", "isTestApp": True}, {"x-request-id": "r1"})
    if path == "/v1/media":
        return Answer(201, {"id": "media_1", "url": "https://storage"})
    if path == "/v1/sms" and request.json()["from"] == "+12025550100":
        error = {"type": "invalid_request_error", "code": "invalid_phone_number", "message": "No.", "param": "from"}
        return Answer(400, {"error": error}, {"x-request-id": "r2"})
    return Answer(201 if request.method == "POST" else 200, SMS if "/sms" in path else CHAT)


def signed(body: bytes, secret: str = SECRET) -> dict[str, str]:
    """Returns the headers of a delivery."""
    now = str(int(time.time()))
    key = base64.b64decode(secret.removeprefix("whsec_"))
    digest = hmac.digest(key, f"evt_1.{now}.".encode() + body, hashlib.sha256)
    signature = f"v1,{base64.b64encode(digest).decode()}"
    return {"webhook-id": "evt_1", "webhook-timestamp": now, "webhook-signature": signature}


class TestReadme(unittest.TestCase):
    def setUp(self) -> None:
        self.stand_in = StandIn()
        self.stand_in.answer = answer
        self.addCleanup(self.stand_in.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        Path("photo.png").write_bytes(b"bytes")
        variables = {"MESSAGING_API_KEY": "k", "MESSAGING_BASE_URL": self.stand_in.url, "WEBHOOK_SECRET": SECRET}
        environment = mock.patch.dict(os.environ, variables)
        environment.start()
        self.addCleanup(environment.stop)

    def blocks(self) -> list[str]:
        text = README.read_text().replace("https://api.example.com", self.stand_in.url)
        blocks: list[str] = BLOCK.findall(text)
        return blocks

    def run_blocks(self, blocks: list[str]) -> tuple[dict[str, Any], str]:
        """Runs blocks as one program, and returns its names and its output."""
        program = types.ModuleType("readme")
        sys.modules["readme"] = program
        self.addCleanup(sys.modules.pop, "readme")
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            for block in blocks:
                exec(compile(block, "README.md", "exec", dont_inherit=True), program.__dict__)
        if client := vars(program).get("client"):
            self.addCleanup(client.close)
        return vars(program), output.getvalue()

    def test_the_program_runs(self) -> None:
        blocks = self.blocks()
        self.assertGreater(len(blocks), 10)
        plain = [block for block in blocks if not any(f"from {each}" in block for each in FRAMEWORKS)]
        names, output = self.run_blocks(plain)
        for text in (
            "msg_wa_1 ACCEPTED", "True True {", "201 r1 False", "['READ']", "invalid_phone_number from r2", "Shop",
            "1 None",
            "1 evt_1 messages.chat.read\nHello!", "1.0\n", "media_1 https://storage", "DELIVERED", "app_1 Hello!",
        ):
            self.assertIn(text, output)
        self.assertEqual(names["position"].exists(), False)
        keys = [request.headers.get("idempotency-key") for request in self.stand_in.received]
        self.assertIn("order-7", keys)

    @unittest.skipUnless(find_spec("fastapi"), "FastAPI is not installed")
    def test_the_receiver_with_fastapi(self) -> None:
        names, _ = self.run_blocks([block for block in self.blocks() if "from fastapi" in block])
        client = importlib.import_module("fastapi.testclient").TestClient(names["api"])
        self.receive(lambda body, headers: client.post("/webhooks", content=body, headers=headers).status_code)

    @unittest.skipUnless(find_spec("flask"), "Flask is not installed")
    def test_the_receiver_with_flask(self) -> None:
        names, _ = self.run_blocks([block for block in self.blocks() if "from flask" in block])
        client = names["app"].test_client()
        self.receive(lambda body, headers: client.post("/webhooks", data=body, headers=headers).status_code)

    def receive(self, post: Any) -> None:
        for kind, field in (("messages.chat.received", "textBody"), ("messages.sms.received", "text")):
            body = json.dumps({"id": "evt_1", "type": kind, "data": {field: "Grüße"}}, ensure_ascii=False).encode()
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                self.assertEqual(post(body, signed(body)), 204)
            self.assertIn(output.getvalue(), ("", "Grüße\n"))
            self.assertEqual(post(body + b" ", signed(body)), 400)
            self.assertEqual(post(body, {}), 400)


if __name__ == "__main__":
    unittest.main()
