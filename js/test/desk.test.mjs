/** What the views of an editor share: whose text wins, what goes to the kernel, and what is said. */
import assert from "node:assert/strict";
import { test } from "node:test";

import { Desk, brokenAt, lengthOf } from "../src/desk.js";

const NAMES = ["user", "annotation", "current_focus"];
const EMPTY = { user: "", annotation: "", current_focus: "" };

function setUp(changes = {}) {
  const timers = new Map();
  let count = 0;
  const desk = new Desk({
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
  desk.wires.push(wire);
  const ring = () => {
    const all = [...timers.values()];
    timers.clear();
    for (const timer of all) timer.ring();
  };
  return { desk, saved, sent, wire, ring, timers };
}

test("characters are counted as Python counts them", () => {
  assert.equal(lengthOf("a\u{1f331}\u65e5"), 3);
  assert.equal(lengthOf(""), 0);
  assert.equal(brokenAt("a\u{1f331}b"), -1);
  assert.equal(brokenAt("\u{1f331}\ud83d"), 1);
  assert.equal(brokenAt("ab\udf31c"), 2);
  assert.equal(brokenAt("\udf31\ud83d"), 0);
});

test("what is typed goes to the kernel a moment later, once, and at once when the field is left", () => {
  const { desk, saved, ring, timers } = setUp();
  desk.edit("user", "a");
  desk.edit("user", "ab");
  assert.deepEqual(
    [...timers.values()].map(({ after }) => after),
    [400],
  );
  assert.deepEqual(saved, []);
  ring();
  assert.deepEqual(saved, [{ user: "ab" }]);
  ring();
  desk.edit("annotation", "c");
  desk.leave("annotation");
  assert.deepEqual(saved, [{ user: "ab" }, { annotation: "c" }]);
  assert.equal(timers.size, 0);
});

test("what the kernel has is taken, but not over what is being typed", () => {
  const { desk } = setUp();
  let drawn = 0;
  const stop = desk.listen(() => (drawn += 1));
  desk.take("user", "from another page");
  assert.equal(desk.texts.user, "from another page");
  desk.edit("user", "typed");
  desk.take("user", "older");
  assert.equal(desk.texts.user, "typed");
  desk.save();
  desk.take("user", "newer");
  assert.equal(desk.texts.user, "newer");
  assert.equal(drawn, 3);
  stop();
  stop();
  desk.take("user", "x");
  assert.equal(drawn, 3);
});

test("a given fact is not taken, put or written by the form", () => {
  const { desk, sent } = setUp({ given: ["user"], texts: { ...EMPTY, user: "said" } });
  desk.take("user", "other");
  desk.put({ user: "other", annotation: "a" });
  assert.equal(desk.texts.user, "said");
  assert.equal(desk.write(), "");
  assert.deepEqual(sent[0].texts, { annotation: "a", current_focus: "" });
});

test("half a pair stays in the page, and is told of", () => {
  const { desk, saved, sent } = setUp();
  desk.edit("user", "u");
  desk.edit("annotation", "a\ud83d");
  desk.save();
  assert.deepEqual(saved, [{ user: "u" }]);
  desk.keep();
  assert.deepEqual(sent, [{ kind: "keep", texts: { user: "u", current_focus: "" } }]);
  assert.equal(desk.write(), "annotation");
  assert.equal(desk.said.key, "unreadable");
  assert.equal(sent.length, 1);
});

test("facts must hold something, axes need not", () => {
  const { desk, sent } = setUp();
  assert.equal(desk.write(), "user");
  assert.deepEqual(desk.said, { key: "incomplete", values: { names: "user" }, tone: "bad" });
  assert.ok(desk.visited.has("user"));
  desk.edit("user", " ");
  assert.equal(desk.said, null, "what was said of it is over");
  assert.equal(desk.write(), "");
  assert.equal(sent.length, 1);
});

test("a write sends all of it, once, and its answer makes it the start", () => {
  const { desk, sent, timers } = setUp();
  desk.edit("user", "u");
  desk.write();
  desk.write();
  assert.equal(sent.length, 1);
  assert.equal(desk.said.key, "writing");
  const [{ kind, id, texts }] = sent;
  assert.deepEqual([kind, texts], ["write", { user: "u", annotation: "", current_focus: "" }]);
  desk.hear({ kind: "wrote", id: "of another page", turn_id: 8 });
  assert.equal(desk.said.key, "writing");
  desk.edit("annotation", "typed meanwhile");
  desk.hear({ kind: "wrote", id, turn_id: 4, problems: [] });
  assert.deepEqual(desk.said, { key: "written", values: { turn: 4 }, lines: [], tone: "good" });
  assert.equal(desk.isWritten, false);
  assert.equal(desk.texts.annotation, "typed meanwhile");
  assert.equal(desk.base.user, "u");
  desk.edit("annotation", "");
  assert.ok(desk.isWritten);
  assert.ok(!desk.isDirty);
  desk.write();
  assert.deepEqual(desk.said, { key: "unchanged", values: { turn: 4 } });
  assert.equal(sent.length, 1);
  assert.ok(
    [...timers.values()].every(({ after }) => after === 400),
    "nobody waits for an answer any more",
  );
});

test("a busy kernel is told of, and a refusal keeps the text", () => {
  const { desk, sent, ring } = setUp();
  desk.edit("user", "u");
  desk.write();
  ring();
  assert.equal(desk.said.key, "busy");
  desk.edit("user", "more");
  assert.equal(desk.said.key, "busy", "it is still being waited for");
  desk.hear({ kind: "refused", id: sent[0].id, problems: ["no room"] });
  assert.deepEqual(desk.said, { key: "refused", lines: ["no room"], tone: "bad" });
  assert.equal(desk.texts.user, "more");
  desk.write();
  assert.equal(sent.length, 2);
});

test("an artifact that failed is told with the turn", () => {
  const { desk, sent } = setUp();
  desk.edit("user", "u");
  desk.write();
  desk.hear({ kind: "wrote", id: sent[0].id, turn_id: 1, problems: ["no place"] });
  assert.equal(desk.said.key, "artifact");
  assert.equal(desk.said.tone, "bad");
  assert.ok(desk.isWritten);
});

test("a revert can be taken back until something is typed", () => {
  const { desk, saved } = setUp({
    base: { ...EMPTY, annotation: "start" },
    texts: { ...EMPTY, annotation: "start" },
  });
  desk.edit("annotation", "mine");
  desk.revert();
  assert.equal(desk.texts.annotation, "start");
  assert.deepEqual(saved.at(-1), { annotation: "start" });
  desk.restore();
  assert.equal(desk.texts.annotation, "mine");
  assert.deepEqual(saved.at(-1), { annotation: "mine" });
  assert.equal(desk.aside, null);
  desk.revert();
  desk.edit("user", "u");
  desk.restore();
  assert.equal(desk.texts.annotation, "start");
});

test("the last annotation goes before what is in current_focus", () => {
  const { desk, sent } = setUp();
  const start = (answer) => {
    desk.start();
    desk.hear({ kind: "start", id: sent.at(-1).id, ...answer });
  };
  start({ turn_id: 0, text: "" });
  assert.equal(desk.said.key, "nothing");
  start({ turn_id: 2, text: "" });
  assert.equal(desk.said.key, "silent");
  start({ turn_id: 3, text: "ask for cos" });
  assert.equal(desk.texts.current_focus, "ask for cos");
  start({ turn_id: 3, text: "ask for cos" });
  assert.equal(desk.texts.current_focus, "ask for cos", "not twice");
  desk.edit("current_focus", "mine");
  start({ turn_id: 3, text: "ask for cos" });
  assert.equal(desk.texts.current_focus, "ask for cos\nmine");
  assert.deepEqual(desk.said, { key: "started", values: { turn: 3 } });
  desk.start();
  desk.hear({ kind: "unread", id: sent.at(-1).id, problems: ["torn"] });
  assert.deepEqual(desk.said, { key: "unread", lines: ["torn"], tone: "bad" });
});

test("the next turn begins empty, but for what is given", () => {
  const { desk, sent } = setUp({ given: ["annotation"], texts: { ...EMPTY, annotation: "given" } });
  desk.edit("user", "u");
  desk.next();
  assert.deepEqual(desk.texts, { user: "", annotation: "given", current_focus: "" });
  assert.ok(!desk.isDirty);
  assert.deepEqual(sent.at(-1), { kind: "next" });
});

test("without a kernel nothing is lost, and what was typed goes out when there is one again", () => {
  const { desk, saved, sent } = setUp();
  desk.edit("user", "u");
  desk.write();
  saved.length = 0;
  desk.lose();
  assert.equal(desk.said.key, "lost");
  assert.equal(desk.asked, null);
  desk.edit("annotation", "a");
  assert.equal(desk.said.key, "lost", "it stays said");
  desk.save();
  desk.write();
  desk.start();
  assert.deepEqual([saved, sent.length], [[], 1]);
  desk.keep();
  assert.deepEqual(sent.at(-1), { kind: "keep", texts: desk.texts }, "one that is only busy finds it later");
  assert.deepEqual(saved, []);
  assert.equal(desk.texts.annotation, "a");
  desk.find();
  assert.deepEqual(saved, [{ annotation: "a", user: "u" }]);
  desk.write();
  assert.equal(sent.length, 3);
});

test("a wire that breaks is a kernel that is gone", (t) => {
  const { desk, wire } = setUp();
  const said = t.mock.method(console, "warn", () => {});
  wire.save = () => {
    throw new Error("no comm");
  };
  desk.edit("user", "u");
  desk.save();
  assert.ok(desk.lost);
  assert.ok(desk.unsaved.has("user"));
  assert.equal(said.mock.callCount(), 1);
});

test("a copy is a cell that holds every text exactly", () => {
  const { desk } = setUp({
    given: ["user"],
    hidden: ["user"],
    texts: { ...EMPTY, annotation: "a\n\r\0\u2028</script>" },
  });
  const [first, ...rest] = desk.asCell().split("\n");
  assert.equal(first, "%%coglog write");
  assert.deepEqual(JSON.parse(rest.join("\n")), { annotation: "a\n\r\0\u2028</script>", current_focus: "" });
});
