// Sends a WhatsApp message and an SMS in test mode, and waits until they have arrived.
//
// MESSAGING_API_KEY is the key of a test app, and MESSAGING_BASE_URL the address of the installation.

import { Messaging, MessagingError } from "@messaging-api/client";

const client = new Messaging();
const to = "+12025550123";

for await (const number of client.phoneNumbers.list()) {
  if (number.kind === "chat") {
    const sent = await client.chat.messages.send({ from: number.id, to, type: "text", text: { body: "Hello!" } });
    const message = await client.chat.messages.waitFor(sent.id, { status: "READ" });
    console.log("WhatsApp:", message.outcome, message.recipients[0]?.status);
  } else {
    const sent = await client.sms.send({ from: number.id, to, text: "Hello!" });
    const message = await client.sms.waitFor(sent.id, { status: "DELIVERED" });
    console.log("SMS:", message.outcome, message.status);
  }
}

try {
  await client.sms.send({ from: "+12025550100", to: "12025550123", text: "Hello!" });
} catch (error) {
  if (!(error instanceof MessagingError)) throw error;
  console.log(error.name, error.code, error.param, error.requestId);
}
