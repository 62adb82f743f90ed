// The way from an empty organization to its first live message.
import type { Mode } from "../../core/mode.svelte";
import { to, toWith } from "../../core/route.svelte";
import type { Checks, State } from "./checks.svelte";

export interface Step {
  title: string;
  /** Why, and how. Only shown while it is not done. */
  about: string;
  mode: Mode;
  /** Where it is done, or its result once it is done. */
  href: string;
  state: State;
  /** The operation with which it is checked. */
  needs: string;
}

interface Place extends Omit<Step, "mode"> {
  /** Where its result is, if that is another place. */
  result?: string | undefined;
}

/** What live mode needs that members cannot do in the console. */
export function hintsOf(checks: Checks): string[] {
  const meta = "Before the first account: the operator of this installation sets up an app at Meta, see docs/connecting-whatsapp.md in the repository.";
  const sms = "SMS needs a number that the operator links, see docs/sms.md. No WhatsApp account is needed for it.";
  return ["done", "busy"].includes(checks.hasAccount) ? [sms] : [meta, sms];
}

export function stepsOf(checks: Checks): Step[] {
  const inMode = (mode: Mode, places: Place[]) =>
    places.map(({ result, ...step }) => ({ ...step, mode, href: step.state === "done" ? (result ?? step.href) : step.href }));
  return [...inMode("test", testSteps(checks)), ...inMode("live", liveSteps(checks))];
}

function testSteps(checks: Checks): Place[] {
  const app = checks.testApps[0]?.id;
  return [
    {
      title: "Create a test app",
      about: "It comes with a simulated WhatsApp number: nothing is sent to real people, and nothing is charged.",
      href: to("apps", "new"), result: app ? to("apps", app) : to("apps"), state: checks.hasApp, needs: "organization.apps.list",
    },
    {
      title: "Send a message from the test number",
      about: "To any number: the user is simulated. The playground shows what arrives on their phone.",
      href: toWith(["messages", "send"], { app }), result: to("messages"), state: checks.hasSent, needs: "organization.usage.list",
    },
    {
      title: "Answer it as the user",
      about: "Write to the app in the playground, as its users will.",
      href: toWith(["playground"], { app, user: checks.lastRecipient }), state: checks.hasReceived, needs: "organization.usage.list",
    },
    {
      title: "Create a webhook",
      about: "Events, such as a message that was received, are sent to your program.",
      href: toWith(["webhooks", "new"], { app }), result: to("webhooks"), state: checks.hasWebhook, needs: "organization.apps.webhooks.list",
    },
    {
      title: "Have an event delivered",
      about: "Your program has to respond with a status from 200 to 299. Send it a test event.",
      href: to("webhooks"), state: checks.hasDelivered, needs: "organization.usage.list",
    },
    {
      title: "Create a key for your program",
      about: "With it, your program sends messages as the test app.",
      href: app ? to("apps", app, "keys", "new") : to("apps"), result: app ? to("apps", app) : to("apps"), state: checks.hasTestKey, needs: "organization.apps.keys.list",
    },
  ];
}

function liveSteps(checks: Checks): Place[] {
  const app = checks.liveApps[0]?.id;
  return [
    {
      title: "Connect a WhatsApp account",
      about: "With a token, or with a link that the owner of the account opens.",
      href: to("accounts"), state: checks.hasAccount, needs: "organization.chat.businessProfiles.list",
    },
    {
      title: "Register a number and assign it to a live app",
      about: app ? "A number sends and receives for the apps that it is assigned to." : "Create a live app first, then assign the number to it.",
      href: to("numbers"), state: checks.hasNumber, needs: "organization.chat.phoneNumbers.list",
    },
    {
      title: "Get a template approved",
      about: "Users who have not written in the last 24 hours can be sent templates only. WhatsApp reviews each.",
      href: to("templates"), state: checks.hasTemplate, needs: "organization.chat.businessProfiles.list",
    },
    {
      title: "Create a key of the live app",
      about: app ? "Your program uses it in place of the test key." : "Create a live app first. Its key takes the place of the test key in your program.",
      href: app ? to("apps", app, "keys", "new") : to("apps", "new"), result: app ? to("apps", app) : to("apps"), state: checks.hasLiveKey, needs: "organization.apps.keys.list",
    },
    {
      title: "Deliver the first live message",
      about: "Done when WhatsApp or the carrier reports a message as delivered; it can take some minutes to be counted.",
      href: to("messages", "send"), result: to("messages"), state: checks.hasLiveMessage, needs: "organization.usage.list",
    },
  ];
}
