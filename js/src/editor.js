/**
 * The editor's widget: it puts the form into a cell, carries its texts to the kernel and brings back what that says.
 */
import { createElement } from "react";
import { createRoot } from "react-dom/client";

import { copyText } from "./copy.js";
import { Desk } from "./desk.js";
import Editor from "./Editor.jsx";
import { pageTheme, watchPageTheme } from "./page-theme.js";
import { watchPrinting } from "./printing.js";
import { replaceTwin } from "./twin.js";

/**
 * @typedef {{
 *   get(name: string): any,
 *   set(name: string, value: unknown): void,
 *   save_changes(): void,
 *   send(message: unknown): void,
 *   on(event: string, callback: (...values: any[]) => void): void,
 *   off(event: string, callback: (...values: any[]) => void): void,
 * }} Model what the editor needs of anywidget's model
 *
 * @typedef {{ model: Model, el: HTMLElement, signal?: AbortSignal }} View
 * @typedef {{ key: string, cell: Element | null, texts: import("./desk.js").Texts, isLive: () => boolean }} Kept
 */

/** @type {Map<string, Desk>} one for each editor, whatever the number of its views */
const desks = new Map();

/**
 * The texts of this page that were not written, by the editor that they were typed in. The kernel that knew them may be
 * gone, and the widget with it; each widget brings a module of its own, so the page holds them.
 * @param {Window} view
 * @returns {Map<string, Kept>}
 */
function keptIn(view) {
  const key = Symbol.for("coglog.drafts");
  const holder = /** @type {any} */ (view);
  return (holder[key] ??= new Map());
}

/** @param {Model} model @param {string[]} names */
const textsOf = (model, names) =>
  Object.fromEntries(names.map((name) => [name, String(model.get(name) ?? "")]));

/** @param {Model} model */
function deskOf(model) {
  const token = model.get("token");
  let desk = desks.get(token);
  if (!desk) {
    const fields = model.get("fields");
    const names = fields.map((/** @type {{ name: string }} */ { name }) => name);
    desk = new Desk({
      names,
      facts: fields
        .filter((/** @type {any} */ field) => field.layer === "fact")
        .map((/** @type {any} */ { name }) => name),
      given: model.get("given"),
      hidden: model.get("hidden"),
      texts: textsOf(model, names),
      base: model.get("base"),
    });
    desks.set(token, desk);
  }
  return desk;
}

/**
 * @param {View} view
 * @returns {() => void}
 */
function mount({ model, el, signal }) {
  if (signal?.aborted) return () => {};
  const page = el.ownerDocument;
  const window = page.defaultView;
  const place = page.createElement("div");
  const root = createRoot(place);
  const desk = deskOf(model);
  const token = model.get("token");
  const kept = keptIn(/** @type {Window} */ (window));
  let printing = false;
  /** @type {Element | null} */
  let cell = null;
  let showTwin = () => {};

  const wire = {
    save(/** @type {import("./desk.js").Texts} */ texts) {
      for (const [name, text] of Object.entries(texts)) model.set(name, text);
      model.save_changes();
    },
    send: (/** @type {unknown} */ message) => model.send(message),
  };

  // What was typed into another form of this window and these facts, or in this cell, before it was run with others: a
  // folder or a fact may be new with each run. A form that can still be written in keeps what it holds.
  const older = () =>
    [...kept]
      .filter(
        ([other, { key, cell: where, isLive }]) =>
          other !== token && !isLive() && (key === model.get("key") || (cell !== null && where === cell)),
      )
      .at(-1);

  const drawn = () => {
    const [found, before] = older() ?? [];
    const stored = model.get("written")?.turn ?? null;
    root.render(
      createElement(Editor, {
        desk,
        fields: model.get("fields"),
        words: model.get("words"),
        lang: model.get("lang"),
        schema: model.get("schema"),
        stored: stored && { ...stored, fields: model.get("fields") },
        session: model.get("session") || null,
        theme: model.get("theme"),
        pageTheme: pageTheme(page),
        printing,
        found: found !== undefined,
        onFound: (/** @type {boolean} */ take) => {
          if (take && before) desk.swap(before.texts);
          if (found !== undefined) kept.delete(found);
          desk.say(take ? { key: "restored" } : null);
          draw();
        },
        onCopy: (/** @type {string} */ text) => copyText(page, text),
      }),
    );
  };
  const draw = () => {
    try {
      drawn();
    } catch (error) {
      showTwin();
      const message = page.createElement("pre");
      message.className = "coglog-error";
      message.setAttribute("role", "alert");
      message.textContent = `CogLog can't show this form: ${error}`;
      place.replaceChildren(message);
      console.error(error);
    }
  };

  // Text that isn't written is remembered in this page; what another form left there waits until it is taken or let go.
  const remember = () => {
    if (desk.isDirty && !desk.isWritten)
      kept.set(token, {
        key: model.get("key"),
        cell: cell ?? kept.get(token)?.cell ?? null,
        texts: Object.fromEntries(desk.editable.map((name) => [name, desk.texts[name]])),
        isLive: () => desk.wires.length > 0 && !desk.lost,
      });
    else kept.delete(token);
  };

  /** @type {[string, (...values: any[]) => void][]} */
  const followed = [
    ...desk.names.map(
      (name) =>
        /** @type {[string, () => void]} */ ([`change:${name}`, () => desk.take(name, model.get(name))]),
    ),
    [
      "change:base",
      () => {
        desk.base = { ...model.get("base") };
        desk.changed();
      },
    ],
    [
      "change:written",
      () => {
        takeWritten();
        draw();
      },
    ],
    ["msg:custom", (message) => desk.hear(message)],
    // Jupyter's word for a kernel that has gone. It says it of one that is there as well, so that one is asked.
    ["comm_live_update", () => desk.doubt()],
    ...["session", "theme", "words", "lang", "fields"].map(
      (name) => /** @type {[string, () => void]} */ ([`change:${name}`, draw]),
    ),
  ];
  const takeWritten = () => {
    const { turn_id: turn } = model.get("written") ?? {};
    if (turn && desk.written?.turn_id !== turn)
      desk.written = { turn_id: turn, texts: { ...model.get("base") } };
  };
  const leavePage = () => desk.keep();
  // Nothing of the page outlives it, and no kernel has this text: that is asked about first.
  const warn = (/** @type {Event} */ event) => {
    if (desk.lost && desk.isDirty && !desk.isWritten) event.preventDefault();
  };
  const hidePage = () => void (page.visibilityState === "hidden" && desk.save());

  el.append(place);
  desk.wires.push(wire);
  takeWritten();
  for (const [event, callback] of followed) model.on(event, callback);
  const stopListening = desk.listen(remember);
  const stopWatching = watchPageTheme(page, draw);
  const stopPrinting = watchPrinting(page, (now) => {
    printing = now;
    draw();
  });
  window?.addEventListener("pagehide", leavePage);
  window?.addEventListener("beforeunload", warn);
  page.addEventListener("visibilitychange", hidePage);
  draw();
  // A host puts the element into the page only after it was filled.
  const frame = window?.requestAnimationFrame(() => {
    if (place.querySelector(".coglog-live")) showTwin = replaceTwin(el);
    cell = el.closest(".jp-Cell");
    remember();
    if (older()) draw();
  });

  const leave = () => {
    if (frame !== undefined) window?.cancelAnimationFrame(frame);
    showTwin();
    signal?.removeEventListener("abort", leave);
    desk.save();
    desk.wires.splice(desk.wires.indexOf(wire), 1);
    stopListening();
    stopWatching();
    stopPrinting();
    window?.removeEventListener("pagehide", leavePage);
    window?.removeEventListener("beforeunload", warn);
    page.removeEventListener("visibilitychange", hidePage);
    for (const [event, callback] of followed) model.off(event, callback);
    root.unmount();
    place.remove();
  };
  signal?.addEventListener("abort", leave);
  return leave;
}

export default { render: mount };
