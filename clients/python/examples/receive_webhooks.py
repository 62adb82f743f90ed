"""Receives an event: starts a server, creates a webhook for it, and has a test event sent.

An installation on AWS reaches only public addresses; the local stack reaches this one.
"""

from http.server import BaseHTTPRequestHandler, HTTPServer
from queue import Queue
from threading import Thread

from messaging_api import Event, Messaging, WebhookVerificationError, webhooks

secrets: list[str] = []
events: Queue[Event] = Queue()


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        try:
            events.put(webhooks.verify(body, self.headers, secrets))
            self.send_response(204)
        except WebhookVerificationError:
            self.send_response(400)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


client = Messaging()
server = HTTPServer(("127.0.0.1", 0), Receiver)
Thread(target=server.serve_forever).start()
try:
    webhook = client.webhooks.create(url=f"http://127.0.0.1:{server.server_port}/", events=["messages.chat.received"])
    secrets.append(webhook.secret)
    client.webhooks.test(webhook.id)
    event = events.get(timeout=60)
    if event.type == "messages.chat.received":
        print(event.type, event.data.text_body)
    client.webhooks.delete(webhook.id)
finally:
    server.shutdown()
    server.server_close()
