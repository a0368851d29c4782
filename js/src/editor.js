/**
 * The editor's widget: it puts the form into a cell, carries its texts to the kernel and brings back the answers.
 */
import { createElement } from "react";

import { DraftStore } from "./editor/draft-store.js";
import Editor from "./editor/Editor.jsx";
import { abandonedDraft, draftsOf } from "./editor/page-drafts.js";
import { mountWidget } from "./mount-widget.js";

/**
 * @typedef {import("./mount-widget.js").WritableModel} Model
 * @typedef {import("./mount-widget.js").Place & { model: Model }} View
 * @typedef {import("./editor/draft-store.js").Texts} Texts
 * @typedef {import("./CogLogViewer.jsx").Field} Field
 */

/** @type {Map<string, DraftStore>} one for each editor, however many views it has */
const stores = new Map();

/** @param {Model} model */
function storeOf(model) {
  const token = model.get("token");
  let store = stores.get(token);
  if (!store) {
    /** @type {Field[]} */
    const fields = model.get("fields");
    const names = fields.map(({ name }) => name);
    store = new DraftStore({
      names,
      facts: fields.filter(({ layer }) => layer === "fact").map(({ name }) => name),
      given: model.get("given"),
      hidden: model.get("hidden"),
      texts: Object.fromEntries(names.map((name) => [name, String(model.get(name) ?? "")])),
      base: model.get("base"),
    });
    stores.set(token, store);
  }
  return store;
}

/** Tells the store which turn was written last. @param {DraftStore} store @param {Model} model */
function takeWritten(store, model) {
  const { turn_id: turn } = model.get("written") ?? {};
  if (turn && store.written?.turn_id !== turn)
    store.written = { turn_id: turn, texts: { ...model.get("base") } };
}

/** How a view of the form reaches the kernel. @param {Model} model */
const wireOf = (model) => ({
  save(/** @type {Texts} */ texts) {
    for (const [name, text] of Object.entries(texts)) model.set(name, text);
    model.save_changes();
  },
  send: (/** @type {unknown} */ message) => model.send(message),
});

/**
 * Keeps the store in step with the model.
 * @param {DraftStore} store
 * @param {Model} model
 * @param {import("./mount-widget.js").Mounted} mounted
 */
function followModel(store, model, { draw, onModel }) {
  for (const name of store.names) onModel(`change:${name}`, () => store.take(name, model.get(name)));
  onModel("change:base", () => {
    store.base = { ...model.get("base") };
    store.changed();
  });
  onModel("change:written", () => {
    takeWritten(store, model);
    draw();
  });
  onModel("msg:custom", (message) => store.onMessage(message));
  // Jupyter sends this when a kernel has gone, but also while it is there, so the kernel is asked.
  onModel("comm_live_update", () => store.checkKernel());
}

/**
 * Saves what the page holds when it goes, and asks the reader first where no kernel has it.
 * @param {DraftStore} store
 * @param {Document} page
 * @param {import("./mount-widget.js").Mounted} mounted
 */
function followPage(store, page, { onEvent }) {
  const window = page.defaultView;
  onEvent(window, "pagehide", () => store.keep());
  onEvent(window, "beforeunload", (event) => {
    if (store.lost && store.isDirty && !store.isWritten) event.preventDefault();
  });
  onEvent(page, "visibilitychange", () => {
    if (page.visibilityState === "hidden") store.save();
  });
}

/** @param {View} view */
function render({ model, el, signal }) {
  const page = el.ownerDocument;
  const store = storeOf(model);
  const token = model.get("token");
  const drafts = draftsOf(/** @type {Window} */ (page.defaultView));
  const wire = wireOf(model);
  /** @type {Element | null} */
  let cell = null;
  let draw = () => {};

  const offered = () => abandonedDraft(drafts, { token, key: model.get("key"), cell });

  /** Takes over the draft that was found, or drops it. @param {boolean} take */
  const onFound = (take) => {
    const found = offered();
    if (take && found) store.swap(found.texts);
    if (found) drafts.delete(found.token);
    store.say(take ? { key: "restored" } : null);
    draw();
  };

  // A text that isn't written stays in the page.
  const remember = () => {
    if (store.isDirty && !store.isWritten)
      drafts.set(token, {
        key: model.get("key"),
        cell: cell ?? drafts.get(token)?.cell ?? null,
        texts: Object.fromEntries(store.editable.map((name) => [name, store.texts[name]])),
        isLive: () => store.wires.length > 0 && !store.lost,
      });
    else drafts.delete(token);
  };

  return mountWidget(
    { model, el, signal },
    {
      name: "form",
      live: ".coglog-live",
      redrawsOn: ["session", "theme", "words", "lang", "fields"],
      element(surroundings) {
        const fields = model.get("fields");
        const stored = model.get("written")?.turn;
        return createElement(Editor, {
          store,
          fields,
          words: model.get("words"),
          lang: model.get("lang"),
          schema: model.get("schema"),
          stored: stored ? { ...stored, fields } : null,
          session: model.get("session") || null,
          theme: model.get("theme"),
          found: offered() !== null,
          onFound,
          ...surroundings,
        });
      },
      start(mounted) {
        draw = mounted.draw;
        store.wires.push(wire);
        takeWritten(store, model);
        followModel(store, model, mounted);
        followPage(store, page, mounted);
        const stopListening = store.listen(remember);
        return () => {
          store.save();
          store.wires.splice(store.wires.indexOf(wire), 1);
          stopListening();
        };
      },
      placed() {
        cell = el.closest(".jp-Cell");
        remember();
        if (offered()) draw();
      },
    },
  );
}

export default { render };
