"""Checks what the gates of the console find, in small examples."""

import json
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.ci.console import sources
from tools.stack import console

MANIFEST = {
    "index.html": {"file": "index-1.js", "isEntry": True, "imports": ["_shared.js"], "dynamicImports": ["src/screens/a/A.svelte"], "assets": ["icon-1.svg"]},
    "_shared.js": {"file": "shared-1.js"},
    "src/screens/a/A.svelte": {"file": "A-1.js", "isDynamicEntry": True, "imports": ["_shared.js", "index.html", "_table.js"]},
    "_table.js": {"file": "table-1.js"},
    "style.css": {"file": "style-1.css"},
}
PAGE = '<link rel="icon" href="./console/icon-1.svg" /><script type="module" src="./console/index-1.js"></script>\n'
PAGE += '<link rel="stylesheet" href="./console/style-1.css">\n'


class Markup(unittest.TestCase):
    def test_forbidden(self) -> None:
        for line in (
            "<p>{@html text}</p>",
            '<p style="color: red">',
            "<p style={color}>",
            "<p {style}>",
            "<p style:color={color}>",
            "<p style:--size={size}>",
            "node.innerHTML = text;",
            "eval(text)",
            "new Function(text)",
            "sessionStorage.setItem(name, key)",
            "document.cookie",
            'localStorage.setItem("key", key)',
        ):
            with self.subTest(line):
                (fault,) = sources.forbidden({"src/a.svelte": f"<h1>A</h1>\n{line}\n"})
                self.assertIn("console/src/a.svelte:2: ", fault)

    def test_allowed(self) -> None:
        for line in (
            "<style>",
            "node.style.width = width;",
            "let style: string;",
            "{ style: name }",
            "<p class={style}>",
            "const shown = { style: 1 };",
            "cookieClient.retrieval(text)",
        ):
            with self.subTest(line):
                self.assertEqual(sources.forbidden({"src/a.svelte": line}), [])
        remembers = dict.fromkeys(sources.REMEMBERS, "localStorage.getItem(name)")
        self.assertEqual(sources.forbidden({**remembers, "src/a.css": "ul { list-style:none }"}), [])

    def test_files_have_at_most_200_lines(self) -> None:
        files = {"src/a.ts": "a\n" * 200, "src/b.ts": "a\n" * 201}
        self.assertEqual(sources.too_long(files), ["console/src/b.ts has 201 lines, but the limit is 200. Split it by subject."])


class OfABuild(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        pages = console.pages(Path(folder.name))
        (pages / ".vite").mkdir(parents=True)
        (pages / ".vite" / "manifest.json").write_text(json.dumps(MANIFEST))
        (pages / "index.html").write_text(PAGE)
        (pages / "index-1.js").write_text('["./A-1.js","./table-1.js"]')
        for name in ("shared-1.js", "A-1.js", "table-1.js", "style-1.css", "icon-1.svg"):
            (pages / name).write_text("")
        console.compress(pages, console.compressed(Path(folder.name)))
        self.built = sources.Built(Path(folder.name))
        silent = mock.patch.object(sources, "say")
        silent.start()
        self.addCleanup(silent.stop)

    def test_what_is_loaded(self) -> None:
        self.assertEqual(self.built.first_load(), {"index.html", "index-1.js", "shared-1.js", "style-1.css", "icon-1.svg"})
        self.assertEqual(self.built.later(), {"src/screens/a/A.svelte": {"A-1.js", "table-1.js"}})

    def test_limits(self) -> None:
        (requests,) = sources.too_large(self.built)
        self.assertEqual(requests, "The first load makes 7 requests, but the limit is 6.")
        (self.built.compressed / "table-1.js.gz").write_bytes(bytes(60_000))
        (self.built.compressed / "shared-1.js.gz").write_bytes(bytes(120_000))
        first, _, screen = sources.too_large(self.built)
        self.assertIn("The first load has 120,", first)
        self.assertIn("src/screens/a/A.svelte loads 60,", screen)

    def test_addresses(self) -> None:
        self.assertEqual(sources.wrong_addresses(self.built), [])
        (self.built.pages / "index-1.js").write_text('["./console/A-1.js"]')
        (self.built.pages / "A-1.js").write_text("import(`./missing.js`)")
        (self.built.pages / "index.html").write_text(PAGE.replace("./console/index", "./index") + "<script>run()</script>\n")
        found = " ".join(sources.wrong_addresses(self.built))
        for part in ("A-1.js of the build names missing.js", "index-1.js of the build names console/A-1.js", "names index-1.js", "a script or a style"):
            self.assertIn(part, found)

    def test_licences(self) -> None:
        path = self.built.pages / "licences.txt"
        path.write_text("# Licenses\n\n## svelte - 5.0.0 (MIT)\n\nCopyright\n\n## clsx - 2.1.1 (MIT)\n\nCopyright\n")
        self.assertEqual(sources.unfit_licences(self.built), [])
        path.write_text("# Licenses\n\n## a - 1.0.0 (GPL-3.0)\n\nText\n\n## svelte - 5.0.0 (MIT)\n")
        found = sources.unfit_licences(self.built)
        self.assertEqual(len(found), 2)
        self.assertIn("a has the licence GPL-3.0. Allowed: 0BSD", found[0])
        self.assertEqual(found[1], "svelte has no text of its licence.")


if __name__ == "__main__":
    unittest.main()
