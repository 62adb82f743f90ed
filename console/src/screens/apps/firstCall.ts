// The first request to try with a new key: one that it may make, and that reaches nobody.
import type { AppNumber } from "messaging";

import { isTestId } from "../../core/mode.svelte";
import { operation } from "../../core/operations";
import { ask, askAs, type Request } from "../../core/request";
import type { CreatedKey } from "./keys";
import { covers } from "./scopes";

/** A simulated user in test mode. In live mode, the reader replaces it. */
export const RECIPIENT = "+12025550123";
const TEXT = "Hello!";

/** `numbers` are those of the app. Without them, the request has examples to be replaced. */
export function firstCall(key: CreatedKey, app: string | undefined, numbers: readonly AppNumber[]): Request | undefined {
  const all = app ? ofApp(app, numbers) : ofOrganization();
  return all.find(({ name }) => covers(key.scopes, operation(name).scope ?? ""));
}

/** In test mode, the first request sends a message: it reaches nobody real, and sending is what the key is for. */
function ofApp(app: string, numbers: readonly AppNumber[]): Request[] {
  const reading: Request[] = [
    askAs(app, "phoneNumbers.list", {}),
    askAs(app, "webhooks.list", {}),
    askAs(app, "usage.list", {}),
    askAs(app, "failures.list", {}),
    askAs(app, "playground.scenarios.list"),
  ];
  const sending = sendingFrom(app, numbers.findLast(({ kind }) => kind === "chat") ?? numbers[0]);
  return isTestId(app) && numbers.length > 0 ? [sending, ...reading] : [...reading, sending];
}

function sendingFrom(app: string, number: AppNumber | undefined): Request {
  if (number?.kind === "sms") return askAs(app, "sms.send", { from: number.number, to: RECIPIENT, text: TEXT });
  const from = number?.displayPhoneNumber ?? "+12015550100";
  return askAs(app, "chat.messages.send", { from, to: RECIPIENT, type: "text", text: { body: TEXT } });
}

function ofOrganization(): Request[] {
  return [
    ask("organization.apps.list", {}),
    ask("organization.chat.phoneNumbers.list", {}),
    ask("organization.usage.list", {}),
    ask("organization.settings.get"),
    ask("organization.chat.businessProfiles.list", {}),
    ask("organization.adminKeys.list", {}),
    ask("organization.members.list", {}),
    ask("organization.failures.list", {}),
    ask("organization.auditLog.list", {}),
  ];
}
