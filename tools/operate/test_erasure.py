"""Tests of the requests of `make erase-contact` and `make show-erasure`."""

import unittest

from tools.operate.erasure import request

ORGANIZATION = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv"


class Requests(unittest.TestCase):
    def test_a_request_names_the_organization_and_the_contact(self):
        both = {"organizationId": ORGANIZATION, "contact": "+12015550123"}
        self.assertEqual(request("erase-contact", ORGANIZATION, " +12015550123"), {"operation": "eraseContact", **both})
        self.assertEqual(request("show-erasure", f"{ORGANIZATION} ", "+12015550123"), {"operation": "showErasure", **both})

    def test_what_is_missing_is_named(self):
        for organization, contact, name in (("", "+12015550123", "ORGANIZATION"), (ORGANIZATION, " ", "CONTACT")):
            with self.assertRaisesRegex(SystemExit, f"^{name} is missing"):
                request("erase-contact", organization, contact)


if __name__ == "__main__":
    unittest.main()
