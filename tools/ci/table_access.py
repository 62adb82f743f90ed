"""Prints which function may read and write which items of the table, by the class of their keys: a table of the policies in
infra/template.yaml. Runs in the virtual environment of the deploy tools.

Usage: python -m tools.ci.table_access [CLASS...]
"""

import sys
from collections import defaultdict
from collections.abc import Iterable

from tools.ci.privileges import Privilege, Refused, allowed
from tools.stack.template import complete

TABLE = "TableInUse"
# What is not an item of the table.
STREAM = "/stream/"

# What the letters stand for, in the order in which a cell has them.
MEANING = {
    "r": "reads items",
    "c": "checks a condition on an item, in a transaction",
    "w": "writes or deletes items",
}
LETTERS = {
    "dynamodb:GetItem": "r",
    "dynamodb:BatchGetItem": "r",
    "dynamodb:Query": "r",
    "dynamodb:ConditionCheckItem": "c",
    "dynamodb:PutItem": "w",
    "dynamodb:UpdateItem": "w",
    "dynamodb:DeleteItem": "w",
}

# The letters of each function, by the row of the table.
Access = dict[str, dict[str, set[str]]]


def row_of(resource: str) -> str:
    """Returns the row of a resource: the class of keys, or the attributes of items of any class, or the index."""
    part = resource.removeprefix(TABLE).removeprefix("/")
    return f"any item: {part}" if part.startswith("(") else part.removesuffix("#*")


def access(privileges: Iterable[Privilege]) -> Access:
    """Returns what each function may do, by class of keys."""
    found: Access = defaultdict(lambda: defaultdict(set))
    for function, action, resource in privileges:
        if not resource.startswith(TABLE) or STREAM in resource:
            continue
        if action not in LETTERS:
            raise Refused(f"{function}: {action} is in no column of this table")
        found[row_of(resource)][function].add(LETTERS[action])
    return found


def shown(found: Access) -> str:
    """Returns the table as text, with a row per class and a column per function."""
    functions = sorted({function for cells in found.values() for function in cells})
    letters = lambda cells, function: "".join(letter for letter in MEANING if letter in cells.get(function, ()))
    rows = [["class", *functions]]
    # Classes are in capitals, so they come before the other rows.
    rows += [[name, *(letters(found[name], function) for function in functions)] for name in sorted(found)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def main() -> None:
    wanted = set(sys.argv[1:])
    found = access(allowed(complete())[0])
    if unknown := wanted - set(found):
        sys.exit(f"No policy names {', '.join(sorted(unknown))}. Allowed: {', '.join(sorted(found))}.")
    print(shown({name: cells for name, cells in found.items() if not wanted or name in wanted}))
    print("\n" + "\n".join(f"{letter}  {meaning}" for letter, meaning in MEANING.items()))


if __name__ == "__main__":
    main()
