/** What the views of an editor share: which text wins, what goes to the kernel, and the messages. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { DraftStore, brokenAt, lengthOf } from "../src/editor/draft-store.js";

const NAMES = ["user", "annotation", "current_focus"];
const EMPTY = { user: "", annotation: "", current_focus: "" };

function setUp(changes = {}) {
  const timers = new Map();
  let count = 0;
  const store = new DraftStore({
    names: NAMES,
    facts: ["user"],
    given: [],
    texts: EMPTY,
    base: EMPTY,
    wait: (ring, after) => (timers.set((count += 1), { ring, after }), count),
    cancel: (timer) => timers.delete(timer),
    ...changes,
  });
  const saved = [];
  const sent = [];
  const wire = { save: (texts) => saved.push(texts), send: (message) => sent.push(message) };
  store.wires.push(wire);
  const ring = () => {
    const all = [...timers.values()];
    timers.clear();
    for (const timer of all) timer.ring();
  };
  return { store, saved, sent, wire, ring, timers };
}

test("characters are counted as Python counts them", () => {
  assert.equal(lengthOf("a\u{1f331}\u65e5"), 3);
  assert.equal(lengthOf(""), 0);
  assert.equal(brokenAt("a\u{1f331}b"), -1);
  assert.equal(brokenAt("\u{1f331}\ud83d"), 1);
  assert.equal(brokenAt("ab\udf31c"), 2);
  assert.equal(brokenAt("\udf31\ud83d"), 0);
});

test("a typed text goes to the kernel once, a moment later or as soon as the field loses the focus", () => {
  const { store, saved, ring, timers } = setUp();
  store.edit("user", "a");
  store.edit("user", "ab");
  assert.deepEqual(
    [...timers.values()].map(({ after }) => after),
    [400],
  );
  assert.deepEqual(saved, []);
  ring();
  assert.deepEqual(saved, [{ user: "ab" }]);
  ring();
  store.edit("annotation", "c");
  store.leave("annotation");
  assert.deepEqual(saved, [{ user: "ab" }, { annotation: "c" }]);
  assert.equal(timers.size, 0);
});

test("a text from the kernel comes in, but doesn't replace one that is being typed", () => {
  const { store } = setUp();
  let drawn = 0;
  const stop = store.listen(() => (drawn += 1));
  store.take("user", "from another page");
  assert.equal(store.texts.user, "from another page");
  store.edit("user", "typed");
  store.take("user", "older");
  assert.equal(store.texts.user, "typed");
  store.save();
  store.take("user", "newer");
  assert.equal(store.texts.user, "newer");
  assert.equal(drawn, 3);
  stop();
  stop();
  store.take("user", "x");
  assert.equal(drawn, 3);
});

test("the form neither changes nor writes a given fact", () => {
  const { store, sent } = setUp({ given: ["user"], texts: { ...EMPTY, user: "said" } });
  store.take("user", "other");
  store.put({ user: "other", annotation: "a" });
  assert.equal(store.texts.user, "said");
  assert.equal(store.write(), "");
  assert.deepEqual(sent[0].texts, { annotation: "a", current_focus: "" });
});

test("half a surrogate pair stays in the page, with a message", () => {
  const { store, saved, sent } = setUp();
  store.edit("user", "u");
  store.edit("annotation", "a\ud83d");
  store.save();
  assert.deepEqual(saved, [{ user: "u" }]);
  store.keep();
  assert.deepEqual(sent, [{ kind: "keep", texts: { user: "u", current_focus: "" } }]);
  assert.equal(store.write(), "annotation");
  assert.equal(store.said.key, "unreadable");
  assert.equal(sent.length, 1);
});

test("facts must have a text, axes need none", () => {
  const { store, sent } = setUp();
  assert.equal(store.write(), "user");
  assert.deepEqual(store.said, { key: "incomplete", values: { names: "user" }, tone: "bad" });
  assert.ok(store.visited.has("user"));
  store.edit("user", " ");
  assert.equal(store.said, null, "the message goes when somebody types");
  assert.equal(store.write(), "");
  assert.equal(sent.length, 1);
});

test("a write sends all texts once, and its answer makes them the base", () => {
  const { store, sent, timers } = setUp();
  store.edit("user", "u");
  store.write();
  store.write();
  assert.equal(sent.length, 1);
  assert.equal(store.said.key, "writing");
  const [{ kind, id, texts }] = sent;
  assert.deepEqual([kind, texts], ["write", { user: "u", annotation: "", current_focus: "" }]);
  store.onMessage({ kind: "wrote", id: "of another page", turn_id: 8 });
  assert.equal(store.said.key, "writing");
  store.edit("annotation", "typed meanwhile");
  store.onMessage({ kind: "wrote", id, turn_id: 4, problems: [] });
  assert.deepEqual(store.said, { key: "written", values: { turn: 4 }, lines: [], tone: "good" });
  assert.equal(store.isWritten, false);
  assert.equal(store.texts.annotation, "typed meanwhile");
  assert.equal(store.base.user, "u");
  store.edit("annotation", "");
  assert.ok(store.isWritten);
  assert.ok(!store.isDirty);
  store.write();
  assert.deepEqual(store.said, { key: "unchanged", values: { turn: 4 } });
  assert.equal(sent.length, 1);
  assert.ok(
    [...timers.values()].every(({ after }) => after === 400),
    "no timer waits for an answer any more",
  );
});

test("a busy kernel gives a message, and a refusal keeps the text", () => {
  const { store, sent, ring } = setUp();
  store.edit("user", "u");
  store.write();
  ring();
  assert.equal(store.said.key, "busy");
  store.edit("user", "more");
  assert.equal(store.said.key, "busy", "the answer is still missing");
  store.onMessage({ kind: "refused", id: sent[0].id, problems: ["no room"] });
  assert.deepEqual(store.said, { key: "refused", lines: ["no room"], tone: "bad" });
  assert.equal(store.texts.user, "more");
  store.write();
  assert.equal(sent.length, 2);
});

test("the message about the turn names an artifact that failed", () => {
  const { store, sent } = setUp();
  store.edit("user", "u");
  store.write();
  store.onMessage({ kind: "wrote", id: sent[0].id, turn_id: 1, problems: ["no place"] });
  assert.equal(store.said.key, "artifact");
  assert.equal(store.said.tone, "bad");
  assert.ok(store.isWritten);
});

test("a revert can be undone until something is typed", () => {
  const { store, saved } = setUp({
    base: { ...EMPTY, annotation: "start" },
    texts: { ...EMPTY, annotation: "start" },
  });
  store.edit("annotation", "mine");
  store.revert();
  assert.equal(store.texts.annotation, "start");
  assert.deepEqual(saved.at(-1), { annotation: "start" });
  store.restore();
  assert.equal(store.texts.annotation, "mine");
  assert.deepEqual(saved.at(-1), { annotation: "mine" });
  assert.equal(store.aside, null);
  store.revert();
  store.edit("user", "u");
  store.restore();
  assert.equal(store.texts.annotation, "start");
});

test("the last annotation goes before the text of current_focus", () => {
  const { store, sent } = setUp();
  const start = (answer) => {
    store.start();
    store.onMessage({ kind: "start", id: sent.at(-1).id, ...answer });
  };
  start({ turn_id: 0, text: "" });
  assert.equal(store.said.key, "nothing");
  start({ turn_id: 2, text: "" });
  assert.equal(store.said.key, "silent");
  start({ turn_id: 3, text: "ask for cos" });
  assert.equal(store.texts.current_focus, "ask for cos");
  start({ turn_id: 3, text: "ask for cos" });
  assert.equal(store.texts.current_focus, "ask for cos", "not twice");
  store.edit("current_focus", "mine");
  start({ turn_id: 3, text: "ask for cos" });
  assert.equal(store.texts.current_focus, "ask for cos\nmine");
  assert.deepEqual(store.said, { key: "started", values: { turn: 3 } });
  store.start();
  store.onMessage({ kind: "unread", id: sent.at(-1).id, problems: ["torn"] });
  assert.deepEqual(store.said, { key: "unread", lines: ["torn"], tone: "bad" });
});

test("the next turn begins empty, except for given facts", () => {
  const { store, sent } = setUp({ given: ["annotation"], texts: { ...EMPTY, annotation: "given" } });
  store.edit("user", "u");
  store.next();
  assert.deepEqual(store.texts, { user: "", annotation: "given", current_focus: "" });
  assert.ok(!store.isDirty);
  assert.deepEqual(sent.at(-1), { kind: "next" });
});

test("without a kernel no text is lost, and the kernel gets the texts once it is back", () => {
  const { store, saved, sent } = setUp();
  store.edit("user", "u");
  store.write();
  saved.length = 0;
  store.loseKernel();
  assert.equal(store.said.key, "lost");
  assert.equal(store.asked, null);
  store.edit("annotation", "a");
  assert.equal(store.said.key, "lost", "the message stays");
  store.save();
  store.write();
  store.start();
  assert.deepEqual([saved, sent.length], [[], 1]);
  store.keep();
  assert.deepEqual(
    sent.at(-1),
    { kind: "keep", texts: store.texts },
    "a kernel that is only busy reads it later",
  );
  assert.deepEqual(saved, []);
  assert.equal(store.texts.annotation, "a");
  store.findKernel();
  assert.deepEqual(saved, [{ annotation: "a", user: "u" }]);
  store.write();
  assert.equal(sent.length, 3);
});

test("a wire that throws means that the kernel has stopped", (t) => {
  const { store, wire } = setUp();
  const said = t.mock.method(console, "warn", () => {});
  wire.save = () => {
    throw new Error("no comm");
  };
  store.edit("user", "u");
  store.save();
  assert.ok(store.lost);
  assert.ok(store.unsaved.has("user"));
  assert.equal(said.mock.callCount(), 1);
});

test("the copied cell holds every text exactly", () => {
  const { store } = setUp({
    given: ["user"],
    hidden: ["user"],
    texts: { ...EMPTY, annotation: "a\n\r\0\u2028</script>\nuser\uff1a b\nuser: c" },
  });
  const [first, ...rest] = store.asCell().split("\n");
  assert.equal(first, "%%coglog write");
  assert.match(rest[0], /^\{/, "as JSON, in which no label needs an escape");
  assert.deepEqual(JSON.parse(rest.join("\n")), {
    annotation: "a\n\r\0\u2028</script>\nuser\uff1a b\nuser: c",
    current_focus: "",
  });
});
