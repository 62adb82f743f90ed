// Sends a chat message and an SMS and finds them in lists, with the client that @hey-api/openapi-ts generated.
import assert from "node:assert/strict";
import { chatMessagesList, chatMessagesSend, phoneNumbersList, smsList, smsSend, type AppNumber } from "./hey";
import { client } from "./hey/client.gen";

const to = "+12025550143";
const clientReference = "openapi-ts";
client.setConfig({ auth: process.env.TEST_APP_KEY, baseUrl: process.env.BASE_URL });

async function numbersOfTheApp(): Promise<AppNumber[]> {
  const numbers: AppNumber[] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: 1, cursor: cursor ?? undefined };
    const { data: page } = await phoneNumbersList({ query, throwOnError: true });
    assert.ok(page.data.length <= 1);
    numbers.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor);
  return numbers;
}

const numbers = await numbersOfTheApp();
const chatNumber = numbers.find((number) => number.kind === "chat");
const smsNumber = numbers.find((number) => number.kind === "sms");
assert.ok(chatNumber && smsNumber);
// The types of the two kinds have different fields.
assert.match(chatNumber.displayPhoneNumber, /^\+/);
assert.match(smsNumber.number, /^\+/);

const chat = await chatMessagesSend({
  body: { from: chatNumber.id, to, type: "text", text: { body: "Hello" }, clientReference },
  throwOnError: true,
});
assert.equal(chat.response.status, 201);
assert.equal(chat.data.outcome, "ACCEPTED");
assert.equal(chat.data.textBody, "Hello");

const sms = await smsSend({ body: { from: smsNumber.id, to, text: "Hello", clientReference }, throwOnError: true });
assert.equal(sms.response.status, 201);
assert.equal(sms.data.outcome, "ACCEPTED");
assert.equal(sms.data.text, "Hello");

const ofChat = { chatPhoneNumberId: chatNumber.id, clientReference };
const chatPage = await chatMessagesList({ query: ofChat, throwOnError: true });
assert.equal(chatPage.data.data[0]?.id, chat.data.id);
const ofSms = { phoneNumberId: smsNumber.id, clientReference };
const smsPage = await smsList({ query: ofSms, throwOnError: true });
assert.equal(smsPage.data.data[0]?.id, sms.data.id);

const { error, response } = await smsSend({ body: { from: smsNumber.id, to: "+1", text: "Hello" } });
assert.equal(response?.status, 400);
assert.ok(error && "error" in error && typeof error.error === "object");
assert.equal(error.error.code, "invalid_phone_number");
