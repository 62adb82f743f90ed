// The apps of the organization in the current mode.
import type { App } from "messaging";

import { allOf } from "./load.svelte";
import { mode } from "./mode.svelte";
import { ask } from "./request";

/** All apps of the mode. A live key sees those of both. */
export async function appsOfMode(): Promise<App[]> {
  const apps = await allOf<App>((cursor) => ask("organization.apps.list", { limit: 100, cursor }));
  return apps.filter((app) => app.isTestApp === (mode.current === "test"));
}
