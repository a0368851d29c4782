/** The widget of an exercise: it puts the exercise into a cell, and tells the Python side of each answer. */
import { createElement } from "react";
import { createRoot } from "react-dom/client";

import Exercise from "./Exercise.jsx";
import { copyText } from "./copy.js";
import { pageTheme, watchPageTheme } from "./page-theme.js";
import { replaceTwin } from "./twin.js";

/**
 * @typedef {import("./card.js").Model & {
 *   set(name: string, value: unknown): void,
 *   save_changes(): void,
 * }} Model what an exercise needs of anywidget's model
 */

const PROPS = [
  "exercise",
  "fields",
  "words",
  "lang",
  "answers",
  "axes",
  "compared",
  "run",
  "kept",
  "theme",
  "heard",
];

/** How long whoever writes must rest before the kernel is told, in milliseconds. */
const REST = 500;

/** How long the kernel may take to say that it has heard an answer, in milliseconds. */
const PATIENCE = 4_000;

export default {
  /** @param {{ model: Model, el: HTMLElement, signal?: AbortSignal }} view */
  render({ model, el, signal }) {
    if (signal?.aborted) return () => {};
    const page = el.ownerDocument;
    const view = page.defaultView;
    const place = page.createElement("div");
    el.append(place);
    const root = createRoot(place);
    /** @type {number | undefined} */
    let timer;
    /** @type {number | undefined} */
    let waiting;
    let late = false;

    const isHeard = () => model.get("heard") >= model.get("said");

    const send = () => {
      view?.clearTimeout(timer);
      timer = undefined;
      view?.clearTimeout(waiting);
      waiting = view?.setTimeout(() => {
        late = !isHeard();
        if (late) draw();
      }, PATIENCE);
      model.set("said", model.get("said") + 1);
      try {
        model.save_changes();
      } catch (error) {
        // The kernel is gone. What was answered is in the page, and goes on being there.
        console.error(error);
      }
    };

    /** @param {{ [name: string]: unknown }} values */
    const tell = (values) => {
      for (const [name, value] of Object.entries(values)) model.set(name, value);
      send();
    };

    const draw = () => {
      late &&= !isHeard();
      const props = /** @type {import("./Exercise.jsx").ExerciseProps} */ (
        Object.fromEntries(PROPS.map((name) => [name, model.get(name)]))
      );
      root.render(
        createElement(Exercise, {
          ...props,
          late,
          pageTheme: pageTheme(page),
          onAnswers: (answers) => tell({ answers }),
          onAxes: (axes, done) => {
            model.set("axes", axes);
            view?.clearTimeout(timer);
            if (done) send();
            else timer = view?.setTimeout(send, REST);
          },
          onCompare: (compared) => tell({ compared }),
          onAgain: () => tell({ answers: {}, axes: {}, compared: false, run: model.get("run") + 1 }),
          onCopy: (text) => copyText(page, text),
        }),
      );
    };

    // What was written in the last half second: a page that is loaded again has it from the kernel alone.
    const leavePage = () => {
      if (timer !== undefined) send();
    };
    view?.addEventListener("pagehide", leavePage);
    for (const name of PROPS) model.on(`change:${name}`, draw);
    const stopWatching = watchPageTheme(page, draw);
    draw();
    let showTwin = () => {};
    // A host puts the element into the page only after it was filled.
    const frame = view?.requestAnimationFrame(() => {
      if (place.querySelector(".coglog-practice")) showTwin = replaceTwin(el);
    });

    const leave = () => {
      leavePage();
      view?.removeEventListener("pagehide", leavePage);
      view?.clearTimeout(waiting);
      if (frame !== undefined) view?.cancelAnimationFrame(frame);
      showTwin();
      signal?.removeEventListener("abort", leave);
      stopWatching();
      for (const name of PROPS) model.off(`change:${name}`, draw);
      root.unmount();
      place.remove();
    };
    signal?.addEventListener("abort", leave);
    return leave;
  },
};
