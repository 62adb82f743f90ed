"""Tests that the guard forwards requests and responses unchanged, over many connections."""

import asyncio
import concurrent.futures
import contextlib
import http.client
import os
import socket
import socketserver
import threading
import unittest
import urllib.request

from aiohttp import ClientSession, WSMsgType, web

from . import Guard, allow_connections
from .testing import TABLE, GuardTest, accounts, client, create_table, exchange, key, shared_guard


class Recorder:
    """A stand-in for the emulator: keeps the bytes received, and responds when one of the `ends` arrives."""

    def __init__(self, *answers: bytes, ends: tuple[bytes, ...] = (b"\r\n\r\n",), hangs_up: bool = False):
        self.received = b""
        self.connections = 0
        recorder, answers = self, list(answers)

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                recorder.connections += 1
                while data := self.request.recv(65536):
                    recorder.received += data
                    if recorder.received.endswith(ends):
                        answer = answers.pop(0)
                        self.request.sendall(answer)
                        if hangs_up:
                            return

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Echo:
    """A stand-in for the emulator: a WebSocket that echoes messages, and closes on "bye"."""

    def __enter__(self) -> "Echo":
        self.loop = asyncio.new_event_loop()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        asyncio.run_coroutine_threadsafe(self.serve(), self.loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self.runner.cleanup(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()

    async def serve(self) -> None:
        self.runner = web.ServerRunner(web.Server(self.echo))
        await self.runner.setup()
        await web.TCPSite(self.runner, "127.0.0.1", 0).start()
        self.url = f"http://127.0.0.1:{self.runner.addresses[0][1]}"

    async def echo(self, request: web.BaseRequest) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(protocols=["chosen"])
        await socket.prepare(request)
        async for message in socket:
            if message.data == "bye":
                await socket.close(code=4001)
            elif message.type is WSMsgType.TEXT:
                await socket.send_str(message.data)
            else:
                await socket.send_bytes(message.data)
        return socket


async def exchange_messages(url: str) -> tuple[str | None, list[str | bytes], int | None]:
    async with ClientSession() as session, session.ws_connect(url, protocols=["other", "chosen"]) as socket:
        await socket.send_str("text")
        await socket.send_bytes(b"bytes")
        heard = [(await socket.receive()).data for _ in range(2)]
        await socket.send_str("bye")
        await socket.receive()
        return socket.protocol, heard, socket.close_code


class Connections(GuardTest):
    def test_a_kept_connection_works_beyond_a_thousand_others(self) -> None:
        allow_connections()
        with contextlib.ExitStack() as others:
            for _ in range(1100):
                others.enter_context(open(os.devnull))
            dynamodb = self.client("dynamodb")
            for _ in range(3):
                self.assertEqual(dynamodb.list_tables()["TableNames"], [])


class Message:
    """Parses a request or a response into the parts that a proxy must not change, and the body without framing."""

    def __init__(self, raw: bytes):
        head, _, body = raw.partition(b"\r\n\r\n")
        self.start, *lines = head.split(b"\r\n")
        headers = [tuple(part.strip() for part in line.split(b":", 1)) for line in lines]
        named = {name.lower(): value for name, value in headers}
        self.is_chunked = named.get(b"transfer-encoding") == b"chunked"
        self.is_last = named.get(b"connection") == b"close"
        framing = (b"connection", b"content-length", b"transfer-encoding")
        # A second header of the same name may get the capitals of the first.
        self.names = {name for name, _ in headers if name.lower() not in framing}
        self.headers = [(name.lower(), value) for name, value in headers if name.lower() not in framing]
        self.body = unchunked(body) if self.is_chunked and body else body


def unchunked(raw: bytes) -> bytes:
    size, _, rest = raw.partition(b"\r\n")
    length = int(size.partition(b";")[0], 16)
    return rest[:length] + unchunked(rest[length + 2 :]) if length else b""


class Passing(unittest.TestCase):
    def carried(self, sent: bytes, answer: bytes) -> None:
        """Checks start line, headers in their order, and body in both directions."""
        ends = (b"END", b"0\r\n\r\n") if b"END" in sent or b"chunked" in sent else (b"\r\n\r\n",)
        ends += (Message(sent).body,) if Message(sent).body else ()
        with Recorder(answer, ends=ends, hangs_up=True) as recorder, Guard(recorder.url) as between:
            got, wanted = Message(exchange(between.port, sent)), Message(answer)
            received, given = Message(recorder.received), Message(sent)
            self.assertEqual(received.start, given.start)
            # aiohttp puts Host first.
            self.assertEqual(sorted(received.headers), sorted(given.headers))
            without_host = [header for header in received.headers if header[0] != b"host"]
            self.assertEqual(without_host, [header for header in given.headers if header[0] != b"host"])
            self.assertLessEqual(received.names, given.names)
            self.assertEqual((received.body, received.is_chunked), (given.body, given.is_chunked))
            self.assertEqual((got.start, got.headers, got.names), (wanted.start, wanted.headers, wanted.names))
            self.assertEqual((got.body, got.is_last), (wanted.body, True))

    def test_requests_and_answers_are_not_touched(self) -> None:
        host = b"Host: a.b:1\r\n"
        strange = b"X-oDD:   spaced \r\nx-twice: 1\r\nX-Twice: 2\r\nX-Utf: \xc3\xa9\r\n" + host
        closing = b"Connection: close\r\n"
        spaced = b'{ "a" : "\\u00e9" }\n'
        answer = b"HTTP/1.1 200 Fine Thing\r\nX-oDD:  a \r\nSet-Cookie: a\r\nset-cookie: b\r\n" + closing
        chunked = b"Transfer-Encoding: chunked\r\n"
        api = b"/_aws/execute-api/0a51a51a"
        cases = [
            (
                b"GET /a%2fb//c?x=%20+&y&X=;z HTTP/1.1\r\n" + strange + closing + b"\r\n",
                answer + b"Content-Length: 3\r\n\r\nabc",
            ),
            (
                b'GET /a/../%2E%2e/"<>|{}? HTTP/1.1\r\n' + host + closing + b"\r\n",
                answer + b"Content-Length: 0\r\n\r\n",
            ),
            (b"GET / HTTP/1.1\r\n" + strange + closing + b"\r\n", answer + b"\r\nto the end"),
            (b"HEAD / HTTP/1.1\r\n" + host + closing + b"\r\n", answer + b"Content-Length: 1000\r\n\r\n"),
            (b"DELETE / HTTP/1.1\r\n" + host + closing + b"\r\n", b"HTTP/1.1 204 No Content\r\n" + closing + b"\r\n"),
            (
                b"PUT /b/k HTTP/1.1\r\n" + host + closing + chunked + b"\r\n3;x=y\r\nabc\r\n0\r\n\r\n",
                answer + chunked + b"\r\n3\r\nabc\r\n0\r\n\r\n",
            ),
            (
                b"POST "
                + api
                + b"/v1/a%2fb?x=;z HTTP/1.1\r\n"
                + strange
                + closing
                + b"Content-Length: 6\r\n\r\nabcEND",
                answer + chunked + b"\r\n3\r\nabc\r\n0\r\n\r\n",
            ),
            (
                b"PUT " + api + b" HTTP/1.1\r\n" + host + closing + chunked + b"\r\n3;x=y\r\nabc\r\n0\r\n\r\n",
                answer + b"\r\nto the end",
            ),
            (b"HEAD " + api + b"/ HTTP/1.1\r\n" + host + closing + b"\r\n", answer + chunked + b"\r\n"),
            (
                b"POST /_aws/x HTTP/1.1\r\n" + host + closing + b"Content-Length: 6\r\n\r\nabcEND",
                answer + b"Content-Length: 0\r\n\r\n",
            ),
            (
                b"POST / HTTP/1.1\r\n"
                + host
                + b"x-amz-TARGET: DynamoDB_20120810.ListTables\r\n"
                + closing
                + b"Content-Length: %d\r\n\r\n" % len(spaced)
                + spaced,
                answer + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
            ),
        ]
        for sent, answer in cases:
            with self.subTest(sent):
                self.carried(sent, answer)

    def test_what_is_not_http_is_refused_as_by_the_gateway(self) -> None:
        with Guard("http://127.0.0.1:1") as between:
            for target, header in (
                (b"/a b", b"Host: a"),
                (b"/\xff", b"Host: a"),
                (b"a", b"Host: a"),
                (b"/", b"X: \x01"),
                (b"/", b"No-Host: a"),
            ):
                with self.subTest((target, header)):
                    got = Message(exchange(between.port, b"GET " + target + b" HTTP/1.1\r\n" + header + b"\r\n\r\n"))
                    self.assertTrue(got.start.startswith(b"HTTP/1.1 400 "), got.start)
                    self.assertEqual(got.body, b'{"message":"Bad Request"}')

    def test_both_sides_keep_their_connection(self) -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        with Recorder(answer, answer) as recorder, Guard(recorder.url) as between:
            connection = http.client.HTTPConnection("127.0.0.1", between.port)
            for _ in range(2):
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().read(), b"ok")
            self.assertEqual(recorder.connections, 1)
            connection.close()

    def test_a_connection_that_the_emulator_has_closed_is_opened_again(self) -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        with Recorder(answer, answer, hangs_up=True) as recorder, Guard(recorder.url) as between:
            connection = http.client.HTTPConnection("127.0.0.1", between.port)
            for _ in range(2):
                connection.request("GET", "/")
                self.assertEqual(connection.getresponse().read(), b"ok")
            self.assertEqual(recorder.connections, 2)
            connection.close()

    def test_an_emulator_that_is_gone_is_a_connection_that_ends(self) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        with Guard(f"http://127.0.0.1:{port}") as between:
            self.assertEqual(exchange(between.port, b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"), b"")

    def test_after_a_change_of_protocol_messages_go_both_ways(self) -> None:
        with Echo() as echo, Guard(echo.url) as between:
            self.assertEqual(asyncio.run(exchange_messages(between.url)), ("chosen", ["text", b"bytes"], 4001))

    def test_other_protocols_are_not_offered(self) -> None:
        hello = b"GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: upgrade, close\r\n\r\n"
        with Recorder(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") as recorder, Guard(recorder.url) as between:
            self.assertEqual(Message(exchange(between.port, hello)).body, b"ok")
            self.assertNotIn(b"pgrade", recorder.received)

    def test_other_services_go_through(self) -> None:
        account = str(next(accounts))
        self.assertEqual(client("lambda", account, shared_guard().url).list_functions()["Functions"], [])
        self.assertEqual(client("apigatewayv2", account, shared_guard().url).get_apis()["Items"], [])
        self.assertEqual(client("sts", account, shared_guard().url).get_caller_identity()["Account"], account)
        with urllib.request.urlopen(f"{shared_guard().url}/_ministack/health") as answer:
            self.assertEqual(answer.status, 200)

    def test_many_at_once(self) -> None:
        account = str(next(accounts))
        shared = client("dynamodb", account, shared_guard(stale_reads=True).url)
        create_table(shared)

        def work(number: int) -> None:
            own = client("dynamodb", account, shared_guard(stale_reads=True).url)
            for step in range(20):
                item = {**key(str(number)), "step": {"N": str(step)}}
                own.put_item(TableName=TABLE, Item=item)
                own.get_item(TableName=TABLE, Key=key(str(number)))
                read = own.get_item(TableName=TABLE, Key=key(str(number)), ConsistentRead=True)
                self.assertEqual(read["Item"], item)

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            list(pool.map(work, range(32)))
