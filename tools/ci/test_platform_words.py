"""Checks where the platform's field names are found, and where they may be."""

import json
import tempfile
import unittest
from pathlib import Path

from tools.ci.platform_words import (
    DOCUMENT,
    LIST,
    faults_of_list,
    listed,
    misplaced,
    occurrences,
    own_names,
    product_sources,
)
from tools.stack.project import ROOT

NAMES = {"messaging_product", "wa_id"}


class Occurrences(unittest.TestCase):
    def test_in_every_kind_of_text(self) -> None:
        for code, found in (
            ('json!({"messaging_product": "whatsapp"})', ["messaging_product"]),
            ('#[serde(rename = "wa_id")]', ["wa_id"]),
            ('"id,wa_id,messaging_product"', ["wa_id", "messaging_product"]),
            (r'"{\"wa_id\": 1}\nwa_id"', ["wa_id", "wa_id"]),
            ('r#"{"wa_id": 1}"#', ["wa_id"]),
            ('r"wa_id"', ["wa_id"]),
            ("""'"'; let wa_id = '\\''; "wa_id" """, ["wa_id"]),
            ('impl<\'a> T<\'a> { const N: &\'a str = "wa_id"; }', ["wa_id"]),
            # Part of another word.
            ('"new_wa_id wa_ids"', []),
            # Not in a string.
            ("let wa_id = message.wa_id;", []),
            ('// The field "wa_id".', []),
            ('/// The field "wa_id".', []),
            ('/* The field "wa_id". */', []),
            ("""let quotes = ('"', wa_id, '"');""", []),
            ('"https://example.com", wa_id, "x"', []),
        ):
            with self.subTest(code):
                self.assertEqual([name for _, name in occurrences(code, NAMES)], found)

    def test_lines(self) -> None:
        code = 'fn a() {}\n\n/* "\n" */ f("x \\\n    wa_id",\n    "wa_id");\n'
        self.assertEqual(occurrences(code, NAMES), [(5, "wa_id"), (6, "wa_id")])

    def test_not_in_tests(self) -> None:
        tests = '#[cfg(test)]\nmod tests {\n    fn a() {\n        f("wa_id");\n    }\n}\n'
        self.assertEqual(occurrences(f'{tests}\nconst A: &str = "wa_id";\n', NAMES), [(8, "wa_id")])


class Checkout(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write(LIST, "# Messages\nmessaging_product\nwa_id # an id\n\ncta_url\n")
        self.write(DOCUMENT, json.dumps({"type": {"enum": ["cta_url"]}, "description": "Lines\nbegin."}))
        self.write("shared/platform/src/wire.rs", '"messaging_product" "cta_url"')
        self.write("shared/inbound/src/wire/mod.rs", "struct Contact { wa_id: String }")

    def write(self, file: str, text: str) -> None:
        path = self.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_names_of_the_document_are_not_the_platforms_own(self) -> None:
        self.assertEqual(own_names(self.root), NAMES)

    def test_every_place(self) -> None:
        for file, is_found in (
            ("shared/outbound/src/chat.rs", True),
            ("functions/sending/src/send/mod.rs", True),
            ("clients/rust/src/generated/types.rs", True),
            ("cli/src/main.rs", True),
            ("contract/src/document.rs", True),
            ("shared/platform/src/render/mod.rs", False),
            ("shared/inbound/src/apply.rs", False),
            ("functions/sending/tests/it/bodies.rs", False),
            ("shared/domain/src/chat/tests/mod.rs", False),
            ("shared/domain/src/chat/tests.rs", False),
            ("tests/src/standin/objects.rs", False),
            ("fuzz/src/targets/message.rs", False),
        ):
            with self.subTest(file):
                self.write(file, 'const A: &str = "cta_url";\nconst B: &str = "wa_id";\n')
                message = (
                    f"{file}:2: wa_id is a field name of the chat platform. "
                    "Only shared/platform and shared/inbound may write it."
                )
                self.assertEqual(misplaced(self.root, own_names(self.root)), [message] if is_found else [])
                (self.root / file).unlink()

    def test_the_list_has_every_name_once_and_only_names_in_use(self) -> None:
        self.assertEqual(faults_of_list(self.root), [])
        self.write(LIST, "wa_id\ncta_url\nwa_id\nhsm_id\n")
        expected = [
            f"{LIST}: wa_id is listed twice.",
            f"{LIST}: hsm_id is not in shared/platform or shared/inbound. Remove it.",
        ]
        self.assertEqual(faults_of_list(self.root), expected)


class Project(unittest.TestCase):
    def test_the_list_and_the_files_are_found(self) -> None:
        names = listed((ROOT / LIST).read_text())
        self.assertLessEqual({"messaging_product", "biz_opaque_callback_data", "display_phone_number"}, set(names))
        files = {str(file.relative_to(ROOT)) for file in product_sources(ROOT)}
        crates = ("clients/rust", "contract", "functions/sending", "shared/domain", "tools/operate")
        self.assertLessEqual({"cli/src/main.rs", *(f"{crate}/src/lib.rs" for crate in crates)}, files)


if __name__ == "__main__":
    unittest.main()
