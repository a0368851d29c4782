/**
 * The exported page: the viewer and one turn in one file. The script runs in the page's head, after the turn's data and
 * before the browser paints, so that the ground behind the card never flashes in the wrong theme.
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
