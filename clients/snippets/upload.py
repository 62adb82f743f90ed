from messaging_api import Messaging

# snippet
import httpx

client = Messaging()
media = client.media.upload("/tmp/dot.png")
picture = httpx.get(media.url).content
print(media.id, media.file_size, len(picture))
