"""Tests of the rules of API Gateway and Lambda: for each, a request that is refused and one just within the limit."""

import http.client
import http.server
import json
import socket
import threading
import time

from . import Guard
from .testing import KIB, GuardTest


class Function(http.server.BaseHTTPRequestHandler):
    """A stand-in for the emulator and a function: the request sets the size, type and delay of the response."""

    protocol_version = "HTTP/1.1"

    def answer(self) -> None:
        self.server.received.append(len(self.body()))
        time.sleep(float(self.headers.get("X-Seconds", "0")))
        content = self.headers.get("X-Byte", "x").encode() * int(self.headers.get("X-Size", "2"))
        self.send_response(200)
        self.send_header("Content-Type", self.headers.get("X-Type", "text/plain"))
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        try:
            self.wfile.write(content)
        except OSError:
            self.close_connection = True

    do_GET = do_POST = answer

    def body(self) -> bytes:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers.get("Content-Length", "0")))
        parts = []
        while size := int(self.rfile.readline(), 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def log_message(self, *_: object) -> None:
        pass


class GatewayRules(GuardTest):
    PATH = "/_aws/execute-api/0a51a51a/v1/things"
    MIB = KIB * KIB
    # The size of an event or a response without the body.
    FRAME = 2 * KIB

    def setUp(self) -> None:
        super().setUp()
        self.function = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Function)
        self.function.daemon_threads = True
        self.function.received = []
        threading.Thread(target=self.function.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        self.between = Guard(f"http://127.0.0.1:{self.function.server_address[1]}", gateway_seconds=2).start()
        self.connection = http.client.HTTPConnection("127.0.0.1", self.between.port, timeout=60)
        self.addCleanup(self.function.server_close)
        self.addCleanup(self.function.shutdown)
        self.addCleanup(self.between.stop)
        self.addCleanup(self.connection.close)

    def guard(self) -> Guard:
        return self.between

    def ask(
        self, body: bytes | list[bytes] | None = None, path: str = PATH, **headers: str
    ) -> tuple[int, dict[str, str], bytes]:
        """Header names with `_` for `-`. A list is sent in chunks."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        is_list = isinstance(body, list)
        self.connection.request("POST", path, iter(body) if is_list else body, named, encode_chunked=is_list)
        return self.answer(self.connection.getresponse())

    def answer(self, answer: http.client.HTTPResponse) -> tuple[int, dict[str, str], bytes]:
        return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def sent(self, data: bytes) -> tuple[int, dict[str, str], bytes]:
        """Sends a request byte for byte, and nothing after it."""
        with socket.create_connection(("127.0.0.1", self.between.port), timeout=30) as connection:
            connection.sendall(data)
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            return self.answer(answer)

    def says(self, rule: str, status: int, message: str, call, reached: bool = False) -> None:
        before = len(self.function.received)
        (given, headers, body), broken = self.observe(call)
        self.assertEqual(
            (given, body, broken), (status, json.dumps({"message": message}, separators=(",", ":")).encode(), {rule: 1})
        )
        self.assertEqual(headers["content-type"], "application/json")
        self.assertRegex(headers["apigw-requestid"], r"^[\w+/]{15}=$")
        self.assertEqual(len(self.function.received) - before, reached)

    def passes(self, call) -> None:
        (status, _, body), broken = self.observe(call)
        self.assertEqual((status, broken), (200, {}), body[:200])

    def test_gateway_payload(self) -> None:
        too_large = lambda call: self.says("gateway-payload", 413, "Request Entity Too Large", call)  # noqa: E731
        # A body that is too large for an event was read completely.
        fits = lambda call: self.says("gateway-event", 500, "Internal Server Error", call)  # noqa: E731
        most = 10 * self.MIB
        head = f"POST {self.PATH} HTTP/1.1\r\nHost: a\r\n".encode()
        # Refused before any of the body arrives.
        too_large(lambda: self.sent(head + b"Content-Length: %d\r\n\r\n" % (most + 1)))
        too_large(lambda: self.sent(head + b"Expect: 100-continue\r\nContent-Length: %d\r\n\r\n" % (most + 1)))
        # Refused before the end of the body arrives.
        too_large(
            lambda: self.sent(head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % (most + 2) + b"x" * (most + 1))
        )
        too_large(lambda: self.ask(b"x" * (most + 1)))
        too_large(lambda: self.ask([b"x" * self.MIB] * 10 + [b"x"]))
        fits(lambda: self.ask(b"x" * most))
        fits(lambda: self.ask([b"x" * self.MIB] * 10))

    def test_gateway_event(self) -> None:
        too_large = lambda *given, **more: self.says(
            "gateway-event", 500, "Internal Server Error", lambda: self.ask(*given, **more)
        )  # noqa: E731
        fits = lambda *given, **more: self.passes(lambda: self.ask(*given, **more))  # noqa: E731
        text, binary = 6 * self.MIB, 6 * self.MIB // 4 * 3
        for kind in (
            "application/json",
            "application/problem+json; charset=utf-8",
            "Text/Plain",
            "application/xml",
            "image/svg+xml",
        ):
            too_large(b"x" * text, Content_Type=kind)
            fits(b"x" * (text - self.FRAME), Content_Type=kind)
        # JSON escapes each quote, which doubles the size.
        too_large(b'"' * (text // 2), Content_Type="application/json")
        fits(b'"' * (text // 2 - self.FRAME), Content_Type="application/json")
        for kind in (
            "multipart/form-data; boundary=x",
            "application/x-www-form-urlencoded",
            "application/octet-stream",
            "",
        ):
            too_large(b"x" * binary, Content_Type=kind)
            fits(b"x" * (binary - self.FRAME), Content_Type=kind)
        too_large(b"x" * binary)
        too_large([b"x" * (binary // 2)] * 2, Content_Type="image/png")
        fits([b"x" * (binary // 2 - self.FRAME)] * 2, Content_Type="image/png")
        too_large(b"x" * (text - self.FRAME), Content_Type="application/json", X_Long="x" * self.FRAME)
        too_large(b"x" * (text - self.FRAME), f"{self.PATH}?x={'y' * self.FRAME}", Content_Type="application/json")
        too_large(b"x" * (text - self.FRAME), f"{self.PATH}/{'y' * self.FRAME}", Content_Type="application/json")

    def test_gateway_headers(self) -> None:
        def get(more: int, path: str = self.PATH, host: str = "a") -> tuple[int, dict[str, str], bytes]:
            return self.sent(
                f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nX-Name: {'x' * more}\r\n\r\n".encode()
            )

        too_large = lambda *given: self.says(
            "gateway-headers", 431, "Request Header Fields Too Large", lambda: get(*given)
        )  # noqa: E731
        most = 10_240 - len("GET /v1/things HTTP/1.1") - len("a") - len("close")
        too_large(most + 1)
        self.passes(lambda: get(most))
        too_large(1, self.PATH + "?" + "y" * (most - 1))
        self.passes(lambda: get(1, self.PATH + "?" + "y" * (most - 2)))
        host = "0a51a51a.execute-api.localhost:4566"
        too_large(most + 2 - len(host), "/v1/things", host)
        self.passes(lambda: get(most + 1 - len(host), "/v1/things", host))
        # The body of a request that is refused for its headers is not taken for the next request.
        self.says(
            "gateway-headers",
            431,
            "Request Header Fields Too Large",
            lambda: self.ask(b"GET / HTTP/1.1\r\n\r\n", X_Long="x" * 10_240),
        )
        self.passes(self.ask)

    def test_gateway_timeout(self) -> None:
        self.passes(self.ask)
        late = lambda: self.ask(b"body", X_Seconds="4")  # noqa: E731
        self.says("gateway-timeout", 503, "Service Unavailable", late, reached=True)
        # The late response is not sent to anyone.
        self.passes(lambda: self.ask(X_Seconds="1"))
        self.assertEqual(self.ask(X_Size="5")[2], b"xxxxx")
        self.passes(lambda: self.ask(path="/elsewhere", X_Seconds="3"))

    def test_lambda_response(self) -> None:
        too_large = lambda **given: self.says(
            "lambda-response", 500, "Internal Server Error", lambda: self.ask(**given), reached=True
        )  # noqa: E731
        fits = lambda **given: self.passes(lambda: self.ask(**given))  # noqa: E731
        text, binary = 6 * self.MIB, 6 * self.MIB // 4 * 3
        too_large(X_Size=str(text), X_Type="text/html; charset=utf-8")
        fits(X_Size=str(text - self.FRAME), X_Type="text/html; charset=utf-8")
        too_large(X_Size=str(text // 2), X_Byte='"', X_Type="application/json")
        fits(X_Size=str(text // 2 - self.FRAME), X_Byte='"', X_Type="application/json")
        too_large(X_Size=str(binary), X_Type="image/png")
        fits(X_Size=str(binary - self.FRAME), X_Type="image/png")

    def test_a_body_is_asked_for_where_the_client_waits_for_that(self) -> None:
        head = f"POST {self.PATH} HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\nExpect: 100-continue\r\n\r\n".encode()
        with socket.create_connection(("127.0.0.1", self.between.port), timeout=30) as connection:
            connection.sendall(head)
            self.assertEqual(connection.recv(100), b"HTTP/1.1 100 Continue\r\n\r\n")
            connection.sendall(b"body")
            answer = http.client.HTTPResponse(connection)
            answer.begin()
            self.assertEqual((answer.status, answer.read()), (200, b"xx"))
        self.assertEqual(self.function.received, [4])

    def test_what_was_asked_for_is_listed(self) -> None:
        self.ask(b"x" * (5 * self.MIB), f"{self.PATH}?token=secret")
        (listed,) = self.between.refusals()
        self.assertEqual(
            (listed["rule"], listed["operation"], listed["first"]),
            ("gateway-event", "POST /v1/things", "Internal Server Error"),
        )

    def test_only_the_gateway_has_these_limits(self) -> None:
        self.passes(lambda: self.ask(b"x" * (10 * self.MIB + 1), "/bucket/key", X_Long="x" * 10_240))
