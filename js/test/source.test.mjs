/** The rules that the viewer's file keeps because it is handed out alone. */
import assert from "node:assert/strict";
import { test } from "node:test";

import * as esbuild from "esbuild";
import { Linter } from "eslint";

import { SAMPLE, SOURCE } from "./helpers.mjs";

/** @param {string} source @returns {string[]} the names that it takes from outside, or a complaint */
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

// The card shows its colours on grounds that the style sheet sets, or, without one, on the page's own.
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
  const themes = SOURCE.split("\n")
    .filter((line) => line.includes("{--ground:"))
    .map((line) =>
      Object.fromEntries([...line.matchAll(/--(\w+):(#\w{6})/g)].map(([, name, hex]) => [name, hex])),
    );
  assert.equal(themes.length, 2);
  const accents = [...SOURCE.matchAll(/^ {2}\w+: "(#\w{6})",$/gm)].map(([, hex]) => hex);
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
