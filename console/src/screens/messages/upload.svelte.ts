// A file on its way to the API.
import type { Media, Progress } from "messaging";

import { appClient } from "../../core/clients";

export class Upload {
  isBusy = $state(false);
  name = $state("");
  progress = $state.raw<Progress>();
  problem = $state<unknown>();
  #abort: AbortController | undefined;

  /** Uploads a file and returns its medium, or nothing if that failed or was stopped. */
  async start(appId: string, file: File): Promise<Media | undefined> {
    this.stop();
    const abort = new AbortController();
    this.#abort = abort;
    this.isBusy = true;
    this.name = file.name;
    this.problem = undefined;
    this.progress = { loaded: 0, total: file.size };
    try {
      return await appClient(appId).media.upload(file, { signal: abort.signal, onProgress: (progress) => (this.progress = progress) });
    } catch (error) {
      if (!abort.signal.aborted) this.problem = error;
      return undefined;
    } finally {
      if (this.#abort === abort) this.isBusy = false;
    }
  }

  stop(): void {
    this.#abort?.abort();
    this.#abort = undefined;
    this.isBusy = false;
  }
}
