// The page of an onboarding link. It talks to this API only: the platform's signup is reached by leaving the page and coming
// back. The token of the link comes in the fragment. It leaves the address bar at once, and is kept in this tab's storage only
// from leaving for the platform until the link has ended.
const TOKEN = "onboarding-token";
const RETURNED = "onboarding-returned";
const RETRIES = 5;
const LONGEST_WAIT = 30;
// The same request has the same outcome: another signup is needed.
const FINAL = [400, 404, 409, 422];
const view = document.querySelector("#onboarding");
const base = new URL(".", location.href);
let token;
let onboarding;

/** Returns the token from the fragment, else the one of the signup that the browser comes back from. */
function takeToken() {
  const fragment = location.hash.slice(1);
  if (!fragment.startsWith("onboarding_")) return sessionStorage.getItem(TOKEN);
  // Another link than the one before, whose signup must not continue with this token.
  if (fragment !== sessionStorage.getItem(TOKEN)) forget();
  return fragment;
}

/** Returns what the platform has sent to this page, if it has. A reload returns the same. */
function takeReturned() {
  const query = new URLSearchParams(location.search);
  if (query.has("code") && query.has("state")) {
    const returned = { code: query.get("code"), state: query.get("state") };
    sessionStorage.setItem(RETURNED, JSON.stringify(returned));
    return returned;
  }
  return query.has("error") ? { error: query.get("error") } : JSON.parse(sessionStorage.getItem(RETURNED));
}

function forget() {
  sessionStorage.removeItem(TOKEN);
  sessionStorage.removeItem(RETURNED);
}

async function call(method, path, body) {
  const headers = { Authorization: `Bearer ${token}` };
  if (body) headers["Content-Type"] = "application/json";
  try {
    const options = { method, headers, body: body && JSON.stringify(body), cache: "no-store", redirect: "error" };
    const response = await fetch(new URL(path, base), options);
    const data = await response.json();
    return { status: response.status, data, wait: Number(response.headers.get("Retry-After")) };
  } catch {
    return { status: 0, wait: 0 };
  }
}

function element(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, more);
}

/** Replaces what the page shows. The focus moves to the heading, so that screen readers read it and Tab leads on. */
function show(title, texts, actions = [], steps = []) {
  const heading = element("h1", title, { tabIndex: -1 });
  const list = element("ol", "", { className: "steps" });
  list.append(...steps.map(([text, state]) => element("li", text, { className: state })));
  const row = element("p", "", { className: "actions" });
  row.append(...actions);
  const parts = [heading, ...texts.filter(Boolean).map((text) => element("p", text))];
  view.replaceChildren(...parts, ...(steps.length ? [list] : []), ...(actions.length ? [row] : []));
  document.title = title;
  heading.focus();
}

function button(text, action) {
  const made = element("button", text, { type: "button" });
  made.addEventListener("click", () => {
    for (const other of view.querySelectorAll("button")) other.disabled = true;
    action();
  });
  return made;
}

function steps(connecting, connected) {
  return [
    ["Permission given to Meta: done", "done"],
    [connecting, connected ? "done" : "current"],
    [connected ? "Account connected: done" : "Account connected: not yet", connected ? "done" : "open"],
  ];
}

const ENDED = {
  COMPLETED: ["The account is connected", "You can close this page."],
  FAILED: ["The account could not be connected", "Ask for a new link, and try again."],
  EXPIRED: ["This link has expired", "Ask for a new link."],
  CANCELLED: ["This link was cancelled", "No account was connected with it."],
};

function showEnded({ status, error, continueUrl }) {
  forget();
  const [title, text] = ENDED[status];
  const actions = continueUrl ? [element("a", `Continue to ${new URL(continueUrl).host}`, { href: continueUrl })] : [];
  const done = status === "COMPLETED" ? steps("Account set up: done", true) : [];
  show(title, [error?.message, text], actions, done);
}

/** Shows why a request failed, and how to go on. */
function showFailure(reply, retry) {
  if (reply.status === 401) {
    forget();
    show("This link is not valid", ["Open the whole link again as you received it, or ask for a new one."]);
    return;
  }
  const reason = reply.data?.error?.message ?? "The service could not be reached.";
  show("That did not work", [reason], [button("Try again", retry)]);
}

function showQuestion(note) {
  const { organizationName, installationName, isTestLink } = onboarding;
  const until = new Date(onboarding.expiresAt).toLocaleString();
  const texts = [
    note,
    `${organizationName} requests access to your WhatsApp Business account, to send and receive messages with its numbers through ${installationName}.`,
    "Continue takes you to Meta, where you sign in, choose the account and give permission. Then you return to this page.",
    isTestLink && "This is a test: the account is simulated, and no messages are delivered.",
    `This link is valid until ${until}.`,
  ];
  show("Connect your WhatsApp Business account", texts, [button("Continue", begin), button("Cancel", cancel)]);
}

async function begin() {
  sessionStorage.removeItem(RETURNED);
  const reply = await call("PUT", "v1/onboarding/signup");
  if (reply.status !== 200) {
    await (reply.status === 409 ? open(reply) : showFailure(reply, begin));
    return;
  }
  sessionStorage.setItem(TOKEN, token);
  location.assign(reply.data.url);
}

async function cancel() {
  const reply = await call("POST", "v1/onboarding/cancel");
  if (reply.status === 200) showEnded(reply.data);
  else showFailure(reply, cancel);
}

async function complete(returned) {
  for (let attempt = 0; ; attempt++) {
    const name = onboarding.organizationName;
    show(`Connecting your account to ${name}`, ["Keep this page open."], [], steps("Setting up the account …", false));
    const reply = await call("POST", "v1/onboarding/complete", returned);
    if (reply.status === 200) return showEnded(reply.data);
    if (FINAL.includes(reply.status) && !(reply.wait > 0)) {
      sessionStorage.removeItem(RETURNED);
      const { message, additional_info: hints = [] } = reply.data?.error ?? {};
      return show("Start the signup again", [message, ...hints], [button("Start again", begin), button("Cancel", cancel)]);
    }
    if (!(reply.wait > 0) || attempt === RETRIES) return showFailure(reply, () => complete(returned));
    await new Promise((resume) => setTimeout(resume, 1000 * Math.min(reply.wait, LONGEST_WAIT)));
  }
}

/** Reads the link, and shows what is to be done. `refused` is the response that made this necessary. */
async function open(refused) {
  const reply = await call("GET", "v1/onboarding");
  if (reply.status !== 200) return showFailure(reply, () => open());
  onboarding = reply.data;
  if (onboarding.status !== "PENDING") return showEnded(onboarding);
  if (refused) return showFailure(refused, () => open());
  const returned = takenReturned;
  takenReturned = null;
  if (returned?.code) return complete(returned);
  return showQuestion(returned?.error && "You did not give permission. You can continue again, or cancel.");
}

token = takeToken();
let takenReturned = takeReturned();
history.replaceState(null, "", location.pathname);
if (token) open();
else show("This link is not complete", ["Open the whole link again as you received it."]);
