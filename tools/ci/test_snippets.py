import tempfile
import unittest
from pathlib import Path

from tools.ci.snippets import LANGUAGES, snippet_faults

FILES = {
    "clients/snippets/hello.sh": "curl -s $URL\n",
    "clients/snippets/hello.ts": 'import { a } from "a";\n\n// snippet\na();\n',
    "clients/snippets/hello.py": "import a\n\n# snippet\n\na.b()\n",
    "clients/receivers/app.py": "import os\n\nos.abort()\n",
}
BLOCKS = "```bash\ncurl -s $URL\n```\n\n```typescript\na();\n```\n\n```python\na.b()\n```\n"
PAGE = f"""# A page

<!-- clients/snippets/hello -->
{BLOCKS}
Some text, and blocks that show no file:

```bash
make run
```

```json
{{}}
```

<!-- clients/receivers/app.py -->

```python
import os

os.abort()
```
"""


class Snippets(unittest.TestCase):
    def faults(self, page: str, files: dict[str, str] = FILES) -> list[str]:
        """Returns the faults of a page, beside these files."""
        with tempfile.TemporaryDirectory() as name:
            root = Path(name)
            for file, content in {**files, "page.md": page}.items():
                (root / file).parent.mkdir(parents=True, exist_ok=True)
                (root / file).write_text(content)
            return snippet_faults(root, ("page.md",))

    def assert_one(self, faults: list[str], *texts: str) -> None:
        self.assertEqual(len(faults), 1, faults)
        for text in texts:
            self.assertIn(text, faults[0])

    def test_a_page_that_shows_its_files(self) -> None:
        self.assertEqual(self.faults(PAGE), [])

    def test_a_planted_difference_in_any_language(self) -> None:
        for before, after, file in (
            ("curl -s $URL", "curl $URL", "clients/snippets/hello.sh"),
            ("a();", "a()", "clients/snippets/hello.ts"),
            ("a.b()", "a.c()", "clients/snippets/hello.py"),
            ("os.abort()", "", "clients/receivers/app.py"),
            ("a.b()", "a.b()\na.c()", "clients/snippets/hello.py"),
        ):
            self.assert_one(self.faults(PAGE.replace(before, after)), "page.md, line ", f"differs from {file}")
        changed = {**FILES, "clients/snippets/hello.ts": "// snippet\nb();\n"}
        self.assert_one(self.faults(PAGE, changed), "page.md, line 7: ", "line 1 is\n  a();\nand not\n  b();")

    def test_a_block_that_is_missing_or_elsewhere(self) -> None:
        without = PAGE.replace("```typescript\na();\n```\n\n", "")
        self.assertIn("the typescript block of clients/snippets/hello.ts must come here", self.faults(without)[0])
        apart = PAGE.replace("```python\na.b()", "Text\n\n```python\na.b()")
        faults = self.faults(apart)
        self.assertIn("the python block of clients/snippets/hello.py must come here", faults[0])
        self.assertIn("no comment names the file", faults[1])

    def test_a_program_without_a_file(self) -> None:
        for language in LANGUAGES.values():
            faults = self.faults(f"{PAGE}\n```{language}\nnew()\n```\n")
            if language == "bash":
                self.assertEqual(faults, [])
            else:
                self.assert_one(faults, "page.md, line 34: no comment names the file")

    def test_files_that_no_page_shows_and_names_without_a_file(self) -> None:
        files = {**FILES, "clients/snippets/new.py": "a\n"}
        self.assert_one(self.faults(PAGE, files), "No page shows clients/snippets/new.py.")
        self.assert_one(self.faults(f"{PAGE}<!-- clients/snippets/none -->\n"), "names clients/snippets/none")


if __name__ == "__main__":
    unittest.main()
