import json
import re
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.stack import install

CLIENT = install.REQUIREMENTS / "client"


class Versions(unittest.TestCase):
    def test_a_change_of_either_kind_of_packages_is_a_new_version(self) -> None:
        with tempfile.TemporaryDirectory() as name, mock.patch.object(install, "REQUIREMENTS", Path(name)):
            folder = Path(name)
            (folder / "set.txt").write_text("one==1\n")
            versions = [install.version("set")]
            (folder / "set.txt").write_text("one==2\n")
            versions.append(install.version("set"))
            (folder / "set").mkdir()
            (folder / "set" / "package-lock.json").write_text("{}")
            versions.append(install.version("set"))
            (folder / "set" / "package.json").write_text("{}")
            versions.append(install.version("set"))
        self.assertEqual(len(set(versions)), 4)

    def test_python_packages_have_exact_versions(self) -> None:
        for file in install.REQUIREMENTS.glob("*.txt"):
            lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
            inexact = [line for line in lines if not re.fullmatch(r"[\w.-]+==[\w.]+(; .+)?", line)]
            self.assertEqual(inexact, [], file.name)


class NpmPackages(unittest.TestCase):
    def setUp(self) -> None:
        self.packages = json.loads((CLIENT / "package-lock.json").read_text())["packages"]

    def test_the_lock_file_pins_what_is_wanted(self) -> None:
        wanted = json.loads((CLIENT / "package.json").read_text())["dependencies"]
        self.assertEqual(self.packages[""]["dependencies"], wanted)
        for name, version in wanted.items():
            self.assertEqual(self.packages[f"node_modules/{name}"]["version"], version)

    def test_packages_come_from_the_registry_of_the_user_and_are_verified(self) -> None:
        for name, package in self.packages.items():
            if name:
                self.assertNotIn("resolved", package, f"{name}: npm install --omit-lockfile-registry-resolved")
                self.assertIn("integrity", package, name)

    def test_packages_work_on_each_processor_and_have_no_scripts(self) -> None:
        for name, package in self.packages.items():
            # What a package can do without may be for one system only.
            if not package.get("optional"):
                self.assertEqual({"cpu", "os", "hasInstallScript"} & set(package), set(), name)


if __name__ == "__main__":
    unittest.main()
