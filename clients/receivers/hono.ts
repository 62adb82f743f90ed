// Receives events with Hono on Node.js: WEBHOOK_SECRET=whsec_... PORT=3000 node hono.ts

import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { WebhookVerificationError, webhooks } from "@messaging-api/client";

// The signing secret of the webhook. While it is being replaced: both, separated by a space.
const secrets = (process.env.WEBHOOK_SECRET ?? "").split(" ");
const app = new Hono();

app.post("/webhooks", async (context) => {
  try {
    const event = await webhooks.verify(await context.req.arrayBuffer(), context.req.raw.headers, secrets);
    if (event.type === "messages.chat.received") console.log("Received:", event.data.textBody);
    return context.body(null, 204);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return context.text(error.message, 400);
  }
});

serve({ fetch: app.fetch, port: Number(process.env.PORT ?? 3000) });
