/** What the tests share: a page, the viewer under each React, a model, and a console that must stay silent. */
import assert from "node:assert/strict";
import { after, afterEach } from "node:test";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";
import { JSDOM } from "jsdom";

import { viewerFile } from "../build.mjs";

/** The viewer as it is handed out, with its style sheet in it. */
export const SOURCE = await viewerFile();

const literal = /^const SAMPLE = JSON\.parse\((".*")\); \/\/ the turn shown$/m.exec(SOURCE);
/** The turn that the viewer's file carries. */
export const SAMPLE = JSON.parse(JSON.parse(literal[1]));
export const NAMES = SAMPLE.fields.map(({ name }) => name);

/** Texts that are easily changed on the way into a page. */
export const HARD_TEXTS = {
  "leading newline": "\nleading",
  "newlines only": "\n\n",
  "carriage return": "a\rb\r\nc",
  "end of a script": "</script><img src=x onerror=alert(1)><!--",
  "end of a pre": "</pre></textarea>",
  entities: "&amp; &lt; &#13; \"quotes\" 'single'",
  backslashes: "C:\\temp\\new \\u0041 \\",
  "braces and dollars": "{12} {} ${x} $& $1 %{text} %{part:user}",
  emoji: "\u{1F331}\u{1F468}\u200D\u{1F469}\u200D\u{1F467}",
  "line separators": "a\u2028b\u2029c",
  NUL: "a\0b",
  spaces: "  two  \t tab \n   three ",
  arabic: "\u0645\u0631\u062d\u0628\u0627",
  proto: "__proto__",
};

/** A turn like the sample, with other texts. @param {{ [name: string]: unknown }} changes */
export function turnWith(changes) {
  const turn = structuredClone(SAMPLE);
  for (const [name, value] of Object.entries(changes))
    if (["missing", "hidden", "cut", "before", "changed"].includes(name)) turn[name] = value;
    else (name in turn.entry.layers ? turn.entry.layers : turn.entry)[name] = value;
  return turn;
}

/** Makes every console.error and console.warn fail the test that caused it. */
export function silentConsole() {
  const said = [];
  for (const method of ["error", "warn"]) console[method] = (...words) => void said.push(words.join(" "));
  afterEach(() => assert.deepEqual(said.splice(0), [], "the console must stay silent"));
  return said;
}

// React opens channels and never closes them, and an open one keeps Node running.
const { MessageChannel } = globalThis;
const channels = [];
globalThis.MessageChannel = function () {
  channels.push(new MessageChannel());
  return channels.at(-1);
};
after(() => channels.forEach(({ port1 }) => port1.close()));

/** Gives this process a page. Call it before React is imported, which looks for one. */
export function openPage(html = "<!doctype html><html><body></body></html>") {
  const { window } = new JSDOM(html, { pretendToBeVisual: true });
  // Node has a navigator of its own from version 21 on, which can't be assigned to.
  Object.defineProperty(globalThis, "navigator", { value: window.navigator, configurable: true });
  Object.assign(globalThis, { window, document: window.document, IS_REACT_ACT_ENVIRONMENT: true });
  for (const name of ["HTMLElement", "Element", "Node", "Event", "MutationObserver", "HTMLIFrameElement"])
    globalThis[name] = window[name];
  return window;
}

/** Sets the operating system's preference, which a test can switch. */
export function systemPrefers(dark) {
  const listeners = new Set();
  const query = {
    matches: dark,
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  globalThis.matchMedia = (asked) => (assert.equal(asked, "(prefers-color-scheme: dark)"), query);
  return {
    listeners,
    change(now) {
      query.matches = now;
      for (const listener of [...listeners]) listener();
    },
  };
}

const ALIASES = {
  "React 19": {},
  "React 18": { react: "react18", "react-dom": "react-dom18" },
  Preact: {
    react: "preact/compat",
    "react-dom": "preact/compat",
    "react-dom/client": "preact/compat/client",
    "react/jsx-runtime": "preact/jsx-runtime",
  },
};
export const REACTS = Object.keys(ALIASES);

/** @param {string} code */
export const importText = (code) =>
  import(`data:text/javascript;base64,${Buffer.from(code).toString("base64")}`);

/**
 * The viewer with a React of its own, in the development build, which is the one that warns.
 * @param {string} react
 * @param {{ jsx?: "automatic" | "transform", source?: string }} [options]
 */
export async function loadViewer(react, { jsx = "automatic", source = SOURCE } = {}) {
  const result = await esbuild.build({
    stdin: {
      resolveDir: fileURLToPath(new URL("../src", import.meta.url)),
      contents: `
        export * as React from "react";
        export { createRoot, hydrateRoot } from "react-dom/client";
        ${react === "Preact" ? "" : 'export { renderToString } from "react-dom/server.browser";'}
        export { flushSync } from "react-dom";
        export { default as Viewer } from "the-viewer";`,
    },
    plugins: [
      {
        name: "the-viewer",
        setup(build) {
          build.onResolve({ filter: /^the-viewer$/ }, () => ({ path: "viewer", namespace: "the-viewer" }));
          build.onLoad({ filter: /.*/, namespace: "the-viewer" }, () => ({
            contents: source,
            loader: "jsx",
            resolveDir: fileURLToPath(new URL("../src", import.meta.url)),
          }));
        },
      },
    ],
    alias: ALIASES[react],
    jsx,
    bundle: true,
    write: false,
    format: "esm",
    platform: "browser",
    define: { "process.env.NODE_ENV": '"development"' },
    logLevel: "error",
  });
  return importText(result.outputFiles[0].text);
}

/** Waits until a check passes: Preact draws and runs effects at a time of its own. @param {() => any} holds */
export async function settles(holds) {
  const end = Date.now() + 10_000;
  for (;;)
    try {
      return holds();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((done) => setTimeout(done, 5));
    }
}

/** Stands in for anywidget's model. @param {{ [name: string]: unknown }} state */
export function fakeModel(state) {
  const listeners = new Map();
  const model = {
    state,
    /** The state at each save. */
    saved: [],
    /** The messages sent. */
    sent: [],
    get: (name) => state[name],
    set(name, value) {
      if (state[name] === value) return;
      state[name] = value;
      model.tell(`change:${name}`);
    },
    save_changes: () => void model.saved.push({ ...state }),
    send: (message) => void model.sent.push(message),
    on(event, callback) {
      if (!listeners.has(event)) listeners.set(event, new Set());
      listeners.get(event).add(callback);
    },
    off: (event, callback) => listeners.get(event)?.delete(callback),
    /** Tells the listeners of an event, as the kernel does. */
    tell(event, ...values) {
      for (const callback of [...(listeners.get(event) ?? [])]) callback(...values);
    },
    listening: () => [...listeners.values()].reduce((sum, set) => sum + set.size, 0),
  };
  return model;
}

/** What a reader sees of a card: its text without the style sheet. @param {Element} card */
export function wordsOf(card) {
  const copy = card.cloneNode(true);
  for (const style of copy.querySelectorAll("style")) style.remove();
  return copy.textContent;
}

/** The text of each part in the page, or its note if it has no text. */
export function textsOf(root) {
  const texts = {};
  for (const part of root.querySelectorAll("[data-part]")) {
    const pre = part.querySelector(":scope > pre");
    if (pre) {
      assert.equal(pre.childNodes.length, 1, `${part.dataset.part} is one node`);
      assert.equal(pre.firstChild.nodeType, 3, `${part.dataset.part} is a text node`);
    }
    texts[part.dataset.part] = pre ? pre.firstChild.data : part.querySelector("i").textContent;
  }
  return texts;
}
