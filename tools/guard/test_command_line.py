"""Tests of the guard's command line."""

import json
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

from botocore.exceptions import ClientError

from tools.stack.project import ROOT

from .testing import accounts, client, emulator


class CommandLine(unittest.TestCase):
    def test_it_listens_records_and_ends(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            record = Path(folder) / "refusals"
            command = [
                sys.executable,
                "-B",
                "-m",
                "tools.guard",
                "--port",
                "0",
                "--upstream",
                emulator().url,
                "--record",
                record,
            ]
            process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
            try:
                line = process.stdout.readline()
                url = re.fullmatch(r"Listening on (http://127\.0\.0\.1:\d+)\n", line)[1]
                secrets = client("secretsmanager", str(next(accounts)), url)
                for _ in range(2):
                    with self.assertRaises(ClientError):
                        secrets.create_secret(Name="a b", SecretString="x")
                with urllib.request.urlopen(f"{url}/_guard/refusals") as answer:
                    (listed,) = json.load(answer)
                known = (listed["rule"], listed["count"], listed["refused"], listed["operation"])
                self.assertEqual(known, ("secrets-name", 2, True, "CreateSecret"))
                self.assertIn("Invalid name", listed["first"])
            finally:
                process.send_signal(signal.SIGTERM)
                self.assertEqual(process.wait(timeout=10), 0)
                process.stdout.close()
            lines = [json.loads(line) for line in record.read_text().splitlines()]
            self.assertEqual(
                [(line["rule"], line["operation"]) for line in lines], [("secrets-name", "CreateSecret")] * 2
            )
