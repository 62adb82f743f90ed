"""Compares the privileges that functions use with those that the template allows; they must be equal. Runs in the
virtual environment of the deploy tools.

Usage: python -m tools.ci.privileges FILE

FILE is the file named by PRIVILEGES_SEEN, to which tests append lines of the form `function action resource`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml

from tools.stack.project import ROOT

TEMPLATE = ROOT / "infra" / "template.yaml"

Privilege = tuple[str, str, str]

# The table, by the logical names of the parameters that hold its name and ARN.
TABLE = ("TableInUseArn.Value", "TableInUse")

# Privileges that are needed although no test can use them, with the reason.
UNSEEN: dict[Privilege, str] = {
    (
        "notifications",
        "dynamodb:GetItem",
        "TableInUse/CRED#warm-up",
    ): "opens the connection during initialization, which happens only in the real runtime",
}


class Refused(Exception):
    """A policy in an unsupported form."""


def fields(node: yaml.MappingNode) -> dict[str, yaml.Node]:
    return {key.value: value for key, value in node.value}


def texts(node: yaml.Node) -> list[yaml.ScalarNode]:
    return node.value if isinstance(node, yaml.SequenceNode) else [node]


def line(node: yaml.Node) -> int:
    return node.start_mark.line + 1


def resource(node: yaml.ScalarNode) -> str:
    """Returns a resource's logical name; for secrets of profiles, the prefix."""
    if node.tag not in ("!GetAtt", "!Ref", "!Sub"):
        raise Refused(f"line {line(node)}: the resource is not one of the template's")
    name = node.value.replace(*TABLE).removesuffix(".Arn")
    return re.sub(r"\$\{(\w+?)(\.Arn)?\}", r"\1", name).split("secret:${AWS::StackName}/")[-1]


def leading_keys(condition: yaml.MappingNode) -> list[yaml.ScalarNode]:
    match [(operator, list(fields(operands).items())) for operator, operands in fields(condition).items()]:
        case [("ForAllValues:StringLike", [("dynamodb:LeadingKeys", keys)])]:
            return texts(keys)
    raise Refused(f"line {line(condition)}: the condition is not on dynamodb:LeadingKeys")


def privileges_of(statement: dict[str, yaml.Node]) -> Iterator[tuple[str, str, int]]:
    """Yields action, resource and line of each privilege."""
    if set(statement) - {"Effect", "Action", "Resource", "Condition"} or statement["Effect"].value != "Allow":
        raise Refused(f"line {line(statement['Effect'])}: only Allow statements with Action, Resource and Condition are supported")
    keys = leading_keys(statement["Condition"]) if "Condition" in statement else []
    for action in texts(statement["Action"]):
        for target in texts(statement["Resource"]):
            for key in keys:
                yield action.value, f"{resource(target)}/{key.value}", line(key)
            if not keys:
                yield action.value, resource(target), line(target)


def functions(template: yaml.MappingNode) -> Iterator[tuple[str, yaml.Node]]:
    """Yields each function's name, which is its folder's name, and its policies."""
    for item in fields(fields(template)["Resources"]).values():
        properties = fields(item).get("Properties")
        if fields(item)["Type"].value == "AWS::Serverless::Function":
            yield Path(fields(properties)["CodeUri"].value).name, fields(properties).get("Policies")


def statements(policies: yaml.Node | None) -> Iterator[dict[str, yaml.Node]]:
    for policy in texts(policies) if policies else []:
        if not isinstance(policy, yaml.MappingNode) or set(fields(policy)) != {"Version", "Statement"}:
            raise Refused(f"line {line(policy)}: the policy is not written inline")
        yield from map(fields, fields(policy)["Statement"].value)


def allowed() -> tuple[dict[Privilege, int], list[str]]:
    """Returns every privilege with its line, and faults in the statements."""
    found: dict[Privilege, int] = {}
    wrong = []
    for function, policies in functions(yaml.compose(TEMPLATE.read_text())):
        of_table: dict[str, int] = {}
        for statement in statements(policies):
            for action, target, at in privileges_of(statement):
                if (function, action, target) in found:
                    wrong.append(f"line {at}: {function} is allowed {action} {target} twice")
                found[function, action, target] = at
                # A single statement must cover all keys of a call.
                if "#" in target and of_table.setdefault(action, line(statement["Effect"])) != line(
                    statement["Effect"]
                ):
                    wrong.append(f"line {at}: {function} has another statement for {action} of the table")
    return found, wrong


def nearest(privilege: Privilege, lines: dict[Privilege, int]) -> str:
    """Describes the place where a missing privilege belongs."""
    function, action, _ = privilege
    of_function = {other: at for other, at in lines.items() if other[0] == function}
    of_action = [at for other, at in of_function.items() if other[1] == action]
    at = min(of_action or of_function.values(), default=0)
    return f"line {at}" if at else "no line"


def faults(seen: set[Privilege]) -> list[str]:
    lines, found = allowed()
    for privilege in sorted(seen - set(lines)):
        found.append(f"{nearest(privilege, lines)}: {' '.join(privilege)} is used but not allowed")
    for privilege, at in sorted(lines.items(), key=lambda item: item[1]):
        if privilege not in seen and privilege not in UNSEEN:
            found.append(f"line {at}: {' '.join(privilege)} is allowed but never used")
    for privilege in UNSEEN:
        if privilege in seen or privilege not in lines:
            found.append(f"{' '.join(privilege)} is no longer an exception; remove it from the list")
    return found


def main() -> None:
    seen = {tuple(text.split(" ", 2)) for text in Path(sys.argv[1]).read_text().splitlines()}
    try:
        found = faults(seen)
    except Refused as refused:
        found = [str(refused)]
    if found:
        sys.exit("infra/template.yaml and the tests differ in privileges:\n" + "\n".join(found))
    print(f"   {len(seen)} privileges, all of them used and allowed")


if __name__ == "__main__":
    main()
