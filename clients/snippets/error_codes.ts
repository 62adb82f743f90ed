import { Messaging } from "@messaging-api/client";

const client = new Messaging();
const from = process.env.FROM!;
// snippet
import { MessagingError } from "@messaging-api/client";

const codes = new Set<string | undefined>();
for (const { code } of (await client.errors.list()).data) {
  const options = { headers: { "Playground-Error": code }, maxRetries: 0 };
  try {
    await client.chat.messages.send({ from, to: "+12025550123", type: "text", text: { body: "Hello" } }, options);
  } catch (error) {
    if (!(error instanceof MessagingError)) throw error;
    codes.add(error.code);
  }
}
console.log(codes.size, "codes");
