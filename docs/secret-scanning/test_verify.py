"""Tests of verify.py: python3 -B -m unittest discover docs/secret-scanning

Keys are written in two parts, so that scanners of this repository do not report them.
"""

import io
import random
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import verify

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ORGANIZATION = "0ujtsYcgvSTl8PAuAdqWYSMnLOv"
OTHER = "3MPhGMLZsRZPCGGA9vNUbXlbDDu"
# Made by the service's own code (shared/domain/src/identity/credential.rs) from fixed values in place of random ones.
MADE_BY_THE_SERVICE = {
    "admin key": "sk_admin_" + ORGANIZATION + "0123456789abcdefghijklmnopqrst" + "1MZ06O",
    "live app key": "sk_live_app_" + ORGANIZATION + "zyxwvutsrqponmlkjihgfedcba9876" + "0SjGta",
    "test app key": "sk_test_app_" + OTHER + "0123456789abcdefghijklmnopqrst" + "4Qt16h",
    "session token": "session_" + OTHER + "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123" + "0TiBjs",
}
PREFIXES = {kind: key[: key.rindex("_") + 1] for kind, key in MADE_BY_THE_SERVICE.items()}
# The recorded examples of the documentation, in which EXAMPLE… replaces 36 characters, including the checksum.
DOCUMENTED = re.findall(r'"(sk_\w+EXAMPLE\w*)"', (ROOT / "contract" / "examples.json").read_text())
SECRET = "whsec_" + "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k="
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def crc32(data: bytes) -> int:
    """Computes CRC-32 bit by bit from the polynomial, independently of verify.py."""
    rest = 0xFFFFFFFF
    for byte in data:
        rest ^= byte
        for _ in range(8):
            rest = rest >> 1 ^ (0xEDB88320 if rest & 1 else 0)
    return rest ^ 0xFFFFFFFF


def signed(text: str) -> str:
    number = crc32(text.encode("ascii"))
    return text + "".join(DIGITS[number // 62**place % 62] for place in range(5, -1, -1))


def made(kind: str, seed: int) -> str:
    return signed(PREFIXES[kind] + "".join(random.Random(f"{kind} {seed}").choices(DIGITS, k=57)))


def found(text: str | bytes) -> list[verify.Finding]:
    data = text.encode() if isinstance(text, str) else text
    return list(verify.findings(verify.lines_of(io.BytesIO(data))))


def real(text: str | bytes) -> list[tuple[int, str]]:
    return [(finding.line, finding.kind) for finding in found(text) if finding.is_real]


class Checksums(unittest.TestCase):
    def test_the_independent_computation_is_that_of_the_standard(self):
        self.assertEqual(crc32(b"123456789"), 0xCBF43926)

    def test_keys_of_the_service_are_real(self):
        for kind, key in MADE_BY_THE_SERVICE.items():
            self.assertEqual(signed(key[:-6]), key)
            self.assertEqual(real(key), [(1, kind)])

    def test_keys_of_the_independent_computation_are_real(self):
        for kind in PREFIXES:
            for seed in range(500):
                self.assertEqual(real(made(kind, seed)), [(1, kind)])

    def test_small_checksums_keep_their_leading_zeros(self):
        self.assertEqual(verify.checksum(""), "000000")

    def test_the_first_digit_of_a_checksum_is_four_at_most(self):
        self.assertLess(0xFFFFFFFF, 5 * 62**5)

    def test_every_single_changed_character_is_noticed(self):
        key = MADE_BY_THE_SERVICE["admin key"]
        for at in range(len("sk_admin_"), len(key)):
            damaged = key[:at] + ("y" if key[at] == "x" else "x") + key[at + 1 :]
            self.assertEqual(real(damaged), [], damaged)

    def test_a_key_under_another_prefix_is_none(self):
        body = MADE_BY_THE_SERVICE["live app key"].removeprefix("sk_live_app_")
        for prefix in ("sk_test_app_", "sk_admin_", "session_"):
            self.assertEqual([finding.verdict for finding in found(prefix + body)], ["not a key: the checksum is wrong"])


class LookAlikes(unittest.TestCase):
    def test_documented_examples_are_no_keys(self):
        # Of the creation and of the rotation of either kind of key, and a key of a session.
        kinds = sorted(re.match(r"sk_[a-z]+_(?:app_)?", example)[0] for example in DOCUMENTED)
        self.assertEqual(kinds, ["sk_admin_", "sk_admin_", "sk_admin_", "sk_live_app_", "sk_live_app_"])
        for example in DOCUMENTED:
            self.assertNotEqual(signed(example[:-6]), example)
            self.assertEqual(found(example), [])

    def test_the_documented_secret_is_told_to_be_one(self):
        self.assertIn(f'"{verify.EXAMPLE}"', (ROOT / "contract" / "examples.json").read_text())
        self.assertEqual([finding.verdict for finding in found(verify.EXAMPLE)], ["the documentation's example"])
        self.assertEqual(real(verify.EXAMPLE), [])

    def test_what_is_published_holds_nothing_real(self):
        published = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*"), *(ROOT / "contract").glob("*.json")]
        for path in filter(Path.is_file, published):
            self.assertEqual(real(path.read_bytes()), [], path)

    def test_what_is_not_of_the_form_is_not_found(self):
        key = MADE_BY_THE_SERVICE["admin key"]
        for text in (
            "",
            "sk_admin_",
            "sk_live_app_abc",
            "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
            key[:-1],
            key[1:],
            key.upper(),
            key.replace("sk_", "sk-"),
            key[:40] + "\n" + key[40:],
            key[:40] + "-" + key[41:],
            key[:40] + "é" + key[41:],
            "key_admin_" + ORGANIZATION,
            "ses_" + ORGANIZATION,
            "session_" + "0123456789abcdef" * 4,
            "session_" + "a" * 200,
            "whsec_" + "5WbX5kEWLlfzsGNjH64I8lOOqUB6e8FH",
            SECRET[:-1],
            SECRET[:-2] + "l=",
        ):
            self.assertEqual(found(text), [], text)

    def test_a_longer_word_is_a_key_only_with_the_right_checksum(self):
        for kind, key in MADE_BY_THE_SERVICE.items():
            self.assertEqual(real(key + "0"), [(1, kind)])
            damaged = key[:-1] + ("x" if key[-1] != "x" else "y")
            self.assertEqual(len(found(damaged)), 1)
            self.assertEqual(found(damaged + "0"), [])


class Texts(unittest.TestCase):
    def test_keys_in_the_middle_of_anything(self):
        for kind, key in {**MADE_BY_THE_SERVICE, "webhook secret": SECRET}.items():
            for text in (
                f'curl -H "Authorization: Bearer {key}" https://api.example.com/v1/media',
                f"https://example.com/?key={key}&next=1",
                f"https://example.com/%3Fkey%3D{key}%26next",
                f"https://user:{key}@example.com/#{key[:9]}",
                f'{{"key":"{key}","lastFour":"{key[-4:]}"}}',
                f'{{"log": "line one\\n{key}\\nline three"}}',
                f"ADMIN_KEY={key};export ADMIN_KEY",
                f"MY_{key}_",
                f"`{key}`, <{key[:6]}>",
                f"+    key: {key}\r",
                f"\0\x01{key}\0",
            ):
                self.assertEqual(real(text), [(1, kind)], text)

    def test_multi_byte_text(self):
        for kind, key in {**MADE_BY_THE_SERVICE, "webhook secret": SECRET}.items():
            for text in (f"clé：{key}。", f"🔑{key}🔑", f"é{key}é", f"\N{NO-BREAK SPACE}{key}\N{LINE SEPARATOR}x"):
                self.assertEqual(real(text), [(1, kind)], text)
                self.assertEqual(real(f"é\n{text}".encode("utf-16")), [(2, kind)], text)
            self.assertEqual(real(b"\xfd caf\xe9" + key.encode() + b"\xe9\xff"), [(1, kind)])

    def test_several_in_one_line_and_their_lines(self):
        admin, app, _, session = MADE_BY_THE_SERVICE.values()
        text = f"\n{admin}{app}\n\n{session},{SECRET}\r\nx {DOCUMENTED[0]}\n{app}"
        expected = [(2, "admin key"), (2, "live app key"), (4, "session token"), (4, "webhook secret"), (6, "live app key")]
        self.assertEqual(real(text), expected)

    def test_a_key_in_the_tail_of_a_look_alike(self):
        key = MADE_BY_THE_SERVICE["admin key"]
        self.assertEqual(real("session_" + "a" * 57 + "0aaa" + key), [(1, "admin key")])


class Program(unittest.TestCase):
    def run_with(self, *arguments: object, given: bytes = b"") -> tuple[int, str, str]:
        command = [sys.executable, "-B", str(HERE / "verify.py"), *map(str, arguments)]
        done = subprocess.run(command, input=given, capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def test_a_real_key_in_a_file(self):
        key = MADE_BY_THE_SERVICE["live app key"]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "notes.txt"
            path.write_text(f"one\ntwo {key}\n")
            code, output, errors = self.run_with(path)
            self.assertEqual((code, errors), (1, ""))
            self.assertEqual(output.strip(), f"{path}:2: live app key sk_live_app_...jGta: REAL: the checksum is right")

    def test_nothing_of_a_value_is_printed_but_prefix_and_last_four(self):
        for key in (*MADE_BY_THE_SERVICE.values(), SECRET, verify.EXAMPLE):
            _, output, _ = self.run_with(given=key.encode())
            prefix = key[: key.rindex("_") + 1]
            self.assertIn(f" {prefix}...{key[-4:]}: ", output)
            hidden = key[len(prefix) : -4]
            self.assertFalse(any(hidden[at : at + 5] in output for at in range(len(hidden) - 4)))

    def test_look_alikes_are_told_and_are_no_failure(self):
        damaged = MADE_BY_THE_SERVICE["admin key"][:-1] + "x"
        code, output, _ = self.run_with("-", given=damaged.encode())
        self.assertEqual(code, 0)
        self.assertEqual(output.strip(), "<stdin>:1: admin key sk_admin_...Z06x: not a key: the checksum is wrong")

    def test_files_that_cannot_be_read(self):
        code, _, errors = self.run_with(HERE / "nowhere", HERE)
        self.assertEqual((code, len(errors.splitlines())), (2, 2))
        code, _, _ = self.run_with(HERE / "nowhere", "-", given=SECRET.encode())
        self.assertEqual(code, 1)

    def test_nothing(self):
        self.assertEqual(self.run_with(), (0, "", ""))


class Scanners(unittest.TestCase):
    """Checks that the configurations of other tools use the same patterns as verify.py."""

    def test_gitleaks_rules(self):
        rules = re.findall(r"^regex = '''(.*)'''$", (HERE / "gitleaks.toml").read_text(), re.MULTILINE)
        boundary = "(?:[^0-9A-Za-z]|$)"
        expected = [f"({pattern})" + ("" if "whsec" in pattern else boundary) for pattern in verify.PATTERNS.values()]
        self.assertEqual(rules, expected)
        for kind, key in {**MADE_BY_THE_SERVICE, "webhook secret": SECRET}.items():
            for text in (key, f'"{key}"', f"{key}\nnext", f"é{key}é"):
                matches = [name for name, rule in zip(verify.KINDS, rules) for _ in re.findall(rule, text)]
                self.assertEqual(matches, [kind])

    def test_the_readme_tells_the_same(self):
        readme = (HERE / "README.md").read_text()
        for pattern in verify.PATTERNS.values():
            self.assertIn(f"`{pattern}`", readme)
            self.assertIn(f"'({pattern})", readme)


if __name__ == "__main__":
    unittest.main()
