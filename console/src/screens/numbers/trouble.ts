// What is wrong with a number, as far as the API says so, and what to do about it.
import type { Attention, ChatPhoneNumber, PhoneNumber } from "messaging";

import { to, toWith } from "../../core/route.svelte";
import { qualityOf } from "./quality";
import { isolated } from "./words";

export interface Trouble {
  tone: "bad" | "warn";
  title: string;
  remedy: string;
  link?: { label: string; href: string };
}

/** The problems of a WhatsApp number, the worst first. `disconnected` has the ids of the disconnected accounts, as far as they are known. */
export function troublesOfChat(number: ChatPhoneNumber, attention: Attention[], disconnected: string[]): Trouble[] {
  const all = [...accountOf(number, attention, disconnected), ...registration(number), ...quality(number, attention), ...name(number), ...unassigned(number)];
  return all.sort((a, b) => Number(b.tone === "bad") - Number(a.tone === "bad"));
}

/** The problems of a phone number for SMS and MMS. */
export function troublesOfPhone(number: PhoneNumber, attention: Attention[]): Trouble[] {
  return [...carrier(number, attention), ...unassigned(number)];
}

/** Whether the number stays on the WhatsApp Business app, which has registered it. */
export function isOnBusinessApp(number: ChatPhoneNumber): boolean {
  return number.businessApp !== undefined;
}

function registration(number: ChatPhoneNumber): Trouble[] {
  if (number.cloudApiRegistered || isOnBusinessApp(number)) return [];
  const remedy = number.verified
    ? "Register it with WhatsApp."
    : "Request a code, verify the number with it, then register it.";
  return [{ tone: "bad", title: number.verified ? "Not registered: it can neither send nor receive" : "Not verified and not registered", remedy }];
}

function accountOf({ businessProfile: { id } }: ChatPhoneNumber, attention: Attention[], disconnected: string[]): Trouble[] {
  const link = { label: "Open the account", href: to("accounts", id) };
  if (disconnected.includes(id)) {
    return [{ tone: "bad", title: "Its account is disconnected: it can neither send nor receive", remedy: "Connect the account again. The number keeps its apps.", link }];
  }
  const check = { label: "Check the account now", href: toWith(["numbers", "check"], { profile: id }) };
  const found = attention.filter(({ target }) => target.id === id);
  return found.map(({ kind, severity, message, remedy }) => ({ tone: severity === "CRITICAL" ? "bad" : "warn", title: message, remedy, link: kind.startsWith("PROFILE_") ? check : link }));
}

function quality(number: ChatPhoneNumber, attention: Attention[]): Trouble[] {
  const found = attention.filter(({ target }) => target.id === number.id);
  const others = found.filter(({ kind }) => kind !== "NUMBER_QUALITY_LOW").map(({ message, remedy }): Trouble => ({ tone: "warn", title: message, remedy }));
  const { isLow, isMedium, tone } = qualityOf(number, attention);
  if (!isLow && !isMedium) return others;
  const remedy =
    found.find(({ kind }) => kind === "NUMBER_QUALITY_LOW")?.remedy ??
    "Users block or report its messages. Send fewer of them, only to people who expect them, and check the templates that were sent last.";
  return [{ tone: tone === "bad" ? "bad" : "warn", title: `WhatsApp rates its quality as ${isLow ? "low" : "medium"}`, remedy }, ...others];
}

function name({ nameStatus, nameRejectionReason, requestedVerifiedName }: ChatPhoneNumber): Trouble[] {
  if (nameStatus !== "REJECTED") return [];
  const title = `Display name ${requestedVerifiedName ? `“${isolated(requestedVerifiedName)}” ` : ""}rejected${nameRejectionReason ? `: ${isolated(nameRejectionReason)}` : ""}`;
  return [{ tone: "bad", title, remedy: "Request another display name in WhatsApp Manager. After its approval, register the number again." }];
}

function carrier({ id, carrierStatus }: PhoneNumber, attention: Attention[]): Trouble[] {
  if (carrierStatus === "UNLINKED") {
    return [{ tone: "bad", title: "Not linked to the carrier: it can neither send nor receive", remedy: "The operator of the installation links it with “make link-number” (docs/sms.md in the repository)." }];
  }
  const found = attention.filter(({ target }) => target.id === id);
  if (found.length > 0) return found.map(({ message, remedy }) => ({ tone: "warn", title: message, remedy }));
  if (carrierStatus !== "RELEASING") return [];
  return [{ tone: "warn", title: "Being released by the carrier", remedy: "It disappears from the list in a minute or two." }];
}

function unassigned(number: { apps: unknown[]; carrierStatus?: string }): Trouble[] {
  if (number.apps.length > 0 || number.carrierStatus === "RELEASING") return [];
  return [{ tone: "warn", title: "Not assigned to an app", remedy: "Assign it to an app, so that the app can send with it and its webhooks receive what arrives." }];
}
