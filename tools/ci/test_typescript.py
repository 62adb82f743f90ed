"""Checks what of the reference is tested: each public operation's sample, and the quick start as one program."""

import unittest

from tools.ci.typescript import quick_start, samples


def document(*operations: dict) -> dict:
    return {"paths": {f"/{at}": {"get": operation, "summary": "A path"} for at, operation in enumerate(operations)}}


class Samples(unittest.TestCase):
    def test_of_every_public_operation(self) -> None:
        sample = {"lang": "TypeScript", "source": "await client.apps.list();"}
        internal = {"operationId": "pages.root", "x-internal": True}
        found = samples(document({"operationId": "apps.list", "x-codeSamples": [{"lang": "Python", "source": ""}, sample]}, internal))
        self.assertEqual(found, {"apps.list": "await client.apps.list();"})

    def test_a_missing_one_is_named(self) -> None:
        other = {"operationId": "apps.get", "x-codeSamples": [{"lang": "Python", "source": ""}]}
        with self.assertRaisesRegex(SystemExit, "apps.get"):
            samples(document(other))


class QuickStart(unittest.TestCase):
    def test_blocks_are_one_program(self) -> None:
        text = "A\n```bash\ncurl\n```\n```typescript\nconst a = 1;\n```\nB\n```typescript\nuse(a);\n```\n"
        self.assertEqual(quick_start({"info": {"description": text}}), "const a = 1;\n\nuse(a);\n")


if __name__ == "__main__":
    unittest.main()
