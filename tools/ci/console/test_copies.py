"""What the console has to repeat, because it knows it before it can ask: each copy is that of its original."""

import re
import unittest
from pathlib import Path

from tools.stack.project import ROOT


def read(path: str) -> str:
    return (ROOT / Path(path)).read_text()


class Copies(unittest.TestCase):
    def test_recipients_of_test_mode_are_those_of_the_documentation(self) -> None:
        documented = set(re.findall(r"`(\+999[349]\d{4})`", read("docs/test-mode.md")))
        shown = set(re.findall(r'number: "(\+999\d+)"', read("console/src/core/recipients.ts")))
        self.assertEqual(shown, {number for number in documented if number[:5] in ("+9993", "+9994")})

    def test_words_that_are_no_names_in_python_are_those_of_the_library(self) -> None:
        listed = r"KEYWORDS(?:: \[&str; \d+\])? =\s*\[([^\]]+)\]"
        copies = [re.search(listed, read(path))[1] for path in ("contract/src/python/text.rs", "console/src/core/code.ts")]
        ours, theirs = (re.findall(r'"(\w+)"', copy) for copy in copies)
        self.assertEqual(ours, theirs)


if __name__ == "__main__":
    unittest.main()
