// What links are made of and how they are opened.
import { BASE } from "../../core/session.svelte";

/** How long a link can be open, in seconds, from the shortest to the longest that the API allows. */
export const LIFETIMES: [number, string][] = [
  [900, "15 minutes"],
  [3600, "1 hour"],
  [86_400, "1 day"],
  [604_800, "7 days"],
  [2_592_000, "30 days"],
];

/** The JSON object in a text, or why the text is not one. */
export function metadataOf(text: string): { value?: Record<string, unknown>; error?: string } {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { value: value as Record<string, unknown> };
  } catch {
    // Reported below, like values that are not objects.
  }
  return { error: "This is not a JSON object." };
}

/** The address of the signup, if it is one of this installation: only such an address may be followed. */
export function ownAddress(url: string): string | undefined {
  return url.startsWith(`${BASE}/onboarding#`) ? url : undefined;
}

/** The host of an address, to tell links apart. */
export function hostOf(url: string): string {
  return /^https?:\/\/([^/?#]+)/i.exec(url)?.[1] ?? url;
}
