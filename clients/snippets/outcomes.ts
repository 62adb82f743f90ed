import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = process.env.FROM!;
// snippet
const sent = await client.chat.messages.send({ from, to: "+99930006", type: "text", text: { body: "Hello!" } });
console.log(sent.outcome);
if (sent.outcome === "UNKNOWN") {
  const known = await client.chat.messages.waitFor(sent.id, { outcome: "ACCEPTED" }, { patience: 120_000 });
  console.log(known.outcome);
}
