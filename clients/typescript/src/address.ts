// The address of an installation.
import { MessagingError } from "./errors.ts";

/** Returns the address without a slash at its end. A key travels with every request: encrypted, or on this machine. */
export function checkedAddress(text = ""): string {
  const url = URL.canParse(text.trim()) ? new URL(text.trim()) : undefined;
  const isPrivate = url?.protocol === "https:" || (url?.protocol === "http:" && isThisMachine(url));
  if (url && isPrivate && !url.username && !url.search && !url.hash) return url.href.replace(/\/+$/, "");
  const problem = text ? "must be an https URL without credentials, query and fragment" : "is missing";
  const hint = "Pass the address of the installation, such as https://api.example.com; only this machine may use http.";
  throw new MessagingError(`baseUrl (or MESSAGING_BASE_URL) ${problem}. ${hint}`);
}

/** Whether a URL leads to this machine. */
export function isThisMachine({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|\[::1\]|127(\.\d+){3})$/.test(hostname);
}
