"""Tests of S3's rules: for each, a request that is refused and one just within the limit."""

import http.client
import os
import socket
import urllib.error
import urllib.request

import boto3
from botocore.config import Config

from .testing import KIB, REGION, SIGNED, GuardTest, exchange, shared_guard


class S3Rules(GuardTest):
    def setUp(self) -> None:
        super().setUp()
        self.s3 = self.client("s3")
        self.bucket = f"bucket-{self.account}"
        self.s3.create_bucket(Bucket=self.bucket)

    def put(self, name: str = "key", **more):
        return lambda: self.s3.put_object(**{"Bucket": self.bucket, "Key": name, "Body": b"x", **more})

    def raw(self, *headers: str, body: bytes = b"", close: bool = True) -> bytes:
        lines = [
            f"PUT /{self.bucket}/raw HTTP/1.1",
            "Host: localhost",
            f"Authorization: {SIGNED.format(self.account, 's3')}",
            *headers,
            *(["Connection: close"] if close else []),
            "",
            "",
        ]
        return "\r\n".join(lines).encode("latin-1") + body

    def answers(self, *headers: str, body: bytes = b"") -> tuple[bytes, dict[str, int]]:
        answer, broken = self.observe(lambda: exchange(shared_guard().port, self.raw(*headers, body=body)))
        return answer, broken

    def test_s3_key_length(self) -> None:
        self.refused("s3-key-length", "KeyTooLongError", self.put("x" * 1025))
        self.refused("s3-key-length", "KeyTooLongError", self.put("é" * 512 + "x"))
        self.refused("s3-key-length", "KeyTooLongError", lambda: self.s3.get_object(Bucket=self.bucket, Key="x" * 1025))
        # With slashes, because file names in the emulator's storage cannot have 1024 bytes.
        self.passed(self.put("/".join(["x" * 127] * 8) + "x"))

    def test_s3_metadata_size(self) -> None:
        error = self.refused(
            "s3-metadata-size", "MetadataTooLarge", self.put(Metadata={"a": "x" * 1000, "b": "x" * 1047})
        )
        self.assertEqual((error.response["Error"]["Size"], error.response["Error"]["MaxSizeAllowed"]), ("2049", "2048"))
        upload = {"Bucket": self.bucket, "Key": "k", "Metadata": {"a": "x" * 2048}}
        self.refused("s3-metadata-size", "MetadataTooLarge", lambda: self.s3.create_multipart_upload(**upload))
        self.passed(self.put(Metadata={"a": "x" * 1000, "b": "x" * 1046}))
        self.assertEqual(len(self.s3.head_object(Bucket=self.bucket, Key="key")["Metadata"]["b"]), 1046)

    def test_s3_metadata_ascii(self) -> None:
        answer, broken = self.answers("Content-Length: 1", "x-amz-meta-city: Z\xfcrich", body=b"x")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertEqual(broken, {"s3-metadata-ascii": 1})
        self.passed(self.put(Metadata={"city": "Zurich"}))

    def test_s3_header_size(self) -> None:
        base = len(self.raw("Content-Length: 1", "x-padding: ").partition(b"\r\n")[2])
        answer, broken = self.answers("Content-Length: 1", f"x-padding: {'x' * (8 * KIB - base + 1)}", body=b"x")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)
        self.assertIn(b"<Code>RequestHeaderSectionTooLarge</Code>", answer)
        self.assertEqual(broken, {"s3-header-size": 1})
        answer, broken = self.answers("Content-Length: 1", f"x-padding: {'x' * (8 * KIB - base)}", body=b"x")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertEqual(broken, {})

    def test_s3_content_length(self) -> None:
        answer, broken = self.answers("Transfer-Encoding: chunked", body=b"1\r\nx\r\n0\r\n\r\n")
        self.assertTrue(answer.startswith(b"HTTP/1.1 411"), answer)
        self.assertIn(b"<Code>MissingContentLength</Code>", answer)
        self.assertEqual(broken, {"s3-content-length": 1})
        answer, broken = self.answers("Content-Length: 0")
        self.assertTrue(answer.startswith(b"HTTP/1.1 200"), answer)
        self.assertEqual(broken, {})

    def test_s3_object_size(self) -> None:
        answer, broken = self.answers("Expect: 100-continue", f"Content-Length: {5 * KIB**3 + 1}")
        self.assertTrue(answer.startswith(b"HTTP/1.1 400"), answer)
        self.assertIn(b"<Code>EntityTooLarge</Code>", answer)
        self.assertEqual(broken, {"s3-object-size": 1})
        # Without waiting for 100 Continue.
        answer, _ = self.answers(f"Content-Length: {5 * KIB**3 + 1}", body=b"x" * 100_000)
        self.assertIn(b"<Code>EntityTooLarge</Code>", answer)
        # The emulator requests the body, but does not need all 5 GB.
        before = self.counts()
        with socket.create_connection(("127.0.0.1", shared_guard().port), timeout=30) as connection:
            connection.sendall(self.raw("Expect: 100-continue", f"Content-Length: {5 * KIB**3}"))
            self.assertTrue(connection.recv(100).startswith(b"HTTP/1.1 100"))
        self.assertEqual(self.counts(), before)

    def test_s3_presigned_expiry(self) -> None:
        self.s3.put_object(Bucket=self.bucket, Key="key", Body=b"content")

        def fetch(seconds: int) -> bytes:
            signed = {"Bucket": self.bucket, "Key": "key"}
            # Only signature version 4 has the limit.
            signer = boto3.client(
                "s3",
                endpoint_url=shared_guard().url,
                region_name=REGION,
                aws_access_key_id=self.account,
                aws_secret_access_key="test",
                config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
            )
            url = signer.generate_presigned_url("get_object", Params=signed, ExpiresIn=seconds)
            with urllib.request.urlopen(url) as answer:
                return answer.read()

        before = self.counts().get("s3-presigned-expiry", 0)
        with self.assertRaises(urllib.error.HTTPError) as caught:
            fetch(604_801)
        self.assertIn(b"<Code>AuthorizationQueryParametersError</Code>", caught.exception.read())
        self.assertEqual(self.counts()["s3-presigned-expiry"], before + 1)
        self.assertEqual(self.passed(lambda: fetch(604_800)), b"content")

    def test_s3_delete_keys(self) -> None:
        def delete(count: int):
            objects = [{"Key": f"key-{number}"} for number in range(count)]
            return lambda: self.s3.delete_objects(Bucket=self.bucket, Delete={"Objects": objects, "Quiet": True})

        self.refused("s3-delete-keys", "MalformedXML", delete(1001))
        self.passed(delete(1000))

    def test_bodies_of_any_kind_go_through(self) -> None:
        content = os.urandom(3_000_000)
        self.passed(self.put(Body=content))
        answer = self.passed(lambda: self.s3.get_object(Bucket=self.bucket, Key="key"))
        self.assertEqual(answer["Body"].read(), content)
        part = self.passed(lambda: self.s3.get_object(Bucket=self.bucket, Key="key", Range="bytes=5-9"))
        self.assertEqual(part["Body"].read(), content[5:10])
        self.assertEqual(
            self.passed(lambda: self.s3.head_object(Bucket=self.bucket, Key="key"))["ContentLength"], 3_000_000
        )
        source = {"Bucket": self.bucket, "Key": "key"}
        self.passed(lambda: self.s3.copy_object(Bucket=self.bucket, Key="ünï c+%o", CopySource=source))
        self.passed(lambda: self.s3.delete_object(Bucket=self.bucket, Key="key"))
        listed = self.passed(lambda: self.s3.list_objects_v2(Bucket=self.bucket, Prefix="ünï c+"))
        self.assertEqual([entry["Key"] for entry in listed["Contents"]], ["ünï c+%o"])
        # The SDK does not even send an invalid request.
        self.refused("s3-metadata-size", "MetadataTooLarge", self.put(Body=content, Metadata={"a": "x" * 3000}))

    def test_a_connection_goes_on_after_a_refusal(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", shared_guard().port, timeout=30)
        headers = {"Authorization": SIGNED.format(self.account, "s3")}
        for method, expected in (("PUT", 400), ("PUT", 200), ("HEAD", 200), ("PUT", 400), ("GET", 200)):
            more = {"x-amz-meta-a": "x" * 3000} if expected == 400 else {}
            connection.request(
                method, f"/{self.bucket}/key", body=b"content" if method == "PUT" else None, headers={**headers, **more}
            )
            answer = connection.getresponse()
            content = answer.read()
            self.assertEqual(answer.status, expected, content)
        self.assertEqual(content, b"content")
        connection.close()
