// The message after the settings were saved.
import type { OrganizationSettings, UpdateOrganizationSettings } from "messaging";

import { many } from "../../../core/text";

export function savedWords(body: UpdateOrganizationSettings, now: OrganizationSettings): string {
  const said = [
    body.name !== undefined && `the organization is called ${now.name}`,
    body.messageRetentionDays !== undefined && `messages are kept for ${many(now.messageRetentionDays, "day")}`,
    body.mediaRetentionDays !== undefined && `media is kept for ${many(now.mediaRetentionDays, "day")}`,
  ];
  return `Saved: ${said.filter(Boolean).join(", ")}.`;
}
