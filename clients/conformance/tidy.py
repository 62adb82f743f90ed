"""Prints JSON so that people can read and compare it, on few lines. Rewrites the files of vectors in this form.

Usage: python3 -B clients/conformance/tidy.py
"""

import json

from vectors import EXAMPLES, files

WIDTH = 150
# Lists whose elements begin a line each, unless all fit on one. A wait stands before the request that follows it.
BLOCKS = ("calls", "script", "items", "pages", "trace")


def tidy(document: dict) -> str:
    """Returns a document as text: each field and each vector begins a line."""
    fields = []
    for name, value in document.items():
        if name == "vectors":
            fields.append('"vectors": [\n' + ",\n".join("  " + _filled(vector, 2) for vector in value) + "\n ]")
        elif name == "bodies":
            bodies = [f"  {json.dumps(each)}: {_filled(body, 2, len(each) + 4)}" for each, body in value.items()]
            fields.append('"bodies": {\n' + ",\n".join(bodies) + "\n }")
        else:
            fields.append(f"{json.dumps(name)}: {_filled(value, 2, len(name) + 4)}")
    return "{\n " + ",\n ".join(fields) + "\n}\n"


def _filled(value: object, indent: int, used: int = 0, one_each: bool = False) -> str:
    """Returns a value on one line if it fits behind the indent, and else on lines that are filled."""
    line = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or indent + used + len(line) < WIDTH:
        return line
    deeper = indent + 1
    heads = [f"{json.dumps(name, ensure_ascii=False)}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    names = list(value) if isinstance(value, dict) else [""] * len(value)
    values = list(value.values()) if isinstance(value, dict) else value
    parts = [head + _filled(each, deeper + min(len(head), 1), len(head), name in BLOCKS) for head, name, each in zip(heads, names, values)]
    text, column = parts[0], WIDTH if "\n" in parts[0] else indent + used + 1 + len(parts[0])
    for before, part in zip(parts, parts[1:]):
        joins = not one_each or before.startswith('{"wait"')
        fits = joins and "\n" not in part and column + 2 + len(part) < WIDTH
        text += f", {part}" if fits else ",\n" + " " * deeper + part
        column = column + 2 + len(part) if fits else deeper + len(part)
        if "\n" in part:
            column = WIDTH
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + text + closing


def main() -> None:
    for path in [*files(), EXAMPLES]:
        path.write_text(tidy(json.loads(path.read_text())))


if __name__ == "__main__":
    main()
