#!/usr/bin/env python3
"""Distinguishes this API's keys from look-alikes by their checksum, offline.

Usage: verify.py [FILE ...]     (reads standard input if no file is given, or for -)

Prints one line per value that has the form of a key: file, line, kind, masked value and verdict.
Exit code: 1 if a real key was found, otherwise 2 if a file could not be read, otherwise 0.

It makes no network requests. Only the installation to which a key belongs can tell whether the key still works.
"""

import io
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO, NamedTuple

# 27 characters of the organization and 30 random ones, then 6 of CRC-32. The checksum's first digit is at most 4, because
# 2 ** 32 is less than 5 * 62 ** 5. gitleaks.toml and README.md contain the same expressions.
PATTERNS = {
    "admin key": r"sk_admin_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    "live app key": r"sk_live_app_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    "test app key": r"sk_test_app_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    "session token": r"session_[0-9A-Za-z]{57}[0-4][0-9A-Za-z]{5}",
    # 32 bytes in base64: the last of the 43 digits holds four bits. There is no checksum.
    "webhook secret": r"whsec_[0-9A-Za-z+/]{42}[AEIMQUYcgkosw048]=",
}
# The documentation's example of a webhook secret: base64 of EXAMPLEEXAMPLE...
EXAMPLE = "whsec_RVhBTVBMRUVYQU1QTEVFWEFNUExFRVhBTVBMRUVYQU0="

# Matches at every position, so that a key in the tail of a look-alike is found. Only lines with a prefix are searched.
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
    """Returns the prefix and the last four characters, which lists of keys also show."""
    return f"{value[: value.rindex('_') + 1]}...{value[-4:]}"


def classify(line: int, kind: str, value: str, is_longer: bool) -> Finding | None:
    if kind == "webhook secret":
        if value == EXAMPLE:
            return Finding(line, kind, masked(value), "the documentation's example", False)
        return Finding(line, kind, masked(value), "REAL by its form; it has no checksum", True)
    if checksum(value[:-CHECKSUM_LENGTH]) == value[-CHECKSUM_LENGTH:]:
        return Finding(line, kind, masked(value), "REAL: the checksum is right", True)
    # The beginning of a longer word is not a key.
    return None if is_longer else Finding(line, kind, masked(value), "not a key: the checksum is wrong", False)


def findings(lines: Iterable[bytes]) -> Iterator[Finding]:
    for number, line in enumerate(lines, 1):
        if not any(prefix in line for prefix in PREFIXES):
            continue
        for match in FIND.finditer(line):
            index = next(index for index, value in enumerate(match.groups()) if value)
            is_longer = line[match.end(index + 1) :][:1].isalnum()
            finding = classify(number, KINDS[index], match.group(index + 1).decode(), is_longer)
            if finding:
                yield finding


def lines_of(stream: BinaryIO) -> Iterator[bytes]:
    """Reads lines in any encoding that extends ASCII, or in UTF-16 with a byte order mark (Windows tools)."""
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
    # File names may contain invalid text; printing them must not fail.
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
