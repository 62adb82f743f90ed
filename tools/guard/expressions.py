"""Reads DynamoDB expressions, as far as rules and stale reads need."""

import re

EXPRESSIONS = (
    "ConditionExpression", "UpdateExpression", "ProjectionExpression", "FilterExpression", "KeyConditionExpression",
)
PLACEHOLDER = re.compile(r"[#:]\w+")
TOKEN = re.compile(r"[#:]?\w+|\S")
CLAUSES = ("SET", "REMOVE", "ADD", "DELETE")
KEY_CONDITION = re.compile(
    r"begins_with\s*\(\s*(?P<prefixed>#?[\w.-]+)\s*,\s*(?P<prefix>:\w+)\s*\)"
    r"|(?P<between>#?[\w.-]+)\s+BETWEEN\s+(?P<low>:\w+)\s+AND\s+(?P<high>:\w+)"
    r"|(?P<compared>#?[\w.-]+)\s*(?P<operator><=|>=|<|>|=)\s*(?P<operand>:\w+)",
    re.IGNORECASE,
)


def assignments(text: str, names: dict[str, str], values: dict[str, dict]) -> list[tuple[str, dict | None]]:
    """Returns the attributes that an update expression changes, each with its new value if that is given literally."""
    tokens = TOKEN.findall(text)
    found: list[tuple[str, dict | None]] = []
    depth, clause, is_target = 0, "", False
    for at, token in enumerate(tokens):
        if token in ("(", "["):
            depth += 1
        elif token in (")", "]"):
            depth -= 1
        elif depth:
            continue
        elif token.upper() in CLAUSES:
            clause, is_target = token.upper(), True
        elif token == ",":
            is_target = True
        elif is_target:
            is_target = False
            rest = tokens[at + 1 : at + 4]
            ends = len(rest) == 2 or (len(rest) == 3 and (rest[2] == "," or rest[2].upper() in CLAUSES))
            is_simple = clause == "SET" and ends and rest[0] == "="
            found.append((names.get(token, token), values.get(rest[1]) if is_simple else None))
    return found


Condition = tuple[str, str, list[dict]]


def key_conditions(text: str, names: dict[str, str], values: dict[str, dict]) -> list[Condition] | None:
    """Returns attribute, operator and values of each key condition; None if the text is not understood."""
    found = []
    for match in KEY_CONDITION.finditer(text):
        part = match.groupdict()
        attribute = part["prefixed"] or part["between"] or part["compared"]
        operator = "begins_with" if part["prefixed"] else "BETWEEN" if part["between"] else part["operator"]
        used = [part[name] for name in ("prefix", "low", "high", "operand") if part[name]]
        if any(placeholder not in values for placeholder in used):
            return None
        found.append((names.get(attribute, attribute), operator, [values[placeholder] for placeholder in used]))
    rest = re.sub(r"\bAND\b|[()\s]", "", KEY_CONDITION.sub("", text), flags=re.IGNORECASE)
    return found if found and not rest else None
