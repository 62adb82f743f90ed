"""Compares the privileges that functions use with those that the template allows; they must be equal. Reads the template
after SAM's transform, so that nothing that SAM adds escapes the comparison. Runs in the virtual environment of the deploy
tools.

Usage: python -m tools.ci.privileges FILE

FILE is the file named by PRIVILEGES_SEEN, to which tests append lines of the form `function action resource`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.stack.template import complete

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
    **{
        (function, f"sms-voice:{action}", "phone-number/*"): "each send has a connection of its own, which is not recorded"
        for function in ("sending", "worker")
        for action in ("SendTextMessage", "SendMediaMessage")
    },
}

# What Lambda does with a function's role: it writes the log, and it reads the sources of mappings.
LOG = ("logs:CreateLogStream", "logs:PutLogEvents")
QUEUE = ("sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes")
STREAM = ("dynamodb:DescribeStream", "dynamodb:GetRecords", "dynamodb:GetShardIterator", "dynamodb:ListStreams")


# Actions that a policy cannot limit to resources: one reads all numbers of the account, and one has no resource yet.
WITHOUT_RESOURCE = ("sms-voice:DescribePhoneNumbers", "sms-voice:CreateOptOutList")


# What a customer's key is used for, by the services that encrypt with it and with the permissions of whoever calls them.
KEY = "KmsKeyArn"
OF_THE_KEY = {"kms:Decrypt", "kms:GenerateDataKey"}
ENCRYPTED = ("dynamodb:", "s3:", "sqs:")


class Refused(Exception):
    """A policy in an unsupported form."""


def listed(value: object) -> list:
    return value if isinstance(value, list) else [value]


def resource(role: str, action: str, target: object) -> str:
    """Returns a resource's logical name; for secrets of profiles, the prefix; for phone numbers, the last part of the ARN."""
    match target:
        case {"Fn::GetAtt": [name, attribute]}:
            text = f"{name}.{attribute}"
        case {"Ref": str(text)} | {"Fn::Sub": str(text)} | {"Fn::Split": [",", str(text)]}:
            pass
        case "*" if action in WITHOUT_RESOURCE:
            return "*"
        case _:
            raise Refused(f"{role}: {target} is not a resource of the template")
    text = re.sub(r"\$\{(\w+(\.\w+)?)\}", r"\1", text.replace(*TABLE)).removesuffix(".Arn").replace(".Arn/", "/")
    return text.split("secret:${AWS::StackName}/")[-1].removeprefix("arn:${AWS::Partition}:sms-voice:${AWS::Region}:${AWS::AccountId}:")


def conditions(role: str, condition: dict) -> list[str]:
    """Returns the parts of the table that the condition allows: keys (`/CRED#*`), or attributes of any item (`(PK, SK)`)."""
    returns_nothing = {"StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"}}
    match condition:
        case {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": keys}, **rest} if rest in ({}, returns_nothing):
            return [f"/{key}" for key in listed(keys)]
        case {
            "ForAllValues:StringEquals": {"dynamodb:Attributes": attributes},
            "StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"},
        } if len(condition) == 2:
            return [f"({', '.join(sorted(attributes))})"]
    raise Refused(f"{role}: the condition {condition} is neither on dynamodb:LeadingKeys nor on dynamodb:Attributes")


def privileges_of(role: str, statement: dict) -> Iterator[tuple[str, str]]:
    """Yields action and resource of each privilege."""
    if set(statement) - {"Effect", "Action", "Resource", "Condition"} or statement["Effect"] != "Allow":
        raise Refused(f"{role}: only Allow statements with Action, Resource and Condition are supported")
    parts = conditions(role, statement["Condition"]) if "Condition" in statement else []
    for action in listed(statement["Action"]):
        for target in listed(statement["Resource"]):
            name = resource(role, action, target)
            yield from ((action, f"{name}{part}") for part in parts)
            if not parts:
                yield action, name


def statements(role: str, properties: dict) -> list[dict]:
    if "ManagedPolicyArns" in properties:
        raise Refused(f"{role} has managed policies, which allow more than the function uses")
    return [statement for policy in properties["Policies"] for statement in policy["PolicyDocument"]["Statement"]]


def is_for_functions(properties: dict) -> bool:
    trusted = [statement["Principal"] for statement in properties["AssumeRolePolicyDocument"]["Statement"]]
    return trusted == [{"Service": "lambda.amazonaws.com"}]


def allowed(template: dict) -> tuple[set[Privilege], list[str]]:
    """Returns every privilege of every function's role, and faults in the statements."""
    resources = template["Resources"]
    roles = {
        listed(properties["Role"]["Fn::GetAtt"])[0]: properties["Code"]["S3Key"]
        for properties in (r["Properties"] for r in resources.values() if r["Type"] == "AWS::Lambda::Function")
    }
    found: set[Privilege] = set()
    wrong = []
    for role, properties in ((n, r["Properties"]) for n, r in resources.items() if r["Type"] == "AWS::IAM::Role"):
        if not is_for_functions(properties):
            continue
        if role not in roles:
            wrong.append(f"{role}: no function has this role")
            continue
        of_table: dict[str, dict] = {}
        for statement in statements(role, properties):
            for action, target in privileges_of(role, statement):
                privilege = roles[role], action, target
                if privilege in found:
                    wrong.append(f"{role}: {action} {target} is allowed twice")
                found.add(privilege)
                # A single statement must cover all keys of a call.
                if "#" in target and of_table.setdefault(action, statement) is not statement:
                    wrong.append(f"{role}: another statement allows {action} of the table")
    return found, wrong + faults_of_policies(resources)


def faults_of_policies(resources: dict) -> list[str]:
    """Returns faults in the policies that are resources of their own: there is one, for the key, and exactly those roles have
    it that use something encrypted."""
    found = []
    roles = {name: r["Properties"] for name, r in resources.items() if r["Type"] == "AWS::IAM::Role"}
    uses = lambda role: any(
        action.startswith(ENCRYPTED) for statement in statements(role, roles[role]) for action in listed(statement["Action"])
    )
    for name, properties in ((n, r["Properties"]) for n, r in resources.items() if r["Type"] in ("AWS::IAM::Policy", "AWS::IAM::RolePolicy")):
        for statement in properties["PolicyDocument"]["Statement"]:
            if statement["Effect"] != "Allow" or statement["Resource"] != KEY or set(listed(statement["Action"])) != OF_THE_KEY:
                raise Refused(f"{name}: only {', '.join(sorted(OF_THE_KEY))} of {KEY} may be allowed outside of the roles")
        has = {role["Ref"] for role in properties["Roles"]}
        needs = {role for role in roles if uses(role)}
        found += [f"{name}: {role} uses what the key encrypts" for role in sorted(needs - has)]
        found += [f"{name}: {role} uses nothing that the key encrypts" for role in sorted(has - needs)]
    return found


def used_by_lambda(template: dict) -> set[Privilege]:
    """Returns the privileges that Lambda itself uses with the functions' roles, which tests cannot observe."""
    resources, needed = template["Resources"], set()
    folders = {}
    for name, properties in ((n, r["Properties"]) for n, r in resources.items() if r["Type"] == "AWS::Lambda::Function"):
        folders[name] = folder = properties["Code"]["S3Key"]
        needed |= {(folder, action, properties["LoggingConfig"]["LogGroup"]["Ref"]) for action in LOG}
    for properties in (r["Properties"] for r in resources.values() if r["Type"] == "AWS::Lambda::EventSourceMapping"):
        folder = folders[properties["FunctionName"]["Ref"]]
        match properties["EventSourceArn"]:
            case {"Fn::GetAtt": [queue, "Arn"]}:
                needed |= {(folder, action, queue) for action in QUEUE}
            case _:
                needed |= {(folder, action, "TableInUse/stream/*") for action in STREAM}
        match properties.get("DestinationConfig"):
            case {"OnFailure": {"Destination": {"Fn::GetAtt": [queue, "Arn"]}}}:
                needed.add((folder, "sqs:SendMessage", queue))
    return needed


def faults(seen: set[Privilege], template: dict) -> list[str]:
    permitted, found = allowed(template)
    needed = seen | used_by_lambda(template)
    found += [f"{' '.join(privilege)} is used but not allowed" for privilege in sorted(needed - permitted)]
    unused = sorted(permitted - needed - set(UNSEEN))
    found += [f"{' '.join(privilege)} is allowed but never used" for privilege in unused]
    for privilege in UNSEEN:
        if privilege in seen or privilege not in permitted:
            found.append(f"{' '.join(privilege)} is no longer an exception; remove it from the list")
    return found


def main() -> None:
    seen = {tuple(text.split(" ", 2)) for text in Path(sys.argv[1]).read_text().splitlines()}
    try:
        found = faults(seen, complete())
    except Refused as refused:
        found = [str(refused)]
    if found:
        sys.exit("infra/template.yaml and the tests differ in privileges:\n" + "\n".join(found))
    print(f"   {len(seen)} privileges, all of them used and allowed")


if __name__ == "__main__":
    main()
