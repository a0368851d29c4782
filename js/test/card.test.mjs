/** The bundles as they are shipped, driven as anywidget drives them. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";

import { buildAll } from "../build.mjs";
import {
  NAMES,
  SAMPLE,
  fakeModel,
  importText,
  openPage,
  settles,
  silentConsole,
  systemPrefers,
  textsOf,
  turnWith,
  wordsOf,
} from "./helpers.mjs";

const said = silentConsole();
openPage();
const files = await buildAll();
const { default: card } = await importText(files["card.js"]);
const { default: loader } = await importText(files["card-loader.js"]);

const SHARED = { fields: SAMPLE.fields, schema: SAMPLE.entry._schema };

/** A turn as Python sends it: without what all turns have in common. */
function sent(changes = {}) {
  const { fields, ...turn } = turnWith(changes);
  assert.equal(fields.length, NAMES.length);
  delete turn.entry._schema;
  return turn;
}

/** The library widget; its cards are removed after the test, so that none listens during the next one. */
function library() {
  const { mount } = card.initialize({ model: fakeModel({ shared: SHARED }) });
  return { mount: (view) => (leaving.push(mount(view)), leaving.at(-1)) };
}
const leaving = [];
afterEach(() => leaving.splice(0).forEach((leave) => leave()));
const cardModel = (state) =>
  fakeModel({ turn: sent(), session: "", theme: "system", library: "anywidget:lib", ...state });
const place = () => document.body.appendChild(document.createElement("div"));
const live = (el) => el.querySelector(".coglog-live");
const toDark = (el) => [...el.querySelectorAll("button")].find((each) => each.textContent === "dark").click();

beforeEach(() => {
  openPage();
  systemPrefers(false);
});

test("a card takes the fields and the schema from the library", () => {
  const el = place();
  library().mount({ model: cardModel(), el });
  assert.deepEqual(Object.keys(textsOf(el)), NAMES);
  assert.equal(textsOf(el).user, SAMPLE.entry.layers.user);
  assert.deepEqual(JSON.parse(el.querySelector("details pre").textContent), SHARED.schema);
});

test("an entry with a schema of its own keeps it", () => {
  const el = place();
  const turn = sent();
  turn.entry._schema = { version: "0.8" };
  library().mount({ model: cardModel({ turn }), el });
  assert.deepEqual(JSON.parse(el.querySelector("details pre").textContent), { version: "0.8" });
  assert.match(wordsOf(el), /CogLog 0\.8/);
});

test("a card on its own has everything in its own model", () => {
  const el = place();
  leaving.push(card.render({ model: cardModel({ shared: SHARED, session: "npc" }), el }));
  assert.equal(textsOf(el).annotation, SAMPLE.entry.annotation);
  assert.match(wordsOf(el), /session npc/);
});

test("it follows the model", async () => {
  const el = place();
  const model = cardModel();
  library().mount({ model, el });
  model.set("turn", sent({ turn_id: 2, user: "\nanother\0", hidden: ["thinking"] }));
  assert.equal(textsOf(el).user, "\nanother\0");
  assert.equal(textsOf(el).thinking, "(not shown)");
  assert.equal(live(el).getAttribute("aria-label"), "Turn 2");
  model.set("session", "alice");
  assert.match(wordsOf(el), /session alice/);
  model.set("session", "");
  assert.doesNotMatch(wordsOf(el), /session/);
  model.set("theme", "dark");
  await settles(() => assert.equal(live(el).dataset.theme, "dark"));
});

test("what stood there a turn ago, and which axes changed, come with the turn", () => {
  const el = place();
  const turn = sent({ before: { annotation: "the one before" }, changed: ["annotation"] });
  library().mount({ model: cardModel({ turn }), el });
  const part = el.querySelector("[data-part=annotation]");
  assert.match(part.textContent, /^annotation changed /);
  assert.match(part.textContent, /a turn agothe one before$/);
});

test("a text goes to the page's clipboard by the newer way or the older", async () => {
  const el = place();
  library().mount({ model: cardModel({ turn: sent({ user: "\n\ttext\0\r" }) }), el });
  const button = el.querySelector("[aria-label='copy user']");
  const status = () => el.querySelector("[role=status]").textContent;
  const written = [];
  const clipboard = { writeText: async (text) => void written.push(text) };
  Object.defineProperty(window.navigator, "clipboard", { value: clipboard, configurable: true });
  button.click();
  await settles(() => assert.equal(status(), "copied"));
  assert.deepEqual(written.splice(0), ["\n\ttext\0\r"]);
  button.dispatchEvent(new window.FocusEvent("focusout", { bubbles: true }));
  button.dispatchEvent(new window.FocusEvent("blur"));
  await settles(() => assert.equal(status(), ""));

  // jsdom has no execCommand; this one asks the page for the text, as a browser does.
  clipboard.writeText = () => Promise.reject(new Error("not allowed"));
  let works = true;
  document.execCommand = (command) => {
    assert.equal(command, "copy");
    if (!works) return false;
    const event = new window.Event("copy", { bubbles: true, cancelable: true });
    event.clipboardData = { setData: (type, text) => written.push(type, text) };
    document.body.dispatchEvent(event);
    return event.defaultPrevented;
  };
  button.click();
  await settles(() => assert.equal(status(), "copied"));
  assert.deepEqual(written.splice(0), ["text/plain", "\n\ttext\0\r"]);
  works = false;
  button.click();
  await settles(() => assert.equal(status(), "not copied"));
  document.body.dispatchEvent(new window.Event("copy", { bubbles: true }));
  assert.deepEqual(written, [], "nobody waits for a copy any more");
});

test("it opens every text before the page is printed", () => {
  const el = place();
  const long = "x".repeat(30_000);
  leaving.push(library().mount({ model: cardModel({ turn: sent({ user: long, thinking: long }) }), el }));
  const lengths = () => [textsOf(el).user.length, textsOf(el).thinking.length];
  assert.deepEqual(lengths(), [20_000, 20_000]);
  for (let time = 0; time < 2; time += 1) {
    window.dispatchEvent(new window.Event("beforeprint"));
    assert.deepEqual(lengths(), [30_000, 30_000]);
    window.dispatchEvent(new window.Event("afterprint"));
    assert.deepEqual(lengths(), [20_000, 20_000]);
  }
  leaving.pop()();
  window.dispatchEvent(new window.Event("beforeprint"));
  assert.equal(el.childNodes.length, 0);
});

test("it follows the page's theme", async () => {
  const el = place();
  document.body.dataset.jpThemeLight = "false";
  library().mount({ model: cardModel(), el });
  assert.equal(live(el).dataset.theme, "dark");
  document.body.dataset.jpThemeLight = "true";
  await settles(() => assert.equal(live(el).dataset.theme, "light"));
});

test("each view of a model has its own theme and fold, and keeps them when the turn changes", async () => {
  const [one, other] = [place(), place()];
  const model = cardModel();
  const { mount } = library();
  mount({ model, el: one });
  mount({ model, el: other });
  toDark(one);
  one.querySelector("details").open = true;
  await settles(() =>
    assert.deepEqual([live(one).dataset.theme, live(other).dataset.theme], ["dark", "light"]),
  );
  model.set("turn", sent({ turn_id: 2 }));
  assert.deepEqual([live(one).dataset.theme, one.querySelector("details").open], ["dark", true]);
});

for (const way of ["the signal", "the returned function"])
  test(`${way} ends it: nobody listens, nothing is left`, async () => {
    const system = systemPrefers(false);
    const RealObserver = globalThis.MutationObserver;
    let observing = 0;
    globalThis.MutationObserver = class extends RealObserver {
      constructor(callback) {
        super(callback);
        observing += 1;
      }
      disconnect() {
        super.disconnect();
        observing -= 1;
      }
    };
    const [el, model, controller] = [place(), cardModel(), new AbortController()];
    const leave = library().mount({ model, el, signal: controller.signal });
    await settles(() => assert.deepEqual([observing, model.listening(), system.listeners.size], [1, 3, 1]));
    if (way === "the signal") controller.abort();
    else leave();
    await settles(() => assert.deepEqual([observing, model.listening(), system.listeners.size], [0, 0, 0]));
    assert.equal(el.childNodes.length, 0);
  });

test("a view whose signal has already aborted draws nothing", () => {
  const [el, model] = [place(), cardModel()];
  library().mount({ model, el, signal: AbortSignal.abort() });
  assert.deepEqual([el.childNodes.length, model.listening()], [0, 0]);
});

test("an error shows in the cell, and the next turn shows again", () => {
  const [el, model] = [place(), cardModel({ turn: { entry: null } })];
  library().mount({ model, el });
  assert.ok(el.querySelector(".coglog-error"), "this class keeps the static card in sight beside it");
  assert.match(el.querySelector("[role=alert]").textContent, /^CogLog can't show this turn: TypeError/);
  assert.equal(said.splice(0).length, 1);
  model.set("turn", sent());
  assert.equal(el.querySelector("[role=alert]"), null);
  assert.equal(textsOf(el).user, SAMPLE.entry.layers.user);
  // An error of the viewer itself, after it has shown something.
  const turn = sent();
  turn.entry.turn_id = { toString: () => assert.fail("broken") };
  model.set("turn", turn);
  assert.match(wordsOf(el), /^CogLog can't show this turn: .*broken/);
  assert.equal(said.splice(0).length, 1);
  model.set("turn", sent());
  assert.equal(textsOf(el).user, SAMPLE.entry.layers.user);
});

test("it works inside a shadow root", async () => {
  const shadow = place().attachShadow({ mode: "open" });
  const el = shadow.appendChild(document.createElement("div"));
  library().mount({ model: cardModel(), el });
  toDark(el);
  await settles(() => assert.equal(live(el).dataset.theme, "dark"));
  assert.ok(live(el).querySelector("style"));
});

test("the card loader asks the host for the library", async () => {
  const [el, model] = [place(), cardModel()];
  const asked = [];
  const host = { getWidget: async (ref) => (asked.push(ref), { exports: library() }) };
  const controller = new AbortController();
  const leave = await loader.render({ model, el, signal: controller.signal, host });
  assert.deepEqual(asked, ["anywidget:lib"]);
  assert.equal(textsOf(el).user, SAMPLE.entry.layers.user);
  assert.equal(typeof leave, "function");
  controller.abort();
  assert.equal(el.childNodes.length, 0);
});

test("the card loader says why it shows no card", async () => {
  const el = place();
  const host = { getWidget: () => Promise.reject(new Error("no such widget")) };
  await loader.render({ model: cardModel(), el, signal: undefined, host });
  assert.match(wordsOf(el), /^CogLog couldn't show the card: Error: no such widget$/);
  assert.ok(el.classList.contains("coglog-error"), "this class keeps the static card in sight beside it");
});

/** A notebook's two outputs: the static card with its rules, and where the live one goes. */
function outputs() {
  const area = place();
  area.innerHTML =
    '<div class="jp-OutputArea-child"><div class="jp-OutputArea-output"><div class="coglog-twin"><style>a{}</style>' +
    '<div class="coglog-static"></div></div></div></div>' +
    '<div class="jp-OutputArea-child"><div class="jp-OutputArea-output"></div></div>';
  const [row, next] = area.children;
  return { row, el: next.firstElementChild, rules: () => row.querySelector("style") };
}

test("a live card hides its static fallback, and shows it again at its end", async () => {
  const { row, el, rules } = outputs();
  const style = rules();
  const leave = library().mount({ model: cardModel(), el });
  await settles(() => assert.equal(row.style.display, "none"));
  assert.equal(rules(), null, "many rules of that kind bring a page to a stop");
  leave();
  assert.equal(row.style.display, "");
  assert.equal(rules(), style);
});

test("a card that fails leaves its static fallback in sight, or shows it again", async () => {
  const { row, el, rules } = outputs();
  const model = cardModel({ turn: { entry: null } });
  library().mount({ model, el });
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(row.style.display, "");
  assert.ok(rules());
  const other = outputs();
  const broken = cardModel();
  library().mount({ model: broken, el: other.el });
  await settles(() => assert.equal(other.row.style.display, "none"));
  broken.set("turn", { entry: null });
  assert.equal(other.row.style.display, "");
  assert.ok(other.rules());
  said.splice(0);
});

test("an output before a card stays as it is if it isn't a static card", async () => {
  const { row, el } = outputs();
  row.querySelector(".coglog-twin").classList.remove("coglog-twin");
  library().mount({ model: cardModel(), el });
  await new Promise((done) => setTimeout(done, 50));
  assert.equal(row.style.display, "");
});
