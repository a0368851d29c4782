/**
 * Builds what the Python package ships from the sources in src/:
 *
 *   card.js           the widget that holds the viewer's code, once per kernel
 *   card-loader.js    the few lines that each card brings, which ask that widget for the code
 *   editor.js         the widget of the form in which a turn is written, with the viewer
 *   exercise.js       the widget of an exercise
 *   card.json         the static card, as HTML with holes that Python fills
 *   export-page.html  the exported page, with holes too
 *   CogLogViewer.jsx  the viewer with its style sheet in it: the body of the .jsx artifact
 *
 * The same sources give the same bytes: names are fixed, and no file holds a time or a path.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import * as esbuild from "esbuild";

import { staticCard } from "./src/static-card.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const SOURCES = join(HERE, "src");

// A saved notebook holds card.json's HTML once a card, and may hold the other files once: a byte here is many there.
export const LIMITS = {
  "card.js": 45 * 1024,
  "card-loader.js": 400,
  "card.json": 6_000,
  "export-page.html": 60_000,
  "editor.js": 60 * 1024,
  "exercise.js": 50 * 1024,
};

// The oldest browsers that run the bundles and the style sheets: nested rules, for one, become flat ones.
const BROWSERS = ["chrome111", "firefox113", "safari16.4"];

// Measured: the card takes 230 KB with React and a tenth of that with Preact, and looks the same. Preact's compat layer
// is needed, because Preact alone leaves the unit off numeric styles.
const PREACT = {
  react: "preact/compat",
  "react-dom": "preact/compat",
  "react-dom/client": "preact/compat/client",
  "react/jsx-runtime": "preact/jsx-runtime",
};

/** @param {esbuild.BuildOptions} options */
async function textOf(options) {
  const result = await esbuild.build({ absWorkingDir: HERE, logLevel: "warning", write: false, ...options });
  return result.outputFiles?.[0].text ?? "";
}

/**
 * A style sheet and those that it imports, minified.
 * @param {string} path
 */
export async function minifiedCss(path) {
  const options = { bundle: true, minify: true, target: BROWSERS, charset: /** @type {const} */ ("ascii") };
  return (await textOf({ ...options, entryPoints: [path], legalComments: "none" })).trim();
}

/** Makes `import CSS from "./Some.css"` give the minified text. */
export const cssAsText = {
  name: "css-as-text",
  /** @param {esbuild.PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /\.css$/ }, async ({ path }) => ({
      contents: await minifiedCss(path),
      loader: "text",
    }));
  },
};

/** Leaves the sample turn out of the widgets, which are always given a turn. */
const withoutSample = {
  name: "without-sample",
  /** @param {esbuild.PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /CogLogViewer\.jsx$/ }, async ({ path }) => ({
      contents: replaceLine(await readFile(path, "utf8"), "const SAMPLE =", "const SAMPLE = undefined;"),
      loader: "jsx",
    }));
  },
};

/**
 * Replaces the one line of the viewer's source that begins with `start`.
 * @param {string} source
 * @param {string} start
 * @param {string} line
 */
function replaceLine(source, start, line) {
  const lines = source.split("\n");
  const found = lines.flatMap((each, number) => (each.startsWith(start) ? [number] : []));
  if (found.length !== 1) throw new Error(`the viewer has ${found.length} lines that start with "${start}"`);
  lines[found[0]] = line;
  return lines.join("\n");
}

/** The viewer as one file: its source, with the style sheet instead of its import. */
export async function viewerFile() {
  const [source, css] = await Promise.all([
    readFile(join(SOURCES, "CogLogViewer.jsx"), "utf8"),
    minifiedCss(join(SOURCES, "CogLogViewer.css")),
  ]);
  // Server rendering would escape these in the style element, and a browser takes the escapes literally.
  if (/["'&<>]/.test(css))
    throw new Error("CogLogViewer.css needs a character that server rendering escapes");
  return replaceLine(source, "import CSS from", `const CSS = ${JSON.stringify(css)};`);
}

/**
 * @param {string} entry
 * @param {esbuild.BuildOptions} [options]
 */
const bundle = (entry, options) =>
  textOf({
    entryPoints: [entry],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    charset: "ascii",
    legalComments: "none",
    minify: true,
    target: BROWSERS,
    alias: PREACT,
    plugins: [cssAsText, withoutSample],
    // Without this, the development build comes in, and with it `process`, which no browser has.
    define: { "process.env.NODE_ENV": '"production"' },
    ...options,
  });

/** The viewer as it renders on a server, run from memory so that the build leaves no file behind. */
async function serverViewer() {
  const code = await bundle("", {
    entryPoints: undefined,
    stdin: {
      resolveDir: HERE,
      contents: `
        import { createElement } from "react";
        import { renderToStaticMarkup } from "react-dom/server.edge";
        import Viewer from "./src/CogLogViewer.jsx";
        export const render = (props) => renderToStaticMarkup(createElement(Viewer, props));`,
    },
    minify: false,
    target: "node20",
    alias: {},
    plugins: [cssAsText],
    // React's server build takes MessageChannel and the like from its platform; Node has them.
    platform: "node",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
    },
  });
  const address = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
  return /** @type {{ render(props: object): string }} */ (await import(address));
}

/**
 * The exported page with its style and its script. The page's policy names the script's hash, so a browser runs no other
 * script there, whatever the holes are filled with.
 * @param {string} template
 * @param {string} css
 * @param {string} code
 */
function exportPage(template, css, code) {
  const script = code.trim();
  if (/<\/script|<!--|%\{/i.test(script)) throw new Error("the page's script would end early, or has holes");
  const hash = `sha256-${createHash("sha256").update(script).digest("base64")}`;
  return template
    .replace("%{hash}", hash)
    .replace("%{style}", () => css)
    .replace("%{script}", () => script);
}

/**
 * @returns {Promise<{ [name: string]: string }>} every file of the package's static folder, by name
 */
export async function buildAll() {
  const [viewer, template, pageCss, pageCode, card, cardLoader, editor, exercise, { render }] =
    await Promise.all([
      viewerFile(),
      readFile(join(SOURCES, "export-page.html"), "utf8"),
      minifiedCss(join(SOURCES, "export-page.css")),
      bundle("src/export-page.js", { format: "iife" }),
      bundle("src/card.js"),
      bundle("src/card-loader.js"),
      bundle("src/editor.js"),
      bundle("src/exercise.js"),
      serverViewer(),
    ]);
  return {
    "CogLogViewer.jsx": viewer,
    "card.js": card,
    "card-loader.js": cardLoader,
    "card.json": `${JSON.stringify(staticCard(viewer, render), null, 1)}\n`,
    "editor.js": editor,
    "exercise.js": exercise,
    "export-page.html": exportPage(template, pageCss, pageCode),
  };
}

/** @param {string} target */
async function main(target) {
  const files = await buildAll();
  await mkdir(target, { recursive: true });
  // The package ships whatever lies here, so a file of an earlier build must go.
  for (const name of await readdir(target))
    if (!Object.hasOwn(files, name)) await rm(join(target, name), { recursive: true });

  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(target, name), text);
    const size = Buffer.byteLength(text);
    console.log(`${name.padEnd(17)} ${String(size).padStart(6)} B, ${gzipSync(text).length} B gzipped`);
    const limit = /** @type {{ [name: string]: number }} */ (LIMITS)[name];
    if (limit && size > limit) throw new Error(`${name} is over its limit of ${limit} B`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(join(HERE, "..", "coglog_nb", "static"));
