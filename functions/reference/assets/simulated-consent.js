// Takes the place of the platform's signup for test links, and sends the browser back as the platform does.
const query = new URLSearchParams(location.search);
// The platform, too, makes a new code each time: one that was used connects nothing once its account was disconnected.
const code = `simulated.${crypto.getRandomValues(new Uint32Array(3)).join("")}`;
const outcomes = { give: ["code", code], refused: ["code", "refused"], deny: ["error", "access_denied"] };
for (const [id, [name, value]] of Object.entries(outcomes)) {
  const button = document.querySelector(`#${id}`);
  button.disabled = false;
  button.addEventListener("click", () => {
    const back = new URL("../onboarding", location.href);
    back.search = new URLSearchParams({ [name]: value, state: query.get("state") ?? "" });
    location.assign(back);
  });
}
