"""Uploads: each kind of source, both ways, with both clients, with progress, and over failures."""

from __future__ import annotations

import asyncio
import hashlib
import io
import re
import tempfile
import tracemalloc
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import messaging_api
from messaging_api import Media, MessagingError, Progress
from standin import Answer, OnStandIn, Received

LARGE = b"x" * (4 * 1024 * 1024 + 1)
DIGEST = hashlib.sha256(LARGE).hexdigest()
Upload = Callable[..., Media]


class Once(io.BytesIO):
    """A stream that does not know its size and cannot be read again."""

    def seekable(self) -> bool:
        return False

    def seek(self, *_: Any) -> int:
        raise io.UnsupportedOperation("seek")

    def tell(self) -> int:
        raise io.UnsupportedOperation("tell")


class TestUploads(OnStandIn):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def serve(self, size: int = len(LARGE), others: dict[int, Answer] | None = None) -> None:
        """Answers as the service and its storage do, with other answers for some of the requests."""

        def answer(request: Received, nth: int) -> Answer:
            if others and nth in others:
                return others[nth]
            if not request.path.endswith("/uploads"):
                return Answer(201, {"id": "media_1"})
            headers = {"content-type": "image/png", "content-length": str(size), "if-none-match": "*"}
            address = f"{self.stand_in.url}/storage?signature=1"
            return Answer(201, {"id": "media_1", "uploadUrl": address, "headers": headers})

        self.stand_in.received.clear()
        self.stand_in.answer = answer

    def both(self) -> list[tuple[str, Upload]]:
        """Returns how each client uploads."""

        def waiting(*arguments: Any, **more: Any) -> Media:
            with self.stand_in.client() as client:
                return client.media.upload(*arguments, **more)

        async def upload(*arguments: Any, **more: Any) -> Media:
            async with self.stand_in.async_client() as client:
                return await client.media.upload(*arguments, **more)

        return [("waits", waiting), ("is awaited", lambda *arguments, **more: asyncio.run(upload(*arguments, **more)))]

    def test_a_small_file_is_one_request_from_each_source(self) -> None:
        path = self.folder / "a.png"
        path.write_bytes(b"bytes")
        name = {"file_name": "a.png"}
        sources: list[tuple[Callable[[], Any], dict[str, Any]]] = [
            (lambda: b"bytes", name), (lambda: bytearray(b"bytes"), name), (lambda: path, {}), (lambda: str(path), {}),
            (lambda: path.open("rb"), {}), (lambda: io.BytesIO(b"bytes"), name),
            (lambda: Once(b"bytes"), {**name, "size": 5}),
        ]
        for title, upload in self.both():
            for make, options in sources:
                source = make()
                with self.subTest(client=title, source=type(source).__name__):
                    self.serve()
                    self.assertEqual(upload(source, **options).id, "media_1")
                    (request,) = self.stand_in.received
                    self.assertEqual((request.method, request.path), ("POST", "/v1/media"))
                    self.assertTrue(request.headers["idempotency-key"])
                    self.assertEqual(request.headers["content-length"], str(request.size))
                    head = 'content-disposition: form-data; name="file"; filename="a.png"\r\ncontent-type: image/png'
                    self.assertEqual(self.part(request), (head, "bytes"))
                    if hasattr(source, "close"):
                        source.close()

    def part(self, request: Received) -> tuple[str, str]:
        boundary = request.headers["content-type"].partition("boundary=")[2]
        form = rf"--{boundary}\r\n(.*?)\r\n\r\n(.*)\r\n--{boundary}--\r\n"
        found = re.fullmatch(form, request.body.decode(), re.DOTALL)
        assert found
        return found[1], found[2]

    def test_a_name_cannot_leave_its_place_in_the_form(self) -> None:
        self.serve()
        self.both()[0][1](b"bytes", file_name='a"\r\nx: y.txt')
        self.assertIn('filename="a%22%0D%0Ax: y.txt"\r\n', self.part(self.stand_in.received[0])[0] + "\r\n")

    def test_an_open_file_is_read_from_where_it_is_and_stays_open(self) -> None:
        for title, upload in self.both():
            with self.subTest(client=title):
                self.serve()
                stream = io.BytesIO(b"header,bytes")
                stream.seek(7)
                upload(stream, file_name="a.txt")
                self.assertEqual(self.part(self.stand_in.received[0])[1], "bytes")
                self.assertFalse(stream.closed)

    def test_a_repeated_upload_sends_the_same_bytes_with_the_same_key(self) -> None:
        for title, upload in self.both():
            with self.subTest(client=title):
                self.serve(others={0: Answer(is_lost=True), 1: Answer(503)})
                upload(Once(b"bytes"), file_name="a.txt", size=5)
                bodies = {(request.body, request.headers["idempotency-key"]) for request in self.stand_in.received}
                self.assertEqual((len(self.stand_in.received), len(bodies)), (3, 1))

    def test_a_large_file_goes_to_storage_with_its_length_and_without_the_credential(self) -> None:
        path = self.folder / "large.png"
        path.write_bytes(LARGE)
        name = {"file_name": "large.png"}
        sources: list[tuple[Callable[[], Any], dict[str, Any]]] = [
            (lambda: LARGE, name), (lambda: path, {}), (lambda: path.open("rb"), {}),
            (lambda: Once(LARGE), {**name, "size": len(LARGE)}),
        ]
        for title, upload in self.both():
            for make, options in sources:
                source = make()
                with self.subTest(client=title, source=type(source).__name__):
                    self.serve()
                    reports: list[Progress] = []
                    upload(source, on_progress=reports.append, **options)
                    create, put, complete = self.stand_in.received
                    announced = {"fileName": "large.png", "mimeType": "image/png", "fileSize": len(LARGE)}
                    self.assertEqual(create.json(), announced)
                    self.assertEqual((put.method, put.size, put.digest), ("PUT", len(LARGE), DIGEST))
                    self.assertEqual(put.headers["content-length"], str(len(LARGE)))
                    self.assertEqual((put.headers["if-none-match"], put.headers["content-type"]), ("*", "image/png"))
                    self.assertFalse(put.headers.keys() & {"transfer-encoding", "authorization"})
                    self.assertEqual(complete.path, "/v1/media/media_1/complete")
                    self.check(reports, len(LARGE))
                    if hasattr(source, "close"):
                        source.close()

    def check(self, reports: list[Progress], total: int) -> None:
        loaded = [report.loaded for report in reports]
        self.assertGreater(len(loaded), 1)
        self.assertEqual(loaded, sorted(set(loaded)))
        self.assertEqual(reports[-1], Progress(total, total))
        self.assertEqual({report.total for report in reports}, {total})

    def test_progress_of_a_small_file_counts_its_bytes_and_not_those_of_the_form(self) -> None:
        for title, upload in self.both():
            with self.subTest(client=title):
                self.serve()
                reports: list[Progress] = []
                upload(b"bytes", file_name="a.txt", on_progress=reports.append)
                self.assertEqual(reports, [Progress(5, 5)])

    def test_a_large_file_is_not_held_in_memory(self) -> None:
        size = 32 * 1024 * 1024
        path = self.folder / "large.mp4"
        with path.open("wb") as file:
            file.truncate(size)
        for title, upload in self.both():
            with self.subTest(client=title), path.open("rb") as file:
                for source in (path, file):
                    self.serve(size)
                    tracemalloc.start()
                    upload(source)
                    peak = tracemalloc.get_traced_memory()[1]
                    tracemalloc.stop()
                    self.assertEqual(self.stand_in.received[1].size, size)
                    self.assertLess(peak, 3 * 1024 * 1024)

    def test_an_upload_to_storage_is_repeated_if_its_bytes_can_be_read_again(self) -> None:
        for title, upload in self.both():
            with self.subTest(client=title):
                self.serve(others={1: Answer(is_lost=True), 2: Answer(412, text="<Error/>")})
                upload(LARGE, file_name="a.png")
                self.assertEqual([request.method for request in self.stand_in.received], ["POST", "PUT", "PUT", "POST"])
                self.serve(others={1: Answer(503, text="")})
                with self.assertRaises(messaging_api.UnavailableError):
                    upload(Once(LARGE), file_name="a.png", size=len(LARGE))
                self.assertEqual(len(self.stand_in.received), 2)
                self.serve(others={1: Answer(403, text="<Error/>")})
                with self.assertRaises(messaging_api.PermissionError):
                    upload(LARGE, file_name="a.png")

    def test_what_is_not_known_must_be_said(self) -> None:
        streams: list[tuple[IO[bytes], int]] = [
            (Once(b"ab"), 1), (Once(b"ab"), 3), (Once(LARGE), len(LARGE) - 1), (Once(LARGE), len(LARGE) + 1),
        ]
        for title, upload in self.both():
            with self.subTest(client=title):
                self.serve()
                with self.assertRaisesRegex(MessagingError, "mime_type"):
                    upload(b"a")
                with self.assertRaisesRegex(MessagingError, "set size"):
                    upload(Once(b"a"), file_name="a.txt")
                with self.assertRaises(FileNotFoundError):
                    upload(self.folder / "missing.png")
                self.assertEqual(self.stand_in.received, [])
        for stream, size in streams:
            self.serve(size)
            with self.subTest(size=size), self.assertRaisesRegex(MessagingError, "exact size"):
                self.both()[0][1](stream, file_name="a.txt", size=size)
            self.assertNotIn("/v1/media/media_1/complete", [request.path for request in self.stand_in.received])

    def test_what_a_callback_raises_ends_the_upload(self) -> None:
        def fail(progress: Progress) -> None:
            raise OSError("terminal closed")

        for title, upload in self.both():
            with self.subTest(client=title), self.assertRaisesRegex(OSError, "terminal closed"):
                self.serve()
                upload(LARGE, file_name="a.png", on_progress=fail)


if __name__ == "__main__":
    unittest.main()
