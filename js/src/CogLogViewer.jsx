/*
 * The CogLog viewer: the one source of the notebook widget, the .jsx artifact, the .html export and the static card.
 *
 * It is handed out as one file, so it imports nothing but React and its own style sheet (which the build puts in here),
 * stores nothing, sends nothing, writes no global and reads only matchMedia. Everything else (the page's theme, the
 * session's name, the clipboard) comes in as props. Texts reach the page as text nodes only: whatever a turn says, it
 * can't become markup or code.
 */
import React, { useState, useSyncExternalStore } from "react";

import CSS from "./CogLogViewer.css";

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
 * }} Field the name of one of the seven texts, and the question it answers
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
 * }} Turn what a card shows. `missing`: the fields that an older entry doesn't have. `hidden`: the fields that are not shown.
 *   `cut`: how much of a text the static card leaves out. `before`: the text of an axis one turn ago. `changed`: the axes
 *   that differ from it. `title`: the card's heading, for what isn't a stored turn
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
 * }} ViewerProps `onCopy` puts a text on the clipboard, or rejects. `printing` opens every text. `level` is the heading
 *   level of the card in its page. `fixed` gives the static card
 */

// Python replaces each of the next three lines when it writes a turn to a file, so each stays one line.
// prettier-ignore
const SAMPLE = JSON.parse("{\"entry\":{\"_schema\":{\"version\":\"0.9.1\",\"fact_layer\":{\"user\":\"non-empty string required \\u2014 user's original utterance\",\"thinking\":\"non-empty string required \\u2014 AI's full thinking process\",\"assistant\":\"non-empty string required \\u2014 AI's original output\"},\"interpretation_layer\":{\"current_focus\":\"string required, empty OK \\u2014 present: what am I working on?\",\"theory_of_mind\":\"string required, empty OK \\u2014 other: what is the user's state?\",\"self_narrative\":\"string required, empty OK \\u2014 self: who am I in this moment?\",\"annotation\":\"string required, empty OK \\u2014 future: what should I do next?\"},\"constraints\":{\"window_size\":\"1 turn (overwritten each write)\",\"interpretation_empty\":\"choosing not to write is itself a metacognitive act\"}},\"turn_id\":1,\"timestamp\":\"2026-02-26T00:00:00+00:00\",\"layers\":{\"user\":\"Can you help me plan the week? I keep losing track of the garden.\",\"thinking\":\"They ask for a plan, but the second sentence carries the weight: the garden matters to them and it slips away.\\nI won't hand over a full schedule. First one small thing that lasts.\",\"assistant\":\"Let's begin with the garden, then. Which ten minutes of a day are already yours?\\n\\n  1. Name the minutes.\\n  2. Put one garden task in them.\\n  3. Leave the rest of the week alone for now.\"},\"current_focus\":\"One small garden habit before any weekly plan.\",\"theory_of_mind\":\"A little tired, wanting to be reminded rather than managed.\",\"self_narrative\":\"I am the one who slows the question down.\",\"annotation\":\"Ask how the ten minutes went before offering more.\"},\"fields\":[{\"name\":\"user\",\"label\":\"User\",\"layer\":\"fact\",\"direction\":\"\",\"question\":\"user's original utterance\"},{\"name\":\"thinking\",\"label\":\"Thinking\",\"layer\":\"fact\",\"direction\":\"\",\"question\":\"AI's full thinking process\"},{\"name\":\"assistant\",\"label\":\"Assistant\",\"layer\":\"fact\",\"direction\":\"\",\"question\":\"AI's original output\"},{\"name\":\"current_focus\",\"label\":\"Current focus\",\"layer\":\"interpretation\",\"direction\":\"present\",\"question\":\"what am I working on?\"},{\"name\":\"theory_of_mind\",\"label\":\"Theory of mind\",\"layer\":\"interpretation\",\"direction\":\"other\",\"question\":\"what is the user's state?\"},{\"name\":\"self_narrative\",\"label\":\"Self-narrative\",\"layer\":\"interpretation\",\"direction\":\"self\",\"question\":\"who am I in this moment?\"},{\"name\":\"annotation\",\"label\":\"Annotation\",\"layer\":\"interpretation\",\"direction\":\"future\",\"question\":\"what should I do next?\"}],\"missing\":[],\"hidden\":[]}"); // the turn shown
const SESSION = null; // the session
const THEME = "system"; // the starting theme

const LAYERS = [
  { layer: "fact", title: "Fact layer" },
  { layer: "interpretation", title: "Interpretation layer" },
];

// One accent per field, for the static card, which doesn't know what page it is on: each has a contrast of at least 3:1 on
// the light card, the dark card, a white page and a near-black one. The live card has them from its style sheet.
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

// A longer text is in the page with its beginning only, until the reader opens it: a megabyte stops a page for seconds.
const MOST_LINES = 300;
const MOST_CHARACTERS = 20_000;
// A longer thinking is in the page as a whole, but only its first lines show.
const SOME_LINES = 12;
const SOME_CHARACTERS = 1_200;

// Pages that show the static card may drop style elements, attributes and classes. So it has the same elements with a few
// inline styles, takes the page's colours, and stays readable without any style.
/** @type {{ [name: string]: React.CSSProperties }} */
const INLINE = {
  root: { overflowWrap: "break-word" },
  title: { margin: "2px 0 6px" },
  turn: { fontSize: "18px" },
  layer: { margin: "12px 0 4px" },
  fact: { margin: "0 0 8px", padding: "2px 10px" },
  // Two in a row, or one if there is no room for two. Many pages remove media queries, so this doesn't use one.
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
 * The props that style one element: a class in the live card, inline styles in the static card.
 * @param {boolean} fixed
 * @param {string} name
 * @returns {{ className?: string, style?: React.CSSProperties }}
 */
function look(fixed, name) {
  return fixed ? { style: INLINE[name] } : { className: `coglog-${name}` };
}

/** @type {Theme[]} */
const THEMES = ["light", "system", "dark"];

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

/**
 * `choice` is the theme that was chosen last, `shown` the one to draw, and `choose` what a click on the switch calls.
 * @param {Theme} theme from outside
 * @param {"light" | "dark" | null} pageTheme what "system" means on this page; null: what the operating system prefers
 */
function useTheme(theme, pageTheme) {
  const systemDark = useSyncExternalStore(watchSystem, systemIsDark, () => false);
  // A new `theme` from outside wins over the clicks before it, and a later click wins over that.
  const [last, setLast] = useState({ theme, choice: knownTheme(theme) });
  if (last.theme !== theme) setLast({ theme, choice: knownTheme(theme) });
  const { choice } = last;
  const shown = choice === "system" ? (pageTheme ?? (systemDark ? "dark" : "light")) : choice;
  const choose = (/** @type {Theme} */ next) => setLast({ theme, choice: next });
  return { choice, shown, choose };
}

/** @param {string} name */
const spelledOut = (name) => name.replace(/[^a-z0-9]+/gi, " ").toLowerCase();

/**
 * The length of the part of a text that fits into so many lines and characters.
 * @param {string} text @param {number} lines @param {number} characters
 */
function endWithin(text, lines, characters) {
  let end = -1;
  for (let line = 0; line < lines; line += 1) {
    end = text.indexOf("\n", end + 1);
    // A newline at the very end begins no further line.
    if (end < 0 || end === text.length - 1) {
      end = text.length;
      break;
    }
  }
  if (end <= characters) return end;
  // Never between the two halves of a character.
  return (text.codePointAt(characters - 1) ?? 0) > 0xffff ? characters - 1 : characters;
}

/** Counts as Python does, so that every form of a card gives the same number. @param {string} text */
const charactersOf = (text) =>
  text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, "-").length.toLocaleString("en");

/**
 * A text, in one text node: all of it, or its beginning and a button.
 * @param {{ text: string, folds?: boolean, fixed: boolean, printing: boolean }} props
 */
function Text({ text, folds = false, fixed, printing }) {
  // Remembers which text was opened, so that a new text starts closed.
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
    // Once the text is closed, its button may be far above what the window shows.
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

  // The spaces keep the words apart where a page drops the styles.
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
  const { choice, shown, choose } = useTheme(theme, pageTheme);

  /** @param {Theme} next */
  const onSwitch = (next) => {
    choose(next);
    onThemeChange?.(next);
  };

  const { entry, fields } = turn;
  const schema = /** @type {{ version?: string } | undefined} */ (entry._schema);
  const name = turn.title ?? `Turn ${entry.turn_id}`;
  const root = fixed
    ? { className: "coglog-static", style: INLINE.root }
    : { className: "coglog-live coglog-theme", "data-theme": shown, role: "article", "aria-label": name };

  return (
    <div {...root}>
      {fixed ? null : <style>{CSS}</style>}
      <div {...look(fixed, "bar")}>
        <b {...look(fixed, "brand")}>CogLog</b>{" "}
        {typeof schema?.version === "string" ? <span {...look(fixed, "soft")}>{schema.version}</span> : null}
        {fixed ? null : (
          <div className="coglog-themes" role="group" aria-label="Theme">
            {THEMES.map((each) => (
              <button key={each} type="button" aria-pressed={each === choice} onClick={() => onSwitch(each)}>
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
