"""Checks the check of functions that are built for Lambda, on files that are made here and on programs of this machine."""

import os
import struct
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.ci import cross_build, elf
from tools.ci.steps import Failed, Skipped
from tools.stack import target
from tools.stack.project import ROOT

ARM64, X86_64, RISCV = 0xB7, 0x3E, 0xF3
HEADER, SECTION = 64, 64


def program(machine: int = ARM64, *libraries: list[str], size: int = 0) -> bytes:
    """Makes an ELF file that needs these versions of libraries."""
    names, needed = b"\0", b""
    for number, versions in enumerate(libraries):
        auxiliary = b""
        for at, version in enumerate(versions):
            following = 16 if at + 1 < len(versions) else 0
            auxiliary += struct.pack("<IHHII", 0, 0, 2, len(names), following)
            names += version.encode() + b"\0"
        following = 16 + len(auxiliary) if number + 1 < len(libraries) else 0
        needed += struct.pack("<HHIII", 1, len(versions), 0, 16, following) + auxiliary
    table = HEADER + len(names) + len(needed)
    header = b"\x7fELF\x02\x01\x01" + bytes(9)
    header += struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 0, table, 0, HEADER, 0, 0, SECTION, 3, 0)
    section = lambda kind, offset, length, link, info: struct.pack("<IIQQQQIIQQ", 0, kind, 0, 0, offset, length, link, info, 1, 0)
    sections = section(0, 0, 0, 0, 0) + section(3, HEADER, len(names), 0, 0)
    sections += section(elf.VERSIONS_NEEDED, HEADER + len(names), len(needed), 1, len(libraries))
    return (header + names + needed + sections).ljust(size, b"\0")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "bootstrap"

    def faults(self, content: bytes) -> str:
        self.path.write_bytes(content)
        return "; ".join(cross_build.faults(self.path, accepted=1000))

    def test_a_function_for_the_runtime_has_no_fault(self):
        libraries = ["GLIBC_2.17", "GLIBC_2.34", "GLIBC_2.2.5"], ["GCC_3.0"], ["GLIBC_2.28"]
        self.assertEqual(self.faults(program(ARM64, *libraries)), "")
        self.assertEqual(elf.read(self.path), elf.Binary("arm64", (2, 34), len(program(ARM64, *libraries))))

    def test_another_processor_is_a_fault(self):
        self.assertIn("is for x86_64, not for arm64", self.faults(program(X86_64, ["GLIBC_2.17"])))
        self.assertIn("unknown processor 0xf3", self.faults(program(RISCV, ["GLIBC_2.17"])))

    def test_a_newer_glibc_is_a_fault_in_whichever_library(self):
        expected = "needs glibc 2.35; the runtime provided.al2023 has 2.34"
        for libraries in ([["GLIBC_2.35", "GLIBC_2.17"]], [["GLIBC_2.17"], ["GLIBC_2.9", "GLIBC_2.35"]], [["GCC_4.2.0"], ["GLIBC_2.35"]]):
            self.assertEqual(self.faults(program(ARM64, *libraries)), expected)
        # As numbers, not as text.
        self.assertEqual(self.faults(program(ARM64, ["GLIBC_2.4", "GLIBC_2.17"])), "")
        self.assertIn("glibc 2.100", self.faults(program(ARM64, ["GLIBC_2.100"])))

    def test_what_only_a_newer_loader_knows_is_a_fault(self):
        self.assertIn("GLIBC_ABI_DT_RELR", self.faults(program(ARM64, ["GLIBC_2.17", "GLIBC_ABI_DT_RELR"])))
        self.assertIn("GLIBC_PRIVATE", self.faults(program(ARM64, ["GLIBC_PRIVATE"])))

    def test_a_static_program_is_a_fault(self):
        self.assertIn("names no version of glibc", self.faults(program(ARM64)))

    def test_a_size_beyond_the_accepted_one_is_a_fault(self):
        glibc = ["GLIBC_2.17"]
        self.assertEqual(self.faults(program(ARM64, glibc, size=1250)), "")
        self.assertIn("has 1,251 bytes, more than 1.25 times the 1,000", self.faults(program(ARM64, glibc, size=1251)))

    def test_no_function_at_all_is_a_fault(self):
        self.assertIn("bootstrap", "; ".join(cross_build.faults(self.path, accepted=1000)))
        self.assertIn("not an ELF file", self.faults(b"#!/bin/sh\n"))
        self.assertIn("not a 64-bit", self.faults(b"\x7fELF\x01\x01" + bytes(80)))

    def test_programs_of_this_machine_are_read(self):
        found = elf.read(Path(sys.executable).resolve())
        self.assertEqual(found.architecture, {"x86_64": "x86_64", "aarch64": "arm64"}[os.uname().machine])
        self.assertEqual(found.size, Path(sys.executable).stat().st_size)
        # What runs here needs no newer glibc than there is here.
        have = tuple(map(int, os.confstr("CS_GNU_LIBC_VERSION").split()[1].split(".")))
        self.assertTrue(found.glibc is None or (2, 2) < found.glibc <= have, found)


class Targets(unittest.TestCase):
    """The target is added once, and where that is impossible the step says so and is skipped."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path_with(self, **programs: str) -> mock._patch_dict:
        for name, script in programs.items():
            path = self.folder / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        return mock.patch.dict(os.environ, {"PATH": f"{self.folder}:/usr/bin:/bin"})

    def test_the_target_of_this_machine_is_there(self):
        self.assertTrue(target.has(f"{os.uname().machine}-unknown-linux-gnu"))
        self.assertFalse(target.has("wasm64-none-nothing"))

    def test_a_target_that_is_there_is_not_added(self):
        (self.folder / "libstd-1.rlib").touch()
        with self.path_with(rustc=f"echo {self.folder}", rustup="exit 1"):
            target.add("any")

    def test_a_missing_target_is_added(self):
        with self.path_with(rustc=f"echo {self.folder}", rustup=f'[ "$*" = "target add any" ] && touch {self.folder}/libstd-1.rlib'):
            target.add("any")
        self.assertTrue((self.folder / "libstd-1.rlib").exists())

    def test_without_rustup_or_network_it_says_why(self):
        with self.path_with(rustc=f"echo {self.folder}"), self.assertRaisesRegex(target.Missing, "no rustup"):
            target.add("any")
        with self.path_with(rustc=f"echo {self.folder}", rustup="echo could not download >&2; exit 1"):
            with self.assertRaisesRegex(target.Missing, "could not download"):
                target.add("any")
        with self.path_with(rustc=f"echo {self.folder}", rustup="exec sleep 5"), mock.patch.object(target, "PATIENCE_SECONDS", 0.1):
            with self.assertRaisesRegex(target.Missing, "did not end within"):
                target.add("any")

    def test_the_step_is_skipped_with_a_clear_note_and_fails_in_ci(self):
        for variables, expected in (({}, Skipped), ({"CI": "1"}, Failed)):
            missing = mock.patch.object(target, "add", side_effect=target.Missing("There is no rustup."))
            with missing, mock.patch.dict(os.environ, variables), self.subTest(variables):
                if not variables:
                    os.environ.pop("CI", None)
                with self.assertRaisesRegex(expected, "There is no rustup. The build for arm64 was NOT checked"):
                    cross_build.build(None)


class Channel(unittest.TestCase):
    def test_any_stable_release_from_the_first_supported_one_on_builds_this(self):
        self.assertIn('\nchannel = "stable"\n', (ROOT / "rust-toolchain.toml").read_text())
        self.assertIn('\nrust-version = "1.95"\n', (ROOT / "Cargo.toml").read_text())
        self.assertIn("Rust 1.95 or later", (ROOT / "README.md").read_text())

    def test_make_build_adds_the_target_that_it_builds_for(self):
        build = (ROOT / "Makefile").read_text().split("\nbuild:\n")[1].split("\n\n")[0]
        self.assertIn(".stack.target $(TARGET)", build)
        self.assertIn("--target $(TARGET)", build)


if __name__ == "__main__":
    unittest.main()
