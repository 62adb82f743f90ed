// Repeats work while somebody is watching: neither while the page is hidden, nor after ten minutes without input.
const PATIENCE = 600_000;
let lastInput = Date.now();
const sleepers = new Set<() => void>();

// Not "scroll": a list that grows by itself scrolls, too.
for (const kind of ["pointerdown", "pointermove", "keydown", "wheel", "touchstart"]) {
  addEventListener(kind, () => noticed(), { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => document.hidden || noticed());

function noticed(): void {
  const wasAway = !isWatched();
  lastInput = Date.now();
  if (wasAway || sleepers.size > 0) wake();
}

function wake(): void {
  if (!isWatched()) return;
  const all = [...sleepers];
  sleepers.clear();
  for (const resume of all) resume();
}

/** Whether somebody seems to look at the page. */
export function isWatched(): boolean {
  return !document.hidden && Date.now() - lastInput < PATIENCE;
}

/** Calls `work` repeatedly, this many milliseconds after its last call ended. Returns a function that stops it, as effects expect. */
export function every(milliseconds: number, work: () => Promise<unknown> | void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const step = async () => {
    if (isOver) return;
    if (!isWatched()) return void sleepers.add(step);
    try {
      await work();
    } finally {
      plan();
    }
  };
  const plan = () => {
    if (!isOver) timer = setTimeout(step, milliseconds);
  };
  plan();
  return () => {
    isOver = true;
    clearTimeout(timer);
    sleepers.delete(step);
  };
}
