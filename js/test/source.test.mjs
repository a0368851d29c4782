/** The rules for the viewer's file, which is handed out alone. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

import * as esbuild from "esbuild";
import { Linter } from "eslint";

import { minifiedCss } from "../build.mjs";
import { NAMES, SAMPLE, SOURCE } from "./helpers.mjs";

const read = (path) => readFile(new URL(`../src/${path}`, import.meta.url), "utf8");
const CSS = await minifiedCss("src/CogLogViewer.css");

/** @param {string} source @returns {string[]} its free names, or a complaint */
function freeNames(source) {
  const messages = new Linter().verify(source, {
    rules: { "no-undef": "error" },
    languageOptions: { parserOptions: { ecmaFeatures: { jsx: true } } },
  });
  return [...new Set(messages.map(({ message }) => /^'(.+)' is not defined/.exec(message)?.[1] ?? message))];
}

test("it reads matchMedia of its surroundings and nothing else", () => {
  assert.deepEqual(freeNames(SOURCE), ["matchMedia"]);
  assert.deepEqual(freeNames("localStorage.x = fetch"), ["localStorage", "fetch"]);
});

test("it is its source with the style sheet instead of its import", async () => {
  const source = (await read("CogLogViewer.jsx")).split("\n");
  const lines = SOURCE.split("\n");
  const changed = [...lines.keys()].filter((number) => lines[number] !== source[number]);
  assert.equal(lines.length, source.length);
  assert.deepEqual(
    changed.map((number) => [source[number], lines[number]]),
    [['import CSS from "./CogLogViewer.css";', `const CSS = ${JSON.stringify(CSS)};`]],
  );
});

test("its style sheet needs no character that server rendering escapes", () => {
  assert.doesNotMatch(CSS, /["'&<>]/);
});

test("it imports from react alone, once, and binds React", async () => {
  assert.deepEqual(
    SOURCE.match(/\bimport\b.*/g).filter((line) => !/^imports/.test(line)),
    ['import React, { useState, useSyncExternalStore } from "react";'],
  );
  const { metafile } = await esbuild.build({
    stdin: { contents: SOURCE, loader: "jsx" },
    jsx: "transform",
    bundle: true,
    write: false,
    metafile: true,
    external: ["*"],
    format: "esm",
  });
  const [input] = Object.values(metafile.inputs);
  assert.deepEqual(
    input.imports.map(({ path }) => path),
    ["react"],
  );
});

test("it exports one function, as the default", () => {
  assert.deepEqual(SOURCE.match(/^export .*/gm), ["export default function CogLogViewer({"]);
});

test("it holds no address, no raw HTML, no code from text, and ASCII only", () => {
  assert.doesNotMatch(SOURCE, /:\/\/|\bwww\.|\burl\(|@import|\bhttps?\b/i);
  assert.doesNotMatch(SOURCE, /dangerously|innerHTML|insertAdjacent|srcdoc|\beval\b|new Function/i);
  assert.match(SOURCE, /^[\n\x20-\x7e]*$/);
});

test("the three lines that Python replaces are one line each", () => {
  const starts = ["const SAMPLE =", "const SESSION =", "const THEME ="];
  const lines = SOURCE.split("\n").filter((line) => starts.some((start) => line.startsWith(start)));
  assert.match(lines[0], /^const SAMPLE = JSON\.parse\("(?:[^"\\]|\\.)*"\); \/\/ the turn shown$/);
  assert.deepEqual(lines.slice(1), [
    "const SESSION = null; // the session",
    'const THEME = "system"; // the starting theme',
  ]);
});

test("the sample is a whole turn in the contract's order", () => {
  const axes = ["current_focus", "theory_of_mind", "self_narrative", "annotation"];
  assert.deepEqual(Object.keys(SAMPLE.entry), ["_schema", "turn_id", "timestamp", "layers", ...axes]);
  assert.deepEqual(Object.keys(SAMPLE.entry.layers), ["user", "thinking", "assistant"]);
  assert.deepEqual(
    SAMPLE.fields.map(({ name, direction }) => `${name} ${direction}`.trim()),
    [
      "user",
      "thinking",
      "assistant",
      "current_focus present",
      "theory_of_mind other",
      "self_narrative self",
      "annotation future",
    ],
  );
});

test("both JSX runtimes compile it", async () => {
  for (const jsx of ["transform", "automatic"]) {
    const { warnings } = await esbuild.transform(SOURCE, { loader: "jsx", jsx });
    assert.deepEqual(warnings, []);
  }
});

/** The viewer's own accents, which its static card shows. */
const ACCENTS = Object.fromEntries(
  [...SOURCE.matchAll(/^ {2}(\w+): "(#\w{6})",$/gm)].map(([, name, hex]) => [name, hex]),
);

test("its accents are those of theme.css, which the live card, the form and the exercise have", async () => {
  assert.deepEqual(Object.keys(ACCENTS), NAMES);
  const rules = [
    ...(await read("theme.css")).matchAll(
      /:is\(\[data-part="(\w+)"\], \[data-field="(\w+)"\]\) \{\s*--accent: (#\w{6});/g,
    ),
  ];
  assert.deepEqual(
    rules.map(([, part, field, hex]) => [part, field, hex]),
    Object.entries(ACCENTS).map(([name, hex]) => [name, name, hex]),
  );
  for (const path of ["CogLogViewer.css", "editor/Editor.css", "exercise/Exercise.css"]) {
    const css = await read(path);
    assert.match(css, /^@import "(\.\/|\.\.\/)theme\.css";$/m);
    assert.doesNotMatch(
      css,
      /--(ground|panel|ink|soft|edge|focus|accent): /,
      "it has no colours of its own for these",
    );
  }
});

test("its theme switch is that of theme.js, which the form and the exercise have", async () => {
  const shared = await read("theme.js");
  const start = "/** @type {Theme[]} */";
  const code = shared.slice(shared.indexOf(start)).replaceAll("export ", "");
  assert.ok(code.startsWith(start) && code.includes("function useTheme"));
  assert.ok(SOURCE.includes(code), "the viewer's copy differs from theme.js");
});

// The card stands on a ground of its style sheet, or on the page's own where the page drops the style sheet.
test("texts stand out at 4.5:1, edges and accents at 3:1", () => {
  const luminance = (hex) => {
    const channels = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
    const [r, g, b] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (light + 0.05) / (dark + 0.05);
  };
  const themes = [...CSS.matchAll(/\{(--ground:[^}]*)\}/g)].map(([, rule]) =>
    Object.fromEntries([...rule.matchAll(/--(\w+): ?(#\w{6})/g)].map(([, name, hex]) => [name, hex])),
  );
  assert.equal(themes.length, 2);
  const accents = Object.values(ACCENTS);
  assert.equal(accents.length, 7);
  for (const { ground, panel, ink, soft, edge, focus } of themes)
    for (const under of [ground, panel]) {
      for (const text of [ink, soft]) assert.ok(contrast(text, under) >= 4.5, `${text} on ${under}`);
      for (const line of [edge, focus, ...accents])
        assert.ok(contrast(line, under) >= 3, `${line} on ${under}`);
    }
  for (const page of ["#ffffff", "#212121", "#111111", "#0d1117"])
    for (const accent of accents) assert.ok(contrast(accent, page) >= 3, `${accent} on ${page}`);
});
