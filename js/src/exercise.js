/** The exercise's widget: it puts the exercise into a cell and sends each answer to the Python side. */
import { createElement } from "react";

import Exercise from "./exercise/Exercise.jsx";
import { mountWidget } from "./mount-widget.js";

/**
 * @typedef {import("./mount-widget.js").WritableModel} Model
 * @typedef {import("./exercise/Exercise.jsx").ExerciseProps} ExerciseProps
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

/** How long nobody types before the kernel gets the text, in milliseconds. */
const REST = 500;

/** How long the kernel may take to confirm an answer, in milliseconds. */
const PATIENCE = 4_000;

/**
 * How answers reach the kernel.
 * @param {Model} model
 * @param {Window | null} window
 * @param {() => void} onLate is called when the kernel didn't confirm an answer in time
 */
function senderOf(model, window, onLate) {
  /** @type {number | undefined} */
  let resting;
  /** @type {number | undefined} */
  let waiting;
  let late = false;
  const isHeard = () => model.get("heard") >= model.get("said");

  const send = () => {
    window?.clearTimeout(resting);
    resting = undefined;
    window?.clearTimeout(waiting);
    waiting = window?.setTimeout(() => {
      late = !isHeard();
      if (late) onLate();
    }, PATIENCE);
    model.set("said", model.get("said") + 1);
    try {
      model.save_changes();
    } catch (error) {
      // There is no kernel. The answers stay in the page.
      console.error(error);
    }
  };

  return {
    send,
    sendSoon() {
      window?.clearTimeout(resting);
      resting = window?.setTimeout(send, REST);
    },
    /** Sends what still rests: a page that is loaded again has it from the kernel alone. */
    flush() {
      if (resting !== undefined) send();
    },
    stop: () => window?.clearTimeout(waiting),
    /** Whether the kernel still owes the confirmation of an answer that it didn't give in time. */
    isLate: () => (late &&= !isHeard()),
  };
}

export default {
  /** @param {import("./mount-widget.js").Place & { model: Model }} view */
  render({ model, el, signal }) {
    const window = el.ownerDocument.defaultView;
    let onLate = () => {};
    const sender = senderOf(model, window, () => onLate());

    /** @param {{ [name: string]: unknown }} values */
    const tell = (values) => {
      for (const [name, value] of Object.entries(values)) model.set(name, value);
      sender.send();
    };
    const handlers = {
      onAnswers: (/** @type {unknown} */ answers) => tell({ answers }),
      onAxes: (/** @type {unknown} */ axes, /** @type {boolean} */ done) => {
        model.set("axes", axes);
        if (done) sender.send();
        else sender.sendSoon();
      },
      onCompare: (/** @type {boolean} */ compared) => tell({ compared }),
      onAgain: () => tell({ answers: {}, axes: {}, compared: false, run: model.get("run") + 1 }),
    };

    return mountWidget(
      { model, el, signal },
      {
        name: "exercise",
        live: ".coglog-practice",
        redrawsOn: PROPS,
        element({ pageTheme, onCopy }) {
          const props = /** @type {ExerciseProps} */ (
            Object.fromEntries(PROPS.map((name) => [name, model.get(name)]))
          );
          return createElement(Exercise, { ...props, ...handlers, late: sender.isLate(), pageTheme, onCopy });
        },
        start({ draw, onEvent }) {
          onLate = draw;
          onEvent(window, "pagehide", sender.flush);
          return () => {
            sender.flush();
            sender.stop();
          };
        },
      },
    );
  },
};
