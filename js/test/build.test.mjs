import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile, readdir } from "node:fs/promises";
import { test } from "node:test";

import { JSDOM } from "jsdom";

import { LIMITS, buildAll, minifiedCss } from "../build.mjs";
import { staticCard } from "../src/static-card.js";
import { NAMES, SOURCE } from "./helpers.mjs";

const files = await buildAll();
const card = JSON.parse(files["card.json"]);
const AXES = NAMES.slice(3);
const holesOf = (text) => text.match(/%\{[^}]*\}?/g) ?? [];

test("two builds give the same bytes", async () => {
  assert.deepEqual(await buildAll(), files);
});

test("it ships these files, within their limits", () => {
  assert.deepEqual(Object.keys(files).sort(), [
    "CogLogViewer.jsx",
    "card-loader.js",
    "card.js",
    "card.json",
    "editor.js",
    "exercise.js",
    "export-page.html",
  ]);
  assert.equal(files["CogLogViewer.jsx"], SOURCE);
  for (const [name, limit] of Object.entries(LIMITS))
    assert.ok(Buffer.byteLength(files[name]) <= limit, name);
});

test("the bundles need nothing from outside and hold no path", () => {
  for (const name of ["card.js", "card-loader.js", "editor.js", "exercise.js"]) {
    assert.doesNotMatch(files[name], /\bimport\b|\brequire\(|process\.env|sourceMappingURL|node_modules/);
    assert.match(files[name], /^[\n\x20-\x7e]*$/);
  }
  for (const name of ["card.js", "editor.js"])
    assert.doesNotMatch(files[name], /garden/, "the sample stays out of the widgets");
});

test("the static card has the holes that Python fills", () => {
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

test("the static card is small, valid HTML with one class, no ids and no variables", () => {
  const pieces = [card.shell, ...Object.values(card.parts).flatMap((part) => Object.values(part))];
  assert.ok(pieces.join("").replaceAll(/%\{[^}]*\}/g, "").length <= 3_600);
  assert.ok(card.before.length <= 220);
  assert.doesNotMatch(pieces.join(""), /\bid=|var\(|<style|<button|<!--|https?:/);
  assert.deepEqual(card.shell.match(/class="[^"]*"/g), ['class="coglog-static"']);
  const filled = card.shell.replace(/%\{part:(\w+)\}/g, (_, name) => card.parts[name].text);
  assert.equal(new JSDOM(filled).window.document.body.innerHTML.replaceAll("'", "&#x27;"), filled);
});

test("the static card is readable without any style", () => {
  const { window } = new JSDOM(card.shell.replaceAll(/ (style|class|role|aria-level)="[^"]*"/g, ""));
  const lines = [...window.document.querySelectorAll("[data-part] > div")].map((each) => each.textContent);
  assert.equal(lines[0], "user user's original utterance");
  assert.equal(lines[4], "theory_of_mind other what is the user's state?");
});

test("the page has three holes, asks for nothing, and runs its own script alone", () => {
  const page = files["export-page.html"];
  assert.deepEqual(holesOf(page), ["%{title}", "%{data}", "%{static}"]);
  // Namespaces only look like addresses.
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

test("a style sheet is written in rules and built for the named browsers", async () => {
  const folder = new URL("../src/", import.meta.url);
  const paths = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".css"));
  assert.deepEqual(paths.sort(), [
    "CogLogViewer.css",
    "editor/Editor.css",
    "exercise/Exercise.css",
    "export-page.css",
    "theme.css",
  ]);
  for (const path of paths) {
    const url = new URL(path, folder);
    for (const line of (await readFile(url, "utf8")).split("\n"))
      assert.ok(line.length <= 120 && !/\{.*\}/.test(line), `${path}: ${line}`);
    // No nesting is left but that in conditions, and no import.
    const css = await minifiedCss(url.pathname);
    assert.doesNotMatch(css, /&|@import|\n/);
    assert.doesNotMatch(
      css.replaceAll(/@(media|container)[^{]*\{((?:[^{}]*\{[^{}]*\})*)\}/g, "$2"),
      /\{[^}]*\{/,
    );
  }
});

test("a viewer whose HTML has changed stops the build", () => {
  assert.throws(() => staticCard("", () => ""), /SAMPLE line/);
  assert.throws(() => staticCard(SOURCE, () => "<p>something else</p>"), /0 places/);
});
