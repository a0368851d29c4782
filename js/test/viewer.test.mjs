/** The viewer on a page: artifacts run in React 18 or 19, the widget in Preact. */
import assert from "node:assert/strict";
import { afterEach, beforeEach, describe, test } from "node:test";

import {
  HARD_TEXTS,
  NAMES,
  REACTS,
  SAMPLE,
  SOURCE,
  loadViewer,
  openPage,
  silentConsole,
  systemPrefers,
  textsOf,
  turnWith,
  wordsOf,
} from "./helpers.mjs";

silentConsole();
openPage();

const SAMPLE_TEXTS = {
  ...SAMPLE.entry.layers,
  ...Object.fromEntries(NAMES.slice(3).map((n) => [n, SAMPLE.entry[n]])),
};

for (const react of REACTS)
  for (const jsx of ["automatic", "transform"])
    describe(`${react}, ${jsx} JSX`, async () => {
      const { React, Viewer, createRoot, hydrateRoot, renderToString, flushSync } = await loadViewer(react, {
        jsx,
      });
      let place, root;

      /** React 18 and 19 want updates wrapped in `act`, which Preact's compat layer doesn't export. */
      const act = async (work) => {
        if (React.act) await React.act(async () => work());
        else {
          flushSync(work);
          // Preact runs effects right after a frame, or after 35 ms if no frame is drawn.
          for (const pause of [60, 5, 5]) await new Promise((done) => setTimeout(done, pause));
        }
      };
      const show = async (props) => {
        await act(() => root.render(React.createElement(Viewer, props)));
        return place.firstElementChild;
      };
      const themeOf = () => place.firstElementChild.dataset.theme;
      const button = (name) =>
        [...place.querySelectorAll("button")].find((each) => each.textContent === name);
      const pressed = () =>
        [...place.querySelectorAll("button")]
          .filter((each) => each.getAttribute("aria-pressed") === "true")
          .map((each) => each.textContent);

      beforeEach(() => {
        delete globalThis.matchMedia;
        place = document.body.appendChild(document.createElement("div"));
        root = createRoot(place);
      });
      afterEach(async () => {
        await act(() => root.unmount());
        place.remove();
      });

      test("without props it shows the sample", async () => {
        const card = await show({});
        assert.deepEqual(textsOf(card), SAMPLE_TEXTS);
        assert.ok(card.classList.contains("coglog-live"));
        assert.match(wordsOf(card), /CogLog 0\.9\.1.*Turn 1 2026-02-26T00:00:00\+00:00/s);
        assert.doesNotMatch(wordsOf(card), /session/);
        assert.deepEqual(pressed(), ["system"]);
      });

      // Preact only draws the widget, in browsers.
      if (renderToString)
        test("a server renders it, with and without props, and a browser hydrates that", async () => {
          for (const props of [
            {},
            { fixed: true },
            { turn: turnWith({ annotation: "" }), session: "npc", theme: "dark" },
          ]) {
            const html = renderToString(React.createElement(Viewer, props));
            // A browser takes literally what the server escapes inside a style element.
            assert.doesNotMatch(/<style>(.*?)<\/style>/s.exec(html)?.[1] ?? "", /&/);
            const other = document.body.appendChild(document.createElement("div"));
            other.innerHTML = html;
            const before = textsOf(other);
            let taken;
            await act(() => (taken = hydrateRoot(other, React.createElement(Viewer, props))));
            assert.deepEqual(textsOf(other), before);
            await act(() => taken.unmount());
            other.remove();
          }
        });

      test("every text arrives as it is, in one text node", async () => {
        for (const [what, text] of Object.entries(HARD_TEXTS)) {
          const card = await show({ turn: turnWith(Object.fromEntries(NAMES.map((name) => [name, text]))) });
          for (const [name, found] of Object.entries(textsOf(card)))
            assert.equal(found, text, `${what} in ${name}`);
          assert.equal(card.querySelectorAll("script, img").length, 0);
        }
      });

      test("it says what is empty, missing or not shown", async () => {
        const texts = textsOf(
          await show({
            turn: turnWith({
              thinking: undefined,
              hidden: ["thinking"],
              current_focus: "",
              theory_of_mind: "",
              missing: ["theory_of_mind"],
            }),
          }),
        );
        assert.equal(texts.thinking, "(not shown)");
        assert.equal(texts.current_focus, "(empty) left unwritten on purpose");
        assert.match(texts.theory_of_mind, /^\(missing\) .+/);
        assert.equal(texts.user, SAMPLE.entry.layers.user);
      });

      test("what is hidden stays hidden even if the turn holds it", async () => {
        const card = await show({ turn: turnWith({ thinking: "a secret", hidden: ["thinking"] }) });
        assert.doesNotMatch(card.outerHTML, /a secret/);
      });

      test("an axis that the entry doesn't have shows as missing, even if `missing` doesn't name it", async () => {
        const turn = turnWith({});
        delete turn.entry.annotation;
        delete turn.entry._schema;
        const card = await show({ turn });
        assert.match(textsOf(card).annotation, /^\(missing\)/);
        assert.equal(card.querySelector("details pre").textContent, "(missing)");
      });

      test("each part gives its name, direction and question, and its label if that differs", async () => {
        const turn = turnWith({});
        turn.fields[6].label = "Note to self";
        const card = await show({ turn });
        for (const { name, direction, question } of turn.fields) {
          const part = card.querySelector(`[data-part=${name}]`);
          assert.equal(part.getAttribute("aria-label"), name);
          assert.equal(part.getAttribute("role"), "group");
          const head = part.firstElementChild.textContent;
          assert.ok(
            [name, direction, question].every((word) => head.includes(word)),
            head,
          );
          assert.equal(head.includes("Note to self"), name === "annotation");
          assert.doesNotMatch(head, /User|Self-narrative/);
        }
      });

      test("a screen reader hears the turn, the layers and the parts; nothing carries an id", async () => {
        const card = await show({ turn: turnWith({ turn_id: 3 }), session: "alice" });
        assert.deepEqual(
          [card, ...card.querySelectorAll("[role=group]")].map((each) => each.getAttribute("aria-label")),
          [
            "Turn 3",
            "Theme",
            "Fact layer",
            "user",
            "thinking",
            "assistant",
            "Interpretation layer",
            ...NAMES.slice(3),
          ],
        );
        assert.equal(card.querySelectorAll("[id], [name], h1, h2, h3, h4").length, 0);
        assert.match(wordsOf(card), /session alice/);
      });

      test("the schema is folded and whole", async () => {
        const card = await show({});
        const details = card.querySelector("details");
        assert.equal(details.open, false);
        assert.match(details.querySelector("summary").textContent, /_schema$/);
        assert.deepEqual(JSON.parse(details.querySelector("pre").textContent), SAMPLE.entry._schema);
      });

      test("system means the page's theme, else the operating system's", async () => {
        await show({});
        assert.equal(themeOf(), "light", "neither the page nor the system says anything");
        await act(() => root.unmount());
        root = createRoot(place);

        const system = systemPrefers(true);
        await show({});
        assert.equal(themeOf(), "dark", "the system's");
        await act(() => system.change(false));
        assert.equal(themeOf(), "light", "the system's, switched");
        await show({ pageTheme: "dark" });
        assert.equal(themeOf(), "dark", "the page's");
        await show({ pageTheme: "dark", theme: "light" });
        assert.equal(themeOf(), "light", "the one asked for");
        await act(() => root.unmount());
        assert.equal(system.listeners.size, 0, "no listener is left");
        root = createRoot(place);
      });

      const more = (name) => place.querySelector(`[data-part=${name}] .coglog-more`);
      const textOf = (name) => textsOf(place)[name];
      const clicked = (name) => act(() => more(name).click());

      test("a long text shows its beginning until it is asked for", async () => {
        const lines = (count) => Array.from({ length: count }, (_, index) => `line ${index}`).join("\n");
        const face = "\u{1F642}";
        for (const [text, beginning, characters] of [
          ["x".repeat(20_001), "x".repeat(20_000), "20,001"],
          [lines(301), lines(300), "2,598"],
          ["\n".repeat(301), "\n".repeat(299), "301"],
          [`x${face.repeat(15_000)}`, `x${face.repeat(9_999)}`, "15,001"],
        ]) {
          await show({ turn: turnWith({ user: text, annotation: text }) });
          for (const name of ["user", "annotation"]) {
            assert.equal(textOf(name), beginning);
            assert.equal(more(name).textContent, `show all (${characters} characters)`);
            assert.equal(more(name).getAttribute("aria-expanded"), "false");
          }
          let seen = 0;
          more("user").scrollIntoView = () => (seen += 1);
          await clicked("user");
          assert.deepEqual([textOf("user"), textOf("annotation")], [text, beginning]);
          assert.deepEqual([more("user").textContent, seen], ["show less", 0]);
          assert.equal(more("user").getAttribute("aria-expanded"), "true");
          await clicked("user");
          assert.deepEqual([textOf("user"), seen], [beginning, 1]);
          await clicked("user");
        }
        await show({ turn: turnWith({ user: "y".repeat(30_000) }) });
        assert.equal(textOf("user").length, 20_000, "another text is closed again");
        for (const whole of ["x".repeat(20_000), lines(300), `${lines(300)}\n`, face.repeat(10_000)]) {
          await show({ turn: turnWith({ user: whole }) });
          assert.deepEqual([textOf("user"), more("user")], [whole, null]);
        }
      });

      test("a thinking of some length starts folded, with all of it in the page", async () => {
        const folded = () => place.querySelectorAll(".coglog-folded").length;
        for (const text of ["x".repeat(1_201), "\n".repeat(13), "line\n".repeat(13)]) {
          await show({ turn: turnWith({ thinking: text, user: text, assistant: text }) });
          assert.deepEqual([textOf("thinking"), more("thinking").textContent], [text, "show more"]);
          assert.deepEqual([folded(), more("user"), more("assistant")], [1, null, null]);
          await clicked("thinking");
          assert.deepEqual([folded(), more("thinking").textContent], [0, "show less"]);
        }
        const long = "x".repeat(20_001);
        await show({ turn: turnWith({ thinking: long }) });
        assert.deepEqual([folded(), more("thinking").textContent], [1, "show all (20,001 characters)"]);
        await clicked("thinking");
        assert.deepEqual([folded(), textOf("thinking")], [0, long]);
        for (const text of ["x".repeat(1_200), "line\n".repeat(12)]) {
          await show({ turn: turnWith({ thinking: text }) });
          assert.deepEqual([folded(), more("thinking")], [0, null]);
        }
      });

      test("printed, every text is whole", async () => {
        const text = "x".repeat(20_001);
        const turn = turnWith({ user: text, thinking: text, before: { annotation: text } });
        await show({ turn });
        const all = () =>
          [...place.querySelectorAll(".coglog-text")].filter((each) => each.textContent === text);
        assert.equal(all().length, 0);
        await show({ turn, printing: true });
        assert.equal(all().length, 3);
        await show({ turn });
        assert.equal(all().length, 0);
      });

      test("a part with a text can be copied if `onCopy` is given", async () => {
        const copied = [];
        const long = "x".repeat(30_000);
        const turn = turnWith({
          user: long,
          hidden: ["thinking"],
          missing: ["annotation"],
          current_focus: "",
          before: { self_narrative: "not this one" },
        });
        await show({ turn });
        assert.equal(place.querySelectorAll(".coglog-copy, [role=status]").length, 0);
        await show({ turn, onCopy: async (text) => void copied.push(text) });
        const buttons = [...place.querySelectorAll(".coglog-copy button")];
        const names = ["user", "assistant", "theory_of_mind", "self_narrative"];
        assert.deepEqual(
          buttons.map((each) => each.getAttribute("aria-label")),
          names.map((name) => `copy ${name}`),
        );
        const said = () => [...place.querySelectorAll("[role=status]")].map((each) => each.textContent);
        assert.deepEqual(said(), ["", "", "", ""]);
        await act(() => buttons[0].click());
        assert.deepEqual([copied, said()], [[long], ["copied", "", "", ""]]);
        await act(() => buttons[3].click());
        assert.equal(copied[1], SAMPLE.entry.self_narrative);
        await show({ turn: turnWith({}), onCopy: () => Promise.reject(new Error("refused")) });
        assert.equal(said()[0], "", "another text was copied");
        await act(() => place.querySelector(".coglog-copy button").click());
        assert.equal(said()[0], "not copied");
      });

      test("an axis shows its text of a turn ago", async () => {
        for (const fixed of [false, true]) {
          const card = await show({
            fixed,
            turn: turnWith({
              current_focus: "",
              hidden: ["annotation"],
              before: {
                current_focus: "\n  </pre>the one before\r",
                theory_of_mind: "",
                annotation: "a secret",
              },
            }),
          });
          const before = (name) => card.querySelector(`[data-part=${name}] > div:last-child > pre`);
          assert.equal(before("current_focus").firstChild.data, "\n  </pre>the one before\r");
          assert.equal(before("current_focus").childNodes.length, 1);
          assert.equal(before("current_focus").previousSibling.textContent, "a turn ago");
          assert.equal(before("theory_of_mind").textContent, "(empty)");
          assert.equal(before("self_narrative"), null);
          assert.equal(textOf("theory_of_mind"), SAMPLE.entry.theory_of_mind);
          assert.doesNotMatch(wordsOf(card), /a secret/);
        }
      });

      test("what changed is marked in words", async () => {
        const card = await show({ turn: turnWith({ changed: ["theory_of_mind"] }) });
        const heads = [...card.querySelectorAll(".coglog-head")].map((each) => each.textContent);
        assert.match(heads[4], /^theory_of_mind changed other /);
        assert.equal(heads.filter((head) => head.includes("changed")).length, 1);
      });

      test("its heading has the level that the page needs", async () => {
        const levels = () =>
          [...place.querySelectorAll("[role=heading]")].map((each) => each.getAttribute("aria-level"));
        await show({});
        assert.deepEqual(levels(), ["3", "4", "4"]);
        await show({ level: 1 });
        assert.deepEqual(levels(), ["1", "2", "2"]);
      });

      test("a click sets the theme and reports it; a new theme from outside wins over it", async () => {
        const told = [];
        const props = { onThemeChange: (theme) => told.push(theme) };
        await show(props);
        await act(() => button("dark").click());
        assert.deepEqual([themeOf(), pressed(), told], ["dark", ["dark"], ["dark"]]);
        await show({ ...props, pageTheme: "light" });
        assert.equal(themeOf(), "dark", "a click outlives a change of the page");
        await show({ ...props, theme: "light" });
        assert.deepEqual([themeOf(), pressed()], ["light", ["light"]]);
        await act(() => button("system").click());
        assert.deepEqual([pressed(), told], [["system"], ["dark", "system"]]);
      });

      test("an unknown theme is the system's", async () => {
        await show({ theme: "sepia" });
        assert.deepEqual(pressed(), ["system"]);
      });

      test("the static card has the same texts and no control", async () => {
        const card = await show({ fixed: true });
        assert.deepEqual(textsOf(card), SAMPLE_TEXTS);
        assert.equal(card.className, "coglog-static");
        assert.equal(card.querySelectorAll("button, style, [id], [class*=coglog-] [class]").length, 0);
        const headings = [...card.querySelectorAll("[role=heading]")].map((each) => each.textContent);
        assert.deepEqual(headings, ["Turn 1", "Fact layer", "Interpretation layer"]);
      });
    });

test("a turn that replaces the sample's line is the turn shown", async () => {
  for (const [what, text] of Object.entries(HARD_TEXTS)) {
    const turn = turnWith({ user: text, annotation: text });
    // As Python writes it: JSON inside a string of ASCII characters.
    const ascii = JSON.stringify(JSON.stringify(turn)).replace(
      /[<\u007f-\uffff]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
    const source = SOURCE.replace(
      /^const SAMPLE = .*$/m,
      () => `const SAMPLE = JSON.parse(${ascii}); // the turn shown`,
    )
      .replace(/^const SESSION = .*$/m, 'const SESSION = JSON.parse("\\"npc\\""); // the session')
      .replace(/^const THEME = .*$/m, 'const THEME = JSON.parse("\\"dark\\""); // the starting theme');
    const { React, Viewer, createRoot } = await loadViewer("React 19", { source });
    const place = document.createElement("div");
    const root = createRoot(place);
    await React.act(async () => root.render(React.createElement(Viewer)));
    const texts = textsOf(place);
    assert.deepEqual([texts.user, texts.annotation], [text, text], what);
    assert.equal(place.firstElementChild.dataset.theme, "dark");
    assert.match(wordsOf(place), /session npc/);
    await React.act(async () => root.unmount());
  }
});
