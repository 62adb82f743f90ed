// Live or test: which objects are shown, and which key is used.
import { recall, remember } from "./remember";

export type Mode = "live" | "test";

class ModeState {
  current = $state<Mode>(recall("mode") === "live" ? "live" : "test");

  switchTo(mode: Mode): void {
    this.current = mode;
    remember("mode", mode);
  }
}

export const mode = new ModeState();

/** Whether an id is one of a test object. Those of accounts have no second underscore. */
export function isTestId(id: string): boolean {
  return /_test_|^wabp_(test|playground)/.test(id);
}
