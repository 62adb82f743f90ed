import { Messaging } from "@messaging-api/client";

const admin = new Messaging({ apiKey: process.env.ADMIN_KEY });
// snippet
const webhook = await admin.organization.apps.webhooks.create(
  process.env.APP_ID!,
  { url: "https://example.com/hooks", events: ["messages.chat.received"], headers: { "X-Team": "blue" } },
  { idempotencyKey: "tour-1" },
);
console.log(webhook.id, webhook.secret);
