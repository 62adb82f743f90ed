"""The server of the vectors: gives them to runners, plays their scripts, and judges.

Usage: python3 -B clients/conformance/server.py [PORT]

Prints its address, and ends when standard input is closed. README.md describes its operations.
"""

import asyncio
import json
import os
import sys
import threading
from urllib.parse import parse_qsl

from http1 import Request, read_request, response_bytes
from run import HOST, Run
from vectors import expand, for_runners, load_all

Answer = tuple[int, object]


class Control:
    """The operations of runners."""

    def __init__(self) -> None:
        self._vectors = load_all()
        self._runs: dict[int, Run] = {}
        self._count = 0

    async def connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while request := await read_request(reader):
                status, body = await self._answer(request)
                writer.write(response_bytes({"status": status, "json": body}))
                await writer.drain()
        except (ConnectionError, asyncio.CancelledError):
            # The runner has closed the connection, or the server ends.
            pass
        finally:
            writer.close()

    async def _answer(self, request: Request) -> Answer:
        path, _, query = request.target.partition("?")
        segments = [request.method, *path.strip("/").split("/")]
        try:
            match segments:
                case ["GET", "vectors"]:
                    return 200, self._list(dict(parse_qsl(query)))
                case ["POST", "runs"]:
                    return 201, await self._begin(json.loads(request.body))
                case ["POST", "runs", run, "waits"]:
                    await self._runs[int(run)].waited(json.loads(request.body)["milliseconds"])
                    return 200, {}
                case ["DELETE", "runs", run]:
                    return 200, await self._runs.pop(int(run)).end()
        except (KeyError, ValueError) as error:
            return 400, {"error": f"{request.line}: {error!r}"}
        return 404, {"error": f"{request.line} is not an operation. See README.md."}

    def _list(self, filters: dict[str, str]) -> list[dict]:
        chosen = [each for each in self._vectors.values() if all(each.get(name) == value for name, value in filters.items())]
        return [for_runners(vector) for vector in chosen]

    async def _begin(self, wanted: dict) -> dict:
        """Begins a run of a vector: one of the files, or one that is not in any."""
        if "vector" in wanted:
            (vector,) = expand(wanted["vector"], "none", {})
        else:
            vector = self._vectors[wanted["name"]]
        self._count += 1
        number, run = self._count, Run(vector)
        self._runs[number] = run
        await run.begin()
        return {"run": number, "baseUrl": run.base_url, "vector": for_runners(run.vector)}


async def serve(port: int = 0) -> asyncio.Server:
    return await asyncio.start_server(Control().connection, HOST, port)


async def main() -> None:
    server = await serve(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    address = server.sockets[0].getsockname()
    print(f"http://{address[0]}:{address[1]}", flush=True)
    closed, loop = asyncio.Event(), asyncio.get_running_loop()

    def watch() -> None:
        """A runner that ends, however it ends, takes the server with it."""
        while os.read(0, 1024):
            pass
        loop.call_soon_threadsafe(closed.set)

    threading.Thread(target=watch, daemon=True).start()
    await closed.wait()


if __name__ == "__main__":
    asyncio.run(main())
