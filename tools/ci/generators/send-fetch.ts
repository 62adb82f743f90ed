// Sends a chat message and an SMS and finds them in lists, with openapi-fetch and the types that openapi-typescript generated.
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./schema";

const to = "+12025550143";
const clientReference = "openapi-fetch";
const headers = { Authorization: `Bearer ${process.env.TEST_APP_KEY}` };
const client = createClient<paths>({ baseUrl: process.env.BASE_URL, headers });

async function numbersOfTheApp(): Promise<components["schemas"]["AppNumber"][]> {
  const numbers: components["schemas"]["AppNumber"][] = [];
  let cursor: string | null | undefined;
  do {
    const query = { limit: 1, cursor: cursor ?? undefined };
    const { data: page } = await client.GET("/v1/phone-numbers", { params: { query } });
    assert.ok(page && page.data.length <= 1);
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

const chat = await client.POST("/v1/chat/messages", {
  body: { from: chatNumber.id, to, type: "text", text: { body: "Hello" }, clientReference },
});
assert.equal(chat.response.status, 201);
assert.equal(chat.data?.outcome, "ACCEPTED");
assert.equal(chat.data.textBody, "Hello");

const sms = await client.POST("/v1/sms", { body: { from: smsNumber.id, to, text: "Hello", clientReference } });
assert.equal(sms.response.status, 201);
assert.equal(sms.data?.outcome, "ACCEPTED");
assert.equal(sms.data.text, "Hello");

const ofChat = { chatPhoneNumberId: chatNumber.id, clientReference };
const chatPage = await client.GET("/v1/chat/messages", { params: { query: ofChat } });
assert.equal(chatPage.data?.data[0]?.id, chat.data.id);
const ofSms = { phoneNumberId: smsNumber.id, clientReference };
const smsPage = await client.GET("/v1/sms", { params: { query: ofSms } });
assert.equal(smsPage.data?.data[0]?.id, sms.data.id);

const { error, response } = await client.POST("/v1/sms", { body: { from: smsNumber.id, to: "+1", text: "Hello" } });
assert.equal(response.status, 400);
assert.ok(error && "error" in error && typeof error.error === "object");
assert.equal(error.error.code, "invalid_phone_number");
