/** The bundle of an exercise as it is shipped, driven as anywidget drives it. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { afterEach, beforeEach, test } from "node:test";

import { buildAll } from "../build.mjs";
import {
  SAMPLE,
  fakeModel,
  importText,
  openPage,
  settles,
  silentConsole,
  systemPrefers,
} from "./helpers.mjs";

const said = silentConsole();
openPage();
const files = await buildAll();
const { default: widget } = await importText(files["exercise.js"]);

const folder = new URL("../../coglog_nb/teaching/exercises/builtin/", import.meta.url);
const read = async (name) => JSON.parse(await readFile(new URL(`${name}.json`, folder), "utf8"));
const coding = await read("coding");
const blank = await read("fill-tutoring");

// Only the words with values; any other word shows as its key.
const WORDS = {
  statement: "statement {number}/{total}",
  progress: "{done}/{total} placed",
  "statement.state": "{number}: {state}",
  "result.counts": "best {best} second {second} other {other}",
  "result.first": "first {first} of {total}",
  "fit.second.then": "then {choice}",
  "characters.one": "{count} char",
  "characters.many": "{count} chars",
  answer: "answer {number} {title}",
};

/** The model of an exercise. */
const exerciseModel = (state) =>
  fakeModel({
    exercise: coding,
    fields: SAMPLE.fields,
    words: WORDS,
    lang: "en",
    answers: {},
    axes: {},
    compared: false,
    run: 0,
    kept: "",
    said: 0,
    heard: 0,
    theme: "system",
    ...state,
  });

const leaving = [];
afterEach(() => leaving.splice(0).forEach((leave) => leave()));
beforeEach(() => {
  openPage();
  systemPrefers(false);
});

function opened(state, { signal } = {}) {
  const el = document.body.appendChild(document.createElement("div"));
  const model = exerciseModel(state);
  leaving.push(widget.render({ model, el, signal }));
  return { el, model };
}

const radios = (el) => [...el.querySelectorAll("[role=radio]")];
const status = (el) => el.querySelector("[role=status]").textContent;
const button = (el, name) =>
  [...el.querySelectorAll("button")].find(
    (each) => (each.getAttribute("aria-label") ?? each.textContent) === name,
  );
const heading = (el) => el.querySelector("[role=group] [role=heading]")?.textContent;
const press = (key, changes = {}) =>
  document.activeElement.dispatchEvent(
    new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...changes }),
  );
const CHOICES = ["current_focus", "theory_of_mind", "self_narrative", "annotation", "none"];
const choose = (el, choice) => radios(el)[CHOICES.indexOf(choice)].click();

test("it shows the dialogue, the statement and five choices with their questions", () => {
  const { el } = opened();
  assert.equal(el.querySelector("[role=article]").getAttribute("aria-label"), coding.title);
  for (const { text } of coding.dialogue) assert.ok(el.textContent.includes(text));
  const group = el.querySelector("[role=radiogroup]");
  const labelled = document.getElementById(group.getAttribute("aria-labelledby"));
  assert.equal(labelled.textContent, coding.statements[0].text);
  assert.ok(document.getElementById(group.getAttribute("aria-describedby")).textContent);
  assert.deepEqual(
    radios(el).map((each) => each.dataset.part),
    CHOICES,
  );
  assert.match(radios(el)[1].textContent, /theory_of_mind.*other.*what is the user's state\?/);
  assert.ok(radios(el).every((each) => each.getAttribute("aria-checked") === "false"));
  assert.equal(status(el), "");
});

test("every choice of every statement shows straight away how it fits and why", async () => {
  const { el, model } = opened();
  for (const [number, statement] of coding.statements.entries()) {
    button(el, `${number + 1}: statement.open`).click();
    await settles(() => assert.equal(heading(el), `statement ${number + 1}/${coding.statements.length}`));
    for (const choice of CHOICES) {
      choose(el, choice);
      const fit =
        choice === statement.best ? "best" : (statement.second ?? []).includes(choice) ? "second" : "other";
      await settles(() => {
        assert.ok(status(el).includes(`fit.${fit}`), `${status(el)} ${fit}`);
        assert.ok(status(el).includes(statement.reasons[choice]));
        // A defensible choice also shows the best one; a wrong choice doesn't.
        assert.equal(status(el).includes(statement.reasons[statement.best]), fit !== "other");
        assert.equal(radios(el)[CHOICES.indexOf(choice)].getAttribute("aria-checked"), "true");
      });
    }
    assert.deepEqual(model.state.answers[number], ["current_focus", "none"], "the first one and the last");
  }
});

test("each answer is sent, but choosing the same again isn't an answer", async () => {
  const { el, model } = opened();
  choose(el, "annotation");
  choose(el, "annotation");
  assert.equal(model.saved.length, 1);
  assert.deepEqual(model.saved[0].answers, { 0: ["annotation"] });
  await settles(() => assert.match(status(el), /fit\.other/));
  choose(el, "current_focus");
  assert.deepEqual(model.saved[1].answers, { 0: ["annotation", "current_focus"] });
});

test("arrow keys move without choosing, numbers and Space choose", async () => {
  const { el, model } = opened();
  radios(el)[0].focus();
  const at = () => radios(el).indexOf(document.activeElement);
  for (const [key, place] of [
    ["ArrowRight", 1],
    ["ArrowDown", 2],
    ["ArrowLeft", 1],
    ["End", 4],
    ["ArrowRight", 0],
    ["ArrowUp", 4],
    ["Home", 0],
  ]) {
    assert.equal(press(key), false, `${key} is taken`);
    await settles(() => assert.equal(at(), place, key));
    await settles(() =>
      assert.deepEqual(
        radios(el).map((each) => each.tabIndex),
        CHOICES.map((_, number) => (number === place ? 0 : -1)),
      ),
    );
  }
  assert.deepEqual(model.saved, []);
  assert.equal(press("4"), false);
  await settles(() => assert.equal(at(), 3));
  assert.deepEqual(model.state.answers, { 0: ["annotation"] });
  for (const [key, changes] of [
    ["6", {}],
    ["x", {}],
    ["Tab", {}],
    ["s", { ctrlKey: true }],
    ["2", { metaKey: true }],
  ])
    assert.equal(press(key, changes), true, `${key} is left alone`);
  assert.deepEqual(model.state.answers, { 0: ["annotation"] });
});

test("the focus follows to the next statement, and to the result", async () => {
  const answers = Object.fromEntries(coding.statements.map(({ best }, number) => [number, [best]]));
  delete answers[7];
  const { el } = opened({ answers });
  assert.equal(heading(el), "statement 8/8", "it begins where something is left to do");
  assert.equal(document.activeElement, document.body, "and leaves the focus where it is");
  button(el, "previous").click();
  await settles(() =>
    assert.equal(document.activeElement, radios(el)[CHOICES.indexOf(coding.statements[6].best)]),
  );
  button(el, "next").click();
  await settles(() => assert.equal(document.activeElement, radios(el)[0]));
  assert.equal(heading(el), "statement 8/8");
  choose(el, "current_focus");
  await settles(() => assert.ok(button(el, "result.show")));
  button(el, "result.show").click();
  await settles(() => {
    assert.equal(document.activeElement.textContent, "result");
    assert.match(el.textContent, /best 7 second 1 other 0/);
    assert.match(el.textContent, /first 7 of 8/);
  });
  assert.equal(el.querySelectorAll(".coglog-practice-results li").length, 8);
});

test("from the last statement it goes on to the first that is open", async () => {
  const answers = { 0: ["none"], 2: ["none"] };
  const { el } = opened({ answers });
  assert.equal(heading(el), "statement 2/8");
  button(el, "8: statement.open").click();
  await settles(() => assert.equal(heading(el), "statement 8/8"));
  button(el, "next").click();
  await settles(() => assert.equal(heading(el), "statement 2/8"));
});

test("starting again clears everything in one message", async () => {
  const answers = Object.fromEntries(coding.statements.map(({ best }, number) => [number, ["none", best]]));
  const { el, model } = opened({ answers, run: 2 });
  assert.match(el.textContent, /best 8 second 0 other 0/);
  assert.match(el.textContent, /first 1 of 8/);
  button(el, "again").click();
  assert.equal(model.saved.length, 1);
  assert.deepEqual(model.saved[0].answers, {});
  assert.equal(model.saved[0].run, 3);
  await settles(() => assert.equal(heading(el), "statement 1/8"));
  assert.equal(status(el), "");
});

test("each step has a sign and a name for its answer", async () => {
  const { el } = opened({ answers: { 0: ["current_focus"], 1: ["annotation"], 2: ["theory_of_mind"] } });
  const steps = [...el.querySelectorAll("ol button")];
  assert.deepEqual(
    steps.slice(0, 4).map((each) => [each.getAttribute("aria-label"), each.textContent]),
    [
      ["1: fit.best", "1\u00a0\u2713"],
      ["2: fit.second", "2\u00a0\u2248"],
      ["3: fit.other", "3\u00a0\u2192"],
      ["4: statement.open", "4"],
    ],
  );
  assert.equal(steps[3].getAttribute("aria-current"), "step");
});

test("it follows the model: another view's answers, the theme, where they are kept", async () => {
  const { el, model } = opened();
  model.set("answers", { 0: ["theory_of_mind"] });
  await settles(() => assert.match(status(el), /fit\.other/));
  model.set("kept", "in a file");
  await settles(() => assert.match(el.textContent, /in a file/));
  model.set("theme", "dark");
  await settles(() => assert.equal(el.querySelector("[data-theme]").dataset.theme, "dark"));
  button(el, "theme.light").click();
  await settles(() => assert.equal(el.querySelector("[data-theme]").dataset.theme, "light"));
});

test("the exercise's texts have its language, the words around them have their own", () => {
  const { el } = opened({ exercise: { ...coding, language: "pt-BR" }, lang: "ja" });
  const language = (element) => element.closest("[lang]").lang;
  assert.equal(language(el.querySelector(".coglog-practice-statement")), "pt-BR");
  assert.equal(language(el.querySelector(".coglog-practice-title")), "pt-BR");
  assert.equal(language(el.querySelector("[role=radiogroup]")), "ja");
});

test("texts stay text", () => {
  const hard = "</style><img src=x onerror=alert(1)>{0} $& \u2028";
  const statements = [{ ...coding.statements[0], text: hard }];
  const { el } = opened({ exercise: { ...coding, title: hard, statements }, kept: hard });
  assert.equal(el.querySelector("img"), null);
  assert.equal(el.querySelector(".coglog-practice-statement").textContent, hard);
});

// ---- the blank turn

const areas = (el) => [...el.querySelectorAll("textarea")];

function write(area, text) {
  area.value = text;
  area.dispatchEvent(new window.Event("input", { bubbles: true }));
}

test("a blank turn has a labelled, counted text area for each axis", async () => {
  const { el, model } = opened({ exercise: blank });
  for (const text of Object.values(blank.facts)) assert.ok(el.textContent.includes(text));
  assert.deepEqual(
    areas(el).map(({ labels }) => labels[0].textContent.split(" ")[0]),
    CHOICES.slice(0, 4),
  );
  const [focus] = areas(el);
  write(focus, "a\u{1F331}");
  const count = document.getElementById(focus.getAttribute("aria-describedby"));
  await settles(() => assert.equal(count.textContent, "2 chars"));
  assert.deepEqual(model.saved, [], "not at every key");
  await settles(() => assert.deepEqual(model.saved.at(-1)?.axes, { current_focus: "a\u{1F331}" }));
  assert.equal(model.saved.length, 1);
});

test("leaving a text area sends it at once, and so does the end of the view", async () => {
  const { el, model } = opened({ exercise: blank });
  areas(el)[3].focus();
  write(areas(el)[3], "clap");
  areas(el)[3].blur();
  assert.equal(model.saved.length, 1);
  assert.deepEqual(model.saved[0].axes, { annotation: "clap" });
  await settles(() => assert.match(el.textContent, /4 chars/));
  write(areas(el)[0], "drums");
  leaving.pop()();
  assert.deepEqual(model.saved.at(-1).axes, { annotation: "clap", current_focus: "drums" });
});

test("a text from another view goes into a text area only if it doesn't have the focus", async () => {
  const { el, model } = opened({ exercise: blank, axes: { annotation: "from before" } });
  assert.equal(areas(el)[3].value, "from before");
  areas(el)[3].focus();
  areas(el)[3].value = "half a w";
  model.set("axes", { annotation: "theirs", current_focus: "theirs too" });
  await settles(() => assert.equal(areas(el)[0].value, "theirs too"));
  assert.equal(areas(el)[3].value, "half a w");
});

test("the comparison shows one's own axes beside the two worked answers and their reasons", async () => {
  const { el, model } = opened({ exercise: blank, axes: { annotation: "mine" } });
  assert.ok(!el.textContent.includes(blank.answers[0].axes.annotation.why));
  button(el, "compare").click();
  assert.equal(model.saved.at(-1).compared, true);
  await settles(() => assert.equal(document.activeElement.textContent, "compare.title"));
  for (const { axes } of blank.answers)
    for (const { text, why } of Object.values(axes)) {
      assert.ok(el.textContent.includes(text || "empty"));
      assert.ok(el.textContent.includes(why));
    }
  const rows = [...el.querySelectorAll(".coglog-practice-three")];
  assert.equal(rows[3].children[0].textContent, "yoursmine");
  assert.equal(rows[0].children[0].textContent, "yoursempty");
  assert.match(rows[1].children[2].textContent, /^answer 2 .*empty/);
  button(el, "compare.hide").click();
  await settles(() => assert.ok(!el.textContent.includes(blank.answers[0].axes.annotation.why)));
});

test("the turn is copied as a cell that writes it", async () => {
  let copied = "";
  Object.defineProperty(window.navigator, "clipboard", {
    configurable: true,
    value: { writeText: async (text) => void (copied = text) },
  });
  const { el } = opened({ exercise: blank, axes: { annotation: 'say "twelve"\nthen clap' } });
  button(el, "copy").click();
  await settles(() => assert.equal(status(el), "copied"));
  const [line, ...body] = copied.split("\n");
  assert.equal(line, "%%coglog write");
  assert.deepEqual(JSON.parse(body.join("\n")), {
    ...blank.facts,
    current_focus: "",
    theory_of_mind: "",
    self_narrative: "",
    annotation: 'say "twelve"\nthen clap',
  });
  delete window.navigator.clipboard;
});

test("starting again empties the text areas", async () => {
  const { el } = opened({ exercise: blank, axes: { annotation: "mine" }, compared: true });
  button(el, "again").click();
  await settles(() =>
    assert.deepEqual(
      areas(el).map(({ value }) => value),
      ["", "", "", ""],
    ),
  );
});

// ---- the host

test("a stopped kernel costs no answer", async () => {
  const { el, model } = opened();
  model.save_changes = () => {
    throw new Error("the comm is closed");
  };
  choose(el, "current_focus");
  await settles(() => assert.match(status(el), /fit\.best/));
  assert.match(said.splice(0).join(), /the comm is closed/);
});

test("a message shows while the kernel hasn't confirmed an answer in time", async () => {
  // Timers that only the test fires.
  const alarms = new Map();
  const { setTimeout: before } = window;
  window.setTimeout = (ring, after) => (alarms.set(alarms.size + 1, { ring, after }), alarms.size);
  window.clearTimeout = (alarm) => alarms.delete(alarm);
  const ring = () => [...alarms.values()].forEach((each) => each.ring());
  const { el, model } = opened({ kept: "in a file" });
  const late = () => el.querySelector(".coglog-practice-late").textContent;
  choose(el, "annotation");
  assert.equal(model.state.said, 1);
  model.set("heard", 1);
  ring();
  assert.equal(late(), "", "it was confirmed in time");
  choose(el, "current_focus");
  assert.equal(late(), "", "it has some time");
  assert.deepEqual(
    [...alarms.values()].map(({ after }) => after),
    [4_000],
  );
  ring();
  window.setTimeout = before;
  await settles(() => assert.equal(late(), "late"));
  assert.ok(!el.textContent.includes("in a file"), "the line that says where answers are kept is hidden");
  model.set("heard", 2);
  await settles(() => assert.equal(late(), ""));
  assert.ok(el.textContent.includes("in a file"));
});

test("a page that closes sends the text that was just typed", async () => {
  const { el, model } = opened({ exercise: blank });
  const [area] = areas(el);
  area.value = "last words";
  area.dispatchEvent(new window.Event("input", { bubbles: true }));
  assert.equal(model.saved.length, 0, "the text is sent after a pause");
  window.dispatchEvent(new window.Event("pagehide"));
  assert.deepEqual(Object.values(model.saved.at(-1).axes).filter(Boolean), ["last words"]);
  assert.equal(model.saved.length, 1);
});

test("it leaves when the signal aborts, and listens to nothing then", async () => {
  const controller = new AbortController();
  const { el, model } = opened({}, { signal: controller.signal });
  assert.ok(model.listening() > 0);
  controller.abort();
  assert.equal(model.listening(), 0);
  assert.equal(el.childElementCount, 0);
  leaving.pop();
  const late = opened({}, { signal: AbortSignal.abort() });
  assert.equal(late.el.childElementCount, 0);
});

test("it hides its static fallback, and shows it again at its end", async () => {
  document.body.innerHTML =
    '<div class="jp-OutputArea-child"><div class="jp-OutputArea-output"><div class="coglog-twin"><style></style>' +
    '</div></div></div><div class="jp-OutputArea-child"><div class="jp-OutputArea-output"><div id="here"></div></div></div>';
  const leave = widget.render({ model: exerciseModel(), el: document.getElementById("here") });
  const row = document.querySelector(".jp-OutputArea-child");
  await settles(() => assert.equal(row.style.display, "none"));
  leave();
  assert.equal(row.style.display, "");
  assert.ok(document.querySelector(".coglog-twin > style"));
});

test("buttons keep their keys from JupyterLab, text areas don't", () => {
  const place = opened().el;
  for (const each of place.querySelectorAll("button"))
    assert.ok(each.closest("[data-lm-suppress-shortcuts=true]"), each.textContent);
  const { el } = opened({ exercise: blank, compared: true });
  for (const each of el.querySelectorAll("button"))
    assert.ok(each.closest("[data-lm-suppress-shortcuts=true]"));
  for (const each of areas(el)) assert.equal(each.closest("[data-lm-suppress-shortcuts]"), null);
});

test("an error shows in the cell, and the next change shows the exercise again", async () => {
  const { el, model } = opened();
  model.set("exercise", null);
  assert.match(el.querySelector("[role=alert]").textContent, /^CogLog can't show this exercise: TypeError/);
  assert.equal(said.splice(0).length, 1);
  model.set("exercise", coding);
  await settles(() => assert.equal(radios(el).length, 5));
  assert.equal(el.querySelector("[role=alert]"), null);
});
