// The states of accounts and links in words.
import type { ChatBusinessProfile, OnboardingLink } from "messaging";

import type { Tone } from "../../core/text";
import { timeOf, words } from "../../core/text";
import { verdictOf } from "../numbers/checks";

export interface State {
  label: string;
  tone: Tone;
}

/** The worst of what is known about an account: its connection, its review, and its last daily check. */
export function stateOf({ disconnectedAt, reviewDecision, health, tokenExpiresAt }: ChatBusinessProfile): State {
  if (disconnectedAt) return { label: "Disconnected", tone: "bad" };
  if (reviewDecision === "REJECTED") return { label: "Rejected by WhatsApp", tone: "bad" };
  if (health && verdictOf(health.problems).tone === "bad") return { label: "Messages fail", tone: "bad" };
  if (tokenExpiresAt && new Date(tokenExpiresAt) < new Date()) return { label: "Token ended", tone: "bad" };
  if (health && health.status !== "OK") return { label: "Limited", tone: "warn" };
  return { label: "Connected", tone: "good" };
}

/** Whether it is the account of the playground, which test apps need and which cannot be disconnected. */
export function isPlayground({ isTestProfile, providerWabaId }: ChatBusinessProfile): boolean {
  return isTestProfile && providerWabaId === "1000";
}

/** What has to be typed to disconnect an account: its name, or its id at WhatsApp if the name cannot be typed. */
export function confirmationOf({ businessName, providerWabaId }: ChatBusinessProfile): string {
  const canBeTyped = businessName.length <= 60 && businessName === businessName.trim() && /^[\p{L}\p{N}\p{P}\p{S} ]+$/u.test(businessName) && !businessName.includes("  ");
  return canBeTyped ? businessName : providerWabaId;
}

/** What a link is called: by your own value, else by when it was created. */
export function titleOf({ state, createdAt }: OnboardingLink): string {
  if (state) return state;
  const isToday = new Date(createdAt).toDateString() === new Date().toDateString();
  return `Link of ${isToday ? "today, " : ""}${timeOf(createdAt)}`;
}

const LINKS: Record<string, State> = {
  PENDING: { label: "Open", tone: "busy" },
  COMPLETED: { label: "Account connected", tone: "good" },
  FAILED: { label: "Failed", tone: "bad" },
  EXPIRED: { label: "Expired", tone: "warn" },
  CANCELLED: { label: "Cancelled", tone: "plain" },
};

export function linkState({ status }: OnboardingLink): State {
  return LINKS[status] ?? { label: words(status), tone: "plain" };
}
