import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.operate import deploy
from tools.operate.steps import Refused
from tools.release import __main__ as release
from tools.release import bundle


class Variables(unittest.TestCase):
    def refused(self, act, **variables: str) -> str:
        with mock.patch.dict(os.environ, variables), self.assertRaises(Refused) as raised:
            act()
        return str(raised.exception)

    def test_parts_are_made_in_their_order(self):
        with mock.patch.dict(os.environ, {"PARTS": "checksums command-line"}):
            self.assertEqual(release.wanted(), ["command-line", "checksums"])
        with mock.patch.dict(os.environ, {"PARTS": ""}):
            self.assertEqual(release.wanted()[-1], "checksums")
        self.assertIn("PARTS: all is none of functions", self.refused(release.wanted, PARTS="all"))

    def test_architectures_are_those_of_lambda(self):
        with mock.patch.dict(os.environ, {"ARCHITECTURES": ""}):
            self.assertEqual(release.architectures(), ["arm64", "x86_64"])
        self.assertIn("aarch64 is none of arm64, x86_64", self.refused(release.architectures, ARCHITECTURES="aarch64"))

    def test_what_is_deployed_must_fit(self):
        with tempfile.TemporaryDirectory() as folder:
            unpacked = bundle.Release(Path(folder), "9.9.9", "arm64")
            with mock.patch.object(deploy, "unpack", return_value=unpacked):
                self.assertIn("git checkout v9.9.9", self.refused(deploy.deployable, RELEASE="a.tar.gz", ARCHITECTURE=""))
            unpacked = bundle.Release(Path(folder), bundle.version(), "arm64")
            with mock.patch.object(deploy, "unpack", return_value=unpacked):
                wrong = self.refused(deploy.deployable, RELEASE="a.tar.gz", ARCHITECTURE="x86_64")
                self.assertIn("ARCHITECTURE=x86_64, but a.tar.gz is for arm64", wrong)
        self.assertIn("is not a file", self.refused(deploy.deployable, RELEASE="/nowhere/a.tar.gz", ARCHITECTURE=""))
