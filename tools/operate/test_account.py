"""Tests of the requests of `make release-account`."""

import unittest

from tools.operate.account import request


class Requests(unittest.TestCase):
    def test_a_request_names_the_account(self):
        self.assertEqual(request(" 102290129340398 "), {"operation": "releaseAccount", "wabaId": "102290129340398"})

    def test_a_missing_account_is_named(self):
        with self.assertRaisesRegex(SystemExit, "^ACCOUNT is missing"):
            request(" ")


if __name__ == "__main__":
    unittest.main()
