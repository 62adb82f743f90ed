"""Tests of the verification that need no stack; `misbehave.py` runs it against a stack that misbehaves."""

import json
import os
import re
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from tools.stack.project import ROOT
from tools.verify import settings
from tools.verify.__main__ import SUBJECTS
from tools.verify.client import Reply
from tools.verify.document import Operation, check_delivery, find, operations
from tools.verify.report import BROKEN, HOLDS, SKIPPED, Broken, Report, Skipped, Subject, make
from tools.verify.samples import samples
from tools.verify.subjects.operations import verify

LINE = '{"organizationId": "org_%s", "adminKey": "a", "testAdminKey": "t", "sessionToken": "s"}'


class Operations(unittest.TestCase):
    def test_every_operation_has_a_sample_and_a_check(self) -> None:
        routes = {operation.route for operation in operations()}
        self.assertEqual(routes - set(samples()), set(), "operations without a sample event are not verified")
        self.assertEqual(routes - {check.what for check in SUBJECTS["operations"].checks}, set())
        self.assertGreater(len(routes), 50)

    def test_a_new_operation_without_a_sample_fails(self) -> None:
        new = Operation("GET", "/v1/new", "getNew", frozenset({"adminKey"}))
        with self.assertRaisesRegex(Broken, "no sample event"):
            verify(new)(mock.Mock())


class Documents(unittest.TestCase):
    def test_sample_deliveries_are_valid_and_damaged_ones_are_not(self) -> None:
        samples = sorted((ROOT / "events" / "payloads").glob("*.json"))
        self.assertGreater(len(samples), 10)
        for path in samples:
            body = json.loads(path.read_text())
            check_delivery(path.stem, body)
            for damaged in ({**body, "type": "nothing"}, {**body, "mode": "other"}, {**body, "data": 1}):
                with self.assertRaises(Broken, msg=path.stem):
                    check_delivery(path.stem, damaged)

    def test_responses_that_the_document_does_not_allow(self) -> None:
        settings = next(operation for operation in operations() if operation.id == "organization.settings.get")
        document = find("paths/~1v1~1organization~1settings/get/responses/200/content/application~1json/example")
        reply = lambda status, body, kind="application/json": Reply(status, {"content-type": kind}, json.dumps(body).encode(), 0)
        settings.check(reply(200, document))
        settings.check(reply(401, {"error": "Invalid API key"}))
        for wrong in (
            reply(203, document),
            reply(200, document, "text/html"),
            reply(200, {}),
            reply(200, {**document, "mediaRetentionDays": "30"}),
            reply(401, {"wrong": 1}),
        ):
            with self.assertRaises(Broken, msg=str(wrong)):
                settings.check(wrong)


class Assumptions(unittest.TestCase):
    """The guide lists what only AWS can confirm, each with its check."""

    GUIDE = (ROOT / "docs" / "first-deployment.md").read_text()

    def rows(self, title: str) -> list[list[str]]:
        part = self.GUIDE.split(f"\n## {title}\n")[1].split("\n## ")[0]
        return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines() if line.startswith("| ")][1:]

    def test_every_assumption_has_a_check_that_exists_and_says_what_to_change(self) -> None:
        by_a_person = {row[0] for row in self.rows("What a person checks")}
        checked = set()
        for row in self.rows("What only AWS can confirm"):
            self.assertEqual(len(row), 4, row)
            named = 0
            for part in re.findall(r"(\w[\w ]*): ((?:\*[^*]+\*(?:; |, )?)+)", row[2]):
                for what in re.findall(r"\*([^*]+)\*", part[1]):
                    named += 1
                    if part[0] == "a person":
                        self.assertIn(what, by_a_person)
                        continue
                    [check] = [check for check in SUBJECTS[part[0]].checks if check.what == what]
                    self.assertTrue(check.change, f"{what} does not say what to change")
                    checked.add((part[0], what))
            self.assertGreater(named, 0, row[0])
            self.assertTrue(row[1] == "none" or "https://docs.aws" in row[1] or "https://github.com/aws" in row[1] or row[1].startswith("none"), row)
            self.assertTrue(row[3])
        every = {("deployment", check.what) for check in SUBJECTS["deployment"].checks}
        self.assertEqual(every - checked, set(), "checks of the deployment that the guide does not list")
        self.assertGreater(len(checked), 20)

    def test_the_guide_names_every_subject(self) -> None:
        self.assertIn(f"`{' '.join(SUBJECTS)}`", self.GUIDE)


class Reports(unittest.TestCase):
    def result(self, action) -> tuple[str, str]:
        subject = Subject("Subject")
        subject("Something", "Change it.")(action)
        row = make(subject, subject.checks[0], None)
        return row.result, row.note

    def test_results(self) -> None:
        def raises(error: Exception):
            def action(_: object) -> str:
                raise error

            return action

        self.assertEqual(self.result(lambda _: "as it should"), (HOLDS, "as it should"))
        self.assertEqual(self.result(raises(Skipped("no key"))), (SKIPPED, "no key"))
        self.assertEqual(self.result(raises(Broken("wrong"))), (BROKEN, "wrong\nChange: Change it."))
        # A surprise is not a success.
        self.assertEqual(self.result(raises(KeyError("id")))[0], BROKEN)
        self.assertEqual(self.result(raises(ConnectionRefusedError()))[0], BROKEN)

    def test_no_secret_is_shown(self) -> None:
        for secret in ("sk_admin_abc", "sk_live_app_abc", "sk_test_app_abc", "whsec_a+b/c=", "session_abc"):
            _, note = self.result(lambda _, secret=secret: f'{{"key":"{secret}"}}')
            self.assertNotIn(secret, note)

    def test_one_failure_fails_the_run(self) -> None:
        subject, report = Subject("Subject"), Report(lambda _: None)
        subject("Good")(lambda _: "")
        report.run(subject, None)
        self.assertEqual(report.broken(), [])

        def bad(_: object) -> str:
            raise Broken("no")

        subject("Bad")(bad)
        report.run(subject, None)
        self.assertEqual([row.what for row in report.broken()], ["Bad"])
        self.assertIn("1 fail", report.summary())


class Keys(unittest.TestCase):
    def read(self, text: str | None, mode: int = 0o600, **environment: str) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "keys"
            if text is not None:
                path.write_text(text)
                path.chmod(mode)
            with mock.patch.dict(os.environ, {"VERIFY_ORGANIZATIONS": "", "KEYS": str(path), **environment}):
                return settings.organizations()

    def test_the_last_two_organizations_of_the_file_are_used(self) -> None:
        found = self.read("\n".join(LINE % n for n in "123"))
        self.assertEqual([each["organizationId"] for each in found], ["org_2", "org_3"])

    def test_the_environment_may_hold_them(self) -> None:
        found = self.read(None, VERIFY_ORGANIZATIONS="\n".join(LINE % n for n in "12"))
        self.assertEqual(len(found), 2)

    def test_keys_that_cannot_be_used(self) -> None:
        for text, mode, said in (
            (None, 0o600, "Create them"),
            (LINE % 1, 0o600, "Expected two lines"),
            ("no JSON\n" + LINE % 1, 0o600, "Expected two lines"),
            ('{"organizationId": "org_1"}\n' + LINE % 2, 0o600, "Expected two lines"),
            ("\n".join([LINE % 1, LINE % 1]), 0o600, "one organization"),
            ("\n".join(LINE % n for n in "12"), 0o600 | stat.S_IROTH, "chmod 600"),
        ):
            with self.subTest(said), self.assertRaisesRegex(SystemExit, said):
                self.read(text, mode)


if __name__ == "__main__":
    unittest.main()
