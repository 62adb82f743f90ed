import { mount } from "svelte";

import App from "./App.svelte";
import "./style/tokens.css";
import "./style/base.css";
import "./style/controls.css";
import "./style/frame.css";
import "./style/lists.css";
import "./style/screens.css";

const place = document.querySelector("#app");
if (place) mount(App, { target: place });
