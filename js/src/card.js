/**
 * The card's widget: it puts the viewer into a cell and keeps it in step with the Python side.
 *
 * In Jupyter this module runs once per kernel, as a widget without a view, and each card's own module (card-loader.js) asks
 * it for `mount`. In other hosts each card is a widget of its own, and the host calls `render`.
 */
import { createElement } from "react";

import CogLogViewer from "./CogLogViewer.jsx";
import { mountWidget } from "./mount-widget.js";

/**
 * @typedef {import("./CogLogViewer.jsx").Field} Field
 * @typedef {import("./CogLogViewer.jsx").ViewerProps} ViewerProps
 * @typedef {import("./mount-widget.js").Model} Model
 * @typedef {import("./mount-widget.js").Place & { model: Model }} View
 *
 * @typedef {{ fields: Field[], schema: unknown }} Shared what all cards have in common, so that it is sent once
 */

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
 * @param {View} view
 * @param {Model} library the model that holds `shared`
 */
const mount = (view, library) =>
  mountWidget(view, {
    name: "turn",
    live: ".coglog-live",
    redrawsOn: ["turn", "session", "theme"],
    element: (surroundings) =>
      createElement(CogLogViewer, { ...propsOf(view.model, library.get("shared")), ...surroundings }),
  });

export default {
  /** @param {{ model: Model }} library */
  initialize({ model: library }) {
    return { mount: (/** @type {View} */ view) => mount(view, library) };
  },

  /** @param {View} view */
  render(view) {
    return mount(view, view.model);
  },
};
