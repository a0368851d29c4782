/**
 * The exported page: the viewer and one turn in a file that needs nothing else. It runs in the page's head, after the
 * turn and before anything is painted, so that not even the ground behind the card is in the wrong theme for a moment.
 */
import { createElement } from "react";
import { createRoot } from "react-dom/client";

import CogLogViewer from "./CogLogViewer.jsx";
import { copyText } from "./copy.js";
import { watchPrinting } from "./printing.js";

/** @param {string} id */
const textOf = (id) => document.getElementById(id)?.textContent ?? "";

/** @type {{ turn: import("./CogLogViewer.jsx").Turn, session: string | null, theme: import("./CogLogViewer.jsx").Theme }} */
const { turn, session, theme } = JSON.parse(textOf("turn"));

/** @param {string} choice */
function onThemeChange(choice) {
  document.documentElement.style.colorScheme = choice === "system" ? "light dark" : choice;
}

onThemeChange(theme);
document.addEventListener("DOMContentLoaded", () => {
  const root = createRoot(/** @type {Element} */ (document.querySelector("main")));
  const onCopy = (/** @type {string} */ text) => copyText(document, text);
  const draw = (/** @type {boolean} */ printing) =>
    root.render(
      createElement(CogLogViewer, { turn, session, theme, printing, level: 1, onThemeChange, onCopy }),
    );
  watchPrinting(document, draw);
  draw(false);
});
