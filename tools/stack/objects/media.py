"""Uploaded media, and files of the reference."""

import re
import urllib.request

from tools.stack.objects.base import Objects

PDF = b"%PDF-1.4\n%%EOF\n"


class MediaObjects(Objects):
    def make_uploaded_media_id(self, key: str = "APP_KEY") -> str:
        announced = {"fileName": "sample.pdf", "mimeType": "application/pdf", "fileSize": len(PDF)}
        upload = self.post("/v1/media/uploads", key, announced)
        request = urllib.request.Request(upload["uploadUrl"], data=PDF, headers=upload["headers"], method="PUT")
        urllib.request.urlopen(request, timeout=30).close()
        return upload["id"]

    def make_media_id(self, key: str = "APP_KEY") -> str:
        upload = self.make_uploaded_media_id(key)
        return self.post(f"/v1/media/{upload}/complete", key, {})["id"]

    def make_test_media_id(self) -> str:
        return self.make_media_id("TEST_APP_KEY")

    def make_asset(self) -> str:
        with urllib.request.urlopen(f"{self.stack.base_url}/api_reference", timeout=30) as page:
            return re.search(r"assets/(style-[^\"]+)", page.read().decode()).group(1)

    def make_console_file(self) -> str:
        with urllib.request.urlopen(f"{self.stack.base_url}/console", timeout=30) as page:
            return re.search(r"console/([\w.-]+\.js)\"", page.read().decode()).group(1)
