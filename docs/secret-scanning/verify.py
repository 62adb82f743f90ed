#!/usr/bin/env python3
"""Tells this API's keys from what only looks like them, offline, by their checksum.

Usage: verify.py [FILE ...]     (standard input where no file is named, or for -)

Prints a line for each thing that has the form of a key: file, line, kind, the value masked, and what is to be thought of it.
Exit code: 1 where a real one was found, else 2 where a file could not be read, else 0.

It asks nobody: whether a real key still works, only the installation that it belongs to can say.
"""

import io
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple

# 27 characters of the organization and 30 random ones, then 6 of CRC-32: the first of these is 4 at most, because 32 bits are
# less than 5 * 62 ** 5. The same expressions stand in gitleaks.toml and README.md.
PATTERNS = {
    "admin key": r"sk_admin_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    "live app key": r"sk_live_app_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    "test app key": r"sk_test_app_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    "session token": r"session_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    # 32 bytes in base64: the last of the 43 digits holds four bits. There is no checksum.
    "webhook secret": r"whsec_[0-9A-Za-z+/]{42}[AEIMQUYcgkosw048]=",
}
# What the documentation shows for a webhook secret: base64 of EXAMPLEEXAMPLE...
EXAMPLE = "whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0="

# Looked for at every place, so that nothing hides in the tail of a look-alike; but only in lines that hold a prefix.
FIND = re.compile("|".join(f"(?=({pattern}))" for pattern in PATTERNS.values()).encode())
PREFIXES = (b"sk_", b"session_", b"whsec_")
KINDS = list(PATTERNS)
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
CHECKSUM_LENGTH = 6


class Finding(NamedTuple):
    line: int
    kind: str
    masked: str
    verdict: str
    is_real: bool


def checksum(text: str) -> str:
    """CRC-32 in base62, the most significant digit first."""
    rest, digits = zlib.crc32(text.encode()), ""
    for _ in range(CHECKSUM_LENGTH):
        rest, digit = divmod(rest, len(ALPHABET))
        digits = ALPHABET[digit] + digits
    return digits


def masked(value: str) -> str:
    """The prefix, and the last four characters, by which lists of keys show them too."""
    return f"{value[: value.rindex('_') + 1]}...{value[-4:]}"


def judged(line: int, kind: str, value: str, is_longer: bool) -> Finding | None:
    if kind == "webhook secret":
        if value == EXAMPLE:
            return Finding(line, kind, masked(value), "the documentation's example", False)
        return Finding(line, kind, masked(value), "REAL by its form; it has no checksum", True)
    if checksum(value[:-CHECKSUM_LENGTH]) == value[-CHECKSUM_LENGTH:]:
        return Finding(line, kind, masked(value), "REAL: the checksum is right", True)
    # The beginning of a longer word, which is no key.
    return None if is_longer else Finding(line, kind, masked(value), "no key: the checksum is wrong", False)


def findings(lines: Iterable[bytes]) -> Iterator[Finding]:
    for number, line in enumerate(lines, 1):
        if not any(prefix in line for prefix in PREFIXES):
            continue
        for match in FIND.finditer(line):
            index = next(index for index, value in enumerate(match.groups()) if value)
            is_longer = line[match.end(index + 1) :][:1].isalnum()
            finding = judged(number, KINDS[index], match.group(index + 1).decode(), is_longer)
            if finding:
                yield finding


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Whatever the encoding, as long as ASCII is ASCII in it; and UTF-16 with its mark, which Windows tools write."""
    first = stream.readline()
    if first.startswith((b"\xff\xfe", b"\xfe\xff")):
        rest = io.BytesIO(first + stream.read())
        for line in io.TextIOWrapper(rest, encoding="utf-16", errors="replace", newline="\n"):
            yield line.encode()
    else:
        yield first
        yield from stream


def main(names: list[str]) -> int:
    if any(name in ("-h", "--help") for name in names):
        print(__doc__)
        return 0
    # Names of files may be no text; what is printed of them must not end the run.
    for output in (sys.stdout, sys.stderr):
        output.reconfigure(errors="backslashreplace")
    is_real = is_unread = False
    for name in names or ["-"]:
        try:
            with nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as stream:
                for finding in findings(lines_of(stream)):
                    shown = "<stdin>" if name == "-" else name
                    print(f"{shown}:{finding.line}: {finding.kind} {finding.masked}: {finding.verdict}", flush=True)
                    is_real = is_real or finding.is_real
        except OSError as error:
            print(f"{name}: {error.strerror}", file=sys.stderr)
            is_unread = True
    return 1 if is_real else 2 if is_unread else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
