import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = process.env.FROM!;
// snippet
import { InvalidRequestError, ProviderError } from "@messaging-api/client";

try {
  await client.chat.messages.send({ from, to: "+99910131026", type: "text", text: { body: "Hello!" } });
} catch (error) {
  if (error instanceof ProviderError) console.log("WhatsApp:", error.provider?.code, error.message);
  else if (error instanceof InvalidRequestError) console.log("A mistake in:", error.param, error.message);
  else throw error;
}
