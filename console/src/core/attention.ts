// What needs attention, for screens that mark it at its objects.
import type { Attention } from "messaging";

import { AllPages } from "./load.svelte";
import { ask } from "./request";
import { session } from "./session.svelte";

/** All entries that the member may see; none for a role that may not see the list. */
export class AllAttention extends AllPages<Attention> {
  constructor() {
    super((cursor) => (session.may("organization.attention.list") ? ask("organization.attention.list", { limit: 100, cursor }) : undefined));
  }
}
