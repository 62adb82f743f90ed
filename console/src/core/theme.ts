// Light or dark: as the system says, unless the reader chose.
import { recall, remember } from "./remember";

export type Theme = "system" | "light" | "dark";

export function theme(): Theme {
  const kept = recall("theme");
  return kept === "light" || kept === "dark" ? kept : "system";
}

export function setTheme(wanted: Theme): void {
  remember("theme", wanted === "system" ? undefined : wanted);
  apply();
}

export function apply(): void {
  document.documentElement.dataset["theme"] = theme();
}
