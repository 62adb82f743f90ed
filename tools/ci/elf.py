"""Reads from an ELF file what decides whether Lambda can run it: the processor, and the versions of glibc that it needs."""

import re
import struct
from pathlib import Path
from typing import NamedTuple

MACHINES = {0x3E: "x86_64", 0xB7: "arm64"}
VERSIONS_NEEDED = 0x6FFFFFFE
GLIBC = re.compile(r"GLIBC_(\d+(?:\.\d+)+)")

Version = tuple[int, ...]


class Unreadable(Exception):
    """Not a file that Lambda could run; the message says why."""


class Binary(NamedTuple):
    architecture: str
    # The highest version of glibc of which it needs a symbol; none in a static program.
    glibc: Version | None
    size: int


class Section(NamedTuple):
    kind: int
    offset: int
    size: int
    link: int
    entries: int


def read(path: Path) -> Binary:
    data = path.read_bytes()
    if data[:4] != b"\x7fELF":
        raise Unreadable(f"{path.name} is not an ELF file")
    # 64 bits, little-endian, as both of Lambda's processors are.
    if data[4:6] != b"\x02\x01":
        raise Unreadable(f"{path.name} is not a 64-bit little-endian ELF file")
    (machine,) = struct.unpack_from("<H", data, 0x12)
    if machine not in MACHINES:
        raise Unreadable(f"{path.name} is for the unknown processor {machine:#x}")
    needed = [version(name) for section in sections(data) for name in versions(data, section)]
    return Binary(MACHINES[machine], max(filter(None, needed), default=None), len(data))


def sections(data: bytes) -> list[Section]:
    (start,) = struct.unpack_from("<Q", data, 0x28)
    size, count = struct.unpack_from("<HH", data, 0x3A)
    found = (struct.unpack_from("<IIQQQQIIQQ", data, start + at * size) for at in range(count))
    return [Section(kind, offset, length, link, info) for _, kind, _, _, offset, length, link, info, _, _ in found]


def versions(data: bytes, section: Section) -> list[str]:
    """Returns the names in a section of needed versions, of all libraries."""
    if section.kind != VERSIONS_NEEDED:
        return []
    names, found, library = sections(data)[section.link], [], section.offset
    for _ in range(section.entries):
        _, count, _, first, following = struct.unpack_from("<HHIII", data, library)
        at = library + first
        for _ in range(count):
            _, _, _, name, after = struct.unpack_from("<IHHII", data, at)
            begin = names.offset + name
            found.append(data[begin : data.index(b"\0", begin)].decode())
            at += after
        library += following
    return found


def version(name: str) -> Version | None:
    """Returns the version of glibc with this name; none if it is of another library."""
    if not name.startswith("GLIBC_"):
        return None
    match = GLIBC.fullmatch(name)
    if match is None:
        # Private symbols, and features that only a newer loader knows, such as GLIBC_ABI_DT_RELR.
        raise Unreadable(f"it needs {name}, which has no version")
    return tuple(int(part) for part in match[1].split("."))
