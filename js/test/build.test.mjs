import assert from "node:assert/strict";
import { test } from "node:test";

import { JSDOM } from "jsdom";

import { buildAll } from "../build.mjs";
import { staticCard } from "../src/static-card.js";
import { NAMES, SOURCE } from "./helpers.mjs";

const files = await buildAll();
const card = JSON.parse(files["card.json"]);
const AXES = NAMES.slice(3);
const holesOf = (text) => text.match(/%\{[^}]*\}?/g) ?? [];

test("two builds give the same bytes", async () => {
  assert.deepEqual(await buildAll(), files);
});

test("it ships these files, in their sizes", () => {
  assert.deepEqual(Object.keys(files).sort(), ["CogLogViewer.jsx", "card.js", "card.json", "stub.js"]);
  assert.equal(files["CogLogViewer.jsx"], SOURCE);
  assert.ok(Buffer.byteLength(files["card.js"]) <= 30_000);
  assert.ok(Buffer.byteLength(files["stub.js"]) <= 250);
});

test("the bundles need nothing from outside and hold no path", () => {
  for (const name of ["card.js", "stub.js"]) {
    assert.doesNotMatch(files[name], /\bimport\b|\brequire\(|process\.env|sourceMappingURL|node_modules/);
    assert.match(files[name], /^[\n\x20-\x7e]*$/);
  }
  assert.doesNotMatch(files["card.js"], /garden/, "the sample stays out of the widget");
});

test("the static card's holes are the agreed ones", () => {
  assert.deepEqual(Object.keys(card), ["shell", "session", "parts", "cut"]);
  assert.deepEqual(
    holesOf(card.shell),
    ["version", "turn_id", "timestamp", "session", "schema", ...NAMES.map((name) => `part:${name}`)].map(
      (hole) => `%{${hole}}`,
    ),
  );
  assert.deepEqual(holesOf(card.session), ["%{session}"]);
  assert.deepEqual(holesOf(card.cut), ["%{left_out}", "%{total}"]);
  assert.deepEqual(Object.keys(card.parts), NAMES);
  for (const [name, part] of Object.entries(card.parts)) {
    const states = AXES.includes(name) ? ["text", "empty", "missing", "hidden"] : ["text", "hidden"];
    assert.deepEqual(Object.keys(part), states);
    assert.deepEqual(holesOf(part.text), ["%{text}", "%{cut}"]);
    assert.match(part.text, /^<pre [^>]*>%\{text\}<\/pre>%\{cut\}$/);
    assert.match(part.hidden, /^<i>\(not shown\)<\/i>$/);
    if (part.empty) assert.match(part.empty, /^<i>\(empty\)<\/i>$/);
    if (part.missing) assert.match(part.missing, /^<i>\(missing\) [^<]+<\/i>$/);
  }
});

test("the static card is small, sound HTML without ids, classes beyond one, or variables", () => {
  const pieces = [card.shell, ...Object.values(card.parts).flatMap((part) => Object.values(part))];
  assert.ok(pieces.join("").length <= 3_600);
  assert.doesNotMatch(pieces.join(""), /\bid=|var\(|<style|<button|<!--|https?:/);
  assert.deepEqual(card.shell.match(/class="[^"]*"/g), ['class="coglog-static"']);
  const filled = card.shell.replace(/%\{part:(\w+)\}/g, (_, name) => card.parts[name].text);
  assert.equal(new JSDOM(filled).window.document.body.innerHTML.replaceAll("'", "&#x27;"), filled);
});

test("it reads as a record without any style", () => {
  const { window } = new JSDOM(card.shell.replaceAll(/ (style|class|role|aria-level)="[^"]*"/g, ""));
  const lines = [...window.document.querySelectorAll("[data-part] > div")].map((each) => each.textContent);
  assert.equal(lines[0], "user user's original utterance");
  assert.equal(lines[4], "theory_of_mind other what is the user's state?");
});

test("a viewer that has lost its shape stops the build", () => {
  assert.throws(() => staticCard("", () => ""), /SAMPLE line/);
  assert.throws(() => staticCard(SOURCE, () => "<p>something else</p>"), /0 places/);
});
