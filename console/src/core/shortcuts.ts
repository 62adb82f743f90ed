// Keyboard shortcuts. Keys that are typed into a field are not shortcuts.
export interface Shortcuts {
  /** A key, or `g` and a key. */
  [keys: string]: () => void;
}

/** Listens until the returned function is called. */
export function listen(shortcuts: () => Shortcuts): () => void {
  let first = "";
  let firstAt = 0;
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target) || document.querySelector("dialog[open]")) return;
    const isSecond = first !== "" && Date.now() - firstAt < 1500;
    const keys = isSecond ? `${first} ${event.key}` : event.key;
    first = event.key === "g" && !isSecond ? "g" : "";
    firstAt = Date.now();
    const run = shortcuts()[keys];
    if (!run) return;
    event.preventDefault();
    run();
  };
  document.addEventListener("keydown", pressed);
  return () => document.removeEventListener("keydown", pressed);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
