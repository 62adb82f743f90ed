import gzip
import os
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.stack import build, console
from tools.stack.stop import Stop


class Console(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.source = self.root / "console"
        (self.source / "src").mkdir(parents=True)
        (self.source / "src" / "App.svelte").write_text("<h1>One</h1>\n")
        for name, value in (
            ("ROOT", self.root),
            ("SOURCE", self.source),
            ("FOLDER", self.root / "target" / "console"),
            ("FUNCTION", self.root / "target" / "lambda" / "reference"),
            ("INPUTS", ("console",)),
        ):
            patch = mock.patch.object(console, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        self.builds = 0

    def run_vite(self, _: Stop, folder: Path) -> None:
        """Writes what Vite would write."""
        self.builds += 1
        (folder / ".vite").mkdir(parents=True)
        (folder / ".vite" / "manifest.json").write_text("{}")
        (folder / "index.html").write_text((self.source / "src" / "App.svelte").read_text())

    def build(self) -> Path:
        with mock.patch.object(console, "run_vite", self.run_vite):
            return console.build(Stop())


class Builds(Console):
    def test_equal_sources_are_built_once(self) -> None:
        first = self.build()
        (self.source / "node_modules").mkdir()
        (self.source / "node_modules" / "a.js").write_text("not a source")
        self.assertEqual((self.build(), self.builds), (first, 1))
        (self.source / "src" / "App.svelte").write_text("<h1>Two</h1>\n")
        second = self.build()
        (self.source / "src" / "App.svelte").rename(self.source / "src" / "Other.svelte")
        self.assertNotIn(console.version(), {first.name, second.name})

    def test_only_files_that_are_served_are_compressed_and_always_to_the_same(self) -> None:
        made = console.compressed(self.build())
        self.assertEqual([file.name for file in made.iterdir()], ["index.html.gz"])
        content = (made / "index.html.gz").read_bytes()
        self.assertEqual((gzip.decompress(content), content[4:8]), (b"<h1>One</h1>\n", bytes(4)))

    def test_a_change_during_the_build_is_built_again(self) -> None:
        def run_vite(stop: Stop, folder: Path) -> None:
            self.run_vite(stop, folder)
            (self.source / "src" / "App.svelte").write_text("<h1>Two</h1>\n")

        with mock.patch.object(console, "run_vite", run_vite):
            built = console.build(Stop())
        self.assertEqual(((console.pages(built) / "index.html").read_text(), self.builds), ("<h1>Two</h1>\n", 2))
        self.assertEqual(os.listdir(console.FOLDER), [built.name])

    def test_a_failure_leaves_nothing_behind(self) -> None:
        with mock.patch.object(console, "run_vite", side_effect=SystemExit("no")), self.assertRaises(SystemExit):
            console.build(Stop())
        self.assertEqual(os.listdir(console.FOLDER), [])

    def test_old_builds_are_removed(self) -> None:
        old, recent = console.FOLDER / "old", console.FOLDER / "recent"
        for folder in (old, recent):
            folder.mkdir(parents=True)
        os.utime(old, (0, 0))
        built = self.build()
        self.assertEqual(set(console.FOLDER.iterdir()), {built, recent})


class Places(Console):
    def names(self) -> list[str]:
        return sorted(path.name for path in console.FUNCTION.glob("console/*"))

    def test_equal_files_are_not_touched_and_others_disappear(self) -> None:
        made = console.compressed(self.build())
        console.place(made, console.FUNCTION)
        placed = console.FUNCTION / "console" / "index.html.gz"
        os.utime(placed, (1, 1))
        (placed.parent / "old.js.gz").write_bytes(b"old")
        console.place(made, console.FUNCTION)
        self.assertEqual((self.names(), placed.stat().st_mtime), (["index.html.gz"], 1))
        placed.write_bytes(b"other")
        console.place(made, console.FUNCTION)
        self.assertEqual(gzip.decompress(placed.read_bytes()), b"<h1>One</h1>\n")

    def test_it_can_be_switched_off(self) -> None:
        with mock.patch.object(console, "run_vite", self.run_vite):
            console.build_and_place(Stop(), console.FUNCTION)
            self.assertEqual((self.names(), console.is_placed()), (["index.html.gz"], True))
            with mock.patch.dict(os.environ, {"CONSOLE": "off"}):
                console.build_and_place(Stop(), console.FUNCTION)
            self.assertEqual((self.names(), console.is_placed()), ([], False))

    def test_only_tests_insist_on_its_tools(self) -> None:
        console.place(console.compressed(self.build()), console.FUNCTION)
        with mock.patch.object(console, "is_installed", return_value=False), mock.patch.dict(os.environ):
            os.environ.pop(build.BUILD_EVERYTHING, None)
            build.build_console(Stop())
            self.assertEqual(self.names(), [])
            os.environ[build.BUILD_EVERYTHING] = "1"
            with self.assertRaisesRegex(SystemExit, "make ready"):
                build.build_console(Stop())


if __name__ == "__main__":
    unittest.main()
