"""Tests of the table of rules and its page in the documentation."""

import unittest

from . import test_dynamodb, test_gateway, test_model, test_s3, test_secrets, test_sqs
from .checker import Checker
from .record import Record
from .request import Request
from .rules import RULES
from .rules.markdown import markdown
from tools.stack.project import ROOT


CASES = (
    test_model.ModelRules,
    test_dynamodb.DynamoDbRules,
    test_sqs.SqsRules,
    test_s3.S3Rules,
    test_secrets.SecretsRules,
    test_gateway.GatewayRules,
)


class Table(unittest.TestCase):
    def test_every_rule_has_its_documentation(self) -> None:
        for rule in RULES:
            self.assertTrue(rule.url.startswith("https://docs.aws.amazon.com/"), rule.name)
            self.assertTrue(rule.what and rule.limit, rule.name)

    def test_every_rule_has_a_name_and_a_test_of_its_own(self) -> None:
        names = [rule.name for rule in RULES]
        self.assertEqual(len(names), len(set(names)))
        tests = {name for case in CASES for name in dir(case)}
        self.assertEqual([name for name in names if f"test_{name.replace('-', '_')}" not in tests], [])

    def test_the_page_is_up_to_date(self) -> None:
        page = (ROOT / "docs" / "aws-limits.md").read_text()
        self.assertEqual(page, markdown(), "python -m tools.guard.rules --markdown > docs/aws-limits.md")

    def test_nonsense_is_for_the_emulator_to_refuse(self) -> None:
        checker = Checker(Record())
        data = {
            "TableName": 5,
            "Item": [],
            "Key": 7,
            "TransactItems": [3],
            "RequestItems": [1],
            "Limit": "x",
            "Entries": {"a": 1},
        }
        for rule in RULES:
            for operation in rule.operations or ("GetObject",):
                verdict = checker.check(Request(rule.service, operation, dict(data)), "")
                self.assertFalse(verdict.entries)
