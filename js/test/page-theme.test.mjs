import assert from "node:assert/strict";
import { test } from "node:test";

import { pageTheme, watchPageTheme } from "../src/page-theme.js";
import { openPage } from "./helpers.mjs";

const settled = () => new Promise((done) => setTimeout(done, 5));

const PAGES = [
  ["", "", null],
  ["", 'data-jp-theme-light="true"', "light"],
  ["", 'data-jp-theme-light="false"', "dark"],
  ["", 'data-vscode-theme-kind="vscode-light"', "light"],
  ["", 'data-vscode-theme-kind="vscode-dark"', "dark"],
  ["", 'data-vscode-theme-kind="vscode-high-contrast"', "dark"],
  ["", 'data-vscode-theme-kind="vscode-high-contrast-light"', "light"],
  ['data-theme="dark"', "", "dark"],
  ['data-theme="light"', "", "light"],
  ['data-theme="auto"', "", null],
  ['theme="dark"', "", "dark"],
  ['class="js dark"', "", "dark"],
  ["", 'class="light"', "light"],
  ["", 'class="darkroom"', null],
  ['class="light"', 'data-theme="dark"', "dark"],
  ['class="dark"', 'data-jp-theme-light="true" class="dark"', "light"],
];

for (const [html, body, expected] of PAGES)
  test(`<html ${html}><body ${body}> is ${expected}`, () => {
    openPage(`<!doctype html><html ${html}><body ${body}></body></html>`);
    assert.equal(pageTheme(document), expected);
  });

test("it reports a switch, but no other change, and nothing after its end", async () => {
  openPage('<!doctype html><html><body data-jp-theme-light="true"></body></html>');
  const told = [];
  const stop = watchPageTheme(document, (theme) => told.push(theme));
  document.body.className = "busy";
  await settled();
  assert.deepEqual(told, []);
  document.body.dataset.jpThemeLight = "false";
  await settled();
  assert.deepEqual(told, ["dark"]);
  document.body.removeAttribute("data-jp-theme-light");
  document.documentElement.dataset.theme = "light";
  await settled();
  assert.deepEqual(told, ["dark", "light"]);
  stop();
  document.documentElement.dataset.theme = "dark";
  await settled();
  assert.deepEqual(told, ["dark", "light"]);
});
