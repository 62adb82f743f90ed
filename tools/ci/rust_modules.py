"""Reads the modules of a Rust crate and finds which file uses which. Understands only as much Rust as this needs.

A path is resolved to the file that defines the name, through modules, imports and re-exports. Items that a macro
generates count as defined where the macro is invoked. Code for tests (`#[cfg(test)]`) is ignored. Method calls are not
tracked, but their types are.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

TOKEN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*)
    |(?P<raw>b?r(?P<hashes>\#*)".*?"(?P=hashes))
    |(?P<string>[bc]?"(?:\\.|[^"\\])*")
    |(?P<char>b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])')
    |(?P<lifetime>'\w+)
    |(?P<word>(?:r\#)?[A-Za-z_]\w*)
    |(?P<number>\d[\w.]*?(?=\.\.|[^\w.]|\.[a-z_]|$))
    |(?P<sign>::|.)""",
    re.VERBOSE | re.DOTALL,
)
OPENING, CLOSING = {"(": ")", "[": "]", "{": "}"}, {")", "]", "}"}
NAMED = {"fn", "struct", "enum", "trait", "type", "const", "static", "union"}
TO_SEMICOLON = {"use", "const", "static", "type", "let", "extern"}
BEGINNINGS = {"crate", "self", "super"}
NOT_PATHS = NAMED | {"mod", "use", "let", "impl", "for", "in", "as", "where", "pub", "mut", "ref", "dyn", "match", "if"}
PATH_TEXT = re.compile(r'"((?:crate|self|super)(?:::\w+)+)"')


def tokens(source: str) -> list[str]:
    """Splits source text into words, signs and strings, without comments."""
    source = without_block_comments(source)
    found = []
    for match in TOKEN.finditer(source):
        if match.lastgroup in ("word", "sign", "string"):
            found.append(match[0].removeprefix("r#"))
        elif match.lastgroup != "skip":
            found.append('""')
    return found


def without_block_comments(source: str) -> str:
    strings_or_comments = re.compile(r'//[^\n]*|"(?:\\.|[^"\\])*"|/\*.*?\*/', re.DOTALL)
    return strings_or_comments.sub(lambda match: " " if match[0].startswith("/*") else match[0], source)


def group_end(stream: list[str], start: int) -> int:
    """Returns the index after the group that opens at `start`."""
    depth = 0
    for index in range(start, len(stream)):
        depth += (stream[index] in OPENING) - (stream[index] in CLOSING)
        if depth == 0:
            return index + 1
    return len(stream)


def item_end(stream: list[str], start: int) -> int:
    """Returns the index after the item that begins at `start`: after its semicolon, its block or, for a field, its comma."""
    index, ends_with_block = start, True
    while index < len(stream):
        token = stream[index]
        if token in TO_SEMICOLON and stream[index + 1 : index + 2] != ["fn"]:
            ends_with_block = False
        if token in OPENING:
            index = group_end(stream, index)
            if token == "{" and ends_with_block:
                return index
            continue
        if token in (";", ","):
            return index + 1
        if token in CLOSING:
            return index
        index += 1
    return index


def without_tests(stream: list[str]) -> list[str]:
    kept, index = [], 0
    while index < len(stream):
        if stream[index : index + 7] == ["#", "[", "cfg", "(", "test", ")", "]"]:
            index += 7
            while stream[index : index + 2] == ["#", "["]:
                index = group_end(stream, index + 1)
            index = item_end(stream, index)
        else:
            kept.append(stream[index])
            index += 1
    return kept


@dataclass(eq=False)
class Module:
    file: Path
    # The folder of the child modules' files.
    folder: Path
    parent: "Module | None" = None
    items: set[str] = field(default_factory=set)
    made_by_macros: set[str] = field(default_factory=set)
    children: dict[str, "Module"] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)
    globs: list[list[str]] = field(default_factory=list)
    # Paths to resolve, each with a flag for re-exports.
    paths: list[tuple[list[str], bool]] = field(default_factory=list)

    @property
    def root(self) -> "Module":
        return self if self.parent is None else self.parent.root

    def is_within(self, other: "Module") -> bool:
        return self is other or (self.parent is not None and self.parent.is_within(other))


@dataclass(frozen=True)
class Found:
    """The target of a path."""

    module: Module
    # The name that the module defines; None for the module itself.
    name: str | None
    # The modules that re-export it along the path.
    through: frozenset[Module] = frozenset()


def read_crate(root: Path) -> Module:
    """Reads the module tree of a crate from its `lib.rs` or `main.rs`."""
    module = Module(root, root.parent)
    read_items(module, without_tests(tokens(root.read_text())))
    return module


def read_items(module: Module, stream: list[str]) -> None:
    """Reads the items of one module; `stream` holds its tokens."""
    index = 0
    while index < len(stream):
        token, following = stream[index], stream[index + 1] if index + 1 < len(stream) else ""
        if token == "#":
            end = group_end(stream, index + (2 if following == "!" else 1))
        elif token == "mod" and stream[index + 2] == "{":
            end = group_end(stream, index + 2)
            child = Module(module.file, module.folder / following, module)
            module.children[following] = child
            read_items(child, stream[index + 3 : end - 1])
            index = end
            continue
        elif token == "mod":
            end = index + 3
            read_file(module, following)
        elif token == "macro_rules":
            module.items.add(stream[index + 2])
            end = group_end(stream, index + 3)
        elif token.isidentifier() and stream[path_end(stream, index) :][:1] == ["!"]:
            opens = next(at for at in range(index, len(stream)) if stream[at] in OPENING)
            end = group_end(stream, opens)
            module.made_by_macros.update(word for word in stream[opens:end] if word.isidentifier())
        elif token == "pub" and following == "(":
            end = group_end(stream, index + 1)
            if stream[end] == "use":
                index = read_use(module, stream, end, is_public=True)
                continue
        elif token == "pub" and following == "use":
            index = read_use(module, stream, index + 1, is_public=True)
            continue
        elif token in NAMED and following not in NAMED | {"unsafe", "async"}:
            name = stream[index + 2] if following == "mut" else following
            module.items.add(name)
            end = item_end(stream, index)
        elif token in ("impl", "use"):
            end = item_end(stream, index)
        else:
            end = index + 1
        read_paths(module, stream, index, end)
        index = end


def path_end(stream: list[str], start: int) -> int:
    """Returns the index after the path that begins at `start`."""
    end = start + 1
    while stream[end : end + 1] == ["::"]:
        end += 2
    return end


def read_file(parent: Module, name: str) -> None:
    flat, nested = parent.folder / f"{name}.rs", parent.folder / name / "mod.rs"
    file = flat if flat.exists() else nested
    if not file.exists():
        raise FileNotFoundError(f"{parent.file}: module {name} has no file")
    child = Module(file, parent.folder / name, parent)
    parent.children[name] = child
    read_items(child, without_tests(tokens(file.read_text())))


def read_use(module: Module, stream: list[str], start: int, is_public: bool) -> int:
    """Reads `use ...;` and returns the index after it."""
    end = stream.index(";", start)
    for path, alias in use_tree(stream[start + 1 : end], []):
        if path[-1] == "*":
            module.globs.append(path[:-1])
            continue
        module.uses[alias] = path
        module.paths.append((path, is_public))
    return end + 1


def use_tree(stream: list[str], prefix: list[str]) -> Iterator[tuple[list[str], str]]:
    """Yields every path of a use declaration, and its local name."""
    path, index = list(prefix), 0
    while index < len(stream):
        token = stream[index]
        if token == "{":
            for part in split(stream[index + 1 : group_end(stream, index) - 1]):
                yield from use_tree(part, path)
            return
        if token == "as":
            yield path, stream[index + 1]
            return
        if token == "self" and path:
            break
        if token != "::":
            path.append(token)
        index += 1
    yield path, path[-1]


def split(stream: list[str]) -> Iterator[list[str]]:
    """Splits at the commas outside of groups."""
    part, index = [], 0
    while index < len(stream):
        end = group_end(stream, index) if stream[index] in OPENING else index + 1
        if stream[index] == ",":
            yield part
            part = []
        else:
            part += stream[index:end]
        index = end
    if part:
        yield part


def read_paths(module: Module, stream: list[str], start: int, end: int) -> None:
    """Adds the names in a range of code to the module: paths, and single names written as types, calls or macros."""
    index = start
    while index < end:
        token, before = stream[index], stream[index - 1] if index else ""
        if token == "use":
            index = read_use(module, stream, index, is_public=False)
            continue
        if text := PATH_TEXT.fullmatch(token):
            module.paths.append((text[1].split("::"), False))
        if not token.isidentifier() or before in (".", "::", "mod", *NAMED) or token in NOT_PATHS:
            index += 1
            continue
        path = [token]
        while stream[index + 1 : index + 2] == ["::"] and index + 2 < end and stream[index + 2].isidentifier():
            path.append(stream[index + 2])
            index += 2
        following = stream[index + 1] if index + 1 < len(stream) else ""
        is_name = token[0].isupper() or following in ("(", "!")
        if len(path) > 1 or (is_name and token not in BEGINNINGS) or (following == "::" and token not in BEGINNINGS):
            module.paths.append((path, False))
        index += 1


def resolve(module: Module, path: list[str], seen: frozenset = frozenset()) -> Found | None:
    """Resolves a path from a module; None for other crates and built-in names."""
    first, rest = path[0], path[1:]
    if first in BEGINNINGS:
        start = {"crate": module.root, "self": module, "super": module.parent}[first]
        found = start and Found(start, None)
    else:
        found = look_up(module, first, bool(rest), seen)
    for index, name in enumerate(rest):
        if found is None or found.name is not None:
            return found
        if name == "super":
            found = found.module.parent and Found(found.module.parent, None)
            continue
        # An unknown name is generated there by a macro.
        further = look_up(found.module, name, index + 1 < len(rest), seen) or Found(found.module, name)
        found = Found(further.module, further.name, found.through | further.through)
    return found


def look_up(module: Module, name: str, leads_on: bool, seen: frozenset) -> Found | None:
    """Resolves a name in a module. A name that is followed by another one is preferably a module."""
    if (module, name) in seen:
        return None
    seen |= {(module, name)}
    if name in module.children and (leads_on or name not in module.items):
        return Found(module.children[name], None)
    if name in module.items:
        return Found(module, name)
    sources = [module.uses[name]] if name in module.uses else []
    for path in sources or ([*glob, name] for glob in module.globs):
        found = resolve(module, path, seen)
        if found and (sources or found.name != name or defines(found.module, name)):
            return Found(found.module, found.name, found.through | {module})
    return Found(module, name) if name in module.made_by_macros and not sources else None


def defines(module: Module, name: str) -> bool:
    return name in module.items | module.made_by_macros


def modules(root: Module) -> Iterator[Module]:
    yield root
    for child in root.children.values():
        yield from modules(child)


def file_edges(root: Module) -> dict[tuple[Path, Path], set[str]]:
    """Returns, for each file that uses another one, the names that it uses."""
    edges: dict[tuple[Path, Path], set[str]] = defaultdict(set)
    for module in modules(root):
        for path, is_public in module.paths:
            found = resolve(module, path)
            # A parent that re-exports what its children define does not use it.
            if found is None or found.name is None or (is_public and found.module.is_within(module)):
                continue
            # A name used through a re-export also depends on the re-exporting module, unless that is a parent.
            passed = {other for other in found.through if not module.is_within(other)}
            for used in {found.module, *passed}:
                if used.file != module.file:
                    edges[module.file, used.file].add(found.name)
    return edges
