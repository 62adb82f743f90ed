// The apps of the mode, with the error if they cannot be loaded.
import type { App } from "messaging";

import { appsOfMode } from "../../../core/apps";

export class Apps {
  all = $state.raw<App[]>([]);
  problem = $state<unknown>();
  isLoaded = $state(false);

  constructor(may: () => boolean) {
    if (may()) void this.load();
  }

  load = async (): Promise<void> => {
    this.problem = undefined;
    try {
      this.all = await appsOfMode();
      this.isLoaded = true;
    } catch (error) {
      this.problem = error;
    }
  };
}
