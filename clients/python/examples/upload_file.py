"""Uploads a file, prints how far it is, and reads it again: python upload_file.py photo.png"""

import sys

import httpx

from messaging_api import Messaging, Progress


def show(progress: Progress) -> None:
    print(f"{progress.loaded} of {progress.total} bytes")


client = Messaging()
path = sys.argv[1] if len(sys.argv) > 1 else "photo.png"
media = client.media.upload(path, on_progress=show)
response = httpx.get(media.url)
print(media.id, media.file_size, len(response.content))
