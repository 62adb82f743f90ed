"""Receives events with Flask: WEBHOOK_SECRET=whsec_... flask --app flask_app run --port 3000"""

import os

from flask import Flask, request
from messaging_api import WebhookVerificationError, webhooks

# The signing secret of the webhook. While it is being replaced: both, separated by a space.
secrets = os.environ["WEBHOOK_SECRET"].split()
app = Flask(__name__)


@app.post("/webhooks")
def receive() -> tuple[str, int]:
    try:
        # The bytes that came, not `request.json`: a body that was parsed cannot be verified.
        event = webhooks.verify(request.get_data(), request.headers, secrets)
    except WebhookVerificationError as error:
        return str(error), 400
    if event.type == "messages.chat.received":
        print("Received:", event.data.text_body, flush=True)
    return "", 204
