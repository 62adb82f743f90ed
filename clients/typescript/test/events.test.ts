// Webhooks, the feed, and waiting for a message.

import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import * as sdk from "../src/index.ts";
import { Hurry, StandIn } from "./standin.ts";

let standIn: StandIn;
before(async () => void (standIn = await StandIn.start()));
after(() => standIn.stop());

const secret = `whsec_${Buffer.alloc(24, 7).toString("base64")}`;
const other = `whsec_${Buffer.alloc(24, 8).toString("base64")}`;
const body = '{"id":"evt_1","type":"messages.sms.sent","data":{"text":"Grüße"},"later":1}';
const time = 1_800_000_000;
const now = () => time * 1000;

function sign(key: string, at: string | number = time, text = body): string {
  const bytes = Buffer.from(key.slice("whsec_".length), "base64");
  return `v1,${createHmac("sha256", bytes).update(`evt_1.${at}.${text}`).digest("base64")}`;
}

function headers(signature: string, at: string | number = time) {
  return { "webhook-id": "evt_1", "webhook-timestamp": String(at), "webhook-signature": signature };
}

test("a signed delivery is verified, in each form that servers have", async () => {
  const good = headers(sign(secret));
  for (const text of [body, Buffer.from(body), new TextEncoder().encode(body).buffer as ArrayBuffer])
    for (const head of [good, new Headers(good), { "Webhook-Id": ["evt_1"], "Webhook-Timestamp": String(time), "WEBHOOK-SIGNATURE": sign(secret) }])
      assert.deepEqual(await sdk.webhooks.verify(text, head, secret, { now }), JSON.parse(body));
  const event = await standIn.client().webhooks.verify(body, good, secret, { now });
  if (event.type === "messages.sms.sent") assert.equal(event.data.text, "Grüße");
  else assert.fail(event.type);
});

test("while a secret is replaced, either signature and either secret will do", async () => {
  const both = headers(`v1a,AAAA ${sign(other)} ${sign(secret)}`);
  for (const known of [secret, other, [other, secret], ["whsec_AAAA", secret]])
    assert.ok(await sdk.webhooks.verify(body, both, known, { now }));
});

test("what the service did not sign, or not lately, is rejected", async () => {
  const cases: [string, string, Record<string, string>, string?][] = [
    ["another body", body.replace("evt_1", "evt_2"), headers(sign(secret))],
    ["another secret", body, headers(sign(other))],
    ["another id", body, { ...headers(sign(secret)), "webhook-id": "evt_2" }],
    ["another time", body, headers(sign(secret), time + 1)],
    ["too old", body, headers(sign(secret, time - 301), time - 301)],
    ["too new", body, headers(sign(secret, time + 301), time + 301)],
    ["no number", body, headers(sign(secret, "now"), "now")],
    ["no signature", body, headers("")],
    ["another version", body, headers(sign(secret).replace("v1,", "v2,"))],
    ["no base64", body, headers("v1,%%%")],
    ["a prefix of the signature", body, headers(sign(secret).slice(0, -4))],
  ];
  for (const [title, text, head] of cases)
    await assert.rejects(sdk.webhooks.verify(text, head, secret, { now }), sdk.WebhookVerificationError, title);
  for (const at of [time - 300, time + 300])
    assert.ok(await sdk.webhooks.verify(body, headers(sign(secret, at), at), secret, { now }));
  await assert.rejects(sdk.webhooks.verify(JSON.parse(body), headers(sign(secret)), secret, { now }), /before it is parsed/);
  for (const wrong of ["", "whsec_", undefined, null])
    await assert.rejects(sdk.webhooks.verify(body, headers(sign(secret)), wrong as string, { now }), /signing secret/);
  for (const text of ["hello", "[]", "null"])
    await assert.rejects(sdk.webhooks.verify(text, headers(sign(secret, undefined, text)), secret, { now }), /not the JSON object/);
});

test("a feed is followed through failures, and its position reported after the events before it", async () => {
  const event = (sequence: number) => ({ id: `evt_${sequence}`, type: "messages.sms.sent", sequence, data: {} });
  standIn.script(
    { json: { data: [], nextAfter: "p0" } },
    { json: { data: [event(1), event(2)], nextAfter: "p1" } },
    "lose", "lose", "lose",
    { status: 500, json: { message: "no" } },
    { json: { data: [], nextAfter: "p1" } },
    { json: { data: [event(3)], nextAfter: "p2" } },
  );
  const seen: unknown[] = [];
  const onPosition = (position: string) => void seen.push(position);
  for await (const found of standIn.client().events.follow({ types: ["messages.sms.sent"], onPosition })) {
    seen.push(found.sequence);
    if (found.sequence === 3) break;
  }
  // The position after the last event is not reported: its processing had not ended.
  assert.deepEqual(seen, ["p0", 1, 2, "p1", 3]);
  const queries = standIn.received.map(({ path }) => new URLSearchParams(path.split("?")[1]));
  assert.deepEqual(queries.map((query) => query.get("after")), [null, "p0", "p1", "p1", "p1", "p1", "p1", "p1"]);
  assert.ok(queries.every((query) => query.get("types") === "messages.sms.sent" && query.get("limit") === "100"));
});

test("a feed moves on without a callback", async () => {
  const event = (sequence: number) => ({ id: `evt_${sequence}`, type: "messages.sms.sent", sequence, data: {} });
  standIn.script({ json: { data: [event(1)], nextAfter: "p1" } }, { json: { data: [event(2)], nextAfter: "p2" } });
  const seen: unknown[] = [];
  for await (const found of standIn.client().events.follow({ after: "oldest" })) {
    seen.push(found.sequence);
    if (seen.length === 2) break;
  }
  assert.deepEqual(seen, [1, 2]);
  assert.deepEqual(standIn.received.map(({ path }) => new URLSearchParams(path.split("?")[1]).get("after")), ["oldest", "p1"]);
});

test("a feed ends with an error that stays, and with its signal", async () => {
  standIn.script({ status: 410, json: { error: { message: "Gone.", additional_info: ["p9"] } } });
  await assert.rejects(standIn.client().events.follow({ after: "p1" }).next(), (error: sdk.NotFoundError) => {
    assert.deepEqual(error.additionalInfo, ["p9"]);
    return error instanceof sdk.NotFoundError;
  });
  standIn.script({ json: { data: [], nextAfter: "p1" } });
  const end = new AbortController();
  const waiting = standIn.client().events.follow({ after: "p1", signal: end.signal }).next();
  setTimeout(() => end.abort(new Error("enough")), 30);
  await assert.rejects(waiting, /enough/);
});

test("waiting ends at the status, at a later one, and at a failure", async () => {
  const chat = (status: string, outcome = "ACCEPTED") => ({ json: { id: "m", outcome, recipients: [{ status }] } });
  const cases: [ReturnType<typeof chat>[], sdk.WaitTarget, number][] = [
    [[chat("QUEUED"), chat("SENT"), chat("READ")], { status: "DELIVERED" }, 3],
    [[chat("QUEUED"), chat("DELIVERED"), chat("READ")], { status: "READ" }, 3],
    [[chat("QUEUED"), chat("FAILED")], { status: "READ" }, 2],
    [[chat("QUEUED", "PENDING"), chat("QUEUED", "EXPIRED")], { status: "SENT" }, 2],
    [[chat("QUEUED", "UNKNOWN"), chat("QUEUED", "ACCEPTED")], { outcome: "ACCEPTED" }, 2],
    [[chat("QUEUED", "PENDING"), chat("QUEUED", "ACCEPTED")], { outcome: "REFUSED" }, 2],
    [[chat("QUEUED", "PENDING"), chat("QUEUED", "UNKNOWN")], { outcome: "UNKNOWN" }, 2],
  ];
  for (const [answers, awaited, times] of cases) {
    standIn.script(...answers);
    const found = await standIn.client().chat.messages.waitFor("m", awaited);
    assert.deepEqual(found, answers.at(-1)?.json);
    assert.equal(standIn.received.length, times, JSON.stringify(awaited));
  }
  standIn.script({ json: { status: "QUEUED", outcome: "ACCEPTED" } }, { json: { status: "DELIVERED", outcome: "ACCEPTED" } });
  assert.equal((await standIn.client().sms.waitFor("m", { status: "DELIVERED" })).status, "DELIVERED");
});

test("waiting has an end", async () => {
  const clock = new Hurry();
  standIn.script({ json: { status: "QUEUED", outcome: "UNKNOWN" } });
  const waiting = standIn.client({ clock }).sms.waitFor("m", { status: "SENT" }, { patience: 5000, interval: 2000 });
  await assert.rejects(waiting, (error: sdk.TimeoutError) => {
    assert.deepEqual(error.body, { status: "QUEUED", outcome: "UNKNOWN" });
    return error instanceof sdk.TimeoutError && error.messageId === "m";
  });
  assert.deepEqual(clock.waits, [2000, 2000, 1000]);
});
