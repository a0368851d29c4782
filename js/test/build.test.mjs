import assert from "node:assert/strict";
import { createHash } from "node:crypto";
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
  assert.deepEqual(Object.keys(files).sort(), [
    "CogLogViewer.jsx",
    "card.js",
    "card.json",
    "editor.js",
    "exercise.js",
    "page.html",
    "stub.js",
  ]);
  assert.equal(files["CogLogViewer.jsx"], SOURCE);
  assert.ok(Buffer.byteLength(files["card.js"]) <= 30 * 1024);
  assert.ok(Buffer.byteLength(files["editor.js"]) <= 52 * 1024);
  assert.ok(Buffer.byteLength(files["exercise.js"]) <= 42 * 1024);
  assert.ok(Buffer.byteLength(files["stub.js"]) <= 250);
  assert.ok(Buffer.byteLength(files["page.html"]) <= 60_000);
});

test("the bundles need nothing from outside and hold no path", () => {
  for (const name of ["card.js", "stub.js", "editor.js", "exercise.js"]) {
    assert.doesNotMatch(files[name], /\bimport\b|\brequire\(|process\.env|sourceMappingURL|node_modules/);
    assert.match(files[name], /^[\n\x20-\x7e]*$/);
  }
  for (const name of ["card.js", "editor.js"])
    assert.doesNotMatch(files[name], /garden/, "the sample stays out of the widgets");
});

test("the static card's holes are the agreed ones", () => {
  assert.deepEqual(Object.keys(card), ["shell", "session", "parts", "cut", "before"]);
  assert.deepEqual(
    holesOf(card.shell),
    ["version", "title", "timestamp", "session", "schema", ...NAMES.map((name) => `part:${name}`)].map(
      (hole) => `%{${hole}}`,
    ),
  );
  assert.deepEqual(holesOf(card.session), ["%{session}"]);
  assert.deepEqual(holesOf(card.cut), ["%{left_out}", "%{total}"]);
  assert.deepEqual(Object.keys(card.parts), NAMES);
  assert.match(card.before, /^<div[^>]*><small>a turn ago<\/small><pre [^>]*>%\{text\}<\/pre><\/div>$/);
  for (const [name, part] of Object.entries(card.parts)) {
    const states = AXES.includes(name)
      ? ["text", "missing", "empty", "hidden"]
      : ["text", "missing", "hidden"];
    assert.deepEqual(Object.keys(part), states);
    const before = AXES.includes(name) ? "%{before}" : "";
    assert.match(part.text, /^<pre [^>]*>%\{text\}<\/pre>%\{cut\}(%\{before\})?$/);
    assert.equal(part.text.endsWith("%{cut}"), before === "");
    assert.equal(part.hidden, `<i>(not shown)</i>${before}`);
    if (part.empty) assert.equal(part.empty, `<i>(empty) left unwritten on purpose</i>${before}`);
    assert.match(part.missing, /^<i>\(missing\) [^<]+<\/i>(%\{before\})?$/);
    assert.equal(part.missing.endsWith("%{before}"), before !== "");
  }
});

test("the static card is small, sound HTML without ids, classes beyond one, or variables", () => {
  const pieces = [card.shell, ...Object.values(card.parts).flatMap((part) => Object.values(part))];
  assert.ok(pieces.join("").replaceAll(/%\{[^}]*\}/g, "").length <= 3_600);
  assert.ok(card.before.length <= 220);
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

test("the page has three holes, asks for nothing, and runs its own script alone", () => {
  const page = files["page.html"];
  assert.deepEqual(holesOf(page), ["%{title}", "%{data}", "%{static}"]);
  // Namespaces look like addresses, and are none.
  const bare = page.replaceAll(/"http:\/\/www\.w3\.org\/(2000\/svg|1998\/Math\/MathML|1999\/xhtml)"/g, "");
  assert.doesNotMatch(bare, /https?:|\/\/|\bsrc=|\bhref=|@import|url\(|garden/);
  assert.match(page, /^[\n\x20-\x7e]*$/);
  const { document } = new JSDOM(page).window;
  const scripts = [...document.scripts];
  assert.deepEqual(
    scripts.map(({ id, type }) => `${id} ${type}`.trim()),
    ["turn application/json", ""],
  );
  const hash = createHash("sha256").update(scripts[1].text).digest("base64");
  const policy = document.querySelector("meta[http-equiv=Content-Security-Policy]").content;
  assert.equal(policy, `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'`);
  assert.equal(document.documentElement.lang, "en");
  assert.equal(document.querySelectorAll("main noscript").length, 1);
});

test("a viewer that has lost its shape stops the build", () => {
  assert.throws(() => staticCard("", () => ""), /SAMPLE line/);
  assert.throws(() => staticCard(SOURCE, () => "<p>something else</p>"), /0 places/);
});
