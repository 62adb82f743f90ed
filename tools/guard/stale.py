"""Stale reads: changes the result of a read to what it was before the table's last write.

Only results that key conditions and attribute names determine are changed. Any other result stays as it is: a replica may
well have seen the write already.
"""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from .actions import Action
from .expressions import Condition, key_conditions
from .schema import Index
from .values import comparable, content, key_of

# Stands for the table itself among the names of its indexes.
TABLE = ""


@dataclass
class Image:
    """An item before the last write. `shown` lists the readers that already saw it: the table, or indexes by name."""

    before: dict | None
    shown: set[str] = field(default_factory=set)


def view(action: Action, index: Index | None) -> Callable[[dict], dict] | None:
    """Returns a function that projects an item as the read does; None if that takes more than attribute names."""
    attributes = index.attributes if index and action.fields.get("Select") != "ALL_ATTRIBUTES" else None
    expression = action.fields.get("ProjectionExpression")
    if expression is not None:
        paths = [path.strip() for path in expression.split(",")]
        if not all(re.fullmatch(r"#?\w+", path) for path in paths):
            return None
        attributes = frozenset(action.names.get(path, path) for path in paths)
    elif action.fields.get("AttributesToGet"):
        attributes = frozenset(action.fields["AttributesToGet"])
    if attributes is None:
        return lambda item: item
    return lambda item: {name: value for name, value in item.items() if name in attributes}


def holds(conditions: list[Condition], item: dict) -> bool:
    for attribute, operator, values in conditions:
        if attribute not in item or any(content(value)[0] != content(item[attribute])[0] for value in values):
            return False
        have, (first, *more) = comparable(item[attribute]), [comparable(value) for value in values]
        if not {
            "=": lambda: have == first,
            "<": lambda: have < first,
            "<=": lambda: have <= first,
            ">": lambda: have > first,
            ">=": lambda: have >= first,
            "begins_with": lambda: have.startswith(first),
            "BETWEEN": lambda: first <= have <= more[0],
        }[operator]():
            return False
    return True


def stale_item(result: dict, action: Action, images: dict[tuple, Image]) -> bool:
    """Makes the result of a GetItem stale; returns whether that changed anything."""
    image, show = images.get(action.key), view(action, None)
    if image is None or show is None or TABLE in image.shown:
        return False
    shown = None if image.before is None else show(image.before)
    if shown == result.get("Item"):
        return False
    image.shown.add(TABLE)
    result.pop("Item", None)
    if shown is not None:
        result["Item"] = shown
    return True


def stale_batch(result: dict, action: Action, images: dict[tuple, Image]) -> bool:
    """Makes the result of a BatchGetItem stale, for one table; returns whether that changed anything."""
    show, schema = view(action, None), action.schema
    items = (result.get("Responses") or {}).get(action.table)
    if show is None or items is None or any(key_of(item, schema) is None for item in items):
        return False
    left = ((result.get("UnprocessedKeys") or {}).get(action.table) or {}).get("Keys") or []
    keys = {key_of(key, schema) for key in action.fields.get("Keys") or []} - {key_of(key, schema) for key in left}
    is_changed = False
    for key in keys & images.keys():
        image = images[key]
        current = next((item for item in items if key_of(item, schema) == key), None)
        shown = None if image.before is None else show(image.before)
        if TABLE in image.shown or shown == current:
            continue
        image.shown.add(TABLE)
        is_changed = True
        items[:] = [item for item in items if item is not current] + ([] if shown is None else [shown])
    return is_changed


def stale_page(result: dict, action: Action, images: dict[tuple, Image]) -> bool:
    """Makes the result of a Query or a Scan stale; returns whether that changed anything."""
    fields, schema = action.fields, action.schema
    reader = fields.get("IndexName") or TABLE
    index = schema.indexes.get(reader)
    show, items = view(action, index), result.get("Items")
    conditions: list[Condition] | None = []
    if action.kind == "Query":
        conditions = key_conditions(fields.get("KeyConditionExpression") or "", action.names, action.values)
    filters = ("FilterExpression", "QueryFilter", "ScanFilter", "KeyConditions", "TotalSegments")
    if show is None or items is None or conditions is None or any(fields.get(name) for name in filters):
        return False
    keys = index.keys if index else schema.keys
    sort = next((attribute for attribute, role in keys.items() if role == "RANGE"), None)
    if any(key_of(item, schema) is None or (sort and sort not in item) for item in items):
        return False
    is_paged = bool(fields.get("ExclusiveStartKey") or result.get("LastEvaluatedKey"))
    by_key = {key_of(item, schema): item for item in items}
    is_changed = False
    for key, image in images.items():
        current, before = by_key.get(key), image.before
        belongs = before is not None and all(name in before for name in keys) and holds(conditions, before)
        if belongs and is_paged:
            # Which page it was on before is unknown.
            belongs = current is not None and (sort is None or before[sort] == current[sort])
        if belongs and current is None and len(items) >= (fields.get("Limit") or sys.maxsize):
            belongs = False
        shown = show(before) if belongs else None
        if reader in image.shown or shown == current:
            continue
        image.shown.add(reader)
        is_changed = True
        items[:] = [item for item in items if item is not current] + ([] if shown is None else [shown])
    if is_changed:
        if sort and action.kind == "Query":
            items.sort(key=lambda item: comparable(item[sort]), reverse=fields.get("ScanIndexForward") is False)
        result["ScannedCount"] = result["Count"] = len(items)
    return is_changed
