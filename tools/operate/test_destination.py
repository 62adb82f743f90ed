"""Tests of the requests of `make allow-destination`, `make disallow-destination` and `make list-destinations`."""

import unittest

from tools.operate.destination import request

ORGANIZATION = "org_0ujtsYcgvSTl8PAuAdqWYSMnLOv"
QUEUE = "arn:aws:sqs:eu-central-1:123456789012:events"


class Requests(unittest.TestCase):
    def test_a_request_names_the_organization_and_the_queue(self):
        both = {"organizationId": ORGANIZATION, "arn": QUEUE}
        self.assertEqual(request("allow-destination", ORGANIZATION, QUEUE), {"operation": "allowDestination", **both})
        self.assertEqual(request("disallow-destination", ORGANIZATION, f" {QUEUE} "), {"operation": "disallowDestination", **both})
        listed = {"operation": "listDestinations", "organizationId": ORGANIZATION}
        self.assertEqual(request("list-destinations", ORGANIZATION, ""), listed)

    def test_what_is_missing_is_named(self):
        for organization, queue, name in (("", QUEUE, "ORGANIZATION"), (ORGANIZATION, " ", "QUEUE")):
            with self.assertRaisesRegex(SystemExit, f"^{name} is missing"):
                request("allow-destination", organization, queue)


if __name__ == "__main__":
    unittest.main()
