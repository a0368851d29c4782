/**
 * Builds what the Python package ships from the one viewer source:
 *
 *   card.js           the widget, whole
 *   stub.js           the few lines that every further card brings
 *   editor.js         the form in which a turn is written, with the viewer
 *   exercise.js       the widget of an exercise
 *   card.json         the static card, as HTML with holes that Python fills
 *   page.html         the exported page, with holes too
 *   CogLogViewer.jsx  the source itself, the body of the .jsx artifact
 *
 * The same sources give the same bytes: names are fixed, nothing carries a time or a path.
 */
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import * as esbuild from "esbuild";

import { staticCard } from "./src/static-card.js";

const HERE = dirname(fileURLToPath(import.meta.url));
const VIEWER = join(HERE, "src", "CogLogViewer.jsx");

// A saved notebook carries both once, or once a card: what grows here grows in every one of them.
const LIMITS = {
  "card.js": 30 * 1024,
  "stub.js": 400,
  "card.json": 6_000,
  "page.html": 60_000,
  "editor.js": 52 * 1024,
  "exercise.js": 42 * 1024,
};

// Measured: the card needs 230 KB with React and a tenth of that with Preact, and looks the same. It must be Preact's
// compat layer and not bare Preact, which leaves the unit off numeric styles.
const PREACT = {
  react: "preact/compat",
  "react-dom": "preact/compat",
  "react-dom/client": "preact/compat/client",
  "react/jsx-runtime": "preact/jsx-runtime",
};

/** @type {esbuild.BuildOptions} */
const SHARED = {
  absWorkingDir: HERE,
  bundle: true,
  write: false,
  format: "esm",
  jsx: "automatic",
  charset: "ascii",
  legalComments: "none",
  logLevel: "warning",
  // Without it the development build comes in, and with it `process`, which no browser has.
  define: { "process.env.NODE_ENV": '"production"' },
};

/** A widget is always given its turn: the sample would only be ballast in it. */
const withoutSample = {
  name: "without-sample",
  /** @param {esbuild.PluginBuild} build */
  setup(build) {
    build.onLoad({ filter: /CogLogViewer\.jsx$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      const contents = source.replace(/^const SAMPLE = .*$/m, "const SAMPLE = undefined;");
      if (contents === source) throw new Error("the viewer has lost its SAMPLE line");
      return { contents, loader: "jsx" };
    });
  },
};

/**
 * @param {string} entry
 * @param {esbuild.BuildOptions} [options]
 */
async function bundle(entry, options) {
  const result = await esbuild.build({ ...SHARED, entryPoints: [entry], ...options });
  return result.outputFiles?.[0].text ?? "";
}

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
    // React's server build takes MessageChannel and the like from the platform, which in Node is there.
    platform: "node",
    banner: {
      js: 'import { createRequire } from "node:module"; const require = createRequire("/");',
    },
  });
  const address = `data:text/javascript;base64,${Buffer.from(code).toString("base64")}`;
  return /** @type {{ render(props: object): string }} */ (await import(address));
}

/**
 * The page with its script in it, which is the only one that a browser then runs there: whatever a hole is filled with,
 * no other script has this hash.
 * @param {string} template
 * @param {string} code
 */
function page(template, code) {
  const script = code.trim();
  if (/<\/script|<!--|%\{/i.test(script)) throw new Error("the page's script would end early, or has holes");
  const hash = `sha256-${createHash("sha256").update(script).digest("base64")}`;
  return template.replace("%{hash}", hash).replace("%{script}", () => script);
}

/**
 * @returns {Promise<{ [name: string]: string }>} every file of the package's static folder, by name
 */
export async function buildAll() {
  const minified = { minify: true, target: "es2022" };
  const withViewer = { ...minified, alias: PREACT, plugins: [withoutSample] };
  const [source, template, card, pageCode, stub, editor, exercise, { render }] = await Promise.all([
    readFile(VIEWER, "utf8"),
    readFile(join(HERE, "src", "page.html"), "utf8"),
    bundle("src/card.js", withViewer),
    bundle("src/page.js", { ...withViewer, format: "iife" }),
    bundle("src/stub.js", minified),
    bundle("src/editor.js", withViewer),
    bundle("src/exercise.js", { ...minified, alias: PREACT }),
    serverViewer(),
  ]);
  return {
    "CogLogViewer.jsx": source,
    "card.js": card,
    "editor.js": editor,
    "exercise.js": exercise,
    "card.json": `${JSON.stringify(staticCard(source, render), null, 1)}\n`,
    "page.html": page(template, pageCode),
    "stub.js": stub,
  };
}

/** @param {string} target */
async function main(target) {
  const files = await buildAll();
  await mkdir(target, { recursive: true });
  // A file that a former build left would be shipped for ever.
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
