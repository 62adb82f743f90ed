"""A run: one vector's script, played on a port of its own, and the verdict."""

import asyncio
import copy
import json
import socket
import struct

from http1 import Request, read_request, response_bytes
from matching import problems_of

HOST = "127.0.0.1"
# How long the verdict waits for a request that the client has given up, and that may still be on its way, in seconds.
PATIENCE = 1.0
SENDS = ("POST /v1/chat/messages", "POST /v1/sms")
NOT_EXECUTED = (*range(400, 500), 503)
# Sending RST instead of FIN: lingering is on, for 0 seconds.
LINGER = struct.pack("ii", 1, 0)


class Run:
    """Plays a script. Steps are an exchange (`expect` and `respond`), a `wait`, or a connection to `refuse`."""

    def __init__(self, vector: dict) -> None:
        self.problems: list[str] = []
        self.requests: list[Request] = []
        self.messages: set[object] = set()
        self._at = 0
        self._listener: asyncio.Server | None = None
        self._connections: set[asyncio.StreamWriter] = set()
        self._ended = asyncio.Event()
        self._bound = _bound(0)
        self.port = self._bound.getsockname()[1]
        self.base_url = f"http://{HOST}:{self.port}"
        self.vector = json.loads(json.dumps(vector).replace("{base}", self.base_url))
        self._steps: list[dict] = copy.deepcopy(self.vector["script"])

    async def begin(self) -> None:
        await self._open_or_close()

    @property
    def _step(self) -> dict:
        return self._steps[self._at] if self._at < len(self._steps) else {}

    async def _open_or_close(self) -> None:
        """Listens, unless the next connection is to be refused: then the port belongs to this run, but nobody listens."""
        ahead = next((step for step in self._steps[self._at :] if "wait" not in step), {})
        if ahead.get("refuse") and self._listener:
            self._listener.close()
            self._listener, self._bound = None, _bound(self.port)
        elif not ahead.get("refuse") and not self._listener:
            self._listener = await asyncio.start_server(self._connection, sock=self._bound)

    async def waited(self, milliseconds: float) -> None:
        """Notes that the client waits before its next request. A refused connection leaves no other trace."""
        if self._step.get("refuse"):
            self._at += 1
        if "wait" in self._step:
            least, most = self._step["wait"]
            self._at += 1
            # Languages round differently.
            if not least - 1 <= milliseconds <= most + 1:
                self.problems.append(f"waited for {milliseconds} ms, but expected {least} to {most} ms")
        else:
            self.problems.append(f"waited for {milliseconds} ms, but expected {self._expected()}")
        await self._open_or_close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            while request := await read_request(reader):
                if not await self._exchange(request, writer):
                    break
        except ValueError as error:
            self.problems.append(f"a request could not be read: {error}")
        except (ConnectionError, asyncio.CancelledError):
            # The client has closed the connection, which it may, or the server ends.
            pass
        finally:
            self._connections.discard(writer)
            writer.close()

    async def _exchange(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Compares a request and responds. Returns whether the connection goes on."""
        step, earlier = self._step, list(self.requests)
        self.requests.append(request)
        if "expect" not in step:
            self.problems.append(f"{request.line} came, but expected {self._expected()}")
            # No library repeats it.
            step = {"respond": {"status": 400, "json": {"error": "The script expects no request here."}}}
        else:
            self._at += 1
            self.problems += problems_of(request, step["expect"], self.vector, earlier)
            self._count(request, step["respond"])
            await self._open_or_close()
        return await self._respond(step["respond"], request, writer)

    def _count(self, request: Request, respond: dict) -> None:
        """Counts messages as the service does: one for each key, unless the request is not executed."""
        if request.line in SENDS and respond.get("status") not in NOT_EXECUTED:
            self.messages.add(request.headers.get("idempotency-key", object()))

    async def _respond(self, respond: dict, request: Request, writer: asyncio.StreamWriter) -> bool:
        if respond.get("never"):
            await self._ended.wait()
            return False
        closes = self._listener is None or "breakAfter" in respond or request.headers.get("connection", "").lower() == "close"
        if "status" in respond:
            whole = response_bytes(respond, "gzip" in request.headers.get("accept-encoding", ""), closes and "breakAfter" not in respond)
            writer.write(whole[: respond.get("breakAfter")])
            await writer.drain()
        if respond.get("reset"):
            writer.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER)
            writer.transport.abort()
        return not (closes or respond.get("reset") or respond.get("close"))

    def _expected(self) -> str:
        if "wait" in self._step:
            return "a wait of {} to {} ms".format(*self._step["wait"])
        return json.dumps(self._step["expect"]) if "expect" in self._step else "a refused connection" if self._step else "nothing more"

    async def end(self) -> dict:
        """Ends the run, and returns the verdict."""
        loop = asyncio.get_running_loop()
        end = loop.time() + (PATIENCE if any("never" in step.get("respond", {}) for step in self._steps) else 0)
        while "expect" in self._step and loop.time() < end:
            await asyncio.sleep(0.01)
        if self._step and not all(step.get("refuse") for step in self._steps[self._at :]):
            self.problems.append(f"the script goes on: expected {self._expected()}")
        wanted = self.vector.get("messages", len(self.messages))
        if len(self.messages) != wanted:
            self.problems.append(f"{len(self.messages)} messages were sent, but expected {wanted}")
        self._close()
        return {"passed": not self.problems, "problems": self.problems, "requests": [each.shown() for each in self.requests]}

    def _close(self) -> None:
        self._ended.set()
        for writer in list(self._connections):
            writer.transport.abort()
        if self._listener:
            self._listener.close()
        else:
            self._bound.close()


def _bound(port: int) -> socket.socket:
    """Returns a socket with a port of its own. Until it listens, connections are refused."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind((HOST, port))
    return bound
