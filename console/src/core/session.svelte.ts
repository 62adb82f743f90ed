// Who is signed in, and what they may do.
import { Messaging, MessagingError, type MemberRole, type Session } from "messaging";

import { mode } from "./mode.svelte";
import { operation } from "./operations";
import { goToKeptPlace, keepPlace } from "./wanted";

/** The address of the installation, without a slash at its end. The console is at `/console` below it. */
export const BASE = new URL(".", location.href).href.replace(/\/$/, "");
/** Sends the requests that the session's cookie authenticates. */
export const cookieClient = new Messaging({ apiKey: null, baseUrl: BASE });

export const ROLES: Record<MemberRole, string> = {
  OWNER: "Owner",
  ADMIN: "Admin",
  DEVELOPER: "Developer",
  SUPPORT: "Support",
  VIEWER: "Viewer",
};
/** Scopes that a role has in test mode only. */
const TEST_ONLY: Record<string, string[]> = { DEVELOPER: ["keys:write"] };

/** For how long a session that was read is taken to be the current one, in milliseconds. */
const FRESH = 30_000;

class SessionState {
  now = $state.raw<Session>();
  problem = $state<unknown>();
  /** Whether it has ended while the console was open. */
  hasEnded = $state(false);
  // Strings, so that reading the session again repeats no request while the rights are the same.
  readonly #role = $derived(this.now?.role ?? "");
  readonly #scopes = $derived(this.now?.scopes?.join(" "));
  readonly #isThere = $derived(this.now !== undefined);
  #readAt = 0;

  async load(): Promise<void> {
    this.problem = undefined;
    try {
      const found = await cookieClient.session.get();
      if (this.now && this.now.member.id !== found.member.id) await beginAnew();
      if (!this.now) goToKeptPlace();
      this.now = found;
      this.#readAt = Date.now();
      this.hasEnded = false;
    } catch (error) {
      if (error instanceof MessagingError && error.status === 401 && !this.now) signInFirst();
      else if (error instanceof MessagingError && error.status === 401) this.hasEnded = true;
      else this.problem = error;
    }
  }

  /** Makes sure that the cookie still is that of the member whom the page shows: other tabs share it. */
  async confirm(): Promise<void> {
    if (Date.now() - this.#readAt > FRESH) await this.load();
  }

  async signOut(): Promise<void> {
    await cookieClient.session.delete();
    leave();
  }

  async switchTo(memberId: string): Promise<void> {
    await cookieClient.session.switch({ memberId });
    location.hash = "#/";
    location.reload();
  }

  /** Whether the member holds a scope in the current mode. `write` includes `read`, except for messages. */
  holds(scope: string): boolean {
    const scopes = this.#scopes?.split(" ");
    if (!scopes) return this.#isThere;
    if (mode.current === "test" && this.#mayInTest(scope)) return true;
    const [subject, access] = scope.split(":");
    return scopes.includes(scope) || (access === "read" && subject !== "messages" && scopes.includes(`${subject}:write`));
  }

  /** Whether the member may use an operation. */
  may(name: string): boolean {
    const { scope } = operation(name);
    return scope === undefined || this.holds(scope);
  }

  /** Why the member may not use an operation; nothing if they may. */
  whyNot(name: string): string | undefined {
    if (this.may(name)) return undefined;
    const { scope } = operation(name);
    return `Your role (${this.role}) does not have ${scope}${mode.current === "live" && this.#mayInTest(scope) ? " in live mode" : ""}.`;
  }

  get role(): string {
    return ROLES[this.#role as MemberRole] ?? this.#role;
  }

  #mayInTest(scope: string | undefined): boolean {
    return TEST_ONLY[this.#role]?.includes(scope ?? "") ?? false;
  }
}

function signInFirst(): void {
  keepPlace();
  leave();
}

function leave(): void {
  location.assign(`${BASE}/sign-in`);
}

/** Reloads, because another member has signed in and nothing that is shown is theirs. Never resolves, so that nothing more is done in their name. */
function beginAnew(): Promise<never> {
  location.reload();
  return new Promise(() => undefined);
}

// Browsers may keep the page that was left, with its keys, and show it again when somebody goes back.
addEventListener("pageshow", ({ persisted }) => persisted && location.reload());

export const session = new SessionState();
