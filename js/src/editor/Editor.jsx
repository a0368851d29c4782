/* The form in which a turn is written, beside the card that it becomes. Its texts are in the store (draft-store.js). */
import { useEffect, useId, useMemo, useRef, useSyncExternalStore } from "react";

import CogLogViewer from "../CogLogViewer.jsx";
import { useTheme } from "../theme.js";
import ActionButton from "./ActionButton.jsx";
import CSS from "./Editor.css";
import FieldGroup from "./FieldGroup.jsx";
import Status from "./Status.jsx";
import { useSettled } from "./use-settled.js";
import { fill } from "./words.js";

/**
 * @typedef {import("../CogLogViewer.jsx").Field} Field
 * @typedef {import("../CogLogViewer.jsx").Turn} Turn
 * @typedef {import("../CogLogViewer.jsx").Theme} Theme
 *
 * @typedef {{
 *   store: import("./draft-store.js").DraftStore,
 *   fields: Field[],
 *   words: import("./words.js").Words,
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
 * }} EditorProps `stored` is the turn that was written last. `found` says that the page holds a draft of a form that is
 *   gone, and `onFound` takes it over or drops it
 */

/**
 * The turn that the form's texts make, for the card.
 * @param {{ [name: string]: string }} texts
 * @param {Pick<EditorProps, "fields" | "schema" | "words" | "store">} props
 * @returns {Turn}
 */
function draftTurn(texts, { fields, schema, words, store }) {
  const textsOf = (/** @type {Field["layer"]} */ layer) =>
    Object.fromEntries(
      fields.filter((field) => field.layer === layer).map(({ name }) => [name, texts[name]]),
    );
  const entry = {
    _schema: schema,
    turn_id: 0,
    timestamp: "",
    layers: textsOf("fact"),
    ...textsOf("interpretation"),
  };
  return { entry, fields, hidden: store.hidden, title: words.draft };
}

/** Whether a key press means "write": Ctrl+Enter or Cmd+Enter. @param {React.KeyboardEvent} event */
function isWriteKey(event) {
  // 229: a key that an input method has taken; Safari ends the composition before the key that ends it.
  const { isComposing, keyCode } = event.nativeEvent ?? event;
  return event.key === "Enter" && (event.ctrlKey || event.metaKey) && !isComposing && keyCode !== 229;
}

/**
 * @param {EditorProps} props
 */
export default function Editor({
  store,
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
    (changed) => store.listen(changed),
    () => store.version,
  );
  const { choice, shown, choose } = useTheme(theme, pageTheme);
  const form = useRef(/** @type {HTMLFormElement | null} */ (null));
  const card = useRef(/** @type {HTMLElement | null} */ (null));
  const title = useId();

  const settled = useSettled(store.texts);
  const isWritten = store.isWritten && stored !== null;
  const draft = useMemo(
    () => draftTurn(settled, { fields, schema, words, store }),
    [settled, fields, schema, words, store],
  );

  // The card is beside the form's start, or below its end, so a turn that was just written is scrolled into view.
  useEffect(() => {
    if (isWritten && form.current?.matches(":focus-within"))
      card.current?.scrollIntoView?.({ block: "nearest" });
  }, [isWritten, stored]);

  const write = () => {
    const wrong = store.write();
    if (!wrong) return;
    const area = form.current?.querySelector(`[data-field="${wrong}"] textarea`);
    /** @type {HTMLElement | null | undefined} */ (area)?.focus();
  };

  /** @param {React.KeyboardEvent} event */
  const onKeyDown = (event) => {
    if (!isWriteKey(event)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!event.repeat) write();
  };

  const copy = async () => {
    try {
      await onCopy(store.asCell());
      store.say({ key: "copied" });
    } catch {
      store.say({ key: "uncopied", tone: "bad" });
    }
  };

  const ofLayer = (/** @type {Field["layer"]} */ layer) => fields.filter((field) => field.layer === layer);
  const cardTitle = isWritten ? words["written.card"] : words.preview;

  return (
    // The attribute turns off the notebook's own keys, single letters among them, which mean nothing here.
    <div
      className="coglog-editor coglog-theme"
      data-theme={shown}
      lang={lang}
      data-lm-suppress-shortcuts="true"
    >
      <style>{CSS}</style>
      <div className="coglog-edit-body">
        <form
          ref={form}
          className="coglog-edit-form"
          aria-labelledby={title}
          onKeyDown={onKeyDown}
          onSubmit={(event) => event.preventDefault()}
        >
          <div className="coglog-edit-top">
            <b className="coglog-edit-title" id={title} role="heading" aria-level={3}>
              {words.title}
            </b>
            {session ? (
              <span className="coglog-edit-session">{fill(words.session, { name: session })}</span>
            ) : null}
          </div>
          {found ? (
            <div className="coglog-edit-found">
              <span>{words.found}</span>
              <ActionButton does="found.take" words={words} onClick={() => onFound?.(true)} />
              <ActionButton does="found.drop" words={words} onClick={() => onFound?.(false)} />
            </div>
          ) : null}
          <FieldGroup
            title={words.facts}
            rule={words["facts.rule"]}
            fields={ofLayer("fact")}
            store={store}
            words={words}
          />
          <FieldGroup
            title={words.axes}
            rule={words["axes.rule"]}
            fields={ofLayer("interpretation")}
            store={store}
            words={words}
          >
            <div className="coglog-edit-actions coglog-edit-starts">
              <ActionButton does="start" words={words} onClick={() => store.start()} />
            </div>
          </FieldGroup>
          <div className="coglog-edit-actions">
            <ActionButton does="write" words={words} onClick={write} isMain />
            {store.aside ? (
              <ActionButton key="restore" does="restore" words={words} onClick={() => store.restore()} />
            ) : (
              <ActionButton key="revert" does="revert" words={words} onClick={() => store.revert()} />
            )}
            {isWritten && store.given.length === 0 ? (
              <ActionButton does="next" words={words} onClick={() => store.next()} />
            ) : null}
            <ActionButton does="copy" words={words} onClick={copy} />
            <span className="coglog-edit-soft coglog-edit-keys">{words.keys}</span>
          </div>
          <Status said={store.said} words={words} />
        </form>
        <section ref={card} className="coglog-edit-side" aria-label={cardTitle}>
          <p className="coglog-edit-label" aria-hidden="true">
            {cardTitle}
          </p>
          <CogLogViewer
            turn={isWritten && stored ? stored : draft}
            session={session}
            theme={choice}
            pageTheme={pageTheme}
            printing={printing}
            onThemeChange={choose}
            onCopy={onCopy}
          />
        </section>
      </div>
    </div>
  );
}
