// Renders the OpenAPI document. The options keep the renderer from loading anything from other hosts.
const target = document.querySelector("#reference");
const { document: path, docs, api } = target.dataset;
// The address that the page came from. "Test request" uses it, unless it is the documentation's own address.
const base = new URL(".", location.href).href.replace(/\/$/, "");
const METHODS = ["post", "get", "put", "patch", "delete"];

/**
 * Returns the sort key of an operation among those of its tag. An app's operations come before the organization's, and
 * what belongs to an object comes after the objects themselves; then the path decides, and creating precedes reading.
 */
function rank({ path, method }) {
  const isEvent = !path.startsWith("/");
  const isOrganization = path.startsWith("/v1/organization/");
  // An object comes right after the list of its kind.
  const place = isEvent ? "" : path.replace(/\{[^}]*\}$/, "!");
  return [isEvent, isOrganization, place.includes("{"), place, METHODS.indexOf(method.toLowerCase())];
}

function compare(one, other) {
  const [left, right] = [rank(one), rank(other)];
  const place = left.findIndex((value, index) => value !== right[index]);
  return place === -1 ? 0 : left[place] < right[place] ? -1 : 1;
}

Scalar.createApiReference(target, {
  url: new URL(path, location.href).href,
  servers: [{ url: docs === base ? api : base }],
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: true,
  operationsSorter: compare,
  // The samples are plain HTTP, not libraries.
  localization: { translations: { clientLibraries: { heading: "Language of the samples" } } },
  featuredClients: ["shell/curl", "js/fetch", "python/requests"],
});
