// The app that uploads example files: any app of the mode will do, since files belong to the organization.
import type { App } from "messaging";

import { appsOfMode } from "../../core/apps";

interface Found {
  first: App | undefined;
  isLoaded: boolean;
}

/** Looks for the first app of the mode. */
export function firstApp(): Found {
  const found = $state<Found>({ first: undefined, isLoaded: false });
  void appsOfMode().then(
    ([first]) => Object.assign(found, { first, isLoaded: true }),
    () => (found.isLoaded = true),
  );
  return found;
}
