// The place that a link led to when its reader had to sign in first. Signing in may go on in another tab, so this browser keeps it for a while.
import { recall, remember } from "./remember";

const KEPT_FOR = 900_000;

export function keepPlace(): void {
  if (isSomewhere()) remember("wanted", `${Date.now()} ${location.hash}`);
}

/** Goes to the place that was kept, once, unless the address names one. */
export function goToKeptPlace(): void {
  const [keptAt, place] = (recall("wanted") ?? "").split(" ");
  remember("wanted", undefined);
  if (place?.startsWith("#/") && !isSomewhere() && Date.now() - Number(keptAt) < KEPT_FOR) location.hash = place;
}

function isSomewhere(): boolean {
  return location.hash.replace(/^#?\/*/, "") !== "";
}
