// Small choices of the reader that this browser remembers. Never a key and nothing of a message: any script of the origin can read it.
export type Choice = "mode" | "theme" | "code-language" | "playground-app" | "playground-user" | "wanted";

export function recall(choice: Choice): string | undefined {
  try {
    return localStorage.getItem(choice) ?? undefined;
  } catch {
    // Browsers may forbid it.
    return undefined;
  }
}

export function remember(choice: Choice, value: string | undefined): void {
  try {
    if (value === undefined) localStorage.removeItem(choice);
    else localStorage.setItem(choice, value);
  } catch {
    // Then the choice lasts as long as the page.
  }
}
