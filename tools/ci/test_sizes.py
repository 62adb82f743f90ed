"""Checks which files the limit of lines covers, and how long they may be."""

import tempfile
import unittest
from pathlib import Path

from tools.ci.sizes import EXCEPTIONS, LIMIT, lengths, too_long, tracked


class Sizes(unittest.TestCase):
    def test_of_every_kind_of_file(self) -> None:
        for file, lines, is_too_long in (
            ("shared/store/src/lib.rs", LIMIT + 1, True),
            ("shared/store/src/lib.rs", LIMIT, False),
            ("tools/stack/run.py", LIMIT + 1, True),
            ("functions/reference/assets/start.js", LIMIT + 1, True),
            ("functions/reference/assets/style.css", LIMIT + 1, True),
            ("console/src/App.svelte", LIMIT + 1, True),
            ("functions/reference/assets/index.html", LIMIT + 1, True),
            (".ci/install.sh", LIMIT + 1, True),
            # Tests and the test kit.
            ("tests/src/world/mod.rs", LIMIT + 1, True),
            ("tests/src/world/mod.rs", LIMIT, False),
            ("tests/tests/it/media.rs", LIMIT + 1, True),
            ("cli/tests/command_line.rs", LIMIT + 1, True),
            ("tools/ci/test_steps.py", LIMIT + 1, True),
            ("shared/domain/src/text/tests.rs", LIMIT + 1, True),
            # Other kinds of files.
            ("infra/template.yaml", LIMIT + 1, False),
            ("docs/openapi.json", LIMIT + 1, False),
            ("docs/runbook.md", LIMIT + 1, False),
            ("Makefile", LIMIT + 1, False),
            *((file, LIMIT + 1, False) for file in EXCEPTIONS),
        ):
            for end in ("\n", ""):
                with self.subTest(file, lines=lines, end=end), tempfile.TemporaryDirectory() as folder:
                    path = Path(folder) / file
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_text("\n".join(["a line"] * lines) + end)
                    message = f"{file} has {lines} lines, but the limit is {LIMIT}. Split it by subject."
                    self.assertEqual(too_long(lengths(Path(folder), [file])), [message] if is_too_long else [])

    def test_a_deleted_file_has_no_length(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(lengths(Path(folder), ["shared/store/src/lib.rs"]), {})

    def test_every_exception_is_a_file(self) -> None:
        self.assertLessEqual(set(EXCEPTIONS), set(tracked()))


if __name__ == "__main__":
    unittest.main()
