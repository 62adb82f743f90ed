// What is repeated, and that nothing is sent twice.

import assert from "node:assert/strict";
import { createServer } from "node:net";
import { after, before, test } from "node:test";
import * as sdk from "../src/index.ts";
import { type Answer, Hurry, StandIn } from "./standin.ts";

let standIn: StandIn;
before(async () => void (standIn = await StandIn.start()));
after(() => standIn.stop());

const body = { from: "wapn_1", to: "+12025550123", type: "text", text: { body: "Hello" } } as const;
const message = { id: "msg_wa_1", outcome: "ACCEPTED", recipients: [] };
const created: Answer = { status: 201, json: message };

/** Stores a message for each key, as the service does, and answers with the given answers. */
function store(...answers: Answer[]): Map<unknown, number> {
  const messages = new Map<unknown, number>();
  standIn.received.length = 0;
  standIn.answer = ({ headers }, nth) => {
    const key = headers["idempotency-key"];
    messages.set(key, (messages.get(key) ?? 0) + 1);
    return answers[nth] ?? created;
  };
  return messages;
}

test("a lost response is asked for again with the same key", async () => {
  const messages = store("lose", "lose");
  assert.equal((await standIn.client().chat.messages.send(body)).id, "msg_wa_1");
  assert.equal(standIn.received.length, 3);
  assert.equal(messages.size, 1);
});

test("two retries are the default, and none are possible", async () => {
  store("lose", "lose", "lose");
  await assert.rejects(standIn.client().chat.messages.send(body), sdk.ConnectionError);
  assert.equal(standIn.received.length, 3);
  for (const client of [standIn.client({ maxRetries: 0 }), standIn.client()]) {
    store("lose");
    await assert.rejects(client.chat.messages.send(body, { maxRetries: 0 }), sdk.ConnectionError);
    assert.equal(standIn.received.length, 1);
  }
});

test("a connection that breaks after any byte of the response sends at most one message", async () => {
  const text = JSON.stringify(message);
  const whole = Buffer.from(`HTTP/1.1 201 Created\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
  for (let length = 0; length <= whole.length; length += 1) {
    const messages = store({ bytes: whole.subarray(0, length) });
    const sent = await standIn.client().chat.messages.send(body);
    assert.deepEqual(sent, message, `${length} bytes`);
    assert.equal(messages.size, 1, `${length} bytes`);
    assert.equal(standIn.received.length, length === whole.length ? 1 : 2, `${length} bytes`);
  }
});

test("two calls have two keys, and a key of one's own is kept", async () => {
  const messages = store();
  const client = standIn.client();
  await client.chat.messages.send(body);
  await client.chat.messages.send(body);
  await client.chat.messages.send(body, { idempotencyKey: "order-7" });
  assert.equal(messages.size, 3);
  assert.ok(messages.has("order-7"));
});

test("only what has no second effect is repeated", async () => {
  const refusal = (status: number, headers = {}): Answer => ({ status, headers, json: { message: "no" } });
  const waiting = { "retry-after": "1" };
  const cases: [Answer, { get: number; put: number; post: number; patch: number; delete: number }][] = [
    ["lose", { get: 2, put: 2, post: 2, patch: 1, delete: 1 }],
    [refusal(429), { get: 2, put: 2, post: 2, patch: 2, delete: 2 }],
    [refusal(429, { "retry-after": "61" }), { get: 1, put: 1, post: 1, patch: 1, delete: 1 }],
    [refusal(502), { get: 2, put: 2, post: 2, patch: 1, delete: 1 }],
    [refusal(503), { get: 2, put: 2, post: 2, patch: 1, delete: 1 }],
    [refusal(504), { get: 2, put: 2, post: 2, patch: 1, delete: 1 }],
    [refusal(409, waiting), { get: 2, put: 2, post: 2, patch: 1, delete: 1 }],
    [refusal(409), { get: 1, put: 1, post: 1, patch: 1, delete: 1 }],
    [refusal(500), { get: 1, put: 1, post: 1, patch: 1, delete: 1 }],
    [refusal(422), { get: 1, put: 1, post: 1, patch: 1, delete: 1 }],
  ];
  const client = standIn.client();
  const calls = {
    get: () => client.organization.apps.get("app_1"),
    put: () => client.webhooks.update("whk_1", { url: "https://example.com" }),
    post: () => client.organization.apps.create({ name: "A" }),
    patch: () => client.organization.apps.update("app_1", { name: "A" }),
    delete: () => client.organization.apps.delete("app_1"),
  };
  for (const [answer, expected] of cases) {
    for (const [name, times] of Object.entries(expected)) {
      standIn.script(answer, { json: {} });
      await calls[name as keyof typeof calls]().catch(() => undefined);
      assert.equal(standIn.received.length, times, `${name} after ${JSON.stringify(answer)}`);
    }
  }
});

test("a refused connection is repeated whatever the request is", async () => {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  const clock = new Hurry();
  const client = new sdk.Messaging({ apiKey: "k", baseUrl: `http://127.0.0.1:${port}`, clock });
  await assert.rejects(client.organization.apps.delete("app_1"), sdk.ConnectionError);
  assert.equal(clock.waits.length, 2);
});

test("waits are jittered, grow, and respect Retry-After", async () => {
  const clock = new Hurry();
  standIn.script({ status: 503 }, { status: 429, headers: { "retry-after": "7" } }, { json: {} });
  await standIn.client({ clock }).health.get();
  assert.deepEqual(clock.waits, [250, 7500]);
  const date = new Date(clock.now() + 5000).toUTCString();
  standIn.script({ status: 503, headers: { "retry-after": date } }, { json: {} });
  await standIn.client({ clock }).health.get();
  assert.ok(clock.waits[2]! > 4000 && clock.waits[2]! <= 5500, `${clock.waits[2]}`);
});

test("a time limit ends an attempt, and a signal the call", async () => {
  standIn.script("hang");
  await assert.rejects(standIn.client({ timeout: 20 }).health.get(), sdk.TimeoutError);
  assert.equal(standIn.received.length, 3);
  const reason = new Error("enough");
  const signal = AbortSignal.abort(reason);
  await assert.rejects(standIn.client().health.get({ signal }), reason);
  standIn.script("hang");
  const later = new AbortController();
  setTimeout(() => later.abort(reason), 20);
  await assert.rejects(standIn.client().health.get({ signal: later.signal }), reason);
  assert.equal(standIn.received.length, 1);
});

test("unknown and pending outcomes are results", async () => {
  for (const outcome of ["UNKNOWN", "PENDING"]) {
    store({ status: 202, json: { ...message, outcome } });
    assert.equal((await standIn.client().sms.send({ from: "ph_1", to: "+12025550123", text: "Hi" })).outcome, outcome);
    assert.equal(standIn.received.length, 1);
  }
});
