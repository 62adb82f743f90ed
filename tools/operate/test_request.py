"""Tests of the requests of `make organization` and the other targets that ask the operator function."""

import re
import unittest

from tools.operate.request import TARGETS, request
from tools.stack.project import ROOT

ORGANIZATION = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv"
NUMBER = "+12015550123"
QUEUE = "arn:aws:sqs:eu-central-1:123456789012:events"


class Requests(unittest.TestCase):
    def test_values_are_trimmed_and_named_as_the_operation_does(self):
        number = {"organizationId": ORGANIZATION, "number": NUMBER}
        contact = {"organizationId": ORGANIZATION, "contact": NUMBER}
        queue = {"organizationId": ORGANIZATION, "arn": QUEUE}
        limited = {"organizationId": ORGANIZATION}
        confirmed = {"organizationId": ORGANIZATION, "confirm": "acme"}
        for target, values, operation, fields in (
            ("organization", {"NAME": "Acme"}, "createOrganization", {"name": "Acme"}),
            ("link-number", {"NUMBER": NUMBER, "ORGANIZATION": ORGANIZATION}, "linkPhoneNumber", number),
            ("unlink-number", {"NUMBER": f" {NUMBER}", "ORGANIZATION": ORGANIZATION}, "unlinkPhoneNumber", number),
            ("release-number", {"NUMBER": NUMBER, "ORGANIZATION": ORGANIZATION}, "releaseNumber", number),
            ("release-account", {"ACCOUNT": " 102290129340398 "}, "releaseAccount", {"wabaId": "102290129340398"}),
            ("erase-contact", {"ORGANIZATION": ORGANIZATION, "CONTACT": f" {NUMBER}"}, "eraseContact", contact),
            ("show-erasure", {"ORGANIZATION": f"{ORGANIZATION} ", "CONTACT": NUMBER}, "showErasure", contact),
            ("delete-organization", {"ORGANIZATION": f" {ORGANIZATION}", "CONFIRM": "acme "}, "deleteOrganization", confirmed),
            ("allow-destination", {"ORGANIZATION": ORGANIZATION, "QUEUE": QUEUE}, "allowDestination", queue),
            ("disallow-destination", {"ORGANIZATION": ORGANIZATION, "QUEUE": f" {QUEUE} "}, "disallowDestination", queue),
            (
                "sign-in",
                {"ORGANIZATION": ORGANIZATION, "EMAIL": "ann@example.com"},
                "createSignInLink",
                {"organizationId": ORGANIZATION, "email": "ann@example.com"},
            ),
            ("limit-organization", {"ORGANIZATION": ORGANIZATION, "RATE": "50"}, "setLimit", {**limited, "requestsPerSecond": 50}),
            ("limit-organization", {"ORGANIZATION": ORGANIZATION, "RATE": "none"}, "setLimit", limited),
            ("list-destinations", {"ORGANIZATION": ORGANIZATION, "QUEUE": ""}, "listDestinations", {"organizationId": ORGANIZATION}),
        ):
            with self.subTest(target):
                self.assertEqual(request(target, values), {"operation": operation, **fields})

    def test_countries_are_a_list(self):
        both = {"NUMBER": NUMBER, "ORGANIZATION": ORGANIZATION}
        self.assertEqual(request("link-number", {**both, "COUNTRIES": "US, CA,"})["countries"], ["US", "CA"])
        self.assertNotIn("countries", request("link-number", {**both, "COUNTRIES": " "}))
        self.assertNotIn("countries", request("release-number", {**both, "COUNTRIES": "US"}))

    def test_a_rate_is_a_number(self):
        with self.assertRaisesRegex(SystemExit, "^RATE must be a whole number"):
            request("limit-organization", {"ORGANIZATION": ORGANIZATION, "RATE": "fast"})

    def test_a_missing_value_is_named(self):
        for target, values, name in (
            ("organization", {"NAME": " "}, "NAME"),
            ("link-number", {"NUMBER": "", "ORGANIZATION": ORGANIZATION}, "NUMBER"),
            ("link-number", {"NUMBER": NUMBER, "ORGANIZATION": " "}, "ORGANIZATION"),
            ("release-account", {"ACCOUNT": " "}, "ACCOUNT"),
            ("erase-contact", {"ORGANIZATION": "", "CONTACT": NUMBER}, "ORGANIZATION"),
            ("erase-contact", {"ORGANIZATION": ORGANIZATION, "CONTACT": " "}, "CONTACT"),
            ("delete-organization", {"ORGANIZATION": "", "CONFIRM": "acme"}, "ORGANIZATION"),
            ("delete-organization", {"ORGANIZATION": ORGANIZATION, "CONFIRM": " "}, "CONFIRM"),
            ("allow-destination", {"ORGANIZATION": "", "QUEUE": QUEUE}, "ORGANIZATION"),
            ("allow-destination", {"ORGANIZATION": ORGANIZATION, "QUEUE": " "}, "QUEUE"),
        ):
            with self.subTest(target, missing=name), self.assertRaisesRegex(SystemExit, f"^{name} is missing"):
                request(target, values)

    def test_the_message_shows_what_to_write(self):
        for target, usage in (
            ("organization", 'NAME is missing. Usage: make organization NAME="Acme" [STACK=messaging-api]'),
            ("list-destinations", "ORGANIZATION is missing. Usage: make list-destinations ORGANIZATION=org_... [STACK=messaging-api]"),
        ):
            with self.assertRaises(SystemExit) as ended:
                request(target, {})
            self.assertEqual(ended.exception.code, usage)


class Make(unittest.TestCase):
    def test_its_targets_are_those_of_the_table(self):
        rule = re.search(r'^(.+): tools\n\t@\$\(STACK_TOOL\)\.operate\.request "\$@"$', (ROOT / "Makefile").read_text(), re.MULTILINE)
        self.assertEqual({*rule[1].split(), "delete-organization"}, set(TARGETS))


if __name__ == "__main__":
    unittest.main()
