/*
 * The form in which a turn is written, beside the card that it becomes.
 *
 * The text areas belong to the browser: nothing writes into one unless its text came from elsewhere, so that an input
 * method composes undisturbed, the caret stays, and undo works. What they hold is in the desk (desk.js).
 */
import React, {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from "react";

import CogLogViewer from "./CogLogViewer.jsx";
import { brokenAt, lengthOf } from "./desk.js";

/**
 * @typedef {import("./CogLogViewer.jsx").Field} Field
 * @typedef {import("./CogLogViewer.jsx").Turn} Turn
 * @typedef {import("./CogLogViewer.jsx").Theme} Theme
 * @typedef {import("./desk.js").Desk} Desk
 * @typedef {{ [key: string]: string }} Words
 *
 * @typedef {{
 *   desk: Desk,
 *   fields: Field[],
 *   words: Words,
 *   lang: string,
 *   schema: unknown,
 *   stored?: Turn | null,
 *   session?: string | null,
 *   theme?: Theme,
 *   pageTheme?: "light" | "dark" | null,
 *   printing?: boolean,
 *   found?: boolean,
 *   onFound?: (take: boolean) => void,
 *   onCopy: (text: string) => unknown,
 * }} EditorProps `stored` is the turn that was written last; `found` says that the page holds text of an editor that is
 *   gone, and `onFound` takes it or lets it go
 */

// Past this, the card is drawn when the typing pauses: a megabyte takes longer than a key is held down.
const MUCH = 50_000;
const PAUSE = 300;
// As much as the card shows of a text.
const MOST = 20_000;

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

// The colours are the card's (CogLogViewer.jsx), which is part of the form. A `~` stands for what every rule of a part
// begins with.
const CSS = `
.coglog-editor{--ground:#fbf5ea;--panel:#fffcf6;--ink:#2e261d;--soft:#695b49;--edge:#8c7d69;--focus:#8a4b08;--bad:#a3240f;--good:#2f6b27;color-scheme:light}
.coglog-editor[data-theme=dark]{--ground:#1e1a16;--panel:#27221d;--ink:#f0e8db;--soft:#b9ab98;--edge:#8a7c6a;--focus:#f0b35b;--bad:#ff9d87;--good:#9bd18f;color-scheme:dark}
${Object.entries(ACCENTS)
  .map(([name, color]) => `.coglog-editor [data-field=${name}]{--accent:${color}}`)
  .join("\n")}
.coglog-editor{--mono:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;container-type:inline-size;box-sizing:border-box;margin:2px 0;max-width:1400px;border-radius:12px;background:var(--ground);color:var(--ink);font:14px/1.55 system-ui,-apple-system,Segoe UI,Roboto,Noto Sans,sans-serif;text-align:start}
~body{display:grid;gap:0 8px;grid-template-columns:minmax(0,1fr)}
@container (min-width:840px){~body{grid-template-columns:minmax(0,1fr) minmax(0,1fr)}~side{border-inline-start:1px solid var(--edge)}}
~form,~form *{box-sizing:border-box}
~form{min-width:0;padding:16px 18px 14px}
~top{display:flex;flex-wrap:wrap;align-items:baseline;gap:2px 10px}
~title{font-size:20px;font-weight:700;line-height:1.3}
~session{padding:1px 9px;border:1px solid var(--edge);border-radius:12px;font-size:12px;overflow-wrap:anywhere}
~layer{margin:16px 0 0;color:var(--soft);font-size:12px;font-weight:600;letter-spacing:.06em;line-height:1.4;text-transform:uppercase}
~rule{margin:0 0 8px;color:var(--soft);font-size:13px}
~field{margin:0 0 12px;padding:8px 12px 8px;background:var(--panel);border:0 solid var(--accent)}
~fact{border-inline-start-width:4px;border-radius:3px 8px 8px 3px}
~axis{border-top-width:4px;border-radius:3px 3px 8px 8px}
~field label,~called{display:block;cursor:default}
~name{font:600 13px/1.5 var(--mono);overflow-wrap:anywhere}
~soft{color:var(--soft);font-size:12.5px;line-height:1.45}
~asks{margin:0;font-size:13px}
~example{margin:2px 0 0;color:var(--soft);font-size:12.5px;line-height:1.5}
~text{display:block;width:100%;min-height:62px;max-height:260px;margin:6px 0 0;padding:6px 9px;border:1px solid var(--edge);border-radius:6px;background:var(--ground);color:var(--ink);font:inherit;line-height:1.5;resize:vertical;field-sizing:content;overflow-wrap:anywhere}
~text:focus-visible,~button:focus-visible,~given:focus-visible{outline:2px solid var(--focus);outline-offset:1px}
~text[aria-invalid=true]{border-color:var(--bad);border-width:2px;padding:5px 8px}
~given{margin:6px 0 0;padding:0;max-height:200px;overflow:auto;border:0;background:none;color:inherit;font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;word-break:normal}
~foot{display:flex;justify-content:space-between;gap:10px;min-height:20px;margin:4px 0 0;color:var(--soft);font-size:12.5px;line-height:1.5}
~bad{color:var(--bad);font-weight:600}
~good{color:var(--good);font-weight:600}
~count{margin-inline-start:auto;white-space:nowrap;font-variant-numeric:tabular-nums}
~actions{display:flex;flex-wrap:wrap;align-items:center;gap:8px;margin:4px 0 0}
~button{appearance:none;margin:0;padding:4px 14px;min-height:32px;border:1px solid var(--edge);border-radius:999px;background:var(--panel);color:var(--ink);font:inherit;font-size:13px;line-height:20px;cursor:pointer}
~button:hover{border-color:var(--ink)}
~main{border-color:var(--ink);background:var(--ink);color:var(--ground);font-weight:600}
~main:hover{text-decoration:underline;text-underline-offset:3px}
~starts{margin-bottom:12px}
~status{min-height:22px;margin:8px 0 0;overflow-wrap:anywhere}
~status ul{margin:4px 0 0;padding-inline-start:20px;font-weight:400;color:var(--ink)}
~found{display:flex;flex-wrap:wrap;align-items:center;gap:6px 10px;margin:10px 0 0;padding:8px 12px;border:1px dashed var(--edge);border-radius:8px}
~side{min-width:0}
~side .coglog-live{margin:0;border-radius:12px}
~label{margin:0;padding:14px 18px 0;color:var(--soft);font-size:12px;font-weight:600;letter-spacing:.06em;line-height:1.4;text-transform:uppercase}
@media (forced-colors:active){~text,~button{border-color:ButtonText}~main{forced-color-adjust:none;background:Highlight;color:HighlightText}}
@media print{~actions,~found,~keys{display:none}}
`.replaceAll("~", ".coglog-editor .coglog-edit-");

/** @param {string} template @param {{ [name: string]: string | number }} [values] */
const fill = (template, values = {}) =>
  template.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));

/** @param {number} count */
const spelled = (count) => count.toLocaleString("en");

/** @param {Words} words @param {number} count */
const countOf = (words, count) =>
  count === 1 ? words["count.one"] : fill(words.count, { count: spelled(count) });

/**
 * @param {{ field: Field, text: string, words: Words, isHidden: boolean }} props
 */
function Given({ field, text, words, isHidden }) {
  const length = lengthOf(text);
  return (
    <div
      className={`coglog-edit-field coglog-edit-fact`}
      data-field={field.name}
      role="group"
      aria-label={field.name}
    >
      <div className="coglog-edit-called">
        <Called field={field} /> <span className="coglog-edit-soft">({words.given})</span>
      </div>
      {isHidden ? (
        <p className="coglog-edit-asks">{words.hidden}</p>
      ) : (
        <pre className="coglog-edit-given" dir="auto" tabIndex={0} role="group" aria-label={field.name}>
          {text.slice(0, MOST)}
        </pre>
      )}
      {isHidden ? null : (
        <div className="coglog-edit-foot">
          {text.length > MOST ? (
            <span>{fill(words["shown.part"], { shown: spelled(MOST), total: spelled(length) })}</span>
          ) : null}
          <span className="coglog-edit-count">{countOf(words, length)}</span>
        </div>
      )}
    </div>
  );
}

/** @param {{ field: Field }} props */
function Called({ field: { name, label, direction } }) {
  const plain = label.replace(/[^a-z0-9]+/gi, "_").toLowerCase();
  return (
    <>
      <b className="coglog-edit-name">{name}</b>{" "}
      <span className="coglog-edit-soft">
        {[plain === name ? "" : label, direction].filter(Boolean).join(" \u00b7 ")}
      </span>
    </>
  );
}

/**
 * One text area and what belongs to it.
 * @param {{ field: Field, desk: Desk, words: Words }} props
 */
function FieldInput({ field, desk, words }) {
  const { name, layer, question } = field;
  const id = useId();
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const composing = useRef(false);
  const text = desk.texts[name];

  // Only a text that came from elsewhere is put in, and never into a word that is being composed.
  useLayoutEffect(() => {
    const element = area.current;
    if (!element || composing.current || element.value === text.replace(/\r\n?/g, "\n")) return;
    const { selectionStart, selectionEnd, scrollTop } = element;
    element.value = text;
    if (element.ownerDocument.activeElement === element || element.matches(":focus"))
      element.setSelectionRange(Math.min(selectionStart, text.length), Math.min(selectionEnd, text.length));
    element.scrollTop = scrollTop;
  }, [text]);

  const place = brokenAt(text);
  const isFact = layer === "fact";
  const lacks = isFact && !text;
  const isWrong = place >= 0 || (lacks && desk.visited.has(name));
  const message =
    place >= 0
      ? fill(words.surrogate, { position: place })
      : lacks
        ? words[desk.visited.has(name) ? "missing" : "required"]
        : !text
          ? words.empty
          : "";
  const take = () => desk.edit(name, area.current?.value ?? "");

  return (
    <div className={`coglog-edit-field coglog-edit-${isFact ? "fact" : "axis"}`} data-field={name}>
      <label htmlFor={`${id}-text`}>
        <Called field={field} />
      </label>
      <p className="coglog-edit-asks" id={`${id}-asks`}>
        {question}
      </p>
      <p className="coglog-edit-example" id={`${id}-example`}>
        {words.example}: {fill(words.quoted, { text: words[`example.${name}`] })}
      </p>
      <textarea
        ref={area}
        id={`${id}-text`}
        className="coglog-edit-text"
        dir="auto"
        rows={2}
        defaultValue={text}
        aria-required={isFact}
        aria-invalid={isWrong}
        aria-describedby={`${id}-asks ${id}-message ${id}-example`}
        onInput={take}
        onCompositionStart={() => {
          composing.current = true;
        }}
        onCompositionEnd={() => {
          composing.current = false;
          take();
        }}
        onBlur={() => {
          composing.current = false;
          take();
          desk.leave(name);
        }}
      />
      <div className="coglog-edit-foot">
        <span id={`${id}-message`} className={isWrong ? "coglog-edit-bad" : undefined}>
          {message}
        </span>
        <span className="coglog-edit-count">{countOf(words, lengthOf(text))}</span>
      </div>
    </div>
  );
}

/** The texts, a little later where they are many. @param {{ [name: string]: string }} texts */
function useSettled(texts) {
  const isMuch = Object.values(texts).reduce((sum, text) => sum + text.length, 0) > MUCH;
  const [settled, setSettled] = useState(texts);
  useEffect(() => {
    if (!isMuch) return undefined;
    const timer = setTimeout(() => setSettled(texts), PAUSE);
    return () => clearTimeout(timer);
  }, [texts, isMuch]);
  return isMuch ? settled : texts;
}

/** @param {() => void} changed */
function watchSystem(changed) {
  const query = typeof matchMedia === "function" ? matchMedia("(prefers-color-scheme: dark)") : null;
  query?.addEventListener?.("change", changed);
  return () => query?.removeEventListener?.("change", changed);
}
const systemIsDark = () =>
  typeof matchMedia === "function" && matchMedia("(prefers-color-scheme: dark)").matches;

/**
 * @param {EditorProps} props
 */
export default function Editor({
  desk,
  fields,
  words,
  lang,
  schema,
  stored = null,
  session = null,
  theme = "system",
  pageTheme = null,
  printing = false,
  found = false,
  onFound,
  onCopy,
}) {
  useSyncExternalStore(
    (changed) => desk.listen(changed),
    () => desk.version,
  );
  const dark = useSyncExternalStore(watchSystem, systemIsDark);
  const [choice, setChoice] = useState({ from: theme, theme });
  if (choice.from !== theme) setChoice({ from: theme, theme });
  const root = useRef(/** @type {HTMLFormElement | null} */ (null));
  const shown = choice.theme === "system" ? (pageTheme ?? (dark ? "dark" : "light")) : choice.theme;
  const id = useId();

  const settled = useSettled(desk.texts);
  const isWritten = desk.isWritten && stored !== null;
  const draft = useMemo(() => {
    /** @type {{ [name: string]: string }} */
    const layers = {};
    /** @type {{ [name: string]: string }} */
    const axes = {};
    for (const { name, layer } of fields) (layer === "fact" ? layers : axes)[name] = settled[name];
    const entry = { _schema: schema, turn_id: 0, timestamp: "", layers, ...axes };
    return { entry, fields, hidden: desk.hidden, title: words.draft };
  }, [settled, fields, schema, words, desk]);

  // The card stands beside the form's beginning, or below its end: what was just written is brought into sight.
  const side = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    if (isWritten && root.current?.matches(":focus-within"))
      side.current?.scrollIntoView?.({ block: "nearest" });
  }, [isWritten, stored]);

  const write = () => {
    const wrong = desk.write();
    if (wrong) {
      const area = root.current?.querySelector(`[data-field="${wrong}"] textarea`);
      /** @type {HTMLElement | null | undefined} */ (area)?.focus();
    }
  };

  /** @param {React.KeyboardEvent} event */
  const onKeyDown = (event) => {
    // 229: a key that an input method has taken; Safari ends the composition before the key that ends it.
    const { isComposing, keyCode } = event.nativeEvent ?? event;
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || isComposing || keyCode === 229) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) write();
  };

  const copy = async () => {
    try {
      await onCopy(desk.asCell());
      desk.say({ key: "copied" });
    } catch {
      desk.say({ key: "uncopied", tone: "bad" });
    }
  };

  /** @param {string} key @param {() => void} act @param {boolean} [main] */
  const button = (key, act, main = false) => (
    <button
      key={key}
      type="button"
      className={`coglog-edit-button${main ? " coglog-edit-main" : ""}`}
      data-does={key}
      onClick={act}
    >
      {words[key]}
    </button>
  );

  const { said } = desk;
  /** @param {string} layer */
  const part = (layer) =>
    fields
      .filter((field) => field.layer === layer)
      .map((field) =>
        desk.given.includes(field.name) ? (
          <Given
            key={field.name}
            field={field}
            text={desk.texts[field.name]}
            words={words}
            isHidden={desk.hidden.includes(field.name)}
          />
        ) : (
          <FieldInput key={field.name} field={field} desk={desk} words={words} />
        ),
      );

  return (
    // The notebook has keys of its own, single letters among them, that mean nothing here.
    <div className="coglog-editor" data-theme={shown} lang={lang} data-lm-suppress-shortcuts="true">
      <style>{CSS}</style>
      <div className="coglog-edit-body">
        <form
          ref={root}
          className="coglog-edit-form"
          aria-labelledby={`${id}-title`}
          onKeyDown={onKeyDown}
          onSubmit={(event) => event.preventDefault()}
        >
          <div className="coglog-edit-top">
            <b className="coglog-edit-title" id={`${id}-title`} role="heading" aria-level={3}>
              {words.title}
            </b>
            {session ? (
              <span className="coglog-edit-session">{fill(words.session, { name: session })}</span>
            ) : null}
          </div>
          {found ? (
            <div className="coglog-edit-found">
              <span>{words.found}</span>
              {button("found.take", () => onFound?.(true))}
              {button("found.drop", () => onFound?.(false))}
            </div>
          ) : null}
          <div role="group" aria-labelledby={`${id}-facts`}>
            <div className="coglog-edit-layer" id={`${id}-facts`} role="heading" aria-level={4}>
              {words.facts}
            </div>
            <p className="coglog-edit-rule">{words["facts.rule"]}</p>
            {part("fact")}
          </div>
          <div role="group" aria-labelledby={`${id}-axes`}>
            <div className="coglog-edit-layer" id={`${id}-axes`} role="heading" aria-level={4}>
              {words.axes}
            </div>
            <p className="coglog-edit-rule">{words["axes.rule"]}</p>
            <div className="coglog-edit-actions coglog-edit-starts">
              {button("start", () => desk.start())}
            </div>
            {part("interpretation")}
          </div>
          <div className="coglog-edit-actions">
            {button("write", write, true)}
            {desk.aside ? button("restore", () => desk.restore()) : button("revert", () => desk.revert())}
            {isWritten && desk.given.length === 0 ? button("next", () => desk.next()) : null}
            {button("copy", copy)}
            <span className="coglog-edit-soft coglog-edit-keys">{words.keys}</span>
          </div>
          <div
            className={`coglog-edit-status${said?.tone ? ` coglog-edit-${said.tone}` : ""}`}
            role="status"
            data-said={said?.key ?? ""}
          >
            {said ? fill(words[`said.${said.key}`], said.values) : ""}
            {said?.lines?.length ? (
              <ul>
                {said.lines.map((line) => (
                  <li key={line}>{line}</li>
                ))}
              </ul>
            ) : null}
          </div>
        </form>
        <section
          ref={side}
          className="coglog-edit-side"
          aria-label={isWritten ? words["written.card"] : words.preview}
        >
          <p className="coglog-edit-label" aria-hidden="true">
            {isWritten ? words["written.card"] : words.preview}
          </p>
          <CogLogViewer
            turn={isWritten && stored ? stored : draft}
            session={session}
            theme={choice.theme}
            pageTheme={pageTheme}
            printing={printing}
            onThemeChange={(next) => setChoice({ from: theme, theme: next })}
            onCopy={onCopy}
          />
        </section>
      </div>
    </div>
  );
}
