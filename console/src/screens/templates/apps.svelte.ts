// The app that uploads example files: any app of the mode will do, since a template accepts the files of all apps of its organization.
import type { App } from "messaging";

import { appsOfMode } from "../../core/apps";

interface Found {
  first: App | undefined;
  isLoaded: boolean;
  problem: unknown;
}

/** Looks for the first app of the mode. */
export function firstApp(): Found {
  const found = $state<Found>({ first: undefined, isLoaded: false, problem: undefined });
  void appsOfMode().then(
    ([first]) => Object.assign(found, { first, isLoaded: true }),
    (problem: unknown) => Object.assign(found, { problem, isLoaded: true }),
  );
  return found;
}
