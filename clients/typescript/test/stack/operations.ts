// Calls each operation of the library once on the local stack, whose address and keys are in the environment, and compares what
// was called with the document.

import assert from "node:assert/strict";
import { admin, app, appId, phone, recorded, until, withKey } from "./clients.ts";

const later = { name: "Of TypeScript" };
const hook = { url: "https://example.com/a", events: ["messages.sms.received" as const] };
const since = { since: "2026-01-01T00:00:00Z" };
const png = Uint8Array.from(atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="), (letter) => letter.charCodeAt(0));

async function people(): Promise<void> {
  const { members } = admin.organization;
  const email = `${crypto.randomUUID()}@example.com`;
  const member = await members.create({ email, role: "SUPPORT" });
  assert.ok((await members.list().page()).data.length > 0);
  assert.equal((await members.get(member.id)).email, email);
  assert.equal((await members.update(member.id, { name: "Ann" })).name, "Ann");
  const token = (await members.createSignInLink(member.id)).url.split("#")[1]!;
  assert.equal((await withKey(token).signIn.link.get()).email, email);
  const { sessionToken } = await withKey(token).signIn.link.redeem({ token, as: "bearer" });
  const session = withKey(sessionToken!).session;
  assert.equal((await session.get()).member.email, email);
  assert.ok((await session.createKey({ mode: "test" })).key);
  const switched = await session.switch({ memberId: member.id });
  await withKey(switched.sessionToken!).session.delete();
  await members.delete(member.id);
}

async function organization(): Promise<void> {
  const { name } = await admin.organization.settings.get();
  await admin.organization.settings.update({ name });
  const { prices } = await admin.organization.rateCard.get();
  await admin.organization.rateCard.update({ currency: "EUR", prices });
  const key = await admin.organization.adminKeys.create(later);
  assert.ok((await admin.organization.adminKeys.list().page()).data.length > 0);
  assert.equal((await admin.organization.adminKeys.update(key.id, { name: "Renamed", allowedIps: null })).name, "Renamed");
  assert.notEqual((await admin.organization.adminKeys.rotate(key.id)).key, key.key);
  await admin.organization.adminKeys.delete(key.id);
  assert.equal((await admin.organization.auditLog.list({ target: key.id }).page()).data[0]?.action, "organization.adminKeys.delete");
  await people();
  await admin.organization.apps.list().page();
  const made = await admin.organization.apps.create({ ...later, test: true });
  await admin.organization.apps.get(made.id);
  await admin.organization.apps.update(made.id, { name: "Renamed" });
  await admin.organization.apps.calling.update(made.id, { voicemailEnabled: true });
  assert.ok((await admin.organization.apps.calling.get(made.id)).voicemailEnabled);
  const own = await admin.organization.apps.keys.create(made.id);
  await admin.organization.apps.keys.list(made.id).page();
  await admin.organization.apps.keys.update(made.id, own.id, { expiresAt: null });
  await admin.organization.apps.keys.rotate(made.id, own.id, { gracePeriodSeconds: 0 });
  await admin.organization.apps.keys.delete(made.id, own.id);
  const number = await admin.organization.phoneNumbers.create({ number: phone(), test: true });
  await admin.organization.phoneNumbers.list().page();
  await admin.organization.phoneNumbers.get(number.id);
  await admin.organization.apps.phoneNumbers.assign(appId, number.id);
  await admin.organization.apps.phoneNumbers.unassign(appId, number.id);
  await admin.organization.phoneNumbers.delete(number.id);
  await admin.organization.apps.delete(made.id);
}

async function accounts(): Promise<void> {
  const { businessProfiles, onboardingLinks, phoneNumbers, platformCheck, templates } = admin.organization.chat;
  const waba = String(Date.now());
  const connected = await businessProfiles.connect({ accessToken: `token.${waba}1`, wabaId: `${waba}1`, test: true });
  const signedUp = await businessProfiles.completeSignup({ code: `code.${waba}2`, wabaId: `${waba}2`, test: true });
  await businessProfiles.list().page();
  const profile = await businessProfiles.get(signedUp.id);
  await businessProfiles.disconnect(connected.id);
  await platformCheck.get({ profileId: profile.id });

  await templates.sync({ chatBusinessProfileId: profile.id });
  const all = (await phoneNumbers.list({ chatBusinessProfileId: profile.id }).page()).data;
  const first = all.find((number) => number.providerPhoneNumberId.endsWith("01"));
  assert.ok(first);
  await phoneNumbers.get(first.id);
  // The sync adds a third number to a simulated account. Its digits follow those of the other two.
  const displayPhoneNumber = `+${BigInt(first.displayPhoneNumber) + 2n}`;
  const account = { providerPhoneNumberId: `${waba}203`, providerBusinessAccountId: `${waba}2` };
  await phoneNumbers.register({ displayPhoneNumber, ...account });
  await phoneNumbers.businessProfile.update(first.id, { about: "Open from 9 to 5" });
  await phoneNumbers.businessProfile.get(first.id);
  await phoneNumbers.requestCode(first.id, { codeMethod: "SMS", language: "en_US" });
  await phoneNumbers.verifyCode(first.id, { code: "123830" });
  await phoneNumbers.pin.update(first.id, { pin: "482915" });
  assert.equal((await phoneNumbers.deregister(first.id)).cloudApiRegistered, false);
  assert.ok((await phoneNumbers.registerAgain(first.id, { pin: "482915" })).cloudApiRegistered);

  const link = await onboardingLinks.create({ successUrl: "https://example.com/done", failureUrl: "https://example.com/failed", test: true });
  await onboardingLinks.list().page();
  await onboardingLinks.get(link.id);
  await onboardingLinks.cancel(link.id);

  const components = [{ type: "BODY", text: "Hello." }];
  const draft = { chatBusinessProfileId: profile.id, name: "of_typescript", language: "en_US", category: "UTILITY" as const, components };
  const template = await templates.create(draft);
  assert.ok("id" in template);
  await templates.list({ chatBusinessProfileId: profile.id }).page();
  await until("the template is approved", async () => (await templates.get(template.id)).status === "APPROVED");
  await templates.update(template.id, { components: [{ type: "BODY", text: "Hello again." }] });
  await templates.delete(template.id);
}

async function messages(): Promise<void> {
  const [chatNumber, smsNumber] = await numbers();
  const sent = await app.chat.messages.send({ from: chatNumber, to: "+12025550123", type: "text", text: { body: "Hello" } });
  assert.equal(sent.outcome, "ACCEPTED");
  const read = await app.chat.messages.waitFor(sent.id, { status: "READ" });
  assert.equal(read.recipients[0]?.status, "READ");
  for await (const message of app.chat.messages.list({ chatPhoneNumberId: chatNumber, limit: 1 })) if (message.id === sent.id) break;
  await admin.organization.chat.messages.list({ chatPhoneNumberId: chatNumber }).page();
  await admin.organization.chat.messages.get(sent.id);
  assert.equal((await app.chat.messages.timeline.list(sent.id).page()).data[0]?.kind, "REQUESTED");
  await admin.organization.chat.messages.timeline.list(sent.id).page();

  const user = (await app.playground.chat.userNumbers.create()).number;
  await admin.organization.playground.chat.userNumbers.list();
  const inbound = await app.playground.chat.simulateInbound({ from: user, type: "text", text: { body: "Hi" } });
  await app.chat.messages.markRead({ messageId: inbound.id });
  await app.chat.messages.showTyping({ messageId: inbound.id });

  const sms = await app.sms.send({ from: smsNumber, to: "+12025550123", text: "Hello" });
  assert.equal((await app.sms.waitFor(sms.id, { status: "DELIVERED" })).status, "DELIVERED");
  await app.sms.list({ phoneNumberId: smsNumber }).page();
  await admin.organization.sms.messages.list({ phoneNumberId: smsNumber }).page();
  await admin.organization.sms.messages.get(sms.id);
  await app.sms.timeline.list(sms.id).page();
  await admin.organization.sms.messages.timeline.list(sms.id).page();
  await app.failures.list().page();
  await admin.organization.failures.list().page();
  await app.usage.list({ groupBy: "channel" }).page();
  await admin.organization.usage.list().page();
  await admin.organization.attention.list().page();
  const { numbers: [system = ""] } = await app.playground.systemNumbers.list();
  await app.playground.sms.simulateInbound({ from: "+442079460123", to: system, text: "Hi" });

  await app.chat.templates.list({ chatPhoneNumberId: chatNumber }).page();
  const { blockedUsers } = app.chat.phoneNumbers;
  await blockedUsers.block(chatNumber, { users: [user] });
  await blockedUsers.list(chatNumber).page();
  await blockedUsers.unblock(chatNumber, { users: [user] });
  await app.phoneNumbers.unassign(smsNumber);
  await app.phoneNumbers.assign({ phoneNumberId: smsNumber });
}

/** Returns the ids of the app's WhatsApp number and of one of its SMS numbers. */
async function numbers(): Promise<[string, string]> {
  let [chat, sms] = ["", ""];
  for await (const number of app.phoneNumbers.list({ limit: 1 })) {
    if (number.kind === "chat") chat = number.id;
    else sms = number.id;
  }
  return [chat, sms];
}

async function groups(): Promise<void> {
  const [chatPhoneNumberId] = await numbers();
  const { groups } = app.chat;
  const group = await groups.create({ chatPhoneNumberId, subject: "Friends", joinApprovalMode: "approval_required" });
  await until("the group is active", async () => (await groups.get(group.id)).status === "ACTIVE");
  await groups.list({ chatPhoneNumberId }).page();
  await groups.update(group.id, { subject: "Foes" });
  await groups.replaceInviteLink(group.id);
  await groups.joinRequests.list(group.id).page();
  await groups.joinRequests.approve(group.id, { joinRequestIds: ["join-unknown-1"] });
  await groups.joinRequests.reject(group.id, { joinRequestIds: ["join-unknown-2"] });
  await groups.participants.add(group.id, { participants: ["+12025550123"] });
  await groups.participants.remove(group.id, { participants: ["+12025550123"] });
  await groups.delete(group.id);
}

async function media(): Promise<void> {
  const small = await app.media.upload(png, { fileName: "a.png" });
  const { url } = await app.media.get(small.id);
  assert.deepEqual(new Uint8Array(await (await fetch(url)).arrayBuffer()), png);
  await app.media.delete(small.id);
  const text = new Uint8Array(5 * 1024 * 1024).fill(120);
  let loaded = 0;
  const large = await app.media.upload(text, { fileName: "a.txt", onProgress: (progress) => (loaded = progress.loaded) });
  assert.equal(large.fileSize, text.length);
  assert.equal(loaded, text.length);
}

async function webhooks(): Promise<void> {
  const own = app.webhooks;
  const made = await own.create(hook);
  await own.list().page();
  await own.get(made.id);
  await own.update(made.id, { url: "https://example.com/b" });
  await own.rotateSecret(made.id);
  const { id } = await own.test(made.id);
  await own.deliveries.list(made.id).page();
  await own.deliveries.get(made.id, id);
  await own.deliveries.redeliver(made.id, id);
  const recovery = await own.recover(made.id, { ...since, dryRun: true });
  await own.recoveries.get(made.id, recovery.id);
  await own.delete(made.id);

  const any = admin.organization.apps.webhooks;
  const other = await any.create(appId, hook);
  await any.list(appId).page();
  await any.get(appId, other.id);
  await any.update(appId, other.id, { url: "https://example.com/b" });
  await any.rotateSecret(appId, other.id, { gracePeriodSeconds: 3600 });
  const delivery = await any.test(appId, other.id, { event: "messages.sms.received" });
  await any.deliveries.list(appId, other.id).page();
  await any.deliveries.get(appId, other.id, delivery.id);
  await any.deliveries.redeliver(appId, other.id, delivery.id);
  const counted = await any.recover(appId, other.id, { ...since, dryRun: true });
  await any.recoveries.get(appId, other.id, counted.id);
  await any.delete(appId, other.id);
}

async function events(): Promise<void> {
  for await (const event of app.events.follow({ after: "oldest", types: ["messages.chat.read", "messages.sms.delivered"] })) {
    assert.ok(event.data.id);
    await admin.organization.events.get(event.id);
    break;
  }
  const page = await admin.organization.apps.events.list(appId, { after: "oldest" });
  assert.ok(page.data.length > 0 && page.nextAfter);
}

async function playground(): Promise<void> {
  const [target] = await numbers();
  await app.playground.notifications.simulate({ field: "account_review_update", target, value: { decision: "APPROVED" } });
  assert.ok((await app.playground.scenarios.list()).data.length > 0);
  const simulation = await app.playground.simulations.run({ scenario: "account_rejected", target });
  await app.playground.simulations.get(simulation.id);
}

async function reference(): Promise<void> {
  assert.equal((await app.health.get()).status, "ok");
  assert.ok((await app.errors.list()).data.length > 0);
}

// Most of this waits for what the service does later.
await Promise.all([organization(), accounts(), messages(), groups(), media(), webhooks(), reference()]);
await events();
await playground();
const uncalled = recorded.uncalled((await app.openapi.get()) as never);
assert.deepEqual(uncalled, [], "these operations were not called, or never with success");
console.log(`${recorded.count} requests`);
