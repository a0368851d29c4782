/**
 * Compiles artifacts that Python wrote and renders them in a page under real React, for tests/topics/test_artifact.py:
 *
 *     node render-artifact.mjs FILE...
 *
 * Prints a JSON array, as its last line, with one object for each file and React (the JSX runtimes take turns): the
 * seven texts as the page holds them, the words around them, and what the console said.
 */
import { readFile } from "node:fs/promises";

import { loadViewer, openPage, systemPrefers, textsOf, wordsOf } from "./helpers.mjs";

openPage();
systemPrefers(false);

const results = [];
for (const [index, file] of process.argv.slice(2).entries())
  for (const react of ["React 18", "React 19"]) {
    const jsx = index % 2 ? "automatic" : "transform";
    const said = [];
    for (const method of ["error", "warn"]) console[method] = (...words) => void said.push(words.join(" "));
    const source = await readFile(file, "utf8");
    const { React, Viewer, createRoot, renderToString } = await loadViewer(react, { jsx, source });
    const place = document.body.appendChild(document.createElement("div"));
    await React.act(async () => createRoot(place).render(React.createElement(Viewer)));
    const card = place.firstElementChild;
    results.push({
      file,
      react: React.version,
      jsx,
      texts: textsOf(card),
      words: wordsOf(card),
      theme: card.dataset.theme,
      elements: [...new Set([...card.querySelectorAll("*")].map((each) => each.localName))].sort(),
      server: renderToString(React.createElement(Viewer)).length > 0,
      said,
    });
  }
// React's open channels would keep the process running.
process.stdout.write(JSON.stringify(results), () => process.exit());
