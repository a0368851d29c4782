/**
 * The static card as HTML with holes, `%{name}`, which Python fills without a JavaScript engine. The build renders the
 * viewer with the holes as its texts and takes the result apart; none of the HTML is written by hand.
 */

/** @typedef {{ [state: string]: string }} PartFragments the HTML of one part by state: "text", "hidden", ... */

/** The most bytes of HTML without what fills the holes: a saved notebook holds them once a turn. */
const LIMIT = 3_600;

/**
 * Takes out the one match of a pattern. Two or none mean that the viewer's HTML has changed; then the build stops, because
 * the card would have a hole too few.
 * @param {string} html
 * @param {RegExp} pattern
 * @param {string} [hole] replaces the match
 * @returns {[string, string]} the match, and the HTML without it
 */
function takeOut(html, pattern, hole = "") {
  const found = [...html.matchAll(new RegExp(pattern, "g"))];
  if (found.length !== 1)
    throw new Error(`the static card has ${found.length} places for ${pattern}, not one`);
  return [found[0][0], html.replace(pattern, () => hole)];
}

/** @param {string} text */
const literally = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

/**
 * @param {string} source the viewer's source; its sample turn has the table of the seven fields
 * @param {(props: object) => string} render
 */
export function staticCard(source, render) {
  const literal = /^const SAMPLE = JSON\.parse\((".*")\); \/\/ the turn shown$/m.exec(source);
  if (!literal) throw new Error("the viewer has lost its SAMPLE line");
  /** @type {import("./CogLogViewer.jsx").Field[]} */
  const fields = JSON.parse(JSON.parse(literal[1])).fields;
  const names = fields.map((field) => field.name);
  const axes = fields.filter((field) => field.layer === "interpretation").map((field) => field.name);
  const schema = { version: "%{version}" };

  /** @param {(name: string) => string} textOf @param {object} [states] */
  const rendered = (textOf, states) => {
    const texts = Object.fromEntries(names.map((name) => [name, textOf(name)]));
    const entry = {
      _schema: schema,
      timestamp: "%{timestamp}",
      layers: texts,
      ...texts,
    };
    return render({
      fixed: true,
      session: "%{session}",
      turn: { entry, fields, title: "%{title}", ...states },
    });
  };

  const holeOf = (/** @type {string} */ name) => `%{part:${name}}`;
  const nothing = () => "";

  /** The note that a part shows instead of a text. @param {string} html @param {string} name */
  const noteOf = (html, name) =>
    takeOut(html, new RegExp(`(?<=data-part="${name}"><div[^>]*>(?:(?!</div>).)*</div>)<i.*?</i>`))[0];

  const whole = rendered(holeOf);
  const json = JSON.stringify(schema, null, 2).replaceAll('"', "&quot;");
  const [, withSchema] = takeOut(whole, new RegExp(literally(json)), "%{schema}");
  const [session, withSession] = takeOut(withSchema, /<span[^>]*>[^<]*%\{session\}<\/span>/, "%{session}");

  const cutOnce = rendered(holeOf, { cut: { [names[0]]: { left_out: "%{left_out}", total: "%{total}" } } });
  const [cut] = takeOut(cutOnce, /<i[^>]*>[^<]*%\{left_out\}.*?<\/i>/);
  const beforeOnce = rendered(holeOf, { before: { [axes[0]]: "%{text}" } });
  const [before] = takeOut(beforeOnce, /<div[^>]*><small>[^<]*<\/small><pre[^>]*>%\{text\}<\/pre><\/div>/);
  const empty = rendered(nothing);
  const missing = rendered(nothing, { missing: names });
  const hidden = rendered(nothing, { hidden: names });

  let shell = withSession;
  /** @type {{ [name: string]: PartFragments }} */
  const parts = {};
  for (const name of names) {
    const [pre, rest] = takeOut(
      shell,
      new RegExp(`<pre[^>]*>${literally(holeOf(name))}</pre>`),
      holeOf(name),
    );
    shell = rest;
    parts[name] = { text: `${pre.replace(holeOf(name), "%{text}")}%{cut}` };
    parts[name].missing = noteOf(missing, name);
    if (axes.includes(name)) parts[name].empty = noteOf(empty, name);
    parts[name].hidden = noteOf(hidden, name);
    if (axes.includes(name)) for (const state in parts[name]) parts[name][state] += "%{before}";
  }

  const pieces = [shell, ...Object.values(parts).flatMap((part) => Object.values(part))];
  const size = pieces.join("").replaceAll(/%\{[^}]*\}/g, "").length;
  if (size > LIMIT) throw new Error(`the static card takes ${size} B, more than ${LIMIT} B`);
  return { shell, session, parts, cut, before };
}
