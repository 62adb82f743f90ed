// The page on which members sign in with a link, and see that they are. The token of a link comes in the fragment and leaves
// the address bar at once. It is used up on a click, so that nobody is signed in by opening an address.
const view = document.querySelector("#sign-in");
const base = new URL(".", location.href);
const OVER = "This link was used, has expired, or is damaged. Ask for a new one.";
const PROBLEMS = {
  cancelled: "The sign-in was cancelled.",
  expired: "The sign-in took too long, or began in another browser. Try again.",
  refused: "The identity provider's response was refused. Try again, and tell whoever runs this installation if it happens again.",
  unavailable: "The identity provider cannot be reached. Try again later, or ask for a sign-in link.",
  suspended: "Your membership is suspended. Ask an owner of your organization.",
  "no-membership": "Nobody has invited your address. Ask an owner of your organization to invite it.",
  "no-verified-address": "The identity provider does not vouch for your address, so nobody knows who you are. Verify it there.",
  "no-provider": "This installation has no identity provider. Ask for a sign-in link.",
};
const ROLES = { OWNER: "Owner", ADMIN: "Admin", DEVELOPER: "Developer", SUPPORT: "Support", VIEWER: "Viewer" };

/** Calls the API. The cookie of the session goes along, and `token` replaces it if there is one. */
async function call(method, path, { token, body } = {}) {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  if (method !== "GET") headers["Content-Type"] = "application/json";
  const options = { method, headers, body: body && JSON.stringify(body), cache: "no-store", redirect: "error" };
  try {
    const response = await fetch(new URL(path, base), options);
    return { status: response.status, data: await response.json() };
  } catch {
    return { status: 0, data: {} };
  }
}

function element(name, text, more = {}) {
  return Object.assign(document.createElement(name), { textContent: text }, more);
}

/** Replaces what the page shows. The focus moves to the heading, so that screen readers read it and Tab leads on. */
function show(title, texts, actions = []) {
  const heading = element("h1", title, { tabIndex: -1 });
  const buttons = element("p", "", { className: "actions" });
  for (const [label, act] of actions) {
    buttons.append(element("button", label, { type: "button", onclick: act }));
  }
  view.replaceChildren(heading, ...texts.map((text) => element("p", text)), ...(actions.length ? [buttons] : []));
  document.title = title;
  heading.focus();
}

/** How to sign in without a link, if the installation has an identity provider. */
function ways() {
  const { provider } = view.dataset;
  return provider ? [[`Sign in with ${provider}`, () => location.assign(new URL("v1/sign-in", base))]] : [];
}

function whyNot({ status, data }) {
  if (status === 0) return "The server could not be reached. Check your connection and try again.";
  return data.error?.message ?? (typeof data.error === "string" ? data.error : "Something went wrong. Try again later.");
}

async function start() {
  const token = location.hash.slice(1);
  if (token.startsWith("problem=")) {
    history.replaceState(null, "", location.pathname);
    return show("You are not signed in", [PROBLEMS[token.slice(8)] ?? "Something went wrong."], ways());
  }
  // The identity provider has signed somebody in.
  if (token === "done") {
    history.replaceState(null, "", location.pathname);
    return goOn();
  }
  if (!token.startsWith("signin_")) return showSession();
  history.replaceState(null, "", location.pathname);
  const [link, session] = [await call("GET", "v1/sign-in/link", { token }), await call("GET", "v1/session")];
  if (link.status === 0 || link.status >= 500) return show("Sign in", [whyNot(link)], [["Try again", () => reopen(token)]]);
  if (link.status !== 200) return show("This link does not work", [OVER]);
  // Whoever is signed in already must be named, so nothing goes on without knowing it.
  if (session.status !== 200 && session.status !== 401) {
    return show("Sign in", [whyNot(session)], [["Try again", () => reopen(token)]]);
  }
  offer(token, link.data, session.status === 200 ? session.data : undefined);
}

function reopen(token) {
  location.hash = token;
}

/** Asks before anything happens, and names whoever is signed in already. */
function offer(token, link, session) {
  const as = `${link.email} (${ROLES[link.role]})`;
  const texts = [`You sign in to ${link.organizationName} as ${as}. The link works once.`];
  if (session) {
    texts.push(`${session.member.email} of ${session.organization.name} is signed in here, and will be signed out.`);
  }
  show(`Sign in to ${link.organizationName}`, texts, [["Sign in", () => signIn(token, session)]]);
}

async function signIn(token, session) {
  // A second click would find the link used.
  for (const button of view.querySelectorAll("button")) button.disabled = true;
  if (session) {
    const ended = await call("DELETE", "v1/session");
    if (ended.status !== 200 && ended.status !== 401) {
      return show("Sign in", [whyNot(ended)], [["Try again", () => signIn(token, session)]]);
    }
  }
  const begun = await call("POST", "v1/sign-in/link", { body: { token } });
  if (begun.status === 200) return goOn();
  if (begun.status === 404) return show("This link does not work", [OVER]);
  show("Sign in", [whyNot(begun)], [["Try again", () => signIn(token)]]);
}

/** Leads on to the console, if the installation has one, without a way back to a page that is done. */
function goOn() {
  const page = view.dataset.console;
  return page ? location.replace(new URL(page, base)) : showSession();
}

async function showSession() {
  const { status, data } = await call("GET", "v1/session");
  if (status === 401) return show("You are not signed in", ["Open a sign-in link. Whoever manages members can create one for you."], ways());
  if (status !== 200) return show("Sign in", [whyNot({ status, data })], [["Try again", showSession]]);
  const until = new Date(data.expiresAt).toLocaleString();
  const name = data.member.name ? `${data.member.name}, ${data.member.email}` : data.member.email;
  const texts = [`You are ${name}.`, `Role: ${ROLES[data.role]}.`, `Signed in until ${until} at least.`];
  const others = data.memberships.filter((other) => other.memberId !== data.member.id);
  const switches = others.map((other) => [`Switch to ${other.organization.name}`, () => switchTo(other.memberId)]);
  const onward = view.dataset.console ? [["Open the console", goOn]] : [];
  show(data.organization.name, texts, [...onward, ...switches, ["Sign out", signOut]]);
}

async function switchTo(memberId) {
  const begun = await call("PUT", "v1/session", { body: { memberId } });
  if (begun.status === 200) return showSession();
  show("Switch", [whyNot(begun)], [["Back", showSession]]);
}

async function signOut() {
  const ended = await call("DELETE", "v1/session");
  if (ended.status === 200 || ended.status === 401) return show("You have signed out", ["You can close this page."]);
  show("Sign out", [whyNot(ended)], [["Try again", signOut]]);
}

// A link that is pasted while the page is open changes only the fragment.
addEventListener("hashchange", start);
start();
