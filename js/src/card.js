/**
 * The widget: it puts the viewer into a cell and keeps it in step with the Python side.
 *
 * In Jupyter this module runs once a kernel, as a widget without a view, and the cards' own modules (stub.js) ask it for
 * `mount`. Elsewhere each card is a widget of its own, and `render` is what the host calls.
 */
import { createElement } from "react";
import { createRoot } from "react-dom/client";

import CogLogViewer from "./CogLogViewer.jsx";
import { copyText } from "./copy.js";
import { pageTheme, watchPageTheme } from "./page-theme.js";
import { watchPrinting } from "./printing.js";
import { replaceTwin } from "./twin.js";

/**
 * @typedef {import("./CogLogViewer.jsx").Turn} Turn
 * @typedef {import("./CogLogViewer.jsx").Field} Field
 * @typedef {import("./CogLogViewer.jsx").ViewerProps} ViewerProps
 *
 * @typedef {{
 *   get(name: string): any,
 *   on(event: string, callback: () => void): void,
 *   off(event: string, callback: () => void): void,
 * }} Model what a card needs of anywidget's model
 *
 * @typedef {{ model: Model, el: HTMLElement, signal?: AbortSignal }} View
 *
 * @typedef {{ fields: Field[], schema: unknown }} Shared what is the same in every card, so that it is sent once
 */

const FOLLOWED = ["change:turn", "change:session", "change:theme"];

/**
 * @param {Model} model
 * @param {Shared} shared
 * @returns {ViewerProps}
 */
function propsOf(model, shared) {
  const turn = model.get("turn");
  const { entry } = turn;
  const whole = "_schema" in entry ? entry : { ...entry, _schema: shared.schema };
  return {
    turn: { ...turn, entry: whole, fields: shared.fields },
    session: model.get("session") || null,
    theme: model.get("theme"),
  };
}

/**
 * Shows a model's turn in an element until the signal aborts or the returned function is called.
 * @param {View & { library: Model | null }} view
 * @returns {() => void}
 */
function mount({ model, el, signal, library }) {
  const page = el.ownerDocument;
  const place = page.createElement("div");
  /** @type {ReturnType<typeof createRoot> | null} */
  let root = null;
  let printing = false;
  let showTwin = () => {};
  /** @param {string} text */
  const onCopy = (text) => copyText(page, text);

  const unmount = () => {
    try {
      root?.unmount();
    } finally {
      root = null;
      place.replaceChildren();
    }
  };

  const draw = () => {
    try {
      const props = propsOf(model, (library ?? model).get("shared"));
      root ??= createRoot(place);
      root.render(createElement(CogLogViewer, { ...props, pageTheme: pageTheme(page), printing, onCopy }));
    } catch (error) {
      // A cell that stays blank tells nobody what happened; the next change of the model starts afresh.
      unmount();
      showTwin();
      const message = page.createElement("pre");
      message.className = "coglog-error";
      message.setAttribute("role", "alert");
      message.textContent = `CogLog can't show this turn: ${error}`;
      place.append(message);
      console.error(error);
    }
  };

  if (signal?.aborted) return () => {};

  el.append(place);
  for (const event of FOLLOWED) model.on(event, draw);
  const stopWatching = watchPageTheme(page, draw);
  const stopPrinting = watchPrinting(page, (now) => {
    printing = now;
    draw();
  });
  draw();
  // A host puts the element into the page only after it was filled.
  const frame = page.defaultView?.requestAnimationFrame(() => {
    if (place.querySelector(".coglog-live")) showTwin = replaceTwin(el);
  });

  const leave = () => {
    if (frame !== undefined) page.defaultView?.cancelAnimationFrame(frame);
    showTwin();
    signal?.removeEventListener("abort", leave);
    stopWatching();
    stopPrinting();
    for (const event of FOLLOWED) model.off(event, draw);
    unmount();
    place.remove();
  };
  signal?.addEventListener("abort", leave);
  return leave;
}

export default {
  /** @param {{ model: Model }} library */
  initialize({ model: library }) {
    return { mount: (/** @type {View} */ view) => mount({ ...view, library }) };
  },

  /** @param {View} view */
  render({ model, el, signal }) {
    return mount({ model, el, signal, library: null });
  },
};
