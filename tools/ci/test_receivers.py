"""Runs the reference's code for receivers against deliveries that this test signs. `make test` also runs it against a delivery
of the stack."""

import base64
import json
import time
import unittest

from tools.ci.receivers import CHAPTER, Delivery, check
from tools.stack.project import ROOT

BODY = b'{"id":"evt_1","type":"messages.chat.received","mode":"test","data":{"textBody":"Gr\xc3\xbc\xc3\x9fe"}}'


class Reference(unittest.TestCase):
    def delivery(self) -> Delivery:
        secret = "whsec_" + base64.b64encode(bytes(range(32))).decode()
        unsigned = Delivery(secret, {"webhook-id": "evt_1"}, BODY)
        return unsigned.signed_at(int(time.time()))

    def test_the_code_accepts_and_rejects_what_it_must(self):
        guide = json.loads((ROOT / "docs" / "openapi.json").read_text())["info"]["description"]
        self.assertIn("python run, javascript run", check(guide, self.delivery()))

    def test_code_that_does_not_verify_is_found_out(self):
        trusting = "```python\nimport base64, json\ndef verify(secret, headers, body):\n    return json.loads(body)\n```\n"
        with self.assertRaisesRegex(SystemExit, "python, a changed body"):
            check(CHAPTER + trusting, self.delivery())


if __name__ == "__main__":
    unittest.main()
