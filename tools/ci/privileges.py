"""Compares what functions ask of AWS with what the template lets them: neither may hold more. Runs in the environment
of the deploy tools.

Usage: python -m tools.ci.privileges FILE

FILE is what the tests append to where PRIVILEGES_SEEN points: `function action resource`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools.stack.project import ROOT

TEMPLATE = ROOT / "infra" / "template.yaml"

Privilege = tuple[str, str, str]

# The table, whichever it is now, by the name of the parameter.
TABLE = ("TableInUseArn.Value", "TableInUse")

# Allowed and needed, though no test can show it.
UNSEEN: dict[Privilege, str] = {
    (
        "notifications",
        "dynamodb:GetItem",
        "TableInUse/CRED#warm-up",
    ): "opens the connection before the first event, which only the runtime does",
}


class Refused(Exception):
    """A policy in a form whose meaning is not known here."""


def fields(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value}


def texts(node: yaml.Node) -> list[yaml.ScalarNode]:
    return node.value if isinstance(node, yaml.SequenceNode) else [node]


def line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def resource(node: yaml.ScalarNode) -> str:
    """By its logical name; secrets of profiles by their prefix."""
    if node.tag not in ("!GetAtt", "!Ref", "!Sub"):
        raise Refused(f"line {line(node)}: a resource that is not one of the template's")
    name = node.value.replace(*TABLE).removesuffix(".Arn")
    return re.sub(r"\$\{(\w+?)(\.Arn)?\}", r"\1", name).split("secret:${AWS::StackName}/")[-1]


def leading_keys(condition: yaml.MappingNode) -> list[yaml.ScalarNode]:
    match [(operator, list(fields(operands).items())) for operator, operands in fields(condition).items()]:
        case [("ForAllValues:StringLike", [("dynamodb:LeadingKeys", keys)])]:
            return texts(keys)
    raise Refused(f"line {line(condition)}: a condition that is not one on leading keys")


def privileges_of(statement: dict[str, yaml.Node]) -> Iterator[tuple[str, str, int]]:
    """Action, resource and line."""
    if set(statement) - {"Effect", "Action", "Resource", "Condition"} or statement["Effect"].value != "Allow":
        raise Refused(f"line {line(statement['Effect'])}: a statement that does more than allow")
    keys = leading_keys(statement["Condition"]) if "Condition" in statement else []
    for action in texts(statement["Action"]):
        for target in texts(statement["Resource"]):
            for key in keys:
                yield action.value, f"{resource(target)}/{key.value}", line(key)
            if not keys:
                yield action.value, resource(target), line(target)


def functions(template: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node]]:
    """Each function's name, which is its folder's, and its policies."""
    for item in fields(fields(template)["Resources"]).values():
        properties = fields(item).get("Properties")
        if fields(item)["Type"].value == "AWS::Serverless::Function":
            yield Path(fields(properties)["CodeUri"].value).name, fields(properties).get("Policies")


def statements(policies: yaml.Node | None) -> Iterator[dict[str, yaml.Node]]:
    for policy in texts(policies) if policies else []:
        if not isinstance(policy, yaml.MappingNode) or set(fields(policy)) != {"Version", "Statement"}:
            raise Refused(f"line {line(policy)}: a policy that is not written out")
        yield from map(fields, fields(policy)["Statement"].value)


def allowed() -> tuple[dict[Privilege, int], list[str]]:
    """Every privilege with its line, and what is wrong with how they are written."""
    found: dict[Privilege, int] = {}
    wrong = []
    for function, policies in functions(yaml.compose(TEMPLATE.read_text())):
        of_table: dict[str, int] = {}
        for statement in statements(policies):
            for action, target, at in privileges_of(statement):
                if (function, action, target) in found:
                    wrong.append(f"line {at}: {function} is allowed {action} {target} twice")
                found[function, action, target] = at
                # All keys of one call must be in one statement.
                if "#" in target and of_table.setdefault(action, line(statement["Effect"])) != line(
                    statement["Effect"]
                ):
                    wrong.append(f"line {at}: {function} has another statement for {action} of the table")
    return found, wrong


def nearest(privilege: Privilege, lines: dict[Privilege, int]) -> str:
    """Where a privilege that is missing belongs."""
    function, action, _ = privilege
    of_function = {other: at for other, at in lines.items() if other[0] == function}
    of_action = [at for other, at in of_function.items() if other[1] == action]
    at = min(of_action or of_function.values(), default=0)
    return f"line {at}" if at else "no line"


def faults(seen: set[Privilege]) -> list[str]:
    lines, found = allowed()
    for privilege in sorted(seen - set(lines)):
        found.append(f"{nearest(privilege, lines)}: {' '.join(privilege)} is used, and not allowed")
    for privilege, at in sorted(lines.items(), key=lambda item: item[1]):
        if privilege not in seen and privilege not in UNSEEN:
            found.append(f"line {at}: {' '.join(privilege)} is allowed, and never used")
    for privilege in UNSEEN:
        if privilege in seen or privilege not in lines:
            found.append(f"{' '.join(privilege)} is no exception any more")
    return found


def main() -> None:
    seen = {tuple(text.split(" ", 2)) for text in Path(sys.argv[1]).read_text().splitlines()}
    try:
        found = faults(seen)
    except Refused as refused:
        found = [str(refused)]
    if found:
        sys.exit("infra/template.yaml and the tests differ on privileges:\n" + "\n".join(found))
    print(f"   {len(seen)} privileges, all used and all allowed")


if __name__ == "__main__":
    main()
