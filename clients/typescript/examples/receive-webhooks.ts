// Receives an event: starts a server, creates a webhook for it, and has a test event sent. An installation on AWS reaches only
// public addresses; the local stack reaches this one.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Messaging, WebhookVerificationError, webhooks, type Event } from "@messaging-api/client";

const client = new Messaging();
let secret = "";

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = await webhooks.verify(Buffer.concat(chunks), request.headers, secret);
    response.writeHead(204).end();
    server.emit("event", event);
  } catch (error) {
    response.writeHead(error instanceof WebhookVerificationError ? 400 : 500).end();
  }
});
await once(server.listen(0, "127.0.0.1"), "listening");

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
const webhook = await client.webhooks.create({ url, events: ["messages.chat.received"] });
secret = webhook.secret;
const received = once(server, "event");
await client.webhooks.test(webhook.id);
const [event] = (await received) as [Event];
if (event.type === "messages.chat.received") console.log(event.type, event.data.textBody);
await client.webhooks.delete(webhook.id);
server.close();
server.closeAllConnections();
