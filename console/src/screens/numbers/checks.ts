// The platform check in words, and its findings in groups.
import type { ChatBusinessProfile, PlatformCheckFinding } from "messaging";

import { to, toWith } from "../../core/route.svelte";
import { words, type Tone } from "../../core/text";

const NAMES: Record<string, string> = {
  app_credentials: "Credentials of the app at Meta",
  callback_url: "Address for notifications",
  callback_fields: "Fields of notifications",
  graph_version: "Version of the Graph API",
  signup_version: "Version of the signup",
  connection: "Connection",
  token: "Access token",
  token_permissions: "Permissions of the token",
  token_expiry: "Expiry of the token",
  subscription: "Subscription to notifications",
  account_review: "Review of the account",
  account_payment: "Payment method",
  account_health: "Health of the account",
  number_registration: "Registration",
  number_quality: "Quality",
  number_limit: "Messaging limit",
  number_name: "Display name",
  number_history: "History of the business app",
  reachability: "Reachability of Meta",
};

export function checkName(check: string): string {
  return NAMES[check] ?? words(check);
}

export function checkTone(status: string): Tone {
  return status === "OK" ? "good" : status === "FAILED" ? "bad" : "warn";
}

/** What a check or a health status says in one word. */
export function checkWord(status: string): string {
  return { OK: "Fine", WARNING: "Warning", FAILED: "Failed" }[status] ?? words(status);
}

/** Failed checks that do not stop messages from being sent, although WhatsApp may limit them. */
const STILL_SENT = ["number_quality"];

/** The overall result of the findings, in words. */
export function verdictOf(findings: Pick<PlatformCheckFinding, "check" | "status">[]): { words: string; tone: "good" | "warn" | "bad" } {
  const failed = findings.filter(({ status }) => status === "FAILED");
  if (failed.some(({ check }) => !STILL_SENT.includes(check))) return { words: "Messages fail or are not received until this is fixed.", tone: "bad" };
  if (failed.length > 0) return { words: "Messages are still sent, but WhatsApp may restrict a number of low quality.", tone: "warn" };
  if (findings.some(({ status }) => status !== "OK")) return { words: "No check failed, but some report a warning or could not be made.", tone: "warn" };
  return { words: "Everything is fine.", tone: "good" };
}

/** The place in the console where a remedy can be carried out, which the API's words leave open. */
export function placeFor({ check, subject, remedy = "" }: PlatformCheckFinding, profiles: ChatBusinessProfile[]): { label: string; href: string } | undefined {
  if (check === "number_registration" && subject && /register/i.test(remedy)) return { label: "Verify and register it on the page of the number", href: to("numbers", subject) };
  if (!/Connect the account|business-profiles/i.test(remedy)) return undefined;
  const account = profiles.find(({ id, phoneNumbers }) => id === subject || phoneNumbers.some((one) => one.id === subject));
  return { label: "Connect it here with a token, or create an onboarding link", href: toWith(["accounts", "connect"], { account: account?.providerWabaId }) };
}

export interface Group {
  key: string;
  title: string;
  href?: string;
  findings: PlatformCheckFinding[];
}

/** Findings by what they are about, in the API's order. Objects of the other mode are left out. */
export function groupsOf(findings: PlatformCheckFinding[], profiles: ChatBusinessProfile[], isTest: boolean): Group[] {
  const subjects = subjectsOf(profiles);
  const groups = new Map<string, Group>();
  for (const finding of findings) {
    const key = finding.subject ?? "";
    const about = subjects.get(key);
    if (about && about.isTest !== isTest) continue;
    const group = groups.get(key) ?? { key, title: key ? (about?.title ?? key) : "Installation", ...(key && { href: to(key.startsWith("wapn_") ? "numbers" : "accounts", key) }), findings: [] };
    group.findings.push(finding);
    groups.set(key, group);
  }
  return [...groups.values()];
}

function subjectsOf(profiles: ChatBusinessProfile[]): Map<string, { title: string; isTest: boolean }> {
  const numbers = profiles.flatMap(({ phoneNumbers, businessName, isTestProfile }) =>
    phoneNumbers.map(({ id, displayPhoneNumber }) => [id, { title: `${displayPhoneNumber} · ${businessName}`, isTest: isTestProfile }] as const),
  );
  return new Map([...profiles.map(({ id, businessName, isTestProfile }) => [id, { title: businessName, isTest: isTestProfile }] as const), ...numbers]);
}

/** Whether a group has no problem. */
export function isFine({ findings }: Group): boolean {
  return findings.every(({ status }) => status === "OK");
}
