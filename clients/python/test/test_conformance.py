"""Plays the vectors of clients/conformance, as its README says: each with both clients."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import unittest
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

import httpx

from messaging_api import AsyncMessaging, Messaging
from player import Json, Player

FOLDER = Path(os.environ.get("CONFORMANCE", Path(__file__).parents[2] / "conformance"))


class Server:
    """The scripted server."""

    def __init__(self) -> None:
        command = [sys.executable, "-B", str(FOLDER / "server.py")]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout
        self._http = httpx.Client(base_url=self._process.stdout.readline().strip(), timeout=60)

    def ask(self, method: str, path: str, body: Json | None = None) -> Any:
        response = self._http.request(method, path, json=body)
        response.raise_for_status()
        return response.json() if response.content else {}

    def close(self) -> None:
        self._http.close()
        assert self._process.stdin and self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


@contextmanager
def environment(variables: Mapping[str, str] | None) -> Iterator[None]:
    known = {name: value for name, value in os.environ.items() if not name.startswith("MESSAGING_")}
    with mock.patch.dict(os.environ, {**known, **(variables or {})}, clear=True):
        yield


class TestVectors(unittest.TestCase):
    server: Server
    tls: Any

    @classmethod
    def setUpClass(cls) -> None:
        cls.server = Server()
        # Each client reads the certificates of the machine, which takes longer than a vector does.
        context = httpx.create_ssl_context()
        cls.tls = mock.patch("httpx._transports.default.create_ssl_context", lambda *_, **__: context)
        cls.tls.start()

    @classmethod
    def tearDownClass(cls) -> None:
        cls.tls.stop()
        cls.server.close()

    def test_every_vector(self) -> None:
        vectors = self.server.ask("GET", "/vectors")
        self.assertGreater(len(vectors), 100)
        # Neither signals nor blobs are a part of Python.
        playable = [vector["name"] for vector in vectors if not vector.get("needs")]
        for kind in (Messaging, AsyncMessaging):
            for name in playable:
                with self.subTest(client=kind.__name__, vector=name):
                    self.play(kind, name)
        print(f"{len(playable)} vectors with each client, {len(vectors) - len(playable)} skipped")

    def play(self, kind: type[Any], name: str) -> None:
        opened = self.server.ask("POST", "/runs", {"name": name})
        vector: Json = opened["vector"]
        problems: list[str] = []
        try:
            with environment(vector.get("client", {}).get("environment")):
                asyncio.run(Player(self.server, kind, opened["run"], opened["baseUrl"], vector).play())
        except AssertionError as problem:
            problems.append(str(problem))
        finally:
            verdict = self.server.ask("DELETE", f"/runs/{opened['run']}")
        problems.extend([] if verdict["passed"] else verdict["problems"])
        self.assertEqual(problems, [])


if __name__ == "__main__":
    unittest.main()
