/**
 * What the card, the form and the exercise have in common as widgets: each draws a component into a cell, draws it again
 * when the model or the page changes, hides the static card meanwhile, and leaves nothing behind at its end.
 */
import { createRoot } from "react-dom/client";

import { copyText } from "./copy.js";
import { pageTheme, watchPageTheme } from "./page-theme.js";
import { watchPrinting } from "./printing.js";
import { hideStaticFallback } from "./static-fallback.js";

/**
 * @typedef {(...values: any[]) => void} Callback
 *
 * @typedef {{
 *   get(name: string): any,
 *   on(event: string, callback: Callback): void,
 *   off(event: string, callback: Callback): void,
 * }} Model what a card needs of anywidget's model
 *
 * @typedef {Model & {
 *   set(name: string, value: unknown): void,
 *   save_changes(): void,
 *   send(message: unknown): void,
 * }} WritableModel what a widget needs that writes to its model
 *
 * @typedef {{ el: HTMLElement, signal?: AbortSignal }} Place where the host wants the widget, and until when
 *
 * @typedef {{
 *   pageTheme: "light" | "dark" | null,
 *   printing: boolean,
 *   onCopy: (text: string) => Promise<void>,
 * }} Surroundings what the page gives to every component
 *
 * @typedef {{
 *   draw: () => void,
 *   onModel: (event: string, callback: Callback) => void,
 *   onEvent: (target: EventTarget | null, event: string, callback: (event: Event) => void) => void,
 * }} Mounted draws the widget again, and listens to the model or to the page until the widget's end
 *
 * @typedef {{
 *   name: string,
 *   live: string,
 *   redrawsOn: string[],
 *   element: (surroundings: Surroundings) => import("react").ReactElement,
 *   start?: (mounted: Mounted) => () => void,
 *   placed?: () => void,
 * }} Widget `name` is for the error message. `live` is a selector for what shows that the widget has drawn. `redrawsOn` are
 *   the model's values that `element` reads. `start` runs before the first drawing and returns what to do at the end.
 *   `placed` runs when the element is in the page
 */

/**
 * Draws a widget until the signal aborts or the returned function is called.
 * @param {Place & { model: Model }} view
 * @param {Widget} widget
 * @returns {() => void}
 */
export function mountWidget({ model, el, signal }, { name, live, redrawsOn, element, start, placed }) {
  if (signal?.aborted) return () => {};
  const page = el.ownerDocument;
  const view = page.defaultView;
  const place = page.createElement("div");
  /** @type {ReturnType<typeof createRoot> | null} */
  let root = null;
  let printing = false;
  let showFallback = () => {};
  /** @type {(() => void)[]} */
  const cleanups = [];
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
      const drawn = element({ pageTheme: pageTheme(page), printing, onCopy });
      if (!root) {
        place.replaceChildren(); // an earlier error's message
        root = createRoot(place);
      }
      root.render(drawn);
    } catch (error) {
      // An empty cell would say nothing. The next change of the model tries again.
      unmount();
      showFallback();
      const message = page.createElement("pre");
      message.className = "coglog-error";
      message.setAttribute("role", "alert");
      message.textContent = `CogLog can't show this ${name}: ${error}`;
      place.append(message);
      console.error(error);
    }
  };

  /** @type {Mounted["onModel"]} */
  const onModel = (event, callback) => {
    model.on(event, callback);
    cleanups.push(() => model.off(event, callback));
  };
  /** @type {Mounted["onEvent"]} */
  const onEvent = (target, event, callback) => {
    target?.addEventListener(event, callback);
    cleanups.push(() => target?.removeEventListener(event, callback));
  };

  el.append(place);
  const stop = start?.({ draw, onModel, onEvent });
  for (const value of redrawsOn) onModel(`change:${value}`, draw);
  cleanups.push(watchPageTheme(page, draw));
  cleanups.push(
    watchPrinting(page, (now) => {
      printing = now;
      draw();
    }),
  );
  draw();
  // The host puts the element into the page only after this function has returned.
  const frame = view?.requestAnimationFrame(() => {
    if (place.querySelector(live)) showFallback = hideStaticFallback(el);
    placed?.();
  });

  const leave = () => {
    if (frame !== undefined) view?.cancelAnimationFrame(frame);
    signal?.removeEventListener("abort", leave);
    showFallback();
    stop?.();
    for (const cleanup of cleanups.splice(0)) cleanup();
    unmount();
    place.remove();
  };
  signal?.addEventListener("abort", leave);
  return leave;
}
