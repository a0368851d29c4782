/** The editor's bundle as it is shipped, driven as anywidget drives it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
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
} from "./helpers.mjs";

silentConsole();
const window = openPage();
const files = await buildAll();
const { default: editor } = await importText(files["editor.js"]);
const EMPTY = Object.fromEntries(NAMES.map((name) => [name, ""]));

// The form's English words; Python's tests read what they say.
const source = await readFile(new URL("../../coglog_nb/teaching/locales/editor.py", import.meta.url), "utf8");
const english = source.slice(source.indexOf('"en": {'), source.indexOf('"ja": {'));
const WORDS = Object.fromEntries(
  [...english.matchAll(/^ {8}"([\w.]+)": (?:"(.*)",|\()$/gm)].map(([, key, text]) => [key, text ?? key]),
);
for (const name of NAMES) WORDS[`example.${name}`] = `like ${name}`;

let count = 0;
/** The model of an editor of its own. */
function editorModel(changes = {}) {
  count += 1;
  return fakeModel({
    ...EMPTY,
    base: EMPTY,
    given: [],
    hidden: [],
    written: {},
    fields: SAMPLE.fields,
    words: WORDS,
    schema: SAMPLE.entry._schema,
    lang: "en",
    session: "",
    theme: "system",
    token: `token ${count}`,
    key: `key ${count}`,
    ...changes,
  });
}

const leaving = [];
beforeEach(() => systemPrefers(false));
afterEach(() => leaving.splice(0).forEach((leave) => leave()));

async function open(model) {
  const el = document.createElement("div");
  document.body.append(el);
  const leave = editor.render({ model, el });
  leaving.push(() => (leave(), el.remove()));
  await settles(() => assert.ok(el.querySelector("textarea, pre")));
  return el;
}

const area = (el, name) => el.querySelector(`[data-field=${name}] textarea`);
const status = (el) => el.querySelector(".coglog-edit-status");

function type(el, name, text) {
  area(el, name).value = text;
  area(el, name).dispatchEvent(new window.Event("input", { bubbles: true }));
}

function press(el, key, changes = {}) {
  el.dispatchEvent(new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...changes }));
}

const click = (el, does) => el.querySelector(`[data-does="${does}"]`).click();

test("every field has a label, its question, an example and a count", async () => {
  const el = await open(editorModel());
  assert.deepEqual(
    [...el.querySelectorAll("[data-field]")].map(({ dataset }) => dataset.field),
    NAMES,
  );
  for (const { name, question } of SAMPLE.fields) {
    const text = area(el, name);
    assert.equal(text.labels.length, 1);
    assert.ok(text.labels[0].textContent.startsWith(name));
    const described = text
      .getAttribute("aria-describedby")
      .split(" ")
      .map((id) => el.querySelector(`[id="${id}"]`).textContent);
    assert.equal(described[0], question);
    assert.equal(described[2], `For example: \u201clike ${name}\u201d`);
    assert.equal(
      described[1],
      ["user", "thinking", "assistant"].includes(name) ? "Required." : "Empty: that is a choice too.",
    );
  }
  const ids = [...el.querySelectorAll("[id]")].map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
});

test("typing counts, checks, draws the card and goes to the kernel", async () => {
  const model = editorModel();
  const el = await open(model);
  type(el, "user", "a\u{1f331}");
  await settles(() =>
    assert.equal(el.querySelector("[data-field=user] .coglog-edit-count").textContent, "2 characters"),
  );
  assert.equal(textsOf(el.querySelector(".coglog-live")).user, "a\u{1f331}");
  assert.equal(el.querySelector(".coglog-turn").textContent, "Draft");
  await settles(() => assert.equal(model.state.user, "a\u{1f331}"));
  assert.equal(model.saved.length, 1);
  type(el, "user", "");
  area(el, "user").focus();
  area(el, "user").blur();
  await settles(() => assert.equal(area(el, "user").getAttribute("aria-invalid"), "true"));
  assert.match(el.querySelector("[data-field=user]").textContent, /This fact needs text/);
});

test("a text from the kernel comes in with the caret kept, but never into a composition", async () => {
  const model = editorModel();
  const el = await open(model);
  const text = area(el, "annotation");
  type(el, "annotation", "one two");
  text.focus();
  text.setSelectionRange(3, 3);
  await settles(() => assert.equal(model.state.annotation, "one two"));
  model.set("annotation", "one two three");
  await settles(() => assert.equal(text.value, "one two three"));
  assert.equal(text.selectionStart, 3);
  text.dispatchEvent(new window.CompositionEvent("compositionstart", { bubbles: true }));
  model.set("annotation", "from elsewhere");
  await settles(() => assert.match(el.querySelector(".coglog-live").textContent, /from elsewhere/));
  assert.equal(text.value, "one two three");
});

test("two views of one editor stay in step", async () => {
  const model = editorModel();
  const [one, other] = [await open(model), await open(model)];
  type(one, "annotation", "from the one");
  await settles(() => assert.equal(area(other, "annotation").value, "from the one"));
  type(other, "annotation", "from the other");
  await settles(() => assert.equal(area(one, "annotation").value, "from the other"));
});

test("Ctrl+Enter writes, but not during a composition, not without Ctrl, and not while the key is held", async () => {
  const model = editorModel({ user: "u", thinking: "t", assistant: "a" });
  const el = await open(model);
  const text = area(el, "annotation");
  press(text, "Enter");
  press(text, "Enter", { ctrlKey: true, isComposing: true });
  press(text, "Enter", { ctrlKey: true, keyCode: 229 });
  press(text, "Enter", { ctrlKey: true, repeat: true });
  assert.equal(model.sent.length, 0);
  press(text, "Enter", { metaKey: true });
  assert.equal(model.sent[0].kind, "write");
  assert.equal(model.sent[0].texts.user, "u");
});

test("an incomplete turn isn't sent: the form says what is missing and puts the focus there", async () => {
  const model = editorModel({ user: "u" });
  const el = await open(model);
  click(el, "write");
  await settles(() => assert.equal(status(el).dataset.said, "incomplete"));
  assert.equal(status(el).textContent, "Not written. Text is missing: thinking, assistant.");
  assert.equal(status(el).getAttribute("role"), "status");
  assert.equal(document.activeElement, area(el, "thinking"));
  assert.equal(model.sent.length, 0);
});

test("the card shows the written turn until something is typed", async () => {
  const model = editorModel({ user: "u", thinking: "t", assistant: "a" });
  const el = await open(model);
  click(el, "write");
  const texts = { ...EMPTY, user: "u", thinking: "t", assistant: "a" };
  const { _schema, ...entry } = structuredClone(SAMPLE.entry);
  model.set("base", texts);
  model.set("written", {
    turn_id: 6,
    turn: { entry: { ...entry, _schema, turn_id: 6, annotation: "" }, missing: [], hidden: [] },
  });
  model.tell("msg:custom", { kind: "wrote", id: model.sent[0].id, turn_id: 6, problems: [] });
  await settles(() => assert.equal(status(el).textContent, "Turn 6 is written."));
  await settles(() => assert.equal(el.querySelector(".coglog-turn").textContent, "Turn 6"));
  type(el, "annotation", "more");
  await settles(() => assert.equal(el.querySelector(".coglog-turn").textContent, "Draft"));
  type(el, "annotation", "");
  await settles(() => assert.ok(el.querySelector("[data-does=next]")));
  click(el, "next");
  await settles(() => assert.equal(area(el, "user").value, ""));
});

test("a page that is opened again shows the written turn", async () => {
  const texts = { ...EMPTY, user: "u", thinking: "t", assistant: "a" };
  const el = await open(
    editorModel({
      ...texts,
      base: texts,
      written: { turn_id: 6, turn: { entry: { ...SAMPLE.entry, turn_id: 6 } } },
    }),
  );
  assert.equal(el.querySelector(".coglog-turn").textContent, "Turn 6");
});

test("problems are listed as text", async () => {
  const model = editorModel({ user: "u", thinking: "t", assistant: "a" });
  const el = await open(model);
  click(el, "write");
  model.tell("msg:custom", {
    kind: "refused",
    id: model.sent[0].id,
    problems: ["<b>locked</b>", "and more"],
  });
  await settles(() => assert.equal(status(el).querySelectorAll("li").length, 2));
  assert.equal(status(el).querySelector("li").textContent, "<b>locked</b>");
  assert.equal(area(el, "user").value, "u");
});

test("given facts show without a text area, and a hidden one doesn't show", async () => {
  const model = editorModel({ user: "said", given: ["user", "thinking"], hidden: ["thinking"] });
  const el = await open(model);
  assert.equal(area(el, "user"), null);
  assert.equal(el.querySelector("[data-field=user] pre").textContent, "said");
  assert.match(el.querySelector("[data-field=thinking]").textContent, /\(not shown\)/);
  assert.match(el.querySelector(".coglog-live [data-part=thinking]").textContent, /\(not shown\)/);
});

test("the page offers the draft of a removed editor, but only for the same window and facts", async () => {
  const model = editorModel({ key: "window" });
  const el = await open(model);
  type(el, "annotation", "not written");
  await settles(() => assert.match(el.querySelector(".coglog-live").textContent, /not written/));
  leaving.pop()();
  assert.equal((await open(editorModel())).querySelector(".coglog-edit-found"), null);
  const next = editorModel({ key: "window" });
  const again = await open(next);
  assert.equal(area(again, "annotation").value, "");
  click(again, "found.take");
  await settles(() => assert.equal(area(again, "annotation").value, "not written"));
  assert.equal(next.state.annotation, "not written");
  await settles(() => assert.equal(again.querySelector(".coglog-edit-found"), null));
  leaving.pop()();
  const third = await open(editorModel({ key: "window" }));
  click(third, "found.drop");
  await settles(() => assert.equal(third.querySelector(".coglog-edit-found"), null));
  leaving.pop()();
  assert.equal((await open(editorModel({ key: "window" }))).querySelector(".coglog-edit-found"), null);
});

test("a cell that runs again offers its draft, whatever window and facts the new form has", async () => {
  const cell = document.createElement("div");
  cell.className = "jp-Cell";
  document.body.append(cell);
  const into = async (model) => {
    const el = document.createElement("div");
    cell.append(el);
    const leave = editor.render({ model, el });
    leaving.push(() => (leave(), el.remove()));
    await settles(() => assert.ok(el.querySelector("textarea")));
    return el;
  };
  const el = await into(editorModel());
  await new Promise((done) => window.requestAnimationFrame(done));
  type(el, "annotation", "typed before");
  leaving.pop()();
  const next = await into(editorModel({ given: ["user"], user: "another fact" }));
  await settles(() => assert.ok(next.querySelector(".coglog-edit-found")));
  type(next, "annotation", "typed since");
  click(next, "found.take");
  await settles(() => assert.equal(area(next, "annotation").value, "typed before"));
  // The text that it replaced can be restored.
  click(next, "restore");
  await settles(() => assert.equal(area(next, "annotation").value, "typed since"));
  cell.remove();
});

test("two forms of one window both keep their drafts, and neither offers that of an open form", async () => {
  const [one, two] = [await open(editorModel({ key: "both" })), await open(editorModel({ key: "both" }))];
  type(one, "annotation", "of the first");
  type(two, "annotation", "of the second");
  assert.equal((await open(editorModel({ key: "both" }))).querySelector(".coglog-edit-found"), null);
  leaving.splice(0).forEach((leave) => leave());
  const again = await open(editorModel({ key: "both" }));
  click(again, "found.take");
  await settles(() => assert.equal(area(again, "annotation").value, "of the second"));
  click(again, "found.take");
  await settles(() => assert.equal(area(again, "annotation").value, "of the first"));
});

test("a page with a draft and without a kernel asks before it closes", async () => {
  const leaves = () => window.dispatchEvent(new window.Event("beforeunload", { cancelable: true }));
  const model = editorModel();
  const el = await open(model);
  type(el, "annotation", "nowhere else");
  assert.ok(leaves(), "the kernel has it");
  model.tell("comm_live_update");
  assert.ok(!leaves());
  // A kernel that is only busy still gets it.
  model.sent.length = 0;
  window.dispatchEvent(new window.Event("pagehide"));
  assert.deepEqual(model.sent, [{ kind: "keep", texts: { ...EMPTY, annotation: "nowhere else" } }]);
  type(el, "annotation", "");
  assert.ok(leaves());
});

test("a typed text wins over one from the kernel until the kernel has it", async () => {
  const model = editorModel();
  const el = await open(model);
  type(el, "annotation", "typed just now");
  model.set("annotation", "an echo of long ago");
  await settles(() => assert.match(el.querySelector(".coglog-live").textContent, /typed just now/));
  assert.equal(area(el, "annotation").value, "typed just now");
  await settles(() => assert.equal(model.state.annotation, "typed just now"));
  model.set("annotation", "from another page");
  await settles(() => assert.equal(area(el, "annotation").value, "from another page"));
});

test("half a character isn't sent, and everything else is", async () => {
  const model = editorModel();
  const el = await open(model);
  type(el, "annotation", "half \ud83d");
  type(el, "self_narrative", "whole");
  await settles(() => assert.equal(model.state.self_narrative, "whole"));
  assert.equal(model.state.annotation, "");
  window.dispatchEvent(new window.Event("pagehide"));
  const others = { ...EMPTY, self_narrative: "whole" };
  delete others.annotation;
  assert.deepEqual(model.sent, [{ kind: "keep", texts: others }]);
  assert.equal(area(el, "annotation").value, "half \ud83d");
});

test("the answer to another page's question changes nothing here", async () => {
  const model = editorModel();
  const el = await open(model);
  for (const name of NAMES.slice(0, 3)) type(el, name, `the ${name}`);
  click(el, "write");
  await settles(() => assert.equal(model.sent.length, 1));
  const { id } = model.sent[0];
  model.tell("msg:custom", { kind: "refused", id: `${id}0`, problems: ["of another page"] });
  await settles(() => assert.equal(status(el).dataset.said, "writing"));
  model.tell("msg:custom", { kind: "refused", id, problems: ["of this page"] });
  await settles(() => assert.match(status(el).textContent, /of this page/));
});

test("a page that closes sends its texts ahead of what waits", async () => {
  const model = editorModel();
  const el = await open(model);
  type(el, "annotation", "last words");
  window.dispatchEvent(new window.Event("pagehide"));
  assert.deepEqual(model.sent, [{ kind: "keep", texts: { ...EMPTY, annotation: "last words" } }]);
});

test("the form says that a kernel has stopped, and a kernel that still runs gets the text", async () => {
  const model = editorModel();
  const el = await open(model);
  model.tell("comm_live_update");
  await settles(() => assert.equal(status(el).dataset.said, "lost"));
  assert.deepEqual(model.sent, [{ kind: "hello" }]);
  type(el, "annotation", "typed alone");
  model.tell("msg:custom", { kind: "here" });
  await settles(() => assert.equal(model.state.annotation, "typed alone"));
  assert.equal(status(el).textContent, "");
});

test("it leaves nothing behind", async () => {
  const model = editorModel();
  const el = await open(model);
  type(el, "annotation", "x");
  leaving.pop()();
  assert.equal(model.listening(), 0);
  assert.equal(model.state.annotation, "x", "what was typed last is saved");
  assert.equal(el.childNodes.length, 0);
});
