"""Tests of the archives that local deployments upload."""

import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from samcli.yamlhelper import yaml_parse

from tools.stack.archives import archive_of, template_of_archives, write_archive
from tools.stack.project import FUNCTIONS
from tools.stack.template import source


def functions(template: dict) -> list[dict]:
    return [each["Properties"] for each in template["Resources"].values() if each["Type"] == "AWS::Serverless::Function"]


class Archives(unittest.TestCase):
    def test_the_template_differs_in_the_code_of_functions_only(self) -> None:
        # In a checkout whose path YAML would read otherwise.
        with mock.patch("tools.stack.archives.FOLDER", Path("/a: check #out")):
            made, written = yaml_parse(template_of_archives()), source()
            found = {properties["CodeUri"] for properties in functions(made)}
            self.assertEqual(found, {str(archive_of(function)) for function in FUNCTIONS})
        for template in (made, written):
            for properties in functions(template):
                del properties["CodeUri"]
        self.assertEqual(made, written)

    def test_an_archive_holds_an_executable_bootstrap(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch("tools.stack.archives.FOLDER", Path(folder)):
            bootstrap = Path(folder) / "bootstrap"
            bootstrap.write_bytes(b"code")
            bootstrap.chmod(0o755)
            write_archive("media", bootstrap)
            with zipfile.ZipFile(archive_of("media")) as archive:
                self.assertEqual(archive.read("bootstrap"), b"code")
                self.assertEqual(archive.getinfo("bootstrap").external_attr >> 16 & 0o777, 0o755)
                self.assertEqual(archive.namelist(), ["bootstrap"])

    def test_the_console_beside_a_binary_is_in_its_archive(self) -> None:
        with tempfile.TemporaryDirectory() as folder, mock.patch("tools.stack.archives.FOLDER", Path(folder)):
            bootstrap = Path(folder) / "function" / "bootstrap"
            (bootstrap.parent / "console").mkdir(parents=True)
            bootstrap.write_bytes(b"code")
            (bootstrap.parent / "console" / "index.html.gz").write_bytes(b"page")
            write_archive("reference", bootstrap)
            with zipfile.ZipFile(archive_of("reference")) as archive:
                self.assertEqual(archive.namelist(), ["bootstrap", "console/index.html.gz"])


if __name__ == "__main__":
    unittest.main()
