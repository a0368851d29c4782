import { useId, useLayoutEffect, useRef } from "react";

import { brokenAt, lengthOf } from "./draft-store.js";
import FieldName from "./FieldName.jsx";
import { countOf, fill } from "./words.js";

/**
 * What a field says below its text, and whether that is an error.
 * @param {{ text: string, isFact: boolean, wasVisited: boolean, words: import("./words.js").Words }} state
 */
function messageFor({ text, isFact, wasVisited, words }) {
  const place = brokenAt(text);
  if (place >= 0) return { message: fill(words.surrogate, { position: place }), isWrong: true };
  if (text) return { message: "", isWrong: false };
  if (!isFact) return { message: words.empty, isWrong: false };
  return { message: wasVisited ? words.missing : words.required, isWrong: wasVisited };
}

/**
 * One text area, with its label, question, example, message and count.
 *
 * The browser owns the text area: nothing writes into it but a text that came from elsewhere, and never while an input
 * method composes a word. So composition, caret and undo work as the browser has them.
 * @param {{
 *   field: import("../CogLogViewer.jsx").Field,
 *   store: import("./draft-store.js").DraftStore,
 *   words: import("./words.js").Words,
 * }} props
 */
export default function FieldInput({ field, store, words }) {
  const { name, layer, question } = field;
  const id = useId();
  const area = useRef(/** @type {HTMLTextAreaElement | null} */ (null));
  const composing = useRef(false);
  const text = store.texts[name];

  useLayoutEffect(() => {
    const element = area.current;
    if (!element || composing.current || element.value === text.replace(/\r\n?/g, "\n")) return;
    const { selectionStart, selectionEnd, scrollTop } = element;
    element.value = text;
    if (element.ownerDocument.activeElement === element || element.matches(":focus"))
      element.setSelectionRange(Math.min(selectionStart, text.length), Math.min(selectionEnd, text.length));
    element.scrollTop = scrollTop;
  }, [text]);

  const isFact = layer === "fact";
  const { message, isWrong } = messageFor({ text, isFact, wasVisited: store.visited.has(name), words });
  const take = () => store.edit(name, area.current?.value ?? "");

  return (
    <div className={`coglog-edit-field coglog-edit-${isFact ? "fact" : "axis"}`} data-field={name}>
      <label htmlFor={`${id}-text`}>
        <FieldName field={field} />
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
          store.leave(name);
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
