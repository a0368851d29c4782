/*
 * The CogLog viewer: the one source of the notebook widget, the .jsx artifact, the .html export and the static card.
 *
 * It stands alone on purpose. It is handed out as a file, so it imports nothing but React, stores nothing, sends
 * nothing, writes no global and reads only matchMedia. Everything else (the page's theme, the session's name, the
 * clipboard) is given to it as props. Texts reach the page as text nodes only: whatever a turn says, it can't become
 * markup or code.
 */
import React, { useState, useSyncExternalStore } from "react";

/**
 * @typedef {{
 *   _schema?: unknown,
 *   turn_id: number | string,
 *   timestamp: string,
 *   layers: { [name: string]: string },
 *   [axis: string]: unknown,
 * }} Entry one stored turn; the four axes are strings beside `layers`
 *
 * @typedef {{
 *   name: string,
 *   label: string,
 *   layer: "fact" | "interpretation",
 *   direction: "" | "present" | "other" | "self" | "future",
 *   question: string,
 * }} Field how one of the seven texts is called and what it answers
 *
 * @typedef {{
 *   entry: Entry,
 *   fields: Field[],
 *   missing?: string[],
 *   hidden?: string[],
 *   cut?: { [name: string]: { left_out: number | string, total: number | string } },
 *   before?: { [axis: string]: string },
 *   changed?: string[],
 *   title?: string,
 * }} Turn what a card shows: `missing` axes an older entry lacks, `hidden` fields are kept out of view, `cut` says how
 *   much of a text the static card leaves out, `before` what stood in an axis a turn ago, `changed` which axes are new, `title`
 *   what the card is called where it isn't a stored turn
 *
 * @typedef {"light" | "system" | "dark"} Theme
 *
 * @typedef {{
 *   turn?: Turn,
 *   session?: string | null,
 *   theme?: Theme,
 *   pageTheme?: "light" | "dark" | null,
 *   onThemeChange?: (theme: Theme) => void,
 *   onCopy?: (text: string) => unknown,
 *   printing?: boolean,
 *   level?: number,
 *   fixed?: boolean,
 * }} ViewerProps `onCopy` lays a text on the clipboard, or rejects; `printing` opens every text; `level` is that of the
 *   card's heading in its page
 */

// Each of the next three lines is replaced whole when a turn is written to a file of its own, so each stays one line.
// prettier-ignore
const SAMPLE = JSON.parse("{\"entry\":{\"_schema\":{\"version\":\"0.9.1\",\"fact_layer\":{\"user\":\"non-empty string required \\u2014 user's original utterance\",\"thinking\":\"non-empty string required \\u2014 AI's full thinking process\",\"assistant\":\"non-empty string required \\u2014 AI's original output\"},\"interpretation_layer\":{\"current_focus\":\"string required, empty OK \\u2014 present: what am I working on?\",\"theory_of_mind\":\"string required, empty OK \\u2014 other: what is the user's state?\",\"self_narrative\":\"string required, empty OK \\u2014 self: who am I in this moment?\",\"annotation\":\"string required, empty OK \\u2014 future: what should I do next?\"},\"constraints\":{\"window_size\":\"1 turn (overwritten each write)\",\"interpretation_empty\":\"choosing not to write is itself a metacognitive act\"}},\"turn_id\":1,\"timestamp\":\"2026-02-26T00:00:00+00:00\",\"layers\":{\"user\":\"Can you help me plan the week? I keep losing track of the garden.\",\"thinking\":\"They ask for a plan, but the second sentence carries the weight: the garden matters to them and it slips away.\\nI won't hand over a full schedule. First one small thing that lasts.\",\"assistant\":\"Let's begin with the garden, then. Which ten minutes of a day are already yours?\\n\\n  1. Name the minutes.\\n  2. Put one garden task in them.\\n  3. Leave the rest of the week alone for now.\"},\"current_focus\":\"One small garden habit before any weekly plan.\",\"theory_of_mind\":\"A little tired, wanting to be reminded rather than managed.\",\"self_narrative\":\"I am the one who slows the question down.\",\"annotation\":\"Ask how the ten minutes went before offering more.\"},\"fields\":[{\"name\":\"user\",\"label\":\"User\",\"layer\":\"fact\",\"direction\":\"\",\"question\":\"user's original utterance\"},{\"name\":\"thinking\",\"label\":\"Thinking\",\"layer\":\"fact\",\"direction\":\"\",\"question\":\"AI's full thinking process\"},{\"name\":\"assistant\",\"label\":\"Assistant\",\"layer\":\"fact\",\"direction\":\"\",\"question\":\"AI's original output\"},{\"name\":\"current_focus\",\"label\":\"Current focus\",\"layer\":\"interpretation\",\"direction\":\"present\",\"question\":\"what am I working on?\"},{\"name\":\"theory_of_mind\",\"label\":\"Theory of mind\",\"layer\":\"interpretation\",\"direction\":\"other\",\"question\":\"what is the user's state?\"},{\"name\":\"self_narrative\",\"label\":\"Self-narrative\",\"layer\":\"interpretation\",\"direction\":\"self\",\"question\":\"who am I in this moment?\"},{\"name\":\"annotation\",\"label\":\"Annotation\",\"layer\":\"interpretation\",\"direction\":\"future\",\"question\":\"what should I do next?\"}],\"missing\":[],\"hidden\":[]}"); // the turn shown
const SESSION = null; // the session
const THEME = "system"; // the starting theme

/** @type {Theme[]} */
const THEMES = ["light", "system", "dark"];

const LAYERS = [
  { layer: "fact", title: "Fact layer" },
  { layer: "interpretation", title: "Interpretation layer" },
];

// One accent a field for every ground: each is at least 3:1 on the light card, on the dark card, on a white page and on
// a near-black one, because the static card doesn't know which page it is on.
/** @type {{ [name: string]: string }} */
const ACCENTS = {
  user: "#c17d11",
  thinking: "#87882b",
  assistant: "#bd5d36",
  current_focus: "#c17d11",
  theory_of_mind: "#13918a",
  self_narrative: "#9b6bc9",
  annotation: "#4f963f",
};
const PLAIN_ACCENT = "#888";

// Past these, only a text's beginning is in the page until it is asked for: a megabyte would stop it for seconds.
const MOST_LINES = 300;
const MOST_CHARACTERS = 20_000;
// Past these, a thinking is all in the page, but only its first lines are seen.
const SOME_LINES = 12;
const SOME_CHARACTERS = 1_200;

// A direction for each line of its own, as a `dir` of auto gives a `<pre>`, takes seconds for a megabyte: a text that was
// clamped has one direction for all of it.
//
// Server rendering escapes quotes, ampersands and the child combinator inside a style element: none occur below. A `~`
// stands for what every rule of a part begins with.
const CSS = `
.coglog-live{--ground:#fbf5ea;--panel:#fffcf6;--ink:#2e261d;--soft:#695b49;--edge:#8c7d69;--focus:#8a4b08;color-scheme:light}
@media not print{.coglog-live[data-theme=dark]{--ground:#1e1a16;--panel:#27221d;--ink:#f0e8db;--soft:#b9ab98;--edge:#8a7c6a;--focus:#f0b35b;color-scheme:dark}}
${Object.entries(ACCENTS)
  .map(([name, color]) => `.coglog-live [data-part=${name}]{--accent:${color}}`)
  .join("\n")}
.coglog-live,.coglog-live *{box-sizing:border-box}
.coglog-live{--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;margin:2px 0;padding:clamp(12px,2%,18px);max-width:1120px;border:1px solid transparent;border-radius:12px;background:var(--ground);color:var(--ink);font:14px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif;text-align:start;transition:background-color .15s,color .15s}
~bar{display:flex;flex-wrap:wrap;align-items:center;gap:6px 8px}
~brand{font-weight:700;letter-spacing:.01em}
~soft{color:var(--soft);font-size:13px;overflow-wrap:anywhere}
~session{padding:1px 9px;border:1px solid var(--edge);border-radius:12px;font-size:12px;overflow-wrap:anywhere}
~themes{display:inline-flex;margin-inline-start:auto;padding:2px;border:1px solid var(--edge);border-radius:999px}
.coglog-live button{appearance:none;margin:0;padding:2px 8px;min-height:24px;min-width:24px;border:0;border-radius:999px;background:none;box-shadow:none;color:var(--soft);font:inherit;font-size:12px;line-height:20px;cursor:pointer;transition:background-color .15s,color .15s}
.coglog-live button:hover{color:var(--ink)}
.coglog-live button:hover,~more{text-decoration:underline;text-underline-offset:3px}
~themes button[aria-pressed=true]{background:var(--ink);color:var(--ground);font-weight:600;text-decoration:none}
.coglog-live button:focus-visible,.coglog-live summary:focus-visible{outline:2px solid var(--focus);outline-offset:1px}
~title{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 12px;margin:8px 0 4px}
~turn{font-size:20px;font-weight:700;line-height:1.3}
~schema{margin:0;padding:0;border:0;background:none;font-size:13px}
~schema summary{display:inline-block;margin:0;padding:2px 4px;margin-inline-start:-4px;border-radius:4px;color:var(--soft);font:12.5px/1.5 var(--mono);cursor:pointer}
~schema summary::-webkit-details-marker{display:none}
~schema summary::before{content:none}
~fold{display:inline-block;font-size:16px;line-height:1;vertical-align:-1px;margin-inline-end:6px;transition:transform .15s}
~schema[open] .coglog-fold{transform:rotate(90deg)}
~json{margin:6px 0 4px;padding:10px 12px;border-radius:8px;background:var(--panel);font:12px/1.5 var(--mono)}
~layer{margin:18px 0 8px;color:var(--soft);font-size:12px;font-weight:600;letter-spacing:.06em;line-height:1.4;text-transform:uppercase}
~facts,~axes{display:grid;gap:10px}
~axes{grid-template-columns:repeat(auto-fit,minmax(min(100%,max(250px,40%)),1fr))}
~part{min-width:0;padding:10px 14px 12px;background:var(--panel)}
~fact{border:0 solid var(--accent,#888);border-left-width:4px;border-radius:3px 8px 8px 3px}
~axis{padding-inline-start:18px;border:0 solid var(--accent,#888);border-top-width:4px;border-radius:3px 3px 8px 8px}
~head{position:relative;padding-right:38px;display:flex;flex-wrap:wrap;align-items:baseline;gap:0 8px;margin:0 0 6px}
~changed{margin:-2px 0;padding:0 7px;border:1px solid var(--edge);border-radius:9px;font-size:12px;font-weight:600}
~copy{position:absolute;top:-3px;right:-8px;background:var(--panel);color:var(--soft);font-size:12px}
~copy span:not(:empty){padding-left:8px}
~more{margin:4px 0 0 -8px}
~name{font:600 13px/1.5 var(--mono);overflow-wrap:anywhere}
~axis .coglog-ask{flex-basis:100%}
~ask{color:var(--soft);font-size:12.5px;line-height:1.45}
~text,~json{overflow:visible;border:0;color:inherit;white-space:pre-wrap;overflow-wrap:anywhere;word-break:normal;tab-size:4}
~text{margin:0;padding:0;border-radius:0;background:none;font:inherit}
~folded{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:6;overflow:hidden}
~whole{unicode-bidi:isolate}
~before{margin-top:10px;padding-top:6px;border-top:1px dashed var(--edge);color:var(--soft);font-size:13px}
~note{margin:0;color:var(--soft);font-style:italic}
@media (prefers-reduced-motion:reduce){.coglog-live,.coglog-live *{transition:none!important}}
@media (forced-colors:active){~themes button[aria-pressed=true]{forced-color-adjust:none;background:Highlight;color:HighlightText}.coglog-live button:focus-visible,.coglog-live summary:focus-visible{outline-color:Highlight}}
@media print{.coglog-live{max-width:none;border-color:var(--edge);print-color-adjust:exact}~themes,~copy,~more[aria-expanded=true],~folded+button{display:none}~folded{display:block;overflow:visible}~head{break-after:avoid}}
`.replaceAll("~", ".coglog-live .coglog-");

// The static card lives in pages that drop style elements, attributes and classes at will: it has the same tree with a
// few inline styles instead. It takes over the page's text colour and ground, and reads as a record without any style.
/** @type {{ [name: string]: React.CSSProperties }} */
const INLINE = {
  root: { overflowWrap: "break-word" },
  title: { margin: "2px 0 6px" },
  turn: { fontSize: "18px" },
  layer: { margin: "12px 0 4px" },
  fact: { margin: "0 0 8px", padding: "2px 10px" },
  // Two in a row, or one where there is no room for two: no rule for narrow places is needed, and none would survive.
  axis: {
    display: "inline-block",
    verticalAlign: "top",
    width: "48%",
    minWidth: "240px",
    margin: "0 1% 8px 0",
    padding: "4px 0",
  },
  before: { margin: "6px 0 0", fontSize: "90%" },
  json: { margin: 0, whiteSpace: "pre-wrap" },
  text: {
    margin: "4px 0 0",
    background: "none",
    fontFamily: "inherit",
    whiteSpace: "pre-wrap",
    wordBreak: "normal",
  },
};

/**
 * The looks of one element: a class in the live card, whose style element gives it its meaning; inline styles in the
 * static card.
 * @param {boolean} fixed
 * @param {string} name
 * @returns {{ className?: string, style?: React.CSSProperties }}
 */
function look(fixed, name) {
  return fixed ? { style: INLINE[name] } : { className: `coglog-${name}` };
}

const darkQuery = () =>
  typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;

const systemIsDark = () => darkQuery()?.matches ?? false;

/** @param {() => void} changed */
function watchSystem(changed) {
  const query = darkQuery();
  query?.addEventListener?.("change", changed);
  return () => query?.removeEventListener?.("change", changed);
}

/** @param {unknown} theme */
const knownTheme = (theme) => THEMES.find((known) => known === theme) ?? "system";

/** @param {string} name */
const spelledOut = (name) => name.replace(/[^a-z0-9]+/gi, " ").toLowerCase();

/**
 * Where a text ends that may take so much room: at its end, or before what is past the last line or character.
 * @param {string} text @param {number} lines @param {number} characters
 */
function endWithin(text, lines, characters) {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf("\n", end + 1);
    // A newline that ends the text begins no further line.
    if (end < 0 || end === text.length - 1) {
      end = text.length;
      break;
    }
  }
  if (end <= characters) return end;
  // The two halves of a character stay together.
  return (text.codePointAt(characters - 1) ?? 0) > 0xffff ? characters - 1 : characters;
}

/** As Python counts them, so that every form of a card gives the same number. @param {string} text */
const charactersOf = (text) =>
  text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "-").length.toLocaleString("en");

/**
 * A text, in one text node: all of it, or its beginning and a button.
 * @param {{ text: string, folds?: boolean, fixed: boolean, printing: boolean }} props
 */
function Text({ text, folds = false, fixed, printing }) {
  // Another text is closed again: the one that was opened is remembered, not that one was.
  const [opened, setOpened] = useState(/** @type {string | null} */ (null));
  if (fixed)
    return (
      <pre {...look(fixed, "text")} dir="auto">
        {text}
      </pre>
    );
  const end = endWithin(text, MOST_LINES, MOST_CHARACTERS);
  const clamped = end < text.length;
  const folded = folds && endWithin(text, SOME_LINES, SOME_CHARACTERS) < text.length;
  const open = printing || opened === text;
  const state = open ? (clamped ? " coglog-whole" : "") : folded ? " coglog-folded" : "";

  /** @param {React.MouseEvent<HTMLButtonElement>} event */
  const toggle = ({ currentTarget: button }) => {
    setOpened(open ? null : text);
    // What was closed may leave its button far above.
    if (open) Promise.resolve().then(() => button.scrollIntoView({ block: "nearest" }));
  };

  return (
    <>
      <pre className={`coglog-text${state}`} dir="auto">
        {open ? text : text.slice(0, end)}
      </pre>
      {clamped || folded ? (
        <button type="button" className="coglog-more" aria-expanded={open} onClick={toggle}>
          {open ? "show less" : clamped ? `show all (${charactersOf(text)} characters)` : "show more"}
        </button>
      ) : null}
    </>
  );
}

/**
 * @param {{ name: string, text: string, onCopy: (text: string) => unknown }} props
 */
function Copy({ name, text, onCopy }) {
  const [said, setSaid] = useState(/** @type {{ of?: string, words: string }} */ ({ words: "" }));
  const copy = async () => {
    let words = "copied";
    try {
      await onCopy(text);
    } catch {
      words = "not copied";
    }
    setSaid({ of: text, words });
  };
  return (
    <span className="coglog-copy">
      <span role="status">{said.of === text ? said.words : ""}</span>
      <button type="button" aria-label={`copy ${name}`} onClick={copy} onBlur={() => setSaid({ words: "" })}>
        copy
      </button>
    </span>
  );
}

/**
 * @param {{ field: Field, turn: Turn, fixed: boolean, printing: boolean, onCopy?: (text: string) => unknown }} props
 */
function Part({ field, turn, fixed, printing, onCopy }) {
  const { entry, missing = [], hidden = [], cut, before, changed } = turn;
  const { name, label, layer, direction, question } = field;
  const kind = layer === "fact" ? "fact" : "axis";
  const edge = `4px solid ${ACCENTS[name] ?? PLAIN_ACCENT}`;
  const frame = fixed
    ? { style: { ...INLINE[kind], [kind === "fact" ? "borderLeft" : "borderTop"]: edge } }
    : { className: `coglog-part coglog-${kind}`, role: "group", "aria-label": name };

  const stored = layer === "fact" ? entry.layers?.[name] : entry[name];
  const shown = !hidden.includes(name);
  const text = shown && !missing.includes(name) && typeof stored === "string" ? stored : null;
  const note = !shown
    ? "(not shown)"
    : text === null
      ? "(missing) not in this entry"
      : layer === "fact"
        ? "(empty)"
        : "(empty) left unwritten on purpose";
  const short = cut?.[name];
  const ago = shown ? before?.[name] : undefined;

  // The spaces matter where no style sets the words apart.
  return (
    <div {...frame} data-part={name}>
      <div {...look(fixed, "head")}>
        <b {...look(fixed, "name")}>{name}</b>{" "}
        {changed?.includes(name) ? <span {...look(fixed, "changed")}>{"changed "}</span> : null}
        {spelledOut(label) === spelledOut(name) ? null : <span>{`${label} `}</span>}
        {direction ? <span {...look(fixed, "soft")}>{`${direction} `}</span> : null}
        <small {...look(fixed, "ask")}>{question}</small>
        {text && onCopy && !fixed ? <Copy name={name} text={text} onCopy={onCopy} /> : null}
      </div>
      {text ? (
        <Text text={text} folds={name === "thinking"} fixed={fixed} printing={printing} />
      ) : (
        <i {...look(fixed, "note")}>{note}</i>
      )}
      {short ? (
        <i {...look(fixed, "note")}>{`(${short.left_out} of ${short.total} characters left out)`}</i>
      ) : null}
      {typeof ago === "string" ? (
        <div {...look(fixed, "before")}>
          <small>a turn ago</small>
          <Text text={ago || "(empty)"} fixed={fixed} printing={printing} />
        </div>
      ) : null}
    </div>
  );
}

/**
 * A turn as a card. Without props it shows the turn, session and theme of this file.
 * @param {ViewerProps} props
 */
export default function CogLogViewer({
  turn = SAMPLE,
  session = SESSION,
  theme = THEME,
  pageTheme = null,
  onThemeChange,
  onCopy,
  printing = false,
  level = 3,
  fixed = false,
}) {
  const dark = useSyncExternalStore(watchSystem, systemIsDark, () => false);
  // A new `theme` from outside wins over what was clicked before it; the clicks after it win over it.
  const [toggle, setToggle] = useState({ from: theme, choice: knownTheme(theme) });
  if (toggle.from !== theme) setToggle({ from: theme, choice: knownTheme(theme) });
  const { choice } = toggle;
  const shown = choice === "system" ? (pageTheme ?? (dark ? "dark" : "light")) : choice;

  /** @param {Theme} next */
  const choose = (next) => {
    setToggle({ from: theme, choice: next });
    onThemeChange?.(next);
  };

  const { entry, fields } = turn;
  const schema = /** @type {{ version?: string } | undefined} */ (entry._schema);
  const name = turn.title ?? `Turn ${entry.turn_id}`;
  const root = fixed
    ? { className: "coglog-static", style: INLINE.root }
    : { className: "coglog-live", "data-theme": shown, role: "article", "aria-label": name };

  return (
    <div {...root}>
      {fixed ? null : <style>{CSS}</style>}
      <div {...look(fixed, "bar")}>
        <b {...look(fixed, "brand")}>CogLog</b>{" "}
        {typeof schema?.version === "string" ? <span {...look(fixed, "soft")}>{schema.version}</span> : null}
        {fixed ? null : (
          <div className="coglog-themes" role="group" aria-label="Theme">
            {THEMES.map((each) => (
              <button key={each} type="button" aria-pressed={each === choice} onClick={() => choose(each)}>
                {each}
              </button>
            ))}
          </div>
        )}
      </div>
      <div {...look(fixed, "title")}>
        <b {...look(fixed, "turn")} role="heading" aria-level={level}>
          {name}
        </b>{" "}
        <span {...look(fixed, "soft")}>{entry.timestamp}</span>
        {session ? <span {...look(fixed, "session")}>{` session ${session}`}</span> : null}
      </div>
      <details {...look(fixed, "schema")}>
        <summary>
          {fixed ? null : (
            <span className="coglog-fold" aria-hidden="true">
              {"\u25b8"}
            </span>
          )}
          _schema
        </summary>
        <pre {...look(fixed, "json")}>
          {schema === undefined ? "(missing)" : JSON.stringify(schema, null, 2)}
        </pre>
      </details>
      {LAYERS.map(({ layer, title }) => (
        <div key={layer} {...(fixed ? {} : { role: "group", "aria-label": title })}>
          <div {...look(fixed, "layer")} role="heading" aria-level={level + 1}>
            <b>{title}</b>
          </div>
          <div {...look(fixed, layer === "fact" ? "facts" : "axes")}>
            {fields
              .filter((field) => field.layer === layer)
              .map((field) => (
                <Part
                  key={field.name}
                  field={field}
                  turn={turn}
                  fixed={fixed}
                  printing={printing}
                  onCopy={onCopy}
                />
              ))}
          </div>
        </div>
      ))}
    </div>
  );
}
