"""What can be uploaded, and how its bytes are sent."""

from __future__ import annotations

import io
import os
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Union

import anyio.to_thread

from ._errors import MessagingError
from ._progress import Progress

UploadSource = Union[bytes, bytearray, str, "os.PathLike[str]", IO[bytes]]
"""A file: its bytes, its path, or an open file or other stream."""

CHUNK = 64 * 1024
Report = Union[Callable[[Progress], object], None]


@dataclass(frozen=True)
class Content:
    """The content of a file. Bytes and files at a path can be read again."""

    source: UploadSource
    size: int
    name: str | None

    @property
    def is_repeatable(self) -> bool:
        return isinstance(self.source, (bytes, bytearray, str, os.PathLike))

    def chunks(self) -> Iterator[bytes]:
        left = self.size
        with self._opened() as file:
            while chunk := file.read(CHUNK):
                left -= len(chunk)
                if left < 0:
                    break
                yield chunk
        if left:
            relation = "more" if left < 0 else "less"
            raise MessagingError(f"The content has {relation} than {self.size} bytes. Set the exact size.")

    def _opened(self) -> AbstractContextManager[IO[bytes]]:
        if isinstance(self.source, (bytes, bytearray)):
            return io.BytesIO(self.source)
        # An open file remains open: it is the caller's.
        return Path(self.source).open("rb") if isinstance(self.source, (str, os.PathLike)) else nullcontext(self.source)


class Body:
    """A body of known length that reports how much of it was taken, without a form that may be around it."""

    def __init__(
        self, chunks: Iterator[bytes], total: int, report: Report, head: bytes = b"", tail: bytes = b""
    ) -> None:
        self.size = len(head) + total + len(tail)
        self._chunks, self._total, self._report, self._head, self._tail = chunks, total, report, head, tail

    def __iter__(self) -> Iterator[bytes]:
        loaded = 0
        if self._head:
            yield self._head
        for chunk in self._chunks:
            yield chunk
            loaded += len(chunk)
            if self._report:
                self._report(Progress(loaded, self._total))
        if self._tail:
            yield self._tail

    async def in_thread(self) -> AsyncIterator[bytes]:
        """Iterates over the chunks while other tasks go on."""
        chunks = iter(self)
        while (chunk := await anyio.to_thread.run_sync(next, chunks, None)) is not None:
            yield chunk


def content_of(source: UploadSource, size: int | None) -> Content:
    """Returns the content of a source. A stream that cannot tell its size needs it."""
    if isinstance(source, (bytes, bytearray)):
        return Content(bytes(source), len(source), None)
    if isinstance(source, (str, os.PathLike)):
        return Content(source, Path(source).stat().st_size, Path(source).name)
    if size is None:
        size = _size_of(source)
    name = getattr(source, "name", None)
    return Content(source, size, Path(name).name if isinstance(name, str) else None)


def _size_of(stream: IO[bytes]) -> int:
    try:
        here = stream.tell()
        size = stream.seek(0, os.SEEK_END) - here
        stream.seek(here)
        return size
    except (AttributeError, OSError, ValueError):
        raise MessagingError("A stream needs its size in bytes: set size.") from None


_TYPES = {
    "jpg": "image/jpeg", "jpeg": "image/jpeg", "png": "image/png", "webp": "image/webp", "mp4": "video/mp4",
    "3gp": "video/3gpp", "aac": "audio/aac", "amr": "audio/amr", "mp3": "audio/mpeg", "m4a": "audio/mp4",
    "ogg": "audio/ogg", "pdf": "application/pdf", "txt": "text/plain", "doc": "application/msword",
    "xls": "application/vnd.ms-excel", "ppt": "application/vnd.ms-powerpoint",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
}


def type_of(name: str) -> str:
    """Returns the type that the ending of a name says."""
    if known := _TYPES.get(name.rpartition(".")[2].lower()):
        return known
    raise MessagingError(f"The type of {name} is not known. Set mime_type.")
