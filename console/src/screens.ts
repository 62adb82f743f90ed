// The screens: their names, their keyboard shortcuts, and what a member needs to see them.
import type { Component } from "svelte";

export interface Screen {
  path: string;
  label: string;
  /** The key that opens it after `g`. */
  key: string;
  /** The operation without which it shows nothing. */
  needs?: string;
  load: () => Promise<{ default: Component }>;
}

export const SCREENS: Screen[] = [
  { path: "start", label: "Start", key: "s", load: () => import("./screens/start/Start.svelte") },
  { path: "messages", label: "Messages", key: "m", needs: "organization.chat.phoneNumbers.list", load: () => import("./screens/messages/Messages.svelte") },
  { path: "webhooks", label: "Webhooks", key: "w", needs: "organization.apps.webhooks.list", load: () => import("./screens/webhooks/Webhooks.svelte") },
  { path: "playground", label: "Playground", key: "p", needs: "playground.scenarios.list", load: () => import("./screens/playground/Playground.svelte") },
  { path: "apps", label: "Apps and keys", key: "a", needs: "organization.apps.list", load: () => import("./screens/apps/Apps.svelte") },
  { path: "numbers", label: "Numbers", key: "n", needs: "organization.chat.phoneNumbers.list", load: () => import("./screens/numbers/Numbers.svelte") },
  { path: "accounts", label: "Accounts", key: "c", needs: "organization.chat.businessProfiles.list", load: () => import("./screens/accounts/Accounts.svelte") },
  { path: "templates", label: "Templates", key: "e", needs: "organization.chat.templates.list", load: () => import("./screens/templates/Templates.svelte") },
  { path: "usage", label: "Usage", key: "u", needs: "organization.usage.list", load: () => import("./screens/usage/Usage.svelte") },
  { path: "organization", label: "Organization", key: "o", load: () => import("./screens/organization/Organization.svelte") },
];

/** Loads a screen, and once more if that failed: the network may have been away for a moment. */
export async function load(screen: Screen): Promise<Component> {
  try {
    return (await screen.load()).default;
  } catch {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return (await screen.load()).default;
  }
}
