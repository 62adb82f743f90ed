import tempfile
import unittest
from pathlib import Path

from tools.operate.steps import Refused
from tools.release import contents


class Contents(unittest.TestCase):
    def test_what_is_linked_or_served_is_listed_once(self):
        crates = contents.crates()
        names = [name for name, _, _ in crates]
        self.assertLessEqual({"tokio", "serde_json", "axum", "ring", "scalar_api_reference"}, set(names))
        self.assertEqual(len(set(crates)), len(crates))
        # Procedural macros, dependencies of tests, other systems, and packages of this repository.
        for name in ("serde_derive", "proptest", "windows-sys", "domain", "cli"):
            self.assertNotIn(name, names)
        for name, version, licence in crates:
            self.assertRegex(version, r"^\d+\.\d+\.\d+", name)
            self.assertRegex(licence, r"^[\w.() -]+$", name)

    def test_packages_come_from_the_build_of_the_console(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(Refused, "make build"):
                contents.packages(Path(folder))
            pages = Path(folder) / "a" / "pages"
            pages.mkdir(parents=True)
            (pages / "licences.txt").write_text("# Licences\n\n## @a/b - 1.2.3 (MIT)\n\nText\n\n## c - 2.0.0 (ISC)\n")
            self.assertEqual(contents.packages(Path(folder)), [("@a/b", "1.2.3", "MIT"), ("c", "2.0.0", "ISC")])
