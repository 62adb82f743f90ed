// Receives events with Express: WEBHOOK_SECRET=whsec_... PORT=3000 node express.ts

import express from "express";
import { WebhookVerificationError, webhooks } from "@messaging-api/client";

// The signing secret of the webhook. While it is being replaced: both, separated by a space.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(" ");
const app = express();

// `raw` keeps the bytes that came. Once `express.json()` has parsed them, they cannot be verified.
app.post("/webhooks", express.raw({ type: "*/*", limit: "1mb" }), async (request, response) => {
  try {
    const event = await webhooks.verify(request.body, request.headers, secrets);
    if (event.type === "messages.chat.received") console.log("Received:", event.data.textBody);
    response.status(204).end();
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    response.status(400).send(error.message);
  }
});

app.listen(Number(process.env.PORT ?? 3000));
