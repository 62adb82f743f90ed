"""Whether IAM conditions on `dynamodb:LeadingKeys` are evaluated for each item of a transaction.

Each function may touch certain classes of keys only. That is written as a condition on the actions PutItem, UpdateItem,
DeleteItem and ConditionCheckItem. Most writes are items of TransactWriteItems. AWS documents that these actions govern
transactions, but not which condition keys each item brings. The policy simulator cannot tell, because it takes the
condition keys from its caller: only an attempt does. It uses credentials that a session policy restricts to one class,
and changes nothing, because each item has a condition that is false.
"""

import secrets

from botocore.exceptions import ClientError

from tools.verify.report import Broken, Skipped, Subject, expect
from tools.verify.target import Target

SUBJECT = Subject("Assumption 1: IAM holds each item of a transaction to its class of keys", serial=True)
# Classes that the table does not have.
OWN, FOREIGN = "VERIFYOWN", "VERIFYFOREIGN"
DENIED, CANCELLED, FAILED = "AccessDeniedException", "TransactionCanceledException", "ConditionalCheckFailedException"
REFUSED = (
    "If the function's log says AccessDenied, no write can succeed: in infra/template.yaml, give each function that writes a second statement that allows its write actions with "
    "`ForAnyValue:StringEquals: {dynamodb:EnclosingOperation: [TransactWriteItems]}` instead of the condition on dynamodb:LeadingKeys. Its classes "
    "then hold for single writes only: say so in SECURITY.md."
)
VACUOUS = (
    "`ForAllValues` is true where the key is missing, so a function could write any class inside a transaction. No request fails; the "
    "second wall is gone. Move CRED# and SEC# to tables of their own, whose ARNs IAM checks in transactions too, or say in SECURITY.md "
    "that the policies bind single requests only and that tools/ci/privileges.py is what binds transactions."
)


@SUBJECT("A function may write in a transaction (create an app)", REFUSED)
def works(target: Target) -> str:
    reply = target.first.send("POST", "/v1/organization/apps", target.first["ADMIN_KEY"], {"name": "In a transaction"})
    expect(reply.status == 201, reply)
    return ""


@SUBJECT("A transaction with an item of another class is denied", VACUOUS)
def restricted(target: Target) -> str:
    if target.aws is None:
        raise Skipped("Set STACK, with AWS credentials of an IAM user that may write the table, or with VERIFY_ROLE_ARN (docs/first-deployment.md).")
    if target.is_emulator:
        raise Skipped("The emulator does not evaluate policies.")
    return attempt(*target.aws.restricted_table(f"{OWN}#*", target.options.get("VERIFY_ROLE_ARN", "")))


def attempt(dynamodb: object, table: str) -> str:
    """Tries four writes; `dynamodb` may touch the class OWN only."""
    name = secrets.token_hex(8)
    item = lambda kind: {
        "TableName": table,
        "Item": {"PK": {"S": f"{kind}#{name}"}, "SK": {"S": "VERIFY"}},
        "ConditionExpression": "attribute_exists(PK)",
    }
    together = lambda *kinds: outcome(lambda: dynamodb.transact_write_items(TransactItems=[{"Put": item(kind)} for kind in kinds]))
    alone = outcome(lambda: dynamodb.put_item(**item(FOREIGN)))
    expect(alone == DENIED, f"a single write of another class ended with {alone}: the restricted credentials restrict nothing")
    own, foreign = together(OWN), together(FOREIGN)
    mixed = together(OWN, FOREIGN) if own == CANCELLED else own
    if own == DENIED:
        raise Broken(f"a transaction within the class is denied. {REFUSED}")
    expect(own == CANCELLED, f"a transaction within the class ended with {own}, not with its false condition")
    expect(foreign == DENIED, f"a transaction on another class ended with {foreign}: the condition is not evaluated there")
    expect(mixed == DENIED, f"a transaction on both classes ended with {mixed}: only one item is looked at")
    return "allowed within the class; denied on another one, and on both"


def outcome(write: object) -> str:
    try:
        write()
    except ClientError as error:
        return error.response["Error"]["Code"]
    return "success"
