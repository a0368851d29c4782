/** The viewer on a page, under every React that it meets: artifacts run in React, the widget in Preact. */
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

      /** React 18 and 19 want updates wrapped; Preact's compat layer has no such function among its exports. */
      const act = async (work) => {
        if (React.act) await React.act(async () => work());
        else {
          flushSync(work);
          // It runs effects a turn of the event loop after a frame, or after 35 ms where no frame is drawn.
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

      // Preact draws the widget, in browsers alone.
      if (renderToString)
        test("a server renders it, with and without props, and a browser takes that over", async () => {
          for (const props of [
            {},
            { fixed: true },
            { turn: turnWith({ annotation: "" }), session: "npc", theme: "dark" },
          ]) {
            const html = renderToString(React.createElement(Viewer, props));
            // Whatever the server escapes inside a style element, a browser takes literally.
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
        assert.equal(texts.current_focus, "(empty)");
        assert.match(texts.theory_of_mind, /^\(missing\) .+/);
        assert.equal(texts.user, SAMPLE.entry.layers.user);
      });

      test("what is hidden stays hidden even if the turn holds it", async () => {
        const card = await show({ turn: turnWith({ thinking: "a secret", hidden: ["thinking"] }) });
        assert.doesNotMatch(card.outerHTML, /a secret/);
      });

      test("an entry that lacks an axis shows it as missing, whoever forgot to say so", async () => {
        const turn = turnWith({});
        delete turn.entry.annotation;
        delete turn.entry._schema;
        const card = await show({ turn });
        assert.match(textsOf(card).annotation, /^\(missing\)/);
        assert.equal(card.querySelector("details pre").textContent, "(missing)");
      });

      test("each part gives its name, direction and question; another label comes too", async () => {
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
        assert.equal(themeOf(), "light", "nobody says anything");
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
        assert.equal(system.listeners.size, 0, "nobody listens any more");
        root = createRoot(place);
      });

      test("a click sets the theme and tells; a new theme from outside wins over it", async () => {
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

test("a turn written over the sample's line is the turn shown", async () => {
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
