"""Tests of the requests of `make link-number` and `make unlink-number`."""

import unittest

from tools.operate.number import request

ORGANIZATION = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv"


class Requests(unittest.TestCase):
    def test_a_request_names_only_what_was_given(self):
        both = {"organizationId": ORGANIZATION, "number": "+12015550123"}
        self.assertEqual(request("link", "+12015550123", ORGANIZATION), {"operation": "linkPhoneNumber", **both})
        self.assertEqual(request("unlink", " +12015550123", ORGANIZATION), {"operation": "unlinkPhoneNumber", **both})
        self.assertEqual(request("release", "+12015550123", ORGANIZATION), {"operation": "releaseNumber", **both})

    def test_countries_are_a_list(self):
        made = request("link", "+12015550123", ORGANIZATION, "US, CA,")
        self.assertEqual(made["countries"], ["US", "CA"])

    def test_what_is_missing_is_named(self):
        for number, organization, name in (("", ORGANIZATION, "NUMBER"), ("+12015550123", " ", "ORGANIZATION")):
            with self.assertRaisesRegex(SystemExit, f"^{name} is missing"):
                request("link", number, organization)


if __name__ == "__main__":
    unittest.main()
