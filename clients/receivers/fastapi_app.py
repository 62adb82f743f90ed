"""Receives events with FastAPI: WEBHOOK_SECRET=whsec_... uvicorn fastapi_app:app --port 3000"""

import os

from fastapi import FastAPI, HTTPException, Request
from messaging_api import WebhookVerificationError, webhooks

# The signing secret of the webhook. While it is being replaced: both, separated by a space.
secrets = os.environ["WEBHOOK_SECRET"].split()
app = FastAPI()


@app.post("/webhooks", status_code=204)
async def receive(request: Request) -> None:
    try:
        # The bytes that came, not `request.json()`: a body that was parsed cannot be verified.
        event = webhooks.verify(await request.body(), request.headers, secrets)
    except WebhookVerificationError as error:
        raise HTTPException(400, str(error)) from error
    if event.type == "messages.chat.received":
        print("Received:", event.data.text_body, flush=True)
