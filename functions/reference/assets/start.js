// Hands the document to the renderer, and keeps the renderer from asking anybody else for anything.
const target = document.querySelector("#reference");
Scalar.createApiReference(target, {
  url: new URL(target.dataset.document, location.href).href,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: "never",
  hideClientButton: true,
  persistAuth: false,
  defaultOpenFirstTag: true,
});
