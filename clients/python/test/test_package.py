"""The package as a whole: its documentation, version and size, and how long its import takes."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

import messaging_api
from messaging_api._core import VERSION

REPOSITORY = Path(os.environ.get("REPOSITORY", Path(__file__).parents[3]))
SOURCES = REPOSITORY / "clients" / "python" / "messaging_api"
PACKAGE = Path(messaging_api.__file__).parent
# The most lines of the sources that are written by hand, which have at most 120 columns. Empty lines do not count:
# their number is the formatting's.
MOST_LINES = 1_200
# The most that an import takes beside that of httpx, in seconds.
MOST_TIME = 0.060


def public_names(module: Path) -> Iterator[tuple[str, bool]]:
    """Returns the public classes, functions, methods and constants of a module, and whether each is documented."""
    body = ast.parse(module.read_text()).body
    for at, node in enumerate(body):
        after = body[at + 1] if at + 1 < len(body) else None
        if isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and not node.name.startswith("_"):
            yield node.name, ast.get_docstring(node) is not None
            methods = node.body if isinstance(node, ast.ClassDef) else []
            for method in methods:
                if isinstance(method, (ast.FunctionDef, ast.AsyncFunctionDef)) and not method.name.startswith("_"):
                    yield f"{node.name}.{method.name}", ast.get_docstring(method) is not None
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id[0].isalpha():
            yield node.targets[0].id, is_text(after)


def is_text(node: ast.stmt | None) -> bool:
    """Whether a statement is a text, which documents the constant before it."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def exported() -> set[str]:
    """Returns the names that programs import from the package."""
    return {name for name in vars(messaging_api) if not name.startswith("_")}


def import_time(module: str) -> float:
    """Returns how long the fastest import of a module takes in a new process."""
    program = f"import time; start = time.perf_counter(); import {module}; print(time.perf_counter() - start)"
    command = [sys.executable, "-c", program]
    with tempfile.TemporaryDirectory() as cache:
        # The first import compiles, as an installation does.
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "PYTHONPYCACHEPREFIX": cache}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        runs = [subprocess.run(command, env=environment, capture_output=True, text=True, check=True) for _ in range(12)]
    return min(float(done.stdout) for done in runs)


class TestPackage(unittest.TestCase):
    def test_every_public_name_is_documented(self) -> None:
        names = exported()
        # The classes of methods are not exported, but their methods are used.
        found = [
            (name, is_documented) for module in PACKAGE.rglob("*.py") for name, is_documented in public_names(module)
            if name.partition(".")[0] in names or "Api." in name
        ]
        self.assertGreater(len(found), 500)
        self.assertEqual([name for name, is_documented in found if not is_documented], [])
        known = {"Messaging", "MessagingError", "NotFoundError", "Event", "AppNumber", "Clock.sleep", "SmsApi.send"}
        self.assertLessEqual(known, {name for name, _ in found})

    def test_every_exported_class_and_function_explains_itself(self) -> None:
        for name in exported():
            value = getattr(messaging_api, name)
            if isinstance(value, type) and value.__module__.startswith("messaging_api"):
                with self.subTest(name):
                    self.assertTrue(value.__doc__)

    def test_each_error_class_is_a_messaging_error(self) -> None:
        values = [getattr(messaging_api, name) for name in exported()]
        classes = [value for value in values if isinstance(value, type) and issubclass(value, BaseException)]
        self.assertEqual(len(classes), 13)
        for each in classes:
            self.assertTrue(issubclass(each, messaging_api.MessagingError), each)

    def test_the_version_is_that_of_the_project(self) -> None:
        for path in (SOURCES.parent / "pyproject.toml", REPOSITORY / "Cargo.toml"):
            found = re.search(r'^version = "(.+)"$', path.read_text(), re.MULTILINE)
            assert found
            self.assertEqual(found[1], VERSION, path)

    def test_the_sources_are_short(self) -> None:
        files = {path.name: path.read_text().splitlines() for path in SOURCES.glob("*.py")}
        count = sum(bool(line.strip()) for lines in files.values() for line in lines)
        print(f"{count} lines by hand")
        self.assertLessEqual(count, MOST_LINES)
        self.assertEqual([name for name, lines in files.items() if any(len(line) > 120 for line in lines)], [])

    def test_it_says_that_it_is_typed(self) -> None:
        self.assertTrue((PACKAGE / "py.typed").exists())

    def test_the_import_is_fast(self) -> None:
        httpx, own = import_time("httpx"), import_time("messaging_api")
        print(f"import httpx: {httpx * 1000:.0f} ms, messaging_api: {own * 1000:.0f} ms")
        self.assertLess(own - httpx, MOST_TIME)


if __name__ == "__main__":
    unittest.main()
